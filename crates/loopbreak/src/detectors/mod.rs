//! The detectors: one file each, one way of being stuck each.
//!
//! To add one: write its file, add it to the list below and to [`crate::settings::Settings`].

pub(crate) mod budget;
pub(crate) mod camping;
pub(crate) mod chant;
mod custom_name;
pub(crate) mod cycle;
mod detector;
pub(crate) mod drift;
pub(crate) mod errors;
pub(crate) mod failing_target;
mod name;
pub(crate) mod noop;
pub(crate) mod novelty;
pub(crate) mod oscillation;
pub(crate) mod poll;
pub(crate) mod recurrence;
mod repetition;
mod report_latch;
pub(crate) mod restart;
pub(crate) mod revisit;
mod set;
pub(crate) mod signature;
pub(crate) mod similarity;
pub(crate) mod stagnation;
pub(crate) mod task;

pub use custom_name::{CustomName, InvalidName};
pub(crate) use detector::{
    Detection, DetectionCollector, Detector, DetectorReport, LoopFamily, ProposalContext,
    ProposalFingerprint, ProposalReview, ReviewAdjustment, StepContext, WeighedProposal,
};
pub(crate) use report_latch::CLOSING_STEPS;
pub(crate) use set::{AgentDetectors, ObservationOutput, RunDetectors};
pub use set::{DetectorName, Pattern};
pub(crate) use stagnation::WarningUrgency;
