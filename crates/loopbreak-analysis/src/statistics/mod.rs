//! Statistics of one run, gathered step by step.

mod repeat_tracker;
mod run_timeline;
mod savings;
mod stuck_periods;
mod warning_effect;

pub use repeat_tracker::Repeats;
pub use run_timeline::{Bucket, PlaceTurns, Timeline};
pub use savings::{Cost, Savings};
pub(crate) use savings::{Done, Ledger, Told};
pub(crate) use stuck_periods::Stuck;
pub(crate) use warning_effect::Followed;
pub use warning_effect::{Effect, Effects, FOLLOWED_STEPS, FREE_STEPS, FindingReport};
