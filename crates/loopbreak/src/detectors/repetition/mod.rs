//! Parts that several detectors share: how a repetition is followed, how much a repeat counts, and which proposals were
//! refused because of one.

mod period_tracker;
mod place_cycle;
mod refused_proposals;
mod repeat_weight;

pub(crate) use period_tracker::{LONGEST, PeriodTracker, RepeatedPeriod};
pub(crate) use place_cycle::PlaceCycle;
pub(crate) use refused_proposals::RefusedProposals;
pub(crate) use repeat_weight::{FAINT, SOME, WHOLE, whole};
