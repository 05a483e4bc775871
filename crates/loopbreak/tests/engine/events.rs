//! The events of the engine as they are written, with every key that the documents name.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use crate::steps::{RunDriver, config, config_of, keys};
use serde_json::{Value, json};

/// Returns the event, and checks its sorted keys. The engine adds `event_type` and `episode_id` to all
/// events.
fn check(run: &RunDriver, name: &str, expected: &[&str]) -> Value {
    let event = run.events(name).first().cloned().unwrap_or_else(|| panic!("no {name}"));
    let mut expected = [expected, &["event_type", "episode_id", "turn"]].concat();
    expected.sort_unstable();
    assert_eq!(keys(&event), expected, "{name}");
    assert_eq!((&event["event_type"], &event["episode_id"]), (&json!(name), &json!("r")));
    event
}

#[test]
fn score_change_has_its_keys() {
    let mut run = RunDriver::new();
    run.repeat(10, &json!({"score": 10}));
    run.repeat(14, &json!({"score": 20}));
    run.see(&json!({"score": 35}));
    let changes = run.events("score_change");
    assert_eq!(changes.len(), 2);
    check(&run, "score_change", &["old_score", "new_score", "was_stuck_for"]);
    let event = &changes[1];
    assert_eq!((&event["turn"], &event["was_stuck_for"]), (&json!(25), &json!(14)));
    assert_eq!((&event["old_score"], &event["new_score"]), (&json!(20), &json!(35)));
}

/// A score of 10 is written as `10`, one of 2.5 with its fraction.
#[test]
fn figures_in_events_have_no_needless_fraction() {
    let mut run = RunDriver::new();
    run.see(&json!({"score": 10.0}));
    run.see(&json!({"score": 2.5}));
    run.see(&json!({"score": -3}));
    let scores: Vec<Value> =
        run.events("score_change").iter().map(|event| event["new_score"].clone()).collect();
    assert_eq!(scores, [json!(2.5), json!(-3)]);
    assert_eq!(run.events("score_change")[0]["old_score"].to_string(), "10");
    let verdict = run.repeat(20, &json!({"score": -3}));
    assert_eq!(crate::steps::written(&verdict.findings[0].evidence)["score"].to_string(), "-3");
}

#[test]
fn stuck_termination_has_its_keys() {
    let mut run = RunDriver::new();
    run.repeat(40, &json!({"score": 10}));
    let keys = ["turns_stuck", "score", "max_turns_stuck", "ending", "termination_reason"];
    let event = check(&run, "stuck_termination", &keys);
    assert_eq!(
        event,
        json!({"event_type": "stuck_termination", "episode_id": "r", "turn": 40, "turns_stuck": 40, "score": 10,
               "max_turns_stuck": 40, "ending": "loop_break", "termination_reason": "stuck_no_progress"})
    );
}

#[test]
fn progress_check_is_emitted_every_turn_with_both_measures() {
    let mut run = RunDriver::new();
    run.see(&json!({"score": 1}));
    run.see(&json!({"score": 2}));
    run.see(&json!({"objectives": {"completed": ["a"]}}));
    run.see(&json!({"action": "look"}));
    assert_eq!(run.events("progress_check").len(), 4);
    check(
        &run,
        "progress_check",
        &[
            "score_progress",
            "objective_progress",
            "progress_made",
            "last_score_change_turn",
            "last_objective_completion_turn",
            "turns_stuck",
        ],
    );
    let last = &run.events("progress_check")[3];
    assert_eq!((&last["score_progress"], &last["objective_progress"]), (&json!(true), &json!(true)));
    assert_eq!(
        (&last["last_score_change_turn"], &last["last_objective_completion_turn"]),
        (&json!(2), &json!(3))
    );
    assert_eq!((&last["progress_made"], &last["turns_stuck"]), (&json!(true), &json!(1)));
    assert_eq!(run.events("progress_check")[0]["last_objective_completion_turn"], json!(null));
}

/// Document 002: progress was made if the score changed or an objective was completed within the window, and not only if
/// this turn did it. A mark counts like both.
#[test]
fn progress_made_is_the_or_of_both_measures_over_the_window() {
    let mut run = RunDriver::new();
    run.repeat(5, &json!({"score": 1}));
    run.see(&json!({"score": 2}));
    run.repeat(20, &json!({"score": 2}));
    run.see(&json!({"score": 2, "objectives": {"completed": ["a"]}}));
    run.repeat(50, &json!({"score": 2}));
    for check in run.events("progress_check") {
        let turn = check["turn"].as_u64().unwrap();
        let expected = (turn < 46, (27..67).contains(&turn));
        assert_eq!(check["score_progress"], expected.0, "turn {turn}");
        assert_eq!(check["objective_progress"], expected.1, "turn {turn}");
        assert_eq!(check["progress_made"], expected.0 || expected.1, "turn {turn}");
    }
    let mut run = RunDriver::new();
    run.see(&json!({"progress": true}));
    run.repeat(45, &json!({"progress": false}));
    let made: Vec<Value> =
        run.events("progress_check").iter().map(|check| check["progress_made"].clone()).collect();
    assert_eq!(made.iter().filter(|made| **made == json!(true)).count(), 40);
}

#[test]
fn progress_detected_has_the_number_of_stuck_turns() {
    let mut run = RunDriver::new();
    run.repeat(30, &json!({"score": 1}));
    run.see(&json!({"score": 1, "objectives": {"completed": ["a"]}}));
    let event = check(
        &run,
        "progress_detected",
        &[
            "score_progress",
            "objective_progress",
            "last_score_change_turn",
            "last_objective_completion_turn",
            "turns_stuck_before_reset",
        ],
    );
    assert_eq!((&event["score_progress"], &event["objective_progress"]), (&json!(false), &json!(true)));
    assert_eq!((&event["turn"], &event["turns_stuck_before_reset"]), (&json!(31), &json!(31)));
    assert_eq!(event["last_objective_completion_turn"], 31);
}

#[test]
fn loop_break_warning_is_emitted_on_every_turn_from_the_threshold() {
    let mut run = RunDriver::new();
    run.repeat(40, &json!({"score": 1}));
    let event = check(
        &run,
        "loop_break_warning",
        &[
            "turns_stuck",
            "last_score_change_turn",
            "last_objective_completion_turn",
            "score_progress",
            "objective_progress",
        ],
    );
    assert_eq!((&event["turn"], &event["turns_stuck"]), (&json!(20), &json!(20)));
    assert_eq!(run.events("loop_break_warning").len(), 20, "from 20 to 39; 40 is the stop");
}

/// Moves back and forth between Kitchen (20) and Attic (21), with the last move weighed.
fn to_and_fro(patch: Value) -> RunDriver {
    let mut run = RunDriver::with(config(patch));
    for (way, id, name) in [
        ("up", 21, "Attic"),
        ("down", 20, "Kitchen"),
        ("up", 21, "Attic"),
        ("down", 20, "Kitchen"),
        ("up", 21, "Attic"),
    ] {
        run.see(&json!({"action": way, "place": {"id": id, "name": name}}));
    }
    run.see(&json!({"action": "down", "critic": {"score": 0.9}, "place": {"id": 20, "name": "Kitchen"}}));
    run
}

#[test]
fn location_penalty_applied_has_place_visits_scores_and_penalty() {
    let run = to_and_fro(json!({"oscillation": {"mode": "off"}}));
    let event = check(
        &run,
        "location_penalty_applied",
        &["location_id", "location_name", "recent_visits", "base_score", "adjusted_score", "penalty"],
    );
    assert_eq!((&event["location_id"], &event["location_name"]), (&json!(20), &json!("Kitchen")));
    assert_eq!(
        (&event["turn"], &event["recent_visits"], &event["penalty"]),
        (&json!(6), &json!(2), &json!(-0.4))
    );
    assert_eq!((&event["base_score"], &event["adjusted_score"]), (&json!(0.9), &json!(0.5)));
    // The critic's score is the base, whatever other detectors took away before.
    let run = to_and_fro(json!({"oscillation": {"return_penalty": -0.1}}));
    let event = &run.events("location_penalty_applied")[0];
    assert_eq!((&event["base_score"], &event["adjusted_score"]), (&json!(0.9), &json!(0.4)));
}

/// Three visits take 0.9 to 0.3, and not to 0.30000000000000004. Decisions are made with the exact figure.
#[test]
fn adjusted_scores_are_rounded_for_people_but_never_across_the_threshold() {
    let run = to_and_fro(
        json!({"oscillation": {"mode": "off"}, "revisit": {"penalty": -0.3, "max_penalty": -1.0}}),
    );
    let event = &run.events("location_penalty_applied")[0];
    assert_eq!((&event["adjusted_score"], &event["penalty"]), (&json!(0.3), &json!(-0.6)));
    assert_eq!(run.events("loop_penalty_applied")[0]["adjusted_score"], json!(0.3));
    // 0.7 - 0.2 is a little less than 0.5 for a computer, so the proposal is refused, and the ruling shows why.
    let mut run = RunDriver::only(&[loopbreak::DetectorName::Revisit]);
    for (way, id) in [("look", 1), ("up", 2), ("down", 1), ("up", 2), ("wait", 2), ("wait", 2), ("wait", 2)] {
        run.see(&json!({"action": way, "place": {"id": id}}));
    }
    for score in [0.7, 0.71] {
        let ruling = run.weigh("down", score);
        assert_eq!(ruling.accepted, ruling.score >= ruling.accept_at, "{}", ruling.score);
    }
}

#[test]
fn loop_penalty_applied_has_the_action_and_every_reason() {
    let run = to_and_fro(json!({}));
    let event = check(&run, "loop_penalty_applied", &["action", "base_score", "adjusted_score", "reason"]);
    assert_eq!(
        (&event["action"], &event["base_score"], &event["adjusted_score"]),
        (&json!("down"), &json!(0.9), &json!(0))
    );
    assert_eq!(
        event["reason"],
        "oscillation -0.8 (continues \"Kitchen\" → \"Attic\"); revisit -0.4 (leads back to \"Kitchen\", visited 2 times in the last 5 turns)"
    );
    let ruled = run.guard.weigh(&loopbreak::Proposal::new("up", 0.9));
    let names: Vec<_> = ruled.events.iter().map(loopbreak::Event::name).collect();
    assert_eq!(names, ["location_penalty_applied", "loop_penalty_applied"], "as for a live proposal");
}

#[test]
fn oscillation_detected_has_ids_names_and_the_last_six_places() {
    let run = to_and_fro(json!({}));
    let event = check(
        &run,
        "oscillation_detected",
        &["detected", "pattern_ids", "pattern_names", "recent_locations"],
    );
    assert_eq!(event["detected"], true);
    assert_eq!(
        (&event["pattern_ids"], &event["pattern_names"]),
        (&json!([21, 20]), &json!(["Attic", "Kitchen"]))
    );
    assert_eq!(event["recent_locations"], json!([21, 20, 21, 20]));
    // Of a longer walk the last six are told, with those before the pattern.
    let mut run = RunDriver::new();
    for id in [1, 2, 3, 15, 18, 15, 18] {
        run.see(&json!({"place": {"id": id}}));
    }
    assert_eq!(run.events("oscillation_detected")[0]["recent_locations"], json!([2, 3, 15, 18, 15, 18]));
}

#[test]
fn camping_detected_has_place_visits_and_window() {
    let mut run = RunDriver::new();
    run.repeat(5, &json!({"place": {"id": 20, "name": "Dam"}}));
    let event = check(
        &run,
        "camping_detected",
        &["detected", "camped_location_id", "camped_location_name", "visit_count", "window_size"],
    );
    assert_eq!((&event["camped_location_id"], &event["camped_location_name"]), (&json!(20), &json!("Dam")));
    assert_eq!((&event["visit_count"], &event["window_size"]), (&json!(5), &json!(5)));
}

#[test]
fn loop_detected_and_loop_recovery_describe_a_task_with_the_keys_of_003() {
    let mut run = RunDriver::with(config(json!({"task": {"unblock_sensitive": true}})));
    let blocked = json!({"task": {"id": "T3.4.3", "status": "blocked", "blockers": ["missing auth token"]}});
    run.repeat(3, &blocked);
    let event = check(
        &run,
        "loop_detected",
        &[
            "isLooping",
            "loopType",
            "taskId",
            "attemptCount",
            "blockers",
            "recommendation",
            "reason",
            "evidence",
        ],
    );
    assert_eq!((&event["isLooping"], &event["loopType"]), (&json!(true), &json!("blocked_task_spin")));
    assert_eq!((&event["taskId"], &event["attemptCount"]), (&json!("T3.4.3"), &json!(3)));
    assert_eq!(
        (&event["recommendation"], &event["blockers"]),
        (&json!("unblock_authority"), &json!(["missing auth token"]))
    );
    let event = check(&run, "loop_recovery", &["taskId", "recovery", "loopType", "attemptCount", "reason"]);
    assert_eq!(event["recovery"], "unblock_authority");
    run.repeat(3, &blocked);
    let event = check(&run, "escalation", &["pattern", "task_id", "reason", "options"]);
    assert_eq!((&event["task_id"], &event["pattern"]), (&json!("T3.4.3"), &json!("blocked_task_spin")));
}

#[test]
fn loop_detected_has_the_signature_of_an_output() {
    let mut run = RunDriver::new();
    run.repeat(3, &json!({"outcome": "Fixed auth.ts - added null check"}));
    assert_eq!(run.events("loop_detected").len(), 1, "once, although two detectors see it");
    let event = check(
        &run,
        "loop_detected",
        &["isLooping", "loopType", "attemptCount", "signature", "recommendation", "reason", "evidence"],
    );
    assert_eq!((&event["signature"], &event["attemptCount"]), (&json!("auth.ts:null-check"), &json!(3)));
    let event = check(&run, "escalation", &["pattern", "signature", "reason", "options"]);
    assert_eq!(event["signature"], "auth.ts:null-check");
}

#[test]
fn guard_tripped_has_the_guard_and_the_limit() {
    let mut run = RunDriver::with(config_of(loopbreak::Profile::Iterations, json!({})));
    run.repeat(10, &json!({"say": "hm"}));
    let event = check(&run, "guard_tripped", &["guard", "pattern", "first", "limit", "value"]);
    assert_eq!((&event["guard"], &event["first"]), (&json!("max_iterations"), &json!(true)));
    assert_eq!((&event["limit"], &event["value"]), (&json!(10), &json!(10)));
}

#[test]
fn every_event_names_the_run_of_the_first_step_that_has_one() {
    let mut guard = loopbreak::Guard::new(loopbreak::Config::default());
    let verdict = guard.observe(&crate::steps::step(&json!({"run": "ep-7", "score": 1})));
    assert_eq!(crate::steps::written(&verdict.events[0])["episode_id"], "ep-7");
}
