//! Parts that several detectors share: period tracking, the weight of a repeat, refused proposals, and returns into
//! a pattern of places.

mod period_tracker;
mod place_cycle;
mod refused_proposals;
mod repeat_weight;
mod return_counts;

pub(crate) use period_tracker::{LONGEST, PeriodTracker, RepeatedPeriod};
pub(crate) use place_cycle::PlaceCycle;
pub(crate) use refused_proposals::RefusedProposals;
pub(crate) use repeat_weight::{FAINT, SOME, WHOLE, whole};
pub(crate) use return_counts::{GrowingPenalty, ReturnCounts};
