//! Labelled runs: how many of the stuck ones are seen, how many of the others are left alone, and how other rules do on
//! the same runs.

mod condition;
mod counts;
mod data;
mod interval;
mod labels;
mod rules;
mod sums;
mod text;
mod watch;

pub use condition::{Condition, ConditionError};
pub use counts::Counts;
pub use data::{
    AfterWarning, DetectorEffects, DetectorScores, EffectShare, Evaluation, Judge, LeftOut, Level, Listed,
    ListedFinding, SCHEMA, SavedSteps, Scores,
};
pub use interval::Share;
pub use labels::{LabelError, Labels};
pub use rules::Rule;
pub use sums::{Sample, evaluate};
pub use text::render;
pub use watch::{Baseline, Signal, Watched, Watcher};
