//! The step of `cargo xtask ci` for the Python package: its wheel in a clean environment, its tests, its types.

use std::path::Path;
use std::process::Command;

use super::PACKAGE;
use super::wheel;
use super::wheel_options::WheelOptions;
use crate::chore_failure::ChoreFailure;
use crate::process::{root, run};
use crate::python::{PACKAGE_TESTS, PythonEnvironment};

/// Builds and installs the wheel, runs the tests of the package, and checks the types of the package and the examples.
pub(crate) fn check() -> Result<(), ChoreFailure> {
    let wheel = wheel::build(&WheelOptions::quick())?;
    PACKAGE_TESTS.install()?;
    install_wheel(&PACKAGE_TESTS.program("python"), &wheel)?;
    let package = root().join(PACKAGE);
    let mut tests = in_environment(&PACKAGE_TESTS, "pytest");
    tests.args(["-q", "-p", "no:cacheprovider", "-W", "error::pytest.PytestUnhandledThreadExceptionWarning"]);
    tests.args(["--ignore=tests/adapters", "tests"]);
    run(tests.current_dir(&package))?;
    // What is checked strictly is in pyproject.toml.
    let mut types = in_environment(&PACKAGE_TESTS, "mypy");
    types.args(["--no-incremental", "python/loopbreak", "../../examples/python"]);
    run(types.current_dir(&package))?;
    // The stubs say what the module has.
    let mut stubs = in_environment(&PACKAGE_TESTS, "stubtest");
    stubs.args(["--allowlist", "stubtest-allowlist.txt", "loopbreak._native"]);
    run(stubs.current_dir(&package))?;
    let mut types = in_environment(&PACKAGE_TESTS, "pyright");
    types.arg("--pythonpath").arg(PACKAGE_TESTS.program("python"));
    run(types.current_dir(&package).env("PYRIGHT_PYTHON_IGNORE_WARNINGS", "1"))
}

/// Returns a program of an environment, which finds its interpreter and the other programs there.
fn in_environment(environment: &PythonEnvironment, program: &str) -> Command {
    Command::new(environment.program(program))
}

/// Installs a wheel into an environment that has all it needs, in the place of one from before.
pub(super) fn install_wheel(python: &Path, wheel: &Path) -> Result<(), ChoreFailure> {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]);
    run(pip.arg("--force-reinstall").arg(wheel))
}
