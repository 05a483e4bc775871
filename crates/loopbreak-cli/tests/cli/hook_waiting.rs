//! An agent waits for its hooks, so a hook waits for nobody: not for a lock, a pipe, or the end of its input. Steps that could not
//! be recorded are recorded later, once each.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::FinishedProgram;
use crate::support::hooks::HookHome;
use serde_json::{Value, json};

/// Longer than any hook should take, and shorter than the waits that were there before.
const LONG: Duration = Duration::from_secs(6);

fn event(home: &HookHome, session: &str, name: &str, call: &str) -> Value {
    json!({"session_id": session, "hook_event_name": name, "cwd": home.path(), "tool_name": "Bash",
           "tool_input": {"command": call}, "tool_use_id": format!("toolu_0000{call}"),
           "tool_response": {"stdout": call}})
}

/// Starts a hook. Without a limit in milliseconds it has its usual one.
fn start(home: &HookHome, limit: &str) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .args(["hook", "claude-code"])
        .current_dir(home.path())
        .env_clear()
        .env("XDG_STATE_HOME", home.path().join("state"))
        .env("LOOPBREAK_HOOK_TIMEOUT", limit)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits for a hook. It must end in time.
fn finish(mut child: Child, started: Instant) -> FinishedProgram {
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > LONG {
            child.kill().unwrap();
            panic!("the hook waits");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let (mut out, mut err) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    FinishedProgram { out, err, code: status.code() }
}

/// Sends an event to a hook with its usual limit.
fn send(home: &HookHome, event: &Value) -> FinishedProgram {
    send_within(home, event, "")
}

/// Sends an event to a hook that has enough time, even on a busy machine.
fn send_patiently(home: &HookHome, event: &Value) -> FinishedProgram {
    send_within(home, event, "9000")
}

fn send_within(home: &HookHome, event: &Value, limit: &str) -> FinishedProgram {
    let started = Instant::now();
    let mut child = start(home, limit);
    child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    finish(child, started)
}

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn queued(home: &HookHome) -> Vec<PathBuf> {
    let folder = home.path().join("state/loopbreak/loopbreak.db-queue");
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Returns the recorded calls of a session, in order.
fn recorded(home: &HookHome, session: &str) -> Vec<String> {
    let call = |event: &Value| event["action"].as_str().unwrap().split('"').nth(3).unwrap().to_owned();
    home.json(&["log", session, "--json"]).iter().map(call).collect()
}

/// The hook waited for a writer, held the lock of the store, and all other sessions waited for it.
#[test]
fn a_transcript_that_is_a_pipe_delays_no_session() {
    let home = HookHome::new();
    let pipe = home.path().join("pipe");
    make_pipe(&pipe);
    for name in ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "PostToolUse"] {
        let mut event = event(&home, "one", name, "a");
        event["transcript_path"] = pipe.to_str().unwrap().into();
        let done = send_patiently(&home, &event);
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{name}");
    }
}

/// Each of these hooks waited for eight seconds, and the step was lost.
#[test]
fn steps_wait_for_a_locked_store_and_are_recorded_once_and_in_order() {
    let home = HookHome::new();
    assert_eq!(send_patiently(&home, &event(&home, "one", "PostToolUse", "a")).err, "");
    let lock = rusqlite::Connection::open(home.store()).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let started = Instant::now();
    let mut messages = Vec::new();
    for call in ["b", "c", "d"] {
        let done = send(&home, &event(&home, "one", "PostToolUse", call));
        assert_eq!(done.code, Some(0));
        assert!(done.err.contains("the step is queued"), "{}", done.err);
        messages.push(done.out);
    }
    assert!(started.elapsed() < LONG, "{:?}", started.elapsed());
    assert!(messages[0].contains("systemMessage") && messages[0].contains("locked"), "{messages:?}");
    assert_eq!(messages[1..], ["", ""], "the user is told once");
    // A question about a call is answered at once.
    let question = send(&home, &event(&home, "one", "PreToolUse", "e"));
    assert_eq!((question.out.as_str(), question.code), ("", Some(0)));
    let waiting = queued(&home);
    assert_eq!(waiting.len(), 3);
    let status = home.json(&["status", "--json"]).remove(0);
    assert_eq!((&status["queuedEvents"], &status["hookFailures"]), (&json!(3), &json!(3)));
    assert!(status["lastFailure"].as_str().unwrap().contains("locked"), "{status}");
    for file in &waiting {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let copies: Vec<Vec<u8>> = waiting.iter().map(|file| fs::read(file).unwrap()).collect();
    drop(lock);

    // Another session does not take them.
    send(&home, &event(&home, "two", "PostToolUse", "x"));
    assert_eq!(queued(&home).len(), 3);
    let done = send_patiently(&home, &event(&home, "one", "PostToolUse", "f"));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert_eq!(recorded(&home, "one"), ["a", "b", "c", "d", "f"]);
    assert!(queued(&home).is_empty());

    // As if the process had been killed after the steps were recorded, and before they were removed from the queue.
    fs::create_dir_all(waiting[0].parent().unwrap()).unwrap();
    for (file, copy) in waiting.iter().zip(copies) {
        fs::write(file, copy).unwrap();
    }
    send_patiently(&home, &event(&home, "one", "PostToolUse", "g"));
    assert_eq!(recorded(&home, "one"), ["a", "b", "c", "d", "f", "g"]);
    assert!(queued(&home).is_empty());
}

/// A loop is found even if its steps had to wait.
#[test]
fn steps_that_waited_count_for_the_guard() {
    let home = HookHome::new();
    let same = |number: u32| {
        let mut event = event(&home, "one", "PostToolUse", "make");
        event["tool_use_id"] = format!("toolu_00000{number}").into();
        event
    };
    send_patiently(&home, &same(0));
    let lock = rusqlite::Connection::open(home.store()).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    for number in 1..7 {
        send(&home, &same(number));
    }
    drop(lock);
    let mut question = event(&home, "one", "PreToolUse", "make");
    question["tool_use_id"] = "toolu_000009".into();
    let answer = send_patiently(&home, &question);
    let answer: Value = serde_json::from_str(&answer.out).unwrap_or_else(|_| panic!("{}", answer.err));
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{answer}");
}

/// Some agents keep the input of their hooks open until the hook has ended.
#[test]
fn an_input_that_is_never_closed_is_answered() {
    let home = HookHome::new();
    let started = Instant::now();
    let mut child = start(&home, "9000");
    let mut input = child.stdin.take().unwrap();
    input.write_all(event(&home, "one", "PostToolUse", "a").to_string().as_bytes()).unwrap();
    input.flush().unwrap();
    let done = finish(child, started);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert_eq!(recorded(&home, "one"), ["a"]);
    drop(input);
}

#[test]
fn an_event_that_never_ends_is_given_up() {
    let home = HookHome::new();
    let started = Instant::now();
    let mut child = start(&home, "");
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"{\"session_id\":\"one\",").unwrap();
    let done = finish(child, started);
    assert_eq!((done.code, done.out.as_str()), (Some(0), ""));
    drop(input);
}

/// The hook has something to log, and nobody reads the log.
#[test]
fn an_error_log_that_is_a_pipe_is_not_waited_for() {
    let home = HookHome::new();
    fs::create_dir_all(home.path().join("state/loopbreak")).unwrap();
    make_pipe(&home.path().join("state/loopbreak/hook.log"));
    let mut broken = event(&home, "", "PostToolUse", "a");
    broken["session_id"] = "".into();
    let done = send(&home, &broken);
    assert_eq!(done.code, Some(0));
    assert!(done.err.contains("session_id"), "{}", done.err);
}

/// Thousands of results that an agent rejected took longer than the agent waits, at every event.
#[test]
fn a_long_transcript_of_rejected_calls_makes_progress() {
    let home = HookHome::new();
    let path = home.path().join("t.jsonl");
    fs::write(&path, "{}\n").unwrap();
    let mut event = event(&home, "one", "PostToolUse", "a");
    event["transcript_path"] = path.to_str().unwrap().into();
    send(&home, &event);
    let mut transcript = fs::OpenOptions::new().append(true).open(&path).unwrap();
    for number in 0..8_000 {
        let line = json!({"type": "user", "message": {"role": "user", "content": [{
            "type": "tool_result", "content": "<tool_use_error>bad</tool_use_error>", "is_error": true,
            "tool_use_id": format!("toolu_{number}")}]}});
        writeln!(transcript, "{line}").unwrap();
    }
    event["tool_use_id"] = "toolu_another".into();
    let done = send(&home, &event);
    assert_eq!(done.code, Some(0));
    let state: String = rusqlite::Connection::open(home.store())
        .unwrap()
        .query_row("SELECT state FROM guards", (), |row| row.get(0))
        .unwrap();
    let state: Value = serde_json::from_str(&state).unwrap();
    assert!(state["mark"]["at"].as_u64().unwrap() > 3, "{}", state["mark"]);
}

/// The tables are there, but the hook failed on them at every event of every session.
#[test]
fn a_store_with_damaged_tables_is_replaced_and_the_user_is_told_once() {
    let home = HookHome::new();
    send_patiently(&home, &event(&home, "one", "PostToolUse", "a"));
    rusqlite::Connection::open(home.store()).unwrap().execute_batch("DELETE FROM migrations").unwrap();
    let told = send_patiently(&home, &event(&home, "one", "PostToolUse", "b"));
    assert!(told.out.contains("systemMessage") && told.out.contains("was moved to"), "{}", told.out);
    let later = send_patiently(&home, &event(&home, "one", "PostToolUse", "c"));
    assert_eq!((later.out.as_str(), later.err.as_str()), ("", ""));
    assert_eq!(recorded(&home, "one"), ["b", "c"]);
    let log = fs::read_to_string(home.path().join("state/loopbreak/hook.log")).unwrap();
    assert_eq!(log.lines().count(), 1, "{log}");
}

#[test]
fn a_store_of_a_later_version_is_left_alone_and_the_user_is_told_once() {
    let home = HookHome::new();
    send_patiently(&home, &event(&home, "one", "PostToolUse", "a"));
    let other = rusqlite::Connection::open(home.store()).unwrap();
    other.execute_batch("INSERT INTO migrations VALUES (99, 'later', 0)").unwrap();
    drop(other);
    let told = send_patiently(&home, &event(&home, "one", "PostToolUse", "b"));
    assert!(
        told.out.contains("Loopbreak is off") && told.out.contains("written by a newer Loopbreak"),
        "{}",
        told.out
    );
    assert_eq!(send_patiently(&home, &event(&home, "one", "PostToolUse", "c")).out, "");
    assert!(home.store().exists());
}
