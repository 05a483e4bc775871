//! `cargo xtask ci`: all that has to hold before a change goes in.

use std::env;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::failure::Failure;
use crate::generate;
use crate::licences;
use crate::process::{cargo, run as run_process, works};
use crate::programs;
use crate::python;

/// A step: its name on the screen, what it does, and whether `--fast` leaves it out.
type Step = (&'static str, fn() -> Result<(), Failure>, bool);

/// From the cheapest to the dearest; the tests come last, so that the lines that count close the report.
const STEPS: &[Step] = &[
    ("format", format, false),
    ("licences", licences::check, false),
    ("lints", lints, false),
    ("without features", without_features, false),
    ("doc tests", doc_tests, true),
    ("documentation", documentation, true),
    ("generated files", generated_files, false),
    ("programs", programs::install, false),
    ("Python packages", python::install, false),
    ("tests", tests, false),
];

/// The target of the npm package.
const WASM: &str = "wasm32-unknown-unknown";

/// Runs the steps; the first that fails is the last.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let fast = match arguments {
        [] => false,
        [flag] if flag == "--fast" => true,
        [other, ..] => return Err(Failure::Usage(format!("ci: unexpected {other:?}"))),
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

/// Gets what the tests need beside a Rust toolchain.
pub(crate) fn setup(arguments: &[String]) -> Result<(), Failure> {
    match arguments {
        [] => programs::install().and_then(|()| python::install()),
        [other, ..] => Err(Failure::Usage(format!("setup: unexpected {other:?}"))),
    }
}

fn format() -> Result<(), Failure> {
    needs("fmt", "rustfmt")?;
    run_process(&mut cargo(["fmt", "--all", "--check"]))
}

fn lints() -> Result<(), Failure> {
    needs("clippy", "clippy")?;
    run_process(&mut cargo(["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]))
}

/// The engine alone, for a browser where that target is installed, and the program without optional parts.
fn without_features() -> Result<(), Failure> {
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

/// A machine that lacks a component is told how to get it, not only that cargo knows no such command.
fn needs(subcommand: &str, component: &str) -> Result<(), Failure> {
    if works(&mut cargo([subcommand, "--version"])) {
        return Ok(());
    }
    Err(Failure::Failed(format!(
        "`cargo {subcommand}` is missing; get it with `rustup component add {component}`"
    )))
}

/// Tests of libraries, binaries, integration tests and examples; benchmarks are for `cargo xtask bench`.
fn tests() -> Result<(), Failure> {
    let mut command = if works(&mut cargo(["nextest", "--version"])) {
        cargo(["nextest", "run", "--workspace", "--locked"])
    } else {
        cargo(["test", "--workspace", "--locked", "--lib", "--bins", "--tests", "--examples"])
    };
    with_report_on_stdout(&mut command)
}

fn doc_tests() -> Result<(), Failure> {
    with_report_on_stdout(&mut cargo(["test", "--doc", "--workspace", "--locked"]))
}

/// What a test runner says is the data of this chore, and nextest says all of it on standard error. It gets our
/// standard output for both, so that its closing lines are there, in their order and unchanged, whichever runner it is.
fn with_report_on_stdout(command: &mut Command) -> Result<(), Failure> {
    run_process(command.stderr(io::stdout()))
}

/// Libraries only: the pages of the binary `loopbreak` would overwrite those of the library of the same name.
fn documentation() -> Result<(), Failure> {
    let flags = env::var("RUSTDOCFLAGS").unwrap_or_default();
    let mut command = cargo(["doc", "--workspace", "--lib", "--no-deps", "--locked"]);
    run_process(command.env("RUSTDOCFLAGS", format!("{flags} -D warnings").trim_start()))
}

fn generated_files() -> Result<(), Failure> {
    generate::check_all()
}
