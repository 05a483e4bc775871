//! Budgets of several sessions: `run`, `watch` and `status` over one store.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::support::agents::{VARIED, agent, run_with, stdout_of};
use crate::support::folder;

/// Returns a log of steps of now that cost this much each.
fn costly_log(folder: &Path, name: &str, steps: u64, usd: f64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
    let line = |turn: u64| {
        json!({"run": "r", "turn": turn, "at": now, "action": format!("read {turn}"), "outcome": turn.to_string(),
            "usage": {"cost_usd": usd}})
    };
    let lines: Vec<String> = (1..=steps).map(|turn| format!("{}\n", line(turn))).collect();
    fs::write(folder.join(name), lines.concat()).unwrap();
}

/// Runs an agent that costs 40 cents per iteration.
fn run_agent(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let body = agent(&format!("{VARIED}; echo \"{{\\\"total_cost_usd\\\": 0.4, \\\"n\\\": $N}}\""));
    let done = run_with(folder, args, &body);
    (done.code, done.err)
}

#[test]
fn two_runs_and_a_watch_use_up_one_budget() {
    let folder = folder();
    let budget = ["--set", "budget.max_cost_total=1.5"];
    let (code, err) = run_agent(folder.path(), &[&["--max-iterations", "2"], &budget[..]].concat());
    assert_eq!(code, Some(11), "{err}");
    assert!(!err.contains("max_cost_total"), "{err}");
    let (code, err) = run_agent(folder.path(), &[&["--max-iterations", "9"], &budget[..]].concat());
    assert_eq!(code, Some(11), "{err}");
    assert!(err.contains("max_cost_total: $1.60 of $1.50 used in all sessions since "), "{err}");
    assert_eq!(fs::read_to_string(folder.path().join("count")).unwrap().trim(), "4", "{err}");
    // What has been spent counts in a watch as well, and what it reads counts once.
    costly_log(folder.path(), "r.jsonl", 2, 0.1);
    for _ in 0..2 {
        let out =
            stdout_of(folder.path(), &[&["watch", "r.jsonl", "--once", "--json"], &budget[..]].concat());
        assert!(out.contains("max_cost_total: $1.70 of $1.50 used") || out.contains("$1.80"), "{out}");
    }
    fs::write(folder.path().join("loopbreak.toml"), "[budget]\nmax_cost_total = 4\n").unwrap();
    let status: Value = serde_json::from_str(&stdout_of(folder.path(), &["status", "--json"])).unwrap();
    let [budget] = &status["budgets"].as_array().unwrap()[..] else { panic!("{status}") };
    assert_eq!((&budget["budget"], &budget["limit_usd"]), (&json!("max_cost_total"), &json!(4.0)));
    assert!((budget["spent_usd"].as_f64().unwrap() - 1.8).abs() < 1e-9, "{budget}");
    let text = stdout_of(folder.path(), &["status"]);
    assert!(text.contains("$1.80 of $4.00"), "{text}");
}

#[test]
fn a_log_of_another_day_uses_up_no_budget_of_today() {
    let folder = folder();
    let line = |turn: u64| json!({"run": "r", "turn": turn, "at": 1_700_000_000_000_u64 + turn, "action": "a", "usage": {"cost_usd": 0.5}});
    let lines: Vec<String> = (1..=3).map(|turn| format!("{}\n", line(turn))).collect();
    fs::write(folder.path().join("old.jsonl"), lines.concat()).unwrap();
    let set = ["--set", "budget.max_cost_day=100", "--set", "budget.max_cost_total=100"];
    stdout_of(folder.path(), &[&["watch", "old.jsonl", "--once"], &set[..]].concat());
    fs::write(folder.path().join("loopbreak.toml"), "[budget]\nmax_cost_day = 4\nmax_cost_total = 4\n")
        .unwrap();
    let status: Value = serde_json::from_str(&stdout_of(folder.path(), &["status", "--json"])).unwrap();
    for budget in status["budgets"].as_array().unwrap() {
        assert_eq!(budget["spent_usd"], 0.0, "{status}");
    }
}

#[test]
fn budgets_of_a_replay_count_the_prices_of_models() {
    let folder = folder();
    let line = |turn: u64| {
        json!({"run": "r", "turn": turn, "action": format!("read {turn}"), "outcome": turn.to_string(),
            "model": "gpt-4o", "usage": {"output_tokens": 100_000}})
    };
    let lines: Vec<String> = (1..=5).map(|turn| format!("{}\n", line(turn))).collect();
    fs::write(folder.path().join("r.jsonl"), lines.concat()).unwrap();
    let report = |limit: &str| -> Value {
        let set = format!("budget.max_cost_session={limit}");
        serde_json::from_str(&stdout_of(folder.path(), &["analyze", "r.jsonl", "--json", "--set", &set]))
            .unwrap()
    };
    // A dollar per step.
    assert_eq!(report("3")["runs"][0]["first_stop"]["turn"], 3);
    assert_eq!(report("30")["runs"][0]["first_stop"], Value::Null);
}

#[test]
fn two_settings_are_compared_run_by_run() {
    let folder = folder();
    let run = |name: &str, repeats: u64| -> String {
        let line = |turn| json!({"run": name, "turn": turn, "action": "ls", "outcome": "same"});
        (1..=repeats).map(|turn| format!("{}\n", line(turn))).collect::<Vec<_>>().concat()
    };
    fs::write(folder.path().join("r.jsonl"), run("short", 3) + &run("long", 30) + &run("once", 1)).unwrap();
    let compare =
        |args: &[&str]| stdout_of(folder.path(), &[&["analyze", "r.jsonl", "--compare"], args].concat());
    let text = compare(&["--set", "cycle.warn_at=5"]);
    assert!(text.contains("of 3 with --set cycle.warn_at=5"), "{text}");
    assert!(text.contains("verdict         warn -> clear"), "{text}");
    assert!(!text.contains("once"), "{text}");
    let data: Value = serde_json::from_str(&compare(&["--set", "cycle.warn_at=5", "--json"])).unwrap();
    assert_eq!(data["schema"], "loopbreak.comparison/1");
    assert_eq!(data["compared_runs"], 3);
    assert_eq!((&data["before"]["warned"], &data["after"]["warned"]), (&json!(2), &json!(1)), "{data}");
    let same = compare(&["--set", "cycle.warn_at=3"]);
    assert!(same.starts_with("0 results change of 3"), "{same}");
    for (args, error) in [
        (&["analyze", "r.jsonl", "--compare"][..], "--compare needs settings"),
        (&["analyze", "-", "--compare", "--set", "cycle.warn_at=5"][..], "standard input"),
    ] {
        let done = crate::support::done(crate::support::loopbreak(folder.path()).args(args));
        assert_eq!(done.code, Some(2), "{}", done.err);
        assert!(done.err.contains(error), "{}", done.err);
    }
}
