//! Tests of `budget`. Document 004.

use crate::steps::{RunDriver, config};
use crate::{DetectorName, Severity, Step, Usage};
use serde_json::json;

const BUDGET: DetectorName = DetectorName::Budget;

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

/// A figure without its unit says nothing: 3272 of 2000 of what?
#[test]
fn limits_are_told_with_their_units() {
    for (budget, reason) in [
        (json!({"max_runtime": "2s"}), "max_runtime: 3s of 2s used"),
        (json!({"max_runtime": 500}), "max_runtime: 3s of 500ms used"),
        (json!({"max_cost": 0.25}), "max_cost: $0.50 of $0.25 used"),
        (json!({"max_iterations": 1}), "max_iterations: 1 of 1 used"),
    ] {
        let mut run = RunDriver::with(config(json!({"budget": budget})));
        run.see(&json!({"at": 1000, "usage": {"cost_usd": 0.1}}));
        if budget.get("max_iterations").is_none() {
            run.see(&json!({"at": 4272, "usage": {"cost_usd": 0.4}}));
        }
        assert_eq!(run.findings(BUDGET)[0].reason(), reason);
    }
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
    assert_eq!(run.findings(BUDGET)[1].evidence.get("used"), Some(&json!(900).into()));
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
