//! `cargo xtask bench`: the benchmarks of all crates. `cargo xtask hook-bench`: the one of hooks, which needs `hyperfine`.

use std::process::Command;

use crate::chore_failure::ChoreFailure;
use crate::process::{cargo, run as run_process, works};

/// Runs `cargo bench` with these arguments.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    run_process(cargo(["bench", "--workspace", "--locked"]).args(arguments))
}

/// Measures what a hook costs, beside the start of a Python that does nothing.
pub(crate) fn hook(arguments: &[String]) -> Result<(), ChoreFailure> {
    if let [other, ..] = arguments {
        return Err(ChoreFailure::Usage(format!("hook-bench: unexpected {other:?}")));
    }
    hyperfine()?;
    run_process(&mut cargo(["bench", "--locked", "--package", "loopbreak-cli", "--bench", "hook"]))
}

/// Gets `hyperfine` from Debian, or builds it.
fn hyperfine() -> Result<(), ChoreFailure> {
    let there = || works(Command::new("hyperfine").arg("--version"));
    if there() {
        return Ok(());
    }
    eprintln!("xtask: the benchmark needs `hyperfine`; installing it …");
    let mut debian = Command::new("apt-get");
    if works(debian.args(["install", "--yes", "hyperfine"])) && there() {
        return Ok(());
    }
    run_process(&mut cargo(["install", "--locked", "hyperfine"]))
}
