use std::collections::HashMap;

use super::rooms::{DAM, LOBBY, MAINTENANCE, ROOMS};
use super::*;

/// The last turn with progress.
const PEAK: usize = 105;

fn steps() -> Vec<DamStep> {
    episode().unwrap()
}

fn places() -> Vec<u32> {
    steps().iter().map(|step| step.place.id).collect()
}

/// The longest stretch without a `true`, counted from turn 0.
fn longest_wait(progress: impl Iterator<Item = bool>) -> usize {
    let (mut last, mut longest) = (0, 0);
    for (index, progress) in progress.enumerate() {
        longest = longest.max(index + 1 - last);
        if progress {
            last = index + 1;
        }
    }
    longest
}

#[test]
fn the_episode_has_341_turns_numbered_from_1() {
    let turns: Vec<_> = steps().iter().map(|step| step.turn).collect();
    assert_eq!(turns, (1..=341).collect::<Vec<_>>());
}

#[test]
fn the_dam_the_lobby_and_the_maintenance_room_have_the_reported_visits() {
    let visits = |id| places().into_iter().filter(|place| *place == id).count();
    assert_eq!((visits(DAM), visits(LOBBY), visits(MAINTENANCE)), (139, 26, 37));
}

#[test]
fn the_score_reaches_40_at_turn_105_and_stays() {
    let scores: Vec<_> = steps().iter().map(|step| step.score).collect();
    assert_eq!(scores[0], 0);
    assert!(scores.is_sorted());
    assert_eq!(scores.iter().position(|score| *score == 40), Some(PEAK - 1));
    assert_eq!(scores.last(), Some(&40));
}

#[test]
fn the_healthy_part_never_waits_20_turns_for_the_next_score() {
    let steps = steps();
    let scored = steps[..PEAK].windows(2).map(|pair| pair[1].score != pair[0].score);
    assert!(longest_wait(std::iter::once(false).chain(scored)) < 20);
}

#[test]
fn objectives_are_completed_in_the_healthy_part_only_and_each_once() {
    let completed: Vec<_> = steps()
        .iter()
        .flat_map(|step| step.objectives.iter().flat_map(|o| &o.completed).map(|name| (*name, step.turn)))
        .collect();
    let names: BTreeSet<_> = completed.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), completed.len());
    assert_eq!(completed.len(), HEALTHY.len());
    assert!(completed.iter().all(|(_, turn)| *turn as usize <= PEAK));
}

#[test]
fn the_healthy_part_neither_camps_nor_oscillates() {
    let places = places();
    let healthy = &places[..PEAK];
    for window in healthy.windows(10) {
        assert!(window.iter().all(|here| window.iter().filter(|place| *place == here).count() < 5));
    }
    let mut walk = healthy.to_vec();
    walk.dedup();
    assert!(walk.windows(4).all(|w| w[0] != w[2] || w[1] != w[3]));
}

#[test]
fn the_healthy_part_does_nothing_in_a_room_twice() {
    let mut seen = BTreeSet::new();
    let mut before = HILLSIDE;
    for step in &steps()[..PEAK] {
        let repeated = !seen.insert((before, step.action.clone(), step.outcome.clone()));
        assert!(!repeated, "turn {}: {}", step.turn, step.action);
        before = step.place.id;
    }
}

#[test]
fn the_stuck_part_camps_and_oscillates() {
    let places = places();
    let stuck = &places[PEAK..];
    assert!(stuck.windows(10).any(|window| window.iter().all(|place| *place == DAM)));
    let mut walk = stuck.to_vec();
    walk.dedup();
    assert!(walk.windows(4).any(|w| w == [MAINTENANCE, LOBBY, MAINTENANCE, LOBBY]));
    assert!(walk.windows(5).any(|w| w == [DAM, LOBBY, MAINTENANCE, LOBBY, DAM]));
}

#[test]
fn the_critic_approves_of_every_move_of_the_stuck_part() {
    let directions = ["north", "south", "east", "west", "up", "down"];
    for step in &steps()[PEAK..] {
        let score = step.critic.score;
        assert!((0.6..=1.0).contains(&score));
        assert!(!directions.contains(&step.action.as_str()) || score >= 0.9, "turn {}", step.turn);
    }
}

#[test]
fn the_same_way_from_the_same_room_always_leads_to_the_same_room() {
    let mut ways = HashMap::new();
    let mut exits = HashMap::new();
    let mut before = HILLSIDE;
    for step in steps() {
        let here = step.place.id;
        let is_move = ROOMS.iter().flat_map(|room| room.exits).any(|(exit, _)| *exit == step.action);
        if is_move {
            assert_eq!(*ways.entry((before, step.action)).or_insert(here), here, "turn {}", step.turn);
        } else {
            assert_eq!(here, before, "turn {}: {} is no move", step.turn, step.action);
        }
        assert_eq!(*exits.entry(here).or_insert_with(|| step.place.exits.clone()), step.place.exits);
        before = here;
    }
}

#[test]
fn every_way_in_the_table_has_a_way_back() {
    for from in ROOMS {
        for (direction, to) in from.exits {
            let to = room(*to).unwrap();
            assert!(to.exits.iter().any(|(_, back)| *back == from.id), "{direction} from {}", from.name);
        }
        assert_eq!(ROOMS.iter().filter(|other| other.id == from.id || other.name == from.name).count(), 1);
    }
}

#[test]
fn a_turn_costs_about_a_cent_and_takes_about_eight_seconds() {
    let steps = steps();
    let cost: f64 = steps.iter().map(|step| step.usage.cost_usd).sum();
    assert!((0.008..0.012).contains(&(cost / steps.len() as f64)), "{cost}");
    assert_eq!(steps[0].at, "2025-11-03T12:38:53Z");
    assert!(steps.is_sorted_by(|a, b| a.at < b.at));
    // 340 gaps of eight seconds end at 13:24:13.
    assert!(steps[340].at.starts_with("2025-11-03T13:2"), "{}", steps[340].at);
}

#[test]
fn a_line_has_the_keys_of_the_step_record_in_their_order() {
    let file = jsonl().unwrap();
    assert_eq!(file.lines().count(), 341);
    let first = file.lines().next().unwrap();
    assert!(
        first.starts_with(r#"{"run":"dam","turn":1,"at":"2025-11-03T12:38:53Z","action":"look","outcome":"#)
    );
    let keys = ["\"place\":{\"id\":1,", "\"score\":0", "\"objectives\":", "\"critic\":", "\"usage\":"];
    let positions: Vec<_> = keys.iter().map(|key| first.find(key).unwrap()).collect();
    assert!(positions.is_sorted());
}
