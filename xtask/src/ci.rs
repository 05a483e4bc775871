//! `cargo xtask ci`: everything that has to pass before a change is merged.

use std::env;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::chore_failure::ChoreFailure;
use crate::extensions;
use crate::fresh_project;
use crate::generate;
use crate::licences;
use crate::names;
use crate::process::{WITH_AGENTS, cargo, run as run_process, works};
use crate::programs;
use crate::python;
use crate::python_package;
use crate::workflows;

/// A step: the name to print, the function, and whether `--fast` skips it.
type CiStep = (&'static str, fn() -> Result<(), ChoreFailure>, bool);

/// From the cheapest to the most expensive; the tests come last, so that their summary closes the output.
const STEPS: &[CiStep] = &[
    ("format", format, false),
    ("names", names::check, false),
    ("licences", licences::check, false),
    ("lints", lints, false),
    ("without features", without_features, false),
    ("doc tests", doc_tests, true),
    ("documentation", documentation, true),
    ("generated files", generated_files, false),
    ("templates for extensions", extensions::check_all, false),
    ("programs", programs::install, false),
    ("Python packages", python::install, false),
    ("workflows", workflows::check, false),
    ("project that uses the library", fresh_project::check, true),
    ("Python package", python_package::check, false),
    ("tests", tests, false),
];

/// The target of the npm package.
const WASM: &str = "wasm32-unknown-unknown";

/// Runs the steps, and stops at the first that fails.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    let fast = match arguments {
        [] => false,
        [flag] if flag == "--fast" => true,
        [other, ..] => return Err(ChoreFailure::Usage(format!("ci: unexpected {other:?}"))),
    };
    let started = Instant::now();
    for (name, step, slow) in STEPS {
        if fast && *slow {
            eprintln!("xtask: {name}: left out (--fast)");
            continue;
        }
        eprintln!("xtask: {name} …");
        let step_started = Instant::now();
        let result = step();
        let seconds = step_started.elapsed().as_secs_f32();
        result.map_err(|failure| failure.about(format_args!("{name}: FAILED after {seconds:.1} s")))?;
        eprintln!("xtask: {name}: ok, {seconds:.1} s");
    }
    eprintln!("xtask: all steps ok, {:.1} s", started.elapsed().as_secs_f32());
    Ok(())
}

/// Installs everything the tests need in addition to a Rust toolchain.
pub(crate) fn setup(arguments: &[String]) -> Result<(), ChoreFailure> {
    match arguments {
        [] => programs::install().and_then(|()| python::install()),
        [other, ..] => Err(ChoreFailure::Usage(format!("setup: unexpected {other:?}"))),
    }
}

fn format() -> Result<(), ChoreFailure> {
    needs("fmt", "rustfmt")?;
    run_process(&mut cargo(["fmt", "--all", "--check"]))
}

fn lints() -> Result<(), ChoreFailure> {
    needs("clippy", "clippy")?;
    let mut command = cargo(["clippy", "--workspace", "--all-targets", "--locked"]);
    run_process(command.args(WITH_AGENTS).args(["--", "-D", "warnings"]))
}

/// The engine alone, for a browser where that target is installed, and the program without optional parts.
fn without_features() -> Result<(), ChoreFailure> {
    run_process(&mut cargo(["check", "--locked", "--package", "loopbreak", "--no-default-features"]))?;
    run_process(&mut cargo(["check", "--locked", "--package", "loopbreak-cli", "--no-default-features"]))?;
    if !has_target(WASM) {
        eprintln!("xtask: {WASM} is not installed: the engine is not checked for it");
        return Ok(());
    }
    let mut command =
        cargo(["check", "--locked", "--package", "loopbreak", "--no-default-features", "--target"]);
    run_process(command.arg(WASM))
}

/// Returns whether the standard library of a target is installed.
fn has_target(target: &str) -> bool {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(["--print", "target-libdir", "--target", target]).output();
    output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

/// Checks that a component is installed, and says how to get it if not.
fn needs(subcommand: &str, component: &str) -> Result<(), ChoreFailure> {
    if works(&mut cargo([subcommand, "--version"])) {
        return Ok(());
    }
    Err(ChoreFailure::Failed(format!(
        "`cargo {subcommand}` is missing; get it with `rustup component add {component}`"
    )))
}

/// Tests of libraries, binaries, integration tests and examples; benchmarks are for `cargo xtask bench`.
fn tests() -> Result<(), ChoreFailure> {
    let mut command = if works(&mut cargo(["nextest", "--version"])) {
        cargo(["nextest", "run", "--workspace", "--locked", "--no-fail-fast"])
    } else {
        cargo(["test", "--workspace", "--locked", "--lib", "--bins", "--tests", "--examples"])
    };
    with_report_on_stdout(command.args(WITH_AGENTS))
}

fn doc_tests() -> Result<(), ChoreFailure> {
    with_report_on_stdout(cargo(["test", "--doc", "--workspace", "--locked"]).args(WITH_AGENTS))
}

/// Sends everything a test runner prints to standard output: it is the data of this chore, and nextest prints all of it
/// on standard error. The closing lines stay in their order, whichever runner it is.
fn with_report_on_stdout(command: &mut Command) -> Result<(), ChoreFailure> {
    run_process(command.stderr(io::stdout()))
}

/// Libraries only: the pages of the binary `loopbreak` would overwrite those of the library of the same name.
fn documentation() -> Result<(), ChoreFailure> {
    let flags = env::var("RUSTDOCFLAGS").unwrap_or_default();
    let mut command = cargo(["doc", "--workspace", "--lib", "--no-deps", "--locked"]);
    run_process(command.args(WITH_AGENTS).env("RUSTDOCFLAGS", format!("{flags} -D warnings").trim_start()))
}

fn generated_files() -> Result<(), ChoreFailure> {
    generate::check_all()
}
