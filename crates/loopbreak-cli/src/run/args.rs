//! The options of `run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::args::ConfigOptions;
use crate::duration::parse_duration;

/// Run an agent again and again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak run --prompt-file PROMPT.md -- claude -p
  loopbreak run --prompt 'Fix the tests' -- codex exec {prompt}     The prompt as an argument
  loopbreak run --prompt-file PROMPT.md --completion-promise DONE -- ./agent.sh
  loopbreak run --prompt-file PROMPT.md --max-iterations 50 --max-runtime 8h --max-cost 20 -- ./agent.sh
  loopbreak run --prompt-file PROMPT.md --on-loop escalate --notify webhook=https://example.com/hook -- ./agent.sh
  loopbreak run --prompt-file PROMPT.md --resume -- ./agent.sh      Go on where it was ended
  loopbreak run --prompt-file PROMPT.md --advisor 'gemini -p' -- claude -p   A second opinion on a loop
  loopbreak run --roadmap tasks.toml -- claude -p {prompt}          Work through a plan, task by task

Unless set here or in the configuration, the limits are 10 iterations, 15 minutes and 3 errors in a row.
`loopbreak log RUN` tells afterwards what happened; the run's name is the first thing that is said.

Exit codes:
  0 the completion promise was kept, or every task is done; 1 something failed; 2 used or configured wrongly, no such command;
  10 loop; 11 limit of iterations, time or money; 12 too many errors in a row; 13 a human is needed;
  130 interrupted, after all processes of the command are ended")]
pub(crate) struct RunArgs {
    /// The command, after --, with its arguments; {prompt} in one of them stands for the prompt
    ///
    /// Without {prompt}, the prompt goes to the command's standard input.
    #[arg(value_name = "CMD", required = true, last = true)]
    pub(crate) command: Vec<String>,
    /// Read the prompt from this file, before each iteration anew
    #[arg(long, value_name = "FILE", conflicts_with = "prompt")]
    pub(crate) prompt_file: Option<PathBuf>,
    /// The prompt
    #[arg(long, value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    /// Work through the tasks of this file, one at a time, instead of the same prompt again and again
    ///
    /// A TOML file with a [[task]] for each: id, title, details, after (the tasks that come before), check (a command). It is
    /// read before each attempt anew. The command learns its task from the prompt and from `LOOPBREAK_TASK`, and reports through `LOOPBREAK_RESULT_FILE`, a line of its
    /// output, `loopbreak tasks` or the MCP tools. The limits of iterations and time are for each task.
    #[arg(long, value_name = "FILE", help_heading = "Roadmap")]
    pub(crate) roadmap: Option<PathBuf>,
    /// With a roadmap: how long to wait first where no task can be worked on; doubled each time; 0 to end at once
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "30s", requires = "roadmap", help_heading = "Roadmap")]
    pub(crate) idle: Duration,
    /// With a roadmap: the longest wait; after it, the run ends
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "5m", requires = "roadmap", help_heading = "Roadmap")]
    pub(crate) idle_longest: Duration,
    /// End with success when the command prints this text; with a roadmap, its task is done then
    ///
    /// On a line of its own, or as <promise>TEXT</promise>, on standard output, by a command that did not fail. A mere mention
    /// within a sentence does not count, nor does the prompt that is printed again.
    #[arg(long, value_name = "TEXT")]
    pub(crate) completion_promise: Option<String>,
    /// End after so many iterations; 0 for no limit
    #[arg(long, value_name = "N", help_heading = "Guards")]
    pub(crate) max_iterations: Option<u64>,
    /// End after so much time, also in the middle of an iteration: seconds, or a time such as 90s or 8h; 0 for no limit
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Guards")]
    pub(crate) max_runtime: Option<Duration>,
    /// End after so many iterations in a row that failed; 0 for no limit
    #[arg(long, value_name = "N", help_heading = "Guards")]
    pub(crate) max_errors: Option<u32>,
    /// End after so many US dollars; 0 for no limit
    ///
    /// Needs a command that tells its cost: `total_cost_usd` or `cost_usd` in JSON on its standard output.
    #[arg(long, value_name = "USD", help_heading = "Guards")]
    pub(crate) max_cost: Option<f64>,
    /// What is done about a loop; stop, unless the configuration says otherwise (`policy.on_loop`)
    #[arg(long, value_name = "WHAT", help_heading = "Guards")]
    pub(crate) on_loop: Option<OnLoopArg>,
    /// End an iteration that takes longer; it counts as failed
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Guards")]
    pub(crate) iteration_timeout: Option<Duration>,
    /// Wait for so long between iterations
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) delay: Option<Duration>,
    /// How long to wait first when the command reports that its quota is used up; doubled each time, up to 10 minutes
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "30s")]
    pub(crate) backoff: Duration,
    /// Ask this command for a second opinion when a loop is seen; its answer goes into the next prompt
    ///
    /// It gets the prompt, the last iterations and what was found on its standard input, and is asked once for each rung of a
    /// loop: root cause, blind spot, alternative. It is split into words as --exec. Should it fail, the run goes on without it.
    #[arg(long, value_name = "CMD", help_heading = "Advice")]
    pub(crate) advisor: Option<String>,
    /// How long the advisor may take
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "2m", requires = "advisor", help_heading = "Advice")]
    pub(crate) advisor_timeout: Duration,
    /// Add a line to this file for each iteration: status, accomplished, errors, next
    #[arg(long, value_name = "FILE")]
    pub(crate) scratchpad: Option<PathBuf>,
    /// Write all output of each iteration to a file of its own in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) log_dir: Option<PathBuf>,
    /// Go on with the last run of this command in this folder: its history, its limits, its standing advice
    #[arg(long)]
    pub(crate) resume: bool,
    /// Run this command when the loop is ended for a loop, a limit or errors, or a human is needed
    ///
    /// It is split into words at blanks, with quotes and backslashes as in a shell, and started without one. Variables such as
    /// `LOOPBREAK_RUN` and `LOOPBREAK_REASON` tell which run and why, as for `loopbreak watch`.
    #[arg(long, value_name = "CMD")]
    pub(crate) exec: Option<String>,
    /// Send a JSON object by POST in the same cases, as in webhook=https://example.com/hook
    #[arg(long, value_name = "webhook=URL")]
    pub(crate) notify: Vec<String>,
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}

/// What is done about a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnLoopArg {
    /// End with exit code 10
    Stop,
    /// Report, and ask on a terminal; elsewhere end with exit code 13
    Escalate,
    /// Tell the agent in its next prompt, and go on
    Advise,
}

impl OnLoopArg {
    /// The value of the setting `policy.on_loop`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            OnLoopArg::Stop => "stop",
            OnLoopArg::Escalate => "escalate",
            OnLoopArg::Advise => "advise",
        }
    }
}
