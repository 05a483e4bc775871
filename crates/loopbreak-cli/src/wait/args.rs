//! The arguments of `loopbreak wait`.

use std::time::Duration;

use clap::Args;

use crate::value_parsers::parse_duration;

/// Wait until a command succeeds.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak wait --until 'curl -sf localhost:8080/health'
  loopbreak wait --every 20s --timeout 40m -- gh run view 7 --exit-status
  loopbreak wait --until-output completed -- gh run view 7
  loopbreak wait --until-change -- git ls-remote origin main
  loopbreak wait --until 'test -f done' --fail-when 'test -f failed'

One call in place of many polls, for agents and scripts. A try does not begin
after the timeout, and ends with all processes it started. At the end it prints
a line with the time and the number of tries, and the last output, at most
40 lines and 4,000 bytes.

Exit codes:
  0 the condition is met; 1 the command cannot be run, or --fail-when succeeded;
  2 wrong usage; 11 timeout; 130 interrupted")]
pub(crate) struct WaitArgs {
    /// Command with its arguments, after --; it is run without a shell
    #[arg(value_name = "CMD", last = true, required_unless_present = "until", conflicts_with = "until")]
    pub(super) command: Vec<String>,
    /// Run this command line with the shell until it succeeds
    #[arg(long, value_name = "CMD")]
    pub(super) until: Option<String>,
    /// Wait until the output contains this text, whatever the exit code is
    #[arg(long, value_name = "TEXT", conflicts_with = "until_change")]
    pub(super) until_output: Option<String>,
    /// Wait until the output or the exit code differs from that of the first try
    #[arg(long)]
    pub(super) until_change: bool,
    /// Give up if this command line, run with the shell after each try, succeeds
    #[arg(long, value_name = "CMD")]
    pub(super) fail_when: Option<String>,
    /// Time between two tries: seconds, or a time such as 20s or 5m
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "10s")]
    pub(super) every: Duration,
    /// Give up after this time
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "10m")]
    pub(super) timeout: Duration,
    /// End a try after this time; it has not met the condition
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "1m")]
    pub(super) try_timeout: Duration,
    /// Print one JSON object at the end
    #[arg(long)]
    pub(super) json: bool,
}
