//! The scratchpad file: a line per iteration, for people and for the agent.

use std::io::Write as _;
use std::path::Path;

use loopbreak::text::quoted;

use super::private_file;
use crate::iterations::iteration_result::IterationResult;

/// Adds a line for an iteration. Returns an error message if that fails.
pub(crate) fn append_line(path: &Path, iteration: &IterationResult, next: &str) -> Result<(), String> {
    let IterationResult { number, status, accomplished, errors, .. } = iteration;
    let none = |text: &str| if text.is_empty() { "none".to_owned() } else { quoted(text) };
    let line = format!(
        "- Iteration {number}: status: {status}; accomplished: {}; errors: {}; next: {next}\n",
        none(accomplished),
        none(errors)
    );
    private_file::append(path)
        .and_then(|mut file| file.write_all(line.as_bytes()))
        .map_err(|error| format!("--scratchpad {}: {error}", path.display()))
}
