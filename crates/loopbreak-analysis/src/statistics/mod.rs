//! Statistics of one run, gathered step by step.

mod repeat_tracker;
mod run_timeline;
mod savings;
mod stuck_periods;
mod warning_effect;

pub use repeat_tracker::RepeatTracker;
pub use run_timeline::{PlaceTurns, RunTimeline, TimelineBucket};
pub use savings::{RunCost, RunSavings};
pub(crate) use savings::{SavingsTracker, StepFacts, StepIntervention};
pub(crate) use stuck_periods::StuckPeriods;
pub(crate) use warning_effect::WarningFollower;
pub use warning_effect::{EffectCounts, FOLLOWED_STEPS, FREE_STEPS, FindingReport, WarningEffect};
