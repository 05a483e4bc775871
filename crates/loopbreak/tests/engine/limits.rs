//! `budget` and `errors`, and the order of the safety guards. Document 004.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use crate::steps::{RunDriver, config, config_of, found};
use loopbreak::{DetectorName, Pattern, Profile, Severity, Step, Usage};
use serde_json::{Value, json};

const BUDGET: DetectorName = DetectorName::Budget;
const ERRORS: DetectorName = DetectorName::Errors;

fn failed() -> Value {
    json!({"action": "bash", "outcome": {"text": "no such file", "error": true}})
}

#[test]
fn without_a_limit_nothing_is_reported() {
    let mut run = RunDriver::new();
    run.repeat(500, &json!({"action": "a", "at": 1, "usage": {"cost_usd": 100.0}}));
    assert!(run.findings(BUDGET).is_empty());
}

#[test]
fn iterations_warn_at_80_percent_and_stop_at_the_limit() {
    let mut run = RunDriver::with(config(json!({"budget": {"max_iterations": 10}})));
    run.repeat(12, &json!({"action": "a"}));
    assert_eq!(run.turns(BUDGET, Severity::Warn), [8]);
    assert_eq!(run.turns(BUDGET, Severity::Hard), [10]);
    assert_eq!(run.stops(), [10]);
    assert_eq!(run.verdicts[9].stop.as_ref().unwrap().reason, "max_iterations");
}

#[test]
fn time_warns_at_80_percent_and_stops_at_the_limit() {
    let mut run = RunDriver::with(config(json!({"budget": {"max_runtime": "10m"}})));
    for minute in 0..=10 {
        run.see(&json!({"at": 1_000_000 + minute * 60_000}));
    }
    assert_eq!((run.turns(BUDGET, Severity::Warn), run.stops()), (vec![9], vec![11]));
    assert_eq!(run.verdicts[10].stop.as_ref().unwrap().reason, "max_runtime");
}

#[test]
fn money_warns_at_80_percent_and_stops_at_the_limit() {
    let mut run = RunDriver::with(config(json!({"budget": {"max_cost": 4.0}})));
    run.repeat(8, &json!({"usage": {"cost_usd": 0.5, "input_tokens": 10, "output_tokens": 1}}));
    assert_eq!((run.turns(BUDGET, Severity::Warn), run.stops()), (vec![7], vec![8]));
    assert_eq!(run.verdicts[7].stop.as_ref().unwrap().reason, "max_cost");
}

#[test]
fn invalid_costs_are_not_counted() {
    let mut run = RunDriver::with(config(json!({"budget": {"max_cost": 1.0}})));
    for cost in [f64::NAN, f64::INFINITY, -5.0, 0.5] {
        let usage = Some(Usage { cost_usd: Some(cost), ..Usage::default() });
        let verdict = run.guard.observe(&Step { usage, ..Step::default() });
        assert!(verdict.findings.is_empty(), "{cost}");
    }
}

#[test]
fn time_that_goes_backwards_is_not_counted() {
    let mut run = RunDriver::with(config(json!({"budget": {"max_runtime": 1000}})));
    for at in [5000, 4000, 0, -100_000, 5100] {
        run.see(&json!({"at": at}));
    }
    assert!(run.findings(BUDGET).is_empty());
    run.see(&json!({"at": 6000}));
    assert_eq!(run.stops(), [6]);
}

#[test]
fn a_clock_that_is_set_back_subtracts_no_time() {
    let mut run = RunDriver::with(config(json!({"budget": {"max_runtime": 1000}})));
    run.see(&json!({"at": 5000}));
    run.see(&json!({"at": 5900}));
    run.see(&json!({"at": 5000, "user": "tell me again"}));
    assert_eq!(run.turns(BUDGET, Severity::Warn), [2, 3], "900 ms have still passed");
    assert_eq!(run.findings(BUDGET)[1].evidence.get("used"), Some(&json!(900.0).into()));
}

#[test]
fn the_fraction_that_gives_a_warning_can_be_set() {
    let mut run = RunDriver::with(config(json!({"budget": {"max_iterations": 10, "warn_at": 0.5}})));
    run.repeat(5, &json!({"action": "a"}));
    assert_eq!(run.turns(BUDGET, Severity::Warn), [5]);
}

#[test]
fn a_refused_proposal_is_not_an_iteration() {
    let mut run = RunDriver::with(config(json!({"budget": {"max_iterations": 3}})));
    run.repeat(20, &json!({"action": "a", "refused": true}));
    assert!(run.findings(BUDGET).is_empty());
}

#[test]
fn turns_missing_in_a_log_are_not_iterations() {
    let mut run = RunDriver::with(config(json!({"budget": {"max_iterations": 10}})));
    run.see(&json!({"turn": 900}));
    assert!(run.findings(BUDGET).is_empty());
}

#[test]
fn three_errors_in_a_row_give_a_warning_and_no_stop() {
    let mut run = RunDriver::new();
    run.repeat(2, &failed());
    assert!(run.findings(ERRORS).is_empty());
    let verdict = run.see(&failed());
    assert_eq!(found(verdict, ERRORS), [(Pattern::ConsecutiveErrors, Severity::Warn)]);
    assert_eq!(run.findings(ERRORS)[0].evidence.get("last_error"), Some(&json!("no such file").into()));
    run.repeat(50, &failed());
    assert!(run.stops().is_empty());
}

#[test]
fn three_errors_in_a_row_stop_the_profiles_iterations_and_documents() {
    for profile in [Profile::Iterations, Profile::Documents] {
        let mut run = RunDriver::with(config_of(profile, json!({})));
        run.repeat(3, &failed());
        assert_eq!(run.stops(), [3], "{}", profile.as_str());
        assert_eq!(run.verdicts[2].stop.as_ref().unwrap().reason, "consecutive_errors");
    }
}

#[test]
fn a_success_or_a_user_message_between_errors_restarts_the_count() {
    for between in [json!({"action": "ls", "outcome": "ok"}), json!({"user": "try again"})] {
        let mut run = RunDriver::new();
        run.repeat(2, &failed());
        run.see(&between);
        run.repeat(2, &failed());
        assert!(run.findings(ERRORS).is_empty(), "{between}");
    }
}

#[test]
fn a_step_without_an_outcome_neither_counts_nor_resets_the_errors() {
    let mut run = RunDriver::new();
    for _ in 0..3 {
        run.see(&failed());
        run.see(&json!({"say": "hm"}));
    }
    assert_eq!(run.turns(ERRORS, Severity::Warn), [5]);
}

#[test]
fn errors_of_other_agents_are_not_in_a_row() {
    let mut run = RunDriver::new();
    for agent in ["a", "b", "c", "a", "b", "c"] {
        run.see(&json!({"agent": agent, "outcome": {"error": true}}));
    }
    assert!(run.findings(ERRORS).is_empty());
}

#[test]
fn the_limits_of_errors_can_be_set() {
    let mut run = RunDriver::with(config(json!({"errors": {"warn_at": 0, "hard_at": 5}})));
    run.repeat(5, &failed());
    assert_eq!((run.findings(ERRORS).len(), run.stops()), (1, vec![5]));
}

#[test]
fn the_profile_iterations_allows_10_iterations_and_15_minutes() {
    let mut run = RunDriver::with(config_of(Profile::Iterations, json!({})));
    run.repeat(10, &json!({"say": "working"}));
    assert_eq!(run.stops(), [10]);
    let mut run = RunDriver::with(config_of(Profile::Iterations, json!({})));
    run.see(&json!({"at": 0}));
    run.see(&json!({"at": 899_999}));
    assert!(run.stops().is_empty());
    run.see(&json!({"at": 900_000}));
    assert_eq!(run.stops(), [3]);
}

/// Returns the guards that tripped at the last step, in order, and the reason of the stop.
fn tripped(run: &RunDriver) -> (Vec<String>, Pattern) {
    let last = run.verdicts.last().unwrap();
    let events =
        last.events.iter().map(crate::steps::written).filter(|event| event["event_type"] == "guard_tripped");
    let guards = events.map(|event| {
        let first = if event["first"] == json!(true) { "*" } else { "" };
        format!("{}{first}", event["guard"].as_str().unwrap())
    });
    (guards.collect(), last.stop.as_ref().unwrap().reason)
}

#[test]
fn guards_are_judged_in_the_order_iterations_runtime_loop_errors() {
    let patch = json!({
        "budget": {"max_iterations": 3, "max_runtime": 2000},
        "similarity": {"mode": "off"},
    });
    let step = |at: i64| json!({"at": at, "outcome": {"text": "Error: disk full", "error": true}});
    let play = |patch: Value| {
        let mut run = RunDriver::with(config_of(Profile::Iterations, patch));
        for at in [0, 1000, 2000] {
            run.see(&step(at));
        }
        run
    };
    let all = play(patch.clone());
    let expected = ["max_iterations*", "max_runtime", "loop_detection", "consecutive_errors"];
    assert_eq!(tripped(&all), (expected.map(String::from).to_vec(), Pattern::MaxIterations));
    let mut without = patch.clone();
    without["budget"]["max_iterations"] = json!(0);
    assert_eq!(tripped(&play(without.clone())).1, "max_runtime");
    without["budget"]["max_runtime"] = json!(0);
    assert_eq!(tripped(&play(without.clone())).1, "repeated_signature");
    without["signature"] = json!({"mode": "off"});
    assert_eq!(tripped(&play(without)), (vec!["consecutive_errors*".to_owned()], Pattern::ConsecutiveErrors));
}
