//! Runs with several files.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::support::read;

/// Writes a session file with one call and its result at each of the given seconds.
fn session(path: &Path, session: &str, agent: Option<&str>, seconds: &[u32]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let whose = agent.map_or_else(
        || "\"isSidechain\":false".to_owned(),
        |agent| format!("\"isSidechain\":true,\"agentId\":\"{agent}\""),
    );
    let mut text = String::new();
    for second in seconds {
        let id = format!("{}-{second}", agent.unwrap_or("main"));
        let head = format!(
            "\"uuid\":\"u\",\"sessionId\":\"{session}\",{whose},\"timestamp\":\"2025-06-01T10:00:{second:02}Z\""
        );
        writeln!(text, "{{\"type\":\"assistant\",{head},\"message\":{{\"id\":\"m-{id}\",\"content\":[{{\"type\":\"tool_use\",\"id\":\"t-{id}\",\"name\":\"x\",\"input\":{{}}}}]}}}}").unwrap();
        writeln!(text, "{{\"type\":\"user\",{head},\"message\":{{\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"t-{id}\",\"content\":\"ok\"}}]}}}}").unwrap();
    }
    fs::write(path, text).unwrap();
}

/// Returns the agent and the second of each step.
fn who(folder: &Path) -> Vec<Vec<String>> {
    let step = |(_, step): &(u64, String)| {
        let step: serde_json::Value = serde_json::from_str(step).unwrap();
        let second = step["at"].as_i64().unwrap() / 1000 % 60;
        format!("{}@{second}", step["agent"].as_str().unwrap_or("main"))
    };
    read(folder).iter().map(|log| log.collected.steps.iter().map(step).collect()).collect()
}

#[test]
fn a_session_and_its_subagents_are_one_run_in_order_of_time() {
    let folder = tempfile::tempdir().unwrap();
    session(&folder.path().join("p/s1.jsonl"), "s1", None, &[1, 4, 9]);
    session(&folder.path().join("p/s1/subagents/agent-a.jsonl"), "s1", Some("a"), &[2, 5]);
    session(&folder.path().join("p/agent-b.jsonl"), "s1", Some("b"), &[3, 10]);
    session(&folder.path().join("p/s2.jsonl"), "s2", None, &[1]);
    let expected = [vec!["main@1", "a@2", "b@3", "main@4", "a@5", "main@9", "b@10"], vec!["main@1"]];
    assert_eq!(who(folder.path()), expected);
}

#[test]
fn copies_of_a_session_keep_their_own_subagents() {
    let folder = tempfile::tempdir().unwrap();
    for copy in ["one", "two"] {
        session(&folder.path().join(copy).join("s.jsonl"), "s", None, &[1]);
        session(&folder.path().join(copy).join("s/subagents/agent-a.jsonl"), "s", Some("a"), &[2]);
    }
    assert_eq!(who(folder.path()), [["main@1", "a@2"], ["main@1", "a@2"]]);
}

#[test]
fn subagents_without_their_session_are_one_run() {
    let folder = tempfile::tempdir().unwrap();
    session(&folder.path().join("agent-a.jsonl"), "s", Some("a"), &[1, 3]);
    session(&folder.path().join("agent-b.jsonl"), "s", Some("b"), &[2]);
    assert_eq!(who(folder.path()), [["a@1", "b@2", "a@3"]]);
}

#[test]
fn a_session_of_gemini_cli_and_its_subagents_are_one_run_in_order_of_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = |path: &str, session: &str, kind: &str, seconds: &[u32]| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut text = format!("{{\"sessionId\":\"{session}\",\"projectHash\":\"p\",\"kind\":\"{kind}\"}}\n");
        for second in seconds {
            let at = format!("2026-11-16T10:00:{second:02}Z");
            let call = "{\"name\":\"ls\",\"args\":{},\"status\":\"success\"}";
            writeln!(text, "{{\"id\":\"{second}\",\"timestamp\":\"{at}\",\"type\":\"gemini\",\"content\":\"\",\"toolCalls\":[{call}]}}").unwrap();
        }
        // The caller of a subagent is not a human.
        writeln!(
            text,
            "{{\"id\":\"u\",\"timestamp\":\"2026-11-16T10:00:50Z\",\"type\":\"user\",\"content\":\"go\"}}"
        )
        .unwrap();
        fs::write(path, text).unwrap();
    };
    file("chats/session-1.jsonl", "s1", "main", &[1, 4, 5, 9]);
    file("chats/s1/helper.jsonl", "helper", "subagent", &[2, 3, 6, 7]);
    file("chats/other/lonely.jsonl", "lonely", "subagent", &[1]);
    let runs = who(folder.path());
    assert_eq!(runs.len(), 2, "{runs:?}");
    let expected =
        ["main@1", "helper@2", "helper@3", "main@4", "main@5", "helper@6", "helper@7", "main@9", "main@50"];
    assert_eq!(runs[1], expected);
    assert_eq!(runs[0].len(), 2, "a subagent without its session is a run: {runs:?}");
}

#[test]
fn a_folder_with_one_event_per_file_is_one_run_in_order_of_events() {
    let folder = tempfile::tempdir().unwrap();
    let events = folder.path().join("session-7/events");
    fs::create_dir_all(&events).unwrap();
    for number in 0..60 {
        let at = format!("2025-06-01T10:00:{number:02}");
        let event = if number % 2 == 0 {
            format!(
                "{{\"id\":{number},\"timestamp\":\"{at}\",\"source\":\"agent\",\"action\":\"run\",\"args\":{{\"command\":\"ls\"}}}}"
            )
        } else {
            format!(
                "{{\"id\":{number},\"timestamp\":\"{at}\",\"source\":\"agent\",\"cause\":{},\"observation\":\"run\",\"content\":\"ok\"}}",
                number - 1
            )
        };
        fs::write(events.join(format!("{number}.json")), event).unwrap();
    }
    let expected: Vec<String> = (0..30).map(|call| format!("main@{}", 2 * call + 1)).collect();
    assert_eq!(who(folder.path()), [expected]);
    assert_eq!(loopbreak_trace::expand_paths([folder.path()]).inputs[0].run(), "session-7");

    // Logs with one event per line stay separate.
    let folder = tempfile::tempdir().unwrap();
    for log in ["a.jsonl", "b.jsonl"] {
        let both =
            [fs::read(events.join("0.json")).unwrap(), fs::read(events.join("1.json")).unwrap()].join(&b'\n');
        fs::write(folder.path().join(log), both).unwrap();
    }
    assert_eq!(who(folder.path()), [["main@1"], ["main@1"]]);
}

#[test]
fn reads_all_of_many_subagents() {
    let folder = tempfile::tempdir().unwrap();
    session(&folder.path().join("s.jsonl"), "s", None, &[1]);
    for number in 0..100 {
        let agent = format!("a{number}");
        session(&folder.path().join(format!("s/subagents/agent-{agent}.jsonl")), "s", Some(&agent), &[2, 3]);
    }
    let runs = who(folder.path());
    assert_eq!((runs.len(), runs[0].len()), (1, 201));
}
