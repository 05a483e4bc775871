//! The options of `loopbreak explain-step`.

use clap::Args;
use loopbreak_trace::LogFormat;

use crate::args::ConfigOptions;
use crate::value_parsers::log_format;

/// Show steps as the detectors see them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak explain-step '{\"action\":\"make test\",\"outcome\":\"1 failed\"}'
  loopbreak explain-step run.jsonl --turn 12    One step of a log
  loopbreak explain-step run.jsonl --turn 12 --turn 14
                                                Why are these two not equal?
  loopbreak explain-step logs/ --run ep-7       All steps of a run
  my-agent --log - | loopbreak explain-step -   Standard input
  loopbreak explain-step run.jsonl --json | jq .outcome.compared

Equal fingerprints mean equal actions or outcomes. The compared texts are what
the fingerprints are made of; <*> stands for a part that changes by itself.

Exit codes:
  0 success; 1 an input could not be read, or has no such step;
  2 wrong usage or configuration")]
pub(crate) struct ExplainStepArgs {
    /// Steps as JSON, files, folders, or - for standard input
    ///
    /// A value that begins with { is a step itself, one per line. Anything else is the path of a log of any format.
    #[arg(value_name = "STEP|PATH", required = true)]
    pub(super) steps: Vec<String>,
    /// Read everything as this log format instead of detecting it; see `loopbreak formats`
    #[arg(long, value_name = "NAME", value_parser = log_format(), hide_possible_values = true)]
    pub(super) format: Option<LogFormat>,
    /// Show only the steps of the run with this id
    #[arg(long, value_name = "ID")]
    pub(super) run: Option<String>,
    /// Show only the step with this turn; can be repeated
    ///
    /// The steps before it are read too, because they may decide about it: whether the log marks failures, or whether the
    /// same call was made before.
    #[arg(long = "turn", value_name = "N")]
    pub(super) turns: Vec<u64>,
    /// Print one JSON object per step and line
    #[arg(long)]
    pub(super) json: bool,
    /// Print no warnings about skipped lines
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Show every skipped line and ignored file
    #[arg(short, long)]
    pub(super) verbose: bool,
    #[command(flatten)]
    pub(super) config: ConfigOptions,
}
