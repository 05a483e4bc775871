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
