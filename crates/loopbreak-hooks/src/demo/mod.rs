//! A demonstration: a recorded coding agent that gets stuck, played through the real hooks.
//!
//! The recording is part of the program. Everything that the guard says comes from the hooks, with the given settings. The
//! session is stored in a temporary folder, which is removed at the end.

mod demo_moment;
mod demo_session;

pub use demo_moment::DemoMoment;
pub use demo_session::{DemoError, play_demo};
