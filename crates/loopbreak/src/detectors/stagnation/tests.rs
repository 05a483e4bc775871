//! `stagnation`: what counts as progress, when a run is warned, when it is stopped. Documents 000, 001, 002.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot be set up is to fail, and reads files"
)]

use crate::steps::{RunDriver, config, found};
use crate::{DetectorName, Pattern, Severity, Step};
use serde_json::{Value, json};

const STAGNATION: DetectorName = DetectorName::Stagnation;

/// Returns the turn of the first warning of each period without progress.
fn warned(run: &RunDriver) -> Vec<u64> {
    let mut warnings = run.findings(STAGNATION);
    warnings.retain(|finding| finding.severity == Severity::Warn);
    warnings.dedup_by_key(|finding| finding.since);
    warnings.into_iter().map(|finding| finding.turn).collect()
}

fn stopped(run: &RunDriver) -> Vec<u64> {
    run.turns(STAGNATION, Severity::Hard)
}

fn score(score: i64) -> Value {
    json!({"score": score})
}

#[test]
fn a_warning_comes_at_20_turns_stuck_and_not_at_19() {
    let mut run = RunDriver::new();
    run.repeat(19, &score(10));
    assert!(run.findings(STAGNATION).is_empty());
    let verdict = run.see(&score(10));
    assert_eq!(found(verdict, STAGNATION), [(Pattern::StuckNoProgress, Severity::Warn)]);
    assert!(verdict.stop.is_none());
}

#[test]
fn the_run_is_stopped_at_40_turns_stuck_and_not_at_39() {
    let mut run = RunDriver::new();
    run.repeat(39, &score(10));
    assert!(run.stops().is_empty());
    let verdict = run.see(&score(10));
    let stop = verdict.stop.as_ref().unwrap();
    assert_eq!((verdict.turn, stop.reason, stop.detector), (40, Pattern::StuckNoProgress, STAGNATION));
    assert_eq!(stop.ending.as_str(), "loop_break");
}

#[test]
fn between_two_checks_the_run_is_not_stopped() {
    let mut run = RunDriver::new();
    run.repeat(2, &score(10));
    run.repeat(57, &score(20));
    // Stuck since turn 3: 40 turns at turn 43, but turn 43 is not a check.
    assert_eq!(stopped(&run), [50]);
    assert_eq!(run.stops(), [50]);
}

#[test]
fn turn_60_is_stopped_for_a_score_that_changed_at_turn_20() {
    // The episode of 273 turns in 000: 213 of them come after the stop.
    let mut run = RunDriver::new();
    run.repeat(19, &score(0));
    run.repeat(254, &score(10));
    assert_eq!(run.stops().first(), Some(&60));
    assert_eq!(run.verdicts.len() - 60, 213);
    let stop = &run.events("stuck_termination")[0];
    assert_eq!((&stop["turns_stuck"], &stop["score"]), (&json!(40), &json!(10)));
    let checks = run.events("progress_check");
    let exceeded = checks.iter().filter(|check| {
        check["turn"].as_u64().unwrap() % 10 == 0 && check["turns_stuck"].as_u64().unwrap() >= 40
    });
    assert_eq!(exceeded.count(), 22, "60, 70, …, 270");
}

#[test]
fn the_threshold_can_be_set() {
    let mut run = RunDriver::with(config(json!({"stagnation": {"max_turns": 50, "check_interval": 1}})));
    run.repeat(49, &score(10));
    assert!(run.stops().is_empty());
    run.see(&score(10));
    assert_eq!(run.stops(), [50]);
}

#[test]
fn the_first_score_is_the_baseline_and_not_a_change() {
    let mut run = RunDriver::new();
    let first = run.see(&score(35));
    assert!(!first.progress.any());
    assert!(run.events("score_change").is_empty());
    run.repeat(19, &score(35));
    assert_eq!(warned(&run), [20], "counted from turn 0");
}

#[test]
fn a_score_change_resets_the_timer() {
    let mut run = RunDriver::new();
    run.repeat(20, &score(40));
    let changed = run.see(&score(50));
    assert!(changed.progress.score);
    run.repeat(19, &score(50));
    assert_eq!((warned(&run), stopped(&run)), (vec![20], vec![]));
    run.see(&score(50));
    assert_eq!(warned(&run), [20, 41]);
}

#[test]
fn a_lower_score_is_also_progress() {
    let mut run = RunDriver::new();
    run.repeat(15, &score(40));
    assert!(run.see(&score(30)).progress.score);
    run.repeat(19, &score(30));
    assert!(warned(&run).is_empty());
}

#[test]
fn in_increase_mode_a_lower_score_is_not_progress_and_a_later_rise_is() {
    let mut run = RunDriver::with(config(json!({"stagnation": {"progress": "increase"}})));
    run.repeat(5, &score(40));
    assert!(!run.see(&score(30)).progress.any());
    assert!(run.see(&score(35)).progress.score);
}

#[test]
fn in_high_water_mode_only_a_score_above_all_previous_ones_is_progress() {
    let mut run = RunDriver::with(config(json!({"stagnation": {"progress": "high_water"}})));
    run.repeat(5, &score(40));
    assert!(!run.see(&score(30)).progress.any());
    assert!(!run.see(&score(40)).progress.any());
    assert!(run.see(&score(41)).progress.score);
}

#[test]
fn a_completed_objective_resets_the_timer() {
    let mut run = RunDriver::new();
    run.repeat(30, &score(10));
    let verdict = run.see(&json!({"score": 10, "objectives": {"completed": ["explore north"]}}));
    assert!(verdict.progress.objective && !verdict.progress.score);
    run.repeat(19, &score(10));
    assert_eq!(warned(&run), [20]);
    run.see(&score(10));
    assert_eq!(warned(&run), [20, 51]);
}

#[test]
fn score_and_objective_in_one_turn_reset_the_timer_once() {
    let mut run = RunDriver::new();
    run.repeat(10, &score(10));
    let verdict = run.see(&json!({"score": 15, "objectives": {"completed": ["a"]}}));
    assert!(verdict.progress.score && verdict.progress.objective);
    assert_eq!(run.events("progress_detected").len(), 1);
    run.repeat(20, &score(15));
    assert_eq!(warned(&run), [31]);
}

#[test]
fn a_six_key_objective_counts_from_the_turn_it_was_completed_at() {
    let mut run = RunDriver::new();
    run.repeat(14, &score(10));
    run.see(&json!({"score": 10, "objectives": {"completed": [{
        "objective": "open the window", "completed_turn": 12, "completion_action": "open window",
        "completion_response": "It opens.", "completion_location": "Behind House", "completion_score": 10,
    }]}}));
    assert_eq!(run.events("progress_check")[14]["last_objective_completion_turn"], 12);
    run.repeat(17, &score(10));
    assert_eq!(warned(&run), [32], "20 turns after turn 12");
}

#[test]
fn an_objective_cannot_be_completed_in_the_future() {
    let mut run = RunDriver::new();
    run.repeat(5, &score(10));
    run.see(&json!({"objectives": {"completed": [{"objective": "a", "completed_turn": 900}]}}));
    run.repeat(20, &score(10));
    assert_eq!(warned(&run), [26]);
}

#[test]
fn the_latest_of_several_completions_counts() {
    let mut run = RunDriver::new();
    run.repeat(20, &score(10));
    run.see(&json!({"objectives": {"completed": [
        {"objective": "a", "completed_turn": 3}, {"objective": "b", "completed_turn": 19}, {"objective": "c", "completed_turn": 8},
    ]}}));
    assert_eq!(run.events("progress_check")[20]["turns_stuck"], 2);
}

#[test]
fn an_objective_that_was_already_completed_is_not_progress() {
    let done = json!({"score": 10, "objectives": {"completed": ["explore north"]}});
    let mut run = RunDriver::new();
    assert!(run.see(&done).progress.objective);
    assert!(!run.repeat(39, &done).progress.objective);
    assert_eq!((warned(&run).first(), stopped(&run)), (Some(&21), vec![]));
    run.repeat(10, &done);
    assert_eq!(stopped(&run), [50]);
}

#[test]
fn changes_of_open_objectives_are_not_progress() {
    let mut run = RunDriver::new();
    for turn in 1..=20 {
        let verdict =
            run.see(&json!({"score": 10, "objectives": {"active": [format!("goal {}", turn % 3)]}}));
        assert!(!verdict.progress.any());
    }
    assert_eq!(warned(&run), [20]);
}

#[test]
fn without_objectives_only_the_score_counts() {
    let mut run = RunDriver::new();
    run.repeat(40, &json!({"score": 10, "objectives": {"active": [], "completed": []}}));
    assert_eq!((warned(&run).first(), stopped(&run)), (Some(&20), vec![40]));
}

#[test]
fn objectives_can_be_ignored() {
    let mut run = RunDriver::with(config(json!({"stagnation": {"objectives": false}})));
    for turn in 1..=40 {
        run.see(&json!({"score": 10, "objectives": {"completed": [format!("goal {turn}")]}}));
    }
    assert_eq!(stopped(&run), [40]);
    let mut silent = RunDriver::with(config(json!({"stagnation": {"objectives": false}})));
    silent.repeat(60, &json!({"objectives": {"active": ["goal"]}}));
    assert!(silent.findings(STAGNATION).is_empty(), "ignored objectives are not a facet");
}

#[test]
fn a_mark_of_progress_resets_the_timer_and_its_absence_does_not() {
    let mut run = RunDriver::new();
    run.repeat(10, &json!({"progress": false}));
    assert!(run.see(&json!({"progress": true})).progress.mark);
    run.repeat(20, &json!({"action": "look"}));
    assert_eq!(warned(&run), [31]);
}

#[test]
fn a_run_without_score_objective_or_mark_is_never_stuck() {
    let mut run = RunDriver::new();
    run.repeat(200, &json!({"action": "look", "place": "Dam"}));
    assert!(run.findings(STAGNATION).is_empty() && run.events("progress_check").is_empty());
}

#[test]
fn a_score_that_is_not_finite_is_ignored() {
    let mut run = RunDriver::new();
    for score in [f64::NAN, f64::INFINITY] {
        for _ in 0..30 {
            let verdict = run.guard.observe(&Step { score: Some(score), ..Step::default() });
            run.verdicts.push(verdict);
        }
    }
    assert!(run.findings(STAGNATION).is_empty());
}

#[test]
fn counting_starts_one_turn_before_the_first_facet() {
    let mut run = RunDriver::new();
    run.repeat(7, &json!({"action": "look"}));
    run.repeat(13, &score(10));
    assert!(warned(&run).is_empty());
    // Counted from turn 7: 20 turns at turn 27.
    run.repeat(7, &score(10));
    assert_eq!(warned(&run), [27]);
}

#[test]
fn a_log_that_begins_at_turn_50_is_not_counted_from_turn_0() {
    let mut run = RunDriver::new();
    for turn in 50..=100 {
        run.see(&json!({"turn": turn, "score": 10}));
    }
    assert_eq!((warned(&run).first(), stopped(&run)), (Some(&69), vec![90]));
}

#[test]
fn without_warnings_the_run_is_still_stopped() {
    let mut run = RunDriver::with(config(json!({"stagnation": {"warnings": false}})));
    run.repeat(40, &score(10));
    assert!(warned(&run).is_empty());
    assert_eq!(run.stops(), [40]);
}

#[test]
fn a_refused_proposal_is_not_a_turn() {
    let mut run = RunDriver::new();
    for _ in 0..19 {
        run.see(&score(10));
        run.repeat(2, &json!({"score": 10, "action": "north", "refused": true}));
    }
    assert!(warned(&run).is_empty());
    run.see(&score(10));
    assert_eq!(warned(&run), [20]);
}

#[test]
fn a_check_missing_in_a_log_is_made_at_the_next_turn() {
    let mut run = RunDriver::new();
    for turn in [1, 15, 38, 43, 44] {
        run.see(&json!({"turn": turn, "score": 10}));
    }
    assert_eq!(stopped(&run), [43], "turn 40 was a check, 40 turns stuck");
}

#[test]
fn a_missing_check_before_the_limit_does_not_stop_the_run() {
    let mut run = RunDriver::new();
    run.see(&json!({"turn": 1, "score": 10}));
    run.see(&json!({"turn": 3, "score": 20}));
    // At turn 40 it was stuck for 37 turns, at turn 45 for 42, but turn 45 is not a check.
    for turn in [38, 45, 49] {
        run.see(&json!({"turn": turn, "score": 20}));
    }
    assert!(stopped(&run).is_empty());
    run.see(&json!({"turn": 50, "score": 20}));
    assert_eq!(stopped(&run), [50]);
}

/// Returns every countdown of one period without progress, and the turn that ended it.
fn countdowns(run: &RunDriver, last_progress: u64) -> (Vec<(u64, u64)>, u64) {
    let mut found = run.findings(STAGNATION);
    found.retain(|finding| finding.since == last_progress);
    let stop = found.iter().find(|finding| finding.severity == Severity::Hard).unwrap().turn;
    let left = |name: &crate::Finding| name.evidence.number("turns_left").unwrap();
    let shown = found.iter().filter(|finding| finding.turn < stop);
    (shown.map(|finding| (finding.turn, left(finding))).collect(), stop)
}

#[test]
fn the_countdown_ends_at_the_actual_stop_for_every_offset() {
    for last_progress in (0_u64..=100).filter(|turn| *turn != 1) {
        let mut run = RunDriver::new();
        for turn in 1..=160 {
            run.see(&score(i64::from(turn >= last_progress)));
        }
        let (shown, stop) = countdowns(&run, last_progress);
        assert_eq!(stop, (last_progress + 40).div_ceil(10) * 10);
        assert!(shown.len() >= 2, "it is shown again when it gets urgent");
        for (turn, left) in shown {
            assert!(left >= 1 && turn + left == stop, "{last_progress}: {left} turns left at turn {turn}");
        }
    }
}

#[test]
fn the_countdown_is_right_for_other_limits_too() {
    for (max_turns, check_interval, warn_at) in
        [(30_u64, 10_u64, 20_u64), (7, 7, 5), (33, 8, 5), (100, 1, 99), (41, 40, 40)]
    {
        let limits = json!({"max_turns": max_turns, "check_interval": check_interval, "warn_at": warn_at});
        for last_progress in 2..=12 {
            let mut run = RunDriver::with(config(json!({"stagnation": limits})));
            for turn in 1..=200 {
                run.see(&score(i64::from(turn >= last_progress)));
            }
            let (shown, stop) = countdowns(&run, last_progress);
            assert_eq!(stop, (last_progress + max_turns).div_ceil(check_interval) * check_interval);
            assert!(!shown.is_empty() && shown.iter().all(|(turn, left)| turn + left == stop));
        }
    }
}

#[test]
fn the_countdown_stays_1_after_a_stop_that_was_not_carried_out() {
    let mut run = RunDriver::with(config(
        json!({"policy": {"repeat_advice": true}, "advice": {"texts": {"stagnation": "{turns_left}"}}}),
    ));
    run.repeat(70, &score(10));
    let late = run.verdicts[40..].iter().flat_map(|verdict| &verdict.advice);
    let texts: Vec<&str> =
        late.filter(|text| text.detector == STAGNATION).map(|text| text.text.as_str()).collect();
    assert!(texts.contains(&"1") && !texts.contains(&"0") && !texts.iter().any(|text| text.starts_with('-')));
}

#[test]
fn scenario_1_of_002_an_objective_at_turn_31_prevents_a_false_termination() {
    let mut run = RunDriver::with(config(json!({"stagnation": {"check_interval": 1}})));
    run.repeat(30, &score(0));
    run.see(&json!({"score": 0, "objectives": {"completed": ["Explore north to Location 81"]}}));
    run.repeat(60, &score(0));
    let first_after = warned(&run).into_iter().find(|turn| *turn > 31);
    assert_eq!((warned(&run)[0], first_after, run.stops().first()), (20, Some(51), Some(&71)));
}

#[test]
fn scenario_2_of_002_mixed_progress_keeps_the_run_going() {
    let mut run = RunDriver::with(config(json!({"stagnation": {"check_interval": 1}})));
    run.repeat(10, &score(0));
    run.repeat(20, &score(5));
    run.see(&json!({"score": 5, "objectives": {"completed": ["Open the trap door"]}}));
    run.repeat(19, &score(5));
    run.repeat(60, &score(15));
    let stuck = |turn: usize| run.events("progress_check")[turn - 1]["turns_stuck"].clone();
    assert_eq!((stuck(11), stuck(31), stuck(51), stuck(71)), (json!(0), json!(0), json!(0), json!(20)));
    let last_warning = warned(&run).into_iter().find(|turn| *turn > 51);
    assert_eq!((last_warning, run.stops().first()), (Some(71), Some(&91)));
}

#[test]
fn scenario_3_of_002_without_objectives_turn_40_ends_the_run() {
    let mut run = RunDriver::new();
    run.repeat(41, &score(0));
    assert_eq!(run.stops(), [40]);
}

#[test]
fn warnings_start_again_20_turns_after_an_objective() {
    // The mixed scenario of 002: score at 10, objective at 35, score at 75.
    let mut run = RunDriver::new();
    for turn in 1..=75 {
        let completed = if turn == 35 { vec!["a"] } else { vec![] };
        let points = i64::from(turn >= 10) + i64::from(turn >= 75);
        run.see(&json!({"score": points, "objectives": {"completed": completed}}));
    }
    let first = |from: u64| warned(&run).into_iter().find(|turn| *turn >= from);
    assert_eq!((first(0), first(35)), (Some(30), Some(55)));
    assert!(run.stops().is_empty());
}

#[test]
fn an_objective_outside_the_window_is_not_recent_progress() {
    let mut run = RunDriver::new();
    run.see(&json!({"score": 0, "objectives": {"completed": ["a"]}}));
    run.repeat(41, &score(0));
    let recent = |turn: usize| run.events("progress_check")[turn - 1]["objective_progress"].clone();
    assert_eq!((recent(31), recent(40), recent(42)), (json!(true), json!(true), json!(false)));
}

#[test]
fn the_dam_episode_is_stopped_long_before_its_341_turns() {
    let log =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/dam.jsonl")).unwrap();
    let play = |patience: &str, max_turns: u64| {
        let settings = json!({"stagnation": {"max_turns": max_turns, "patience": patience}});
        let mut run = RunDriver::with(config(settings));
        for line in log.lines() {
            run.see(&serde_json::from_str(line).unwrap());
        }
        assert_eq!(run.verdicts.len(), 341);
        run.stops()[0]
    };
    // The last progress is at turn 105. 001 sets 30 turns, 000 and 002 set 40.
    assert_eq!((play("fixed", 30), play("fixed", 40)), (140, 150));
    // The run discovers nothing new, so that its deadline does not move.
    assert_eq!(play("exploring", 40), 150);
}

#[test]
fn stagnation_reports_nothing_when_off() {
    let mut run = RunDriver::with(config(json!({"stagnation": {"mode": "off"}})));
    run.repeat(60, &score(10));
    assert!(run.findings(STAGNATION).is_empty() && run.events("progress_check").is_empty());
    assert!(run.stops().is_empty());
}

#[test]
fn stagnation_is_judged_per_run_and_not_per_agent() {
    let mut run = RunDriver::new();
    for turn in 1..=40 {
        run.see(&json!({"score": 10, "agent": format!("a{}", turn % 4)}));
    }
    assert_eq!(run.stops(), [40]);
}
