//! Items of an unknown kind in logs of a known format are reported, not dropped in silence.

use std::io::Cursor;

use crate::support::CollectedSteps;
use loopbreak_trace::OpenedLog;

/// Returns the format of a text, and the kinds of the items that were not read.
fn unread(text: &str) -> (String, Vec<String>) {
    let log = OpenedLog::from_stream(Cursor::new(text.to_owned()), None, |_| {}).unwrap();
    let format = log.format().to_string();
    let mut collected = CollectedSteps::default();
    log.read(&mut collected).unwrap();
    let kind = |item: &String| item.split_once(": ").unwrap().1.to_owned();
    (format, collected.unread.iter().map(kind).collect())
}

#[test]
fn calls_of_an_unknown_shape_are_reported() {
    for (text, format, expected) in [
        (
            r#"{"type":"response_item","payload":{"type":"hologram_call","call_id":"c1","name":"x"}}"#,
            "codex",
            vec!["hologram_call"],
        ),
        (
            r#"{"type":"world_event","payload":{}}
{"type":"event_msg","payload":{"type":"new_event"}}"#,
            "codex",
            vec!["world_event"],
        ),
        (
            r#"{"type":"assistant","uuid":"u","sessionId":"s","message":{"id":"m","content":[{"type":"mcp_tool_use","id":"t","name":"x","input":{}}]}}"#,
            "claude-code",
            vec!["mcp_tool_use"],
        ),
        (
            r#"{"sessionId":"s","projectHash":"p"}
{"id":"1","type":"robot","content":"x"}
{"id":"2","type":"info","content":"x"}"#,
            "gemini-cli",
            vec!["robot"],
        ),
        (
            r#"[{"role":"user","content":"go"},{"call":1,"call_id":"c1","output":"x"},{"role":"assistant","content":[{"type":"tool_invocation","id":"c1"}]},{"note":"x"}]"#,
            "chat",
            vec!["", "tool_invocation"],
        ),
        (
            r#"[{"role":"assistant","content":"","tool_calls":[{"id":"c1","custom":{}}]},{"role":"tool","tool_call_id":"c1","content":[{"type":"tool_output","value":"x"}]}]"#,
            "chat",
            vec!["tool_calls", "tool_output"],
        ),
        (
            r#"[{"role":"user","parts":[{"type":"text","text":"go"}]},{"role":"assistant","parts":[{"type":"hologram"}]}]"#,
            "ai-sdk",
            vec!["hologram"],
        ),
        (r#"{"ltf_version":"1.0","loop_id":"l","phase":"dream"}"#, "ltf", vec!["dream"]),
        (
            r#"{"type":"session","version":3,"id":"s","timestamp":"2026-11-16T13:00:00.000Z","cwd":"/w"}
{"type":"dream","id":"e1"}"#,
            "pi",
            vec!["dream"],
        ),
        (
            r#"{"info":{"id":"ses_1","time":{}},"messages":[{"info":{"role":"assistant"},"parts":[{"type":"hologram"}]}]}"#,
            "opencode",
            vec!["hologram"],
        ),
        (r#"[{"type":"human","content":"go"},{"type":"robot","content":"x"}]"#, "langchain", vec!["robot"]),
    ] {
        let expected = expected.into_iter().map(str::to_owned).collect();
        assert_eq!(unread(text), (format.to_owned(), expected), "{text}");
    }
}

#[test]
fn headers_and_notes_are_not_items() {
    let text =
        "{\"meta\":{\"tool\":1},\"version\":2}\n{\"role\":\"user\",\"content\":\"go\"}\n{\"note\":\"x\"}\n";
    assert_eq!(unread(text), ("chat".to_owned(), Vec::new()));
}
