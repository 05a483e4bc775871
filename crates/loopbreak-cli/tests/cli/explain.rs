//! `loopbreak analyze --explain`: a run, step by step.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fmt::Write as _;
use std::fs;

use crate::support::{analyze, done, folder, healthy, loopbreak, root, shown};
use serde_json::json;

/// Returns a run of a coding agent that tests and reads repeatedly without changing anything, and then
/// recovers.
fn circling_run(run: &str) -> String {
    let mut log = String::new();
    let mut step = |command: &str, text: &str, error: bool| {
        let action = json!({"name": "bash", "args": {"command": command}});
        let step = json!({"run": run, "action": action, "outcome": {"text": text, "error": error}});
        writeln!(log, "{step}").unwrap();
    };
    for number in 0..20 {
        step(&format!("sed -n {number}p notes"), &format!("line {number}: nothing of note"), false);
    }
    for _ in 0..5 {
        step("cargo test", "test parser::empty ... FAILED", true);
        step("cat src/parser.rs", "fn parse() -> Option<Node> { None }", false);
    }
    step("git log", "a1 Add the parser", false);
    step("git show a1", "the parser as it was", false);
    step("export API_KEY=sk-abcdefghijklmnopqrstuvwxyz123456", "", false);
    log
}

#[test]
fn a_run_is_explained_step_by_step() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), circling_run("circles")).unwrap();
    let done = analyze(folder.path(), &["log.jsonl", "--explain"]);
    assert!(!done.out.contains("abcdefghijklmnop"), "{}", done.out);
    insta::assert_snapshot!(shown(&done));
}

#[test]
fn one_run_is_explained_by_its_id_and_several_are_refused() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), circling_run("circles") + &healthy("well", 9)).unwrap();
    let one = analyze(folder.path(), &["log.jsonl", "--explain", "--run", "well"]);
    assert_eq!(one.code, Some(0), "{}", one.err);
    assert!(one.out.contains("score 9") && !one.out.contains("cargo test"), "{}", one.out);
    let many = analyze(folder.path(), &["log.jsonl", "--explain"]);
    assert_eq!((many.code, many.out.as_str()), (Some(2), ""));
    assert!(many.err.contains("--explain shows one run, but there are 2"), "{}", many.err);
    assert!(many.err.contains("select one with --run ID: \"circles\", \"well\""), "{}", many.err);
    fs::write(folder.path().join("again.jsonl"), healthy("well", 9)).unwrap();
    let twice = analyze(folder.path(), &[".", "--explain", "--run", "well"]);
    assert!(twice.err.contains("give one file"), "{}", twice.err);
    for other in ["--json", "--quiet"] {
        assert_eq!(analyze(folder.path(), &["log.jsonl", "--explain", other]).code, Some(2), "{other}");
    }
}

#[test]
fn the_dam_episode_is_folded_and_fits_the_terminal() {
    for (columns, term) in [("60", "dumb"), ("120", "xterm")] {
        let mut command = loopbreak(&root());
        command.env("COLUMNS", columns).env("TERM", term).args([
            "analyze",
            "examples/dam.jsonl",
            "--explain",
        ]);
        let done = done(&mut command);
        let width: usize = columns.parse().unwrap();
        let mut steps = done.out.lines().take_while(|line| !line.is_empty());
        assert!(steps.all(|line| line.chars().count() <= width), "{}", done.out);
        assert!(done.out.contains("steps"), "{}", done.out);
        assert!(term != "dumb" || done.out.is_ascii(), "{}", done.out);
    }
}

/// Document 004 advises to look at the signatures where outputs are taken for a loop, or are not.
#[test]
fn the_signatures_of_outputs_are_shown_if_everything_is_requested() {
    let folder = folder();
    let outputs = [
        "Fixed auth.ts - added null check",
        "Fixed auth.ts - updated validation",
        "3 tests failing - auth, login",
    ];
    let log = outputs.map(|text| json!({"run": "r", "outcome": text}).to_string());
    fs::write(folder.path().join("log.jsonl"), log.join("\n")).unwrap();
    let shown = analyze(folder.path(), &["log.jsonl", "--explain", "-v"]).out;
    for signature in
        ["signature auth.ts:null-check", "signature auth.ts:validation", "signature test-fail:3-auth,login"]
    {
        assert!(shown.contains(signature), "{signature} in\n{shown}");
    }
    assert!(!analyze(folder.path(), &["log.jsonl", "--explain"]).out.contains("signature"));
}
