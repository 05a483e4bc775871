//! `explain_run`: the story of a run in words.

use std::fmt::Write as _;

use loopbreak::EpochMillis;
use loopbreak_store::tasks::RoadmapTask;
use loopbreak_store::{KnownLoop, Run, RunEvent, RunState, StoredEvent, StoredRecovery};

use super::fault::Fault;
use super::output::StoryOutput;
use super::place::Place;

/// How many of the events are told that something was said or done at.
const TOLD: usize = 60;

impl Place {
    /// The story of a run, whoever told of it.
    pub(crate) fn explain_run(&self, name: &str) -> Result<StoryOutput, Fault> {
        let run = self.find(name)?;
        let state = self.state(&run)?;
        let events = self.store.events(&run)?;
        let mut story = opening(&run, &state, &events);
        loops(&mut story, &state.guard.loops);
        happenings(&mut story, &events);
        tried(&mut story, &self.store.recoveries(&run)?);
        tasks(&mut story, &self.store.roadmap(&run)?);
        Ok(StoryOutput { run: run.session, story })
    }
}

fn opening(run: &Run, state: &RunState, events: &[StoredEvent]) -> String {
    let failed = events.iter().filter(|event| event.event.is_failure()).count();
    let end = match run.ended {
        Some(at) => format!("It ended {}.", time(at)),
        None => format!("It was last seen {}.", time(run.seen)),
    };
    let place = if run.folder.is_empty() { String::new() } else { format!(" in {}", one_line(&run.folder)) };
    format!(
        "The run {} of {}{place} began {}. {end} It had {} turns; {failed} of its {} events are failures.\n",
        one_line(&run.session),
        one_line(&run.source),
        time(run.started),
        state.guard.turn,
        events.len(),
    )
}

fn loops(story: &mut String, loops: &[KnownLoop]) {
    if loops.is_empty() {
        story.push_str("No loop was seen.\n");
        return;
    }
    story.push_str("\nLoops that were seen:\n");
    for seen in loops {
        let KnownLoop { pattern, severity, since, turn, attempt_count, .. } = seen;
        let _ =
            write!(story, "- {pattern} ({severity}), {attempt_count} times from turn {since} to turn {turn}");
        for (what, text) in [("", &seen.action), ("the outcome: ", &seen.outcome), ("why: ", &seen.reason)] {
            if !text.trim().is_empty() {
                let _ = write!(story, "; {what}{}", one_line(text));
            }
        }
        story.push('\n');
    }
}

/// What was said and done, in order. Where that is much, the beginning and the end of it.
fn happenings(story: &mut String, events: &[StoredEvent]) {
    let told: Vec<&RunEvent> =
        events.iter().map(|stored| &stored.event).filter(|event| is_told(event)).collect();
    if told.is_empty() {
        return;
    }
    story.push_str("\nWhat was said and done:\n");
    let left_out = told.len().saturating_sub(TOLD);
    for (number, event) in told.iter().enumerate() {
        if left_out > 0 && number == TOLD / 2 {
            let _ = writeln!(story, "- … {left_out} more …");
        }
        if number >= TOLD / 2 && number < TOLD / 2 + left_out {
            continue;
        }
        let verdict = event.verdict();
        let turn = verdict.and_then(|verdict| verdict.turn);
        let turn = turn.map_or_else(String::new, |turn| format!("turn {turn}, "));
        let what = one_line(event.headline().unwrap_or_default());
        let _ = write!(story, "- {turn}{}: {what}", one_line(event.kind()));
        let part = |text: &Option<String>| text.as_deref().map(one_line).filter(|text| !text.is_empty());
        let answer = verdict.and_then(|verdict| Some((part(&verdict.answer)?, part(&verdict.text)?)));
        if let Some((answer, text)) = answer {
            let _ = write!(story, " -> {answer}: {text}");
        }
        story.push('\n');
    }
}

fn tried(story: &mut String, recoveries: &[StoredRecovery]) {
    if recoveries.is_empty() {
        return;
    }
    story.push_str("\nWhat was done to get out:\n");
    for recovery in recoveries.iter().rev().take(TOLD).rev() {
        let about = recovery
            .task
            .as_deref()
            .map_or_else(|| format!("turn {}", recovery.turn), |task| format!("task {}", one_line(task)));
        let _ = writeln!(story, "- {about}: {} ({})", recovery.intervention, one_line(&recovery.reason));
    }
}

fn tasks(story: &mut String, tasks: &[RoadmapTask]) {
    if tasks.is_empty() {
        return;
    }
    story.push_str("\nIts tasks:\n");
    for task in tasks.iter().take(TOLD) {
        let _ = write!(story, "- {} {}: {}", one_line(&task.id), one_line(&task.title), task.label());
        if !task.reason.is_empty() {
            let _ = write!(story, " ({})", one_line(&task.reason));
        }
        story.push('\n');
    }
    if tasks.len() > TOLD {
        let _ = writeln!(story, "- … {} more …", tasks.len() - TOLD);
    }
}

/// Whether an event is part of the story.
fn is_told(event: &RunEvent) -> bool {
    let kind =
        matches!(event, RunEvent::User(_) | RunEvent::Refused(_) | RunEvent::Recovery(_) | RunEvent::End(_));
    kind || event.verdict().is_some_and(|verdict| verdict.answer.is_some())
}

fn time(millis: i64) -> String {
    // Nobody wants to read the milliseconds.
    let whole = EpochMillis(millis - millis.rem_euclid(1000)).rfc3339();
    whole.map_or_else(|| millis.to_string(), |time| format!("at {}", time.replace(".000Z", "Z")))
}

/// A text of somebody else's on one line.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split(|letter: char| letter.is_control() || letter == ' ').collect();
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
