//! The detectors: one file each, one way of being stuck each.
//!
//! To add one: write its file, add it to the list below and to [`crate::config::Settings`].

pub(crate) mod budget;
pub(crate) mod camping;
pub(crate) mod cycle;
mod detector;
pub(crate) mod drift;
pub(crate) mod errors;
mod exploring;
mod latch;
pub(crate) mod novelty;
pub(crate) mod oscillation;
pub(crate) mod poll;
pub(crate) mod recurrence;
mod refusals;
pub(crate) mod revisit;
mod set;
pub(crate) mod signature;
pub(crate) mod similarity;
pub(crate) mod stagnation;
pub(crate) mod task;

pub(crate) use detector::{Bid, Detector, Draft, Family, Report, Scene, Sighting, Sightings, Weighed};
pub(crate) use latch::CLOSING_STEPS;
pub use set::DetectorName;
pub(crate) use set::{AgentDetectors, RunDetectors, Sink};
pub(crate) use stagnation::Urgency;

/// The patterns that the policy tells apart.
pub(crate) mod patterns {
    pub(crate) use super::budget::{ITERATIONS, RUNTIME};
    pub(crate) use super::drift::REPHRASED;
    pub(crate) use super::novelty::{REPEATED, UNEXPLORED};
    pub(crate) use super::refusals::PATTERN as REFUSED;
}
