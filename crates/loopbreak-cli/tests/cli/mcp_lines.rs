//! `loopbreak mcp` over standard input and output: lines that are not what a client should send.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::process::{Command, Stdio};

use std::io::Write as _;

use serde_json::{Value, json};

use crate::support::folder;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;

/// Sends lines to a server, and returns its answers.
fn answers(lines: &[&str]) -> Vec<Value> {
    let home = folder();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"));
    command.arg("mcp").current_dir(home.path()).env_clear().env("XDG_STATE_HOME", home.path());
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    // The last line has no end.
    input.write_all(lines.join("\n").as_bytes()).unwrap();
    drop(input);
    let output = server.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the code of an error and the id it is about.
fn error(answer: &Value) -> (i64, Value) {
    (answer["error"]["code"].as_i64().unwrap_or_default(), answer["id"].clone())
}

/// A client that sent something broken waited for ever.
#[test]
fn a_line_that_is_not_json_is_answered_with_a_parse_error() {
    let nan =
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"status","arguments":{"x":NaN}}}"#;
    let answers = answers(&[INITIALIZE, INITIALIZED, "not JSON", nan, "7", PING]);
    let errors: Vec<(i64, Value)> =
        answers.iter().filter(|answer| answer.get("error").is_some()).map(error).collect();
    assert_eq!(errors, [(-32700, Value::Null), (-32700, json!(5)), (-32600, Value::Null)]);
    let text = answers.iter().find(|answer| answer["id"] == 5).unwrap()["error"]["message"].to_string();
    assert!(text.contains("NaN and Infinity are not JSON"), "{text}");
    assert!(answers.iter().any(|answer| answer["id"] == 2 && answer.get("result").is_some()), "{answers:?}");
}

/// A client may send other messages before `initialize`, which is answered all the same.
#[test]
fn initialize_is_answered_whatever_came_before_it() {
    for first in [
        INITIALIZED,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#,
        r#"{"jsonrpc":"2.0","id":4,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":4,"error":{"code":-1,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#,
        "{",
        "",
    ] {
        let answers = answers(&[first, INITIALIZED, INITIALIZE, INITIALIZED, PING]);
        for id in [1, 2] {
            assert!(
                answers.iter().any(|answer| answer["id"] == id && answer.get("result").is_some()),
                "{first}: {answers:?}"
            );
        }
    }
}
