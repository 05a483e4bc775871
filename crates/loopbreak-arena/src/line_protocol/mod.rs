//! Talking with a program: a JSON object a line there, a JSON object a line back. See `docs/guide/worlds.md`.

mod line_program;
pub mod process_group;
mod program_lines;

pub use line_program::{LineProgram, ProtocolError};
pub use program_lines::{ProgramLine, ProgramLines};
