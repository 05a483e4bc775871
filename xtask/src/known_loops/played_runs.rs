//! The runs that tests played, with what Loopbreak said.

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;
use serde_json::Value;

use super::complaint_tests::MODULES;
use crate::chore_failure::ChoreFailure;
use crate::process::{WITH_AGENTS, cargo, root, stdout_of};

/// The variable that makes the tests record their runs.
const FOLDER_VARIABLE: &str = "LOOPBREAK_RECORD_TESTS";

/// A run that a test played.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct PlayedRun {
    /// Name of the test.
    pub(super) test: String,
    /// Its steps.
    pub(super) steps: Vec<PlayedStep>,
}

/// A step with its verdict.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct PlayedStep {
    pub(super) record: Value,
    pub(super) turn: u64,
    pub(super) findings: Vec<PlayedFinding>,
    pub(super) decisions: Vec<PlayedDecision>,
    pub(super) advice: Vec<String>,
}

/// The parts of a finding that the page shows.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct PlayedFinding {
    pub(super) detector: String,
    pub(super) severity: String,
}

/// The parts of a decision that the page shows.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct PlayedDecision {
    pub(super) intervention: String,
}

/// Runs the tests and returns their runs by the names of the tests, in the order in which they began.
pub(super) fn record() -> Result<BTreeMap<String, Vec<PlayedRun>>, String> {
    let folder = root().join("target/known-loops");
    // A run of an earlier build must not remain.
    _ = fs::remove_dir_all(&folder);
    let failed = |error: std::io::Error| format!("cannot use {}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    let mut command = cargo(["test", "--workspace", "--locked", "--quiet", "--test", "engine"]);
    command.args(WITH_AGENTS).arg("--").args(MODULES.iter().map(|module| format!("{module}::")));
    stdout_of(command.env(FOLDER_VARIABLE, &folder)).map_err(|failure| match failure {
        ChoreFailure::Failed(message) | ChoreFailure::Usage(message) => message,
    })?;
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failed)? {
        names.push(entry.map_err(failed)?.path());
    }
    names.sort();
    let mut runs: BTreeMap<String, Vec<PlayedRun>> = BTreeMap::new();
    for path in names {
        let text = fs::read_to_string(&path).map_err(failed)?;
        let run: PlayedRun =
            serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        runs.entry(run.test.clone()).or_default().push(run);
    }
    Ok(runs)
}
