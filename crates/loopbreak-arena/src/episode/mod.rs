//! One game, from its beginning to its end: the turn, and what is written down of it.

mod clock;
mod journal;
mod orchestrator;
mod turn;

pub use clock::{Clock, ticking};
pub use orchestrator::{Episode, Orchestrator, Rules};
