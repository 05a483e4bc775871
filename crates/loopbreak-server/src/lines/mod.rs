//! The guard for any language: steps in, verdicts out, one JSON object per line.
//!
//! - [`LineGuard`]: answers one line at a time, without any input or output of its own
//! - [`serve_lines`]: answers the lines of a stream until it ends
//!
//! A line is a step, with its run under `run`, or a question about an action: `{"weigh":{"action":…}}`. The answers have
//! the keys of the MCP tools `record_step` and `weigh_action`. A line that cannot be used is answered with an error, and
//! the next line is read.
//!
//! ```
//! use loopbreak::Settings;
//! use loopbreak_server::lines::LineGuard;
//!
//! let mut guard = LineGuard::in_memory(&Settings::default())?;
//! let step = br#"{"action":"make","outcome":{"text":"1 failed","error":true}}"#;
//! let answers: Vec<_> = (0..3).filter_map(|_| guard.answer(step)).collect();
//! let verdicts: Vec<_> = answers.iter().filter_map(|answer| answer.verdict()).collect();
//! assert_eq!(verdicts, ["clear", "clear", "warn"]);
//! # Ok::<(), loopbreak_server::mcp::ServeError>(())
//! ```

mod line_answer;
mod line_guard;
mod memory_runs;
mod serve_lines;

pub use line_answer::{LineAnswer, LineError, LineErrorCode};
pub use line_guard::{LineGuard, MAX_LINE_BYTES};
pub use memory_runs::MAX_RUNS;
pub use serve_lines::{LineStreamError, serve_lines};
