//! Labelled runs: how many of the stuck ones are seen, how many of the others are left alone, and how other rules do on
//! the same runs.

mod command;
mod condition;
mod counts;
mod data;
mod html;
mod interval;
mod labels;
mod rules;
mod sums;
mod text;
mod watch;

pub use condition::{Condition, ConditionError};
pub use counts::Counts;
pub use data::{
    AfterWarning, CurvePoint, DetectorEffects, DetectorScores, EffectShare, Evaluation, Judge, LeftOut,
    Level, Listed, ListedFinding, LookedAt, Question, SCHEMA, SavedSteps, Scores,
};
pub use html::page;
pub use interval::Share;
pub use labels::{LabelError, Labels};
pub use rules::Rule;
pub use sums::{Sample, evaluate};
pub use text::render;
pub use watch::{Baseline, Signal, Watched, Watcher};
