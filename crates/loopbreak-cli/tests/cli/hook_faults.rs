//! A full disk, and processes that are killed in the middle of a write: the agent goes on, and no step that was recorded
//! is lost.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::io::Write as _;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::support::hooks::HookHome;
use serde_json::{Value, json};

fn event(desk: &HookHome, call: &str) -> String {
    json!({"session_id": "one", "hook_event_name": "PostToolUse", "cwd": desk.path(), "tool_name": "Bash",
           "tool_input": {"command": call}, "tool_use_id": call, "tool_response": {"stdout": call}})
    .to_string()
}

/// Starts the hook through a shell that does something first.
fn start(desk: &HookHome, before: &str, call: &str) -> std::process::Child {
    let program = assert_cmd::cargo::cargo_bin!("loopbreak");
    let line = format!("{before} exec '{}' hook claude-code", program.display());
    let mut child = Command::new("sh")
        .args(["-c", &line])
        .current_dir(desk.path())
        .env("XDG_STATE_HOME", desk.path().join("state"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Whoever is killed early does not read it all.
    let _ = child.stdin.take().unwrap().write_all(event(desk, call).as_bytes());
    child
}

fn run(desk: &HookHome, before: &str, call: &str) -> (ExitStatus, String, String) {
    let output = start(desk, before, call).wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status, text(output.stdout), text(output.stderr))
}

/// The calls that were recorded, in order.
fn recorded(desk: &HookHome) -> Vec<String> {
    let events = desk.json(&["log", "one", "--json"]);
    let numbers: Vec<u64> = events.iter().map(|event| event["number"].as_u64().unwrap()).collect();
    assert!(numbers.iter().copied().eq(1..=events.len() as u64), "{numbers:?}");
    let call = |event: &Value| event["action"].as_str().unwrap().split('"').nth(3).unwrap().to_owned();
    events.iter().map(call).collect()
}

fn is_sound(desk: &HookHome) -> bool {
    let store = rusqlite::Connection::open(desk.store()).unwrap();
    store.query_row("PRAGMA integrity_check", (), |row| row.get::<_, String>(0)).unwrap() == "ok"
}

#[test]
fn on_a_full_disk_the_agent_continues_and_recorded_steps_are_kept() {
    let desk = HookHome::new();
    for call in ["a", "b", "c"] {
        assert!(run(&desk, "", call).0.success());
    }
    // No file may become longer than half a kilobyte, and whoever tries is told so.
    for call in ["d", "e"] {
        let (status, out, err) = run(&desk, "trap '' XFSZ; ulimit -f 1;", call);
        assert!(status.success() && out.is_empty(), "{status} {out}");
        assert!(err.contains("the agent goes on without the guard"), "{err}");
    }
    assert!(run(&desk, "", "f").0.success());
    assert_eq!(recorded(&desk), ["a", "b", "c", "f"]);
    assert!(is_sound(&desk));
}

#[test]
fn on_a_disk_that_was_full_from_the_start_the_agent_continues() {
    let desk = HookHome::new();
    let (status, out, err) = run(&desk, "trap '' XFSZ; ulimit -f 1;", "a");
    assert!(status.success() && out.is_empty(), "{status} {out}");
    assert!(err.contains("the agent goes on without the guard"), "{err}");
    assert!(run(&desk, "", "b").0.success());
    assert_eq!(recorded(&desk), ["b"]);
}

#[test]
fn a_process_killed_during_a_write_loses_no_other_step() {
    let desk = HookHome::new();
    assert!(run(&desk, "", "a").0.success());
    for call in ["b", "c", "d"] {
        // The first write beyond half a kilobyte is the end of it.
        assert!(!run(&desk, "ulimit -f 1;", call).0.success());
        assert!(is_sound(&desk));
    }
    assert!(run(&desk, "", "e").0.success());
    assert_eq!(recorded(&desk), ["a", "e"]);
}

#[test]
fn steps_of_finished_processes_are_recorded_whenever_others_are_killed() {
    let desk = HookHome::new();
    let mut well = Vec::new();
    for number in 0..60_u64 {
        let (killed, left) = (format!("killed-{number}"), format!("left-{number}"));
        let mut dying = start(&desk, "", &killed);
        let other = start(&desk, "", &left);
        std::thread::sleep(Duration::from_micros(400 * (number % 40)));
        let _ = dying.kill();
        if dying.wait().unwrap().success() {
            well.push(killed);
        }
        let output = other.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        well.push(left);
    }
    let recorded = recorded(&desk);
    for call in &well {
        assert_eq!(recorded.iter().filter(|known| *known == call).count(), 1, "{call}");
    }
    assert!(is_sound(&desk));
}
