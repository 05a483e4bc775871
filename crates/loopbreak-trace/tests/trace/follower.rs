//! Logs that are still being written: the pieces in which they arrive make no difference.

use std::fs;
use std::path::PathBuf;

use crate::support::{CollectedSteps, fixtures};
use loopbreak_trace::{
    FileShape, LONGEST_LINE, LogFollower, LogFormat, LogInput, ProbeResult, is_complete_document, list_files,
    probe,
};
use proptest::prelude::*;

/// Returns the fixtures that are logs, without the page that describes them.
fn logs() -> Vec<PathBuf> {
    let inputs = list_files([fixtures()]).inputs;
    let paths = inputs.iter().filter_map(|input| input.path().map(PathBuf::from));
    paths.filter(|path| path.extension().is_none_or(|ending| ending != "md")).collect()
}

fn shape_of(head: &[u8], settled: bool) -> Option<(LogFormat, FileShape)> {
    match probe(head, settled, None) {
        ProbeResult::Log { format, shape, .. } => Some((format, shape)),
        _ => None,
    }
}

/// Returns the steps and the skipped lines of a file that is read at once.
fn at_once(path: &std::path::Path) -> (LogFormat, CollectedSteps) {
    let log = LogInput::file(path).open(None, |_| {}).unwrap();
    let format = log.format();
    let mut collected = CollectedSteps::default();
    log.read(&mut collected).unwrap();
    (format, collected)
}

fn in_pieces(format: LogFormat, bytes: &[u8], size: usize) -> CollectedSteps {
    let mut live = LogFollower::new(format);
    let mut collected = CollectedSteps::default();
    for piece in bytes.chunks(size) {
        live.push(0, piece, &mut collected);
    }
    live.finish(&mut collected);
    collected
}

#[test]
fn a_log_of_lines_may_arrive_in_pieces() {
    let mut formats = std::collections::BTreeSet::new();
    for path in logs() {
        let bytes = fs::read(&path).unwrap();
        let Some((_, FileShape::Lines)) = shape_of(&bytes, true) else { continue };
        let (format, expected) = at_once(&path);
        formats.insert(format.as_str());
        for size in [1, 7, 64, 4096] {
            let collected = in_pieces(format, &bytes, size);
            assert_eq!(collected.steps, expected.steps, "{} by {size}", path.display());
            assert_eq!(collected.skipped, expected.skipped, "{} by {size}", path.display());
        }
    }
    for format in ["claude-code", "codex", "gemini-cli", "openhands", "zorkgpt", "ralph", "chat", "attempts"]
    {
        assert!(formats.contains(format), "no log of lines of {format}: {formats:?}");
    }
}

#[test]
fn documents_are_read_as_a_whole() {
    let mut count = 0;
    for path in logs() {
        let bytes = fs::read(&path).unwrap();
        let Some((format, FileShape::Document)) = shape_of(&bytes, true) else { continue };
        assert!(is_complete_document(&bytes), "{}", path.display());
        assert!(!is_complete_document(&bytes[..bytes.len() - 3]), "{}", path.display());
        let expected = at_once(&path).1;
        let mut collected = CollectedSteps::default();
        let mut live = LogFollower::new(format);
        live.push_document(&bytes, &mut collected);
        live.finish(&mut collected);
        assert_eq!(collected.steps, expected.steps, "{}", path.display());
        count += 1;
    }
    assert!(count >= 5, "{count}");
}

#[test]
fn a_truncated_log_is_not_mistaken_for_another_format() {
    for path in logs() {
        let bytes = fs::read(&path).unwrap();
        let whole = shape_of(&bytes, true);
        // A truncated log may not be recognized yet, but is never mistaken for another format. A truncated document
        // is undecided until it is complete.
        for end in (0..bytes.len()).step_by((bytes.len() / 40).max(1)) {
            if let Some((format, FileShape::Lines)) = shape_of(&bytes[..end], false) {
                assert_eq!(Some(format), whole.map(|(format, _)| format), "{}: {end} bytes", path.display());
            }
        }
    }
}

#[test]
fn the_shape_depends_on_the_content_of_the_file() {
    let step = b"{\"action\":\"look\"}";
    assert_eq!(shape_of(step, false), None, "possibly an unfinished line");
    assert_eq!(shape_of(step, true), Some((LogFormat::STEPS, FileShape::Lines)));
    let chat = "chat".parse::<LogFormat>().unwrap();
    let talk = br#"{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}"#;
    assert_eq!(shape_of(talk, true), Some((chat, FileShape::Document)));
    assert_eq!(shape_of(&[&talk[..], b"\n"].concat(), false), Some((chat, FileShape::Document)));
    assert_eq!(shape_of(&[&talk[..], b"\n", talk, b"\n"].concat(), false), Some((chat, FileShape::Lines)));
    let event = br#"{"id":3,"source":"agent","action":"run","args":{"command":"ls"}}"#;
    let openhands = "openhands".parse::<LogFormat>().unwrap();
    assert_eq!(shape_of(event, true), Some((openhands, FileShape::Piece)));
    assert_eq!(shape_of(&[&event[..], b"\n"].concat(), false), Some((openhands, FileShape::Lines)));
    assert!(matches!(probe(b"\x1F\x8B\x08\0", false, None), ProbeResult::Never(_)));
    assert!(matches!(probe(b"prose\n", true, None), ProbeResult::NotYet), "steps may follow");
    assert!(matches!(probe(&b"prose\n".repeat(1 << 20), true, None), ProbeResult::Never(_)));
}

#[test]
fn a_line_without_an_end_is_not_held_and_is_counted_once() {
    let mut live = LogFollower::new(LogFormat::STEPS);
    let mut collected = CollectedSteps::default();
    let piece = vec![b'x'; 8 * 1024 * 1024];
    for _ in 0..=LONGEST_LINE / piece.len() {
        live.push(0, &piece, &mut collected);
    }
    assert!(live.unfinished_bytes(0) > LONGEST_LINE as u64);
    live.push(0, b"y\nnonsense\n{\"score\":1}\n{\"sco", &mut collected);
    assert_eq!(live.unfinished_bytes(0), 5);
    live.push(0, b"re\":2}\n", &mut collected);
    assert_eq!(collected.steps.iter().map(|step| step.0).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(collected.skipped.len(), 2, "{:?}", collected.skipped);
}

#[test]
fn messages_of_an_agent_with_its_own_file_are_not_repeated() {
    let format = "claude-code".parse::<LogFormat>().unwrap();
    let inner = r#"{"type":"assistant","sessionId":"s","isSidechain":true,"agentId":"a","timestamp":"2026-01-01T00:00:01Z","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}"#;
    let progress = format!(
        r#"{{"type":"progress","sessionId":"s","timestamp":"2026-01-01T00:00:01Z","data":{{"type":"agent_progress","agentId":"a","message":{inner}}}}}"#
    );
    let mut live = LogFollower::new(format);
    let mut collected = CollectedSteps::default();
    let agent = live.add_file(Some("a"));
    live.push(0, format!("{progress}\n").as_bytes(), &mut collected);
    live.push(agent, format!("{inner}\n").as_bytes(), &mut collected);
    live.finish(&mut collected);
    assert_eq!(collected.steps.len(), 1, "{:#?}", collected.steps);
}

/// Reads a fixture line by line, and emits everything held back after each line that `is_end` accepts.
fn with_pauses(format: &str, fixture: &str, is_end: fn(&str) -> bool) -> Vec<String> {
    let text = fs::read_to_string(fixtures().join(fixture)).unwrap();
    let mut live = LogFollower::new(format.parse().unwrap());
    let mut collected = CollectedSteps::default();
    for line in text.lines() {
        live.push(0, format!("{line}\n").as_bytes(), &mut collected);
        if is_end(line) {
            live.flush(&mut collected);
        }
    }
    live.finish(&mut collected);
    collected.steps.into_iter().map(|(line, step)| format!("{line}: {step}")).collect()
}

#[test]
fn a_pause_in_a_log_changes_neither_events_nor_batches() {
    let never = |_: &str| false;
    let pause = |line: &str| line.contains("\"type\":\"system\"");
    let fixture = "claude-code-made/harness.jsonl";
    assert_eq!(
        with_pauses("claude-code", fixture, pause),
        with_pauses("claude-code", fixture, never),
        "between the boundary and the summary of a compaction"
    );
    let labels = |is_end| {
        let label = |step: &String| step.split_once("\"batch\":").map(|(_, rest)| rest[..4].to_owned());
        let steps = with_pauses("codex", "codex/goal.jsonl", is_end);
        steps.iter().filter_map(label).collect::<Vec<_>>()
    };
    assert_eq!(labels(|line| line.contains("reasoning")), labels(never), "between two calls of a response");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pieces_may_end_anywhere(
        text in "([ab\u{e9}{}\"\n\r]|\\{\"score\":1\\}\n){0,80}",
        sizes in prop::collection::vec(1_usize..40, 1..20),
    ) {
        let expected = in_pieces(LogFormat::STEPS, text.as_bytes(), text.len().max(1));
        let mut live = LogFollower::new(LogFormat::STEPS);
        let mut collected = CollectedSteps::default();
        let mut rest = text.as_bytes();
        for size in sizes.into_iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at(size.min(rest.len()));
            live.push(0, piece, &mut collected);
            rest = after;
        }
        live.finish(&mut collected);
        prop_assert_eq!(collected.steps, expected.steps);
        prop_assert_eq!(collected.skipped, expected.skipped);
    }
}
