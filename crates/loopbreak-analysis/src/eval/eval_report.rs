//! The evaluation as data. Keys may be added, never renamed: scripts read them.

use loopbreak::{DetectorName, Pattern, Severity};
use serde::Serialize;

use super::confusion_counts::ConfusionCounts;
use super::holdout::{HoldoutReport, HoldoutSplit};
use super::share_estimate::ShareEstimate;
use crate::report::VerdictName;
use crate::statistics::EffectCounts;
use crate::tune::OutcomeTotals;

/// Name and version of this format.
pub const SCHEMA: &str = "loopbreak.eval/1";

/// The result of an evaluation.
#[derive(Clone, Debug, Serialize)]
pub struct EvalReport {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The runs of the evaluation.
    #[serde(flatten)]
    pub looked_at: RunSelection,
    /// The part of the split that the runs belong to; absent without a split.
    pub part: Option<String>,
    /// Runs and labels that were left out.
    pub left_out: LeftOutRuns,
    /// Loopbreak with the current settings, then the baselines.
    pub judges: Vec<JudgeResult>,
    /// Positive runs without a warning.
    pub missed: Vec<MisjudgedRun>,
    /// Negative runs with a warning or an intervention.
    pub false_alarms: Vec<MisjudgedRun>,
    /// The same runs with more and less patience, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curve: Option<Vec<CurvePoint>>,
    /// The held-out runs compared with the others, if the settings hold runs out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holdout: Option<HoldoutReport>,
}

/// The runs of an evaluation or a search.
#[derive(Clone, Debug, Serialize)]
pub struct RunSelection {
    /// The condition for positive runs; absent without labels.
    pub positive: Option<String>,
    /// The condition for runs that take part; absent for all.
    #[serde(rename = "where")]
    pub only: Option<String>,
    /// Number of runs.
    pub runs: u64,
    /// Number of positive runs.
    pub positives: Option<u64>,
    /// Number of turns.
    pub steps: u64,
}

/// The same runs with other patience.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Factor on every limit of turns and repeats; 1 for the current settings.
    pub patience: f64,
    /// The figures.
    #[serde(flatten)]
    pub figures: OutcomeTotals,
}

/// The conditions and settings of an evaluation.
#[derive(Clone, Debug, Default)]
pub struct EvalQuestion {
    /// The condition for positive runs; absent without labels.
    pub positive: Option<String>,
    /// The condition for runs that take part; absent for all.
    pub only: Option<String>,
    /// The part of the split that the runs belong to; absent without a split.
    pub part: Option<String>,
    /// Arguments that set the same settings in another command.
    pub settings: Vec<String>,
    /// Factors of patience that the runs were also replayed with.
    pub patience: Vec<f64>,
    /// The division into held-out runs and others, if the settings hold runs out.
    pub holdout: Option<HoldoutSplit>,
}

/// Numbers of runs and labels that could not be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOutRuns {
    /// Runs without labels.
    pub unlabelled_runs: u64,
    /// Runs whose labels do not decide whether they are positive.
    pub undecided_runs: u64,
    /// Labels without a run.
    pub labels_without_run: u64,
    /// Runs excluded by the condition.
    pub excluded_runs: u64,
    /// Runs in other parts of the split.
    pub other_part_runs: u64,
    /// Runs that the split does not name.
    pub runs_without_part: u64,
}

/// The scores of one guard or rule.
#[derive(Clone, Debug, Serialize)]
pub struct JudgeResult {
    /// `loopbreak`, or the name of the baseline.
    pub name: &'static str,
    /// The scores at each level. A baseline rule has only one, because it can only end runs.
    pub levels: Vec<LevelScores>,
    /// Steps saved.
    pub savings: SavedSteps,
    /// Loops after their first warning; absent for a baseline rule, which gives no warnings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_warning: Option<AfterWarning>,
}

/// Loops after their first warning. In a replay the agent did not see the warning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AfterWarning {
    /// All detectors together.
    #[serde(flatten)]
    pub all: EffectShare,
    /// Each detector separately.
    pub detectors: Vec<DetectorEffects>,
}

/// Loops after the first warning of one detector.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DetectorEffects {
    /// The name.
    pub detector: DetectorName,
    /// The counts of this detector.
    #[serde(flatten)]
    pub all: EffectShare,
}

/// Number and share of loops that continued after a warning.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EffectShare {
    /// The counts.
    #[serde(flatten)]
    pub effects: EffectCounts,
    /// The share of loops that continued, of those that can be decided: a measure of how true the warnings are.
    pub went_on_share: Option<ShareEstimate>,
}

impl EffectShare {
    /// Computes the share.
    pub fn new(effects: EffectCounts) -> Self {
        EffectShare { effects, went_on_share: ShareEstimate::new(effects.went_on, effects.totals().1) }
    }
}

/// The scores of one level.
#[derive(Clone, Debug, Serialize)]
pub struct LevelScores {
    /// `warn` or `stop`.
    pub level: VerdictName,
    /// All detectors together.
    #[serde(flatten)]
    pub all: SignalScores,
    /// Each detector separately.
    pub detectors: Vec<DetectorScores>,
}

/// The scores of one detector.
#[derive(Clone, Debug, Serialize)]
pub struct DetectorScores {
    /// The name.
    pub detector: DetectorName,
    /// The counts of this detector.
    #[serde(flatten)]
    pub scores: SignalScores,
}

/// Scores at one level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SignalScores {
    /// Runs with a signal.
    pub signals: u64,
    /// Average turn of the first signal in these runs.
    pub mean_first_step: Option<f64>,
    /// Right and wrong signals, if there are labels.
    #[serde(flatten)]
    pub counts: Option<ConfusionCounts>,
    /// Share of signals that are right.
    pub precision: Option<ShareEstimate>,
    /// Share of positive runs with a signal.
    pub recall: Option<ShareEstimate>,
    /// Harmonic mean of precision and recall.
    pub f1: Option<f64>,
}

/// Steps saved by ending runs, and progress lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SavedSteps {
    /// Runs that would have ended or been escalated to a human.
    pub ended: u64,
    /// Turns after that.
    pub steps: u64,
    /// Runs that made progress after that.
    pub progress_destroyed: u64,
    /// Ended runs without a progress signal.
    pub progress_unknown: u64,
}

/// A run that was judged wrongly.
#[derive(Clone, Debug, Serialize)]
pub struct MisjudgedRun {
    /// The id.
    pub run: String,
    /// The file it was read from.
    pub source: String,
    /// Number of turns.
    pub steps: u64,
    /// The verdict of Loopbreak.
    pub verdict: VerdictName,
    /// The first findings: the enforced ones at `warn` or above, or any if there are none.
    pub findings: Vec<ListedFinding>,
    /// The command that shows the run step by step.
    pub explain: String,
}

/// The short form of a finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListedFinding {
    /// The turn.
    pub turn: u64,
    /// The detector.
    pub detector: DetectorName,
    /// The pattern.
    pub pattern: Pattern,
    /// The severity.
    pub severity: Severity,
}
