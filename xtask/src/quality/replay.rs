//! Runs `loopbreak` on samples and reads its JSON.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::eval_figures::EvalFigures;
use super::replayed_run::ReplayedRun;
use crate::chore_failure::ChoreFailure;

/// The rules of others, in the order of the tables.
const BASELINES: [&str; 5] = ["openhands-rule", "gemini-rule", "opencode-rule", "window-rule", "documents"];

#[derive(Deserialize)]
struct AnalyzeReport {
    runs: Vec<ReplayedRun>,
}

/// Runs `loopbreak analyze`.
pub(super) fn analyze(program: &Path, paths: &[PathBuf]) -> Result<Vec<ReplayedRun>, ChoreFailure> {
    let mut command = Command::new(program);
    command.args(["analyze", "--json", "--quiet"]).args(paths);
    Ok(json_of::<AnalyzeReport>(&mut command)?.runs)
}

/// Runs `loopbreak eval` with all baselines and these further arguments.
pub(super) fn eval(
    program: &Path,
    paths: &[PathBuf],
    arguments: &[String],
) -> Result<EvalFigures, ChoreFailure> {
    let mut command = Command::new(program);
    command
        .args(["eval", "--json", "--quiet", "--baseline", &BASELINES.join(",")])
        .args(arguments)
        .args(paths);
    json_of(&mut command)
}

/// Reads the JSON that a command prints. A file among the samples that is not a log makes the command fail, but it still
/// reports the others.
fn json_of<T: DeserializeOwned>(command: &mut Command) -> Result<T, ChoreFailure> {
    let output = command.output().map_err(|error| ChoreFailure::io("start loopbreak", &error))?;
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let told = String::from_utf8_lossy(&output.stderr);
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).take(6).collect();
        ChoreFailure::Failed(format!("`loopbreak {} …`: {error}\n{}", words.join(" "), told.trim_end()))
    })
}
