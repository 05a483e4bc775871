//! A log of a known format with items of an unknown kind is never clear.

use std::fs;

use crate::support::{analyze, folder, json};

/// A rollout with a call of an unknown kind.
pub(crate) const LOG: &str = r#"{"type":"session_meta","payload":{"id":"s1"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}}
{"type":"response_item","payload":{"type":"hologram_call","call_id":"c1","name":"x"}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}}
"#;

#[test]
fn a_run_with_items_that_could_not_be_read_is_not_clear() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), LOG).unwrap();
    let report = json(folder.path(), &["log.jsonl"]);
    assert_eq!((&report["totals"]["unread_items"], &report["totals"]["warned"]), (&1.into(), &1.into()));
    assert_eq!(
        (&report["runs"][0]["unread_items"], &report["runs"][0]["verdict"]),
        (&1.into(), &"warn".into())
    );

    let shown = analyze(folder.path(), &["log.jsonl"]);
    assert_eq!(shown.code, Some(0));
    assert!(shown.out.contains("1 item could not be read"), "{}", shown.out);
    assert!(!shown.out.contains("1 clear"), "{}", shown.out);
    assert!(
        shown.err.contains("log.jsonl:3: an item of the unknown kind \"hologram_call\""),
        "{}",
        shown.err
    );
}

#[test]
fn fail_on_counts_items_that_could_not_be_read() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), LOG).unwrap();
    fs::write(folder.path().join("clear.jsonl"), LOG.replace("hologram_call", "reasoning")).unwrap();
    for level in ["warn", "stop"] {
        let unread = analyze(folder.path(), &["--fail-on", level, "log.jsonl"]);
        assert_eq!(unread.code, Some(10), "{level}");
        let clear = analyze(folder.path(), &["--fail-on", level, "clear.jsonl"]);
        assert_eq!(clear.code, Some(0), "{level}");
    }
}

#[test]
fn a_log_in_a_folder_of_which_nothing_could_be_read_is_not_ignored() {
    let folder = folder();
    let logs = folder.path().join("logs");
    fs::create_dir(&logs).unwrap();
    let lines: Vec<&str> = LOG.lines().filter(|line| !line.contains("message")).collect();
    fs::write(logs.join("log.jsonl"), lines.join("\n")).unwrap();
    let report = json(folder.path(), &["logs"]);
    let totals = &report["totals"];
    assert_eq!((&totals["unread_items"], &totals["ignored_files"]), (&1.into(), &0.into()));
    assert_eq!(analyze(folder.path(), &["--fail-on", "stop", "logs"]).code, Some(10));
}

#[test]
fn every_output_says_that_items_could_not_be_read() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), LOG).unwrap();
    fs::write(folder.path().join("clear.jsonl"), LOG.replace("hologram_call", "reasoning")).unwrap();
    let sentence = "1 item could not be read, and may be part of a loop";
    let written = |log: &str, option: &str| {
        let done = analyze(folder.path(), &[log, option, "out"]);
        assert_eq!(done.code, Some(0), "{}", done.err);
        fs::read_to_string(folder.path().join("out")).unwrap()
    };
    for (option, expected) in [
        ("--html", format!("<strong class=\"warn\">{sentence}.</strong>")),
        ("--html", format!("\"ur\":\"{sentence}\"")),
        ("--markdown", "| items that could not be read, and may be part of a loop | 1 |".to_owned()),
        ("--markdown", format!("| {sentence} |")),
        ("--csv", ",refused,unread_items,llm_calls_saved,".to_owned()),
        ("--csv", ",0,1,0,0,0,0,0,,,,,,,,,0,\r\n".to_owned()),
        ("--card", format!(">{sentence}</text>")),
        ("--junit", format!("<skipped message=\"{sentence}\"/>")),
        ("--sarif", format!("\"text\": \"{sentence}\"")),
    ] {
        let text = written("log.jsonl", option);
        assert!(text.contains(&expected), "{option}: {expected}: {text}");
    }
    for option in ["--html", "--markdown", "--junit", "--sarif", "--card"] {
        assert!(!written("clear.jsonl", option).contains("could not be read,"), "{option}");
    }
    let shown = analyze(folder.path(), &["log.jsonl"]).out;
    assert_eq!(shown.matches(sentence).count(), 2, "for the run and for all: {shown}");
}
