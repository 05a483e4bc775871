//! `cargo xtask secrets`: counts what masking hides in ordinary text.

use crate::chore_failure::ChoreFailure;
use crate::process::{cargo, run as run_process};

/// Runs the program that counts, with these paths.
pub(crate) fn run(paths: &[String]) -> Result<(), ChoreFailure> {
    let mut count =
        cargo(["run", "--quiet", "--locked", "--package", "loopbreak", "--example", "count_secrets", "--"]);
    run_process(count.args(paths))
}
