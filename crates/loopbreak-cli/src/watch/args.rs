//! The options of `watch`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::args::{ConfigOptions, FailOn};
use crate::value_parsers::{log_format, parse_duration};

/// Follow logs and report loops as they happen.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak watch                       The logs of the agents on this machine
  loopbreak watch logs/                 All logs in a folder, including new ones
  loopbreak watch run.jsonl --bell      Ring the bell when a run needs attention
  loopbreak watch logs/ --json          One JSON object per line, for programs
  loopbreak watch logs/ --once --fail-on stop
                                        Report what is in the logs, then exit
  loopbreak watch logs/ --exec './stop-agent.sh --now'
                                        Run a command; $LOOPBREAK_RUN is the run
  loopbreak watch logs/ --exec 'sh -c \"kill $(cat agent.pid)\"'
  loopbreak watch logs/ --notify https://example.com/hooks/loops
  loopbreak watch --notify ntfy=https://ntfy.sh/my-agents --notify desktop
  loopbreak watch --on-stop pause       Pause an agent that should be stopped

Steps that are already in the logs are read but not reported, unless
--from-start is set.

Keys on a terminal:
  up, down select a run; o report; a allow the last refused call; p pause;
  r resume; s stop, after a question; q quit

Variables for --exec:
  LOOPBREAK_RUN, LOOPBREAK_REASON, LOOPBREAK_DETECTOR, LOOPBREAK_PATTERN,
  LOOPBREAK_INTERVENTION, LOOPBREAK_SOURCE, LOOPBREAK_TURN, LOOPBREAK_LOOP

Exit codes:
  0 success (--once, --until-idle, q); 1 an input could not be read;
  2 wrong usage or configuration; 10 with --fail-on, if a run was reported with
  that verdict; 130 interrupted, after a summary")]
pub(crate) struct WatchArgs {
    /// Files and folders; those that do not exist yet are waited for [default: the logs of the agents on this machine]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read all logs as this format instead of detecting it; see `loopbreak formats`
    #[arg(long, value_name = "NAME", value_parser = log_format(), hide_possible_values = true)]
    pub(crate) format: Option<loopbreak_trace::LogFormat>,
    /// Also report what is already in the logs
    #[arg(long)]
    pub(crate) from_start: bool,
    /// Report what is in the logs and exit
    #[arg(long, conflicts_with = "until_idle")]
    pub(crate) once: bool,
    /// Exit when nothing was written for this time: seconds, or a time such as 90s or 5m
    #[arg(long, value_name = "SECONDS", value_parser = parse_duration)]
    pub(crate) until_idle: Option<Duration>,
    /// Run this command when a run should be stopped or needs a human
    ///
    /// The command is split into words like in a shell, with quotes and backslashes, but started without a
    /// shell. Only one command runs at a time per run. Its standard input is empty and its output goes to
    /// standard error. If it fails, the failure is printed and the watch continues.
    #[arg(long, value_name = "CMD")]
    pub(crate) exec: Option<String>,
    /// Notify when a run should be stopped or needs a human: URL, webhook=URL, slack=URL, ntfy=URL or desktop; can be repeated
    #[arg(long, value_name = "WHERE")]
    pub(crate) notify: Vec<String>,
    /// Act on the agent of a run that should be stopped or needs a human
    #[arg(long, value_name = "ACT", conflicts_with_all = ["once", "from_start"])]
    pub(crate) on_stop: Option<OnStopArg>,
    /// Ring the terminal bell when a run should be stopped or needs a human
    #[arg(long)]
    pub(crate) bell: bool,
    /// Forget a run after this time without new steps; it starts from the beginning if it continues later
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_duration)]
    pub(crate) forget: Duration,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
    /// Print plain lines without the list of runs, even on a terminal
    #[arg(long)]
    pub(crate) plain: bool,
    /// Do not read keys from the terminal
    #[arg(long)]
    pub(crate) no_keys: bool,
    /// Exit with 10 if a reported run has this verdict or a worse one
    #[arg(long, value_name = "VERDICT")]
    pub(crate) fail_on: Option<FailOn>,
    /// Also report hints and every skipped line
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}

/// An act on the agent of a run that should be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnStopArg {
    /// Pause it until `loopbreak resume`
    Pause,
}
