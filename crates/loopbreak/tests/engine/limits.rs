//! The limits of the profile `iterations`, and the order of the safety guards. Document 004.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use crate::steps::{RunDriver, config_of};
use loopbreak::{Pattern, Profile};
use serde_json::{Value, json};

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
