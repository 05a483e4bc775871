//! `cargo xtask bench`: the benchmarks of all crates. `cargo xtask hook-bench`: the one of hooks.

use std::fs;

use crate::chore_failure::ChoreFailure;
use crate::process::{cargo, run as run_process};

/// Runs `cargo bench` with these arguments.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    run_process(cargo(["bench", "--workspace", "--locked"]).args(arguments))
}

/// Measures what a hook costs, beside the start of a Python that does nothing and beside another build of the program.
pub(crate) fn hook(arguments: &[String]) -> Result<(), ChoreFailure> {
    let usage = |message: String| Err(ChoreFailure::Usage(format!("hook-bench: {message}")));
    let against = match arguments {
        [] => None,
        [option, program] if option == "--against" => Some(program),
        [option] if option == "--against" => return usage("--against needs a program".to_owned()),
        [other, ..] => return usage(format!("unexpected {other:?}")),
    };
    // The benchmark runs in another folder.
    let against = against
        .map(|program| {
            fs::canonicalize(program)
                .map_err(|error| ChoreFailure::io(format_args!("find {program}"), &error))
        })
        .transpose()?;
    let mut bench = cargo(["bench", "--locked", "--package", "loopbreak-cli", "--bench", "hook"]);
    if let Some(program) = against {
        bench.args(["--", "--against"]).arg(program);
    }
    run_process(&mut bench)
}
