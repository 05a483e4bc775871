//! Shared by all tests of the program: a clean environment, and generated logs.

#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

#[cfg(unix)]
pub(crate) mod agents;
pub(crate) mod alert_receiver;
#[cfg(target_os = "linux")]
pub(crate) mod hooked_agent;
pub(crate) mod hooks;
#[cfg(unix)]
pub(crate) mod release_archive;
#[cfg(unix)]
pub(crate) mod release_server;
pub(crate) mod released_store;
pub(crate) mod roadmaps;
#[cfg(unix)]
pub(crate) mod served_api;
#[cfg(unix)]
pub(crate) mod served_mcp;
pub(crate) mod watching;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// Returns the program in this folder, independent of the environment of the tests.
pub(crate) fn loopbreak(folder: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"));
    command.current_dir(folder).env_clear();
    command
}

/// Returns the root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Creates an empty folder.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// Exit code and output of a finished program.
pub(crate) struct FinishedProgram {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: Option<i32>,
}

/// Runs a command to its end.
pub(crate) fn done(command: &mut Command) -> FinishedProgram {
    let output = command.output().unwrap();
    FinishedProgram {
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code(),
    }
}

/// Runs `loopbreak analyze` in a folder.
pub(crate) fn analyze(folder: &Path, args: &[&str]) -> FinishedProgram {
    done(loopbreak(folder).arg("analyze").args(args))
}

/// Returns the report as JSON.
pub(crate) fn json(folder: &Path, args: &[&str]) -> serde_json::Value {
    let done = analyze(folder, &[&["--json"], args].concat());
    serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{error}: {}{}", done.out, done.err))
}

/// Returns a run whose score stays the same: a warning at turn 20, a stop at turn 40.
pub(crate) fn stuck(run: &str, turns: u64) -> String {
    let mut log = String::new();
    for turn in 1..=turns {
        writeln!(log, r#"{{"run":"{run}","turn":{turn},"score":3}}"#).unwrap();
    }
    log
}

/// Returns a run that makes progress.
pub(crate) fn healthy(run: &str, turns: u64) -> String {
    let mut log = String::new();
    for turn in 1..=turns {
        writeln!(log, r#"{{"run":"{run}","turn":{turn},"score":{turn}}}"#).unwrap();
    }
    log
}

/// Renders exit code, standard output and standard error for snapshots.
pub(crate) fn shown(done: &FinishedProgram) -> String {
    let code = done.code.map_or("none".to_owned(), |code| code.to_string());
    format!("exit code: {code}\n----- stdout -----\n{}----- stderr -----\n{}", done.out, done.err)
}
