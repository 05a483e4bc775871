//! The options of `loopbreak eval`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use loopbreak_analysis::eval::EvalBaseline;

use crate::args::ConfigOptions;
use crate::labels::LabelArgs;
use crate::value_parsers::log_format;

/// Measure precision, recall and savings on labelled runs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak eval logs/                             Signals and savings only
  loopbreak eval logs/ --labels runs.jsonl --positive success=false
  loopbreak eval logs/ --labels runs.jsonl --positive 'labels.pairs>=3'
  loopbreak eval logs/ --baseline openhands-rule,gemini-rule
  loopbreak eval logs/ --labels runs.jsonl --positive stuck --json > eval.json
  loopbreak eval logs/ --labels runs.jsonl --positive stuck --html eval.html
  loopbreak eval logs/ --labels runs.jsonl --positive stuck \\
    --where labels.checked=true                    Only runs with this label
  loopbreak eval runs/web.jsonl --split split.jsonl --part check
                                                   Only runs of this part
  loopbreak eval logs/ --advice neutral mine.toml  Compare two sets of texts

A label file has one JSON object per line, such as
  {\"run\":\"ep-7\",\"success\":false,\"labels\":{\"pairs\":[[3,4],[4,5]],\"reward\":0.2}}

A split file has one JSON object per line. It names a run of the log web.jsonl,
or a whole log:
  {\"set\":\"web\",\"run\":\"ep-7\",\"part\":\"look\"}
  {\"set\":\"sessions\",\"file\":\"a1.jsonl.gz\",\"part\":\"check\"}

Exit codes:
  0 success; 1 an input could not be read, or no label matches a run;
  2 wrong usage or configuration")]
pub(crate) struct EvalArgs {
    /// Files, folders, or - for standard input
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read all logs as this format instead of detecting it; see `loopbreak formats`
    #[arg(long, value_name = "NAME", value_parser = log_format(), hide_possible_values = true)]
    pub(crate) format: Option<loopbreak_trace::LogFormat>,
    #[command(flatten)]
    pub(crate) labels: LabelArgs,
    /// Division of the runs into parts, one JSON object per line with `set`, `run` or `file`, and `part`
    #[arg(long, value_name = "FILE", requires = "part")]
    pub(crate) split: Option<PathBuf>,
    /// Use only the runs of this part of the split, such as `look` or `check`
    #[arg(long, value_name = "PART", requires = "split")]
    pub(crate) part: Option<String>,
    /// Rules to compare with, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) baseline: Vec<BaselineName>,
    /// Instead of evaluating, print the advice of two sets of texts side by side, for the first finding of each
    /// pattern
    ///
    /// A set is `neutral`, `zork`, or a configuration file with a section [advice]. Texts do not change the verdicts
    /// of a replay.
    #[arg(
        long,
        value_names = ["A", "B"],
        num_args = 2,
        conflicts_with_all = ["labels", "positive", "only", "split", "part", "baseline", "html"]
    )]
    pub(crate) advice: Vec<String>,
    /// Print the evaluation as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the evaluation as an HTML page with a chart of steps saved against progress lost
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Print no warnings about skipped lines
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Show every skipped line and ignored file
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}

/// A rule to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BaselineName {
    /// 4 identical action-observation pairs, 3 identical failed actions, or 2 alternating pairs in 6 steps
    OpenhandsRule,
    /// 5 identical calls in a row, whatever their results
    GeminiRule,
    /// 3 identical calls in a row, whatever their results
    OpencodeRule,
    /// The same call with the same result 3 times in the last 10 calls
    WindowRule,
    /// Loopbreak with the profile `documents`
    Documents,
}

impl From<BaselineName> for EvalBaseline {
    fn from(name: BaselineName) -> Self {
        match name {
            BaselineName::OpenhandsRule => EvalBaseline::OpenhandsRule,
            BaselineName::GeminiRule => EvalBaseline::GeminiRule,
            BaselineName::OpencodeRule => EvalBaseline::OpencodeRule,
            BaselineName::WindowRule => EvalBaseline::WindowRule,
            BaselineName::Documents => EvalBaseline::Documents,
        }
    }
}
