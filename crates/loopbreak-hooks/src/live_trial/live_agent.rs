//! The way in which an agent is pointed at a model on the loopback address.

use std::process::Command;

use super::LiveSession;

/// An agent that can be started with a scripted model.
pub trait LiveAgent: Sync {
    /// Returns the name of the agent, as in [`HookAgent`](crate::HookAgent).
    fn name(&self) -> &'static str;

    /// Returns the name of its tools in [`ToolDialect`](crate::scripted_model::ToolDialect).
    fn dialect(&self) -> &'static str {
        self.name()
    }

    /// Returns the settings that the agent needs in its home folder.
    fn files(&self, _session: &LiveSession) -> Vec<LiveFile> {
        Vec::new()
    }

    /// Returns whether a guard of the agent's own, which cannot be switched off, ends a session with identical calls
    /// before they are refused. Then the trial makes two calls in turn.
    fn ends_identical_calls(&self) -> bool {
        false
    }

    /// Adds the arguments and the environment that make the agent work on a prompt, without a terminal and without
    /// questions.
    fn configure(&self, session: &LiveSession, prompt: &str, command: &mut Command);
}

/// A file of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveFile {
    /// The path below the home folder.
    pub path: &'static str,
    /// The content.
    pub text: String,
}

impl LiveFile {
    /// Creates a file with a JSON value.
    pub(super) fn json(path: &'static str, value: &serde_json::Value) -> Self {
        LiveFile { path, text: format!("{value:#}\n") }
    }
}
