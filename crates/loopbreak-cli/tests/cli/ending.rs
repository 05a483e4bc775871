//! Savings in `loopbreak analyze`: only steps after a run would have ended are saved.

#![expect(clippy::unwrap_used, reason = "a test that cannot write its own files has failed")]

use std::fmt::Write as _;
use std::fs;

use crate::support::{analyze, folder, json, shown, stuck};

/// Returns a run back and forth between two rooms while the score rises: proposals are refused, and nothing
/// ends it.
fn pacing_run(turns: u64) -> String {
    let mut log = String::new();
    for turn in 1..=turns {
        let room = if turn % 2 == 0 { "Cellar" } else { "Hall" };
        writeln!(
            log,
            r#"{{"score":{turn},"place":"{room}","action":"go {room}","critic":{{"score":0.9}},"usage":{{"input_tokens":10}}}}"#
        )
        .unwrap();
    }
    log
}

/// Returns a run with a task that meets the same blocker in every attempt.
fn blocked_task_run(attempts: u64) -> String {
    let line = r#"{"task":{"id":"T1","status":"blocked","blockers":["no network"],"work":["read config"]}}"#;
    format!("{line}\n").repeat(attempts as usize)
}

#[test]
fn a_rejected_proposal_saves_no_steps() {
    let folder = folder();
    fs::write(folder.path().join("osc.jsonl"), pacing_run(30)).unwrap();
    let alone = ["osc.jsonl"];
    insta::assert_snapshot!(shown(&analyze(folder.path(), &alone)));

    let report = json(folder.path(), &alone);
    let (run, totals) = (&report["runs"][0], &report["totals"]);
    assert_eq!((&run["verdict"], &run["first_stop"]["intervention"]), (&"stop".into(), &"reject".into()));
    assert!(run["steps_after_stop"].as_u64() > Some(0) && run["tokens_after_stop"].as_u64() > Some(0));
    assert_eq!((&run["progress_after_stop"], &run["progress_after_ending"]), (&true.into(), &false.into()));
    assert!(run["ending"].is_null());
    assert_eq!((&run["steps_after_ending"], &run["tokens_after_ending"]), (&0.into(), &0.into()));
    assert_eq!(
        (&totals["stopped"], &totals["ended"], &totals["llm_calls_saved"]),
        (&1.into(), &0.into(), &0.into())
    );
    assert_eq!(totals["endings"], serde_json::json!({}));

    let quiet = analyze(folder.path(), &[&alone[..], &["-q", "--fail-on", "stop"]].concat());
    assert_eq!(quiet.code, Some(10), "it would still have intervened");
    assert_eq!(
        quiet.out,
        "1 run, 30 steps: 0 stopped, 1 only steered, 0 only warned, 0 clear; saves nothing (no stop)\n"
    );
}

#[test]
fn the_dam_ends_at_the_stop_and_not_at_the_refusal_before_it() {
    let report = json(&crate::support::root(), &["examples/dam.jsonl", "--set=stagnation.patience=fixed"]);
    let (run, totals) = (&report["runs"][0], &report["totals"]);
    assert_eq!(
        run["ending"],
        serde_json::json!({"turn": 150, "detector": "stagnation", "pattern": "stuck_no_progress", "intervention": "stop"})
    );
    assert!(run["first_stop"]["turn"].as_u64() < Some(150));
    assert_eq!((&run["steps_after_ending"], &run["progress_after_ending"]), (&191.into(), &false.into()));
    assert_eq!(totals["endings"], serde_json::json!({"stuck_no_progress": 1}));
    assert_eq!((&totals["ended"], &totals["steps_after_ending"]), (&1.into(), &191.into()));
    assert_eq!(totals["llm_calls_saved"], 191);
}

#[test]
fn calling_a_human_ends_a_run_and_granting_authority_does_not() {
    let folder = folder();
    fs::write(folder.path().join("spin.jsonl"), blocked_task_run(12)).unwrap();
    insta::assert_snapshot!(shown(&analyze(folder.path(), &["spin.jsonl"])));
    let report = json(folder.path(), &["spin.jsonl"]);
    let run = &report["runs"][0];
    assert_eq!(run["first_stop"]["intervention"], "unblock_authority");
    assert_eq!((&run["ending"]["intervention"], &run["ending"]["turn"]), (&"escalate".into(), &6.into()));
    assert_eq!(
        (&run["steps_after_ending"], &run["progress_after_ending"]),
        (&6.into(), &serde_json::Value::Null)
    );
}

#[test]
fn the_table_marks_runs_that_were_only_steered() {
    let folder = folder();
    for index in 1..=3 {
        fs::write(folder.path().join(format!("osc-{index}.jsonl")), pacing_run(20 + index)).unwrap();
        fs::write(folder.path().join(format!("stuck-{index}.jsonl")), stuck("s", 38 + index)).unwrap();
    }
    fs::write(folder.path().join("spin.jsonl"), blocked_task_run(8)).unwrap();
    insta::assert_snapshot!(shown(&analyze(folder.path(), &["."])));
}

#[test]
fn verbose_lists_each_intervention() {
    let done = analyze(&crate::support::root(), &["-v", "examples/dam.jsonl"]);
    let report = json(&crate::support::root(), &["examples/dam.jsonl"]);
    let listed = |what: &str| {
        let list = done.out.lines().skip_while(|line| !line.starts_with("  turn"));
        list.filter(|line| line.split_whitespace().nth(1) == Some(what)).count() as u64
    };
    let run = &report["runs"][0];
    assert_eq!(Some(listed("reject")), run["rejected_proposals"].as_u64());
    assert_eq!(Some(listed("penalize")), run["penalized_proposals"].as_u64());
    assert_eq!(Some(listed("warn")), run["warnings_given"].as_u64());
    assert!(!done.out.contains('×') && !done.out.contains('…'), "{}", done.out);
}

#[test]
fn the_dam_report_fits_the_given_width() {
    for columns in [80, 100, 120] {
        let mut command = crate::support::loopbreak(&crate::support::root());
        let done = crate::support::done(
            command.env("COLUMNS", columns.to_string()).args(["analyze", "examples/dam.jsonl"]),
        );
        assert!(done.out.lines().all(|line| line.chars().count() <= columns), "{columns}:\n{}", done.out);
        assert!(done.out.lines().count() <= 30, "{columns}:\n{}", done.out);
    }
}
