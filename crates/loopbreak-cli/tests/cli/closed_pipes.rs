//! A pipe that is closed by its reader, as `head` does, is not an error of any command.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{folder, stuck};

/// Runs a command whose output is closed after the first line. Returns its exit code and what it printed on standard error.
fn read_one_line(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .current_dir(folder)
        .env_clear()
        .env("XDG_STATE_HOME", folder.join("state"))
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    (child.wait().unwrap().code(), err)
}

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    let folder = folder();
    fs::create_dir(folder.path().join("logs")).unwrap();
    for number in 0..16 {
        let log = stuck(&format!("run-{number}"), 120);
        fs::write(folder.path().join(format!("logs/{number}.jsonl")), log).unwrap();
    }
    for args in [
        "convert logs",
        "convert logs -q",
        "analyze logs -v",
        "analyze logs --json",
        "analyze logs --csv -",
        "analyze logs --sarif -",
        "analyze logs --run run-1 --explain",
        "formats",
        "config check",
        "config explain",
        "config reference",
        "config schema",
        "man",
        "man --markdown",
        "completions bash",
        "guard --help",
        "demo",
        "wait -- seq 1 30",
        "status",
        "--help",
        "analyze --help",
    ] {
        let words: Vec<&str> = args.split(' ').collect();
        assert_eq!(read_one_line(folder.path(), &words), (Some(0), String::new()), "{args}");
    }
}

/// Warnings go to standard error, which is closed too if both are piped into the same reader.
#[test]
fn a_closed_standard_error_does_not_make_a_command_fail() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), stuck("a", 30) + &"{broken\n".repeat(200)).unwrap();
    for args in [["analyze", "-v", "log.jsonl"], ["convert", "-v", "log.jsonl"]] {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
            .current_dir(folder.path())
            .env_clear()
            .args(args)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{args:?}");
    }
}
