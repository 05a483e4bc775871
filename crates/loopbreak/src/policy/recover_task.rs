//! Decides about a task that repeats itself.

use super::LoopLedger;
use super::task_recovery::{TaskRecovery, choose_recovery, was_granted};
use super::verdict_builder::VerdictBuilder;
use crate::advice;
use crate::detectors::DetectorReport;
use crate::detectors::task::texts::task_loop_reason;
use crate::event::{LoopDetected, LoopRecovery};
use crate::evidence::EvidenceKey;
use crate::memory::HashKey;
use crate::tasks::{TaskHistories, TaskHistory, TaskPattern};
use crate::verdict::{Decision, Intervention, LoopId};

impl VerdictBuilder<'_> {
    /// Recovers a task: the agent is moved on, given authority, or a human is asked.
    pub(super) fn recover_task(
        &mut self,
        report: &DetectorReport,
        ledger: &mut LoopLedger,
        tasks: &mut TaskHistories,
    ) {
        let (Some(id), true) = (report.evidence.text(EvidenceKey::TASK), report.news) else { return };
        let Some(history) = tasks.history(id) else { return };
        let Ok(pattern) = TaskPattern::try_from(report.detection.pattern) else { return };
        let attempts = report.detection.count;
        let intervention = choose_recovery(pattern, attempts, history, ledger, self.settings);
        let granted = was_granted(history, ledger);
        let reason = task_loop_reason(pattern, attempts, granted, history);
        self.add_finding(report, report.detection.identity, intervention, &reason);
        let Some(intervention) = intervention else { return };
        self.verdict.decisions.push(Decision {
            intervention,
            detector: report.detector,
            pattern: report.detection.pattern,
            loop_id: LoopId(report.detection.identity.0),
            task: Some(id.to_owned()),
            reason,
            enforced: report.enforced,
        });
        // In observe mode nothing is granted, changed or said.
        if report.enforced {
            let (now, settings) = (self.input.now, self.settings);
            let recovery =
                TaskRecovery::new(intervention, pattern, attempts, granted, history, now, settings);
            self.apply_recovery(recovery, report, history);
            let blockers = history.attempts.last().map_or(HashKey::NONE, |attempt| attempt.blockers);
            record_recovery(intervention, id, blockers, ledger, tasks);
        }
    }

    /// Adds the events, advice, context entries and the changed task of a recovery.
    fn apply_recovery(&mut self, recovery: TaskRecovery, report: &DetectorReport, history: &TaskHistory) {
        let (id, pattern, attempt_count) = (&history.id, report.detection.pattern, report.detection.count);
        let detected = LoopDetected {
            episode_id: self.input.run.clone(),
            turn: self.input.turn,
            is_looping: true,
            loop_type: pattern,
            task_id: Some(id.to_string()),
            attempt_count,
            blockers: history.blockers.iter().map(ToString::to_string).collect(),
            signature: None,
            recommendation: recovery.intervention,
            reason: recovery.reason.clone(),
            evidence: report.evidence.clone(),
        };
        let recovered = LoopRecovery {
            episode_id: self.input.run.clone(),
            turn: self.input.turn,
            task_id: id.to_string(),
            recovery: recovery.intervention,
            loop_type: pattern,
            attempt_count,
            reason: recovery.reason.clone(),
        };
        self.verdict.events.extend([detected.into(), recovered.into()]);
        if recovery.intervention == Intervention::Escalate {
            self.add_escalation(pattern, Some(id.to_string()), None, recovery.reason.clone());
        }
        self.verdict.advice.extend(advice::of_recovery(&recovery));
        self.verdict.context.extend(recovery.context);
        self.verdict.tasks.extend(recovery.update);
    }
}

/// Remembers that a task was recovered, so that it is not recovered twice.
fn record_recovery(
    intervention: Intervention,
    id: &str,
    blockers: HashKey,
    ledger: &mut LoopLedger,
    tasks: &mut TaskHistories,
) {
    match intervention {
        Intervention::ForceNext => ledger.force(id),
        Intervention::UnblockAuthority => ledger.grant(id, blockers),
        _ => return,
    }
    tasks.clear(id);
}
