//! The connection between a run and its user.

use std::fmt;
use std::io::Write;

use loopbreak_config::{ConfigError, ConfigSource};

use crate::iterations::human_decision::HumanDecision;
use crate::process::interrupt_flag::InterruptFlag;

/// An output of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Shows a run to its user. Texts may quote the agent and contain terminal control characters.
pub trait RunObserver: fmt::Debug {
    /// Shows a message about the progress of the run.
    fn message(&self, text: &str);

    /// Shows a warning.
    fn warning(&self, text: &str) {
        self.message(&format!("warning: {text}"));
    }

    /// Shows the problems of a roadmap file.
    fn roadmap_problems(&self, source: &ConfigSource, error: &ConfigError);

    /// Returns a writer that receives the output of the command.
    fn command_output(&self, stream: OutputStream) -> Box<dyn Write + Send>;

    /// Shows a report about a loop, and asks a human what to do. Returns `None` if there is nobody to ask, or if the run is
    /// interrupted before the answer.
    fn escalate(&self, report: &str, interrupts: &InterruptFlag) -> Option<HumanDecision>;
}
