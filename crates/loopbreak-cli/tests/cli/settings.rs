//! Settings from all sources reach the analysis.

#![expect(clippy::unwrap_used, reason = "a test that cannot write its own files has failed")]

use std::fs;
use std::path::Path;

use crate::support::{FinishedProgram, analyze, done, folder, json, loopbreak, stuck};
use serde_json::Value;

/// Creates a folder with a log that is warned at turn 20 and stopped at turn 40 by default.
fn with_log() -> tempfile::TempDir {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), stuck("a", 95)).unwrap();
    folder
}

/// Returns the turn at which the run would have been stopped.
fn stop(folder: &Path, args: &[&str]) -> Value {
    json(folder, &[&["log.jsonl"], args].concat())["runs"][0]["first_stop"]["turn"].take()
}

/// Asserts a refusal before anything is read: nothing is printed, and the missing log is not reported.
fn assert_refused(done: &FinishedProgram, words: &[&str]) {
    assert_eq!((done.code, done.out.as_str()), (Some(2), ""), "{}", done.err);
    assert!(!done.err.contains("missing.jsonl"), "{}", done.err);
    for word in words {
        assert!(done.err.contains(word), "{word}: {}", done.err);
    }
}

#[test]
fn observe_mode_reports_everything_and_decides_nothing() {
    let folder = with_log();
    let args = ["log.jsonl", "--set", "mode=observe"];
    let report = json(folder.path(), &args);
    let run = &report["runs"][0];
    let findings = run["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding["severity"] == "hard"));
    assert!(findings.iter().all(|finding| finding["acted"] == false), "{findings:?}");
    assert_eq!(run["verdict"], "clear");
    assert!(run["first_warning"].is_null() && run["first_stop"].is_null() && run["ending"].is_null());
    assert_eq!((&report["totals"]["ended"], &report["totals"]["llm_calls_saved"]), (&0.into(), &0.into()));

    let told = analyze(folder.path(), &[&args[..], &["--fail-on", "stop"]].concat());
    assert_eq!(told.code, Some(0));
    insta::assert_snapshot!(told.out);
}

#[test]
fn one_option_can_be_set() {
    let folder = with_log();
    assert_eq!(stop(folder.path(), &[]), 40);
    assert_eq!(stop(folder.path(), &["--set", "stagnation.max_turns=60"]), 60);
    assert_eq!(
        stop(folder.path(), &["--set", "stagnation.max_turns=60", "--set", "stagnation.check_interval=25"]),
        75
    );
}

#[test]
fn the_documents_profile_counts_four_calls_per_step() {
    let folder = with_log();
    let calls = |args: &[&str]| json(folder.path(), args)["totals"]["llm_calls_saved"].take();
    assert_eq!(calls(&["log.jsonl"]), 55);
    assert_eq!(calls(&["log.jsonl", "--profile", "documents"]), 220);
}

#[test]
fn a_flag_overrides_the_file_in_the_current_folder() {
    let folder = with_log();
    fs::write(folder.path().join("loopbreak.toml"), "[stagnation]\nmax_turns = 60\n").unwrap();
    assert_eq!(stop(folder.path(), &[]), 60);
    assert_eq!(stop(folder.path(), &["--set", "stagnation.max_turns=70"]), 70);
    fs::write(folder.path().join("other.toml"), "[stagnation]\nmax_turns = 50\n").unwrap();
    assert_eq!(stop(folder.path(), &["--config", "other.toml"]), 50);
}

#[test]
fn the_legacy_table_applies() {
    let folder = with_log();
    let table = "[project]\nname = \"zork\"\n\n[tool.zorkgpt.loop_break]\nmax_turns_stuck = 30\n";
    fs::write(folder.path().join("pyproject.toml"), table).unwrap();
    let report = json(folder.path(), &["log.jsonl"]);
    assert_eq!(report["runs"][0]["first_stop"]["turn"], 30);
    assert_eq!(report["totals"]["llm_calls_saved"], 4 * 65, "it selects the profile of the documents");
}

#[test]
fn a_variable_overrides_a_file() {
    let folder = with_log();
    fs::write(folder.path().join("loopbreak.toml"), "[stagnation]\nmax_turns = 60\n").unwrap();
    let mut command = loopbreak(folder.path());
    let told =
        done(command.env("LOOPBREAK_STAGNATION__MAX_TURNS", "70").args(["analyze", "--json", "log.jsonl"]));
    let report: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(report["runs"][0]["first_stop"]["turn"], 70);
}

#[test]
fn a_wrong_setting_is_reported_before_any_log_is_read() {
    let folder = folder();
    let with = |args: &[&str]| analyze(folder.path(), &[&["missing.jsonl"], args].concat());
    assert_refused(&with(&["--set", "stagnation.max_turn=60"]), &["max_turn", "did you mean max_turns?"]);
    assert_refused(&with(&["--set", "stagnation.max_turns=many"]), &["stagnation.max_turns"]);
    assert_refused(&with(&["--config", "none.toml"]), &["cannot read none.toml"]);
    fs::write(folder.path().join("loopbreak.toml"), "[stagnaton]\nmax_turns = 60\n").unwrap();
    assert_refused(&with(&[]), &["loopbreak.toml:1:2", "stagnation"]);
}

#[test]
fn an_unknown_profile_is_answered_with_the_nearest_name() {
    let folder = folder();
    let with = |name: &str| analyze(folder.path(), &["missing.jsonl", "--profile", name]);
    assert_refused(&with("nope"), &["nope", "auto", "game", "coding", "tasks", "iterations", "documents"]);
    assert_refused(&with("gmae"), &["did you mean \"game\"?"]);
}
