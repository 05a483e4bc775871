//! From reports to a verdict: findings, one act a loop and rung, advice, and the reason of a stop.

use super::ladder::rung_of;
use super::ledger::Moment;
use super::{Ledger, recovery};
use crate::advice::{self, TemplateValues};
use crate::detectors::{DetectorName, DetectorReport, LoopFamily, Pattern, WarningUrgency};
use crate::event::{Escalation, GuardTripped, LoopDetected, LoopRecovery, RunId, StuckTermination};
use crate::evidence::Evidence;
use crate::memory::{Key, key_of};
use crate::settings::Settings;
use crate::tasks::{TaskHistories, TaskPattern};
use crate::verdict::{Decision, Finding, Intervention, LoopId, RunStop, Severity, Verdict};

/// What the human can choose from when he is called.
pub(crate) const OPTIONS: [&str; 3] = ["continue_with_another_approach", "review", "cancel"];

/// How far back the loops go that a warning tells of.
const LOOPS_TOLD_FOR: u64 = 20;

/// What the policy knows of the step beside the reports.
pub(crate) struct Circumstances<'c> {
    pub(crate) run: &'c RunId,
    pub(crate) agent: &'c str,
    pub(crate) turn: u64,
    pub(crate) now: Option<i64>,
    /// The number of the step among those of the agent.
    pub(crate) step: u64,
    pub(crate) user_spoke: bool,
    /// Open objectives, a few.
    pub(crate) objectives: &'c [String],
    /// Ways out of the present place that nobody tried.
    pub(crate) exits: &'c [String],
    /// The step's action, where it had been done a moment ago.
    pub(crate) repeated: Option<String>,
    /// The last outputs of whole iterations, one line each.
    pub(crate) iterations: &'c [String],
}

/// Turns reports into a verdict.
pub(crate) fn decide(
    reports: Vec<DetectorReport>,
    circumstances: &Circumstances<'_>,
    ledger: &mut Ledger,
    tasks: &mut TaskHistories,
    settings: &Settings,
    verdict: &mut Verdict,
) {
    let agent = key_of(circumstances.agent);
    if circumstances.user_spoke {
        ledger.half_open(agent);
    }
    let mut desk = Desk { circumstances, agent, settings, verdict };
    let mut tripped: Vec<(DetectorName, Pattern, Evidence)> = Vec::new();
    for report in reports {
        if report.detection.family == LoopFamily::Task {
            desk.sighted(report.detection.identity);
            desk.recover(&report, ledger, tasks);
            continue;
        }
        let rung = report.detection.severity.and_then(|severity| rung_of(&report, severity, settings));
        let moment = Moment { agent, turn: circumstances.turn, step: circumstances.step };
        let (id, act) = ledger.sight(&report.detection, report.acted, rung, &moment);
        desk.sighted(id);
        if report.news {
            desk.finding(
                &report,
                id,
                rung.filter(|_| act.is_some() || report.detection.severity == Some(Severity::Hard)),
            );
            ledger.label(id, rung, &label(&report));
        }
        let repeated = settings.policy.repeat_advice && report.detection.severity.is_some();
        if act.is_some() || repeated {
            desk.advise(&report, act.or(rung), ledger);
        }
        if let Some(intervention) = act {
            desk.act(&report, id, intervention);
            if intervention == Intervention::Stop && report.acted {
                tripped.push((report.detector, report.detection.pattern, report.evidence));
            }
        }
    }
    desk.stop(tripped);
}

/// Where a verdict is written.
struct Desk<'d> {
    circumstances: &'d Circumstances<'d>,
    agent: Key,
    settings: &'d Settings,
    verdict: &'d mut Verdict,
}

impl Desk<'_> {
    /// Notes that the step belongs to a loop. There are never more of them than detectors.
    fn sighted(&mut self, id: Key) {
        if !self.verdict.sighted.contains(&LoopId(id)) {
            self.verdict.sighted.push(LoopId(id));
        }
    }

    fn finding(&mut self, report: &DetectorReport, id: Key, intervention: Option<Intervention>) {
        let Some(severity) = report.detection.severity else { return };
        // Where every rung is switched off, a hard finding is still worth a word.
        let hint = (severity == Severity::Hard).then_some(Intervention::Hint);
        let intervention = intervention.or(hint);
        self.verdict.findings.push(Finding {
            turn: self.circumstances.turn,
            since: report.detection.since,
            detector: report.detector,
            pattern: report.detection.pattern,
            severity,
            intervention,
            loop_id: LoopId(id),
            agent: self.circumstances.agent.to_owned(),
            enforced: report.acted,
            count: report.detection.count,
            evidence: report.evidence.clone(),
        });
    }

    fn act(&mut self, report: &DetectorReport, id: Key, intervention: Intervention) {
        let reason = advice::reason_of(
            report.detector,
            report.detection.pattern,
            &TemplateValues::of(&report.evidence),
        );
        let turn = self.circumstances.turn;
        if report.detection.family == LoopFamily::Output
            && report.detection.severity == Some(Severity::Hard)
            && report.acted
        {
            self.verdict.events.push(
                LoopDetected {
                    episode_id: self.circumstances.run.clone(),
                    turn,
                    is_looping: true,
                    loop_type: report.detection.pattern,
                    task_id: None,
                    attempt_count: report.detection.count,
                    blockers: Vec::new(),
                    signature: report.evidence.text("signature"),
                    recommendation: intervention,
                    reason: reason.clone(),
                    evidence: report.evidence.to_value(),
                }
                .into(),
            );
        }
        if intervention == Intervention::Escalate && report.acted {
            self.escalation(
                report.detection.pattern,
                None,
                report.evidence.text("signature"),
                reason.clone(),
            );
        }
        self.verdict.decisions.push(Decision {
            intervention,
            detector: report.detector,
            pattern: report.detection.pattern,
            loop_id: LoopId(id),
            task: None,
            reason,
            enforced: report.acted,
        });
    }

    fn escalation(
        &mut self,
        pattern: Pattern,
        task_id: Option<String>,
        signature: Option<String>,
        reason: String,
    ) {
        let event = Escalation {
            episode_id: self.circumstances.run.clone(),
            turn: self.circumstances.turn,
            pattern,
            task_id,
            signature,
            reason,
            options: OPTIONS.to_vec(),
        };
        self.verdict.events.push(event.into());
    }

    /// Writes the texts that go with a report.
    fn advise(&mut self, report: &DetectorReport, rung: Option<Intervention>, ledger: &Ledger) {
        if !report.acted {
            return;
        }
        let circumstances = self.circumstances;
        let mut values = TemplateValues::of(&report.evidence);
        values
            .set("turn", circumstances.turn)
            .set("since", report.detection.since)
            .set("count", report.detection.count);
        if let Some(names) = report.evidence.texts("pattern_names") {
            values.set("pattern_names", names.join(" → "));
        }
        values.list("objectives", circumstances.objectives.iter().map(String::as_str));
        values.set("exits", circumstances.exits.join(", "));
        values.set("repeated", circumstances.repeated.as_deref().unwrap_or_default());
        values.list("loops", ledger.seen(self.agent, circumstances.turn, LOOPS_TOLD_FOR));
        values.list("history", circumstances.iterations.iter().map(String::as_str));
        if let Some(left) = report.evidence.get("turns_left").and_then(serde_json::Value::as_u64) {
            values.set("urgency", WarningUrgency::of(left).as_str());
            // A countdown to a stop that will not come would be a lie.
            if !self.settings.policy.ladder.stop {
                values.unset("turns_left");
            }
        }
        let texts =
            advice::of_finding(report.detector, report.detection.pattern, rung, &values, self.settings);
        self.verdict.advice.extend(texts);
    }

    /// Deals with a task that goes round in circles.
    fn recover(&mut self, report: &DetectorReport, ledger: &mut Ledger, tasks: &mut TaskHistories) {
        let (Some(id), true) = (report.evidence.text("task"), report.news) else { return };
        let Some(history) = tasks.history(&id) else { return };
        let Ok(pattern) = TaskPattern::try_from(report.detection.pattern) else { return };
        let attempts = report.detection.count;
        let intervention = recovery::choose(pattern, attempts, history, ledger, self.settings);
        self.finding(report, report.detection.identity, intervention);
        let Some(intervention) = intervention else { return };
        let recovery = recovery::spell_out(
            intervention,
            pattern,
            attempts,
            history,
            self.circumstances.now,
            self.settings,
        );
        self.verdict.decisions.push(Decision {
            intervention,
            detector: report.detector,
            pattern: report.detection.pattern,
            loop_id: LoopId(report.detection.identity),
            task: Some(id.clone()),
            reason: recovery.reason.clone(),
            enforced: report.acted,
        });
        // Who only observes grants nothing, clears nothing and tells nobody.
        if !report.acted {
            return;
        }
        let (run, turn) = (self.circumstances.run, self.circumstances.turn);
        self.verdict.events.push(
            LoopDetected {
                episode_id: run.clone(),
                turn,
                is_looping: true,
                loop_type: pattern.into(),
                task_id: Some(id.clone()),
                attempt_count: attempts,
                blockers: history.blockers.clone(),
                signature: None,
                recommendation: intervention,
                reason: recovery.reason.clone(),
                evidence: report.evidence.to_value(),
            }
            .into(),
        );
        self.verdict.events.push(
            LoopRecovery {
                episode_id: run.clone(),
                turn,
                task_id: id.clone(),
                recovery: intervention,
                loop_type: pattern.into(),
                attempt_count: attempts,
                reason: recovery.reason.clone(),
            }
            .into(),
        );
        let blockers = history.attempts.last().map_or(0, |attempt| attempt.blockers);
        match intervention {
            Intervention::ForceNext => {
                ledger.force(&id);
                tasks.clear(&id);
            }
            Intervention::UnblockAuthority => {
                ledger.grant(&id, blockers);
                tasks.clear(&id);
            }
            Intervention::Escalate => {
                self.escalation(pattern.into(), Some(id), None, recovery.reason.clone());
            }
            _ => {}
        }
        self.verdict.advice.extend(advice::of_recovery(&recovery));
        self.verdict.context.extend(recovery.context);
        self.verdict.tasks.extend(recovery.update);
    }

    /// Names the reason of a stop: the first of the guards that held, in their documented order.
    fn stop(&mut self, mut tripped: Vec<(DetectorName, Pattern, Evidence)>) {
        tripped.sort_by_key(|(detector, pattern, _)| guard_of(*detector, *pattern).0);
        let (run, turn) = (self.circumstances.run, self.circumstances.turn);
        for (index, (detector, pattern, evidence)) in tripped.iter().enumerate() {
            if *detector == DetectorName::Stagnation {
                self.verdict.events.push(
                    StuckTermination {
                        episode_id: run.clone(),
                        turn,
                        turns_stuck: evidence.number("turns_stuck").unwrap_or_default() as u64,
                        score: evidence.number("score"),
                        max_turns_stuck: self.settings.stagnation.max_turns,
                        ending: RunStop::ENDING,
                        termination_reason: *pattern,
                    }
                    .into(),
                );
            }
            self.verdict.events.push(
                GuardTripped {
                    episode_id: run.clone(),
                    turn,
                    guard: guard_of(*detector, *pattern).1,
                    pattern: *pattern,
                    first: index == 0,
                    limit: evidence.number("limit"),
                    value: evidence.number("used"),
                }
                .into(),
            );
        }
        if let Some((detector, reason, _)) = tripped.first() {
            self.verdict.stop =
                Some(RunStop { reason: *reason, detector: *detector, ending: RunStop::ENDING });
        }
    }
}

/// The place of a guard in the documented order, and its name.
fn guard_of(detector: DetectorName, pattern: Pattern) -> (u8, &'static str) {
    match (detector, pattern) {
        (DetectorName::Budget, Pattern::MaxIterations) => (0, "max_iterations"),
        (DetectorName::Budget, Pattern::MaxRuntime) => (1, "max_runtime"),
        (DetectorName::Budget, _) => (4, "max_cost"),
        (DetectorName::Errors, _) => (3, "consecutive_errors"),
        _ => (2, "loop_detection"),
    }
}

/// How a loop is told of in a later warning.
fn label(report: &DetectorReport) -> String {
    let evidence = &report.evidence;
    let label = match report.detector {
        DetectorName::Oscillation => evidence.texts("pattern_names").map(|names| names.join(" → ")),
        DetectorName::Signature => evidence.text("signature"),
        _ => None,
    };
    label.unwrap_or_else(|| {
        advice::reason_of(report.detector, report.detection.pattern, &TemplateValues::of(evidence))
    })
}
