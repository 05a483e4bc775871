//! The line protocol for external programs: one JSON object per line for each request, and one for each answer. See
//! `docs/guide/worlds.md`.

mod line_program;
pub mod process_group;
mod program_lines;

pub use line_program::{LineProgram, ProtocolError};
pub use program_lines::{ProgramLine, ProgramLines};
