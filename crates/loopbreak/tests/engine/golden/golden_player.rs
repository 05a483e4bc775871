//! Plays the lines of a golden file.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use loopbreak::series::RunSummary;
use loopbreak::{Config, Guard, Profile, Proposal, Series, Snapshot, Step};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::steps::config_of;

/// One line of a golden file that says what to do. Each has exactly one of these keys.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum GoldenLine<'l> {
    /// Starts a guard. There is no answer.
    Guard { run: String, config: Value },
    /// Shows a step to the guard. The answer is the verdict.
    #[serde(borrow)]
    Observe(&'l RawValue),
    /// Weighs a proposal. The answer is the ruling.
    #[serde(borrow)]
    Weigh(&'l RawValue),
    /// Takes a snapshot, and continues with a guard that is restored from it. The answer is the snapshot.
    Snapshot(EmptyLine),
    /// Starts a series. There is no answer.
    Series { config: Value },
    /// Shows the steps of a run to its summary, and adds it to the series. The answer is the verdict.
    Conclude {
        run: String,
        #[serde(borrow)]
        steps: Vec<&'l RawValue>,
    },
}

/// The value of a line that has none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EmptyLine {}

/// The state that the lines so far have set up.
pub(super) struct GoldenPlayer {
    config: Config,
    guard: Guard,
    series: Series,
}

impl GoldenPlayer {
    pub(super) fn new() -> Self {
        let config = Config::default();
        GoldenPlayer { guard: Guard::new(config.clone()), series: Series::new(config.clone()), config }
    }

    /// Does what a line says. Returns the answer if there is one.
    pub(super) fn play(&mut self, line: &str) -> Option<String> {
        let read: GoldenLine<'_> =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"));
        let answer = match read {
            GoldenLine::Guard { run, config } => {
                self.config = config_from(config);
                self.guard = Guard::new(self.config.clone()).for_run(&run);
                return None;
            }
            GoldenLine::Series { config } => {
                self.config = config_from(config);
                self.series = Series::new(self.config.clone());
                return None;
            }
            GoldenLine::Observe(step) => {
                serde_json::to_string(&self.guard.observe(&Step::from_json(step.get()).unwrap()))
            }
            GoldenLine::Weigh(proposal) => {
                serde_json::to_string(&self.guard.weigh(&Proposal::from_json(proposal.get()).unwrap()))
            }
            GoldenLine::Snapshot(EmptyLine {}) => {
                let text = serde_json::to_string(&self.guard.snapshot()).unwrap();
                let snapshot: Snapshot = serde_json::from_str(&text).unwrap();
                self.guard = Guard::restore(self.config.clone(), snapshot).unwrap();
                Ok(text)
            }
            GoldenLine::Conclude { run, steps } => {
                let mut summary = RunSummary::new(&self.config, run);
                for step in steps {
                    summary.observe(&Step::from_json(step.get()).unwrap());
                }
                serde_json::to_string(&self.series.conclude(&summary))
            }
        };
        Some(answer.unwrap())
    }
}

/// Returns the configuration that a table of a configuration file stands for: a profile, and the options that differ.
fn config_from(mut table: Value) -> Config {
    let profile = table.as_object_mut().and_then(|table| table.remove("profile"));
    let profile = profile.map_or(Profile::Auto, |profile| serde_json::from_value(profile).unwrap());
    config_of(profile, table)
}
