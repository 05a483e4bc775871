//! `cargo xtask release-fixture`: the store that a release leaves behind, and how it continues the sessions in it.
//!
//! `crates/loopbreak-cli/tests/cli/releases.rs` opens the stores of all releases with the present build.

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::chore_failure::ChoreFailure;
use crate::process::{root, run as run_process};
use crate::workspace_program::WorkspaceProgram;

/// The folder of all releases.
const FIXTURES: &str = "crates/loopbreak-cli/tests/fixtures/releases";

/// A library that changes the clock of a program.
const CLOCK_SHIM: &str = include_str!("trial/clock_shim.c");

/// Writes the fixture of a release.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    let usage = |message: String| ChoreFailure::Usage(format!("release-fixture: {message}"));
    let (name, program) = match arguments {
        [name] if !name.starts_with('-') => (name, None),
        [name, flag, path] if !name.starts_with('-') && flag == "--program" => {
            (name, Some(PathBuf::from(path)))
        }
        [] => return Err(usage("which release?".to_owned())),
        [.., other] => return Err(usage(format!("unexpected {other:?}"))),
    };
    if name.contains(['/', '\\']) {
        return Err(usage(format!("not the name of a release: {name:?}")));
    }
    let program = match program {
        Some(program) => program,
        None => WorkspaceProgram::Loopbreak.build_in(&root(), &["--quiet"])?,
    };
    let home = env::temp_dir().join(format!("loopbreak-release-{}", std::process::id()));
    let written = write(&program, &home, &root().join(FIXTURES).join(name));
    // Nothing depends on it.
    let _ = fs::remove_dir_all(&home);
    written?;
    eprintln!("xtask: {FIXTURES}/{name}: written");
    Ok(())
}

fn write(program: &Path, home: &Path, fixture: &Path) -> Result<(), ChoreFailure> {
    let failed = |error: std::io::Error| ChoreFailure::io("write the fixture", &error);
    for folder in [home, fixture] {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    // The sessions were recorded two days ago. Every test continues them after a pause, and a guard takes pauses into account.
    let (source, shim) = (home.join("clock_shim.c"), home.join("clock_shim.so"));
    fs::write(&source, CLOCK_SHIM).map_err(failed)?;
    run_process(Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&shim, &source]))?;
    for event in events_before() {
        let mut command = command(program, home);
        answer(command.env("LD_PRELOAD", &shim).env("LOOPBREAK_CLOCK_OFFSET", "-172800"), &event)?;
    }
    let log = |session: &str| output_of(command(program, home).args(["log", session, "--json"]), "");
    let logs: Result<Vec<String>, ChoreFailure> = SESSIONS.iter().map(|session| log(session)).collect();
    let store = home.join("state/loopbreak/loopbreak.db");
    // The store becomes one file.
    let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
    run_process(Command::new("sqlite3").arg(&store).arg(checkpoint).stdout(Stdio::null()))?;
    fs::copy(&store, fixture.join("loopbreak.db")).map_err(failed)?;
    fs::write(fixture.join("log.jsonl"), logs?.concat()).map_err(failed)?;
    let mut answers = String::new();
    for event in events_after() {
        let answer = answer(&mut command(program, home), &event)?;
        answers.push_str(&json!({"event": event, "answer": answer}).to_string());
        answers.push('\n');
    }
    fs::write(fixture.join("answers.jsonl"), answers).map_err(failed)
}

const SESSIONS: [&str; 3] = ["stuck", "working", "asking"];

fn event(session: &str, name: &str, command: &str, output: &str, number: usize) -> Value {
    let mut event = json!({"session_id": session, "hook_event_name": name, "cwd": "/project", "tool_name": "Bash",
                           "tool_input": {"command": command}, "tool_use_id": format!("{session}-{number}")});
    if name == "PostToolUse" {
        event["tool_response"] = json!({"stdout": output, "stderr": "", "interrupted": false});
    }
    event
}

/// Returns the events that are in the store: a session that has just been refused a call, one that works, one that has begun to
/// repeat itself.
fn events_before() -> Vec<Value> {
    let mut events = Vec::new();
    for number in 0..7 {
        events.push(event("stuck", "PreToolUse", "make check", "", number));
        events.push(event("stuck", "PostToolUse", "make check", "1 failed", number));
    }
    events.push(event("stuck", "PreToolUse", "make check", "", 7));
    for (number, file) in ["a", "b", "c", "d", "e"].iter().enumerate() {
        let (command, output) = (format!("cat src/{file}.rs"), format!("mod {file};"));
        events.push(event("working", "PostToolUse", &command, &output, number));
    }
    for number in 0..2 {
        events.push(event("asking", "PostToolUse", "git status", "clean", number));
    }
    events
}

/// Returns the events by which the sessions continue: the call is insisted on, other calls are free, the repetition goes on.
fn events_after() -> Vec<Value> {
    let mut events = vec![
        event("stuck", "PreToolUse", "cat Makefile", "", 8),
        event("stuck", "PostToolUse", "cat Makefile", "check:", 8),
        event("stuck", "PreToolUse", "make check", "", 9),
        event("working", "PreToolUse", "cat src/f.rs", "", 5),
        event("working", "PostToolUse", "cat src/f.rs", "mod f;", 5),
    ];
    for number in 2..7 {
        events.push(event("asking", "PreToolUse", "git status", "", number));
        events.push(event("asking", "PostToolUse", "git status", "clean", number));
    }
    events.push(event("asking", "PreToolUse", "git status", "", 7));
    events
}

/// Returns the answer of a hook to an event, null if there is none.
fn answer(command: &mut Command, event: &Value) -> Result<Value, ChoreFailure> {
    let text = output_of(command.args(["hook", "claude-code"]), &event.to_string())?;
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_str(&text).map_err(|error| ChoreFailure::Failed(format!("{error} in the answer {text}")))
}

fn command(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(home).env_clear().env("HOME", home).env("XDG_STATE_HOME", home.join("state"));
    command
}

/// Runs the program and returns what it printed. It must have nothing to complain about.
fn output_of(command: &mut Command, input: &str) -> Result<String, ChoreFailure> {
    let failed = |error: std::io::Error| ChoreFailure::io("run the program", &error);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes()).map_err(failed)?;
    }
    let output = child.wait_with_output().map_err(failed)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() && output.stderr.is_empty() {
        return Ok(text(&output.stdout));
    }
    Err(ChoreFailure::Failed(format!("the program failed ({}): {}", output.status, text(&output.stderr))))
}
