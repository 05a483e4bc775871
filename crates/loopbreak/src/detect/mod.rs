//! The detectors: one file each, one way of being stuck each.
//!
//! To add one: write its file, add it to the list below and to [`crate::config::Settings`].

pub(crate) mod budget;
pub(crate) mod camping;
pub(crate) mod chant;
mod circuit;
pub(crate) mod cycle;
mod detector;
pub(crate) mod drift;
pub(crate) mod errors;
mod exploring;
pub(crate) mod failing_target;
mod latch;
pub(crate) mod noop;
pub(crate) mod novelty;
pub(crate) mod oscillation;
pub(crate) mod poll;
pub(crate) mod recurrence;
mod refusals;
pub(crate) mod restart;
pub(crate) mod revisit;
mod rounds;
mod set;
pub(crate) mod signature;
pub(crate) mod similarity;
pub(crate) mod stagnation;
pub(crate) mod task;
mod weight;

pub(crate) use detector::{
    Bid, BidPrints, Detector, Draft, Family, Report, Scene, Sighting, Sightings, Weighed,
};
pub(crate) use latch::CLOSING_STEPS;
pub use set::DetectorName;
pub(crate) use set::{AgentDetectors, RunDetectors, Sink};
pub(crate) use stagnation::Urgency;

/// The patterns that the policy tells apart.
pub(crate) mod patterns {
    pub(crate) use super::budget::{ITERATIONS, RUNTIME};
    pub(crate) use super::chant::MESSAGES;
    pub(crate) use super::circuit::CIRCUIT;
    pub(crate) use super::drift::{REPHRASED, SWEEP, VAIN_EDITS};
    pub(crate) use super::noop::{IDLE, NO_EFFECT, UNDONE};
    pub(crate) use super::novelty::{REPEATED, UNEXPLORED};
    pub(crate) use super::recurrence::AGAIN;
    pub(crate) use super::refusals::{INSISTED, PATTERN as REFUSED};
    pub(crate) use super::restart::SPAWNING;
}
