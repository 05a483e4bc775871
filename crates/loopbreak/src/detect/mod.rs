//! The detectors: one file each, one way of being stuck each.
//!
//! To add one: write its file, add it to the list below and to [`crate::config::Settings`].

pub(crate) mod budget;
pub(crate) mod camping;
pub(crate) mod chant;
mod circuit;
mod custom_name;
pub(crate) mod cycle;
mod detector;
pub(crate) mod drift;
pub(crate) mod errors;
mod exploring;
pub(crate) mod failing_target;
mod latch;
mod name;
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

pub use custom_name::{CustomName, InvalidName};
pub(crate) use detector::{
    Bid, BidPrints, Detector, Draft, Family, Opinion, Report, Scene, Sighting, Sightings, Weighed,
};
pub(crate) use latch::CLOSING_STEPS;
pub(crate) use set::{AgentDetectors, RunDetectors, Sink};
pub use set::{DetectorName, Pattern};
pub(crate) use stagnation::Urgency;
