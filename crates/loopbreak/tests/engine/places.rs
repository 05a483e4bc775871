//! Rules that all detectors of places share. Documents 000 and 001.

use crate::steps::{RunDriver, config, config_of};
use loopbreak::{DetectorName, Intervention, Pattern, Profile, Severity};
use serde_json::json;

const REVISIT: DetectorName = DetectorName::Revisit;
const OSCILLATION: DetectorName = DetectorName::Oscillation;
const CAMPING: DetectorName = DetectorName::Camping;

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
fn the_detectors_of_places_give_only_hints_and_warnings_where_a_score_or_a_critic_judges() {
    let facets = [json!({"score": 5}), json!({"critic": {"score": 0.9}, "action": "go"})];
    let documents = (config_of(Profile::Documents, json!({})), json!({}));
    let judged = facets.map(|facet| (config(json!({"stagnation": {"mode": "off"}})), facet));
    for (config, facet) in judged.into_iter().chain([documents]) {
        let mut run = RunDriver::with(config);
        for turn in 0..120 {
            let mut record = facet.clone();
            record["place"] = json!(["A", "B"][turn % 2]);
            run.see(&record);
        }
        for detector in [REVISIT, OSCILLATION, CAMPING] {
            let hard = run.findings(detector).into_iter().filter(|finding| finding.severity > Severity::Warn);
            assert_eq!(
                hard.filter(|finding| finding.pattern != Pattern::RefusedReturn).count(),
                0,
                "{facet}"
            );
        }
        assert!(run.stops().is_empty());
        assert_eq!(run.findings(REVISIT)[0].severity, Severity::Hint);
    }
}

#[test]
fn two_places_to_and_fro_without_a_score_are_escalated_after_twelve_rounds() {
    let mut run = RunDriver::new();
    for _ in 0..60 {
        run.walk(&["A", "B"]);
    }
    assert_eq!(run.turns(OSCILLATION, Severity::Warn)[0], 4);
    assert_eq!(run.turns(OSCILLATION, Severity::Hard)[0], 26);
    assert!(run.decisions(OSCILLATION).contains(&(26, Intervention::Escalate)));
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
