//! `revisit`, `oscillation`, `camping`: the detectors of places. Documents 000 and 001.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use crate::steps::{RunDriver, config, config_of, found, text_for};
use loopbreak::{Audience, DetectorName, Pattern, Profile, Severity};
use serde_json::json;

const REVISIT: DetectorName = DetectorName::Revisit;
const OSCILLATION: DetectorName = DetectorName::Oscillation;
const CAMPING: DetectorName = DetectorName::Camping;
const CYCLE: DetectorName = DetectorName::Cycle;

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

#[test]
fn a_b_a_b_is_an_oscillation_with_ids_and_names() {
    let mut run = RunDriver::new();
    for (id, name) in [(15, "Dam"), (18, "Lobby"), (15, "Dam"), (18, "Lobby")] {
        run.see(&json!({"place": {"id": id, "name": name}}));
    }
    let finding = run.findings(OSCILLATION)[0];
    assert_eq!((finding.pattern, finding.severity), (Pattern::Oscillation, Severity::Warn));
    assert_eq!((finding.turn, finding.since), (4, 1));
    assert_eq!(finding.evidence.get("pattern_ids"), Some(&json!([15, 18]).into()));
    assert_eq!(finding.evidence.get("pattern_names"), Some(&json!(["Dam", "Lobby"]).into()));
}

#[test]
fn other_sequences_than_a_b_a_b_are_not_an_oscillation() {
    for walk in [
        &["A", "B", "C", "D"][..],
        &["A", "B", "A"],
        &["A", "B", "A", "C"],
        &["A", "A", "A", "A"],
        &["A", "B", "B", "A"],
        &["A", "B", "C", "A", "B", "C"],
    ] {
        let mut run = RunDriver::new();
        run.walk(walk);
        assert!(run.findings(OSCILLATION).is_empty(), "{walk:?}");
    }
}

#[test]
fn turns_without_a_move_do_not_hide_an_oscillation() {
    // 001, scenario 2: three turns at each of the two rooms.
    let mut run = RunDriver::new();
    for room in ["Dam Lobby", "Maintenance", "Dam Lobby", "Maintenance"] {
        run.walk(&[room, room, room]);
    }
    assert_eq!(run.turns(OSCILLATION, Severity::Warn), [10], "with the move, not with the stay");
    assert_eq!(run.findings(OSCILLATION)[0].since, 1);
}

#[test]
fn an_oscillation_and_its_rotation_are_one_loop_that_is_reported_again_when_it_worsens() {
    let mut run = RunDriver::new();
    run.walk(&["A", "B", "A", "B", "A", "B", "A", "B", "A", "B"]);
    let found = run.findings(OSCILLATION);
    assert!(found.windows(2).all(|pair| pair[0].loop_id == pair[1].loop_id));
    // Two moves back at turn 4, twice that at turn 6, twice that at turn 10.
    assert_eq!(run.turns(OSCILLATION, Severity::Warn), [4, 6, 10]);
}

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

#[test]
fn the_detectors_of_places_give_only_hints_and_warnings() {
    let mut run = RunDriver::new();
    for _ in 0..60 {
        run.walk(&["A", "B"]);
    }
    for detector in [REVISIT, OSCILLATION, CAMPING] {
        assert!(run.findings(detector).iter().all(|finding| finding.severity <= Severity::Warn));
        assert!(run.decisions(detector).iter().all(|(_, act)| act.is_advice()));
    }
    assert!(run.stops().is_empty());
    assert_eq!(run.findings(REVISIT)[0].severity, Severity::Hint);
}

#[test]
fn each_agent_has_its_own_trail() {
    let mut run = RunDriver::new();
    for (agent, place) in
        [("a", "Dam"), ("b", "Lobby"), ("a", "Base"), ("b", "Dam"), ("a", "Attic"), ("b", "Base")]
    {
        let verdict = run.see(&json!({"agent": agent, "place": place}));
        assert!(verdict.findings.is_empty(), "{agent} at {place}");
    }
    for place in ["Dam", "Lobby", "Dam", "Lobby"] {
        run.see(&json!({"agent": "c", "place": place}));
    }
    assert_eq!(run.findings(OSCILLATION)[0].agent, "c");
}

#[test]
fn a_refused_move_does_not_change_the_place() {
    let mut run = RunDriver::new();
    for place in ["A", "B", "A"] {
        run.see(&json!({"place": place}));
    }
    run.see(&json!({"action": "north", "place": "B", "refused": true}));
    assert!(run.findings(OSCILLATION).is_empty());
    run.see(&json!({"action": "north", "place": "B"}));
    assert_eq!(run.findings(OSCILLATION).len(), 1);
}

#[test]
fn a_loop_of_places_is_reported_again_after_three_other_steps() {
    let mut run = RunDriver::new();
    run.walk(&["A", "B", "A", "B"]);
    run.walk(&["C", "D", "E", "F"]);
    run.walk(&["A", "B", "A", "B"]);
    assert_eq!(run.turns(OSCILLATION, Severity::Warn), [4, 12]);
}

/// Returns a step that goes this way and arrives there.
fn go(way: &str, place: &str, exits: &[&str]) -> serde_json::Value {
    json!({"action": way, "place": {"name": place, "exits": exits}, "score": 0})
}

/// Moves to the end of a dead end and back, twice, and in again.
fn at_a_dead_end(profile: Profile, exits: &[&str]) -> RunDriver {
    let mut run = RunDriver::with(config_of(profile, json!({})));
    for _ in 0..3 {
        run.see(&go("south", "Clearing", &["north", "east"]));
        run.see(&go("north", "Hut", exits));
    }
    run
}

#[test]
fn the_only_way_out_of_a_dead_end_is_not_penalized() {
    let run = at_a_dead_end(Profile::Game, &["south"]);
    let ruling = run.weigh("south", 0.9);
    assert!(ruling.accepted && ruling.adjustments.is_empty(), "{ruling:?}");
    // The move back in is penalized, because there is a way east.
    let mut run = run;
    run.see(&go("south", "Clearing", &["north", "east"]));
    assert!(!run.weigh("north", 0.9).accepted);
}

#[test]
fn a_way_out_that_may_not_be_the_only_one_is_penalized() {
    assert!(!at_a_dead_end(Profile::Game, &["south", "up"]).weigh("south", 0.9).accepted, "up is untried");
    assert!(!at_a_dead_end(Profile::Game, &[]).weigh("south", 0.9).accepted, "the exits are unknown");
    // A way that led nowhere does not count.
    let mut run = at_a_dead_end(Profile::Game, &["south", "up"]);
    run.see(&go("up", "Hut", &["south", "up"]));
    assert!(run.weigh("south", 0.9).accepted);
    // The profile `documents` does not spare the only way.
    assert!(!at_a_dead_end(Profile::Documents, &["south"]).weigh("south", 0.9).accepted);
}

#[test]
fn the_first_move_back_after_an_earlier_oscillation_is_penalized() {
    let exits = ["north", "south", "east"];
    let mut run = RunDriver::only(&[OSCILLATION]);
    for (way, place) in [("north", "Dam"), ("south", "Gatehouse"), ("north", "Dam"), ("south", "Gatehouse")] {
        run.see(&go(way, place, &exits));
    }
    for (way, place) in [("east", "Shed"), ("west", "Gatehouse"), ("north", "Dam")] {
        run.see(&go(way, place, &exits));
    }
    let again = run.weigh("south", 0.9);
    assert_eq!(again.adjustments[0].reason, "begins Gatehouse → Dam again");
    assert!(!again.accepted);
    // There is no penalty after a point in between, or for a pair without an earlier oscillation.
    let mut fresh = RunDriver::only(&[OSCILLATION]);
    for (way, place) in [("east", "Shed"), ("west", "Gatehouse"), ("north", "Dam")] {
        fresh.see(&go(way, place, &exits));
    }
    fresh.see(&go("south", "Gatehouse", &exits));
    fresh.see(&go("east", "Shed", &exits));
    assert!(fresh.weigh("west", 0.9).adjustments.is_empty());
    run.see(&json!({"action": "take bell", "score": 10}));
    assert!(run.weigh("south", 0.9).adjustments.is_empty());
}

/// Walks a ring of four rooms several times, and looks around in one of them.
fn around(times: usize) -> RunDriver {
    let mut run = RunDriver::with(config_of(Profile::Game, json!({})));
    for time in 0..times {
        for (way, place) in
            [("east", "Bay Two"), ("south", "Bay Three"), ("west", "Bay Four"), ("north", "Bay One")]
        {
            run.see(&go(way, place, &["north", "south", "east", "west"]));
        }
        run.see(&json!({"action": "look", "outcome": format!("Bay One, for the {time}th time"), "score": 0}));
    }
    run
}

#[test]
fn the_third_round_of_places_gives_a_warning_and_a_proposal_that_continues_it_is_refused() {
    let run = around(3);
    let finding = run.findings(CYCLE)[0];
    assert_eq!((finding.pattern, finding.severity, finding.turn), (Pattern::Circuit, Severity::Warn, 14));
    assert_eq!(finding.evidence.get("period"), Some(&json!(4).into()));
    assert!(
        text_for(&run.verdicts[13].advice, Audience::Agent, CYCLE)
            .contains("the same 4 places in the same order, 3 times")
    );
    assert!(finding.evidence.text("places").unwrap().contains("Bay Three → Bay Four"));
    let ruling = run.weigh("east", 0.9);
    assert!(!ruling.accepted, "{ruling:?}");
    assert!(
        ruling.adjustments.iter().any(|one| one.reason == "continues a cycle of 4 places, walked 3 times")
    );
    // Another way out of the round is not penalized.
    assert!(run.weigh("up", 0.9).accepted);
}

#[test]
fn a_round_walked_twice_or_with_a_rising_score_is_not_a_loop() {
    assert!(around(2).findings(CYCLE).is_empty());
    let mut run = RunDriver::with(config_of(Profile::Game, json!({})));
    for time in 0..6 {
        for place in ["Bay Two", "Bay Three", "Bay Four", "Bay One"] {
            run.see(&json!({"action": "on", "place": place, "score": time}));
        }
    }
    assert!(run.findings(CYCLE).is_empty());
}
