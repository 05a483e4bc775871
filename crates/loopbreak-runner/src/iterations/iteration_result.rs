//! The result of an iteration, for the guard, the scratchpad, the store and the next prompt.

use std::time::Duration;

use loopbreak::Usage;
use loopbreak::evidence::EVIDENCE_BYTES;
use loopbreak::text::{clip_masked, quoted};

use crate::iterations::reported_usage::reported_usage;
use crate::process::command_run::{CommandEnd, CommandRun};
use crate::prompt::agent_answer::final_message;

/// The text for an iteration without output.
const SILENT: &str = "(no output)";
/// The text for an iteration without output that changed no file.
const IDLE: &str = "(no output, no file changed)";

/// The length in bytes from which a text that is printed again counts as an echo of the prompt or the advice.
const MIN_ECHO_BYTES: usize = 24;

/// The result of one iteration.
#[derive(Debug, Default)]
pub(crate) struct IterationResult {
    pub(crate) number: u64,
    /// A short status: `ok`, `failed (exit code 1)`, `timed out`.
    pub(crate) status: String,
    pub(crate) failed: bool,
    /// The text that the guard is shown. Empty if the iteration succeeded without output.
    pub(crate) outcome: String,
    /// The last line of its output.
    pub(crate) accomplished: String,
    /// The last line of standard error, or else of the output, if it failed.
    pub(crate) errors: String,
    pub(crate) usage: Option<Usage>,
    /// The time that it took.
    pub(crate) time: Duration,
}

impl IterationResult {
    /// Creates the result of a run. `shown` is the prompt and the advice: if the agent prints them again, that
    /// is not its own work.
    pub(crate) fn new(number: u64, ran: &CommandRun, shown: [&str; 2]) -> Self {
        let out = final_message(&ran.out).unwrap_or_else(|| ran.out.clone());
        let (out, err) = (&remove_echoes(&out, shown), &remove_echoes(&ran.err, shown));
        let (status, failed) = match ran.end {
            CommandEnd::Exited(status) if status.success() => ("ok".to_owned(), false),
            CommandEnd::Exited(status) => match status.code() {
                Some(code) => (format!("failed (exit code {code})"), true),
                None => (format!("failed ({status})"), true),
            },
            CommandEnd::TimedOut => ("timed out".to_owned(), true),
            CommandEnd::Interrupted => ("interrupted".to_owned(), true),
        };
        let is_silent = out.trim().is_empty();
        // Standard error, such as progress messages, counts only if the iteration failed or printed nothing
        // else.
        let outcome = match (failed, is_silent) {
            (false, false) => out.clone(),
            (true, false) => format!("{out}\n{err}"),
            (_, true) => err.clone(),
        };
        // Two failures without output are identical.
        let outcome =
            if failed && outcome.trim().is_empty() { format!("{status} {SILENT}") } else { outcome };
        let errors = match (failed, last_line(err)) {
            (false, _) => String::new(),
            (true, line) if line.is_empty() => last_line(out),
            (true, line) => line,
        };
        let usage = reported_usage(&ran.out);
        IterationResult {
            number,
            status,
            failed,
            outcome,
            accomplished: last_line(out),
            errors,
            usage,
            time: Duration::ZERO,
        }
    }

    /// Returns whether the iteration succeeded without output. It may still have done its work, or written to
    /// its own log.
    pub(crate) fn is_silent(&self) -> bool {
        self.outcome.trim().is_empty()
    }

    /// Marks the iteration as idle: no output, no changed file. All idle iterations are identical.
    pub(crate) fn mark_idle(&mut self) {
        IDLE.clone_into(&mut self.outcome);
    }

    /// Returns the iteration on one line, for the history.
    pub(crate) fn render_line(&self) -> String {
        let text = if self.errors.is_empty() { &self.accomplished } else { &self.errors };
        let text = if text.is_empty() { SILENT.to_owned() } else { quoted(text) };
        format!("Iteration {}, {}: {text}", self.number, self.status)
    }
}

/// Removes the prompt and the advice from an output. Short texts stay, because they may occur by chance.
fn remove_echoes(output: &str, shown: [&str; 2]) -> String {
    let mut output = output.to_owned();
    for text in shown.map(str::trim).into_iter().filter(|text| text.len() >= MIN_ECHO_BYTES) {
        output = output.replace(text, "");
    }
    output
}

/// Returns the last line that is not empty, with secrets masked and without control characters.
fn last_line(text: &str) -> String {
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    loopbreak_report::printable(&clip_masked(line, EVIDENCE_BYTES))
}
