//! Tests of `continuation`.

use crate::steps::{RunDriver, played, sh};
use crate::{DetectorName, Severity};
use serde_json::{Value, json};

const CONTINUATION: DetectorName = DetectorName::Continuation;

/// Returns turns that the harness starts, with what the agent does in them, `apart` milliseconds after each other.
fn turns(count: i64, apart: i64, deed: impl Fn(i64) -> Value) -> Vec<Value> {
    (0..count)
        .flat_map(|number| {
            let mut steps = [json!({"harness": "continuation"}), deed(number)];
            for (index, step) in steps.iter_mut().enumerate() {
                step["at"] = json!(1_700_000_000_000 + number * apart + i64::try_from(index).unwrap());
            }
            steps
        })
        .collect()
}

#[test]
fn turns_without_a_deed_warn_after_four_and_are_hard_after_eight() {
    let run = played(turns(12, 100, |_| json!({"say": "Still waiting for the build."})));
    // The fifth turn begins at step 9, after four without a deed.
    assert_eq!(run.turns(CONTINUATION, Severity::Warn), [9]);
    assert_eq!(run.turns(CONTINUATION, Severity::Hard), [17]);
}

#[test]
fn a_new_call_a_user_message_or_a_notification_restarts_the_count() {
    let works = turns(30, 100, |number| sh(&format!("cat part{number}"), &format!("text {number}")));
    assert!(played(works).findings(CONTINUATION).is_empty());
    for news in [json!({"user": "what is the state?"}), json!({"harness": "notification"})] {
        let mut run = RunDriver::new();
        for _ in 0..6 {
            for step in turns(3, 100, |_| json!({"say": "Still waiting."})) {
                run.see(&step);
            }
            run.see(&news);
        }
        assert!(run.findings(CONTINUATION).is_empty(), "{news}");
    }
}

#[test]
fn turns_with_a_pause_before_them_count_two_fifths() {
    let run = played(turns(16, 60_000, |number| json!({"say": format!("The job runs since {number} minutes.")})));
    assert_eq!(run.turns(CONTINUATION, Severity::Warn), [19]);
}

#[test]
fn looking_at_the_own_status_does_not_count_as_a_deed() {
    let look = |number: i64| {
        json!({"action": {"name": "get_goal", "args": {}}, "outcome": format!("still blocked, {number} tokens used")})
    };
    assert_eq!(played(turns(12, 100, look)).turns(CONTINUATION, Severity::Warn), [9]);
}
