//! Two reports on the same logs.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;

use serde::Serialize;

use super::compared_run::{ComparedRun, SettingsOutcome};
use crate::json_number::plain_option;
use crate::report::{Report, RunTotals};

/// Name and version of the format.
const SCHEMA: &str = "loopbreak.comparison/1";

/// Two reports on the same logs: with the settings as they are, and with others.
#[derive(Clone, Debug, Serialize)]
pub struct SettingsComparison {
    /// `loopbreak.comparison/1`.
    pub schema: &'static str,
    /// The other settings, as the user gave them.
    pub settings: Vec<String>,
    /// Number of runs that were compared.
    pub compared_runs: u64,
    /// Runs whose result changes, those that change most first.
    pub runs: Vec<ComparedRun>,
    /// Totals of all runs with the settings as they are.
    pub before: ComparedTotals,
    /// Totals of all runs with the other settings.
    pub after: ComparedTotals,
}

/// Totals of all runs under one of the settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ComparedTotals {
    /// Number of runs.
    pub runs: u64,
    /// Number of runs that would have been warned, those that would have been stopped included.
    pub warned: u64,
    /// Number of runs with the verdict `stop`.
    pub stopped: u64,
    /// Number of runs that would have ended or been escalated to a human.
    pub ended: u64,
    /// Turns that would have been saved.
    pub steps_after_ending: u64,
    /// Tokens that would have been saved.
    pub tokens_after_ending: Option<u64>,
    /// US dollars that would have been saved.
    #[serde(serialize_with = "plain_option")]
    pub cost_after_ending_usd: Option<f64>,
    /// Number of runs that made progress after their ending, which would have been lost.
    pub progress_after_ending: u64,
}

impl From<&RunTotals> for ComparedTotals {
    fn from(totals: &RunTotals) -> Self {
        ComparedTotals {
            runs: totals.runs,
            warned: totals.warned,
            stopped: totals.stopped,
            ended: totals.ended,
            steps_after_ending: totals.steps_after_ending,
            tokens_after_ending: totals.tokens_after_ending,
            cost_after_ending_usd: totals.cost_after_ending_usd,
            progress_after_ending: totals.progress_after_ending,
        }
    }
}

impl SettingsComparison {
    /// Compares two reports on the same logs, given the settings that differ.
    ///
    /// # Errors
    ///
    /// Fails if the runs of a report cannot be read from its temporary file.
    pub fn new(settings: Vec<String>, before: &Report, after: &Report) -> io::Result<Self> {
        let mut known: HashMap<(String, String), SettingsOutcome> = HashMap::with_capacity(before.runs.len());
        before.runs.each(&mut |run| {
            known.insert((run.source.clone(), run.run.clone()), run.into());
            Ok(())
        })?;
        let (mut compared_runs, mut runs) = (0, Vec::new());
        after.runs.each(&mut |run| {
            // A run that began after the first pass cannot be compared.
            let Some(before) = known.remove(&(run.source.clone(), run.run.clone())) else { return Ok(()) };
            compared_runs += 1;
            let after = SettingsOutcome::from(run);
            if before != after {
                let (source, name) = (run.source.clone(), run.run.clone());
                runs.push(ComparedRun { run: name, source, steps: run.steps, before, after });
            }
            Ok(())
        })?;
        runs.sort_by_key(|run| Reverse(run.weight()));
        let (before, after) = (ComparedTotals::from(&before.totals), ComparedTotals::from(&after.totals));
        Ok(SettingsComparison { schema: SCHEMA, settings, compared_runs, runs, before, after })
    }
}

#[cfg(test)]
mod tests {
    use loopbreak::Config;

    use super::*;
    use crate::{InputStatistics, RunAnalysis, TotalsBuilder};

    /// Analyzes runs in which one call is repeated this often, with a setting.
    fn report(repeats: &[u64], settings: &str) -> Report {
        let config = Config::new(serde_json::from_str(settings).unwrap()).unwrap();
        let runs: Vec<_> = repeats
            .iter()
            .enumerate()
            .map(|(number, repeats)| {
                let mut analysis = RunAnalysis::new(&config, format!("r{number}"));
                for turn in 1..=*repeats {
                    let line = format!(r#"{{"turn":{turn},"action":"ls","outcome":"same"}}"#);
                    analysis.observe(&loopbreak::Step::from_json(&line).unwrap());
                }
                analysis.finish("a.jsonl", "steps")
            })
            .collect();
        let mut totals = TotalsBuilder::default();
        for run in &runs {
            totals.add(run);
        }
        let totals = totals.finish(&InputStatistics::default());
        Report {
            schema: crate::SCHEMA,
            mode: loopbreak::Mode::Enforce,
            runs: Box::new(runs),
            series: Vec::new(),
            totals,
        }
    }

    #[test]
    fn only_runs_that_change_are_listed_with_both_results() {
        let repeats = [1, 3, 30];
        let (before, after) = (report(&repeats, "{}"), report(&repeats, r#"{"cycle":{"warn_at":5}}"#));
        let compared = SettingsComparison::new(vec!["cycle.warn_at=5".into()], &before, &after).unwrap();
        assert_eq!(compared.compared_runs, 3);
        assert!(compared.runs.iter().all(|run| run.run != "r0"), "{compared:?}");
        let short = compared.runs.iter().find(|run| run.run == "r1").unwrap();
        assert_eq!((short.before.verdict.as_str(), short.after.verdict.as_str()), ("warn", "clear"));
        assert_eq!(short.before.first_warning.as_ref().unwrap().turn, 3);
        assert_eq!((compared.before.warned, compared.after.warned), (2, 1));
        assert_eq!(compared.runs[0].run, "r1", "another verdict comes first");
    }

    #[test]
    fn equal_settings_change_nothing() {
        let compared =
            SettingsComparison::new(Vec::new(), &report(&[3, 30], "{}"), &report(&[3, 30], "{}")).unwrap();
        assert!(compared.runs.is_empty() && compared.before == compared.after);
        assert_eq!(compared.compared_runs, 2);
    }
}
