//! `explain_run`: describes the events of a run.

use std::fmt::Write as _;

use loopbreak::step::EpochMillis;
use loopbreak::text::{inert, quoted};
use loopbreak_store::tasks::RoadmapTask;
use loopbreak_store::{KnownLoop, Run, RunEvent, RunState, RunStatus, StoredEvent, StoredRecovery, now};
use schemars::JsonSchema;
use serde::Deserialize;

use super::output::ExplainOutput;
use crate::mcp::protocol::ToolError;
use crate::mcp::state::ServerState;

/// Number of events, recoveries and tasks in a description.
const MAX_ENTRIES: usize = 60;

/// Run to describe.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplainInput {
    /// Default: this connection's run.
    pub(crate) run: Option<String>,
}

impl ServerState {
    /// Describes a run of any source.
    pub(crate) fn explain_run(&self, name: &str) -> Result<ExplainOutput, ToolError> {
        let run = self.find(name)?;
        let state = self.state(&run)?;
        let events = self.store.events(&run)?;
        let status = RunStatus::load(&*self.store, run.clone(), now(), &|_| {})?;
        let mut story = opening(&run, &state, &events, &status);
        list_loops(&mut story, &state.guard.loops, &status);
        list_events(&mut story, &events);
        list_recoveries(&mut story, &self.store.recoveries(&run)?);
        list_tasks(&mut story, &self.store.roadmap(&run)?);
        Ok(ExplainOutput { run: run.session, story })
    }
}

fn opening(run: &Run, state: &RunState, events: &[StoredEvent], status: &RunStatus) -> String {
    let attempts: u64 = status.tasks.values().map(|task| task.attempt_count).sum();
    let attempts = match status.tasks.len() {
        0 => String::new(),
        1 => format!(" and {attempts} attempts at 1 task"),
        count => format!(" and {attempts} attempts at {count} tasks"),
    };
    let failed = events.iter().filter(|event| event.event.is_failure()).count();
    let end = match run.ended {
        Some(at) => format!("It ended {}.", time(at)),
        None => format!("It was last seen {}.", time(run.seen)),
    };
    let folder = if run.folder.is_empty() { String::new() } else { format!(" in {}", quote(&run.folder)) };
    format!(
        "Run {} of {}{folder} started {}. {end} It has {} turns{attempts}; {failed} of its {} events are failures.\n",
        quote(&run.session),
        inert(&run.source),
        time(run.started),
        state.guard.turn,
        events.len(),
    )
}

fn list_loops(story: &mut String, loops: &[KnownLoop], status: &RunStatus) {
    if loops.is_empty() && status.loop_count == 0 {
        story.push_str("No loops were found.\n");
        return;
    }
    story.push_str("\nLoops:\n");
    for known in loops {
        let KnownLoop { pattern, severity, since, turn, attempt_count, .. } = known;
        let _ =
            write!(story, "- {pattern} ({severity}), {attempt_count} times from turn {since} to turn {turn}");
        for (what, text) in [("", &known.action), ("the tool answered ", &known.outcome)] {
            if !text.trim().is_empty() {
                let _ = write!(story, "; {what}{}", quoted(text));
            }
        }
        if !known.reason.trim().is_empty() {
            let _ = write!(story, "; reason: {}", inert(&known.reason));
        }
        story.push('\n');
    }
    let looped = status.tasks.iter().filter(|(_, task)| task.loop_type.is_some() || task.recovery.is_some());
    for (id, task) in looped.take(MAX_ENTRIES) {
        let pattern = task.loop_type.as_deref().unwrap_or("loop");
        let _ = write!(story, "- {}: task {}, {} attempts", inert(pattern), quote(id), task.attempt_count);
        if let Some(recovery) = &task.recovery {
            let _ = write!(story, "; last recovery: {}", inert(recovery));
        }
        story.push('\n');
    }
}

/// Lists the messages and actions, in order. If there are too many, only the beginning and the end.
fn list_events(story: &mut String, events: &[StoredEvent]) {
    let notable: Vec<&RunEvent> =
        events.iter().map(|stored| &stored.event).filter(|event| is_notable(event)).collect();
    if notable.is_empty() {
        return;
    }
    story.push_str("\nEvents:\n");
    let left_out = notable.len().saturating_sub(MAX_ENTRIES);
    for (number, event) in notable.iter().enumerate() {
        if left_out > 0 && number == MAX_ENTRIES / 2 {
            let _ = writeln!(story, "- … {left_out} more …");
        }
        if number >= MAX_ENTRIES / 2 && number < MAX_ENTRIES / 2 + left_out {
            continue;
        }
        let verdict = event.verdict();
        let turn = verdict.and_then(|verdict| verdict.turn);
        let turn = turn.map_or_else(String::new, |turn| format!("turn {turn}, "));
        let what = quote(event.headline().unwrap_or_default());
        let _ = write!(story, "- {turn}{}: {what}", inert(event.kind()));
        // What the guard said is its own sentence, whose foreign parts are quoted.
        let part = |text: &Option<String>| text.as_deref().map(inert).filter(|text| !text.is_empty());
        let answer = verdict.and_then(|verdict| Some((part(&verdict.answer)?, part(&verdict.text)?)));
        if let Some((answer, text)) = answer {
            let _ = write!(story, " -> {answer}: {text}");
        }
        story.push('\n');
    }
}

fn list_recoveries(story: &mut String, recoveries: &[StoredRecovery]) {
    if recoveries.is_empty() {
        return;
    }
    story.push_str("\nRecoveries:\n");
    for recovery in recoveries.iter().rev().take(MAX_ENTRIES).rev() {
        let about = recovery
            .task
            .as_deref()
            .map_or_else(|| format!("turn {}", recovery.turn), |task| format!("task {}", quote(task)));
        let _ = writeln!(story, "- {about}: {} ({})", recovery.intervention, inert(&recovery.reason));
    }
}

fn list_tasks(story: &mut String, tasks: &[RoadmapTask]) {
    if tasks.is_empty() {
        return;
    }
    story.push_str("\nTasks:\n");
    for task in tasks.iter().take(MAX_ENTRIES) {
        let _ = write!(story, "- {} {}: {}", quote(&task.id), quote(&task.title), task.label());
        if !task.reason.is_empty() {
            let _ = write!(story, " ({})", quote(&task.reason));
        }
        story.push('\n');
    }
    if tasks.len() > MAX_ENTRIES {
        let _ = writeln!(story, "- … {} more …", tasks.len() - MAX_ENTRIES);
    }
}

/// Returns whether an event is listed.
fn is_notable(event: &RunEvent) -> bool {
    let kind =
        matches!(event, RunEvent::User(_) | RunEvent::Refused(_) | RunEvent::Recovery(_) | RunEvent::End(_));
    kind || event.verdict().is_some_and(|verdict| verdict.answer.is_some())
}

fn time(millis: i64) -> String {
    // Milliseconds are of no interest here.
    let whole = EpochMillis(millis - millis.rem_euclid(1000)).rfc3339();
    whole.map_or_else(|| millis.to_string(), |time| format!("at {}", time.replace(".000Z", "Z")))
}

/// Returns a text of the agent, a tool or a log as data.
fn quote(text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { quoted(text) }
}
