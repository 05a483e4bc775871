//! The options of `watch`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::args::{ConfigOptions, FailOn};
use crate::duration::parse_duration;

/// Follow growing logs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak watch logs/                                   All logs in a folder, those that come later too
  loopbreak watch run.jsonl --bell                        Ring when a run should be stopped or needs a human
  loopbreak watch logs/ --exec './stop-agent.sh --now'    Do something about it: $LOOPBREAK_RUN says which run
  loopbreak watch logs/ --exec 'sh -c \"kill $(cat agent.pid)\"'
  loopbreak watch logs/ --notify webhook=https://example.com/hooks/loops
  loopbreak watch logs/ --json | my-dashboard             One JSON object a line
  loopbreak watch logs/ --once --fail-on stop             In a script: tell what is there, and end

What is in the logs already is read without a word, to know where each run stands; --from-start tells of it too.
The variables of --exec: LOOPBREAK_RUN, LOOPBREAK_REASON, LOOPBREAK_DETECTOR, LOOPBREAK_PATTERN,
LOOPBREAK_INTERVENTION, LOOPBREAK_SOURCE, LOOPBREAK_TURN, LOOPBREAK_LOOP

Exit codes:
  0 done (--once, --until-idle); 1 something could not be read; 2 used or configured wrongly;
  10 with --fail-on, where something was told; 130 interrupted, after a closing summary")]
pub(crate) struct WatchArgs {
    /// Files and folders; what is not there yet is waited for
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Read all logs as this format, whatever their content says: see `loopbreak formats`
    #[arg(long, value_name = "NAME", value_parser = crate::formats::parse)]
    pub(crate) format: Option<loopbreak_trace::LogFormat>,
    /// Tell of what is in the logs already, as if it came now
    #[arg(long)]
    pub(crate) from_start: bool,
    /// Tell of what is in the logs, and end
    #[arg(long, conflicts_with = "until_idle")]
    pub(crate) once: bool,
    /// End when nothing was written for so long: seconds, or a time such as 90s or 5m
    #[arg(long, value_name = "SECONDS", value_parser = parse_duration)]
    pub(crate) until_idle: Option<Duration>,
    /// Run this command when a run should be stopped or needs a human
    ///
    /// It is split into words at blanks, with quotes and backslashes as in a shell, and started without one. One at a time
    /// for each run. It gets no input, and what it prints goes to standard error. If it fails, that is told, and the watch
    /// goes on.
    #[arg(long, value_name = "CMD")]
    pub(crate) exec: Option<String>,
    /// Send a JSON object by POST when a run should be stopped or needs a human, as in webhook=https://example.com/hook
    #[arg(long, value_name = "webhook=URL")]
    pub(crate) notify: Vec<String>,
    /// Ring the terminal's bell when a run should be stopped or needs a human
    #[arg(long)]
    pub(crate) bell: bool,
    /// Forget a run that nothing was heard of for so long; if it comes back, it starts anew
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_duration)]
    pub(crate) forget: Duration,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Print plain lines on a terminal too, without the list of runs
    #[arg(long)]
    pub(crate) plain: bool,
    /// At the end, exit with 10 if a run that was told of came to this verdict or worse
    #[arg(long, value_name = "VERDICT")]
    pub(crate) fail_on: Option<FailOn>,
    /// Tell hints and every line skipped too
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}
