//! The evaluation as data. Keys may be added, never renamed: scripts read them.

use loopbreak::{DetectorName, Pattern, Severity};
use serde::Serialize;

use super::confusion_counts::ConfusionCounts;
use super::share_estimate::ShareEstimate;
use crate::report::VerdictName;
use crate::statistics::EffectCounts;
use crate::tune::OutcomeTotals;

/// The name and version of this form of evaluation.
pub const SCHEMA: &str = "loopbreak.eval/1";

/// What an evaluation came to.
#[derive(Clone, Debug, Serialize)]
pub struct EvalReport {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The runs it rests on.
    #[serde(flatten)]
    pub looked_at: RunSelection,
    /// What was left out.
    pub left_out: LeftOutRuns,
    /// Loopbreak as it is set, then the baselines.
    pub judges: Vec<JudgeResult>,
    /// Positive runs without even a warning.
    pub missed: Vec<MisjudgedRun>,
    /// Negative runs with a warning or worse.
    pub false_alarms: Vec<MisjudgedRun>,
    /// The same runs with more and less patience, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curve: Option<Vec<CurvePoint>>,
}

/// The runs that an evaluation or a search rests on.
#[derive(Clone, Debug, Serialize)]
pub struct RunSelection {
    /// Which runs are positive; nothing where there are no labels.
    pub positive: Option<String>,
    /// Which runs take part; nothing for all.
    #[serde(rename = "where")]
    pub only: Option<String>,
    /// Runs looked at.
    pub runs: u64,
    /// How many of them are positive.
    pub positives: Option<u64>,
    /// Their turns.
    pub steps: u64,
}

/// The same runs with other patience.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Every limit of turns and repeats, times this; 1 is the settings as they are.
    pub patience: f64,
    /// What it comes to.
    #[serde(flatten)]
    pub figures: OutcomeTotals,
}

/// What is asked of the runs, and how.
#[derive(Clone, Debug, Default)]
pub struct EvalQuestion {
    /// Which runs are positive; nothing where there are no labels.
    pub positive: Option<String>,
    /// Which runs take part; nothing for all.
    pub only: Option<String>,
    /// Arguments that set the same settings in another command.
    pub settings: Vec<String>,
    /// Other patience that the runs were replayed with; nothing for none.
    pub patience: Vec<f64>,
}

/// What could not be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOutRuns {
    /// Runs without labels.
    pub unlabelled_runs: u64,
    /// Runs whose labels do not tell whether they are positive.
    pub undecided_runs: u64,
    /// Labels without a run.
    pub labels_without_run: u64,
    /// Runs that were not to take part.
    pub excluded_runs: u64,
}

/// One guard or rule.
#[derive(Clone, Debug, Serialize)]
pub struct JudgeResult {
    /// `loopbreak`, or the name of the baseline.
    pub name: &'static str,
    /// At each level: a rule of others has but one, for it only ends runs.
    pub levels: Vec<LevelScores>,
    /// What it saves.
    pub savings: SavedSteps,
    /// What the agents did after its warnings; nothing for a rule of others, which gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_warning: Option<AfterWarning>,
}

/// What the agents did after warnings that nobody read to them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AfterWarning {
    /// Of all detectors together.
    #[serde(flatten)]
    pub all: EffectShare,
    /// Each detector by itself.
    pub detectors: Vec<DetectorEffects>,
}

/// What the agents did after a detector's warnings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DetectorEffects {
    /// Its name.
    pub detector: DetectorName,
    /// By itself.
    #[serde(flatten)]
    pub all: EffectShare,
}

/// How many loops that were warned of went on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EffectShare {
    /// How often which.
    #[serde(flatten)]
    pub effects: EffectCounts,
    /// The share that went on, of those that could be told: how true the warnings are.
    pub went_on_share: Option<ShareEstimate>,
}

impl EffectShare {
    /// With the share worked out.
    pub fn new(effects: EffectCounts) -> Self {
        EffectShare { effects, went_on_share: ShareEstimate::new(effects.went_on, effects.totals().1) }
    }
}

/// How well a level does.
#[derive(Clone, Debug, Serialize)]
pub struct LevelScores {
    /// `warn` or `stop`.
    pub level: VerdictName,
    /// All detectors together.
    #[serde(flatten)]
    pub all: SignalScores,
    /// Each detector by itself.
    pub detectors: Vec<DetectorScores>,
}

/// How well a detector does.
#[derive(Clone, Debug, Serialize)]
pub struct DetectorScores {
    /// Its name.
    pub detector: DetectorName,
    /// By itself.
    #[serde(flatten)]
    pub scores: SignalScores,
}

/// Figures of a level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SignalScores {
    /// Runs with a signal.
    pub signals: u64,
    /// The turn of the first signal, on average over these.
    pub mean_first_step: Option<f64>,
    /// Right and wrong, where there are labels.
    #[serde(flatten)]
    pub counts: Option<ConfusionCounts>,
    /// How many signals are right.
    pub precision: Option<ShareEstimate>,
    /// How many positive runs are seen.
    pub recall: Option<ShareEstimate>,
    /// The harmonic mean of both.
    pub f1: Option<f64>,
}

/// What ending runs saves, and what it destroys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SavedSteps {
    /// Runs that would have ended, or been handed to a human.
    pub ended: u64,
    /// Turns after that.
    pub steps: u64,
    /// Runs that made progress after that.
    pub progress_destroyed: u64,
    /// Ended runs that measure no progress.
    pub progress_unknown: u64,
}

/// A run that was judged wrongly.
#[derive(Clone, Debug, Serialize)]
pub struct MisjudgedRun {
    /// Its id.
    pub run: String,
    /// Where it was read from.
    pub source: String,
    /// Its turns.
    pub steps: u64,
    /// What Loopbreak said.
    pub verdict: VerdictName,
    /// The first findings: those acted on at `warn` or above, or, where there are none, whatever there is.
    pub findings: Vec<ListedFinding>,
    /// The command that shows it step by step, to be copied.
    pub explain: String,
}

/// A finding in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListedFinding {
    /// Its turn.
    pub turn: u64,
    /// Whose it is.
    pub detector: DetectorName,
    /// What it is.
    pub pattern: Pattern,
    /// How bad it is.
    pub severity: Severity,
}
