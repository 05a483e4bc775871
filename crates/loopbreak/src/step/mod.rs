//! The step record: one thing the agent did and what came of it.
//!
//! Every facet is optional; a detector whose facet is absent stays silent. Texts are borrowed from the line they were
//! read from wherever JSON allows it, so that reading a log copies next to nothing.

mod action;
mod epoch_millis;
mod parts;
mod step_record;
mod step_text;

pub use action::{Action, ActionArgs};
pub use epoch_millis::{EpochMillis, TimeError};
pub use parts::{CompletedObjective, Critic, Objectives, Outcome, Place, Task, Usage};
pub use step_record::Step;
pub use step_text::{Label, StepText};
