//! Tests of `errors`. Document 004.

use crate::steps::{RunDriver, config, config_of, found};
use crate::{DetectorName, Pattern, Profile, Severity};
use serde_json::{Value, json};

const ERRORS: DetectorName = DetectorName::Errors;

fn failed() -> Value {
    json!({"action": "bash", "outcome": {"text": "no such file", "error": true}})
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
