//! Deeds of a script, whatever the agent calls its tools.

/// One deed of a script. A [`ToolDialect`](super::ToolDialect) makes a call of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScriptedDeed {
    /// Runs a shell command.
    Shell {
        /// The command.
        command: String,
        /// The agent does not wait for the command to end.
        background: bool,
    },
    /// Reads a file.
    ReadFile {
        /// The absolute path.
        path: String,
    },
    /// Replaces a text in a file.
    EditFile {
        /// The absolute path.
        path: String,
        /// The text that is replaced. The edit does not apply if the file does not have it.
        old: String,
        /// The new text.
        new: String,
    },
    /// Gives a job to a subagent.
    Subagent {
        /// The prompt of the subagent.
        prompt: String,
    },
    /// Waits for the subagent. Does nothing where an agent waits anyway.
    AwaitSubagent,
    /// Calls a tool that does not exist.
    UnknownTool,
    /// Calls the tool for shell commands without a command.
    WrongArguments,
}

impl ScriptedDeed {
    /// Creates a shell command that the agent waits for.
    pub fn shell(command: impl Into<String>) -> Self {
        ScriptedDeed::Shell { command: command.into(), background: false }
    }
}
