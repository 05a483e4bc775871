//! The log of a run.

use std::fmt::Write as _;

use loopbreak_store::{Run, StoredEvent};

use crate::printable;

/// Renders the heading of a run in a log, on one line.
pub fn render_run(run: &Run) -> String {
    format!("{}, {}, {}\n", printable(&run.name()), run.source, printable(&run.folder))
}

/// Renders an event as one line of JSON.
pub fn render_event_json(run: &Run, stored: &StoredEvent) -> String {
    format!("{}\n", stored.to_json(run))
}

/// Renders an event with the answer that was given.
pub fn render_event(stored: &StoredEvent) -> String {
    let event = &stored.event;
    let verdict = event.verdict();
    let turn = verdict.and_then(|verdict| verdict.turn).map_or_else(String::new, |turn| turn.to_string());
    let headline = printable(event.headline().unwrap_or_default());
    let mut text = format!("{turn:>5}  {:<8} {headline}", event.kind());
    text.truncate(text.trim_end().len());
    text.push('\n');
    let answer = verdict.and_then(|verdict| Some((verdict.answer.as_deref()?, verdict.text.as_deref()?)));
    if let Some((answer, answer_text)) = answer {
        for (number, line) in answer_text.lines().enumerate() {
            let label = if number == 0 { printable(answer) } else { String::new() };
            let _ = writeln!(text, "       {label:<8} | {}", printable(line));
        }
    }
    text
}
