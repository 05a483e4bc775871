//! All logs of an analysis, on their way to a report.

use std::collections::BTreeSet;
use std::io;

use loopbreak::Config;
use loopbreak_trace::InputSet;

use super::finished_runs::FinishedRuns;
use super::log_analysis::LogAnalysis;
use super::run_match::{RunMatch, match_name, quote_first};
use super::unread_inputs::{DiagnosticSink, InputSummary, report_unread_inputs};
use crate::recording::RunRecording;
use crate::report::{FilteredRuns, InputStatistics, Report, RunFilter, RunList, RunReport, TotalsBuilder};
use crate::series::{RestartTracker, TaskAttempts};

/// The logs of an analysis in the order of the inputs.
#[derive(Debug)]
pub struct AnalyzedLogs {
    /// The inputs.
    pub inputs: InputSet,
    /// One analysis per input.
    pub logs: Vec<LogAnalysis>,
    config: Config,
}

impl AnalyzedLogs {
    pub(super) fn new(inputs: InputSet, mut logs: Vec<LogAnalysis>, config: &Config) -> Self {
        // Lines of other files say nothing about the run that was selected. If it was not found, they may have hidden it.
        if logs.iter().any(|log| !log.runs.is_empty()) {
            let others = logs.iter_mut().filter(|log| log.runs.is_empty() && !log.other_runs.is_empty());
            others.for_each(|log| log.reading.forget_lines());
        }
        AnalyzedLogs { inputs, logs, config: config.clone() }
    }

    /// Returns whether there are no runs.
    pub fn has_no_runs(&self) -> bool {
        self.logs.iter().all(|log| log.runs.is_empty())
    }

    /// Returns the names of all runs.
    pub fn run_names(&self) -> impl Iterator<Item = &str> {
        self.logs.iter().flat_map(|log| log.runs.names())
    }

    /// Lists the names of the first runs, sorted and without duplicates, for a message.
    pub fn describe_runs(&self) -> String {
        quote_first(self.run_names().collect())
    }

    /// Compares the name of a run that was not found with the runs that were left out because of it.
    pub fn match_run(&self, name: &str) -> RunMatch {
        match_name(name, self.logs.iter().flat_map(|log| &log.other_runs).map(String::as_str).collect())
    }

    /// Reports the inputs that could not be read, and sums up the others.
    pub fn report_unread_inputs(&self, sink: &mut dyn DiagnosticSink) -> InputSummary {
        report_unread_inputs(&self.inputs, self.logs.iter().map(|log| &log.reading), sink)
    }

    /// Combines the logs into a report. An error means that a run could not be read back from its temporary
    /// file.
    pub fn into_report(self, reading: &InputStatistics) -> io::Result<Report> {
        self.into_filtered_report(reading, &RunFilter::default()).map(|(report, _)| report)
    }

    /// Like [`AnalyzedLogs::into_report`], for the runs that a filter selects.
    pub fn into_filtered_report(
        self,
        reading: &InputStatistics,
        filter: &RunFilter,
    ) -> io::Result<(Report, FilteredRuns)> {
        let config = &self.config;
        let mut tasks = TaskAttempts::new(config);
        let mut restarts = RestartTracker::new(config);
        let (mut runs, mut sums) = (Vec::new(), TotalsBuilder::default());
        let (mut filtered, mut selected) = (FilteredRuns::default(), Vec::new());
        for (source, log) in self.logs.into_iter().enumerate() {
            let mut names = BTreeSet::new();
            log.runs.for_each(|summary, run| {
                let is_selected = filter.selects(run, &mut filtered);
                selected.push(is_selected);
                if !is_selected {
                    names.insert(run.run.clone());
                    return Ok(());
                }
                summary.cloned().into_iter().for_each(|summary| restarts.add(summary));
                sums.add(run);
                Ok(())
            })?;
            for attempt in log.attempts.into_iter().filter(|attempt| !names.contains(attempt.run())) {
                tasks.add(source, attempt);
            }
            runs.push(log.runs);
        }
        let series = [tasks.finish(), restarts.finish()].concat();
        let totals = sums.finish(reading);
        let selected = (filtered.left_out > 0).then_some(selected);
        let report = Report::new(AllRuns { runs, selected }, series, totals);
        Ok((Report { mode: config.mode, ..report }, filtered))
    }
}

/// The runs of all logs, in the order of reading.
#[derive(Debug)]
struct AllRuns {
    runs: Vec<FinishedRuns>,
    /// For each run, whether it is part of the report; absent if all are.
    selected: Option<Vec<bool>>,
}

impl RunList for AllRuns {
    fn len(&self) -> usize {
        match &self.selected {
            Some(selected) => selected.iter().filter(|is_selected| **is_selected).count(),
            None => self.runs.iter().map(FinishedRuns::len).sum(),
        }
    }

    fn each(&self, see: &mut dyn FnMut(&RunReport) -> io::Result<()>) -> io::Result<()> {
        let mut number = 0;
        self.runs.iter().try_for_each(|runs| {
            runs.for_each(|_, run| {
                let is_selected = self.selected.as_ref().is_none_or(|selected| selected[number]);
                number += 1;
                if is_selected { see(run) } else { Ok(()) }
            })
        })
    }

    fn take_recording(&self, index: usize) -> io::Result<RunRecording> {
        let mut index = match &self.selected {
            Some(selected) => {
                let mut numbers = selected.iter().enumerate().filter(|(_, is_selected)| **is_selected);
                numbers.nth(index).map_or(usize::MAX, |(number, _)| number)
            }
            None => index,
        };
        for runs in &self.runs {
            if index < runs.len() {
                return Ok(runs.take_recording(index)?.map(|recording| *recording).unwrap_or_default());
            }
            index -= runs.len();
        }
        Ok(RunRecording::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_each_of_the_first_runs_once() {
        assert_eq!(quote_first(vec!["b", "a", "b"]), "\"a\", \"b\"");
        let many = vec!["6", "5", "4", "3", "2", "1"];
        assert_eq!(quote_first(many), "\"1\", \"2\", \"3\", \"4\", \"5\", …");
    }
}
