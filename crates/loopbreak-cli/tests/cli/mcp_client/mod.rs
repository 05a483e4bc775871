//! The official Python client of MCP, in a virtual environment below the target folder.

#![allow(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the Python interpreter with the client. The first test that needs it installs it; the others wait.
fn python() -> PathBuf {
    let wanted = fs::read_to_string(folder().join("requirements.txt")).unwrap();
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp-client");
    fs::create_dir_all(&home).unwrap();
    let lock = File::create(home.join("lock")).unwrap();
    lock.lock().unwrap();
    let (place, stamp) = (home.join("venv"), home.join("installed"));
    let bin = place.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) && bin.exists() {
        return bin;
    }
    let _ = fs::remove_file(&stamp);
    let _ = fs::remove_dir_all(&place);
    run_or_panic(
        Command::new("python3").args(["-m", "venv"]).arg(&place),
        "the server is tried with the official client for Python: python3 with venv is needed, on Debian `python3-venv`",
    );
    let pip =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--requirement"];
    run_or_panic(
        Command::new(&bin).args(pip).arg(folder().join("requirements.txt")),
        "the official client for Python cannot be installed with pip",
    );
    fs::write(stamp, wanted).unwrap();
    bin
}

fn run_or_panic(command: &mut Command, why: &str) {
    let output = command.output().unwrap_or_else(|error| panic!("{why}: {error}"));
    assert!(output.status.success(), "{why}:\n{}", String::from_utf8_lossy(&output.stderr));
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/mcp_client")
}

/// Runs a scenario of `scenarios.py` against the program, with its own store.
pub(crate) fn play(scenario: &str) {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(python())
        .arg(folder().join("scenarios.py"))
        .arg(scenario)
        .current_dir(home.path())
        .env_clear()
        .env("PROGRAM_UNDER_TEST", assert_cmd::cargo::cargo_bin!("loopbreak"))
        .env("XDG_STATE_HOME", home.path())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{scenario}\n{out}\n{err}");
    assert!(out.ends_with("passed\n"), "{scenario}\n{out}\n{err}");
}
