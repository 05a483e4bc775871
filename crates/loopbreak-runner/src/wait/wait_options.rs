//! Options of a wait.

use std::ffi::OsString;
use std::time::Duration;

/// Options of a wait.
#[derive(Clone, Debug)]
pub struct WaitOptions {
    /// The command with its arguments. See [`shell_words`] for a command line.
    pub command: Vec<String>,
    /// The condition that ends the wait.
    pub condition: WaitCondition,
    /// A command that is run after each try. If it succeeds, the wait has failed.
    pub fail_when: Option<Vec<String>>,
    /// Time from the beginning of a try to the beginning of the next one.
    pub every: Duration,
    /// Longest time of the whole wait.
    pub timeout: Duration,
    /// Longest time of a try. A try that takes longer is ended and did not meet the condition.
    pub try_timeout: Duration,
    /// The words of a command that calls [`guard_process_group`](crate::guard_process_group): see
    /// [`RunOptions::guardian`](crate::RunOptions::guardian).
    pub guardian: Option<Vec<OsString>>,
}

/// The condition that ends a wait.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitCondition {
    /// The command succeeds.
    Success,
    /// The output of the command contains a text, whatever its exit code is.
    Output(String),
    /// The output or the exit code of the command differs from that of the first try.
    Change,
}

/// Returns the words of a command that runs a command line with the shell.
pub fn shell_words(line: &str) -> Vec<String> {
    let shell = if cfg!(windows) { ["cmd", "/C"] } else { ["/bin/sh", "-c"] };
    shell.into_iter().chain([line]).map(str::to_owned).collect()
}
