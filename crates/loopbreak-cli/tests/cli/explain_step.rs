//! `loopbreak explain-step`: steps as the detectors see them.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{FinishedProgram, done, folder, loopbreak, root};

fn explain(folder: &Path, args: &[&str]) -> FinishedProgram {
    done(loopbreak(folder).arg("explain-step").args(args))
}

fn explained(folder: &Path, args: &[&str]) -> Vec<Value> {
    let done = explain(folder, &[&["--json"], args].concat());
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{args:?}");
    done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn two_spellings_of_a_call_have_one_fingerprint_and_a_moving_percentage_another_one() {
    let folder = folder();
    let first = r#"{"action":"get_job(id=7, request_id=1)","outcome":"12:03:41 job 7 is 41 % done"}"#;
    let again = r#"{"action":{"name":"get_job","args":{"id":7}},"outcome":"12:59:02 job 7 is 41 % done"}"#;
    let further = r#"{"action":{"name":"get_job","args":{"id":7}},"outcome":"13:00:00 job 7 is 42 % done"}"#;
    let steps = explained(folder.path(), &[first, again, further]);
    assert_eq!(steps.len(), 3);
    let of = |index: usize, part: &str| steps[index][part]["fingerprint"].clone();
    assert!(of(0, "action").is_string());
    assert_eq!((of(0, "action"), of(1, "action")), (of(1, "action"), of(2, "action")));
    assert_eq!(of(0, "outcome"), of(1, "outcome"));
    assert_ne!(of(1, "outcome"), of(2, "outcome"));
    assert_eq!(steps[0]["action"]["spelled"], "get_job(id=7, request_id=1)");
    assert_eq!(steps[0]["action"]["left_out"][0]["name"], "request_id");
    assert_eq!(steps[1]["action"]["spelled"], Value::Null);
    assert_eq!(steps[0]["outcome"]["masked"], json!(["12:03:41"]));
    assert_eq!(steps[0]["outcome"]["compared"], "<*> job 7 is 41 % done");
}

#[test]
fn kind_target_and_what_counts_as_failed_are_named() {
    let folder = folder();
    let run = |command: &str, outcome: Value| {
        json!({"action": {"name": "bash", "args": {"command": command}}, "outcome": outcome}).to_string()
    };
    let lines = [
        run("pytest tests/test_login.py", json!({"text": "1 failed", "exit": 101})),
        run("grep -rn foo src", json!({"text": "", "exit": 1})),
        run("make", json!({"text": "429 Too Many Requests", "error": true})),
        run("git push origin main", json!({"text": "ok", "error": false})),
        run("make", json!({"text": "no", "error": true, "denied": "user"})),
        run("make", json!("error: no rule")),
    ];
    let steps = explained(folder.path(), &lines.iter().map(String::as_str).collect::<Vec<_>>());
    let text = |step: &Value, key: &str| step["outcome"][key].as_str().unwrap().to_owned();
    let results: Vec<_> = steps.iter().map(|step| (text(step, "result"), text(step, "reason"))).collect();
    let expected = [
        ("failure", "exit_code"),
        ("success", "search_without_match"),
        ("unavailable", "error_flag"),
        ("success", "success_flag"),
        ("success", "denied_by_user"),
        // Others of this run are marked, so words decide nothing.
        ("success", "unmarked"),
    ];
    assert_eq!(results, expected.map(|(result, reason)| (result.to_owned(), reason.to_owned())));
    assert_eq!(steps[0]["action"]["kind"], "run");
    assert!(
        steps[0]["action"]["targets"].as_array().unwrap().contains(&json!("tests/test_login.py")),
        "{}",
        steps[0]
    );
    assert_eq!(steps[0]["action"]["targets_from"], "command");
    assert_eq!(steps[2]["action"]["waits"], "unavailable");
    assert_eq!(
        (&steps[3]["action"]["mutates"], &steps[0]["action"]["mutates"]),
        (&json!(true), &json!(false))
    );
    assert_eq!((&steps[4]["author"], &steps[3]["author"]), (&json!("user"), &json!("agent")));
}

#[test]
fn messages_outputs_and_batches_are_explained() {
    let folder = folder();
    let lines = [
        r#"{"user":"try the other file"}"#,
        r#"{"user":"continue"}"#,
        r#"{"user":"continue"}"#,
        r#"{"outcome":"thread main panicked at src/a.rs:4: index out of bounds"}"#,
        r#"{"batch":"m1","action":"a","outcome":{"text":"x","error":true}}"#,
        r#"{"batch":"m1","action":"a","outcome":{"text":"x","error":true}}"#,
    ];
    let steps = explained(folder.path(), &lines);
    assert_eq!((&steps[0]["author"], &steps[2]["author"]), (&json!("user"), &json!("harness")));
    assert_eq!(steps[2]["harness"], "continuation");
    assert_eq!(
        (&steps[3]["signature"]["kind"], &steps[3]["signature"]["compared"]),
        (&json!("error"), &json!(true))
    );
    assert_eq!(steps[3]["outcome"]["reason"], "without_action");
    assert_eq!(steps[4]["signature"]["compared"], false);
    assert_eq!(steps[5]["batch"], json!({"name": "m1", "repeats_call": true, "repeats_failure": true}));
    // With another scope, outputs of calls are compared too.
    let all = explained(folder.path(), &[lines[4], "--set", "signature.scope=all"]);
    assert_eq!(all[0]["signature"]["compared"], true);
}

#[test]
fn steps_of_a_log_are_selected_by_run_and_turn() {
    let folder = folder();
    let coding = root().join("examples/coding.jsonl");
    let coding = coding.to_str().unwrap();
    let steps = explained(folder.path(), &[coding, "--turn", "12", "--turn", "27"]);
    assert_eq!(steps.iter().map(|step| step["turn"].as_u64().unwrap()).collect::<Vec<_>>(), [12, 27]);
    assert_eq!(
        (&steps[0]["schema"], &steps[0]["run"]),
        (&json!("loopbreak.explain_step/1"), &json!("flaky-login"))
    );
    let text = explain(folder.path(), &[coding, "--turn", "12"]);
    assert!(text.out.starts_with("turn 12 of flaky-login"), "{}", text.out);
    assert!(text.out.contains("\n  outcome        failure: the log marks it as a failure\n"), "{}", text.out);
    for args in [&["--turn", "999"][..], &["--run", "none"]] {
        let none = explain(folder.path(), &[&[coding], args].concat());
        assert_eq!((none.code, none.out.as_str()), (Some(1), ""));
        assert!(none.err.contains("there is no step") && none.err.contains("hint: "), "{}", none.err);
    }
}

#[test]
fn other_formats_are_read_as_convert_reads_them() {
    let folder = folder();
    let log = root().join("crates/loopbreak-trace/tests/fixtures/claude-code");
    let log = fs::read_dir(log).unwrap().map(|entry| entry.unwrap().path());
    let mut logs: Vec<_> = log.filter(|path| path.extension().is_some_and(|it| it == "jsonl")).collect();
    logs.sort();
    let log = logs[0].to_str().unwrap();
    let converted = done(loopbreak(folder.path()).args(["convert", "-q", log, "-o", "steps.jsonl"]));
    assert_eq!(converted.code, Some(0), "{}", converted.err);
    let without_place = |args: &[&str]| -> Vec<Value> {
        let done = explain(folder.path(), &[&["--json", "-q"], args].concat());
        let lines = done.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines
            .map(|mut step| {
                for key in ["source", "line", "run"] {
                    step.as_object_mut().unwrap().remove(key);
                }
                step
            })
            .collect()
    };
    let steps = without_place(&[log]);
    assert!(steps.len() > 1 && steps.iter().any(|step| step["action"]["fingerprint"].is_string()));
    assert_eq!(steps, without_place(&["steps.jsonl"]));
    assert_eq!(steps, without_place(&["--format", "claude-code", log]));
}

#[test]
fn no_secret_is_printed_and_no_text_controls_the_terminal() {
    let folder = folder();
    let key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let step = json!({"action": {"name": "bash", "args": {"command": format!("curl -H 'Authorization: Bearer {key}' x")}},
                      "outcome": format!("token={key} \u{1b}[2J 12:00:01 done and done")});
    let text = step.to_string();
    for args in [&[text.as_str()][..], &[text.as_str(), "--json"]] {
        let done = explain(folder.path(), args);
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert!(!done.out.contains("abcdefghij") && done.out.contains("***"), "{}", done.out);
        assert!(!done.out.contains('\u{1b}'), "{:?}", done.out);
    }
    let long = json!({"action": "x".repeat(5000), "outcome": "y ".repeat(50_000)}).to_string();
    fs::write(folder.path().join("long.jsonl"), long).unwrap();
    assert!(explain(folder.path(), &["long.jsonl"]).out.len() < 5000);
}

#[test]
fn broken_steps_are_errors_that_say_what_is_wrong() {
    let folder = folder();
    for (step, message) in [
        (r#"{"action":"#, "not JSON"),
        (r#"{"action":7}"#, "cannot read the step"),
        ("{}", "cannot read the step"),
    ] {
        let done = explain(folder.path(), &[step]);
        assert_eq!((done.code, done.out.as_str()), (Some(2), ""), "{step}: {}", done.err);
        assert!(
            done.err.contains(message) && done.err.contains("hint: a step is a JSON object"),
            "{}",
            done.err
        );
    }
    let missing = explain(folder.path(), &["none.jsonl"]);
    assert_eq!(missing.code, Some(1));
    assert!(missing.err.contains("none.jsonl: no such file"), "{}", missing.err);
    fs::write(folder.path().join("mixed.jsonl"), "{\"action\":\"look\",\"outcome\":\"a room\"}\noops\n")
        .unwrap();
    let mixed = explain(folder.path(), &["mixed.jsonl"]);
    assert_eq!(mixed.code, Some(0));
    assert!(
        mixed.out.starts_with("turn 1") && mixed.err.contains("line skipped"),
        "{}{}",
        mixed.out,
        mixed.err
    );
    assert_eq!(explain(folder.path(), &[]).code, Some(2));
    let piped = done(
        loopbreak(folder.path())
            .args(["explain-step", "-"])
            .write_stdin("{\"action\":\"look\",\"outcome\":\"a room\"}\n"),
    );
    assert!(piped.out.starts_with("turn 1  -:1\n"), "{}{}", piped.out, piped.err);
}
