//! The first signal of identical calls: the third with an identical logged outcome, the fourth without outcomes,
//! and a hard finding at the eighth at the latest.

use crate::signals::{first_hard, first_warning};
use crate::steps::played;
use serde_json::{Value, json};

/// Returns calls of every kind, each with its outcome. None of them has a side effect.
fn identical_calls() -> Vec<(&'static str, Value, Value)> {
    let marked = |text: &str, error: bool| json!({"text": text, "error": error});
    vec![
        (
            "read",
            json!({"name": "read_file", "args": {"path": "src/lib.rs"}}),
            json!("pub mod shop;\npub mod tax;"),
        ),
        (
            "marked read",
            json!({"name": "Read", "args": {"file_path": "/srv/a.py"}}),
            marked("import os", false),
        ),
        (
            "run",
            json!({"name": "bash", "args": {"command": "cargo test"}}),
            json!("test result: FAILED. 1 failed"),
        ),
        (
            "run with an exit code",
            json!({"name": "shell", "args": {"command": ["make", "lint"]}}),
            json!({"text": "3 warnings", "exit": 0}),
        ),
        (
            "search",
            json!({"name": "grep", "args": {"pattern": "fn open", "path": "src"}}),
            json!("src/door.rs:14: fn open(&mut self)"),
        ),
        (
            "web search",
            json!({"name": "web_search", "args": {"query": "tokio shutdown hangs"}}),
            json!("1. Graceful shutdown - tokio.example"),
        ),
        (
            "edit that does nothing",
            json!({"name": "edit", "args": {"path": "a.ts", "oldText": "let a = 1;", "newText": "let a = 1;"}}),
            json!("No changes made to a.ts"),
        ),
        (
            "failing call",
            json!({"name": "list_directory", "args": {"path": "/home/me/projct"}}),
            marked("ENOENT: no such file or directory, scandir '/home/me/projct'", true),
        ),
        (
            "failing edit",
            json!({"name": "edit", "args": {"path": "a.ts", "oldText": "let b", "newText": "let c"}}),
            marked("The text to replace was not found in a.ts", true),
        ),
        (
            "MCP call",
            json!({"name": "mcp__linear__get_issue", "args": {"id": "WEB-41"}}),
            json!("{\"title\":\"Cart total is wrong\",\"state\":\"Todo\"}"),
        ),
        (
            "MCP call with annotations",
            json!({"name": "mcp__crm__contact", "args": {"id": "c-9"}, "annotations": {"readOnlyHint": true}}),
            json!("{\"name\":\"Ana\"}"),
        ),
        (
            "call without arguments",
            json!({"name": "get_goal", "args": {}}),
            json!("Goal: publish the package"),
        ),
        ("call as one text", json!("click('a51')"), json!("The page did not change.")),
    ]
}

/// Returns twelve identical steps, each with its duration in time.
fn twelve(action: &Value, outcome: Option<&Value>) -> Vec<Value> {
    let step = |n: u64| {
        let mut record = json!({"action": action, "at": 1_778_000_000_000_u64 + n * 2_300 + n * n * 17});
        if let Some(outcome) = outcome {
            record["outcome"] = outcome.clone();
        }
        record
    };
    (0..12).map(step).collect()
}

/// Returns the kinds of calls with another first signal than the expected one.
fn deviating(expected: u64, logged: bool) -> Vec<(&'static str, Option<u64>, Option<u64>)> {
    let signals = identical_calls().into_iter().map(|(kind, action, outcome)| {
        let run = played(twelve(&action, logged.then_some(&outcome)));
        (kind, first_warning(&run), first_hard(&run))
    });
    let right = |hard: Option<u64>| hard.is_some_and(|turn| turn <= 8);
    signals.filter(|(_, warned, hard)| *warned != Some(expected) || !right(*hard)).collect()
}

#[test]
fn the_third_identical_call_with_an_identical_outcome_is_the_first_signal() {
    assert_eq!(deviating(3, true), []);
}

#[test]
fn the_fourth_identical_call_without_outcomes_is_the_first_signal() {
    assert_eq!(deviating(4, false), []);
}

#[test]
fn two_identical_calls_with_an_identical_outcome_are_no_signal() {
    for (kind, action, outcome) in identical_calls() {
        let run = played(twelve(&action, Some(&outcome)).into_iter().take(2));
        assert_eq!(first_warning(&run), None, "{kind}");
    }
}

#[test]
fn identical_calls_that_read_something_new_each_time_are_no_signal() {
    let news = ["Opened in the morning.", "Two people joined.", "The door was painted.", "Closed at night."];
    let reading = |kind: &str| kind.contains("read") || kind.contains("search") || kind.contains("MCP");
    for (kind, action, _) in identical_calls().into_iter().filter(|(kind, ..)| reading(kind)) {
        let run = played(news.map(|text| json!({"action": action, "outcome": text})));
        assert_eq!(first_warning(&run), None, "{kind}");
    }
}
