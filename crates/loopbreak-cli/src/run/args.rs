//! The options of `run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use loopbreak::settings::OnLoop;

use crate::args::ConfigOptions;
use crate::value_parsers::parse_duration;

/// Run an agent repeatedly, guarded against loops, limits and errors.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak run --prompt-file PROMPT.md -- claude -p
  loopbreak run --prompt 'Fix the tests' -- codex exec {prompt}
                                        Pass the prompt as an argument
  loopbreak run --prompt-file PROMPT.md --completion-promise DONE -- ./agent.sh
                                        End when the agent prints DONE
  loopbreak run --prompt-file PROMPT.md --max-iterations 50 --max-runtime 8h \\
    --max-cost 20 -- ./agent.sh         Set the limits
  loopbreak run --prompt-file PROMPT.md --on-loop escalate \\
    --notify https://example.com/hook -- ./agent.sh
  loopbreak run --prompt-file PROMPT.md --resume -- ./agent.sh
                                        Continue the last run
  loopbreak run --prompt-file PROMPT.md --advisor 'gemini -p' -- claude -p
                                        Get a second opinion on a loop
  loopbreak run --roadmap tasks.toml -- claude -p {prompt}
                                        Work through a list of tasks

The default limits are 10 iterations, 15 minutes and 3 errors in a row.
The name of the run is printed first; `loopbreak log RUN` shows what happened.

Exit codes:
  0 the completion promise was printed, or every task is done; 1 failure;
  2 wrong usage or configuration, or the command was not found;
  10 loop; 11 limit of iterations, time or cost; 12 too many errors in a row;
  13 a human is needed; 130 interrupted, after all its processes have ended")]
pub(crate) struct RunArgs {
    /// Command with its arguments, after --; {prompt} in an argument is replaced by the prompt
    ///
    /// Without {prompt}, the command reads the prompt from its standard input.
    #[arg(value_name = "CMD", required = true, last = true)]
    pub(crate) command: Vec<String>,
    /// Read the prompt from this file, again before each iteration
    #[arg(long, value_name = "FILE", conflicts_with = "prompt")]
    pub(crate) prompt_file: Option<PathBuf>,
    /// Use this text as the prompt
    #[arg(long, value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    /// Work through the tasks of this file, one at a time
    ///
    /// A TOML file with one [[task]] per task: id, title, details, after (tasks that must be done first),
    /// check (a command). It is read again before each attempt. The command gets its task in the prompt and
    /// in `LOOPBREAK_TASK`, and reports through `LOOPBREAK_RESULT_FILE`, a line of its output, `loopbreak
    /// tasks` or the MCP tools. The limits of iterations and time apply to each task.
    #[arg(long, value_name = "FILE", help_heading = "Roadmap")]
    pub(crate) roadmap: Option<PathBuf>,
    /// Time to wait if no task can be worked on, doubled each time; 0 exits at once
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "30s", requires = "roadmap", help_heading = "Roadmap")]
    pub(crate) idle: Duration,
    /// Longest wait; the run ends after it
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "5m", requires = "roadmap", help_heading = "Roadmap")]
    pub(crate) idle_longest: Duration,
    /// End with success when the command prints this text; with a roadmap, mark the task as done
    ///
    /// The text must be on a line of its own or in <promise>TEXT</promise>, on standard output, and the
    /// command must succeed. A mention within a longer line does not count, nor does an echo of the prompt;
    /// you and the agent are told about a mention.
    #[arg(long, value_name = "TEXT")]
    pub(crate) completion_promise: Option<String>,
    /// End after this many iterations; 0 for no limit
    #[arg(long, value_name = "N", help_heading = "Guards")]
    pub(crate) max_iterations: Option<u64>,
    /// End after this time, even within an iteration: seconds, or a time such as 90s or 8h; 0 for no limit
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Guards")]
    pub(crate) max_runtime: Option<Duration>,
    /// End after this many failed iterations in a row; 0 for no limit
    #[arg(long, value_name = "N", help_heading = "Guards")]
    pub(crate) max_errors: Option<u32>,
    /// End after this cost in US dollars; 0 for no limit
    ///
    /// The command must report its cost: `total_cost_usd` or `cost_usd` in JSON on its standard output.
    #[arg(long, value_name = "USD", help_heading = "Guards")]
    pub(crate) max_cost: Option<f64>,
    /// Response to a loop [default: `policy.on_loop` from the configuration, else stop]
    #[arg(long, value_name = "WHAT", help_heading = "Guards")]
    pub(crate) on_loop: Option<OnLoopArg>,
    /// End an iteration after this time; it counts as failed
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Guards")]
    pub(crate) iteration_timeout: Option<Duration>,
    /// Wait this long between iterations
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) delay: Option<Duration>,
    /// Time to wait if the command reports a used-up quota, doubled each time, up to 10 minutes
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "30s")]
    pub(crate) backoff: Duration,
    /// Ask this command for a second opinion on a loop; its answer goes into the next prompt
    ///
    /// It reads the prompt, the last iterations and the findings from its standard input. It is asked once
    /// per level of a loop: root cause, blind spot, alternative. It is split into words like --exec. If it
    /// fails, the run continues without it.
    #[arg(long, value_name = "CMD", help_heading = "Advice")]
    pub(crate) advisor: Option<String>,
    /// Time limit for the advisor
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "2m", requires = "advisor", help_heading = "Advice")]
    pub(crate) advisor_timeout: Duration,
    /// Append one line per iteration to this file: status, accomplished, errors, next
    #[arg(long, value_name = "FILE")]
    pub(crate) scratchpad: Option<PathBuf>,
    /// Write the output of each iteration to its own file in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) log_dir: Option<PathBuf>,
    /// Continue the last run of this command in this folder, with its history, limits and advice
    #[arg(long)]
    pub(crate) resume: bool,
    /// Run this command when the run ends because of a loop, a limit or errors, or needs a human
    ///
    /// The command is split into words like in a shell, with quotes and backslashes, but started without a
    /// shell. It gets the same variables as with `loopbreak watch`, such as `LOOPBREAK_RUN` and
    /// `LOOPBREAK_REASON`.
    #[arg(long, value_name = "CMD")]
    pub(crate) exec: Option<String>,
    /// Notify in the same cases: URL, webhook=URL, slack=URL, ntfy=URL or desktop; can be repeated
    #[arg(long, value_name = "WHERE")]
    pub(crate) notify: Vec<String>,
    /// Print no progress messages, only warnings and errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}

/// The response to a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnLoopArg {
    /// End with exit code 10
    Stop,
    /// Report it and ask the user on a terminal; otherwise end with exit code 13
    Escalate,
    /// Tell the agent in its next prompt, and continue
    Advise,
}

impl OnLoopArg {
    /// Returns the value of the setting `policy.on_loop`.
    pub(crate) fn setting(self) -> OnLoop {
        match self {
            OnLoopArg::Stop => OnLoop::Stop,
            OnLoopArg::Escalate => OnLoop::Escalate,
            OnLoopArg::Advise => OnLoop::Advise,
        }
    }
}
