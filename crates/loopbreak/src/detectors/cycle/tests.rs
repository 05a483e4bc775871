//! Tests of the pattern `circuit` of `cycle`.

use crate::steps::{RunDriver, config_of, text_for};
use crate::verdict::Audience;
use crate::{DetectorName, Pattern, Profile, Severity};
use serde_json::json;

const CYCLE: DetectorName = DetectorName::Cycle;

/// Returns a step that goes this way and arrives there.
fn go(way: &str, place: &str, exits: &[&str]) -> serde_json::Value {
    json!({"action": way, "place": {"name": place, "exits": exits}, "score": 0})
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

/// Documents 000 and 001 leave loops of actions at one place to later: a door that is opened and closed, a lamp that is taken
/// and dropped. They are cycles, and the profile `documents` does not know them.
#[test]
fn loops_of_actions_at_one_place_are_cycles() {
    for round in [&["open door", "close door"][..], &["take lamp", "drop lamp"], &["examine lamp", "take lamp", "drop lamp"]] {
        let play = |profile| {
            let mut run = RunDriver::with(config_of(profile, json!({})));
            for turn in 0..30 {
                let action = round[turn % round.len()];
                let outcome = format!("You {action}.");
                run.see(&json!({"action": action, "outcome": outcome, "score": 5, "place": {"id": 1, "name": "Hall"}}));
            }
            run.turns(CYCLE, Severity::Warn).first().copied()
        };
        assert!(play(Profile::Game).is_some_and(|turn| turn <= 12), "{round:?}");
        assert_eq!(play(Profile::Documents), None, "{round:?}");
    }
}
