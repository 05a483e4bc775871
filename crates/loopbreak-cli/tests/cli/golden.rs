//! Verdicts that must not change: the output of release 0.1.0 for generated logs and for the fixtures of
//! every format.
//!
//! `fixtures/golden/README.md` says how the files were made and how to accept a change.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::path::PathBuf;

use crate::support::{done, folder, loopbreak, root};

const GOLDEN: &str = "crates/loopbreak-cli/tests/fixtures/golden";
const FORMATS: &str = "crates/loopbreak-trace/tests/fixtures";

/// Removes every `"reason":"…"` member from a JSON text and leaves all other bytes as they are.
fn without_reasons(json: &str) -> String {
    const KEY: &str = "\"reason\":\"";
    let mut kept = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find(KEY) {
        kept.push_str(&rest[..at]);
        let value = &rest[at + KEY.len()..];
        let mut escaped = false;
        let end = value.find(|letter: char| {
            let closes = letter == '"' && !escaped;
            escaped = letter == '\\' && !escaped;
            closes
        });
        rest = &value[end.unwrap() + 1..];
        match rest.strip_prefix(',') {
            Some(after) => rest = after,
            None if kept.ends_with(',') => drop(kept.pop()),
            None => {}
        }
    }
    kept + rest
}

/// Removes the objects `"spending":{…}` and `"about":{…}`, which later releases added.
fn without_additions(json: &str) -> String {
    let mut kept = json.to_owned();
    for key in ["\"spending\":{", "\"about\":{"] {
        while let Some(at) = kept.find(key) {
            let (mut depth, mut quoted, mut escaped) = (0, false, false);
            let object = at + key.len() - 1;
            let length = kept[object..].find(|letter: char| {
                match letter {
                    '"' if !escaped => quoted = !quoted,
                    '{' if !quoted => depth += 1,
                    '}' if !quoted => depth -= 1,
                    _ => {}
                }
                escaped = letter == '\\' && !escaped;
                depth == 0
            });
            let end = object + length.unwrap() + 1;
            let (at, end) = if kept[end..].starts_with(',') {
                (at, end + 1)
            } else if kept[..at].ends_with(',') {
                (at - 1, end)
            } else {
                (at, end)
            };
            kept.replace_range(at..end, "");
        }
    }
    kept
}

/// One comparison: the name of the golden file, and the arguments of `analyze` that print it.
struct GoldenCase {
    name: String,
    args: Vec<String>,
}

fn cases() -> Vec<GoldenCase> {
    let mut cases = Vec::new();
    let mut add = |name: String, args: &[&str]| {
        cases.push(GoldenCase { name, args: args.iter().map(|arg| (*arg).to_owned()).collect() });
    };
    for name in names(GOLDEN, "logs") {
        let path = format!("{GOLDEN}/logs/{name}.jsonl");
        add(name.clone(), &[&path]);
        add(format!("{name}.documents"), &["--profile", "documents", &path]);
    }
    for profile in ["coding", "game", "iterations", "tasks"] {
        let path = format!("{GOLDEN}/logs/mixed-2.jsonl");
        add(format!("mixed-2.{profile}"), &["--profile", profile, &path]);
    }
    for format in names(FORMATS, "") {
        add(format!("format.{format}"), &[&format!("{FORMATS}/{format}")]);
    }
    cases
}

/// Lists the folders, or the logs without their ending, below a folder of the repository.
fn names(folder: &str, below: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder).join(below)).unwrap().map(|entry| entry.unwrap().path());
    let wanted = |path: &PathBuf| path.is_dir() || path.extension().is_some_and(|ending| ending == "jsonl");
    let name = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<String> = entries.filter(wanted).map(name).collect();
    names.sort();
    names
}

/// Compares with the golden file, or writes it if requested.
fn compare(name: &str, actual: &str, problems: &mut Vec<String>) {
    let path = root().join(GOLDEN).join("expected").join(name);
    let actual = without_additions(&without_reasons(actual));
    if std::env::var_os("LOOPBREAK_UPDATE_GOLDEN").is_some() {
        fs::write(&path, &actual).unwrap();
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let same = expected.bytes().zip(actual.bytes()).take_while(|(left, right)| left == right).count();
    if expected != actual {
        let near = |text: &str| {
            let start = text.floor_char_boundary(same.saturating_sub(120));
            text[start..text.floor_char_boundary(same + 120)].to_owned()
        };
        problems.push(format!("{name}, byte {same}:\n  was {}\n  is  {}", near(&expected), near(&actual)));
    }
}

#[test]
fn reports_are_byte_for_byte_the_pinned_ones() {
    let mut problems = Vec::new();
    for GoldenCase { name, args } in cases() {
        let report = done(loopbreak(&root()).args(["analyze", "--json"]).args(&args));
        assert_eq!(report.code, Some(0), "{name}: {}", report.err);
        compare(&format!("{name}.json"), &report.out, &mut problems);
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn events_are_byte_for_byte_the_pinned_ones() {
    let folder = folder();
    let mut problems = Vec::new();
    for name in names(GOLDEN, "logs") {
        let events = folder.path().join(format!("{name}.jsonl"));
        let log = format!("{GOLDEN}/logs/{name}.jsonl");
        let report = done(loopbreak(&root()).args(["analyze", "--quiet", &log, "--events"]).arg(&events));
        assert_eq!(report.code, Some(0), "{name}: {}", report.err);
        compare(&format!("{name}.events.jsonl"), &fs::read_to_string(&events).unwrap(), &mut problems);
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn only_reasons_are_left_out() {
    let json = r#"{"a":1,"reason":"x \" y","b":{"reason":"z"},"c":[{"d":2,"reason":"w\\"}],"reason":3}"#;
    assert_eq!(without_reasons(json), r#"{"a":1,"b":{},"c":[{"d":2}],"reason":3}"#);
}
