//! Tests of `side_effect`.

use crate::steps::{RunDriver, config, played};
use crate::{Action, DetectorName, Proposal, Severity};
use serde_json::{Value, json};

const SIDE_EFFECT: DetectorName = DetectorName::SideEffect;

fn sent(to: &str, text: &str, number: u32) -> Value {
    json!({"action": {"name": "send_message", "args": {"to": to, "text": text}},
           "outcome": format!("sent, id {number}")})
}

#[test]
fn the_fourth_message_is_refused_and_other_recipients_are_not() {
    let run = played((0..3).map(|number| sent("ana", "The report is ready.", number)));
    assert_eq!(run.turns(SIDE_EFFECT, Severity::Warn), [2]);
    let propose = |to: &str| {
        let args = json!({"to": to, "text": "The report is ready."});
        run.guard.weigh(&Proposal { action: Action::new("send_message").with_args(&args), ..Proposal::default() })
    };
    assert!(!propose("ana").accepted);
    assert!(propose("ben").accepted);
}

#[test]
fn a_declared_tool_is_judged_by_its_declaration() {
    let rules = json!({"tool": [{"name": "send_*", "mutates": false}, {"name": "merge", "mutates": true, "key": ["into"]}]});
    let mut run = RunDriver::with(config(rules));
    run.repeat(2, &sent("ana", "The report is ready.", 7));
    assert!(run.findings(SIDE_EFFECT).is_empty(), "declared as harmless");
    for (turn, note) in ["first", "second"].iter().enumerate() {
        run.see(&json!({"action": {"name": "merge", "args": {"into": "c-4", "note": note}}, "outcome": format!("merged {turn}")}));
    }
    assert_eq!(run.turns(SIDE_EFFECT, Severity::Warn), [4]);
}

#[test]
fn a_failure_or_another_result_restarts_the_count() {
    let failed = json!({"action": {"name": "send_message", "args": {"to": "ana", "text": "Hello, it is done."}},
                        "outcome": {"text": "timeout, nothing was sent", "error": true}});
    let run = played([sent("ana", "Hello, it is done.", 1), failed, sent("ana", "Hello, it is done.", 2)]);
    assert!(run.findings(SIDE_EFFECT).is_empty());
}

#[test]
fn the_limits_can_be_set() {
    let mut run = RunDriver::with(config(json!({"side_effect": {"warn_at": 3, "hard_at": 0}})));
    for number in 0..9 {
        run.see(&sent("ana", "The report is ready.", number));
    }
    assert_eq!(run.turns(SIDE_EFFECT, Severity::Warn), [3, 6]);
    assert!(run.turns(SIDE_EFFECT, Severity::Hard).is_empty());
}
