//! Tests of `oscillation`. Documents 000 and 001.

use crate::steps::{RunDriver, config, config_of, near};
use crate::{DetectorName, Pattern, Profile, Severity};
use serde_json::json;

const OSCILLATION: DetectorName = DetectorName::Oscillation;

/// Returns a step that goes this way and arrives there.
fn go(way: &str, place: &str, exits: &[&str]) -> serde_json::Value {
    json!({"action": way, "place": {"name": place, "exits": exits}, "score": 0})
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
    assert_eq!(again.adjustments[0].reason, r#"begins "Gatehouse" → "Dam" again"#);
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

/// The documents know A B A B and nothing that comes before it: the first step back costs nothing in their profile.
#[test]
fn the_profile_documents_remembers_no_pairs() {
    for (profile, remembers) in [(Profile::Documents, false), (Profile::Game, true)] {
        let mut run = RunDriver::with(config_of(profile, json!({"revisit": {"mode": "off"}})));
        let exits = ["north", "south", "east"];
        for (way, place) in [
            ("north", "Dam"),
            ("south", "Gatehouse"),
            ("north", "Dam"),
            ("south", "Gatehouse"),
            ("east", "Shed"),
            ("west", "Gatehouse"),
            ("north", "Dam"),
        ] {
            run.see(&go(way, place, &exits));
        }
        let ruling = run.weigh("south", 0.9);
        assert_eq!(!ruling.adjustments.is_empty(), remembers, "{profile}: {:?}", ruling.adjustments);
        assert_eq!(ruling.accepted, !remembers, "{profile}");
    }
}

/// Moves back and forth until the pattern is complete, then this many times more.
fn growing(returns: usize, oscillation: &serde_json::Value) -> RunDriver {
    let patch = json!({"oscillation": oscillation, "revisit": {"mode": "off"}, "camping": {"mode": "off"}});
    let mut run = RunDriver::with(config(patch));
    for number in 0..4 + returns {
        let (way, place) = [("north", "Lobby"), ("south", "Dam")][number % 2];
        run.see(&go(way, place, &["north", "south", "east"]));
    }
    run
}

/// Returns the change of the score of the next move of the pattern, and its reason.
fn next_move(run: &RunDriver, moves: usize) -> (f64, String) {
    let adjustments = run.weigh(["north", "south"][moves % 2], 0.9).adjustments;
    let adjustment = adjustments.into_iter().find(|adjustment| adjustment.detector == OSCILLATION).unwrap();
    (adjustment.amount, adjustment.reason)
}

#[test]
fn the_penalty_grows_with_the_returns_if_growth_is_set() {
    let settings = json!({"return_penalty": -0.6, "penalty_growth": -0.2});
    for (returns, expected) in [(0, -0.6), (4, -0.6), (5, -0.8), (10, -1.0), (20, -1.0)] {
        let (amount, reason) = next_move(&growing(returns, &settings), returns);
        assert!(near(amount, expected), "{returns}: {amount}");
        assert_eq!(
            reason.ends_with(&format!(", after {returns} returns without progress")),
            returns >= 5,
            "{reason}"
        );
    }
    let (amount, reason) = next_move(&growing(20, &json!({})), 20);
    assert!(near(amount, -0.8) && !reason.contains("after"), "no growth unless it is set: {reason}");
}

#[test]
fn the_growth_ends_with_progress_and_with_a_message_of_the_user() {
    for news in [json!({"score": 5}), json!({"user": "look around"})] {
        let mut run = growing(10, &json!({"return_penalty": -0.6, "penalty_growth": -0.2}));
        assert!(near(next_move(&run, 10).0, -1.0));
        run.see(&news);
        for number in 10..14 {
            let (way, place) = [("north", "Lobby"), ("south", "Dam")][number % 2];
            run.see(&json!({"action": way, "place": place}));
        }
        assert!(near(next_move(&run, 14).0, -0.6), "{news}: {:?}", next_move(&run, 14));
    }
}

/// The pair is remembered, and so are the returns.
#[test]
fn a_pattern_that_begins_again_has_the_penalty_that_it_had() {
    let mut run = growing(6, &json!({"return_penalty": -0.6, "penalty_growth": -0.2}));
    run.see(&go("east", "Base", &["west"]));
    run.see(&go("west", "Dam", &["north", "south", "east"]));
    run.see(&go("north", "Lobby", &["north", "south", "east"]));
    let (amount, reason) = next_move(&run, 7);
    assert!(near(amount, -0.8) && reason.starts_with("begins "), "{amount} {reason}");
    let documents = json!({"return_penalty": -0.6, "penalty_growth": -0.2, "remember_pairs": false});
    let mut run = growing(6, &documents);
    run.see(&go("east", "Base", &["west"]));
    run.see(&go("west", "Dam", &["north", "south", "east"]));
    run.see(&go("north", "Lobby", &["north", "south", "east"]));
    let adjustments = run.weigh("south", 0.9).adjustments;
    assert!(adjustments.iter().all(|one| one.detector != OSCILLATION), "the pattern is not complete");
}
