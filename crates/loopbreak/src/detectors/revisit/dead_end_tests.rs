//! Tests of dead ends. Document 000, phase 2B.

use crate::steps::{RunDriver, config, config_of, found, text_for};
use crate::verdict::Audience;
use crate::{DetectorName, Guard, Intervention, Pattern, Profile, Severity, Step};
use serde_json::json;

const REVISIT: DetectorName = DetectorName::Revisit;

/// Returns a step to a place, with a score.
fn at(place: &str, score: i64) -> serde_json::Value {
    json!({"place": place, "score": score})
}

/// Walks through places with a score that stays the same.
fn walk(run: &mut RunDriver, places: &[&str]) {
    for place in places {
        run.see(&at(place, 10));
    }
}

/// Returns the turns at which a dead end was reported, with the names of the places.
fn dead_ends(run: &RunDriver) -> Vec<(u64, String)> {
    let found = run.findings(REVISIT).into_iter().filter(|finding| finding.pattern == Pattern::DeadEnd);
    found.map(|finding| (finding.turn, finding.evidence.text("location_name").unwrap().to_owned())).collect()
}

/// The hall was seen with everything around it. Then the agent comes back to it every third turn.
fn wander(run: &mut RunDriver, rounds: usize) {
    for _ in 0..rounds {
        walk(run, &["Hall", "Attic", "Cellar"]);
    }
}

#[test]
fn the_eighth_visit_without_progress_is_a_dead_end_and_gives_only_a_hint() {
    let mut run = RunDriver::only(&[REVISIT]);
    wander(&mut run, 8);
    // The cellar, found at turn 3, starts the counts of the other two again.
    assert_eq!(dead_ends(&run), [(24, "Cellar".to_owned())]);
    wander(&mut run, 1);
    assert_eq!(dead_ends(&run).len(), 3);
    let finding =
        run.findings(REVISIT).into_iter().find(|finding| finding.pattern == Pattern::DeadEnd).unwrap();
    assert_eq!((finding.severity, finding.since, finding.count), (Severity::Hint, 3, 8));
    assert_eq!(finding.evidence.number("visits"), Some(8));
    assert_eq!(finding.evidence.number("reach"), Some(10));
    let verdict = &run.verdicts[23];
    assert_eq!(verdict.strongest(), Some(Intervention::Hint));
    assert!(verdict.stop.is_none() && verdict.rewind_to.is_none());
    let agent = text_for(&verdict.advice, Audience::Agent, REVISIT);
    assert!(
        agent.starts_with("This is visit 8 to \"Cellar\" since turn 3. None of them led to progress"),
        "{agent}"
    );
    let critic = text_for(&verdict.advice, Audience::Critic, REVISIT);
    assert!(critic.contains("visited \"Cellar\" 8 times"), "{critic}");
    assert!(run.weigh("north", 0.9).adjustments.is_empty());
}

#[test]
fn a_dead_end_is_mentioned_once_and_five_of_them_are_enough() {
    let mut run = RunDriver::only(&[REVISIT]);
    let rooms = ["A", "B", "C", "D", "E", "F", "G"];
    for _ in 0..40 {
        walk(&mut run, &rooms);
    }
    let mut named: Vec<String> = dead_ends(&run).into_iter().map(|(_, name)| name).collect();
    named.sort_unstable();
    named.dedup();
    assert_eq!((named.len(), dead_ends(&run).len()), (5, 5));
}

#[test]
fn a_run_without_a_sign_of_progress_has_no_dead_ends() {
    let mut run = RunDriver::only(&[REVISIT]);
    for _ in 0..30 {
        run.walk(&["Hall", "Attic", "Cellar"]);
    }
    assert!(dead_ends(&run).is_empty());
}

#[test]
fn a_place_where_progress_was_made_once_is_not_a_dead_end() {
    for progress in
        [json!({"score": 20}), json!({"progress": true}), json!({"objectives": {"completed": ["a"]}})]
    {
        let mut run = RunDriver::only(&[REVISIT]);
        walk(&mut run, &["Hall", "Attic", "Cellar"]);
        let mut step = at("Hall", 10);
        step.as_object_mut().unwrap().extend(progress.as_object().unwrap().clone());
        run.see(&step);
        wander(&mut run, 20);
        assert!(dead_ends(&run).iter().all(|(_, name)| name != "Hall"), "{progress}");
    }
}

/// A corridor is crossed on the way to every treasure, but nothing is found in it.
#[test]
fn a_hub_that_is_left_for_progress_is_not_a_dead_end() {
    let mut run = RunDriver::only(&[REVISIT]);
    walk(&mut run, &["Hub", "North", "Hub", "South", "Hub", "East"]);
    run.see(&at("North", 10));
    // Nine turns after the hub was left.
    for _ in 0..7 {
        run.see(&at("North", 10));
    }
    run.see(&at("North", 15));
    for _ in 0..20 {
        for spoke in ["South", "East", "West"] {
            run.see(&at("Hub", 15));
            run.see(&at(spoke, 15));
        }
    }
    assert!(dead_ends(&run).iter().all(|(_, name)| name != "Hub"), "{:?}", dead_ends(&run));
}

#[test]
fn progress_long_after_a_visit_does_not_count_for_the_place() {
    let mut run = RunDriver::only(&[REVISIT]);
    walk(&mut run, &["Hall", "Attic", "Cellar"]);
    for _ in 0..11 {
        run.see(&at("Cellar", 10));
    }
    run.see(&at("Cellar", 20));
    for _ in 0..9 {
        for place in ["Hall", "Attic", "Cellar"] {
            run.see(&at(place, 20));
        }
    }
    let names: Vec<String> = dead_ends(&run).into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["Hall", "Attic"], "the cellar brought 10 points");
}

/// An agent that explores from a base comes back to it often and finds something new each time.
#[test]
fn a_base_from_which_new_places_are_found_is_not_a_dead_end() {
    let mut run = RunDriver::only(&[REVISIT]);
    for room in 0..40 {
        run.see(&at("Base", 0));
        run.see(&at(&format!("Room {room}"), 0));
    }
    assert!(dead_ends(&run).is_empty());
}

#[test]
fn a_long_stay_is_one_visit() {
    let mut run = RunDriver::only(&[REVISIT]);
    run.repeat(60, &at("Workshop", 0));
    assert!(dead_ends(&run).is_empty());
}

#[test]
fn back_and_forth_is_left_to_oscillation() {
    let mut run = RunDriver::only(&[REVISIT]);
    for _ in 0..30 {
        walk(&mut run, &["Dam", "Lobby"]);
    }
    assert!(dead_ends(&run).is_empty());
}

#[test]
fn a_message_of_the_user_starts_the_count_again() {
    let mut run = RunDriver::only(&[REVISIT]);
    wander(&mut run, 6);
    run.see(&json!({"user": "go to the hall and wait for me"}));
    wander(&mut run, 7);
    assert!(dead_ends(&run).is_empty());
    wander(&mut run, 1);
    assert_eq!(dead_ends(&run).len(), 3);
}

#[test]
fn the_number_of_visits_can_be_set_and_0_disables_it() {
    let mut run = RunDriver::with(config(json!({"revisit": {"dead_end_at": 4}})));
    wander(&mut run, 4);
    assert_eq!(dead_ends(&run), [(12, "Cellar".to_owned())]);
    for config in [config(json!({"revisit": {"dead_end_at": 0}})), config_of(Profile::Documents, json!({}))] {
        let mut run = RunDriver::with(config);
        wander(&mut run, 20);
        assert!(dead_ends(&run).is_empty());
    }
    let mut run = RunDriver::with(config_of(Profile::Documents, json!({"revisit": {"dead_end_at": 4}})));
    wander(&mut run, 4);
    assert_eq!(dead_ends(&run).len(), 1, "unless it is set");
}

#[test]
fn each_agent_has_dead_ends_of_its_own() {
    let mut run = RunDriver::only(&[REVISIT]);
    for turn in 0..45 {
        let agent = ["a", "b"][turn % 2];
        let place = ["Hall", "Attic", "Cellar"][turn / 2 % 3];
        run.see(&json!({"agent": agent, "place": place, "score": 0}));
    }
    assert!(dead_ends(&run).is_empty(), "15 visits to each place, but fewer than 8 by each agent");
}

#[test]
fn the_count_continues_after_a_snapshot() {
    let steps: Vec<String> =
        (0..30).map(|turn| at(["Hall", "Attic", "Cellar"][turn % 3], 10).to_string()).collect();
    let observe = |guard: &mut Guard, line: &str| {
        let verdict = guard.observe(&Step::from_json(line).unwrap());
        found(&verdict, REVISIT).contains(&(Pattern::DeadEnd, Severity::Hint))
    };
    let mut whole = Guard::new(config(json!({})));
    let mut parts = Guard::new(config(json!({})));
    let mut reported = 0;
    for line in &steps {
        let snapshot = parts.snapshot().to_json().unwrap();
        parts =
            Guard::restore(config(json!({})), crate::Snapshot::from_json(snapshot.get().as_bytes()).unwrap())
                .unwrap();
        let expected = observe(&mut whole, line);
        assert_eq!(observe(&mut parts, line), expected, "{line}");
        reported += u32::from(expected);
    }
    assert_eq!(reported, 3);
}
