//! Talking with a program: a JSON object a line there, a JSON object a line back. See `docs/guide/worlds.md`.

pub mod group;
mod lines;
mod program;

pub use lines::{Line, Lines};
pub use program::{Program, TalkError};
