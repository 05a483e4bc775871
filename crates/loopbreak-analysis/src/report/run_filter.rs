//! The runs that a report is about.

use std::collections::BTreeSet;

use super::run_report::RunReport;

/// Maximum number of names that are kept for a message.
const KNOWN: usize = 1_000;

/// Selects runs. An empty filter selects all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Runs with a step at this time or later, in milliseconds since 1970. A run without times is left out.
    pub since: Option<i64>,
    /// Part of the project's folder, or of the path of the log, in any case.
    pub project: Option<String>,
    /// Format of the log, or an agent that it names.
    pub agent: Option<String>,
    /// Part of the name of a model, in any case.
    pub model: Option<String>,
}

/// The runs that a filter left out, for a message if nothing is left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilteredRuns {
    /// Number of runs that were left out.
    pub left_out: usize,
    /// Values of the first part of the filter that did not match, as the runs have them.
    pub known: BTreeSet<String>,
    /// The option of that part.
    pub option: Option<&'static str>,
}

impl RunFilter {
    /// Returns whether all runs are selected.
    pub fn is_empty(&self) -> bool {
        *self == RunFilter::default()
    }

    /// Returns whether a run is selected, and keeps what it has instead if it is not.
    pub fn selects(&self, run: &RunReport, filtered: &mut FilteredRuns) -> bool {
        let contains = |text: &str, part: &str| text.to_lowercase().contains(&part.to_lowercase());
        let project = run.about.project.as_deref();
        let mismatch = if self.since.is_some_and(|since| run.ended.is_none_or(|ended| ended < since)) {
            Some(("--since", Vec::new()))
        } else if let Some(part) = &self.project
            && !project.into_iter().chain([run.source.as_str()]).any(|text| contains(text, part))
        {
            Some(("--project", vec![project.unwrap_or(&run.source)]))
        } else if let Some(name) = &self.agent
            && !run
                .agents
                .iter()
                .map(String::as_str)
                .chain([run.format])
                .any(|text| text.eq_ignore_ascii_case(name))
        {
            Some(("--agent", run.agents.iter().map(String::as_str).chain([run.format]).collect()))
        } else if let Some(part) = &self.model
            && !run.models.iter().any(|model| contains(model, part))
        {
            Some(("--model", run.models.iter().map(String::as_str).collect()))
        } else {
            None
        };
        let Some((option, names)) = mismatch else { return true };
        filtered.left_out += 1;
        if *filtered.option.get_or_insert(option) == option && filtered.known.len() < KNOWN {
            filtered.known.extend(names.into_iter().map(str::to_owned));
        }
        false
    }
}
