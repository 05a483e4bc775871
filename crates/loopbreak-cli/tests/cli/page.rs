//! `loopbreak eval --html`: the page in a real browser.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{done, folder, healthy, loopbreak, stuck};
use serde_json::json;

/// Returns the page of an evaluation with a missed run, a false alarm, lost progress, and a name with markup.
fn evaluation_page(folder: &Path) -> String {
    let mut log =
        stuck("stuck-1", 60) + &stuck("short", 10) + &stuck("<b>thinks</b>", 45) + &healthy("well", 30);
    for turn in 1..=70 {
        let score = if turn < 60 { 3 } else { turn };
        writeln!(log, "{}", json!({"run": "late", "turn": turn, "score": score})).unwrap();
    }
    fs::write(folder.join("runs.jsonl"), log).unwrap();
    let mut labels = String::new();
    for (run, stuck) in
        [("stuck-1", true), ("short", true), ("<b>thinks</b>", false), ("well", false), ("late", false)]
    {
        writeln!(labels, "{}", json!({"run": run, "stuck": stuck})).unwrap();
    }
    fs::write(folder.join("labels.jsonl"), labels).unwrap();
    let args =
        ["eval", "runs.jsonl", "--labels", "labels.jsonl", "--positive", "stuck", "--html", "eval.html"];
    let done =
        done(loopbreak(folder).args(args).args(["--baseline", "openhands-rule,gemini-rule,documents"]));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert!(done.out.contains("5 runs"), "the text is still printed: {}", done.out);
    fs::read_to_string(folder.join("eval.html")).unwrap()
}

/// Returns the page as the browser parsed it.
fn dom(page: &Path, profile: &Path, flags: &[&str]) -> String {
    let mut chromium = Command::new("chromium");
    chromium
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(flags)
        .arg(format!("file://{}", page.display()));
    let output = chromium.output().unwrap_or_else(|error| {
        panic!("the browser `chromium` does not start ({error}); `cargo xtask ci` installs it")
    });
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

#[test]
fn the_page_has_tables_charts_and_lists_in_a_browser() {
    let folder = folder();
    evaluation_page(folder.path());
    let dom = dom(&folder.path().join("eval.html"), &folder.path().join("profile"), &[]);
    for id in ["signals", "detectors", "savings", "curve", "after", "missed", "false-alarms"] {
        assert_eq!(count(&dom, &format!("<section id=\"{id}\"")), 1, "{id}");
    }
    assert_eq!((count(&dom, "<table>"), count(&dom, "</table>")), (7, 7));
    assert_eq!(count(&dom, "<svg "), 2);
    // Each chart has seven points of Loopbreak, one of them the current settings, and three of other rules.
    assert_eq!(count(&dom, "class=\"point now\""), 2);
    assert_eq!(count(&dom, "<circle class=\"point\""), 12);
    assert_eq!(count(&dom, "class=\"point other\""), 6);
    assert!(dom.contains("&lt;b&gt;thinks&lt;/b&gt;") && !dom.contains("<b>"), "a log is text");
    assert!(dom.contains("loopbreak analyze runs.jsonl --run short --explain"));
    // Every link on the page has a target, and wide tables can be reached with the keyboard.
    for link in dom.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(dom.contains(&format!(" id=\"{link}\"")), "{link}");
    }
    assert_eq!(count(&dom, "tabindex=\"0\""), 7);
}

#[test]
fn the_page_needs_no_network_and_no_script_and_adapts_to_dark_and_paper() {
    let folder = folder();
    let page = evaluation_page(folder.path());
    for part in ["http://", "https://", "//cdn", "<script", "<link", "@import", "url("] {
        assert!(!page.contains(part), "{part}");
    }
    assert!(page.contains("prefers-color-scheme: dark") && page.contains("@media print"));
    assert!(page.starts_with("<!doctype html>\n<html lang=\"en\">"));
}

#[test]
fn without_labels_and_progress_the_page_has_no_chart() {
    let folder = folder();
    let mut log = String::new();
    for _ in 0..20 {
        log += "{\"run\":\"a\",\"action\":\"look\",\"outcome\":\"dark\"}\n";
    }
    fs::write(folder.path().join("a.jsonl"), log).unwrap();
    let done = done(loopbreak(folder.path()).args(["eval", "a.jsonl", "--html", "a.html", "--json"]));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let data: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(data["curve"].as_array().unwrap().len(), 7);
    let page = fs::read_to_string(folder.path().join("a.html")).unwrap();
    assert!(page.contains("no labels") && !page.contains("<svg"), "harm is unknown");
}

#[test]
fn a_page_that_cannot_be_written_is_an_error() {
    let folder = folder();
    fs::write(folder.path().join("a.jsonl"), stuck("a", 50)).unwrap();
    let done = done(loopbreak(folder.path()).args(["eval", "a.jsonl", "--html", "no/such/folder/a.html"]));
    assert_eq!(done.code, Some(1));
    assert!(done.err.contains("cannot write no/such/folder/a.html"), "{}", done.err);
    let over = crate::support::done(loopbreak(folder.path()).args(["eval", ".", "--html", "./a.jsonl"]));
    assert_eq!(over.code, Some(2), "{}", over.err);
    assert!(over.err.contains("--html ./a.jsonl would overwrite an input log"), "{}", over.err);
    assert_eq!(fs::read_to_string(folder.path().join("a.jsonl")).unwrap(), stuck("a", 50));
}
