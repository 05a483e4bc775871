//! `score_turns`, `objective_turns` and the weights: how many turns each kind of progress buys. Ideas 1 and 3 of document 002.

use crate::steps::{RunDriver, config_of, text_for};
use crate::verdict::Audience;
use crate::{Config, DetectorName, Profile, Severity};
use serde_json::{Value, json};

const STAGNATION: DetectorName = DetectorName::Stagnation;

/// Returns settings with these options of `stagnation`, a check at every turn and a fixed limit.
fn worth(patch: Value) -> Config {
    let mut stagnation = json!({"check_interval": 1});
    let Value::Object(patch) = patch else { panic!("options are an object") };
    stagnation.as_object_mut().unwrap().extend(patch);
    config_of(Profile::Documents, json!({"stagnation": stagnation}))
}

/// Plays turns with a score that changes and objectives that are completed at these turns.
fn play(config: Config, turns: u64, scores: &[u64], objectives: &[u64]) -> RunDriver {
    let mut run = RunDriver::with(config);
    let mut score = 0;
    for turn in 1..=turns {
        score += i64::from(scores.contains(&turn));
        let mut step = json!({"score": score});
        if objectives.contains(&turn) {
            step["objectives"] = json!({"completed": [format!("objective {turn}")]});
        }
        run.see(&step);
    }
    run
}

/// Returns the turn of the first warning after a turn, and the turn at which the run is stopped.
fn ends(run: &RunDriver, after: u64) -> (Option<u64>, Option<u64>) {
    let warned = run.turns(STAGNATION, Severity::Warn).into_iter().find(|turn| *turn > after);
    (warned, run.turns(STAGNATION, Severity::Hard).first().copied())
}

#[test]
fn an_objective_can_buy_fewer_turns_than_a_score() {
    let config = || worth(json!({"objective_turns": 20}));
    assert_eq!(ends(&play(config(), 100, &[30], &[]), 30), (Some(50), Some(70)), "the score buys 40");
    assert_eq!(
        ends(&play(config(), 100, &[], &[35]), 35),
        (Some(45), Some(55)),
        "20 turns, and the warning halfway"
    );
    assert_eq!(ends(&play(worth(json!({})), 100, &[], &[35]), 35), (Some(55), Some(75)), "as before");
    let run = play(worth(json!({"score_turns": 60})), 100, &[30], &[]);
    assert_eq!(ends(&run, 30), (Some(60), Some(90)));
}

#[test]
fn a_progress_never_shortens_what_an_earlier_one_bought() {
    let run = play(worth(json!({"objective_turns": 10})), 100, &[20], &[25]);
    assert_eq!(ends(&run, 25).1, Some(60), "40 turns after the score, not 10 after the objective");
    let run = play(worth(json!({"objective_turns": 10})), 100, &[20], &[25, 55, 62, 69]);
    assert_eq!(ends(&run, 69).1, Some(79));
}

#[test]
fn a_weight_is_the_share_of_the_turns_that_one_progress_restores() {
    let config = || worth(json!({"objective_weight": 0.5}));
    // 15 turns are left at turn 25. An objective restores 20 of 40.
    assert_eq!(ends(&play(config(), 100, &[], &[25]), 25).1, Some(60));
    // Two objectives restore everything, and never more than everything.
    assert_eq!(ends(&play(config(), 100, &[], &[25, 26]), 26).1, Some(66));
    assert_eq!(ends(&play(config(), 100, &[], &[25, 26, 27, 28]), 28).1, Some(68));
    // The score still restores all.
    assert_eq!(ends(&play(config(), 100, &[25], &[]), 25).1, Some(65));
    let run = play(worth(json!({"objective_turns": 20, "objective_weight": 0.25})), 100, &[], &[38]);
    assert_eq!(ends(&run, 38).1, Some(45), "2 turns are left, 5 of 20 are restored");
}

/// The countdown names the turn at which the run ends, for any worth and any moment of progress.
#[test]
fn the_countdown_ends_at_the_actual_stop_for_every_worth() {
    for (turns, weight) in [(0, 1.0), (10, 1.0), (20, 0.5), (60, 1.0), (40, 0.3)] {
        for interval in [1, 7, 10] {
            for objective in [5, 19, 33, 38] {
                let patch =
                    json!({"objective_turns": turns, "objective_weight": weight, "check_interval": interval});
                let run = play(worth(patch), 140, &[], &[objective]);
                let stop = run.turns(STAGNATION, Severity::Hard)[0];
                let last = run.findings(STAGNATION).into_iter().rfind(|finding| finding.turn < stop);
                let since = last.map_or(0, |finding| finding.since);
                for finding in run.findings(STAGNATION) {
                    if finding.severity == Severity::Warn && finding.since == since && finding.turn < stop {
                        let left = finding.evidence.number("turns_left").unwrap();
                        assert_eq!(finding.turn + left, stop, "{turns} {weight} {interval} {objective}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_warning_says_what_each_progress_buys_if_they_differ() {
    let text = |patch: Value| {
        let run = play(worth(patch), 30, &[], &[]);
        let warned = run.verdicts.iter().find(|verdict| !verdict.advice.is_empty()).unwrap();
        text_for(&warned.advice, Audience::Agent, STAGNATION)
    };
    assert!(!text(json!({})).contains("buys"));
    let both = text(json!({"score_turns": 60, "objective_turns": 20, "objective_weight": 0.5}));
    assert!(
        both.contains(
            "A change of the score buys up to 60 turns; a completed objective 10 turns, up to 20.\n"
        ),
        "{both}"
    );
    let score = text(json!({"score_turns": 60, "objectives": false, "objective_turns": 5}));
    assert!(score.contains("A change of the score buys up to 60 turns.\n"), "{score}");
}

#[test]
fn events_and_the_end_use_the_turns_that_were_bought() {
    let run = play(worth(json!({"objective_turns": 20})), 60, &[], &[35]);
    let end = &run.events("stuck_termination")[0];
    assert_eq!(
        (&end["turn"], &end["turns_stuck"], &end["max_turns_stuck"]),
        (&json!(55), &json!(20), &json!(20))
    );
    let checks = run.events("progress_check");
    assert_eq!(
        (&checks[53]["objective_progress"], &checks[54]["objective_progress"]),
        (&json!(true), &json!(false))
    );
    assert_eq!((&checks[33]["turns_allowed"], &checks[34]["turns_allowed"]), (&Value::Null, &json!(20)));
}

#[test]
fn a_restored_guard_keeps_what_was_bought() {
    let config = || worth(json!({"objective_turns": 20}));
    let run = play(config(), 40, &[], &[35]);
    let stored = serde_json::to_string(&run.guard.snapshot()).unwrap();
    let mut run = RunDriver::with(config());
    run.guard = crate::Guard::restore(config(), serde_json::from_str(&stored).unwrap()).unwrap();
    run.repeat(20, &json!({"score": 0}));
    assert_eq!(run.stops().first(), Some(&55));
}

#[test]
fn turns_and_weights_outside_their_ranges_are_refused() {
    for patch in [
        json!({"score_turns": 1001}),
        json!({"objective_turns": 1001}),
        json!({"score_weight": 0.0}),
        json!({"objective_weight": 1.5}),
        json!({"objective_weight": -0.5}),
    ] {
        let settings = crate::steps::settings_of(Profile::Auto, json!({"stagnation": patch}));
        let error = Config::new(settings).unwrap_err().to_string();
        assert!(error.contains("out of range"), "{patch}: {error}");
    }
}
