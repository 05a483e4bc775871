//! The arguments of `loopbreak guard`.

use clap::Args;

use crate::args::{ConfigOptions, FailOn};

/// Judge steps from standard input, one JSON object per line.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak guard                            Guard runs as long as it is running
  loopbreak guard --run nightly              Continue a stored run
  loopbreak convert log.json | loopbreak guard --fail-on stop
  loopbreak guard --profile game --set stagnation.max_turns=60

A line is a step, and is answered with a verdict:
  {\"action\":\"make\",\"outcome\":{\"text\":\"1 failed\",\"error\":true}}
A line with \"weigh\" asks about an action before it is taken:
  {\"weigh\":{\"action\":\"make\"}}
Both may have a \"run\": each run has a guard of its own. Each line is answered
with one line, at once and in order. A line that cannot be used is answered with
  {\"error\":{\"code\":…,\"message\":…,\"hint\":…,\"line\":3}}
and the next one is read. The guard guide has programs in several languages.

Exit codes:
  0 the input ended, or nobody reads the answers; 1 failed;
  2 wrong usage or configuration; 10 with --fail-on, if a step got that verdict")]
pub(crate) struct GuardArgs {
    /// Keep the run with this name in the store, so that other processes can continue it
    ///
    /// Several processes may guard the same run at the same time. `loopbreak log NAME` shows the run. Without it, all
    /// runs are forgotten when the program ends.
    #[arg(long, value_name = "NAME")]
    pub(super) run: Option<String>,
    /// Exit with 10 if a step got this verdict or a worse one
    #[arg(long, value_name = "VERDICT")]
    pub(super) fail_on: Option<FailOn>,
    #[command(flatten)]
    pub(super) config: ConfigOptions,
}
