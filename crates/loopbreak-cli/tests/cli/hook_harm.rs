//! Everything that can go wrong inside a hook: the agent continues and gets no message.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]
#![expect(clippy::needless_pass_by_value, reason = "literals read better without a reference")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{FinishedProgram, done, folder, loopbreak};
use serde_json::{Value, json};

fn store(folder: &Path) -> PathBuf {
    folder.join("state/loopbreak/loopbreak.db")
}

fn send(folder: &Path, agent: &str, event: impl Into<Vec<u8>>) -> FinishedProgram {
    let state = folder.join("state");
    // A busy machine may take longer than an agent should wait.
    let mut command = loopbreak(folder);
    command.args(["hook", agent]).env("XDG_STATE_HOME", state).env("LOOPBREAK_HOOK_TIMEOUT", "9000");
    done(command.write_stdin(event))
}

fn event(session: &str, name: &str, response: Value) -> String {
    json!({"session_id": session, "hook_event_name": name, "cwd": "/", "tool_name": "Bash",
           "tool_input": {"command": "make"}, "tool_use_id": "t1", "tool_response": response})
    .to_string()
}

/// Asserts that the agent continues: no answer except a message for the user, and the exit code of success.
#[track_caller]
fn assert_continues(done: &FinishedProgram) {
    let answer = if done.out.is_empty() { json!({}) } else { serde_json::from_str(&done.out).unwrap() };
    assert!(answer.as_object().unwrap().keys().all(|key| key == "systemMessage"), "{}", done.out);
    assert_eq!(done.code, Some(0), "{}", done.err);
}

#[test]
fn input_that_is_not_an_event_is_only_reported() {
    let folder = folder();
    for text in [
        "",
        "{",
        "null",
        "3",
        "[]",
        "{\"session_id\":5}",
        "\u{0}",
        "{\"hook_event_name\":\"PreToolUse\"}",
        "{\"session_id\":\"\",\"hook_event_name\":\"PostToolUse\",\"tool_name\":\"x\"}",
    ] {
        let done = send(folder.path(), "claude-code", text);
        assert_continues(&done);
    }
    let deep = format!(
        "{{\"session_id\":\"a\",\"hook_event_name\":\"PostToolUse\",\"tool_name\":\"x\",\"tool_response\":{}1{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert_continues(&send(folder.path(), "claude-code", deep));
}

#[test]
fn unknown_events_are_ignored() {
    let folder = folder();
    for name in ["SessionStart", "PreCompact", "FromTheFuture", ""] {
        let done = send(folder.path(), "claude-code", event("s", name, json!("x")));
        assert_continues(&done);
        assert_eq!(done.err, "", "{name}");
    }
    assert!(!store(folder.path()).exists());
    // A call without a tool or without input: nothing to check, and no error.
    for name in ["PreToolUse", "PostToolUse", "PostToolUseFailure"] {
        let text = json!({"session_id": "s", "hook_event_name": name}).to_string();
        assert_continues(&send(folder.path(), "claude-code", text));
    }
}

#[test]
fn a_session_named_like_a_path_stays_inside_the_store() {
    let folder = folder();
    let odd = "../../../outside/\u{1b}[31m\u{0}/x";
    for _ in 0..2 {
        let done = send(folder.path(), "claude-code", event(odd, "PostToolUse", json!("x")));
        assert_continues(&done);
        assert_eq!(done.err, "");
    }
    let mut kept: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    kept.sort();
    assert_eq!(kept, ["state"]);
    let state = folder.path().join("state");
    let status = done(loopbreak(folder.path()).args(["status"]).env("XDG_STATE_HOME", state));
    assert!(status.out.contains("../../../outside/") && !status.out.contains('\u{1b}'), "{}", status.out);
    let long = "x".repeat(100_000);
    assert_continues(&send(folder.path(), "claude-code", event(&long, "PostToolUse", json!("x"))));
}

#[test]
fn a_tool_result_of_fifty_megabytes_is_observed() {
    let folder = folder();
    let text = event("s", "PostToolUse", json!({"stdout": "HUGE", "stderr": ""}));
    let done = send(folder.path(), "claude-code", text.replace("HUGE", &"x".repeat(50 * 1024 * 1024)));
    assert_continues(&done);
    assert_eq!(done.err, "");
    assert!(fs::metadata(store(folder.path())).unwrap().len() < 1_000_000);
}

#[test]
fn a_damaged_store_is_set_aside_and_a_new_one_started() {
    let folder = folder();
    fs::create_dir_all(store(folder.path()).parent().unwrap()).unwrap();
    fs::write(store(folder.path()), "no store at all, ".repeat(1000)).unwrap();
    let done = send(folder.path(), "claude-code", event("s", "PostToolUse", json!("x")));
    assert_continues(&done);
    assert!(done.err.contains("damaged"), "{}", done.err);
    let again = send(folder.path(), "claude-code", event("s", "PostToolUse", json!("x")));
    assert_continues(&again);
    assert_eq!(again.err, "");
}

#[test]
fn the_agent_continues_if_the_store_cannot_be_opened() {
    let folder = folder();
    // A file instead of the folder.
    fs::write(folder.path().join("state"), "").unwrap();
    let lost = send(folder.path(), "claude-code", event("s", "PostToolUse", json!("x")));
    assert_continues(&lost);
    assert!(lost.err.contains("the agent continues"), "{}", lost.err);
    // No home folder.
    let homeless = done(loopbreak(folder.path()).args(["hook", "claude-code"]).write_stdin(event(
        "s",
        "Stop",
        json!(0),
    )));
    assert_continues(&homeless);
    assert!(homeless.err.contains("XDG_STATE_HOME"), "{}", homeless.err);
}

#[test]
fn the_agent_continues_if_the_store_stays_locked() {
    let folder = folder();
    assert_continues(&send(folder.path(), "claude-code", event("s", "PostToolUse", json!("x"))));
    let locked = rusqlite::Connection::open(store(folder.path())).unwrap();
    locked.execute_batch("BEGIN IMMEDIATE").unwrap();
    let done = send(folder.path(), "claude-code", event("s", "PostToolUse", json!("x")));
    assert_continues(&done);
    assert!(done.err.contains("locked"), "{}", done.err);
    // Commands that only read do not wait.
    let glanced = send(folder.path(), "claude-code", event("s", "PreToolUse", json!("x")));
    assert_eq!((glanced.out.as_str(), glanced.err.as_str()), ("", ""));
}

#[test]
fn an_unreadable_snapshot_is_discarded() {
    let folder = folder();
    assert_continues(&send(folder.path(), "claude-code", event("s", "PostToolUse", json!("x"))));
    let other = rusqlite::Connection::open(store(folder.path())).unwrap();
    other.execute_batch("UPDATE guards SET state = '{oops'").unwrap();
    drop(other);
    let done = send(folder.path(), "claude-code", event("s", "PostToolUse", json!("x")));
    assert_continues(&done);
    assert!(done.err.contains("starts over"), "{}", done.err);
}

#[test]
fn a_wrong_configuration_or_command_line_refuses_no_call() {
    let folder = folder();
    let text = event("s", "PreToolUse", json!("x")).replace("\"cwd\":\"/\"", "\"cwd\":\"\"");
    let mut hook = loopbreak(folder.path());
    hook.args(["hook", "claude-code", "--set", "cycle.warn=3"]);
    let wrong = done(hook.env("XDG_STATE_HOME", folder.path().join("state")).write_stdin(text));
    assert_continues(&wrong);
    assert!(wrong.err.contains("configuration"), "{}", wrong.err);
    // It is also written to the error log.
    let log = fs::read_to_string(store(folder.path()).with_file_name("hook.log")).unwrap_or_default();
    assert!(log.contains("claude-code the configuration has 1 problem"), "{log}");
    let state = folder.path().join("state");
    let status = done(loopbreak(folder.path()).arg("status").env("XDG_STATE_HOME", state));
    assert!(status.err.contains("hook.log"), "{}", status.err);
    // Agents would take exit code 2 for a refusal.
    for args in [["hook", "claude-code", "--bogus"].as_slice(), &["hook", "nobody"]] {
        assert_eq!(done(loopbreak(folder.path()).args(args)).code, Some(1), "{args:?}");
    }
}

#[test]
fn two_hundred_processes_at_once_lose_no_step() {
    let folder = folder();
    let program = assert_cmd::cargo::cargo_bin!("loopbreak");
    let start = |number: usize| {
        let mut child = Command::new(program)
            .args(["hook", "claude-code"])
            .current_dir(folder.path())
            .env_clear()
            .env("XDG_STATE_HOME", folder.path().join("state"))
            .env("LOOPBREAK_HOOK_TIMEOUT", "9000")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let text = event("one", "PostToolUse", json!({"stdout": format!("answer {number}")}));
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        child
    };
    let children: Vec<_> = (0..200).map(start).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(err.lines().all(|line| line.contains("the step is queued")), "{err}");
        assert!(output.status.success());
    }
    // Steps that did not get their turn in time wait for the next event.
    let mut steps = 200;
    while folder.path().join("state/loopbreak/loopbreak.db-queue").exists() {
        let text = event("one", "PostToolUse", json!({"stdout": format!("later answer {steps}")}));
        assert_continues(&send(folder.path(), "claude-code", text));
        steps += 1;
    }
    let state = folder.path().join("state");
    let log = done(loopbreak(folder.path()).args(["log", "one", "--json"]).env("XDG_STATE_HOME", &state));
    let mut turns: Vec<u64> = log
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["turn"].as_u64().unwrap())
        .collect();
    assert!(turns.is_sorted());
    turns.dedup();
    assert_eq!(turns.len(), steps);
    let status = done(loopbreak(folder.path()).args(["status", "--json"]).env("XDG_STATE_HOME", &state));
    assert_eq!(serde_json::from_str::<Value>(&status.out).unwrap()["tickCount"], steps);
}

#[test]
fn other_agents_get_answers_in_their_own_format() {
    let folder = folder();
    for (agent, before, after) in
        [("codex", "PreToolUse", "PostToolUse"), ("gemini", "BeforeTool", "AfterTool")]
    {
        let mut answers = Vec::new();
        for _ in 0..7 {
            assert_continues(&send(folder.path(), agent, event("s", before, json!(null))));
            answers.push(send(folder.path(), agent, event("s", after, json!("1 failed"))).out);
        }
        let advised: Value = serde_json::from_str(&answers[2]).unwrap();
        assert!(advised["hookSpecificOutput"]["additionalContext"].is_string(), "{agent}");
        for insists in [false, true] {
            // A model takes some time to answer. Calls that are proposed at once belong to one message.
            std::thread::sleep(std::time::Duration::from_millis(450));
            let denied: Value =
                serde_json::from_str(&send(folder.path(), agent, event("s", before, json!(null))).out)
                    .unwrap();
            let decision = if agent == "codex" {
                &denied["hookSpecificOutput"]["permissionDecision"]
            } else {
                &denied["decision"]
            };
            assert_eq!(*decision, "deny", "{agent}: {denied}");
            // Their hooks cannot ask: the user is notified, and the call stays refused.
            let shown = if agent == "codex" {
                &denied["hookSpecificOutput"]["permissionDecisionReason"]
            } else {
                &denied["systemMessage"]
            };
            let told = shown.as_str().is_some_and(|text| text.contains("insists"));
            assert_eq!(told, insists, "{agent}: {denied}");
        }
    }
}
