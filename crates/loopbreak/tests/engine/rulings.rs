//! Rulings on proposals: predictions, penalties, bonuses, clamping, acceptance.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use crate::steps::{RunDriver, config, config_of, near};
use loopbreak::{DetectorName, Intervention, Pattern, Place, Profile, Proposal, Severity};
use serde_json::json;

const REVISIT: DetectorName = DetectorName::Revisit;
const OSCILLATION: DetectorName = DetectorName::Oscillation;
const CAMPING: DetectorName = DetectorName::Camping;
const NOVELTY: DetectorName = DetectorName::Novelty;

/// Makes a move to a place.
fn go(run: &mut RunDriver, way: &str, id: i64) {
    run.see(&json!({"action": way, "place": {"id": id, "name": format!("room {id}")}}));
}

/// The map of 001: Dam (20) north to the Lobby (15), Lobby north to Maintenance (18), and back. The Dam was
/// visited.
fn dam(run: &mut RunDriver) {
    for (way, id) in [("look", 20), ("north", 15), ("south", 20), ("north", 15), ("wait", 15)] {
        go(run, way, id);
    }
    // The agent is elsewhere for a while, so that none of this is recent.
    for id in 100..=112 {
        go(run, "teleport", id);
    }
    for (way, id) in [("teleport", 15), ("north", 18), ("south", 15), ("north", 18)] {
        go(run, way, id);
    }
}

#[test]
fn scenario_2_of_001_a_proposal_back_into_the_oscillation_gets_0_1_and_is_rejected() {
    let mut run = RunDriver::only(&[OSCILLATION]);
    dam(&mut run);
    let ruling = run.weigh("south", 0.9);
    assert!(near(ruling.score, 0.1) && near(ruling.raw, 0.1), "{}", ruling.score);
    assert!(!ruling.accepted);
    assert_eq!(ruling.intervention, Some(Intervention::Reject));
    assert_eq!(ruling.adjustments[0].reason, "continues \"room 15\" → \"room 18\"");
}

#[test]
fn scenario_2_of_001_a_proposal_out_of_the_oscillation_gets_1_0_and_is_accepted() {
    let mut run = RunDriver::only(&[OSCILLATION]);
    dam(&mut run);
    go(&mut run, "south", 15);
    let ruling = run.weigh("south", 0.6);
    assert!(near(ruling.score, 1.0) && near(ruling.raw, 1.1), "capped at 1");
    assert!(ruling.accepted && ruling.intervention.is_none());
    assert!(near(ruling.adjustments[0].amount, 0.5));
}

#[test]
fn scenario_3_of_001_a_return_to_the_camped_place_gets_0_25_and_elsewhere_keeps_0_7() {
    let mut run = RunDriver::only(&[CAMPING]);
    go(&mut run, "look", 7);
    go(&mut run, "west", 20);
    go(&mut run, "east", 7);
    run.repeat(4, &json!({"action": "teleport", "place": {"id": 20, "name": "Dam"}}));
    go(&mut run, "south", 9);
    go(&mut run, "east", 20);
    go(&mut run, "south", 9);
    let back = run.weigh("east", 0.85);
    assert!(near(back.score, 0.25) && !back.accepted, "{}", back.score);
    assert_eq!(back.adjustments[0].detector, CAMPING);
    let away = run.weigh("south", 0.7);
    assert!(near(away.score, 0.7) && away.accepted && away.adjustments.is_empty());
}

#[test]
fn each_recent_visit_costs_0_2_up_to_0_6() {
    for (visits, penalty) in [(1, -0.2), (2, -0.4), (3, -0.6), (4, -0.6), (5, -0.6)] {
        let mut run = RunDriver::only(&[REVISIT]);
        go(&mut run, "look", 1);
        go(&mut run, "north", 2);
        go(&mut run, "south", 1);
        for id in 100..=110 {
            go(&mut run, "teleport", id);
        }
        for _ in 0..visits {
            go(&mut run, "teleport", 2);
        }
        // Weighed at a place that is not the last one of the trail, which does not change.
        let mut proposal = Proposal::new("north", 0.9);
        proposal.place = Some(Place { id: Some(1.into()), ..Place::default() });
        let ruling = run.guard.weigh(&proposal);
        assert!(near(ruling.adjustments[0].amount, penalty), "{visits}: {:?}", ruling.adjustments);
        assert!(near(ruling.score, 0.9 + penalty));
    }
}

#[test]
fn kitchen_of_000_three_visits_take_0_9_to_0_3() {
    let mut run = RunDriver::only(&[REVISIT]);
    for (way, id) in [("look", 20), ("north", 21), ("south", 20), ("north", 21), ("south", 20), ("north", 21)]
    {
        go(&mut run, way, id);
    }
    run.see(&json!({"action": "teleport", "place": {"id": 20}}));
    run.see(&json!({"action": "north", "place": {"id": 21}}));
    let ruling = run.weigh("south", 0.9);
    assert!(near(ruling.adjustments[0].amount, -0.4), "two of the last five");
    run.see(&json!({"action": "south", "place": {"id": 20}}));
    run.see(&json!({"action": "wait", "place": {"id": 20}}));
    run.see(&json!({"action": "north", "place": {"id": 21}}));
    let ruling = run.weigh("south", 0.9);
    assert!(near(ruling.score, 0.3), "three of the last five");
}

#[test]
fn a_destination_outside_the_window_is_not_penalised() {
    let mut run = RunDriver::only(&[REVISIT]);
    go(&mut run, "look", 1);
    go(&mut run, "north", 2);
    go(&mut run, "south", 1);
    for _ in 0..5 {
        go(&mut run, "wait", 1);
    }
    assert!(run.weigh("north", 0.9).adjustments.is_empty(), "left six turns ago");
}

#[test]
fn words_for_the_same_direction_have_the_same_prediction() {
    let mut run = RunDriver::only(&[OSCILLATION]);
    dam(&mut run);
    go(&mut run, "south", 15);
    for command in ["n", "north", "go north", "walk north", "North ", "GO NORTH", "head to the north"] {
        assert!(near(run.weigh(command, 0.9).score, 0.1), "{command}");
    }
    assert!(run.weigh("go northwest", 0.9).adjustments.is_empty());
}

#[test]
fn an_unknown_destination_gets_no_penalty_and_no_bonus() {
    let mut run = RunDriver::new();
    dam(&mut run);
    for command in ["east", "up", "go down", "enter window"] {
        let ruling = run.weigh(command, 0.8);
        assert!(ruling.adjustments.is_empty() && near(ruling.score, 0.8) && ruling.accepted, "{command}");
    }
}

#[test]
fn a_door_that_did_not_open_has_no_known_destination() {
    let mut run = RunDriver::new();
    dam(&mut run);
    go(&mut run, "west", 18);
    assert!(run.weigh("west", 0.8).adjustments.is_empty());
}

#[test]
fn an_action_that_is_not_a_move_gets_no_place_adjustment() {
    let mut run = RunDriver::only(&[REVISIT, OSCILLATION, CAMPING]);
    dam(&mut run);
    run.repeat(10, &json!({"action": "examine lamp", "place": {"id": 18}}));
    for command in ["examine lamp", "take wrench", "open north door", ""] {
        let ruling = run.weigh(command, 0.8);
        assert!(ruling.adjustments.is_empty() && near(ruling.score, 0.8), "{command}");
    }
}

#[test]
fn scores_are_clamped_to_0_and_1() {
    let mut run = RunDriver::only(&[OSCILLATION]);
    dam(&mut run);
    let low = run.weigh("south", 0.2);
    assert!(near(low.raw, -0.6) && near(low.score, 0.0));
    go(&mut run, "south", 15);
    let high = run.weigh("south", 0.9);
    assert!(near(high.raw, 1.4) && near(high.score, 1.0));
}

#[test]
fn scores_are_clamped_after_each_adjustment_and_the_raw_sum_is_reported() {
    let mut run = RunDriver::new();
    for _ in 0..4 {
        go(&mut run, "north", 2);
        go(&mut run, "south", 1);
    }
    let ruling = run.weigh("north", 0.9);
    let order: Vec<_> = ruling.adjustments.iter().map(|adjustment| adjustment.detector).collect();
    // Four of the last eight turns were there: not camping, but an oscillation and recent visits.
    assert_eq!(order, [OSCILLATION, REVISIT]);
    assert!(near(ruling.raw, 0.9 - 0.8 - 0.4) && near(ruling.score, 0.0));
    assert!(near(ruling.adjustments[0].score, 0.1) && near(ruling.adjustments[1].score, 0.0));
}

#[test]
fn adjustments_come_in_the_order_oscillation_camping_revisit() {
    let mut run = RunDriver::with(config(json!({"camping": {"threshold": 4}})));
    for _ in 0..4 {
        go(&mut run, "north", 2);
        go(&mut run, "south", 1);
    }
    let ruling = run.weigh("north", 1.0);
    let order: Vec<_> = ruling.adjustments.iter().map(|adjustment| adjustment.detector).collect();
    assert_eq!(order, [OSCILLATION, CAMPING, REVISIT]);
    assert!(ruling.adjustments.iter().all(|adjustment| adjustment.enforced && !adjustment.reason.is_empty()));
}

#[test]
fn the_range_of_scores_can_be_set() {
    let mut run = RunDriver::with(config(json!({"policy": {"score_min": -1.0}})));
    for _ in 0..2 {
        go(&mut run, "north", 2);
        go(&mut run, "south", 1);
    }
    let ruling = run.weigh("north", 0.2);
    assert!(near(ruling.score, -1.0), "0.2 - 0.8 - 0.4: {}", ruling.score);
}

#[test]
fn penalties_and_bonus_can_be_set() {
    let patch = json!({"oscillation": {"return_penalty": -0.3, "exploration_bonus": 0.1}, "revisit": {"mode": "off"}});
    let mut run = RunDriver::with(config(patch));
    dam(&mut run);
    assert!(near(run.weigh("south", 0.9).score, 0.6));
    go(&mut run, "south", 15);
    assert!(near(run.weigh("south", 0.6).score, 0.7));
}

#[test]
fn the_adjusted_number_decides_and_the_threshold_itself_is_accepted() {
    for (accept_at, accepted) in [(0.25, true), (0.5, true), (0.51, false), (0.75, false)] {
        let mut run = RunDriver::with(config(json!({
            "policy": {"accept_at": accept_at},
            "oscillation": {"return_penalty": -0.25},
            "revisit": {"mode": "off"},
        })));
        dam(&mut run);
        let ruling = run.weigh("south", 0.75);
        assert_eq!((ruling.accepted, ruling.accept_at), (accepted, accept_at), "{}", ruling.score);
    }
}

#[test]
fn a_proposal_that_the_critic_refuses_stays_refused_and_is_not_a_loop() {
    let run = RunDriver::new();
    let ruling = run.weigh("north", 0.4);
    assert!(!ruling.accepted && ruling.intervention.is_none() && ruling.adjustments.is_empty());
}

#[test]
fn weighing_reports_the_turn_and_changes_nothing() {
    let mut run = RunDriver::new();
    dam(&mut run);
    let before = serde_json::to_string(&run.guard.snapshot()).unwrap();
    let first = crate::steps::written(&run.weigh("south", 0.9));
    assert_eq!(first["turn"], run.guard.turn() + 1);
    assert_eq!(crate::steps::written(&run.weigh("south", 0.9)), first);
    assert_eq!(serde_json::to_string(&run.guard.snapshot()).unwrap(), before);
}

#[test]
fn a_proposal_without_a_score_starts_at_the_highest_score() {
    let mut run = RunDriver::only(&[OSCILLATION]);
    dam(&mut run);
    let proposal = Proposal { score: None, ..Proposal::new("south", 0.0) };
    assert!(near(run.guard.weigh(&proposal).score, 0.2));
    assert!(near(run.weigh("south", f64::NAN).score, 0.2));
}

#[test]
fn an_action_among_the_last_15_gives_a_hint_regardless_of_case() {
    let mut run = RunDriver::new();
    run.see(&json!({"action": " Open Mailbox"}));
    for turn in 0..14 {
        run.see(&json!({"action": format!("look {turn}")}));
    }
    let hints = |run: &RunDriver| run.weigh("open mailbox", 0.9).hints.len();
    assert_eq!(hints(&run), 1);
    let ruling = run.weigh("OPEN MAILBOX ", 0.9);
    assert_eq!((ruling.hints[0].detector, ruling.hints[0].pattern), (NOVELTY, Pattern::RepeatedAction));
    assert_eq!(ruling.hints[0].evidence.get("last_turn"), Some(&json!(1).into()));
    assert!(ruling.accepted && ruling.adjustments.is_empty(), "a hint costs nothing");
    run.see(&json!({"action": "look 14"}));
    assert_eq!(hints(&run), 0, "sixteen actions ago");
}

#[test]
fn the_window_of_actions_can_be_set_and_hints_switched_off() {
    let mut run = RunDriver::with(config(json!({"novelty": {"window": 5}})));
    run.see(&json!({"action": "open mailbox"}));
    for turn in 0..5 {
        run.see(&json!({"action": format!("look {turn}")}));
    }
    assert!(run.weigh("open mailbox", 0.9).hints.is_empty());
    assert_eq!(run.weigh("look 0", 0.9).hints.len(), 1);
    let mut run = RunDriver::with(config(json!({"novelty": {"mode": "off"}})));
    run.see(&json!({"action": "open mailbox", "place": {"id": 1, "exits": ["north"]}}));
    assert!(run.weigh("open mailbox", 0.9).hints.is_empty());
}

#[test]
fn untried_exits_give_a_hint() {
    let mut run = RunDriver::new();
    run.see(&json!({"action": "look", "place": {"id": 1, "exits": ["n", "south", "up"]}}));
    run.see(&json!({"action": "north", "place": {"id": 2}}));
    run.see(&json!({"action": "south", "place": {"id": 1, "exits": ["n", "south", "up"]}}));
    let ruling = run.weigh("read book", 0.9);
    assert_eq!(ruling.hints[0].pattern, "unexplored_exits");
    assert_eq!(ruling.hints[0].evidence.get("exits"), Some(&json!(["south", "up"]).into()));
    let mut run = RunDriver::with(config(json!({"novelty": {"unexplored_exits": false}})));
    run.see(&json!({"action": "look", "place": {"id": 1, "exits": ["n"]}}));
    assert!(run.weigh("read book", 0.9).hints.is_empty());
}

#[test]
fn a_rejected_proposal_gives_a_warning_and_the_same_one_again_is_hard() {
    let mut run = RunDriver::only(&[OSCILLATION]);
    dam(&mut run);
    let insist = json!({"action": "south", "critic": {"score": 0.9}, "refused": true});
    let first = run.see(&insist);
    assert_eq!(
        (first.findings[0].pattern, first.findings[0].severity),
        (Pattern::RefusedReturn, Severity::Warn)
    );
    assert!(first.ruling.as_ref().is_some_and(|ruling| !ruling.accepted));
    assert!(first.stop.is_none(), "one rejected proposal does not end a run");
    let second = run.see(&insist);
    assert_eq!((second.findings[0].severity, second.findings[0].count), (Severity::Hard, 2));
    assert_eq!(second.findings[0].intervention, Some(Intervention::Reject));
    assert!(second.stop.is_none());
}

#[test]
fn two_different_rejected_proposals_are_not_a_repeat() {
    let mut run = RunDriver::only(&[OSCILLATION]);
    dam(&mut run);
    run.see(&json!({"action": "south", "critic": {"score": 0.9}, "refused": true}));
    go(&mut run, "south", 15);
    run.see(&json!({"action": "north", "critic": {"score": 0.9}, "refused": true}));
    assert!(run.turns(OSCILLATION, Severity::Hard).is_empty());
}

/// 001: an agent that always returns to its camp takes its second choice when the return is rejected. It is there less often
/// than without the penalty, and sees other rooms.
#[test]
fn a_camp_that_is_penalised_is_broken() {
    let play = |mode: &str| {
        let patch =
            json!({"camping": {"mode": mode}, "revisit": {"mode": "off"}, "oscillation": {"mode": "off"}});
        let mut run = RunDriver::with(config_of(Profile::Documents, patch));
        go(&mut run, "look", 20);
        let mut places = vec![20];
        for turn in 0..30_i64 {
            let (action, to) = match places.last() {
                Some(20) if turn % 3 == 2 => ("east", 21),
                Some(20) => ("wait", 20),
                _ => ("west", 20),
            };
            let accepted = run.weigh(action, 0.9).accepted;
            let camped = places.iter().rev().take(10).filter(|place| **place == 20).count();
            assert!(accepted || camped >= 5, "turn {turn}: there is no camp yet");
            let (action, to) = if accepted { (action, to) } else { ("north", 100 + turn) };
            go(&mut run, action, to);
            places.push(to);
        }
        let at_camp = places.iter().filter(|place| **place == 20).count();
        (at_camp, std::collections::BTreeSet::from_iter(places).len())
    };
    let ((with, rooms), (without, rooms_without)) = (play("enforce"), play("off"));
    assert!(with < without, "{with} turns at the camp with penalties, {without} without");
    assert!(rooms > 2 && rooms_without == 2, "{rooms} rooms with penalties, {rooms_without} without");
}

#[test]
fn an_oscillation_that_is_penalised_is_broken() {
    // 001: an agent that would move back and forth forever takes its second choice when the first is
    // rejected.
    let mut run = RunDriver::new();
    go(&mut run, "look", 15);
    let mut visited = std::collections::BTreeSet::from([15]);
    let mut here = 15;
    for turn in 0..10 {
        let (first, to) = if here == 15 { ("north", 18) } else { ("south", 15) };
        let rejected = !run.weigh(first, 0.9).accepted;
        (here, _) = if rejected { (100 + turn, "east") } else { (to, first) };
        go(&mut run, if rejected { "east" } else { first }, here);
        visited.insert(here);
        if rejected {
            break;
        }
    }
    assert!(visited.len() > 2, "{visited:?}");
}
