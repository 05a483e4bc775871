//! The step record: one action of an agent and its outcome.
//!
//! Every part is optional. A detector that needs an absent part stays silent. Texts are borrowed from the
//! line they were read from if JSON allows it, so that reading a log copies little.

mod action;
mod denial;
mod epoch_millis;
mod harness_event;
mod into_owned;
mod lenient_name;
mod objectives;
mod outcome;
mod place;
mod place_exit;
#[cfg(feature = "schema")]
mod schema;
mod step_record;
mod step_text;
mod task;
mod tool_annotations;
mod usage;

pub use action::{Action, ActionArgs};
pub use denial::Denial;
pub use epoch_millis::{EpochMillis, TimeError};
pub use harness_event::HarnessEvent;
pub use objectives::{CompletedObjective, Objectives};
pub use outcome::Outcome;
pub use place::{Place, PlaceRef};
pub use place_exit::PlaceExit;
pub use step_record::{MAIN_AGENT, Step};
pub use step_text::{Label, StepText};
pub use task::Task;
pub use tool_annotations::ToolAnnotations;
pub use usage::{Critic, Usage};
