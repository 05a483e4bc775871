//! Tests of `camping`. Documents 000 and 001.

use crate::steps::{RunDriver, config, found};
use crate::{DetectorName, Pattern, Severity};
use serde_json::json;

const CAMPING: DetectorName = DetectorName::Camping;

#[test]
fn camping_is_found_at_the_threshold_and_not_below() {
    let mut run = RunDriver::new();
    run.walk(&["Dam", "A", "Dam", "B", "Dam", "C", "Dam"]);
    assert!(run.findings(CAMPING).is_empty(), "4 visits");
    let verdict = run.walk(&["D", "Dam"]);
    assert_eq!(found(verdict, CAMPING), [(Pattern::Camping, Severity::Warn)]);
    let finding = run.findings(CAMPING)[0];
    assert_eq!(finding.evidence.get("visit_count"), Some(&json!(5).into()));
    assert_eq!(finding.evidence.get("window_size"), Some(&json!(9).into()));
    assert_eq!(finding.evidence.get("camped_location_name"), Some(&json!("Dam").into()));
}

#[test]
fn three_and_two_visits_are_not_camping() {
    let mut run = RunDriver::new();
    run.walk(&["Dam", "Lobby", "A", "Dam", "B", "Lobby", "C", "Dam", "D", "E"]);
    assert!(run.findings(CAMPING).is_empty());
}

#[test]
fn visits_before_the_window_are_not_counted() {
    let mut run = RunDriver::new();
    run.repeat(10, &json!({"place": "Dam"}));
    run.walk(&["A", "B", "C", "D", "E", "F", "G", "H", "I", "J"]);
    let told = run.findings(CAMPING).len();
    run.walk(&["Dam"]);
    assert_eq!(run.findings(CAMPING).len(), told, "one visit in the last ten turns");
    let mut run = RunDriver::new();
    run.walk(&["Dam", "Dam", "A", "B", "C", "D", "Dam", "E", "Dam", "F", "Dam"]);
    assert!(run.findings(CAMPING).is_empty(), "the first of five visits is eleven turns old");
}

#[test]
fn a_long_stay_is_camping_and_is_reported_again_when_it_doubles() {
    let mut run = RunDriver::new();
    run.repeat(30, &json!({"place": "Dam"}));
    assert_eq!(run.turns(CAMPING, Severity::Warn), [5, 10]);
}

#[test]
fn threshold_and_window_of_camping_can_be_set() {
    let mut run = RunDriver::with(config(json!({"camping": {"threshold": 3, "window": 4}})));
    run.walk(&["Dam", "A", "Dam", "B", "C", "Dam"]);
    assert!(run.findings(CAMPING).is_empty());
    run.walk(&["Dam", "D", "Dam"]);
    assert_eq!(run.turns(CAMPING, Severity::Warn), [9]);
}

#[test]
fn the_camp_of_001_has_6_visits_in_10_turns() {
    let mut run = RunDriver::with(config(json!({"camping": {"threshold": 6}})));
    run.walk(&["Dam", "Base", "Dam", "Dam", "Lobby", "Dam", "Canyon", "Dam", "Lobby", "Dam"]);
    let finding = run.findings(CAMPING)[0];
    assert_eq!(finding.evidence.get("visit_count"), Some(&json!(6).into()));
    assert_eq!(finding.evidence.get("window_size"), Some(&json!(10).into()));
    assert!(found(run.walk(&["Canyon"]), CAMPING).is_empty(), "an agent that leaves is not warned again");
}

/// Returns the change of the score of a proposal back to the Dam, after a number of returns to it, and its reason.
fn return_penalty(returns: usize, camping: &serde_json::Value) -> (f64, String) {
    let patch = json!({"camping": camping, "revisit": {"mode": "off"}, "oscillation": {"mode": "off"}});
    let mut run = RunDriver::with(config(patch));
    run.repeat(6, &json!({"action": "wait", "place": "Dam", "score": 0}));
    run.see(&json!({"action": "north", "place": "Lobby", "score": 0}));
    for _ in 0..returns {
        run.see(&json!({"action": "south", "place": "Dam", "score": 0}));
        run.see(&json!({"action": "north", "place": "Lobby", "score": 0}));
    }
    let destination = crate::step::PlaceRef::from_name("Dam");
    let ruling = run.guard.weigh(&crate::Proposal::new("south", 0.9).leading_to(destination));
    let adjustment = ruling.adjustments.iter().find(|adjustment| adjustment.detector == CAMPING).unwrap();
    (adjustment.amount, adjustment.reason.clone())
}

/// 001, future enhancement 2: -0.6 for the first five occurrences, -0.8 for the next five, -1.0 after ten.
#[test]
fn the_penalty_grows_with_the_returns_if_growth_is_set() {
    let growing = json!({"penalty_growth": -0.2});
    for (returns, expected) in [(0, -0.6), (4, -0.6), (5, -0.8), (9, -0.8), (10, -1.0), (30, -1.0)] {
        let (amount, reason) = return_penalty(returns, &growing);
        assert!(crate::steps::near(amount, expected), "{returns}: {amount}");
        assert_eq!(
            reason.ends_with(&format!(", after {returns} returns without progress")),
            returns >= 5,
            "{reason}"
        );
    }
    let (amount, reason) = return_penalty(1, &json!({"penalty_growth": -0.2, "growth_every": 1}));
    assert!(
        crate::steps::near(amount, -0.8) && reason.ends_with(", after 1 return without progress"),
        "{reason}"
    );
}

#[test]
fn without_growth_the_penalty_stays_the_same() {
    let (amount, reason) = return_penalty(30, &json!({}));
    assert_eq!((amount, reason.contains("after")), (-0.6, false));
}
