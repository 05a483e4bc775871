//! Statistics of one run, gathered step by step.

mod longest_loop;
mod pattern_counts;
mod proposal_scores;
mod repeat_tracker;
mod run_timeline;
mod savings;
mod score_distribution;
mod spend;
mod stuck_periods;
mod warning_effect;

pub use longest_loop::LongestLoop;
pub(crate) use longest_loop::{FinishedLoops, LoopSightings};
pub use pattern_counts::{PatternCount, PatternCounts};
pub use proposal_scores::{ProposalBin, ProposalDistribution, ProposalScores};
pub use repeat_tracker::RepeatTracker;
pub use run_timeline::{PlaceTurns, RunTimeline, TimelineBucket};
pub use savings::{RunCost, RunSavings};
pub(crate) use savings::{SavingsTracker, StepFacts, StepIntervention};
pub(crate) use score_distribution::ValueCounts;
pub use score_distribution::{ScoreBin, ScoreDistribution};
pub(crate) use spend::{SpendTotal, StepSpend, UnpricedModels};
pub(crate) use stuck_periods::StuckPeriods;
pub(crate) use warning_effect::WarningFollower;
pub use warning_effect::{EffectCounts, FOLLOWED_STEPS, FREE_STEPS, FindingReport, WarningEffect};
