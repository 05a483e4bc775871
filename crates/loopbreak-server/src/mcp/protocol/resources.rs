//! Resources: the settings, the runs and their events.

use std::fmt::Write as _;

use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::Value;

use super::ToolError;
use crate::mcp::state::ServerState;

const CONFIG: &str = "loopbreak://config";
const RUNS: &str = "loopbreak://runs";
const EVENTS: &str = "loopbreak://runs/{id}/events";
const JSON: &str = "application/json";
const LINES: &str = "application/jsonl";
/// Number of latest runs that are looked at.
const LOOKED_AT_RUNS: usize = 500;
/// Number of latest runs that are listed.
const LISTED_RUNS: usize = 50;
/// Number of latest events of a run that are read.
const EVENTS_READ: usize = 2000;

/// Lists the resources.
pub(crate) fn list(state: &ServerState) -> Result<Vec<Resource>, ToolError> {
    let mut all = vec![
        Resource::new(CONFIG, "config")
            .with_description("The settings in effect, as JSON")
            .with_mime_type(JSON),
        Resource::new(RUNS, "runs")
            .with_description("Status of all stored runs, as `loopbreak status --all --json` prints it")
            .with_mime_type(JSON),
    ];
    let runs = state.store.runs(i64::MIN, LOOKED_AT_RUNS)?.into_iter();
    let listed = runs.filter(|run| run.agent.is_empty() && state.is_visible(run));
    for run in listed.take(LISTED_RUNS) {
        let uri = EVENTS.replace("{id}", &percent_encode(&run.session));
        all.push(
            Resource::new(uri, format!("events of {}", run.session))
                .with_description(format!("Events of the run {} of {}", run.session, run.source))
                .with_mime_type(LINES),
        );
    }
    Ok(all)
}

/// Lists the templates of resources.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let about = format!("Events of a run, one JSON object per line: at most the last {EVENTS_READ}");
    vec![ResourceTemplate::new(EVENTS, "events of a run").with_description(about).with_mime_type(LINES)]
}

/// Reads a resource.
pub(crate) fn read(state: &ServerState, uri: &str) -> Result<ResourceContents, ToolError> {
    let (text, mime) = match uri {
        CONFIG => (pretty(&serde_json::to_value(state.settings()).unwrap_or_default()), JSON),
        RUNS => {
            let summary = state.summarize_runs(true)?;
            (pretty(&serde_json::to_value(summary).unwrap_or_default()), JSON)
        }
        _ => {
            let id = uri.strip_prefix("loopbreak://runs/").and_then(|rest| rest.strip_suffix("/events"));
            let id = id.ok_or_else(|| {
                ToolError::new(
                    format!("Resource {uri} not found"),
                    format!("Use {CONFIG}, {RUNS} or {EVENTS}"),
                )
            })?;
            (events(state, &percent_decode(id))?, LINES)
        }
    };
    Ok(ResourceContents::text(text, uri).with_mime_type(mime))
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

fn events(state: &ServerState, session: &str) -> Result<String, ToolError> {
    let run = state.find(session)?;
    let events = state.store.events(&run)?;
    let mut text = String::new();
    let latest = &events[events.len().saturating_sub(EVENTS_READ)..];
    for line in latest.iter().flat_map(|stored| stored.to_json_lines(&run)) {
        let _ = writeln!(text, "{line}");
    }
    Ok(text)
}

/// Encodes a name as part of a URI.
fn percent_encode(name: &str) -> String {
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

/// Decodes a name. An invalid escape stays as it is.
fn percent_decode(part: &str) -> String {
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
    fn every_name_survives_encoding_and_decoding() {
        for name in ["plain-1.2_x~", "with space/slash?and#more", "ünïcode", "100%", "%zz", ""] {
            let part = percent_encode(name);
            assert!(part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte)));
            assert_eq!(percent_decode(&part), name);
        }
        assert_eq!(percent_decode("100%"), "100%");
    }
}
