//! Writes findings, decisions and advice into a verdict.

use super::{LoopLedger, PolicyInput};
use crate::advice::{self, TemplateValues};
use crate::detectors::stagnation::texts::stagnation_values;
use crate::detectors::{DetectorReport, LoopFamily, Pattern};
use crate::event::{EscalationOption, EscalationRequest, LoopDetected};
use crate::evidence::EvidenceKey;
use crate::memory::HashKey;
use crate::settings::Settings;
use crate::verdict::{Decision, Finding, Intervention, LoopId, Severity, Verdict};

/// Number of turns after which a warning no longer mentions a loop.
const LOOPS_MENTIONED_FOR: u64 = 20;

/// Builds the verdict for one step.
pub(super) struct VerdictBuilder<'v> {
    pub(super) input: &'v PolicyInput<'v>,
    pub(super) agent: HashKey,
    pub(super) settings: &'v Settings,
    pub(super) verdict: &'v mut Verdict,
}

impl VerdictBuilder<'_> {
    /// Notes that the step belongs to a loop. There are never more loops than detectors.
    pub(super) fn note_loop(&mut self, id: HashKey) {
        if !self.verdict.sighted.contains(&LoopId(id.0)) {
            self.verdict.sighted.push(LoopId(id.0));
        }
    }

    /// Returns the reason of a report, in one sentence without a full stop.
    pub(super) fn reason(report: &DetectorReport) -> String {
        advice::reason_of(report.detector, report.detection.pattern, &TemplateValues::from(&report.evidence))
    }

    /// Returns the text by which later warnings mention the loop of a report.
    pub(super) fn label(report: &DetectorReport, reason: &str) -> String {
        report.detector.label(&report.evidence).unwrap_or_else(|| reason.to_owned())
    }

    pub(super) fn add_finding(
        &mut self,
        report: &DetectorReport,
        id: HashKey,
        intervention: Option<Intervention>,
        reason: &str,
    ) {
        let Some(severity) = report.detection.severity else { return };
        // If all interventions are disabled, a hard finding still gets a hint.
        let hint = (severity == Severity::Hard).then_some(Intervention::Hint);
        let mut evidence = report.evidence.clone();
        if !reason.is_empty() {
            evidence.note(EvidenceKey::REASON, reason);
        }
        self.verdict.findings.push(Finding {
            turn: self.input.turn,
            since: report.detection.since,
            detector: report.detector,
            pattern: report.detection.pattern,
            severity,
            intervention: intervention.or(hint),
            loop_id: LoopId(id.0),
            agent: self.input.agent.to_owned(),
            enforced: report.enforced,
            count: report.detection.count,
            evidence,
        });
    }

    pub(super) fn add_decision(
        &mut self,
        report: &DetectorReport,
        id: HashKey,
        intervention: Intervention,
        reason: String,
    ) {
        let pattern = report.detection.pattern;
        let signature = || report.evidence.text(EvidenceKey::SIGNATURE).map(str::to_owned);
        let hard = report.detection.severity == Some(Severity::Hard);
        if report.detection.family == LoopFamily::Output && hard && report.enforced {
            let event = LoopDetected {
                episode_id: self.input.run.clone(),
                turn: self.input.turn,
                is_looping: true,
                loop_type: pattern,
                task_id: None,
                attempt_count: report.detection.count,
                blockers: Vec::new(),
                signature: signature(),
                recommendation: intervention,
                reason: reason.clone(),
                evidence: report.evidence.clone(),
            };
            self.verdict.events.push(event.into());
        }
        if intervention == Intervention::Escalate && report.enforced {
            self.add_escalation(pattern, None, signature(), reason.clone());
        }
        self.verdict.decisions.push(Decision {
            intervention,
            detector: report.detector,
            pattern,
            loop_id: LoopId(id.0),
            task: None,
            reason,
            enforced: report.enforced,
        });
    }

    pub(super) fn add_escalation(
        &mut self,
        pattern: Pattern,
        task_id: Option<String>,
        signature: Option<String>,
        reason: String,
    ) {
        let event = EscalationRequest {
            episode_id: self.input.run.clone(),
            turn: self.input.turn,
            pattern,
            task_id,
            signature,
            reason,
            options: EscalationOption::ALL.to_vec(),
        };
        self.verdict.events.push(event.into());
    }

    /// Returns the last outputs of whole iterations. The one that completes a loop of outputs is marked.
    fn history(&self, report: &DetectorReport) -> Vec<String> {
        let mut history: Vec<String> = self.input.iterations.iter().map(|&line| line.to_owned()).collect();
        let completes = report.detection.family == LoopFamily::Output
            && report.detection.severity == Some(Severity::Hard);
        if let Some(last) = history.last_mut().filter(|_| completes) {
            last.push_str(" ← Loop detected");
        }
        history
    }

    /// Adds the texts for a report.
    pub(super) fn add_advice(
        &mut self,
        report: &DetectorReport,
        intervention: Option<Intervention>,
        ledger: &LoopLedger,
    ) {
        if !report.enforced {
            return;
        }
        let input = self.input;
        let mut values = TemplateValues::from(&report.evidence);
        values
            .number("turn", input.turn)
            .number("since", report.detection.since)
            .number("count", report.detection.count);
        if let Some(names) = report.evidence.texts(EvidenceKey::PATTERN_NAMES) {
            values.quote_list("pattern_names", names, " → ");
        }
        let history = self.history(report);
        values
            .quote_lines("objectives", input.objectives.iter().copied())
            .quote_list("exits", input.exits.iter().copied(), ", ")
            .quote("repeated", input.repeated.as_deref().unwrap_or_default())
            .sentences("loops", ledger.labels(self.agent, input.turn, LOOPS_MENTIONED_FOR))
            .sentences("history", history.iter().map(String::as_str));
        match report.evidence.text(EvidenceKey::SIGNATURE_KIND) {
            Some("error" | "failed_tests") => _ = values.word("same_error", "yes"),
            Some("change") => _ = values.word("same_change", "yes"),
            _ => {}
        }
        if let Some(left) = report.evidence.number(EvidenceKey::TURNS_LEFT) {
            // Without a stop there is no countdown.
            let left_to_stop = Some(left).filter(|_| self.settings.policy.ladder.stop);
            stagnation_values(left, left_to_stop, &self.settings.stagnation, &mut values);
        }
        let pattern = report.detection.pattern;
        let texts = advice::of_finding(report.detector, pattern, intervention, &values, self.settings);
        self.verdict.advice.extend(texts);
    }
}
