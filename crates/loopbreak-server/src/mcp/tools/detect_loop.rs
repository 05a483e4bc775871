//! `detect_loop`: returns whether a task, or a run as a whole, is looping.

use loopbreak_store::tasks::{RoadmapTask, TaskEscalation};
use loopbreak_store::{KnownLoop, Run, now};
use schemars::JsonSchema;
use serde::Deserialize;

use super::output::LoopOutput;
use super::record_attempt::judgement_time;
use super::verdict_output;
use crate::mcp::protocol::{ToolError, input_limits};
use crate::mcp::state::ServerState;

/// Number of turns without a repetition after which a loop was left. As many different steps close a breaker.
const LEFT_AFTER: u64 = 3;

/// A task, or a run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LoopInput {
    /// Default: this connection's run.
    pub(crate) run: Option<String>,
    /// Default: the whole run.
    pub(crate) task_id: Option<String>,
}

impl ServerState {
    /// Returns whether a task, or a run, is looping. If there is a service that finds a loop in the run, it is that one. Changes
    /// nothing.
    pub(crate) fn ask_or_detect(&mut self, name: &str, task: Option<&str>) -> Result<LoopOutput, ToolError> {
        let found = if task.is_none() { self.ask_about_loop(name) } else { None };
        found.map_or_else(|| self.detect_loop(name, task), Ok)
    }

    /// Returns whether a task, or a run, is looping. Changes nothing.
    pub(crate) fn detect_loop(&self, name: &str, task: Option<&str>) -> Result<LoopOutput, ToolError> {
        let id = task.map(input_limits::check_task_id).transpose()?;
        // An orchestrator asks before the first attempt: what is not recorded yet does not loop.
        let Some(run) = self.find_exact(name)? else {
            let (run, task_id) = (name.to_owned(), id.map(str::to_owned));
            return Ok(LoopOutput { run, task_id, ..LoopOutput::default() });
        };
        let Some(id) = id else { return self.worst_loop(&run) };
        ServerState::check_own(&run)?;
        let mut state = self.state(&run)?;
        let at = judgement_time(&state, now());
        let series = state.series.restore(self.config.clone());
        let mut output = verdict_output::task(&run.session, id, series.check(id, at));
        let tasks = self.store.roadmap(&run)?;
        if let Some(task) = tasks.iter().find(|task| task.id == id && output.is_looping) {
            output.reason = output.reason.map(|reason| with_human(reason, task));
        }
        Ok(output)
    }

    /// Returns the worst loop of a run: of its steps, or else of its tasks.
    fn worst_loop(&self, run: &Run) -> Result<LoopOutput, ToolError> {
        let mut state = self.state(run)?;
        let turn = state.guard.turn;
        let current =
            |known: &&KnownLoop| known.severity != "hint" && turn.saturating_sub(known.turn) < LEFT_AFTER;
        let worst = state
            .guard
            .loops
            .iter()
            .filter(current)
            .max_by_key(|known| (known.severity == "hard", known.attempt_count));
        if let Some(known) = worst {
            let evidence = verdict_output::object(serde_json::to_value(known).unwrap_or_default());
            let or_severity =
                |text: &str| if text.is_empty() { known.severity.clone() } else { text.to_owned() };
            let reason = if known.reason.is_empty() {
                format!("{} {} times since turn {}", known.pattern, known.attempt_count, known.since)
            } else {
                known.reason.clone()
            };
            return Ok(LoopOutput {
                run: run.session.clone(),
                is_looping: true,
                loop_type: Some(known.pattern.clone()),
                attempt_count: known.attempt_count,
                recommendation: Some(or_severity(&known.intervention)),
                reason: Some(reason),
                evidence,
                ..LoopOutput::default()
            });
        }
        let at = judgement_time(&state, now());
        let series = state.series.restore(self.config.clone());
        let looping = series.status().into_keys().map(|id| {
            let check = series.check(&id, at);
            verdict_output::task(&run.session, &id, check)
        });
        let worst = looping.filter(|check| check.is_looping).max_by_key(|check| check.attempt_count);
        Ok(worst.unwrap_or_else(|| LoopOutput { run: run.session.clone(), ..LoopOutput::default() }))
    }
}

/// Adds to a reason that a task is left to a human, if it is.
pub(super) fn with_human(reason: String, task: &RoadmapTask) -> String {
    if task.escalation != TaskEscalation::Left {
        return reason;
    }
    format!(
        "{reason}; the task is with a human: do not attempt it until a human has reopened it (`loopbreak tasks open {}`) or \
         it is reported as done",
        task.id
    )
}

#[cfg(test)]
mod tests {
    use loopbreak::Settings;
    use serde_json::json;

    use super::*;
    use crate::mcp::protocol::McpOptions;
    use crate::mcp::tools::StatusInput;

    fn open_state(folder: &tempfile::TempDir) -> ServerState {
        let store = folder.path().join("x.db").into();
        let options = McpOptions { settings: Settings::default(), store, folder: String::new(), run: None };
        ServerState::open(options).unwrap()
    }

    fn attempt(state: &mut ServerState, run: &str, task: &str) {
        let attempt = json!({"taskId": task, "status": "blocked", "blockers": ["no network"]});
        state.record_attempt(run, &serde_json::from_value(attempt).unwrap()).unwrap();
    }

    /// An orchestrator asks before every attempt, also before the first one.
    #[test]
    fn a_task_or_run_that_is_not_recorded_yet_is_not_looping() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = open_state(&folder);
        for known in [false, true] {
            for task in [Some("T1"), None] {
                let answer = state.detect_loop("job", task).unwrap();
                assert_eq!((answer.is_looping, answer.attempt_count), (false, 0), "{known} {task:?}");
                assert_eq!((answer.run.as_str(), answer.task_id.as_deref()), ("job", task));
            }
            attempt(&mut state, "job", "T2");
        }
        // The loops of another run whose name only begins like this are not those of this one.
        (0..3).for_each(|_| attempt(&mut state, "job-2", "T1"));
        assert!(state.detect_loop("job-2", Some("T1")).unwrap().is_looping);
        assert!(!state.detect_loop("job-", None).unwrap().is_looping);
        assert!(state.detect_loop("job", Some("")).is_err(), "an invalid id is still an error");
    }

    #[test]
    fn an_escalated_task_is_said_to_be_with_a_human() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = open_state(&folder);
        (0..3).for_each(|_| attempt(&mut state, "job", "T1"));
        let answer = state.detect_loop("job", Some("T1")).unwrap();
        assert_eq!(answer.blockers, ["no network"], "{answer:?}");
        assert_eq!(state.apply_recovery("job", "T1").unwrap().recovery.as_deref(), Some("unblock_authority"));
        (0..3).for_each(|_| attempt(&mut state, "job", "T1"));
        let applied = state.apply_recovery("job", "T1").unwrap();
        assert_eq!(applied.recovery.as_deref(), Some("escalate"));
        let again = state.apply_recovery("job", "T1").unwrap();
        let asked = state.detect_loop("job", Some("T1")).unwrap();
        assert!(!again.applied);
        for reason in [applied.reason, again.reason, asked.reason.unwrap()] {
            assert!(
                reason.contains("is with a human") && reason.contains("loopbreak tasks open T1"),
                "{reason}"
            );
        }
        let story = state.explain_run("job").unwrap().story;
        assert!(!story.contains("No loops were found"), "{story}");
        for words in ["6 attempts at 1 task", "blocked_task_spin: task \"T1\"", "escalate"] {
            assert!(story.contains(words), "{words}: {story}");
        }
    }

    /// Each task does one of two old things in turn, so that none loops by itself.
    #[test]
    fn tasks_in_turn_are_a_cycle_with_a_warning_and_then_a_human() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = open_state(&folder);
        let attempt = |state: &mut ServerState, number: usize| {
            let work = match number / 2 {
                0 => json!(["read", "plan"]),
                round => json!([(["read", "plan"][round % 2])]),
            };
            let id = ["A", "B"][number % 2];
            let input = json!({"taskId": id, "status": "in_progress", "completedWork": work});
            state.record_attempt("job", &serde_json::from_value(input).unwrap()).unwrap().check
        };
        for number in 0..3 {
            assert!(!attempt(&mut state, number).is_looping, "{number}");
        }
        let check = attempt(&mut state, 3);
        let told = (check.is_looping, check.loop_type.as_deref(), check.recommendation.as_deref());
        assert_eq!(told, (true, Some("task_cycle"), Some("warn")));
        assert!(state.detect_loop("job", None).unwrap().is_looping);
        let warned = state.apply_recovery("job", "B").unwrap();
        assert_eq!((warned.applied, warned.recovery.as_deref()), (true, Some("warn")));
        assert!(warned.advice[0].contains("Do not start another round"), "{:?}", warned.advice);
        // The warning was given. It does not keep the orchestrator from the tasks.
        for id in ["A", "B"] {
            assert!(!state.detect_loop("job", Some(id)).unwrap().is_looping, "{id}");
        }
        for number in 4..7 {
            assert!(!attempt(&mut state, number).is_looping, "{number}");
        }
        assert_eq!(attempt(&mut state, 7).recommendation.as_deref(), Some("escalate"));
        let asked = state.detect_loop("job", Some("A")).unwrap();
        assert_eq!((asked.is_looping, asked.loop_type.as_deref()), (true, Some("task_cycle")));
        assert_eq!(asked.evidence["tasks"], json!(["A", "B"]));
        assert_eq!(state.apply_recovery("job", "A").unwrap().recovery.as_deref(), Some("escalate"));
        for task in state.roadmap("job").unwrap() {
            assert_eq!(task.escalation, TaskEscalation::Left, "{}", task.id);
        }
        let story = state.explain_run("job").unwrap().story;
        for words in
            ["task_cycle: task \"B\"", "tasks \"A\", \"B\" were attempted in turn for 4 rounds", "escalate"]
        {
            assert!(story.contains(words), "{words}: {story}");
        }
        let input = StatusInput { run: Some("job".to_owned()), all: false };
        let status = serde_json::to_value(state.status(&input).unwrap()).unwrap();
        assert_eq!(status["loopCount"], 2, "both tasks: {status}");
    }
}
