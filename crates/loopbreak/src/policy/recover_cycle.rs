//! Decides about tasks that are attempted in turn or send each other back: the agent is warned first, then a human is asked.

use serde_json::json;

use super::verdict_builder::VerdictBuilder;
use crate::advice::{Template, TemplateValues, text_of};
use crate::detectors::DetectorReport;
use crate::detectors::task::texts;
use crate::event::{LoopDetected, LoopRecovery};
use crate::evidence::EvidenceKey;
use crate::settings::InterventionLadder;
use crate::tasks::TaskHistories;
use crate::verdict::{
    Advice, ContextEntry, ContextEntryType, ContextTopic, Decision, Intervention, LoopId, Severity,
    TaskUpdate, TaskUpdateStatus,
};

/// Chooses the intervention against a cycle of tasks. No task is forced or given authority: nothing says which of them is at
/// fault.
pub(crate) fn cycle_intervention(severity: Severity, ladder: InterventionLadder) -> Option<Intervention> {
    let wanted = if severity == Severity::Hard { Intervention::Escalate } else { Intervention::Warn };
    ladder.enabled_or_milder(wanted)
}

impl VerdictBuilder<'_> {
    /// Handles a cycle of tasks: a warning for the agent, then a question to a human about all its tasks.
    pub(super) fn recover_cycle(&mut self, report: &DetectorReport, tasks: &TaskHistories) {
        let (Some(severity), true) = (report.detection.severity, report.news) else { return };
        let reason = Self::reason(report);
        let intervention = cycle_intervention(severity, self.settings.policy.ladder);
        self.add_finding(report, report.detection.identity, intervention, &reason);
        let Some(intervention) = intervention else { return };
        let ids: Vec<String> = report
            .evidence
            .texts(EvidenceKey::TASKS)
            .unwrap_or_default()
            .into_iter()
            .map(str::to_owned)
            .collect();
        // A decision about several tasks names all of them.
        let names = ids.join(", ");
        self.verdict.decisions.push(Decision {
            intervention,
            detector: report.detector,
            pattern: report.detection.pattern,
            loop_id: LoopId(report.detection.identity.0),
            task: Some(names.clone()),
            reason: reason.clone(),
            enforced: report.enforced,
        });
        // In observe mode nothing is changed or said.
        if !report.enforced {
            return;
        }
        self.add_cycle_events(report, intervention, &names, &reason);
        let mut values = TemplateValues::from(&report.evidence);
        values.word("pattern", "task_cycle").sentence("reason", &reason);
        let template =
            if intervention == Intervention::Escalate { texts::CYCLE_ESCALATE } else { texts::CYCLE };
        let text = text_of(template, &values, self.settings);
        if intervention == Intervention::Escalate {
            let record = text_of(texts::RECOVERY, &values, self.settings);
            let (decision, question) = (ContextEntryType::Decision, ContextEntryType::Escalation);
            self.add_entry(report, decision, ContextTopic::LoopRecovery, record, &ids);
            self.add_entry(report, question, ContextTopic::LoopEscalation, text.clone(), &ids);
            let is_done = |id: &str| {
                let latest = tasks.history(id).and_then(|history| history.attempts.last());
                latest.is_some_and(|latest| *latest.status == *"done")
            };
            let open = ids.into_iter().filter(|id| !is_done(id));
            self.verdict.tasks.extend(open.map(|id| TaskUpdate {
                id,
                status: TaskUpdateStatus::Blocked,
                forced: false,
                reason: reason.clone(),
            }));
        }
        self.say(template, text, report);
    }

    fn say(&mut self, template: &Template, text: String, report: &DetectorReport) {
        if !text.is_empty() {
            let (audience, detector) = (template.audience, report.detector);
            self.verdict.advice.push(Advice { audience, detector, text });
        }
    }

    fn add_cycle_events(
        &mut self,
        report: &DetectorReport,
        intervention: Intervention,
        names: &str,
        reason: &str,
    ) {
        let (loop_type, attempt_count) = (report.detection.pattern, report.detection.count);
        let detected = LoopDetected {
            episode_id: self.input.run.clone(),
            turn: self.input.turn,
            is_looping: true,
            loop_type,
            task_id: Some(names.to_owned()),
            attempt_count,
            blockers: Vec::new(),
            signature: None,
            recommendation: intervention,
            reason: reason.to_owned(),
            evidence: report.evidence.clone(),
        };
        self.verdict.events.push(detected.into());
        if intervention != Intervention::Escalate {
            return;
        }
        let recovered = LoopRecovery {
            episode_id: self.input.run.clone(),
            turn: self.input.turn,
            task_id: names.to_owned(),
            recovery: intervention,
            loop_type,
            attempt_count,
            reason: reason.to_owned(),
        };
        self.verdict.events.push(recovered.into());
        self.add_escalation(loop_type, Some(names.to_owned()), None, reason.to_owned());
    }

    fn add_entry(
        &mut self,
        report: &DetectorReport,
        entry_type: ContextEntryType,
        topic: ContextTopic,
        content: String,
        tasks: &[String],
    ) {
        self.verdict.context.push(ContextEntry {
            timestamp: self.input.now,
            entry_type,
            topic,
            content,
            related_tasks: tasks.to_vec(),
            confidence: 1.0,
            metadata: json!({"recovery": "escalate", "evidence": report.evidence}),
        });
    }
}
