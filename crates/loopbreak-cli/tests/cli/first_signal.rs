//! The first signal about a loop of identical calls, through log formats and through a hook: at the third call where
//! results are logged, at the fourth where they are not, and an intervention by the eighth.

#![allow(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;

use crate::support::hooks::{HookHome, decision};
use crate::support::{folder, json as report_of};
use serde_json::{Value, json};

/// Number of identical calls in each log.
const CALLS: usize = 10;

/// Returns a native log.
fn native(outcome: bool) -> String {
    let mut step = json!({"run": "r", "action": {"name": "bash", "args": {"command": "make lint"}}});
    if outcome {
        step["outcome"] = json!({"text": "2 warnings", "error": false});
    }
    format!("{step}\n").repeat(CALLS)
}

/// Returns a session of Claude Code.
fn claude_code() -> String {
    let entry = |number: usize, kind: &str, message: Value| {
        json!({"type": kind, "sessionId": "s1", "uuid": format!("u{kind}{number}"), "message": message,
               "timestamp": format!("2026-03-01T09:00:{number:02}.000Z")})
        .to_string()
    };
    let calls = (1..=CALLS).flat_map(|number| {
        let id = format!("toolu_{number}");
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "make lint"}});
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": "2 warnings"});
        let message =
            json!({"id": format!("msg_{number}"), "role": "assistant", "model": "m", "content": [call]});
        [
            entry(2 * number, "assistant", message),
            entry(2 * number + 1, "user", json!({"role": "user", "content": [result]})),
        ]
    });
    calls.map(|line| line + "\n").collect()
}

/// Returns a session of Codex CLI.
fn codex() -> String {
    let line = |kind: &str, payload: Value| {
        json!({"timestamp": "2026-03-01T09:00:00.000Z", "type": kind, "payload": payload}).to_string() + "\n"
    };
    let mut log = line("session_meta", json!({"id": "s1", "cwd": "/p", "cli_version": "0.166.0"}));
    for number in 1..=CALLS {
        let id = format!("c{number}");
        let arguments = json!({"cmd": "make lint"}).to_string();
        let output = "Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n2 warnings";
        log += &line(
            "response_item",
            json!({"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": id}),
        );
        log +=
            &line("response_item", json!({"type": "function_call_output", "call_id": id, "output": output}));
    }
    log
}

/// Returns a conversation in the format of chat interfaces.
fn chat() -> String {
    let mut messages = vec![json!({"role": "user", "content": "check the style"})];
    for number in 1..=CALLS {
        let id = format!("call_{number}");
        let function = json!({"name": "bash", "arguments": "{\"command\": \"make lint\"}"});
        messages.push(json!({"role": "assistant", "content": null,
                             "tool_calls": [{"id": id, "type": "function", "function": function}]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": "2 warnings"}));
    }
    json!({"messages": messages}).to_string()
}

/// Returns the number of calls up to the first warning and up to the first stop of the only run in a log.
fn signals(log: &str) -> (u64, u64) {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), log).unwrap();
    let report = report_of(folder.path(), &["log.jsonl"]);
    let run = &report["runs"][0];
    assert_eq!(report["runs"].as_array().map(Vec::len), Some(1), "{report}");
    let turn = |key: &str| run[key]["turn"].as_u64().unwrap_or_else(|| panic!("no {key}: {run}"));
    // Steps before the first call, such as the prompt, are turns too.
    let before = run["steps"].as_u64().unwrap() - CALLS as u64;
    (turn("first_warning") - before, turn("first_stop") - before)
}

#[test]
fn the_third_identical_call_gives_the_first_signal_in_every_log_format() {
    for (format, log) in
        [("steps", native(true)), ("claude-code", claude_code()), ("codex", codex()), ("chat", chat())]
    {
        assert_eq!(signals(&log), (3, 8), "{format}");
    }
}

#[test]
fn without_logged_results_the_fourth_identical_call_gives_the_first_signal() {
    assert_eq!(signals(&native(false)), (4, 8));
}

#[test]
fn a_hook_advises_at_the_third_identical_call_and_refuses_the_eighth() {
    let home = HookHome::new();
    let session = home.session("s1");
    let mut advised = None;
    for call in 1..=7 {
        assert_eq!(session.propose("make lint"), Value::Null, "call {call}");
        let answer = session.finish("make lint");
        if answer["hookSpecificOutput"]["additionalContext"].is_string() {
            advised = advised.or(Some(call));
        }
    }
    assert_eq!(advised, Some(3));
    assert_eq!(decision(&session.propose("make lint")), "deny");
}
