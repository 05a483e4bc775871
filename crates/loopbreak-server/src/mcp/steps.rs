//! `record_step` and `weigh_action`: a step is shown to the guard of its run, a proposal is weighed by it.

use loopbreak::{Proposal, Step, Verdict};
use loopbreak_store::{RunEvent, StepEvent, VerdictSummary};

use super::fault::Fault;
use super::input::{ProposalInput, StepInput};
use super::output::{RulingOutput, StepOutput};
use super::place::{About, Course, Place};
use super::{tasks, verdicts};

impl Place {
    /// Records a step, and says what the guard thinks of it.
    pub(crate) fn record_step(&mut self, run: &str, input: &StepInput) -> Result<StepOutput, Fault> {
        let about = if input.task.is_some() { About::Tasks } else { About::Steps };
        self.change(run, about, |course| {
            let text = native(input, course.now);
            let step = read(&text)?;
            if !step.has_facet() {
                return Err(Fault::new(
                    "the step says nothing",
                    "Give at least one of action, outcome, say, user, place, score, objectives, task, progress, \
                     critic and usage",
                ));
            }
            let verdict = course.guard.observe(&step);
            course.state.guard.note_findings(&verdict, course.now);
            course.records.add_verdict(&verdict, course.now);
            let mut output = verdicts::step(run, &verdict, &course.state.guard.loops);
            if let Some(task) = &input.task {
                let at = input.at.as_ref();
                output.task = tasks::record(course, run, task, at)?.map(|made| made.check);
            }
            write(course, &step, &verdict);
            Ok(output)
        })
    }

    /// Weighs a proposal. Changes nothing.
    pub(crate) fn weigh_action(&self, run: &str, input: &ProposalInput) -> Result<RulingOutput, Fault> {
        // Read as a step, for its parts are written in the same way.
        let text = serde_json::to_string(input).unwrap_or_default();
        let Step { action, agent, place, .. } = read(&text)?;
        let action = action.unwrap_or_default();
        if action.line().trim().is_empty() {
            return Err(Fault::new("the action has no name", "Give a command, or a tool with its arguments"));
        }
        let proposal = Proposal { action, score: input.score, agent, place };
        Ok(verdicts::ruling(run, &self.guard(run)?.weigh(&proposal)))
    }
}

/// A step as one line of a native log. One that does not say when it was is of now.
fn native(input: &StepInput, now: i64) -> String {
    let mut value = serde_json::to_value(input).unwrap_or_default();
    if let Some(parts) = value.as_object_mut() {
        parts.entry("at").or_insert_with(|| now.into());
    }
    value.to_string()
}

pub(super) fn read(text: &str) -> Result<Step<'_>, Fault> {
    Step::from_json(text).map_err(|error| {
        let error = error.to_string();
        // Where it stands in a text that nobody has seen says nothing.
        let what = error.split(" at line ").next().unwrap_or_default();
        Fault::new(
            format!("this is no step: {what}"),
            "The input schema of the tool says what each part looks like",
        )
    })
}

/// Writes down what happened, in the words of hooks.
fn write(course: &mut Course, step: &Step<'_>, verdict: &Verdict) {
    let mut event = StepEvent { refused: step.refused, ..StepEvent::default() };
    if let Some(action) = &step.action {
        event = event.with_action(action);
    }
    if let Some(outcome) = &step.outcome {
        event = event.with_outcome(outcome);
    }
    if let Some(text) = &step.say {
        event = event.with_said(text);
    }
    if let Some(text) = &step.user {
        event = event.with_user(text);
    }
    let mut summary = VerdictSummary::from(verdict);
    let texts: Vec<&str> = verdict.advice.iter().map(|advice| advice.text.as_str()).collect();
    if let Some(stop) = &verdict.stop {
        summary = summary.with_answer("stop", format!("stopped: {}", stop.reason));
    } else if !texts.is_empty() {
        summary = summary.with_answer("advise", texts.join("\n\n"));
    }
    let event = event.with_verdict(summary);
    course.write(match step {
        _ if step.refused => RunEvent::Refused(event),
        Step { action: None, outcome: None, user: Some(_), .. } => RunEvent::User(event),
        _ => RunEvent::Step(event),
    });
}

#[cfg(test)]
mod tests {
    use loopbreak::{Config, Guard, Settings};
    use serde_json::{Value, json};

    use super::super::server::Options;
    use super::*;

    fn place(folder: &tempfile::TempDir) -> Place {
        let store = folder.path().join("x.db").into();
        Place::open(Options { settings: Settings::default(), store, folder: String::new(), run: None })
            .unwrap()
    }

    fn input(step: &Value) -> StepInput {
        serde_json::from_value(step.clone()).unwrap()
    }

    /// Steps of all kinds, with loops among them.
    fn steps() -> Vec<Value> {
        (0..120)
            .map(|number| match number % 40 {
                0..=9 => json!({"at": 1000 * number, "action": {"name": "bash", "args": {"command": "make"}},
                                "outcome": {"text": "1 failed", "error": true}}),
                10..=19 => json!({"at": 1000 * number, "action": "north", "place": {"id": number % 2, "name": "Room"},
                                  "score": 1.5, "critic": {"score": 0.9}}),
                20 => json!({"at": 1000 * number, "user": "go on"}),
                _ => json!({"at": 1000 * number, "say": format!("part {number}"), "usage": {"cost_usd": 0.1},
                            "action": format!("read {number}"), "outcome": format!("text {number}"), "progress": true}),
            })
            .collect()
    }

    #[test]
    fn a_run_that_is_told_step_by_step_gets_the_verdicts_of_its_replay() {
        let folder = tempfile::tempdir().unwrap();
        let mut guard = Guard::new(Config::default()).for_run("r");
        for step in steps() {
            // A new server for every step: nothing is kept but what is in the store.
            let told = place(&folder).record_step("r", &input(&step)).unwrap();
            let text = step.to_string();
            let verdict = guard.observe(&Step::from_json(&text).unwrap());
            let replayed = verdicts::step("r", &verdict, &[]);
            let plain = |output: &StepOutput| {
                let mut value = serde_json::to_value(output).unwrap();
                // Whether a loop that was told of goes on is known by what is kept.
                value["verdict"].take();
                value
            };
            assert_eq!(plain(&told), plain(&replayed), "{step}");
        }
    }

    #[test]
    fn to_weigh_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let mut place = place(&folder);
        let proposal: ProposalInput = serde_json::from_value(json!({"action": "north"})).unwrap();
        assert!(place.weigh_action("r", &proposal).unwrap().accepted);
        assert!(place.find("r").is_err(), "no run was begun");
        place.record_step("r", &input(&json!({"action": "north", "outcome": "a wall"}))).unwrap();
        let kept = place.store.state(&Place::key("r")).unwrap();
        place.weigh_action("r", &proposal).unwrap();
        assert_eq!(place.store.state(&Place::key("r")).unwrap(), kept);
    }

    #[test]
    fn secrets_are_not_written_down() {
        let folder = tempfile::tempdir().unwrap();
        let mut place = place(&folder);
        let step = json!({"action": {"name": "bash", "args": {"command": "login --password hunter22hunter"}},
                          "outcome": "token ghp_0123456789abcdefghijABCDEFGHIJ012345", "say": "x".repeat(5000)});
        place.record_step("r", &input(&step)).unwrap();
        let run = place.find("r").unwrap();
        let events = place.store.events(&run).unwrap();
        let (_, text) = events[0].event.to_columns();
        assert!(!text.contains("hunter22") && !text.contains("ghp_0123456789abc"), "{text}");
        assert!(text.len() < 2000, "{}", text.len());
    }
}
