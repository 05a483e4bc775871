//! Turns reports of the detectors into a verdict.

use super::LoopLedger;
use super::ladder::intervention_for;
use super::loop_ledger::DetectionTime;
use super::stop_run::TrippedGuard;
use super::verdict_builder::VerdictBuilder;
use crate::detectors::{DetectorName, DetectorReport, LoopFamily, Pattern};
use crate::event::RunId;
use crate::memory::key_of;
use crate::settings::Settings;
use crate::tasks::TaskHistories;
use crate::verdict::{Intervention, Severity, Verdict};

/// The facts about a step that the policy needs besides the reports.
pub(crate) struct PolicyInput<'p> {
    pub(crate) run: &'p RunId,
    pub(crate) agent: &'p str,
    pub(crate) turn: u64,
    pub(crate) now: Option<i64>,
    /// The number of the step among those of the agent.
    pub(crate) step: u64,
    pub(crate) user_spoke: bool,
    /// The first of the open objectives.
    pub(crate) objectives: Vec<&'p str>,
    /// Exits of the current place that were not tried.
    pub(crate) exits: Vec<&'p str>,
    /// The step's action, if it was already taken recently.
    pub(crate) repeated: Option<String>,
    /// The last outputs of whole iterations, one line each.
    pub(crate) iterations: Vec<&'p str>,
}

/// Turns reports into a verdict: findings, at most one decision per loop and intervention, advice, and the reason of
/// a stop.
pub(crate) fn decide(
    reports: Vec<DetectorReport>,
    input: &PolicyInput<'_>,
    ledger: &mut LoopLedger,
    tasks: &mut TaskHistories,
    settings: &Settings,
    verdict: &mut Verdict,
) {
    let agent = key_of(input.agent);
    if input.user_spoke {
        ledger.half_open(agent);
    }
    verdict.rewind_to = beginning_of_loop(&reports);
    let mut builder = VerdictBuilder { input, agent, settings, verdict };
    let mut tripped = Vec::new();
    let reports = signature_first(reports);
    let told = reports.iter().find(|report| report.detector == DetectorName::Signature && report.enforced);
    let told = told.and_then(|report| report.detection.severity);
    for report in reports {
        if report.detection.family == LoopFamily::Task {
            builder.note_loop(report.detection.identity);
            match report.detection.pattern {
                Pattern::TaskCycle => builder.recover_cycle(&report, tasks),
                _ => builder.recover_task(&report, ledger, tasks),
            }
        } else {
            // What `signature` says is not said again by `similarity`.
            let is_told = report.detector == DetectorName::Similarity && report.detection.severity <= told;
            tripped.extend(builder.handle_report(report, is_told, ledger));
        }
    }
    builder.stop_run(tripped);
}

/// Puts `signature` before `similarity`, so that it speaks for their common loop: it names what repeats. Its place does not
/// depend on whether `similarity` reports anything: it comes after the detectors of a run that report before `similarity`.
fn signature_first(mut reports: Vec<DetectorReport>) -> Vec<DetectorReport> {
    use DetectorName::{Budget, Signature, Stagnation, Task};
    let first = reports.iter().position(|report| !matches!(report.detector, Budget | Stagnation | Task));
    let signature = reports.iter().position(|report| report.detector == Signature);
    if let (Some(first), Some(signature)) = (first, signature) {
        reports[first..=signature].rotate_right(1);
    }
    reports
}

/// Returns the turn at which the loop of these reports began, if it is one that can be dropped from a context.
fn beginning_of_loop(reports: &[DetectorReport]) -> Option<u64> {
    let can_be_dropped = |family| {
        matches!(family, LoopFamily::Action | LoopFamily::Effect | LoopFamily::Output | LoopFamily::Place)
    };
    let bad = reports.iter().filter(|report| report.detection.severity >= Some(Severity::Warn));
    bad.filter(|report| can_be_dropped(report.detection.family)).map(|report| report.detection.since).min()
}

impl VerdictBuilder<'_> {
    /// Decides about one report. Standing advice is not given if another report told it. Returns the safety guard that the
    /// report trips, if it ends the run.
    fn handle_report(
        &mut self,
        report: DetectorReport,
        is_told: bool,
        ledger: &mut LoopLedger,
    ) -> Option<TrippedGuard> {
        let severity = report.detection.severity;
        let wanted = severity.and_then(|severity| intervention_for(&report, severity, self.settings));
        let time = DetectionTime { agent: self.agent, turn: self.input.turn, step: self.input.step };
        let (id, decided) = ledger.record(&report.detection, report.enforced, wanted, &time);
        self.note_loop(id);
        let reason = if report.news || decided.is_some() { Self::reason(&report) } else { String::new() };
        if report.news {
            let shown = wanted.filter(|_| decided.is_some() || severity == Some(Severity::Hard));
            self.add_finding(&report, id, shown, &reason);
            ledger.set_label(id, wanted, &Self::label(&report, &reason));
        }
        let repeats_advice = self.settings.policy.repeat_advice && severity.is_some() && !is_told;
        if decided.is_some() || repeats_advice {
            self.add_advice(&report, decided.or(wanted), ledger);
        }
        let intervention = decided?;
        self.add_decision(&report, id, intervention, reason);
        (intervention == Intervention::Stop && report.enforced).then(|| TrippedGuard::new(report))
    }
}
