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
    assert_eq!((&event["old_score"], &event["new_score"]), (&json!(20.0), &json!(35.0)));
}

#[test]
fn stuck_termination_has_its_keys() {
    let mut run = RunDriver::new();
    run.repeat(40, &json!({"score": 10}));
    let keys = ["turns_stuck", "score", "max_turns_stuck", "ending", "termination_reason"];
    let event = check(&run, "stuck_termination", &keys);
    assert_eq!(
        event,
        json!({"event_type": "stuck_termination", "episode_id": "r", "turn": 40, "turns_stuck": 40, "score": 10.0,
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
    assert_eq!((&last["progress_made"], &last["turns_stuck"]), (&json!(false), &json!(1)));
    assert_eq!(run.events("progress_check")[0]["last_objective_completion_turn"], json!(null));
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
}

#[test]
fn loop_penalty_applied_has_the_action_and_every_reason() {
    let run = to_and_fro(json!({}));
    let event = check(&run, "loop_penalty_applied", &["action", "base_score", "adjusted_score", "reason"]);
    assert_eq!(
        (&event["action"], &event["base_score"], &event["adjusted_score"]),
        (&json!("down"), &json!(0.9), &json!(0.0))
    );
    assert_eq!(
        event["reason"],
        "oscillation -0.8 (continues Kitchen → Attic); revisit -0.4 (leads back to Kitchen, visited 2 times in the last 5 turns)"
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
    let later = run.events("oscillation_detected").pop().unwrap();
    assert!(later["recent_locations"].as_array().unwrap().len() <= 6);
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
    let mut run = RunDriver::new();
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
    let mut run = RunDriver::with(config(json!({"similarity": {"mode": "off"}})));
    run.repeat(3, &json!({"outcome": "Fixed auth.ts - added null check"}));
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
    assert_eq!((&event["limit"], &event["value"]), (&json!(10.0), &json!(10.0)));
}

#[test]
fn every_event_names_the_run_of_the_first_step_that_has_one() {
    let mut guard = loopbreak::Guard::new(loopbreak::Config::default());
    let verdict = guard.observe(&crate::steps::step(&json!({"run": "ep-7", "score": 1})));
    assert_eq!(crate::steps::written(&verdict.events[0])["episode_id"], "ep-7");
}
