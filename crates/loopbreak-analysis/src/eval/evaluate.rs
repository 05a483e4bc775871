//! Computes the figures of an evaluation.

use loopbreak::{DetectorName, Finding, Severity};

use super::baseline::{BaselineResult, EvalBaseline, RuleSignal};
use super::confusion_counts::ConfusionCounts;
use super::eval_report::{
    AfterWarning, CurvePoint, DetectorEffects, DetectorScores, EffectShare, EvalQuestion, EvalReport,
    JudgeResult, LeftOutRuns, LevelScores, ListedFinding, MisjudgedRun, RunSelection, SCHEMA, SavedSteps,
    SignalScores,
};
use super::explain_command;
use super::holdout::{HoldoutReport, HoldoutRun};
use super::loop_follower::LoopRemainder;
use crate::report::{RunReport, VerdictName};
use crate::statistics::{EffectCounts, FindingReport};
use crate::tune::{OutcomeTotals, RunOutcome};

/// Number of findings listed per misjudged run.
const FINDINGS: usize = 3;

/// A run that takes part in an evaluation.
#[derive(Debug)]
pub struct EvalSample {
    /// The report of Loopbreak.
    pub report: RunReport,
    /// The results of the baselines, in their order.
    pub baselines: Vec<BaselineResult>,
    /// The results with other patience, in the order of [`EvalQuestion::patience`].
    pub curve: Vec<RunOutcome>,
    /// The first loop that Loopbreak warned about, after the warning.
    pub remainder: Option<LoopRemainder>,
    /// The label: positive, negative, or absent without labels.
    pub positive: Option<bool>,
}

/// Computes the figures of all judges.
pub fn evaluate(
    samples: &[EvalSample],
    baselines: &[EvalBaseline],
    question: EvalQuestion,
    left_out: LeftOutRuns,
) -> EvalReport {
    let EvalQuestion { positive, only, part, settings, patience, holdout } = question;
    let positives = positive.is_some().then(|| count(samples, |sample| sample.positive == Some(true)));
    let mut judges = vec![engine("loopbreak", samples, |sample| Some(&sample.report))];
    for (index, baseline) in baselines.iter().enumerate() {
        let name = baseline.as_str();
        judges.push(match baseline {
            EvalBaseline::Documents => engine(name, samples, |sample| match sample.baselines.get(index) {
                Some(BaselineResult::Engine(report)) => Some(&**report),
                _ => None,
            }),
            EvalBaseline::OpenhandsRule
            | EvalBaseline::GeminiRule
            | EvalBaseline::OpencodeRule
            | EvalBaseline::WindowRule => rule(name, samples, |sample| match sample.baselines.get(index) {
                Some(BaselineResult::Rule(signal)) => *signal,
                _ => None,
            }),
        });
    }
    let wrong = |is: bool, signal: bool| {
        let listed = samples.iter().filter(|sample| {
            sample.positive == Some(is) && (sample.report.verdict >= VerdictName::Warn) == signal
        });
        listed.map(|sample| list(&sample.report, &settings)).collect()
    };
    let looked_at = RunSelection {
        positive,
        only,
        runs: samples.len() as u64,
        positives,
        steps: samples.iter().map(|sample| sample.report.steps).sum(),
    };
    EvalReport {
        schema: SCHEMA,
        looked_at,
        part,
        left_out,
        judges,
        missed: wrong(true, false),
        false_alarms: wrong(false, true),
        curve: (!patience.is_empty()).then(|| curve(samples, &patience)),
        holdout: holdout.map(|split| {
            let group = |sample: &EvalSample| HoldoutRun {
                held_out: split.holds_out(&sample.report.run),
                remainder: sample.remainder,
            };
            HoldoutReport::new(&samples.iter().map(group).collect::<Vec<_>>())
        }),
    }
}

/// Returns the results for other patience, lowest first, with the current settings among them.
fn curve(samples: &[EvalSample], patience: &[f64]) -> Vec<CurvePoint> {
    let point = |patience: f64, outcome: &dyn Fn(&EvalSample) -> Option<RunOutcome>| {
        let mut figures = OutcomeTotals::default();
        for sample in samples {
            if let Some(outcome) = outcome(sample) {
                figures.add(&outcome, sample.positive);
            }
        }
        CurvePoint { patience, figures }
    };
    let others = patience.iter().enumerate();
    let mut points: Vec<CurvePoint> =
        others.map(|(at, patience)| point(*patience, &|sample| sample.curve.get(at).copied())).collect();
    points.push(point(1.0, &|sample| Some(RunOutcome::from_report(&sample.report))));
    points.sort_by(|one, other| one.patience.total_cmp(&other.patience));
    points
}

fn count(samples: &[EvalSample], holds: impl Fn(&EvalSample) -> bool) -> u64 {
    samples.iter().filter(|sample| holds(sample)).count() as u64
}

/// Judges with an engine: two levels, many detectors.
fn engine<'s>(
    name: &'static str,
    samples: &'s [EvalSample],
    report: impl Fn(&'s EvalSample) -> Option<&'s RunReport>,
) -> JudgeResult {
    let reports: Vec<(Option<bool>, &RunReport)> =
        samples.iter().filter_map(|sample| Some((sample.positive, report(sample)?))).collect();
    let mut savings = SavedSteps::default();
    for (_, report) in reports.iter().filter(|(_, report)| report.ending.is_some()) {
        end(&mut savings, report.steps_after_ending, report.progress_after_ending);
    }
    let at = |severity: Severity, only: Option<DetectorName>| {
        scores(reports.iter().map(|(positive, report)| (*positive, first(report, severity, only))))
    };
    let levels = [(VerdictName::Warn, Severity::Warn), (VerdictName::Stop, Severity::Hard)];
    let levels = levels.map(|(level, severity)| LevelScores {
        level,
        all: at(severity, None),
        detectors: DetectorName::ALL
            .iter()
            .map(|detector| DetectorScores { detector: *detector, scores: at(severity, Some(*detector)) })
            .filter(|detector| detector.scores.signals > 0)
            .collect(),
    });
    let after_warning = Some(after_warning(&reports));
    JudgeResult { name, levels: levels.into(), savings, after_warning }
}

/// Judges with a rule, which can only end a run.
fn rule(
    name: &'static str,
    samples: &[EvalSample],
    signal: impl Fn(&EvalSample) -> Option<RuleSignal>,
) -> JudgeResult {
    let mut savings = SavedSteps::default();
    let mut signals = Vec::new();
    for sample in samples {
        let signal = signal(sample);
        if let Some(signal) = signal {
            end(&mut savings, signal.after.steps, signal.after.destroyed);
        }
        signals.push((sample.positive, signal.map(|signal| signal.turn)));
    }
    let all = scores(signals.into_iter());
    let levels = vec![LevelScores { level: VerdictName::Stop, all, detectors: Vec::new() }];
    JudgeResult { name, levels, savings, after_warning: None }
}

/// Counts how loops continued after their first warning.
fn after_warning(reports: &[(Option<bool>, &RunReport)]) -> AfterWarning {
    let sum = |of: &dyn Fn(&[FindingReport]) -> EffectCounts| {
        let mut effects = EffectCounts::default();
        for (_, report) in reports {
            effects.merge(&of(&report.findings));
        }
        effects
    };
    let detectors = DetectorName::ALL.iter().map(|detector| {
        let effects = sum(&|findings| EffectCounts::for_detector(findings, *detector));
        DetectorEffects { detector: *detector, all: EffectShare::new(effects) }
    });
    AfterWarning {
        all: EffectShare::new(sum(&EffectCounts::from_findings)),
        detectors: detectors.filter(|detector| detector.all.effects.totals().0 > 0).collect(),
    }
}

fn end(savings: &mut SavedSteps, steps: u64, destroyed: Option<bool>) {
    savings.ended += 1;
    savings.steps += steps;
    savings.progress_destroyed += u64::from(destroyed == Some(true));
    savings.progress_unknown += u64::from(destroyed.is_none());
}

/// Returns whether a finding is enforced and at least this severe.
fn counts(finding: &Finding, severity: Severity) -> bool {
    finding.enforced && finding.severity >= severity
}

/// Returns the turn of the first signal.
fn first(report: &RunReport, severity: Severity, only: Option<DetectorName>) -> Option<u64> {
    let meant = |finding: &&FindingReport| {
        counts(finding, severity) && only.is_none_or(|only| only == finding.detector)
    };
    report.findings.iter().find(meant).map(|finding| finding.turn)
}

fn scores(runs: impl Iterator<Item = (Option<bool>, Option<u64>)>) -> SignalScores {
    let (mut signals, mut turns, mut known) = (0, 0, None);
    for (positive, signal) in runs {
        if let Some(turn) = signal {
            signals += 1;
            turns += turn;
        }
        if let Some(positive) = positive {
            known.get_or_insert_with(ConfusionCounts::default).add(positive, signal.is_some());
        }
    }
    SignalScores {
        signals,
        mean_first_step: (signals > 0).then(|| (turns as f64 / signals as f64 * 10.0).round() / 10.0),
        counts: known,
        precision: known.and_then(|known| known.precision()),
        recall: known.and_then(|known| known.recall()),
        f1: known.and_then(|known| known.f1()),
    }
}

fn list(report: &RunReport, settings: &[String]) -> MisjudgedRun {
    let signals = report.findings.iter().any(|finding| counts(finding, Severity::Warn));
    let shown = report.findings.iter().filter(|finding| !signals || counts(finding, Severity::Warn));
    let short = |finding: &FindingReport| ListedFinding {
        turn: finding.turn,
        detector: finding.detector,
        pattern: finding.pattern,
        severity: finding.severity,
    };
    MisjudgedRun {
        run: report.run.clone(),
        source: report.source.clone(),
        steps: report.steps,
        verdict: report.verdict,
        findings: shown.take(FINDINGS).map(short).collect(),
        explain: explain_command::explain(&report.source, &report.run, settings),
    }
}
