//! Resources: the settings, the runs, and what happened in each.

use std::fmt::Write as _;

use loopbreak_store::{StatusSummary, now};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};

use super::fault::Fault;
use super::place::Place;

const CONFIG: &str = "loopbreak://config";
const RUNS: &str = "loopbreak://runs";
const EVENTS: &str = "loopbreak://runs/{id}/events";
const JSON: &str = "application/json";
const LINES: &str = "application/jsonl";
/// How many of the latest runs are listed, and how many of the latest events of one are read.
const LISTED: usize = 50;
const EVENTS_READ: usize = 2000;

/// What there is to read.
pub(crate) fn list(place: &Place) -> Result<Vec<Resource>, Fault> {
    let mut all = vec![
        Resource::new(CONFIG, "config")
            .with_description("The settings that hold, as JSON")
            .with_mime_type(JSON),
        Resource::new(RUNS, "runs")
            .with_description(
                "All runs that are kept and how they stand, as `loopbreak status --all --json` tells",
            )
            .with_mime_type(JSON),
    ];
    for run in place.store.runs(i64::MIN, LISTED)?.into_iter().filter(|run| run.agent.is_empty()) {
        let uri = EVENTS.replace("{id}", &encoded(&run.session));
        all.push(
            Resource::new(uri, format!("events of {}", run.session))
                .with_description(format!("What happened in the run {} of {}", run.session, run.source))
                .with_mime_type(LINES),
        );
    }
    Ok(all)
}

/// What can be read of any run.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let about =
        format!("What happened in a run, one JSON object a line: at most the last {EVENTS_READ} events");
    vec![ResourceTemplate::new(EVENTS, "events of a run").with_description(about).with_mime_type(LINES)]
}

/// Reads one of them.
pub(crate) fn read(place: &Place, uri: &str) -> Result<ResourceContents, Fault> {
    let (text, mime) = match uri {
        CONFIG => (pretty(&serde_json::to_value(place.settings()).unwrap_or_default()), JSON),
        RUNS => {
            let summary = StatusSummary::load(&*place.store, true, now(), &|_| {})?;
            (pretty(&serde_json::to_value(summary).unwrap_or_default()), JSON)
        }
        _ => {
            let id = uri.strip_prefix("loopbreak://runs/").and_then(|rest| rest.strip_suffix("/events"));
            let id = id.ok_or_else(|| {
                Fault::new(
                    format!("there is no resource {uri}"),
                    format!("There are {CONFIG}, {RUNS} and {EVENTS}"),
                )
            })?;
            (events(place, &decoded(id))?, LINES)
        }
    };
    Ok(ResourceContents::text(text, uri).with_mime_type(mime))
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

fn events(place: &Place, session: &str) -> Result<String, Fault> {
    let run = place.find(session)?;
    let events = place.store.events(&run)?;
    let mut text = String::new();
    for stored in &events[events.len().saturating_sub(EVENTS_READ)..] {
        let mut line =
            json!({"session": run.session, "agent": run.agent, "number": stored.number, "at": stored.at});
        if let Value::Object(line) = &mut line {
            line.extend(stored.event.to_object());
        }
        text.push_str(&line.to_string());
        text.push('\n');
    }
    Ok(text)
}

/// A name as a part of an address.
fn encoded(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// The name that a part of an address stands for. What is not encoded rightly stands as it is.
fn decoded(part: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = part.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        let byte = code.and_then(|code| u8::from_str_radix(code, 16).ok()).filter(|_| *first == b'%');
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_of_a_run_goes_into_an_address_and_out_again() {
        for name in ["plain-1.2_x~", "with space/slash?and#more", "ünïcode", "100%", "%zz", ""] {
            let part = encoded(name);
            assert!(part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte)));
            assert_eq!(decoded(&part), name);
        }
        assert_eq!(decoded("100%"), "100%");
    }
}
