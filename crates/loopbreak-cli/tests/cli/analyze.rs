//! `loopbreak analyze` on valid logs.

use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};

use crate::support::{analyze, done, folder, healthy, json, loopbreak, root, shown, stuck};

#[test]
fn the_dam_episode_fits_on_one_screen() {
    let done = analyze(&root(), &["examples/dam.jsonl"]);
    insta::assert_snapshot!(shown(&done));
    assert!(done.out.lines().count() <= 30);
    assert!(done.out.lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn the_dam_episode_as_json() {
    let mut report = json(&root(), &["examples/dam.jsonl"]);
    let run = &mut report["runs"][0];
    let findings = run["findings"].take();
    for finding in findings.as_array().unwrap() {
        let hard = finding["severity"] == "hard";
        assert!(!hard || finding["intervention"].is_string(), "{finding}");
    }
    let interventions = run["interventions"].take();
    assert!(
        interventions
            .as_array()
            .unwrap()
            .iter()
            .any(|act| act["intervention"] == "stop" && act["turn"] == 150)
    );
    insta::assert_snapshot!(serde_json::to_string_pretty(&report).unwrap());
}

#[test]
fn a_plain_report_has_the_documented_keys_in_their_order() {
    let folder = folder();
    fs::write(folder.path().join("ep-7.jsonl"), stuck("ep-7", 62)).unwrap();
    let done = analyze(folder.path(), &["--json", "ep-7.jsonl"]);
    // Compared as text, because parsing would lose the order.
    insta::assert_snapshot!(done.out.replace("],\"", "],\n\"").replace("},{\"turn\"", "},\n{\"turn\""));
    assert_eq!(done.out.lines().count(), 1, "one line, so that reports can be kept as JSON lines");
}

#[test]
fn standard_input_is_a_run_of_its_own() {
    let folder = folder();
    let log = stuck("x", 45).replace("\"run\":\"x\",", "");
    let done = done(loopbreak(folder.path()).args(["analyze", "--json", "-"]).write_stdin(log));
    let report: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!((&report["runs"][0]["run"], &report["runs"][0]["source"]), (&"stdin".into(), &"-".into()));
    assert_eq!(report["runs"][0]["first_stop"]["turn"], 40);
}

#[test]
fn a_folder_is_read_recursively_and_other_files_are_ignored() {
    let folder = folder();
    fs::create_dir_all(folder.path().join("logs/b")).unwrap();
    fs::create_dir_all(folder.path().join("logs/.git")).unwrap();
    for (file, text) in [
        ("z.jsonl", healthy("z", 3)),
        ("b/a.log", stuck("a", 45)),
        ("notes.md", "# Notes\n".into()),
        ("labels.jsonl", "{\"run\":\"z\",\"success\":true}\n".into()),
        ("empty.jsonl", String::new()),
        ("picture.png", "\u{0}\u{1}\u{2}".into()),
        (".git/x.jsonl", healthy("hidden", 3)),
    ] {
        fs::write(folder.path().join("logs").join(file), text).unwrap();
    }
    let report = json(folder.path(), &["logs"]);
    let runs: Vec<_> =
        report["runs"].as_array().unwrap().iter().map(|run| run["source"].as_str().unwrap()).collect();
    assert_eq!(runs, ["logs/b/a.log", "logs/z.jsonl"]);
    assert_eq!(report["totals"]["ignored_files"], 4);
    assert_eq!(report["totals"]["skipped_lines"], 0);
    let done = analyze(folder.path(), &["-v", "logs"]);
    insta::assert_snapshot!(done.err);
    assert_eq!(done.code, Some(0));
}

#[test]
fn interleaved_runs_in_one_file_are_separated() {
    let folder = folder();
    let (a, b) = (stuck("a", 45), healthy("b", 45));
    let mixed: Vec<&str> = a.lines().zip(b.lines()).flat_map(|(a, b)| [b, a]).collect();
    fs::write(folder.path().join("mixed.jsonl"), mixed.join("\n")).unwrap();
    let report = json(folder.path(), &["mixed.jsonl"]);
    assert_eq!((&report["runs"][0]["run"], &report["runs"][0]["verdict"]), (&"b".into(), &"clear".into()));
    assert_eq!((&report["runs"][1]["run"], &report["runs"][1]["verdict"]), (&"a".into(), &"stop".into()));
    assert_eq!(report["runs"][1]["steps"], 45);

    let only = json(folder.path(), &["mixed.jsonl", "--run", "a"]);
    assert_eq!(only["runs"].as_array().unwrap().len(), 1);
    assert_eq!((&only["totals"]["runs"], &only["totals"]["steps"]), (&1.into(), &45.into()));
}

#[test]
fn an_unknown_run_is_answered_with_the_known_ones() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), healthy("a", 3) + &healthy("b", 3)).unwrap();
    insta::assert_snapshot!(shown(&analyze(folder.path(), &["log.jsonl", "--run", "c"])));
}

#[test]
fn many_runs_get_one_line_each() {
    let folder = folder();
    let mut log = String::new();
    for index in 1..=4 {
        log += &healthy(&format!("healthy-{index}"), 12);
        log += &stuck(&format!("stuck-{index}"), 20 * index);
    }
    // It makes progress after the point where it would have been stopped.
    log += &stuck("late", 45);
    log += "{\"run\":\"late\",\"score\":9}\n";
    fs::write(folder.path().join("log.jsonl"), log).unwrap();
    insta::assert_snapshot!(shown(&analyze(folder.path(), &["log.jsonl"])));
}

#[test]
fn quiet_prints_one_line_and_a_clear_run_says_so() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), healthy("a", 12)).unwrap();
    let quiet = analyze(folder.path(), &["--quiet", "log.jsonl"]);
    assert_eq!(quiet.out, "1 run, 12 steps: 0 stopped, 0 only warned, 1 clear\n");
    insta::assert_snapshot!(analyze(folder.path(), &["log.jsonl"]).out);
}

#[test]
fn output_is_ascii_without_a_utf_8_locale() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), stuck("a", 45)).unwrap();
    let done = done(loopbreak(folder.path()).env("LC_ALL", "C").args(["analyze", "log.jsonl"]));
    assert!(done.out.is_ascii(), "{}", done.out);
}

#[test]
fn loop_detected_exit_code_0() {
    let folder = folder();
    fs::write(folder.path().join("stuck.jsonl"), stuck("a", 45)).unwrap();
    fs::write(folder.path().join("warned.jsonl"), stuck("b", 25)).unwrap();
    fs::write(folder.path().join("clear.jsonl"), healthy("c", 9)).unwrap();
    for (file, fail_on, code) in [
        ("stuck.jsonl", None, 0),
        ("stuck.jsonl", Some("warn"), 10),
        ("stuck.jsonl", Some("stop"), 10),
        ("warned.jsonl", Some("warn"), 10),
        ("warned.jsonl", Some("stop"), 0),
        ("clear.jsonl", Some("warn"), 0),
        ("clear.jsonl", Some("sometimes"), 2),
    ] {
        let args: Vec<&str> = fail_on.iter().flat_map(|on| ["--fail-on", on]).chain([file]).collect();
        assert_eq!(analyze(folder.path(), &args).code, Some(code), "{args:?}");
    }
    let missing = analyze(folder.path(), &["--fail-on", "stop", "missing.jsonl", "stuck.jsonl"]);
    assert_eq!(missing.code, Some(10), "what was found weighs more than what was not");
}

#[test]
fn a_task_that_loops_across_runs_is_listed_under_series() {
    let folder = folder();
    let attempt =
        r#"{"task":{"id":"T1","status":"blocked","blockers":["no network"],"work":["read config"]}}"#;
    for file in ["1.jsonl", "2.jsonl", "3.jsonl"] {
        fs::write(folder.path().join(file), attempt).unwrap();
    }
    let report = json(folder.path(), &["."]);
    let series = &report["series"][0];
    assert_eq!((&series["key"], &series["attempts"]), (&"task:T1".into(), &3.into()));
    assert_eq!(series["runs"], serde_json::json!(["1", "2", "3"]));
    assert_eq!(series["findings"][0]["pattern"], "blocked_task_spin");
    assert_eq!(analyze(folder.path(), &[".", "--fail-on", "stop"]).code, Some(10));
}

#[test]
fn events_are_written_in_the_order_of_the_logs() {
    let folder = folder();
    fs::write(folder.path().join("1.jsonl"), stuck("a", 45)).unwrap();
    fs::write(folder.path().join("2.jsonl"), healthy("b", 30) + &stuck("c", 5)).unwrap();
    let done = analyze(folder.path(), &["1.jsonl", "2.jsonl", "--events", "events.jsonl", "-q"]);
    assert_eq!(done.code, Some(0));
    let text = fs::read_to_string(folder.path().join("events.jsonl")).unwrap();
    let events: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let order: Vec<_> = events
        .iter()
        .map(|event| (event["episode_id"].as_str().unwrap(), event["turn"].as_u64().unwrap()))
        .collect();
    assert!(order.is_sorted(), "run after run, turn after turn");
    assert!(events.iter().any(|event| event["event_type"] == "stuck_termination" && event["turn"] == 40));
    // An events file is not a log.
    let report = json(folder.path(), &["."]);
    assert_eq!(report["totals"]["ignored_files"], 1);
}

#[test]
fn events_never_overwrite_a_log() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), healthy("a", 3)).unwrap();
    let done = analyze(folder.path(), &["log.jsonl", "--events", "./log.jsonl"]);
    assert_eq!(done.code, Some(2));
    assert_eq!(fs::read_to_string(folder.path().join("log.jsonl")).unwrap(), healthy("a", 3));
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .current_dir(root())
        .args(["analyze", "--json", "examples/dam.jsonl"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The report is longer than a pipe buffer, so the program is still writing when the pipe is closed.
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0; 16]).unwrap();
    drop(out);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// The lines of 198 other files were counted under a single run.
#[test]
fn a_selected_run_is_not_blamed_for_the_lines_of_other_files() {
    let folder = folder();
    std::fs::write(folder.path().join("one.jsonl"), healthy("one", 3)).unwrap();
    std::fs::write(folder.path().join("two.jsonl"), healthy("two", 3) + "{\"run\":\n").unwrap();
    let one = analyze(folder.path(), &["one.jsonl", "two.jsonl", "--run", "one"]);
    assert!(!one.out.contains("skipped") && !one.err.contains("skipped"), "{}{}", one.out, one.err);
    let two = analyze(folder.path(), &["one.jsonl", "two.jsonl", "--run", "two"]);
    assert!(two.out.contains("1 line skipped"), "{}", two.out);
}
