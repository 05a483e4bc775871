//! Evaluation on labelled runs: the share of stuck runs with a signal and of other runs without one, compared
//! with other rules on the same runs.

mod advice_comparison;
mod baseline;
mod baseline_rule;
mod confusion_counts;
mod eval_report;
mod evaluate;
mod explain_command;
mod holdout;
mod label_condition;
mod label_file_error;
mod label_selection;
mod loop_follower;
mod mean_difference;
mod run_labels;
mod run_split;
mod samples;
mod share_estimate;
mod split_part;

pub use advice_comparison::{AdviceComparison, AdviceObserver, AdvicePair, TextLengths};
pub use baseline::{BaselineResult, BaselineWatcher, EvalBaseline, RuleSignal};
pub use baseline_rule::BaselineRule;
pub use confusion_counts::ConfusionCounts;
pub use eval_report::{
    AfterWarning, CurvePoint, DetectorEffects, DetectorScores, EffectShare, EvalQuestion, EvalReport,
    JudgeResult, LeftOutRuns, LevelScores, ListedFinding, MisjudgedRun, RunSelection, SCHEMA, SavedSteps,
    SignalScores,
};
pub use evaluate::{EvalSample, evaluate};
pub use holdout::{HoldoutReport, HoldoutRun, HoldoutSplit};
pub use label_condition::{LabelCondition, LabelConditionError};
pub use label_file_error::LabelFileError;
pub use label_selection::{LabelSelection, SelectionError};
pub use loop_follower::LoopRemainder;
pub use mean_difference::{DifferenceInterval, GroupMeans, MeanDifference};
pub use run_labels::{LabelError, RunLabels};
pub use run_split::{RunSplit, SplitError, SplitRemainder};
pub use samples::read_samples;
pub use share_estimate::ShareEstimate;
pub use split_part::{SplitPart, SplitPartError};
