//! `loopbreak log`: what happened in a run.

use clap::Args;
use loopbreak_store::{Run, Store as _};
use serde_json::{Value, json};

use crate::error::UserError;
use crate::output::printable;
use crate::status::{failed, name, open};
use crate::{exit, output};

/// Show what happened in a run that was guarded.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak log 5f2c             The run whose session begins with these letters
  loopbreak log 5f2c --json      Its events, one JSON object a line

Subagents of the session are shown after it.")]
pub(crate) struct LogArgs {
    /// The session, or the beginning of its name: see `loopbreak status --all`
    #[arg(value_name = "RUN")]
    run: String,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &LogArgs) -> Result<u8, UserError> {
    let unknown = || {
        UserError::usage(format!("there is no run {:?}", args.run))
            .hint("`loopbreak status --all` lists the runs that are kept")
    };
    let store = open()?.ok_or_else(unknown)?;
    let mut runs = store.find(&args.run).map_err(|error| failed(&error))?;
    if let Some(exact) = runs.iter().find(|run| run.session == args.run).map(|run| run.session.clone()) {
        runs.retain(|run| run.session == exact);
    }
    let first = runs.first().ok_or_else(unknown)?.clone();
    if runs.iter().any(|run| run.session != first.session) {
        let names: Vec<String> = runs.iter().take(5).map(name).collect();
        return Err(UserError::usage(format!("more than one run begins with {:?}", args.run))
            .hint(format!("name one of them: {}", names.join(", "))));
    }
    runs.sort_by_key(|run| (!run.agent.is_empty(), run.id));
    let mut text = String::new();
    for run in &runs {
        if !args.json {
            let line = format!("{}, {}, {}\n", name(run), run.source, printable(&run.folder));
            text.push_str(&line);
        }
        for event in store.events(run).map_err(|error| failed(&error))? {
            let detail = serde_json::from_str(&event.detail).unwrap_or(Value::Null);
            let line = if args.json { data(run, &event, detail) } else { line(&event, &detail) };
            text.push_str(&line);
        }
    }
    output::print(&text)?;
    Ok(exit::DONE)
}

fn data(run: &Run, event: &loopbreak_store::Event, detail: Value) -> String {
    let mut all = json!({
        "session": run.session, "agent": run.agent, "number": event.number, "at": event.at, "kind": event.kind,
    });
    if let (Some(all), Value::Object(detail)) = (all.as_object_mut(), detail) {
        all.extend(detail);
    }
    format!("{all}\n")
}

fn line(event: &loopbreak_store::Event, detail: &Value) -> String {
    let part = |key: &str| detail[key].as_str().map(printable);
    let what = part("action").or_else(|| part("user")).or_else(|| part("said")).unwrap_or_default();
    let turn = detail["turn"].as_u64().map_or_else(String::new, |turn| turn.to_string());
    let mut line = format!("{turn:>5}  {:<8} {what}", event.kind);
    line.truncate(line.trim_end().len());
    line.push('\n');
    if let (Some(answer), Some(text)) = (part("answer"), detail["text"].as_str()) {
        for (number, said) in text.lines().enumerate() {
            let mark = if number == 0 { answer.as_str() } else { "" };
            let said = format!("       {mark:<8} | {}\n", printable(said));
            line.push_str(&said);
        }
    }
    line
}
