//! Reads the events of a run and prints them.

use std::fmt::Write as _;

use loopbreak_store::{Run, StoredEvent};
use serde_json::{Value, json};

use super::args::LogArgs;
use crate::error::UserError;
use crate::output::printable;
use crate::store::{open_user_store, run_name};
use crate::{exit, output};

/// Number of runs named in an error.
const NAMED_RUNS: usize = 5;

pub(crate) fn run(args: &LogArgs) -> Result<u8, UserError> {
    let unknown = || {
        UserError::usage(format!("run {:?} not found", args.run))
            .hint("`loopbreak status --all` lists the stored runs")
    };
    let store = open_user_store()?.ok_or_else(unknown)?;
    let mut runs = store.find(&args.run)?;
    if runs.iter().any(|run| run.session == args.run) {
        runs.retain(|run| run.session == args.run);
    }
    let first = runs.first().ok_or_else(unknown)?.session.clone();
    if runs.iter().any(|run| run.session != first) {
        let names: Vec<String> = runs.iter().take(NAMED_RUNS).map(run_name).collect();
        return Err(UserError::usage(format!("more than one run starts with {:?}", args.run))
            .hint(format!("name one of them: {}", names.join(", "))));
    }
    runs.sort_by_key(|run| (!run.agent.is_empty(), run.id));
    let mut text = String::new();
    for run in &runs {
        if !args.json {
            let line = format!("{}, {}, {}\n", run_name(run), run.source, printable(&run.folder));
            text.push_str(&line);
        }
        for event in store.events(run)? {
            text.push_str(&if args.json { render_json(run, &event) } else { render(&event) });
        }
    }
    output::print(&text)?;
    Ok(exit::DONE)
}

fn render_json(run: &Run, stored: &StoredEvent) -> String {
    let mut line = json!({
        "session": run.session, "agent": run.agent, "number": stored.number, "at": stored.at,
    });
    if let Value::Object(line) = &mut line {
        line.extend(stored.event.to_object());
    }
    format!("{line}\n")
}

fn render(stored: &StoredEvent) -> String {
    let event = &stored.event;
    let verdict = event.verdict();
    let turn = verdict.and_then(|verdict| verdict.turn).map_or_else(String::new, |turn| turn.to_string());
    let headline = printable(event.headline().unwrap_or_default());
    let mut text = format!("{turn:>5}  {:<8} {headline}", event.kind());
    text.truncate(text.trim_end().len());
    text.push('\n');
    let answer = verdict.and_then(|verdict| Some((verdict.answer.as_deref()?, verdict.text.as_deref()?)));
    if let Some((answer, said)) = answer {
        for (number, line) in said.lines().enumerate() {
            let label = if number == 0 { printable(answer) } else { String::new() };
            let _ = writeln!(text, "       {label:<8} | {}", printable(line));
        }
    }
    text
}
