//! The status line of Claude Code: one line about the loops of a session.
//!
//! Claude Code passes a JSON object to a command each time the conversation changes, and shows what it prints. The line is
//! empty as long as nothing loops. It must never disturb the agent: nothing is written, no lock is waited for, and the time
//! is bounded.

mod render_line;
mod session_loops;
mod wrapped_line;

pub use render_line::{StatusLineInput, read_status_input, render_status_line};
pub use session_loops::SessionLoops;
