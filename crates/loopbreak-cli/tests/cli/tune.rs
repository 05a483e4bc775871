//! `loopbreak tune`: the search, its state, and the file it writes.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{FinishedProgram, done, folder, healthy, loopbreak, shown, stuck};
use serde_json::{Value, json};

/// Returns a run that repeats one call with the same result `times` times, followed by other calls.
fn repeating_run(run: &str, times: u64) -> String {
    let mut log = String::new();
    for turn in 0..30 {
        let what = if turn < times { 0 } else { turn };
        let action = json!({"name": "look", "args": {"at": what}});
        writeln!(log, "{}", json!({"run": run, "action": action, "outcome": format!("saw {what}")})).unwrap();
    }
    log
}

/// Writes ten runs that repeat a call five times and are not loops, and ten that repeat it twenty times and
/// are.
fn runs() -> tempfile::TempDir {
    let folder = folder();
    let (mut log, mut labels) = (String::new(), String::new());
    for number in 0..10 {
        log += &repeating_run(&format!("fine-{number}"), 5);
        log += &repeating_run(&format!("loop-{number}"), 20);
        for (name, stuck) in [("fine", false), ("loop", true)] {
            writeln!(labels, "{}", json!({"run": format!("{name}-{number}"), "stuck": stuck})).unwrap();
        }
    }
    fs::write(folder.path().join("runs.jsonl"), log).unwrap();
    fs::write(folder.path().join("labels.jsonl"), labels).unwrap();
    folder
}

const LABELLED: [&str; 6] = ["tune", "runs.jsonl", "--labels", "labels.jsonl", "--positive", "stuck"];

fn tune(folder: &Path, args: &[&str]) -> FinishedProgram {
    done(loopbreak(folder).args(LABELLED).args(args))
}

fn data(folder: &Path, args: &[&str]) -> Value {
    let done = tune(folder, &[&["--json"], args].concat());
    serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{error}: {}{}", done.out, done.err))
}

#[test]
fn tune_finds_the_threshold_that_separates_loops() {
    let folder = runs();
    let found = data(folder.path(), &["--budget", "120"]);
    assert_eq!(found["schema"], "loopbreak.tune/1");
    assert_eq!(
        [&found["runs"], &found["positives"], &found["trials"]],
        [&json!(20), &json!(10), &json!(120)]
    );
    assert_eq!(found["now"]["warned"]["fp"], 10, "by default, five identical calls are warned");
    assert_eq!(found["in_sample"]["warned"], json!({"tp": 10, "fp": 0, "fn": 0, "tn": 10}));
    assert_eq!(found["cross_validated"]["warned"]["tp"], 10);
    assert_eq!((&found["holds"], &found["folds"]), (&json!(true), &json!(5)));
    let changes = found["best"]["changes"].as_array().unwrap();
    let warn_at = changes.iter().find(|change| change[0] == "cycle.warn_at").unwrap();
    assert!(warn_at[1].as_f64().unwrap() > 5.0, "{changes:?}");
    let harms: Vec<u64> =
        found["frontier"].as_array().unwrap().iter().map(|point| point["harm"].as_u64().unwrap()).collect();
    assert!(harms.is_sorted(), "{harms:?}");
}

#[test]
fn tune_gives_the_same_result_with_any_number_of_threads() {
    let folder = runs();
    let one = tune(folder.path(), &["--budget", "25", "--json", "--threads", "1"]);
    let many = tune(folder.path(), &["--budget", "25", "--json", "--threads", "7"]);
    assert_eq!((one.code, &one.out), (Some(0), &many.out));
    let other = tune(folder.path(), &["--budget", "25", "--json", "--seed", "2"]);
    assert_ne!(one.out, other.out);
}

#[test]
fn tune_writes_a_configuration_that_is_valid_and_never_overwrites_one() {
    let folder = runs();
    let path = folder.path();
    let args = ["--budget", "60", "--output", "found.toml", "--set", "camping.mode=off"];
    let first = tune(path, &args);
    assert_eq!(first.code, Some(0), "{}", first.err);
    let text = fs::read_to_string(path.join("found.toml")).unwrap();
    for part in [
        "20 runs, 600 steps",
        "runs.jsonl",
        "10 positive runs (stuck)",
        "60 settings tried",
        "Held out:",
        "Found:",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("[camping]\nmode = \"off\""), "what was set stays set: {text}");
    let check = done(loopbreak(path).args(["config", "check", "found.toml"]));
    assert_eq!(check.code, Some(0), "{}{}", check.out, check.err);
    // The file reproduces the figures in its comments.
    let eval = ["eval", "runs.jsonl", "--labels", "labels.jsonl", "--positive", "stuck", "--json"];
    let eval = done(loopbreak(path).args(eval).args(["--config", "found.toml"]));
    let eval: Value = serde_json::from_str(&eval.out).unwrap();
    assert_eq!(eval["judges"][0]["levels"][0]["fp"], 0, "{text}");

    let again = tune(path, &args);
    assert_eq!((again.code, again.out.as_str()), (Some(2), ""));
    assert!(
        again.err.contains("found.toml already exists") && again.err.contains("--force"),
        "{}",
        again.err
    );
    assert_eq!(fs::read_to_string(path.join("found.toml")).unwrap(), text);
    assert_eq!(tune(path, &[&args[..], &["--force"]].concat()).code, Some(0));
    assert_eq!(tune(path, &["--output", "pyproject.toml"]).code, Some(2));
}

#[test]
fn tune_without_labels_saves_steps_without_losing_more_progress() {
    let folder = folder();
    let mut log = String::new();
    for number in 0..6 {
        log += &stuck(&format!("stuck-{number}"), 90);
        log += &healthy(&format!("well-{number}"), 20);
        // No progress for 34 turns, then the run continues.
        for turn in 1..=60 {
            let score = if turn < 35 { 3 } else { turn };
            writeln!(log, "{}", json!({"run": format!("late-{number}"), "turn": turn, "score": score}))
                .unwrap();
        }
    }
    fs::write(folder.path().join("runs.jsonl"), log).unwrap();
    let args = ["tune", "runs.jsonl", "--budget", "150", "--json"];
    let found = done(loopbreak(folder.path()).args(args));
    let found: Value =
        serde_json::from_str(&found.out).unwrap_or_else(|error| panic!("{error}: {}", found.err));
    assert_eq!((&found["now"]["destroyed"], &found["in_sample"]["destroyed"]), (&json!(0), &json!(0)));
    assert!(found["in_sample"]["saved"].as_u64() >= found["now"]["saved"].as_u64());
    assert!(found["frontier"].as_array().unwrap().len() > 1, "{}", found["frontier"]);
    insta::assert_snapshot!(shown(&done(loopbreak(folder.path()).args(&args[..4]))));
}

#[test]
fn tune_resumes_from_its_state_and_refuses_that_of_another_search() {
    let folder = runs();
    let path = folder.path();
    let whole = tune(path, &["--budget", "40", "--json"]);
    assert_eq!(tune(path, &["--budget", "15", "--state", "state"]).code, Some(0));
    let kept = fs::read_to_string(path.join("state")).unwrap();
    assert_eq!(kept.lines().count(), 16, "one line about the search, one a trial");
    let on = tune(path, &["--budget", "40", "--state", "state", "--json"]);
    assert_eq!((on.code, &on.out), (Some(0), &whole.out));
    let more = fs::read_to_string(path.join("state")).unwrap();
    assert!(more.starts_with(&kept) && more.lines().count() == 41);

    let log = fs::read_to_string(path.join("runs.jsonl")).unwrap();
    for (args, message) in [
        (&["--seed", "2"][..], "another seed"),
        (&["--set", "cycle.warn_at=5"], "other starting settings"),
        (&["--where", "stuck=true"], "other runs or labels"),
    ] {
        let done = tune(path, &[&["--budget", "3", "--state", "state"], args].concat());
        assert_eq!(done.code, Some(2), "{}", done.err);
        assert!(done.err.contains("belongs to another search") && done.err.contains(message), "{}", done.err);
    }
    fs::write(path.join("runs.jsonl"), log.replacen("saw 7", "saw 8", 1)).unwrap();
    let done = tune(path, &["--budget", "3", "--state", "state"]);
    assert!(done.err.contains("other runs or labels"), "a changed log is noticed: {}", done.err);
    assert_eq!(fs::read_to_string(path.join("state")).unwrap(), more);
}

#[cfg(unix)]
#[test]
fn tune_interrupted_exits_with_130_and_keeps_its_trials() {
    let folder = runs();
    let path = folder.path();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .args(LABELLED)
        .args(["--budget", "10m", "--state", "state", "--output", "found.toml"])
        .current_dir(path)
        .env_clear()
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Trials run in parallel, so the first three stored ones are not always the first three.
    let first_three_are_kept = || {
        let state = fs::read_to_string(path.join("state")).unwrap_or_default();
        let trial = |line: &str| serde_json::from_str::<Value>(line).ok()?["trial"].as_u64();
        let kept: Vec<u64> = state.lines().filter_map(trial).collect();
        (0..3).all(|trial| kept.contains(&trial))
    };
    let begun = Instant::now();
    while !first_three_are_kept() {
        assert!(begun.elapsed() < Duration::from_mins(1), "no trial was run");
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    assert!(first_three_are_kept() && !path.join("found.toml").exists());
    // It resumes: finished trials are not repeated.
    let before = fs::read_to_string(path.join("state")).unwrap();
    let on = tune(path, &["--budget", "3", "--state", "state"]);
    assert_eq!(on.code, Some(0), "{}", on.err);
    assert_eq!(fs::read_to_string(path.join("state")).unwrap(), before);
}

#[test]
fn tune_tries_the_values_listed_in_the_guide() {
    let guide = fs::read_to_string(crate::support::root().join("docs/guide/tune.md")).unwrap();
    let mut table = String::from("| option | values |\n|---|---|\n");
    for dimension in loopbreak_analysis::tune::space() {
        let values: Vec<String> =
            dimension.values.iter().map(|value| loopbreak_analysis::tune::shown(*value)).collect();
        writeln!(table, "| `{}` | {} |", dimension.option, values.join(", ")).unwrap();
    }
    assert!(guide.contains(&format!("\n\n{table}\n")), "the table has to be:\n{table}");
}

#[test]
fn tune_reports_wrong_input() {
    let folder = runs();
    let path = folder.path();
    fs::write(path.join("one.jsonl"), stuck("a", 50)).unwrap();
    for (args, code, message) in [
        (&["tune"][..], 2, "no log given"),
        (&["tune", "runs.jsonl", "--budget", "many"], 2, "is neither a number of trials"),
        (&["tune", "runs.jsonl", "--budget", "0"], 2, "is neither a number of trials"),
        (&["tune", "runs.jsonl", "--folds", "1"], 2, "--folds"),
        (&["tune", "runs.jsonl", "--labels", "labels.jsonl"], 2, "--labels without --positive or --where"),
        (&["tune", "one.jsonl"], 2, "one run is not enough"),
        (&["tune", "missing.jsonl"], 1, "missing.jsonl"),
        (&["tune", "runs.jsonl", "--state", "labels.jsonl"], 2, "is not a state file"),
        (&["tune", "runs.jsonl", "--state", "no/such/state"], 1, "cannot use the state file"),
        (&["tune", "runs.jsonl", "--budget", "2", "--output", "no/such/file"], 1, "cannot write"),
    ] {
        let done = done(loopbreak(path).args(args));
        assert_eq!(done.code, Some(code), "{args:?}: {}", done.err);
        assert!(done.err.contains(message), "{args:?}: {}", done.err);
    }
    let help = done(loopbreak(path).args(["tune", "--help"]));
    assert!(help.out.contains("Examples:\n  loopbreak tune "), "{}", help.out);
}
