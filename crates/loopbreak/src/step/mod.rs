//! The step record: one thing the agent did and what came of it.
//!
//! Every facet is optional; a detector whose facet is absent stays silent. Texts are borrowed from the line they were
//! read from wherever JSON allows it, so that reading a log copies next to nothing.

mod action;
mod parts;
mod record;
mod text;
mod time;

pub use action::{Action, Args};
pub use parts::{Completed, Critic, Objectives, Outcome, Place, Task, Usage};
pub use record::Step;
pub use text::{Label, Text};
pub use time::{Millis, TimeError};
