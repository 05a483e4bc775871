//! `cargo xtask bench`: the benchmarks of all crates.

use crate::failure::Failure;
use crate::process::{cargo, run as run_process};

/// Runs `cargo bench` with these arguments.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    run_process(cargo(["bench", "--workspace", "--locked"]).args(arguments))
}
