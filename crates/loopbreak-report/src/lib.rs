//! Analysis of recorded runs: what a guard would have said, what that saves, what it would have destroyed.
//!
//! Feed the steps of a run to a [`RunAnalysis`], the runs to [`Sums`], both to a [`Report`], and print that as JSON or with
//! [`text`]. A report asks for its runs one by one: who has too many to keep them writes a [`RunList`].
//! Nothing here reads a file or a clock.

mod effect;
pub mod eval;
pub mod exit;
pub mod explain;
pub mod html;
mod json;
mod list;
pub mod markup;
mod number;
pub mod outputs;
mod pack;
mod printable;
mod repeats;
mod restarts;
mod run;
mod savings;
mod stuck;
mod tasks;
pub mod text;
mod timeline;
mod totals;
pub mod tune;
mod worst;

pub use effect::{Effect, Effects, FOLLOWED_STEPS, FREE_STEPS, FindingReport};
pub use json::{
    Ending, FirstStop, FirstWarning, InterventionReport, MOST_LISTED, Report, RulingGroup, RunReport, SCHEMA,
    ScoreReport, SeriesReport, StuckPeriod, VerdictName,
};
pub use list::RunList;
pub use number::plural;
pub use pack::{Damaged, Words};
pub use printable::{printable, printable_lines};
pub use restarts::Restarts;
pub use run::{RunAnalysis, RunRecord};
pub use savings::{Cost, Savings};
pub use tasks::{TaskAttempt, TaskAttempts};
pub use timeline::{Bucket, PlaceTurns, Timeline};
pub use totals::{Reading, Sums, Totals};
