//! `loopbreak merge`: one report of several.

use serde_json::Value;

use crate::support::{done, folder, loopbreak, root};

/// The report of two logs is that of both, read at once.
#[test]
fn two_reports_become_the_report_of_both_logs() {
    let home = folder();
    let logs = ["coding.jsonl", "dam.jsonl"].map(|name| root().join("examples").join(name));
    let analyze = |logs: &[std::path::PathBuf]| {
        let done = done(loopbreak(home.path()).args(["analyze", "--json"]).args(logs));
        assert_eq!(done.code, Some(0), "{}", done.err);
        done.out
    };
    for (name, log) in ["one.json", "two.json"].iter().zip(&logs) {
        std::fs::write(home.path().join(name), analyze(std::slice::from_ref(log))).unwrap();
    }
    let merged = done(loopbreak(home.path()).args(["merge", "one.json", "two.json"]));
    assert_eq!(merged.code, Some(0), "{}", merged.err);
    let merged: Value = serde_json::from_str(&merged.out).unwrap();
    let both: Value = serde_json::from_str(&analyze(&logs)).unwrap();
    let (totals, expected) = (merged["totals"].as_object().unwrap(), both["totals"].as_object().unwrap());
    for (key, expected) in expected {
        let sorted = |value: &Value| {
            let mut items = value.as_array().cloned().unwrap_or_default();
            items.sort_by_key(ToString::to_string);
            items
        };
        if expected.is_array() {
            assert_eq!(sorted(&totals[key]), sorted(expected), "{key}");
        } else {
            assert_eq!(&totals[key], expected, "{key}");
        }
    }
    let names = |report: &Value| -> Vec<String> {
        report["runs"].as_array().unwrap().iter().map(|run| run["run"].to_string()).collect()
    };
    assert_eq!(names(&merged), names(&both));
}

#[test]
fn a_file_that_is_not_a_report_is_refused() {
    let home = folder();
    std::fs::write(home.path().join("log.json"), "{\"action\":\"x\"}").unwrap();
    let refused = done(loopbreak(home.path()).args(["merge", "log.json"]));
    assert!(refused.code == Some(2) && refused.err.contains("report 1 is not one of"), "{}", refused.err);
    let missing = done(loopbreak(home.path()).args(["merge", "none.json"]));
    assert!(missing.code == Some(1) && missing.err.contains("cannot read none.json"), "{}", missing.err);
}
