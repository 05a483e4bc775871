//! The step record: one action of an agent and its outcome.
//!
//! Every part is optional. A detector that needs an absent part stays silent. Texts are borrowed from the
//! line they were read from if JSON allows it, so that reading a log copies little.

mod action;
mod epoch_millis;
mod into_owned;
mod parts;
#[cfg(feature = "schema")]
mod schema;
mod step_record;
mod step_text;

pub use action::{Action, ActionArgs};
pub use epoch_millis::{EpochMillis, TimeError};
pub use parts::{CompletedObjective, Critic, Objectives, Outcome, Place, Task, Usage};
pub use step_record::Step;
pub use step_text::{Label, StepText};
