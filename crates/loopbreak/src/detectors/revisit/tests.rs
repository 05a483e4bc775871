//! Tests of `revisit`. Documents 000 and 001.

use crate::steps::{RunDriver, config, found};
use crate::{DetectorName, Pattern, Severity};
use serde_json::json;

const REVISIT: DetectorName = DetectorName::Revisit;
const OSCILLATION: DetectorName = DetectorName::Oscillation;

#[test]
fn the_window_of_a_revisit_lies_before_the_current_place() {
    // 000: history [A, B, C, D, E], E is current: only A to D count.
    let mut run = RunDriver::new();
    let verdict = run.walk(&["A", "B", "C", "D", "E"]);
    assert!(found(verdict, REVISIT).is_empty());
    let mut run = RunDriver::new();
    let verdict = run.walk(&["E", "B", "C", "D", "E"]);
    assert_eq!(found(verdict, REVISIT), [(Pattern::Revisit, Severity::Hint)]);
    assert_eq!((verdict.findings[0].count, verdict.findings[0].since), (1, 1));
}

#[test]
fn a_single_place_is_not_a_revisit() {
    let mut run = RunDriver::new();
    assert!(run.walk(&["A"]).findings.is_empty());
}

#[test]
fn every_visit_in_the_window_is_counted() {
    let mut run = RunDriver::new();
    let verdict = run.walk(&["A", "B", "A", "C", "A"]);
    let revisit = verdict.findings.iter().find(|finding| finding.detector == REVISIT).unwrap();
    assert_eq!(revisit.count, 2);
    assert_eq!(revisit.evidence.get("recent_visits"), Some(&json!(2).into()));
}

#[test]
fn a_place_left_before_the_window_is_legitimate_backtracking() {
    let mut run = RunDriver::new();
    run.walk(&["A", "B", "C", "D", "E", "F"]);
    assert!(found(run.walk(&["A"]), REVISIT).is_empty(), "six places ago");
    let mut run = RunDriver::new();
    run.walk(&["A", "B", "C", "D", "E"]);
    assert_eq!(found(run.walk(&["A"]), REVISIT).len(), 1, "five places ago");
}

#[test]
fn the_window_of_a_revisit_can_be_set() {
    let mut run = RunDriver::with(config(json!({"revisit": {"window": 2}})));
    assert!(run.walk(&["A", "B", "C", "A"]).findings.is_empty());
    assert_eq!(found(run.walk(&["C"]), REVISIT).len(), 1);
}

/// Document 000 chose ids because a name comes in several spellings. Where there are only names, the spelling does not
/// matter either.
#[test]
fn names_of_places_are_compared_without_case_and_surrounding_blanks() {
    let mut run = RunDriver::new();
    let verdict = run.walk(&["West of House", "Forest", " west of house "]);
    assert_eq!(found(verdict, REVISIT), [(Pattern::Revisit, Severity::Hint)]);
    assert_eq!(verdict.findings[0].evidence.text("location_name"), Some("West of House"), "as it was first spelled");
    let verdict = run.walk(&["FOREST"]);
    assert_eq!(found(verdict, OSCILLATION).len(), 1);
    let mut run = RunDriver::new();
    assert!(run.walk(&["West of House", "Forest", "West of Houses"]).findings.is_empty());
    // An id is compared as it stands: it may be a number, a path or a code.
    run.see(&json!({"place": {"id": "a", "name": "Hall"}}));
    run.see(&json!({"place": {"id": "B"}}));
    assert!(found(run.see(&json!({"place": {"id": "A", "name": "hall"}})), REVISIT).is_empty());
}

#[test]
fn places_are_distinguished_by_id_not_by_name() {
    let mut run = RunDriver::new();
    for id in 1..=6 {
        run.see(&json!({"place": {"id": id, "name": "Maze"}}));
    }
    assert!(run.verdicts.iter().all(|verdict| verdict.findings.is_empty()), "six rooms with one name");
    let mut run = RunDriver::new();
    run.see(&json!({"place": {"id": 180, "name": "West of House"}}));
    run.see(&json!({"place": {"id": 20}}));
    let verdict = run.see(&json!({"place": {"id": 180, "name": "west of house"}}));
    assert_eq!(found(verdict, REVISIT).len(), 1, "one room with two spellings");
}

#[test]
fn a_place_without_a_name_is_shown_with_its_number() {
    let mut run = RunDriver::new();
    for id in [15, 18, 15, 18] {
        run.see(&json!({"place": {"id": id}}));
    }
    let oscillation = &run.findings(OSCILLATION)[0].evidence;
    assert_eq!(oscillation.get("pattern_names"), Some(&json!(["Location_15", "Location_18"]).into()));
    assert_eq!(oscillation.get("pattern_ids"), Some(&json!([15, 18]).into()));
}
