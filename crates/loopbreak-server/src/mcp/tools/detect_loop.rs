//! `detect_loop`: returns whether a task, or a run as a whole, is looping.

use loopbreak::Series;
use loopbreak_store::{KnownLoop, Run, now};
use schemars::JsonSchema;
use serde::Deserialize;

use super::output::LoopOutput;
use super::record_attempt::judgement_time;
use super::task_status::unknown_task;
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
    /// Id of the task. Default: the run as a whole.
    pub(crate) task_id: Option<String>,
}

impl ServerState {
    /// Returns whether a task, or a run, is looping. Changes nothing.
    pub(crate) fn detect_loop(&self, name: &str, task: Option<&str>) -> Result<LoopOutput, ToolError> {
        let Some(id) = task else {
            let run = self.find(name)?;
            return self.worst_loop(&run);
        };
        let run = self.find_own(name)?;
        let id = input_limits::check_task_id(id)?;
        let mut state = self.state(&run)?;
        let at = judgement_time(&state, now());
        let series = state.series.restore(self.config.clone());
        self.check_task(&run, id, &series)?;
        Ok(verdict_output::task(&run.session, id, series.check(id, at)))
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

    /// Checks that a task is in the roadmap or was attempted.
    fn check_task(&self, run: &Run, id: &str, series: &Series) -> Result<(), ToolError> {
        let tasks = self.store.roadmap(run)?;
        if tasks.iter().any(|task| task.id == id) || series.status().contains_key(id) {
            return Ok(());
        }
        Err(unknown_task(&run.session, id, &tasks))
    }
}
