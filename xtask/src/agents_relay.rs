//! `cargo xtask agents` needs crates that no other chore needs: it is run by an xtask that has them.

use crate::chore_failure::ChoreFailure;
use crate::process::{cargo, root};

/// Builds xtask with the feature `agents`, and runs the chore with it.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    let mut command =
        cargo(["run", "--quiet", "--locked", "--package", "xtask", "--features", "agents", "--", "agents"]);
    // Paths among the arguments are relative to the folder of the caller.
    command.current_dir(std::env::current_dir().unwrap_or_else(|_| root()));
    let status = command
        .args(arguments)
        .status()
        .map_err(|error| ChoreFailure::io("start `cargo run --package xtask --features agents`", &error))?;
    // It has printed what is wrong.
    match status.code() {
        Some(0) => Ok(()),
        code => std::process::exit(code.unwrap_or(1)),
    }
}
