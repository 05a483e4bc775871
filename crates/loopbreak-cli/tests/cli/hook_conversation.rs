//! A conversation with each agent, as its hooks report it, through the real program: advice at the 4th
//! identical call, denial at the 8th; other calls and sessions are allowed; a message from the user and an
//! edit unblock the call.

#![expect(clippy::unwrap_used, reason = "a conversation that breaks off has failed")]

use std::fs;
use std::path::Path;

use crate::support::{done, folder, loopbreak};
use serde_json::Value;

/// Returns the kind of a response, in the terms of the agent.
fn response_kind(agent: &str, event: &str, answer: &str) -> &'static str {
    if answer.is_empty() {
        return "nothing";
    }
    let answer: Value = serde_json::from_str(answer).unwrap();
    let specific = &answer["hookSpecificOutput"];
    if !specific.is_null() {
        assert_eq!(specific["hookEventName"], event);
    }
    if answer["continue"] == false {
        return "stop";
    }
    let decision = if agent == "gemini" { &answer["decision"] } else { &specific["permissionDecision"] };
    match decision.as_str() {
        Some("deny") => {
            let reason =
                if agent == "gemini" { &answer["reason"] } else { &specific["permissionDecisionReason"] };
            let reason = reason.as_str().unwrap();
            for part in ["cargo test", "7 times in a row", "FAILED", "advice at turn"] {
                assert!(reason.contains(part), "{agent}: {part}: {reason}");
            }
            "deny"
        }
        Some("ask") => "ask",
        _ => {
            let advice = if agent == "copilot" { &answer } else { specific };
            let text = advice["additionalContext"].as_str().unwrap();
            assert!(text.starts_with("Loop guard: ") && text.contains("since turn"), "{text}");
            "advise"
        }
    }
}

/// Sends the recorded events of an agent and compares each response with the expected one.
fn assert_conversation(agent: &str) {
    let folder = folder();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/hooks/{agent}.jsonl"));
    let (mut advised, mut denied, mut sessions) = (0, 0, std::collections::BTreeSet::new());
    for (number, line) in fs::read_to_string(fixture).unwrap().lines().enumerate() {
        let line: Value = serde_json::from_str(line).unwrap();
        let event = &line["event"];
        let text = event.to_string().replace("$CWD", folder.path().to_str().unwrap());
        let mut command = loopbreak(folder.path());
        command.args(["hook", agent]).env("XDG_STATE_HOME", folder.path().join("state")).write_stdin(text);
        let done = done(&mut command);
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{agent}, line {}", number + 1);
        let kind = response_kind(agent, event["hook_event_name"].as_str().unwrap(), &done.out);
        assert_eq!(kind, line["expect"], "{agent}, line {}: {}", number + 1, done.out);
        advised += u32::from(kind == "advise");
        denied += u32::from(kind == "deny");
        sessions.insert(event["session_id"].as_str().unwrap().to_owned());
    }
    assert!(advised > 0, "{agent}");
    assert_eq!((denied, sessions.len()), (1, 2), "{agent}");
}

#[test]
fn a_conversation_with_claude_code() {
    assert_conversation("claude-code");
}

#[test]
fn a_conversation_with_codex_cli() {
    assert_conversation("codex");
}

#[test]
fn a_conversation_with_gemini_cli() {
    assert_conversation("gemini");
}

#[test]
fn a_conversation_with_github_copilot_cli() {
    assert_conversation("copilot");
}

#[test]
fn a_conversation_with_the_extension_of_pi() {
    assert_conversation("pi");
}
