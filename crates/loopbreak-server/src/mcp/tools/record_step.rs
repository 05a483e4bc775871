//! `record_step`: the guard of a run observes a step.

use loopbreak::{Step, Verdict, step::EpochMillis};
use loopbreak_store::{RunEvent, StepEvent, VerdictSummary};

use super::output::RecordStepOutput;
use super::step_input::StepInput;
use super::{record_attempt, verdict_output};
use crate::mcp::protocol::ToolError;
use crate::mcp::state::{CallScope, CallTransaction, PreparedStep, ServerState};

impl ServerState {
    /// Records a step and returns the verdict on it.
    pub(crate) fn record_step(
        &mut self,
        run: &str,
        input: &StepInput,
    ) -> Result<RecordStepOutput, ToolError> {
        check_step(&input.step)?;
        let scope = if input.step.task.is_some() { CallScope::Tasks } else { CallScope::Steps };
        let PreparedStep { step, unsent } = self.prepare_step(run, &input.step);
        let local = self.change(run, scope, |transaction| {
            transaction.unsent.clone_from(&unsent);
            observe_step(transaction, run, &step)
        })?;
        Ok(self.send_step(run, &unsent, local))
    }
}

/// Checks that a step says something.
pub(crate) fn check_step(step: &Step<'_>) -> Result<(), ToolError> {
    if step.has_facet() {
        return Ok(());
    }
    Err(ToolError::new(
        "The step is empty",
        "Set at least one of action, outcome, say, user, place, score, objectives, task, progress, \
         critic and usage",
    ))
}

/// Shows a step to the guard of a run and returns the verdict.
pub(crate) fn observe_step(
    transaction: &mut CallTransaction,
    run: &str,
    step: &Step<'_>,
) -> Result<RecordStepOutput, ToolError> {
    observe_filtered(transaction, run, step, |_| {}).map(|(output, _)| output)
}

/// Does the same, and passes the verdict through a filter before anything is made of it. Returns the verdict too.
pub(crate) fn observe_filtered(
    transaction: &mut CallTransaction,
    run: &str,
    step: &Step<'_>,
    filter: impl FnOnce(&mut Verdict),
) -> Result<(RecordStepOutput, Verdict), ToolError> {
    let mut step = step.clone();
    step.at.get_or_insert(EpochMillis(transaction.now));
    let mut verdict = transaction.guard.observe(&step);
    filter(&mut verdict);
    transaction.state.guard.note_findings(&verdict, transaction.now);
    transaction.records.add_verdict(&verdict, transaction.now);
    let mut output = verdict_output::step(run, &verdict, &transaction.state.guard.loops);
    if let Some(task) = &step.task {
        let recorded = record_attempt::record(transaction, run, task, step.at)?;
        output.task = recorded.map(|recorded| recorded.check);
    }
    log(transaction, &step, &verdict);
    Ok((output, verdict))
}

/// Logs a step with the keys that hooks use.
fn log(transaction: &mut CallTransaction, step: &Step<'_>, verdict: &Verdict) {
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
    let events = verdict_output::events(&verdict.events);
    let event = StepEvent { events, ..event.with_verdict(summary) };
    transaction.log(match step {
        _ if step.refused => RunEvent::Refused(event),
        Step { action: None, outcome: None, user: Some(_), .. } => RunEvent::User(event),
        _ => RunEvent::Step(event),
    });
}

#[cfg(test)]
mod tests {
    use loopbreak::{Config, Guard, Settings};
    use serde_json::{Value, json};

    use super::*;
    use crate::mcp::protocol::McpOptions;
    use crate::mcp::tools::ProposalInput;

    fn open_state(folder: &tempfile::TempDir) -> ServerState {
        let store = folder.path().join("x.db").into();
        ServerState::open(McpOptions {
            settings: Settings::default(),
            store,
            folder: String::new(),
            run: None,
        })
        .unwrap()
    }

    fn input(step: &Value) -> StepInput {
        serde_json::from_value(step.clone()).unwrap()
    }

    /// Steps of all kinds, some of them in loops.
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
    fn recorded_steps_get_the_verdicts_of_their_replay() {
        let folder = tempfile::tempdir().unwrap();
        let mut guard = Guard::new(Config::default()).for_run("r");
        for step in steps() {
            // A new server for every step: only the store remembers the run.
            let recorded = open_state(&folder).record_step("r", &input(&step)).unwrap();
            let text = step.to_string();
            let verdict = guard.observe(&Step::from_json(&text).unwrap());
            let replayed = verdict_output::step("r", &verdict, &[]);
            let plain = |output: &RecordStepOutput| {
                let mut value = serde_json::to_value(output).unwrap();
                // Whether a reported loop continues is known only from the store.
                value["verdict"].take();
                value
            };
            assert_eq!(plain(&recorded), plain(&replayed), "{step}");
        }
    }

    /// A client of the server gets what the library tells a critic.
    #[test]
    fn critics_and_logs_get_the_texts_and_events_of_the_engine() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = open_state(&folder);
        let mut heard = Vec::new();
        let mut names = Vec::new();
        for turn in 0..14_u64 {
            let step = json!({"action": if turn % 2 == 0 { "east" } else { "west" }, "score": turn / 7,
                              "place": {"id": turn % 2, "name": if turn % 2 == 0 { "Hall" } else { "Attic" }},
                              "critic": {"score": 0.6}});
            let output = state.record_step("r", &input(&step)).unwrap();
            heard.extend(output.for_critic);
            names.extend(output.events.iter().map(|event| event["event_type"].as_str().unwrap().to_owned()));
        }
        assert!(heard.iter().any(|text| text.contains("Hall") && text.contains("Attic")), "{heard:?}");
        for name in ["progress_check", "score_change", "oscillation_detected", "loop_penalty_applied"] {
            assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
        }
        let proposal: ProposalInput =
            serde_json::from_value(json!({"action": "east", "score": 0.6})).unwrap();
        let ruling = state.weigh_action("r", &proposal).unwrap();
        assert!(!ruling.for_critic.is_empty() && !ruling.events.is_empty(), "{ruling:?}");
        let events = state.store.events(&state.find("r").unwrap()).unwrap();
        let stored = events.iter().flat_map(|event| event.event.engine_events());
        let stored: Vec<&str> = stored.map(|event| event["event_type"].as_str().unwrap()).collect();
        assert_eq!(stored, names);
    }

    /// An orchestrator with a map can say where an action leads. Nobody went that way yet, so the guard cannot know.
    #[test]
    fn a_destination_of_the_callers_map_decides_about_a_way_that_was_never_walked() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = open_state(&folder);
        for room in [20, 15, 20, 15] {
            let step = json!({"action": "plugh", "score": 0, "place": {"id": room}});
            state.record_step("r", &input(&step)).unwrap();
        }
        let weigh = |arguments: serde_json::Value| {
            let proposal: ProposalInput = serde_json::from_value(arguments).unwrap();
            state.weigh_action("r", &proposal).unwrap()
        };
        assert!(weigh(json!({"action": "south", "score": 0.9})).accepted);
        assert!(!weigh(json!({"action": "south", "score": 0.9, "destination": 20})).accepted);
    }

    /// A room to which the agent returns without effect is mentioned once, and the verdict stays clear.
    #[test]
    fn a_dead_end_is_a_hint_for_the_agent_and_the_critic() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = open_state(&folder);
        let (mut hints, mut heard) = (Vec::new(), 0);
        for turn in 0..60 {
            let room = ["Hall", "Attic", "Cellar", "Yard"][turn % 4];
            let output = state.record_step("r", &input(&json!({"score": 0, "place": room}))).unwrap();
            hints.extend(
                output.advice.into_iter().filter(|text| text.contains("None of them led to progress")),
            );
            heard += output.for_critic.iter().filter(|text| text.contains("led to progress")).count();
            assert!(turn >= 30 || hints.is_empty(), "seven visits: {hints:?}");
        }
        assert_eq!((hints.len(), heard), (4, 4), "one for each room: {hints:?}");
    }

    #[test]
    fn weighing_an_action_records_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = open_state(&folder);
        let proposal: ProposalInput = serde_json::from_value(json!({"action": "north"})).unwrap();
        assert!(state.weigh_action("r", &proposal).unwrap().accepted);
        assert!(state.find("r").is_err(), "no run was started");
        state.record_step("r", &input(&json!({"action": "north", "outcome": "a wall"}))).unwrap();
        let kept = state.store.state(&ServerState::key("r")).unwrap();
        state.weigh_action("r", &proposal).unwrap();
        assert_eq!(state.store.state(&ServerState::key("r")).unwrap(), kept);
    }

    #[test]
    fn secrets_are_not_stored() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = open_state(&folder);
        let step = json!({"action": {"name": "bash", "args": {"command": "login --password hunter22hunter"}},
                          "outcome": "token ghp_0123456789abcdefghijABCDEFGHIJ012345", "say": "x".repeat(5000)});
        state.record_step("r", &input(&step)).unwrap();
        let run = state.find("r").unwrap();
        let events = state.store.events(&run).unwrap();
        let (_, text) = events[0].event.to_columns();
        assert!(!text.contains("hunter22") && !text.contains("ghp_0123456789abc"), "{text}");
        assert!(text.len() < 2000, "{}", text.len());
    }
}
