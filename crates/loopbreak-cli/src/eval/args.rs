//! The options of `loopbreak eval`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use loopbreak_analysis::eval::EvalBaseline;

use crate::args::ConfigOptions;
use crate::labels::LabelArgs;

/// Compare with labelled runs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak eval logs/                                      Signals and savings, without labels
  loopbreak eval logs/ --labels runs.jsonl --positive success=false
  loopbreak eval logs/ --labels runs.jsonl --positive 'labels.pairs>=3' --where labels.checked=true
  loopbreak eval logs/ --baseline openhands-rule,gemini-rule,documents
  loopbreak eval logs/ --labels runs.jsonl --positive stuck --json > eval.json
  loopbreak eval logs/ --labels runs.jsonl --positive stuck --html eval.html

A file of labels has one JSON object a line, such as
  {\"run\":\"ep-7\",\"success\":false,\"labels\":{\"pairs\":[[3,4],[4,5]],\"reward\":0.2}}

Exit codes:
  0 done; 1 something could not be read, or no label is about one of the runs;
  2 used or configured wrongly")]
pub(crate) struct EvalArgs {
    /// Files, folders, or - for standard input
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read all logs as this format, whatever their content says: see `loopbreak formats`
    #[arg(long, value_name = "NAME", value_parser = crate::formats::parse)]
    pub(crate) format: Option<loopbreak_trace::LogFormat>,
    #[command(flatten)]
    pub(crate) labels: LabelArgs,
    /// Compare with these, joined by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) baseline: Vec<BaselineName>,
    /// Print the evaluation as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the evaluation as one page for a browser, with the curve of gain against harm
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Print no warnings about lines
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}

/// What to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BaselineName {
    /// 4 equal pairs of action and observation, 3 equal actions that failed, or two pairs in turns over 6 steps
    OpenhandsRule,
    /// 5 equal calls in a row, whatever came of them
    GeminiRule,
    /// Loopbreak with the profile `documents`
    Documents,
}

impl From<BaselineName> for EvalBaseline {
    fn from(name: BaselineName) -> Self {
        match name {
            BaselineName::OpenhandsRule => EvalBaseline::OpenhandsRule,
            BaselineName::GeminiRule => EvalBaseline::GeminiRule,
            BaselineName::Documents => EvalBaseline::Documents,
        }
    }
}
