//! Labelled runs: how many of the stuck ones are seen, how many of the others are left alone, and how other rules do on
//! the same runs.

mod baseline;
mod baseline_rule;
mod confusion_counts;
mod evaluate;
mod evaluation;
mod explain_command;
mod label_condition;
mod label_selection;
mod run_labels;
mod samples;
mod share_estimate;

pub use baseline::{Baseline, Signal, Watched, Watcher};
pub use baseline_rule::Rule;
pub use confusion_counts::Counts;
pub use evaluate::{Sample, evaluate};
pub use evaluation::{
    AfterWarning, CurvePoint, DetectorEffects, DetectorScores, EffectShare, Evaluation, Judge, LeftOut,
    Level, Listed, ListedFinding, LookedAt, Question, SCHEMA, SavedSteps, Scores,
};
pub use label_condition::{Condition, ConditionError};
pub use label_selection::{LabelSelection, SelectionError};
pub use run_labels::{LabelError, Labels};
pub use samples::read_samples;
pub use share_estimate::Share;
