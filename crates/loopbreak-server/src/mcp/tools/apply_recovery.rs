//! `apply_recovery`: applies the recovery that the engine recommends for a looping task, once.

use loopbreak::series::TaskCheck;
use loopbreak::verdict::ContextEntryType;
use loopbreak::{Decision, DetectorName, Mode, Verdict, verdict::Audience};
use loopbreak_store::tasks::{RoadmapTask, TaskRemedy};
use loopbreak_store::{RecoveryEvent, RunEvent, VerdictSummary};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::detect_loop::with_human;
use super::output::RecoveryOutput;
use super::record_attempt::judgement_time;
use super::task_status::{task_output, unknown_task};
use super::verdict_output;
use crate::mcp::protocol::{ToolError, input_limits};
use crate::mcp::state::{CallScope, CallTransaction, ServerState};

/// A looping task.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RecoveryInput {
    /// Default: this connection's run.
    pub(crate) run: Option<String>,
    /// Id of the task.
    pub(crate) task_id: String,
}

/// Result of a recovery.
struct AppliedRecovery {
    task: RoadmapTask,
    check: TaskCheck,
    recovery: Option<&'static str>,
    reason: String,
    advice: Vec<String>,
    events: Vec<Value>,
}

impl ServerState {
    /// Applies the recovery that `detect_loop` recommends for a task. The ledger of the series makes sure that nothing is
    /// granted twice.
    pub(crate) fn apply_recovery(&mut self, name: &str, id: &str) -> Result<RecoveryOutput, ToolError> {
        let run = self.find_own(name)?;
        let id = input_limits::check_task_id(id)?;
        let (done, tasks) = self.change(&run.session, CallScope::Tasks, |transaction| {
            let mut tasks = std::mem::take(&mut transaction.tasks);
            let known = tasks.iter().find(|task| task.id == id).cloned();
            let Some(task) = known else { return Err(unknown_task(&run.session, id, &tasks)) };
            let done = recover(transaction, &run.session, task, &mut tasks);
            Ok((done, tasks))
        })?;
        Ok(RecoveryOutput {
            applied: done.recovery.is_some(),
            recovery: done.recovery.map(str::to_owned),
            loop_type: done.check.loop_type.map(|pattern| pattern.to_string()),
            attempt_count: done.check.attempt_count,
            reason: with_human(done.reason, &done.task),
            advice: done.advice,
            events: done.events,
            task: task_output(&done.task, &tasks, &self.count_attempts_at(&run, id)?),
            run: run.session,
        })
    }
}

fn recover(
    transaction: &mut CallTransaction,
    run: &str,
    task: RoadmapTask,
    tasks: &mut [RoadmapTask],
) -> AppliedRecovery {
    let at = judgement_time(&transaction.state, transaction.now);
    let check = transaction.series.check(&task.id, at);
    let unchanged = |task, check: TaskCheck, reason: String| AppliedRecovery {
        task,
        check,
        recovery: None,
        reason,
        advice: Vec::new(),
        events: Vec::new(),
    };
    if !check.is_looping {
        let reason = format!("task {} is not looping", task.id);
        return unchanged(task, check, reason);
    }
    if transaction.config.mode_of(DetectorName::Task) != Mode::Enforce {
        let reason = format!(
            "{}; nothing was done, because the guard only observes",
            check.reason.clone().unwrap_or_default()
        );
        return unchanged(task, check, reason);
    }
    let verdict = transaction.series.recover(run, &task.id, at);
    let Some(decision) = verdict.decisions.iter().find(|decision| decision.enforced) else {
        let reason = format!(
            "{}; a recovery was already applied, and nothing new was tried since",
            check.reason.clone().unwrap_or_default()
        );
        return unchanged(task, check, reason);
    };
    let (recovery, reason) = (decision.intervention.as_str(), decision.reason.clone());
    let task = apply(transaction, task, tasks, &verdict, decision);
    let events = verdict_output::events(&verdict.events);
    AppliedRecovery { task, check, recovery: Some(recovery), reason, advice: advice(&verdict), events }
}

/// Applies a decision to a task, and to the other tasks of its cycle, and records it. Returns the task as it is now.
fn apply(
    transaction: &mut CallTransaction,
    mut task: RoadmapTask,
    tasks: &mut [RoadmapTask],
    verdict: &Verdict,
    decision: &Decision,
) -> RoadmapTask {
    transaction.records.add_verdict(verdict, transaction.now);
    if let Some(remedy) = TaskRemedy::new(decision.intervention, decision.pattern) {
        let is_meant = |other: &RoadmapTask| {
            other.id == task.id || (!other.forced && verdict.tasks.iter().any(|update| update.id == other.id))
        };
        for changed in tasks.iter_mut().filter(|other| is_meant(other)) {
            remedy.apply(changed, &decision.reason, transaction.now);
            // The status in the roadmap takes precedence.
            transaction.records.tasks.retain(|known| known.id != changed.id);
            transaction.records.roadmap.push(changed.clone());
        }
        if let Some(changed) = tasks.iter().find(|changed| changed.id == task.id) {
            task.clone_from(changed);
        }
    }
    transaction.keep_series();
    let recovery = decision.intervention.as_str();
    transaction.log(RunEvent::Recovery(RecoveryEvent {
        action: format!("task {}: {recovery}", task.id),
        task: task.id.clone(),
        recovery: Some(recovery.to_owned()),
        pattern: Some(decision.pattern.to_string()),
        events: verdict_output::events(&verdict.events),
        verdict: VerdictSummary::default().with_answer(
            recovery,
            format!("Loop recovery applied: {recovery}, taskId={}: {}", task.id, decision.reason),
        ),
    }));
    task
}

/// Returns the texts that the agent has to know from now on.
fn advice(verdict: &Verdict) -> Vec<String> {
    let mut texts = verdict_output::texts(verdict, Audience::Agent);
    let entries = verdict.context.iter().filter(|entry| entry.entry_type != ContextEntryType::Decision);
    for entry in entries {
        if !texts.contains(&entry.content) {
            texts.push(entry.content.clone());
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use loopbreak::Settings;
    use serde_json::json;

    use super::*;
    use crate::mcp::protocol::McpOptions;

    /// Records three attempts at a blocked task, and returns the recovery and the task in the store.
    fn recovery(settings: Settings) -> (RecoveryOutput, RoadmapTask) {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("x.db").into();
        let options = McpOptions { settings, store, folder: String::new(), run: None };
        let mut state = ServerState::open(options).unwrap();
        for _ in 0..3 {
            let attempt = json!({"taskId": "a", "status": "blocked", "blockers": ["no network"]});
            state.record_attempt("r", &serde_json::from_value(attempt).unwrap()).unwrap();
        }
        (state.apply_recovery("r", "a").unwrap(), state.roadmap("r").unwrap().swap_remove(0))
    }

    #[test]
    fn a_task_of_a_run_that_is_held_out_is_not_recovered() {
        let (output, task) = recovery(Settings::default());
        assert_eq!((output.applied, task.blockers.len()), (true, 0), "{output:?}");
        let mut settings = Settings::default();
        settings.policy.holdout = 1.0;
        let (output, task) = recovery(settings);
        assert_eq!((output.applied, output.recovery.as_deref()), (false, None));
        assert_eq!(output.loop_type.as_deref(), Some("blocked_task_spin"));
        assert!(output.reason.contains("only observes"), "{}", output.reason);
        assert_eq!(task.blockers, ["no network"]);
    }
}
