//! The options that select runs, and sort them.

use std::time::{Duration, SystemTime};

use clap::{Args, ValueEnum};
use loopbreak::text::nearest_name;
use loopbreak_analysis::{FilteredRuns, RunFilter};
use loopbreak_report::text::{RunOrder, TableOptions};

use crate::error::UserError;
use crate::value_parsers::parse_duration;

/// Number of names in a hint.
const NAMED: usize = 5;

/// Selects runs, and sorts the table.
#[derive(Debug, Default, Args)]
pub(crate) struct SelectionOptions {
    /// Only runs that ended this long ago or later, such as 12h or 7d
    #[arg(long, help_heading = "Runs", value_name = "TIME", value_parser = parse_duration)]
    since: Option<Duration>,
    /// Only runs whose project folder or log path contains this text
    #[arg(long, help_heading = "Runs", value_name = "TEXT")]
    project: Option<String>,
    /// Only runs of this log format, or with this agent
    #[arg(long, help_heading = "Runs", value_name = "NAME")]
    agent: Option<String>,
    /// Only runs with a model whose name contains this text
    #[arg(long, help_heading = "Runs", value_name = "TEXT")]
    model: Option<String>,
    /// Sort the table of runs [default: waste]
    #[arg(long, help_heading = "Runs", value_name = "FIGURE")]
    sort: Option<SortFigure>,
    /// List this many runs in the table
    #[arg(long, help_heading = "Runs", value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    top: Option<u32>,
}

/// The figure that runs are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SortFigure {
    /// Money spent in loops
    Waste,
    /// Cost
    Cost,
    /// Tokens
    Tokens,
    /// Steps
    Steps,
    /// Time of the last step
    Date,
    /// Order of the logs
    Log,
}

impl SelectionOptions {
    /// Returns the filter. The engine reads no clock, so the time is an argument.
    pub(super) fn filter(&self, now: SystemTime) -> RunFilter {
        let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let since = self.since.map(|ago| now.saturating_sub(ago));
        RunFilter {
            since: since.map(|since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)),
            project: self.project.clone(),
            agent: self.agent.clone(),
            model: self.model.clone(),
        }
    }

    /// Returns the options of the table.
    pub(super) fn table(&self) -> TableOptions {
        let order = match self.sort {
            None | Some(SortFigure::Waste) => RunOrder::Waste,
            Some(SortFigure::Cost) => RunOrder::Cost,
            Some(SortFigure::Tokens) => RunOrder::Tokens,
            Some(SortFigure::Steps) => RunOrder::Steps,
            Some(SortFigure::Date) => RunOrder::Date,
            Some(SortFigure::Log) => RunOrder::Log,
        };
        let top = self.top.map(|top| top as usize);
        TableOptions { order, top, always: self.sort.is_some() || top.is_some() }
    }

    /// Returns the error if no run is selected, with the names that the runs have instead.
    pub(super) fn nothing_selected(&self, filtered: &FilteredRuns) -> UserError {
        let runs = match filtered.left_out {
            1 => "the only run".to_owned(),
            runs => format!("any of the {runs} runs"),
        };
        let option = filtered.option.unwrap_or_default();
        let given = match option {
            "--project" => self.project.as_deref(),
            "--agent" => self.agent.as_deref(),
            "--model" => self.model.as_deref(),
            _ => None,
        };
        let Some(given) = given else {
            return UserError::failed(format!("{option} does not select {runs}"))
                .hint("choose a longer time");
        };
        let error = UserError::failed(format!("{option} {given:?} does not select {runs}"));
        let known = || filtered.known.iter().map(String::as_str);
        if known().next().is_none() {
            return error.hint("the logs do not name any");
        }
        if let Some(nearest) = nearest_name(given, known()) {
            return error.hint(format!("did you mean {nearest:?}?"));
        }
        let names: Vec<String> = known().take(NAMED).map(|name| format!("{name:?}")).collect();
        let more = if filtered.known.len() > NAMED { ", …" } else { "" };
        error.hint(format!("the runs have {}{more}", names.join(", ")))
    }
}
