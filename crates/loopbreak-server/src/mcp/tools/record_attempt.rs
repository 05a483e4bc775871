//! `record_attempt`: records an attempt at a task in the series of the run, and returns its judgement.

use loopbreak::{
    Step,
    step::{EpochMillis, StepText, Task},
};
use loopbreak_store::tasks::{
    ReportEffect, RoadmapTask, TaskEscalation, TaskReport, TaskState, apply_report,
};
use loopbreak_store::{AttemptEvent, RunEvent, RunState, StoredAttempt, VerdictSummary, redact_and_truncate};
use schemars::JsonSchema;
use serde::Deserialize;

use super::output::{AttemptOutput, LoopOutput};
use super::task_status::task_output;
use super::verdict_output;
use crate::mcp::protocol::{ToolError, input_limits};
use crate::mcp::state::{CallScope, CallTransaction, ServerState};

/// A time that differs from the current time by more than this comes from another clock. In milliseconds.
const CLOCK_DIFFERENCE_MS: u64 = 60 * 1000;
/// Number of blockers and pieces of work of an attempt that are stored.
const STORED_ITEMS: usize = 50;

/// An attempt at a task.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AttemptInput {
    /// Default: this connection's run.
    pub(crate) run: Option<String>,
    /// Id of the task.
    pub(crate) task_id: String,
    /// Status after the attempt: pending, `in_progress`, blocked or done.
    pub(crate) status: String,
    /// Blockers of the task.
    #[serde(default)]
    pub(crate) blockers: Vec<String>,
    /// Work done in this attempt.
    #[serde(default)]
    pub(crate) completed_work: Vec<String>,
    /// Your session.
    pub(crate) session_id: Option<String>,
    /// Time: RFC 3339, or ms since 1970. Default: now.
    pub(crate) timestamp: Option<EpochMillis>,
}

impl AttemptInput {
    /// Returns the attempt as a step reports it.
    fn task(&self) -> Task<'_> {
        fn texts(list: &[String]) -> Vec<StepText<'_>> {
            list.iter().map(|text| text.as_str().into()).collect()
        }
        Task {
            id: self.task_id.trim().into(),
            status: Some(self.status.as_str().into()),
            blockers: texts(&self.blockers),
            work: texts(&self.completed_work),
            session: self.session_id.as_deref().map(Into::into),
        }
    }
}

/// An attempt that was recorded.
pub(crate) struct RecordedAttempt {
    pub(crate) check: LoopOutput,
    effect: ReportEffect,
    task: RoadmapTask,
}

impl ServerState {
    /// Records an attempt at a task and returns whether the task is looping.
    pub(crate) fn record_attempt(
        &mut self,
        run: &str,
        input: &AttemptInput,
    ) -> Result<AttemptOutput, ToolError> {
        input_limits::check_task_id(&input.task_id)?;
        input_limits::check_name("status", &input.status)?;
        let attempt = input.task();
        let id = attempt.id.to_string();
        let (recorded, tasks) = self.change(run, CallScope::Tasks, |transaction| {
            let recorded = record(transaction, run, &attempt, input.timestamp)?;
            let recorded = recorded.ok_or_else(|| {
                ToolError::new("Attempts are not judged", "The detector `task` is off in the settings")
            })?;
            let text = loop_text(&recorded.check);
            let verdict = text.map(|text| VerdictSummary::default().with_answer("loop", text));
            transaction.log(RunEvent::Attempt(AttemptEvent {
                action: redact_and_truncate(&format!("task {id}: {}", recorded.effect.status.as_str())),
                task: id.clone(),
                check: verdict_output::object(serde_json::to_value(&recorded.check).unwrap_or_default()),
                verdict: verdict.unwrap_or_default(),
            }));
            Ok((recorded, std::mem::take(&mut transaction.tasks)))
        })?;
        let known = self.find_own(run)?;
        let counts = self.count_attempts_at(&known, &recorded.task.id)?;
        Ok(AttemptOutput {
            run: run.to_owned(),
            task: task_output(&recorded.task, &tasks, &counts),
            check: recorded.check,
            deferred: recorded.effect.deferred,
        })
    }
}

/// Describes the loop of a task for the log, with its figures in the form in which orchestrators look for them.
fn loop_text(check: &LoopOutput) -> Option<String> {
    let reason = check.reason.as_ref()?;
    Some(format!(
        "Loop detected: {}, taskId={}, attemptCount={}, recommendation={}: {reason}",
        check.loop_type.as_deref().unwrap_or_default(),
        check.task_id.as_deref().unwrap_or_default(),
        check.attempt_count,
        check.recommendation.as_deref().unwrap_or("none"),
    ))
}

/// Records an attempt in the roadmap and in the series. Returns `None` if the series does not judge attempts.
pub(super) fn record(
    transaction: &mut CallTransaction,
    run: &str,
    attempt: &Task<'_>,
    at: Option<EpochMillis>,
) -> Result<Option<RecordedAttempt>, ToolError> {
    let tasks = &mut transaction.tasks;
    let id = attempt.id.as_text();
    let id = input_limits::check_task_id(&id)?;
    if !tasks.iter().any(|task| task.id == id) {
        let position = tasks.iter().map(|task| task.position).max().map_or(0, |last| last.saturating_add(1));
        tasks.push(RoadmapTask { id: id.to_owned(), position, ..RoadmapTask::default() });
    }
    // The task was left to a human and is done, so the human has helped.
    let done = attempt.status.as_deref().and_then(|status| status.parse().ok()) == Some(TaskState::Done);
    for task in
        tasks.iter_mut().filter(|task| done && task.id == id && task.escalation == TaskEscalation::Left)
    {
        task.escalation = TaskEscalation::Called;
    }
    let closed = tasks.iter().any(|task| task.id == id && !task.is_open());
    let status = attempt.status.as_deref();
    let report = TaskReport {
        task: id.to_owned(),
        status: status.and_then(|status| status.parse().ok()),
        blockers: attempt.blockers.iter().map(ToString::to_string).collect(),
        work: attempt.work.iter().map(ToString::to_string).collect(),
        ..TaskReport::default()
    };
    let Some(effect) = apply_report(tasks, &report, transaction.now) else { return Ok(None) };
    // An unknown status is compared as written.
    let judged_status =
        status.filter(|_| !closed && report.status.is_none()).unwrap_or(effect.status.as_str());
    let at = at.unwrap_or(EpochMillis(transaction.now));
    let judged = Task { id: id.into(), status: Some(judged_status.into()), ..attempt.clone() };
    if !transaction.series.record(&Step { at: Some(at), task: Some(judged), ..Step::default() }) {
        return Ok(None);
    }
    transaction.keep_series();
    transaction.state.series.foreign_clock |= at.0.abs_diff(transaction.now) > CLOCK_DIFFERENCE_MS;
    let short =
        |list: &[String]| list.iter().take(STORED_ITEMS).map(|text| redact_and_truncate(text)).collect();
    transaction.records.attempts.push(StoredAttempt {
        task: id.to_owned(),
        number: 0,
        at: at.0,
        status: redact_and_truncate(judged_status),
        blockers: short(&report.blockers),
        work: short(&report.work),
        session: attempt
            .session
            .as_ref()
            .map_or_else(String::new, |session| redact_and_truncate(&session.as_text())),
    });
    let Some(task) = transaction.tasks.iter_mut().find(|task| task.id == id) else { return Ok(None) };
    task.blockers = short(&task.blockers);
    transaction.records.roadmap.push(task.clone());
    let check = transaction.series.check(id, judgement_time(&transaction.state, transaction.now));
    Ok(Some(RecordedAttempt { check: verdict_output::task(run, id, check), effect, task: task.clone() }))
}

/// Returns the time at which attempts are judged: the current one, or `None` if their times come from another
/// clock.
pub(super) fn judgement_time(state: &RunState, now: i64) -> Option<i64> {
    (!state.series.foreign_clock).then_some(now)
}

#[cfg(test)]
mod tests {
    use loopbreak::Settings;
    use serde_json::json;

    use super::*;
    use crate::mcp::protocol::McpOptions;

    #[test]
    fn tasks_with_similar_long_ids_are_not_one_looping_task() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("x.db").into();
        let options = McpOptions { settings: Settings::default(), store, folder: String::new(), run: None };
        let mut state = ServerState::open(options).unwrap();
        for end in ["list", "add", "remove", "rename"] {
            let id = format!("write the route of the interface that is there to handle things: {end}");
            let input = json!({"taskId": id, "status": "blocked", "blockers": ["no network"]});
            let recorded = state.record_attempt("r", &serde_json::from_value(input).unwrap());
            assert!(
                recorded.as_ref().is_err() || recorded.is_ok_and(|recorded| !recorded.check.is_looping),
                "{end}"
            );
        }
    }
}
