//! Lines that a server of MCP does not expect.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::attack::attack_lab::AttackLab;
use crate::attack::attack_rows::AttackRows;
use crate::attack::http_client::INITIALIZE;
use crate::attack::mcp_dialog::McpDialog;
use crate::chore_failure::ChoreFailure;

/// A call with a value that Python writes and JSON does not have.
const NOT_JSON: &str =
    r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"status","arguments":{"x":NaN}}}"#;
/// Size of an answer, which was 25 MB.
const MOST_BYTES: usize = 2 << 20;

/// F27: every request is answered, and no answer is huge.
pub(super) fn odd_lines(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    let mut dialog = McpDialog::initialized(&home)?;
    dialog.say(NOT_JSON)?;
    let answer = dialog.answer(|answer| answer["error"]["code"] == -32700);
    rows.judge(
        "a line with NaN, which is not JSON",
        answer.is_ok(),
        answer.map_or("no answer", |_| "answered with the error -32700"),
    );
    let openings = [
        (
            "a notification before `initialize`",
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        ),
        ("a response before `initialize`", r#"{"jsonrpc":"2.0","id":77,"result":{}}"#),
        ("a line of no JSON before `initialize`", "hello"),
    ];
    for (attack, line) in openings {
        let mut dialog = McpDialog::open(&home)?;
        dialog.say(line)?;
        dialog.say(INITIALIZE)?;
        let answer = dialog.answer(|answer| answer["id"] == 1 && answer["result"]["serverInfo"].is_object());
        rows.judge(
            attack,
            answer.is_ok(),
            answer.map_or("`initialize` not answered", |_| "`initialize` answered"),
        );
    }
    let mut dialog = McpDialog::initialized(&home)?;
    let tasks = lab.size(5000, 1500);
    let details = "d".repeat(5000);
    for first in (0..tasks).step_by(500) {
        let list: Vec<Value> = (first..(first + 500).min(tasks))
            .map(|number| json!({"id": format!("t{number}"), "title": "t", "details": details}))
            .collect();
        let answer = dialog.call("plan_next", &json!({"tasks": list}))?;
        if answer.contains("\"isError\":true") {
            return Err(ChoreFailure::Failed(format!(
                "plan_next: {}",
                answer.chars().take(300).collect::<String>()
            )));
        }
    }
    let answer = dialog.call("task_status", &json!({}))?;
    let mut seen = format!("{tasks} tasks of 5,000 bytes: answer of {} bytes", answer.len());
    let is_error = answer.contains("\"isError\":true");
    if is_error {
        _ = write!(seen, ", an error: {answer}");
    }
    rows.judge(
        "`task_status` of thousands of tasks with long details",
        !is_error && answer.len() < MOST_BYTES,
        seen,
    );
    Ok(())
}
