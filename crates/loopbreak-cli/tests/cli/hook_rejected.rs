//! Calls that the validation of the agent rejects trigger no hook. They are read from its transcript.

#![expect(clippy::unwrap_used, reason = "a test that cannot write the transcript has failed")]

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use crate::support::hooks::{HookHome, HookSession, advice};
use serde_json::{Value, json};

/// Adds a call and its rejection to a transcript.
fn append_rejected_call(transcript: &Path, number: u32) {
    let call = json!({"type": "assistant", "isSidechain": false, "message": {"role": "assistant", "content": [
        {"type": "tool_use", "id": format!("toolu_{number}"), "name": "Edit", "input": {"path": "a.c"}}]}});
    let result = json!({"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": format!("toolu_{number}"), "is_error": true,
         "content": "<tool_use_error>InputValidationError: the required parameter `file_path` is missing</tool_use_error>"}]}});
    let mut file = OpenOptions::new().append(true).create(true).open(transcript).unwrap();
    writeln!(file, "{call}\n{result}").unwrap();
}

#[test]
fn a_loop_of_invalid_calls_is_detected_without_hook_events() {
    let home = HookHome::new();
    let transcript = home.path().join("session.jsonl");
    std::fs::write(&transcript, "{\"type\":\"summary\"}\n").unwrap();
    let session = HookSession { transcript: transcript.to_str().unwrap(), ..home.session("s1") };
    session.prompt("edit a.c");
    let mut advised = Value::Null;
    for number in 1..=4 {
        append_rejected_call(&transcript, number);
        // The event before the next call is the first one after the rejection.
        if number % 2 == 0 {
            let answer = session.propose(&format!("ls {number}"));
            if advice(&answer).is_some() {
                advised = answer;
            }
        }
    }
    let text = advice(&advised).unwrap();
    assert!(text.contains("Edit") || text.contains("errors in a row"), "{text}");
    assert_eq!(advised["hookSpecificOutput"]["hookEventName"], "PreToolUse");
    let events = home.json(&["log", "s1", "--json"]);
    let rejected: Vec<&Value> = events.iter().filter(|event| event["kind"] == "rejected").collect();
    assert_eq!(rejected.len(), 4, "each is recorded once");
    assert!(rejected[0]["outcome"].as_str().unwrap().contains("file_path"));
}

#[test]
fn a_failure_reported_to_a_hook_counts_once() {
    let home = HookHome::new();
    let transcript = home.path().join("session.jsonl");
    std::fs::write(&transcript, "").unwrap();
    let session = HookSession { transcript: transcript.to_str().unwrap(), ..home.session("s1") };
    session.prompt("edit a.c");
    let failed = session.tool(
        "PostToolUseFailure",
        "Edit",
        &json!({"path": "a.c"}),
        json!({"tool_use_id": "toolu_1", "error": "String to replace not found"}),
    );
    home.send(&failed);
    append_rejected_call(&transcript, 1);
    session.finish("ls");
    let events = home.json(&["log", "s1", "--json"]);
    assert!(!events.iter().any(|event| event["kind"] == "rejected"), "{events:?}");
}

#[test]
fn a_missing_transcript_is_not_an_error() {
    let home = HookHome::new();
    for transcript in ["/nowhere/at/all.jsonl", "", "/"] {
        let session = HookSession { transcript, ..home.session("s1") };
        session.prompt("go");
        session.finish("ls");
    }
    let event = json!({"session_id": "s2", "hook_event_name": "PostToolUse", "transcript_path": null,
                       "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": "a"});
    assert_eq!(home.send(&event), Value::Null);
}
