//! One game, from its beginning to its end: the turn, and what is written down of it.

mod choose;
mod clock;
mod journal;
mod moment;
mod orchestrator;
mod progress;
mod turn;

pub use clock::{Clock, ticking};
pub use moment::{Moment, Taken};
pub use orchestrator::{Episode, Orchestrator, Rules};
