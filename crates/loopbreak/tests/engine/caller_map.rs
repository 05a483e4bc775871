//! Destinations that the caller's own map has. Document 001 predicts from the map of its orchestrator.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use crate::steps::{RunDriver, config, near, step};
use loopbreak::step::PlaceRef;
use loopbreak::{Config, DetectorName, Guard, Place, Profile, Proposal, Ruling, Snapshot};
use serde_json::{Value, json};

const REVISIT: DetectorName = DetectorName::Revisit;
const OSCILLATION: DetectorName = DetectorName::Oscillation;
const NOVELTY: DetectorName = DetectorName::Novelty;

/// Teleports between two places, A B A B, so that the guard learns no way.
fn teleported(run: &mut RunDriver) {
    for id in [20, 15, 20, 15] {
        run.see(&json!({"action": "plugh", "place": {"id": id, "name": format!("room {id}")}, "score": 0}));
    }
}

fn at_the_lobby(on: &[DetectorName]) -> RunDriver {
    let mut run = RunDriver::only(on);
    teleported(&mut run);
    run
}

fn weigh(run: &RunDriver, proposal: &Value) -> Ruling {
    run.guard.weigh(&Proposal::from_json(&proposal.to_string()).unwrap())
}

#[test]
fn a_destination_of_the_caller_is_used_for_a_way_that_was_never_walked() {
    let run = at_the_lobby(&[OSCILLATION]);
    assert!(run.weigh("south", 0.9).adjustments.is_empty(), "nobody went south yet");
    for destination in
        [json!(20), json!({"id": 20}), json!({"id": "20"}), json!("Room 20"), json!({"name": "room 20"})]
    {
        let ruling = weigh(&run, &json!({"action": "south", "score": 0.9, "destination": destination}));
        assert!(near(ruling.score, 0.1) && !ruling.accepted, "{destination}: {}", ruling.score);
    }
    // 001 gives the bonus for any predicted place outside the pattern.
    let ruling = run.guard.weigh(&Proposal::new("east", 0.4).leading_to(PlaceRef::from_id(99)));
    assert!(near(ruling.score, 0.9) && ruling.accepted);
}

/// "enter building", "pray", a tool that walks for the agent: the caller knows that it is a move.
#[test]
fn any_action_with_a_destination_is_a_move() {
    let run = at_the_lobby(&[OSCILLATION]);
    for action in [json!("pray"), json!({"name": "walk_to", "args": {"room": 20, "run": true}})] {
        assert!(weigh(&run, &json!({"action": action, "score": 0.9})).accepted);
        assert!(!weigh(&run, &json!({"action": action, "score": 0.9, "destination": 20})).accepted);
    }
}

/// Mistake 2: the current room was punished.
#[test]
fn an_action_that_leads_to_the_current_place_is_not_a_move() {
    let mut run = RunDriver::new();
    teleported(&mut run);
    run.repeat(6, &json!({"action": "look", "place": {"id": 15}, "score": 0}));
    for proposal in [
        json!({"action": "examine lamp", "score": 0.9, "destination": 15}),
        json!({"action": "north", "score": 0.9, "place": {"id": 15, "exits": {"north": 15}}}),
    ] {
        let ruling = weigh(&run, &proposal);
        let places = ["revisit", "oscillation", "camping"];
        let by_place = ruling.adjustments.iter().filter(|one| places.contains(&one.detector.as_str()));
        assert_eq!(by_place.count(), 0, "{proposal}: {:?}", ruling.adjustments);
    }
}

#[test]
fn a_destination_of_the_caller_beats_the_one_that_was_learned() {
    let mut run = RunDriver::only(&[REVISIT]);
    for (way, id) in [("look", 1), ("north", 2), ("south", 1)] {
        run.see(&json!({"action": way, "place": {"id": id}}));
    }
    assert_eq!(run.weigh("north", 0.9).adjustments.len(), 1, "learned: north leads to 2");
    // The bridge fell: the caller's map has another destination now.
    assert!(weigh(&run, &json!({"action": "north", "score": 0.9, "destination": 3})).adjustments.is_empty());
    let listed =
        json!({"action": "n", "score": 0.9, "place": {"id": 1, "exits": [{"name": "north", "to": 3}]}});
    assert!(weigh(&run, &listed).adjustments.is_empty());
    // The proposal's own destination comes first.
    let both =
        json!({"action": "n", "score": 0.9, "destination": 2, "place": {"id": 1, "exits": {"north": 3}}});
    assert_eq!(weigh(&run, &both).adjustments.len(), 1);
    // An exit without a destination says nothing against what was learned.
    let unknown = json!({"action": "n", "score": 0.9, "place": {"id": 1, "exits": {"north": null}}, "destination": null});
    assert_eq!(weigh(&run, &unknown).adjustments.len(), 1);
}

#[test]
fn a_name_that_fits_several_places_or_none_decides_nothing() {
    let mut run = RunDriver::only(&[REVISIT, OSCILLATION]);
    for id in [1, 2, 1, 2] {
        run.see(&json!({"place": {"id": id, "name": "Maze"}}));
    }
    for name in ["Maze", "The Maze"] {
        let ruling = weigh(&run, &json!({"action": "south", "score": 0.9, "destination": name}));
        assert!(ruling.adjustments.is_empty(), "{name}: {:?}", ruling.adjustments);
    }
}

/// A dictionary from directions to rooms, as an orchestrator with a map has it.
fn mapped(id: i64, exits: &Value) -> Value {
    json!({"action": "plugh", "place": {"id": id, "name": format!("room {id}"), "exits": exits}, "score": 0})
}

#[test]
fn steps_can_tell_the_destinations_of_exits() {
    for exits in
        [json!({"south": 20, "up": 7, "east": null}), json!([{"name": "s", "to": {"id": 20}}, "up", "east"])]
    {
        let mut run = RunDriver::only(&[OSCILLATION]);
        for id in [20, 15, 20, 15] {
            run.see(&mapped(id, &if id == 15 { exits.clone() } else { json!({"north": 15}) }));
        }
        let ruling = run.weigh("go south", 0.9);
        assert!(near(ruling.score, 0.1), "{exits}: {}", ruling.score);
        assert!(run.weigh("east", 0.9).adjustments.is_empty(), "unknown: no penalty and no bonus");
    }
}

#[test]
fn an_exit_to_a_visited_place_is_not_suggested_as_unexplored() {
    let mut run = RunDriver::only(&[NOVELTY]);
    run.see(&mapped(20, &json!({"north": 15})));
    run.see(&mapped(15, &json!({"south": 20, "up": 7, "east": null})));
    let hints = run.weigh("wait", 0.9).hints;
    assert_eq!(hints[0].evidence.texts("exits").unwrap(), ["east", "up"]);
}

#[test]
fn the_only_way_of_a_caller_is_spared_as_one_that_was_learned() {
    let run = at_the_lobby(&[OSCILLATION]);
    let place = |exits: Value| json!({"action": "south", "score": 0.9, "place": {"id": 15, "exits": exits}});
    assert!(weigh(&run, &place(json!({"south": 20}))).accepted);
    assert!(!weigh(&run, &place(json!({"south": 20, "up": null}))).accepted, "up may lead elsewhere");
}

/// A refused proposal is logged with its destination, so that a replay finds what the live run found.
#[test]
fn a_step_with_a_destination_is_weighed_as_the_proposal_was() {
    let mut run = at_the_lobby(&[OSCILLATION]);
    let live = run.guard.weigh(&Proposal::new("south", 0.9).leading_to(PlaceRef::from_id(20)));
    let step = json!({"action": "south", "critic": {"score": 0.9}, "destination": 20, "refused": true});
    let verdict = run.see(&step).clone();
    let ruling = verdict.ruling.unwrap();
    assert_eq!((ruling.score, &ruling.adjustments), (live.score, &live.adjustments));
    assert_eq!(verdict.findings[0].pattern.as_str(), "refused_return");
}

#[test]
fn told_destinations_survive_a_snapshot() {
    let config = config(json!({}));
    let mut guard = Guard::new(config.clone());
    for id in [20, 15, 20, 15] {
        guard.observe(&step(&mapped(id, &json!({"south": if id == 15 { 20 } else { 15 }, "up": 3}))));
    }
    let json = serde_json::to_string(&guard.snapshot()).unwrap();
    let restored = Guard::restore(config, serde_json::from_str::<Snapshot>(&json).unwrap()).unwrap();
    for way in ["south", "up"] {
        assert_eq!(restored.weigh(&Proposal::new(way, 0.9)), guard.weigh(&Proposal::new(way, 0.9)));
        assert!(!guard.weigh(&Proposal::new(way, 0.9)).adjustments.is_empty(), "{way}");
    }
}

/// 001's own rules predict from a map too, so the profile of the documents takes it.
#[test]
fn the_profile_documents_takes_the_callers_map() {
    let mut run = RunDriver::with(Config::from(Profile::Documents));
    teleported(&mut run);
    assert!(run.weigh("south", 0.9).accepted);
    let place = Place { id: Some(20.into()), ..Place::default() };
    assert!(!run.guard.weigh(&Proposal::new("south", 0.9).leading_to(place.into())).accepted);
}
