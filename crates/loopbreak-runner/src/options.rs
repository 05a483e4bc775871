//! Options of a run.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The options of a run. The limits of a run are part of its configuration.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The command with its arguments. `{prompt}` in one of them stands for the prompt; without it, the prompt goes to the
    /// standard input of the command.
    pub command: Vec<String>,
    /// The file that the prompt is read from before each iteration.
    pub prompt_file: Option<PathBuf>,
    /// The prompt.
    pub prompt: Option<String>,
    /// The roadmap file, if the run works through tasks.
    pub roadmap: Option<PathBuf>,
    /// The first wait if no task can be worked on. It is doubled each time.
    pub idle: Duration,
    /// The longest wait if no task can be worked on. The run ends after it.
    pub idle_longest: Duration,
    /// The text that ends the run with success when the command prints it.
    pub completion_promise: Option<String>,
    /// The longest time that an iteration may take.
    pub iteration_timeout: Option<Duration>,
    /// The pause between iterations.
    pub delay: Option<Duration>,
    /// The first wait if the quota of the command is used up. It is doubled each time.
    pub backoff: Duration,
    /// The command that is asked for a second opinion on a loop.
    pub advisor: Option<String>,
    /// The longest time that the advisor may take.
    pub advisor_timeout: Duration,
    /// The file that gets a line for each iteration.
    pub scratchpad: Option<PathBuf>,
    /// The folder that gets a file with the output of each iteration.
    pub log_dir: Option<PathBuf>,
    /// Continue the last run of this command in this folder.
    pub resume: bool,
    /// The words of a command that calls [`guard_process_group`](crate::guard_process_group) with its standard input. It
    /// is started with each process group, and ends the group if the runner is killed. Without it, a killed runner leaves
    /// its command running.
    pub guardian: Option<Vec<OsString>>,
}
