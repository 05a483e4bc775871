//! A full disk, and processes that are killed during a write: the agent continues, and no recorded step is
//! lost.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::io::Write as _;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::support::hooks::HookHome;
use serde_json::{Value, json};

fn tool_event(home: &HookHome, call: &str) -> String {
    json!({"session_id": "one", "hook_event_name": "PostToolUse", "cwd": home.path(), "tool_name": "Bash",
           "tool_input": {"command": call}, "tool_use_id": call, "tool_response": {"stdout": call}})
    .to_string()
}

/// Starts the hook through a shell that runs something first.
fn start_hook(home: &HookHome, before: &str, call: &str) -> std::process::Child {
    let program = assert_cmd::cargo::cargo_bin!("loopbreak");
    let line = format!("{before} exec '{}' hook claude-code", program.display());
    let mut child = Command::new("sh")
        .args(["-c", &line])
        .current_dir(home.path())
        .env("XDG_STATE_HOME", home.path().join("state"))
        .env("LOOPBREAK_HOOK_TIMEOUT", "9000")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A process that is killed early does not read it all.
    let _ = child.stdin.take().unwrap().write_all(tool_event(home, call).as_bytes());
    child
}

fn run_hook(home: &HookHome, before: &str, call: &str) -> (ExitStatus, String, String) {
    let output = start_hook(home, before, call).wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status, text(output.stdout), text(output.stderr))
}

/// Returns the recorded calls in order.
fn recorded_calls(home: &HookHome) -> Vec<String> {
    let events = home.json(&["log", "one", "--json"]);
    let numbers: Vec<u64> = events.iter().map(|event| event["number"].as_u64().unwrap()).collect();
    assert!(numbers.iter().copied().eq(1..=events.len() as u64), "{numbers:?}");
    let call = |event: &Value| event["action"].as_str().unwrap().split('"').nth(3).unwrap().to_owned();
    events.iter().map(call).collect()
}

fn is_store_intact(home: &HookHome) -> bool {
    let store = rusqlite::Connection::open(home.store()).unwrap();
    store.query_row("PRAGMA integrity_check", (), |row| row.get::<_, String>(0)).unwrap() == "ok"
}

#[test]
fn on_a_full_disk_the_agent_continues_and_recorded_steps_are_kept() {
    let home = HookHome::new();
    for call in ["a", "b", "c"] {
        assert!(run_hook(&home, "", call).0.success());
    }
    // Files are limited to half a kilobyte. A larger write gets an error.
    for call in ["d", "e"] {
        let (status, out, err) = run_hook(&home, "trap '' XFSZ; ulimit -f 1;", call);
        assert!(status.success() && !out.contains("decision"), "{status} {out}");
        assert!(err.contains("the agent continues without the guard"), "{err}");
    }
    assert!(run_hook(&home, "", "f").0.success());
    assert_eq!(recorded_calls(&home), ["a", "b", "c", "f"]);
    assert!(is_store_intact(&home));
}

#[test]
fn on_a_disk_that_was_full_from_the_start_the_agent_continues() {
    let home = HookHome::new();
    let (status, out, err) = run_hook(&home, "trap '' XFSZ; ulimit -f 1;", "a");
    assert!(status.success() && !out.contains("decision"), "{status} {out}");
    assert!(err.contains("the agent continues without the guard"), "{err}");
    assert!(run_hook(&home, "", "b").0.success());
    assert_eq!(recorded_calls(&home), ["b"]);
}

#[test]
fn a_process_killed_during_a_write_loses_no_other_step() {
    let home = HookHome::new();
    assert!(run_hook(&home, "", "a").0.success());
    for call in ["b", "c", "d"] {
        // The first write beyond half a kilobyte kills the process.
        assert!(!run_hook(&home, "ulimit -f 1;", call).0.success());
        assert!(is_store_intact(&home));
    }
    assert!(run_hook(&home, "", "e").0.success());
    assert_eq!(recorded_calls(&home), ["a", "e"]);
}

#[test]
fn steps_of_finished_processes_are_recorded_whenever_others_are_killed() {
    let home = HookHome::new();
    let mut succeeded = Vec::new();
    for number in 0..60_u64 {
        let (killed, left) = (format!("killed-{number}"), format!("left-{number}"));
        let mut dying = start_hook(&home, "", &killed);
        let other = start_hook(&home, "", &left);
        std::thread::sleep(Duration::from_micros(400 * (number % 40)));
        let _ = dying.kill();
        if dying.wait().unwrap().success() {
            succeeded.push(killed);
        }
        let output = other.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        succeeded.push(left);
    }
    let recorded = recorded_calls(&home);
    for call in &succeeded {
        assert_eq!(recorded.iter().filter(|known| *known == call).count(), 1, "{call}");
    }
    assert!(is_store_intact(&home));
}
