//! Rulings on proposals that would continue a loop of calls: the next call of a cycle, a call that keeps
//! returning, another attempt at a failing target.

use crate::steps::{RunDriver, config, config_of, near, sh};
use loopbreak::{Action, DetectorName, Intervention, Pattern, Profile, Proposal, Ruling, Severity};
use serde_json::json;

const CYCLE: DetectorName = DetectorName::Cycle;
const TARGET: DetectorName = DetectorName::FailingTarget;
const RECURRENCE: DetectorName = DetectorName::Recurrence;

fn propose(run: &RunDriver, command: &str, score: Option<f64>) -> Ruling {
    let action = Action::new("bash").with_args(&json!({"command": command}));
    run.guard.weigh(&Proposal { action, score, ..Proposal::default() })
}

fn looping(run: &mut RunDriver, rounds: usize) {
    for _ in 0..rounds {
        run.see(&sh("make lint", "2 warnings"));
        run.see(&sh("make docs", "nothing to be done"));
    }
}

#[test]
fn only_the_next_call_of_a_cycle_loses_0_6() {
    let mut run = RunDriver::only(&[CYCLE]);
    looping(&mut run, 2);
    let next = propose(&run, "make lint", Some(0.9));
    assert!(near(next.score, 0.3) && near(next.raw, 0.3) && near(next.base, 0.9));
    assert_eq!((next.accepted, next.intervention), (false, Some(Intervention::Reject)));
    assert_eq!(next.adjustments[0].detector, CYCLE);
    assert_eq!(
        next.adjustments[0].reason,
        "is the next of 2 calls that were repeated 2 times with the same outcomes"
    );
    for other in ["make docs", "make test", "make lint -k"] {
        assert!(propose(&run, other, Some(0.9)).adjustments.is_empty(), "{other}");
    }
}

#[test]
fn a_changed_outcome_an_edit_or_a_user_message_unblocks_the_call() {
    let edit = json!({"action": {"name": "edit", "args": {"path": "a"}}, "outcome": "ok"});
    for between in [sh("make lint", "1 warning"), edit, json!({"user": "again, please"})] {
        let mut run = RunDriver::new();
        run.repeat(6, &sh("make lint", "2 warnings"));
        assert!(!propose(&run, "make lint", Some(0.9)).accepted);
        run.see(&between);
        assert!(propose(&run, "make lint", Some(0.9)).adjustments.is_empty(), "{between}");
    }
}

#[test]
fn a_call_that_keeps_returning_is_penalized() {
    let mut run = RunDriver::only(&[RECURRENCE]);
    for n in [0, 1, 2, 3, 1, 0, 2, 3, 2, 0, 2] {
        run.see(&sh(&format!("cat f{n}"), &format!("text {n}")));
    }
    let again = propose(&run, "cat f2", Some(0.9));
    assert!(near(again.score, 0.3));
    assert_eq!(again.adjustments[0].reason, "was done 4 times before, each time with the same outcome");
    assert!(propose(&run, "cat f0", Some(0.9)).adjustments.is_empty(), "three times are not a loop yet");
    assert!(propose(&run, "cat f9", Some(0.9)).accepted);
    run.see(&sh("cat f2", "another text"));
    assert!(propose(&run, "cat f2", Some(0.9)).adjustments.is_empty(), "its outcome changed");
}

#[test]
fn a_known_call_is_penalized_if_the_run_reports_progress_and_makes_none() {
    let played = |score: Option<u64>| {
        let mut run = RunDriver::only(&[RECURRENCE]);
        for n in [0, 1, 2, 3, 4, 1, 3, 0, 2, 4, 3, 1, 4, 0, 2, 1, 4, 3] {
            let mut step = sh(&format!("examine thing {n}"), &format!("Nothing special about thing {n}."));
            if let Some(score) = score {
                step["score"] = json!(score);
            }
            run.see(&step);
        }
        run
    };
    let game = played(Some(10));
    let known = propose(&game, "examine thing 0", Some(0.9));
    assert!(!known.accepted, "{known:?}");
    assert_eq!(
        known.adjustments[0].reason,
        "was done before with the same outcome, as were most of the last calls"
    );
    assert!(propose(&game, "examine thing 7", Some(0.9)).accepted, "a new call is not penalized");
    assert!(propose(&played(None), "examine thing 0", Some(0.9)).accepted, "its progress is unknown");
}

fn refused_things(run: &mut RunDriver, tries: usize) {
    let verbs = ["open", "push", "pull", "kick", "pry", "lift", "shake", "break", "hit", "ring"];
    for verb in &verbs[..tries] {
        run.see(&json!({"action": format!("{verb} grating"), "outcome": "You can't do that.", "place": "Clearing"}));
    }
}

#[test]
fn another_attempt_at_a_failing_target_is_penalized_and_a_look_is_not() {
    let mut run = RunDriver::only(&[TARGET]);
    refused_things(&mut run, 4);
    let ruling = run.weigh("bite the grating", 0.9);
    assert!(near(ruling.score, 0.3) && !ruling.accepted);
    assert_eq!(ruling.adjustments[0].reason, "tries \"grating\" again, which failed 4 times since turn 1");
    assert!(run.weigh("examine grating", 0.9).adjustments.is_empty());
    assert!(run.weigh("open door", 0.9).adjustments.is_empty());
}

#[test]
fn a_loop_is_penalized_once_if_several_detectors_report_it() {
    let mut run = RunDriver::new();
    run.repeat(7, &json!({"action": "open grating", "outcome": "It is locked."}));
    let ruling = run.weigh("open grating", 1.0);
    let seen: Vec<_> = ruling.adjustments.iter().map(|a| (a.detector, a.enforced)).collect();
    assert_eq!(seen, [(CYCLE, true), (TARGET, false), (RECURRENCE, false)]);
    assert!(near(ruling.raw, 0.4) && near(ruling.score, 0.4));
}

#[test]
fn penalties_for_places_come_first_and_the_score_is_clamped_after_each() {
    let mut run = RunDriver::with(config(json!({"novelty": {"mode": "off"}})));
    for _ in 0..2 {
        run.see(&json!({"action": "north", "place": "Lobby"}));
        run.see(&json!({"action": "south", "place": "Dam"}));
    }
    run.repeat(4, &json!({"action": "north", "place": "Dam", "outcome": "The door is shut."}));
    let ruling = run.weigh("north", 0.9);
    let order: Vec<_> = ruling.adjustments.iter().map(|a| a.detector).collect();
    assert_eq!(order.last(), Some(&CYCLE), "{order:?}");
    assert_eq!(order[0], DetectorName::Oscillation);
    assert!(ruling.raw < 0.0 && near(ruling.score, 0.0));
}

#[test]
fn without_a_score_a_warned_loop_is_accepted_and_a_hard_one_is_refused() {
    for penalty in [-0.1, -0.6, -1.0] {
        let mut run = RunDriver::with(config(json!({"policy": {"repeat_penalty": penalty}})));
        run.repeat(4, &sh("make lint", "2 warnings"));
        let warned = propose(&run, "make lint", None);
        assert!(warned.accepted && warned.score >= 0.5 && warned.score < 1.0, "{}", warned.score);
        assert_eq!(warned.intervention, Some(Intervention::Penalize));
        run.repeat(4, &sh("make lint", "2 warnings"));
        let hard = propose(&run, "make lint", None);
        assert!(!hard.accepted && near(hard.score, 0.0) && near(hard.base, 1.0));
        assert_eq!(hard.intervention, Some(Intervention::Reject));
        assert_eq!(hard.adjustments[0].reason, "was done 8 times in a row with the same outcome");
    }
}

#[test]
fn repeating_a_refused_call_gives_a_warning_and_then_a_hard_finding() {
    let mut run = RunDriver::only(&[CYCLE]);
    run.repeat(8, &sh("make lint", "2 warnings"));
    let mut insists = sh("make lint", "");
    insists.as_object_mut().map(|record| record.remove("outcome"));
    insists["refused"] = json!(true);
    let first = run.see(&insists);
    assert_eq!(
        (first.findings[0].pattern, first.findings[0].severity),
        (Pattern::RefusedRepeat, Severity::Warn)
    );
    assert!(first.advice[0].text.contains("was done 8 times in a row"), "{}", first.advice[0].text);
    let second = run.see(&insists);
    assert_eq!(second.findings[0].severity, Severity::Hard);
    assert_eq!(second.findings[0].intervention, Some(Intervention::Reject));
    assert!(!propose(&run, "make lint", None).accepted, "still refused");
}

#[test]
fn an_allow_rule_and_observe_mode_prevent_the_penalty() {
    let mut run = RunDriver::with(config(json!({"allow": [{"tool": "bash", "args": "*lint*"}]})));
    run.repeat(9, &sh("make lint", "2 warnings"));
    assert!(propose(&run, "make lint", None).adjustments.is_empty());
    let mut run = RunDriver::with(config(json!({"mode": "observe"})));
    run.repeat(9, &sh("make lint", "2 warnings"));
    let ruling = propose(&run, "make lint", None);
    assert!(ruling.accepted && near(ruling.score, 1.0));
    assert!(!ruling.adjustments.is_empty() && ruling.adjustments.iter().all(|a| !a.enforced));
}

#[test]
fn the_profile_documents_has_no_repeat_penalty() {
    let mut run = RunDriver::with(config_of(Profile::Documents, json!({})));
    run.repeat(12, &sh("make lint", "2 warnings"));
    assert!(propose(&run, "make lint", Some(0.9)).adjustments.is_empty());
}

#[test]
fn a_replay_weighs_steps_that_a_critic_scored() {
    let mut run = RunDriver::only(&[CYCLE]);
    let mut scored = sh("make lint", "2 warnings");
    scored["critic"] = json!({"score": 0.9});
    run.repeat(3, &scored);
    let ruling = run.see(&scored).ruling.clone().expect("it was scored");
    assert!(near(ruling.score, 0.3) && !ruling.accepted);
    let events = run.events("loop_penalty_applied");
    assert_eq!((&events[0]["base_score"], events.len()), (&json!(0.9), 1));
    assert!(
        events[0]["reason"].as_str().is_some_and(|text| text.starts_with("cycle -0.6 (was done 3 times"))
    );
}

#[test]
fn the_repeat_penalty_must_be_negative() {
    for (value, valid) in [(-1.0, true), (-0.6, true), (0.0, false), (0.1, false), (-1.1, false)] {
        let settings = crate::steps::settings_of(Profile::Auto, json!({"policy": {"repeat_penalty": value}}));
        assert_eq!(loopbreak::Config::new(settings).is_ok(), valid, "{value}");
    }
}

#[test]
fn the_eighth_identical_call_is_refused_before_it_is_made_and_the_seventh_is_not() {
    for detector in [CYCLE, RECURRENCE] {
        let mut run = RunDriver::only(&[detector]);
        run.repeat(6, &sh("make lint", "2 warnings"));
        assert!(propose(&run, "make lint", None).accepted, "the seventh: {detector}");
        run.see(&sh("make lint", "2 warnings"));
        let eighth = propose(&run, "make lint", None);
        assert_eq!((eighth.accepted, eighth.intervention), (false, Some(Intervention::Reject)), "{detector}");
        assert!(eighth.adjustments[0].reason.contains("7 times"), "{}", eighth.adjustments[0].reason);
        assert!(propose(&run, "make lint -k", None).accepted, "another call: {detector}");
    }
}

#[test]
fn with_other_limits_a_call_is_refused_at_its_limit_and_never_without_a_warning() {
    let mut run = RunDriver::with(config(
        json!({"cycle": {"warn_at": 2, "hard_at": 3}, "recurrence": {"mode": "off"}}),
    ));
    run.repeat(2, &sh("make lint", "2 warnings"));
    assert!(propose(&run, "make lint", None).accepted, "the warning comes at two, so two are made before");
    run.see(&sh("make lint", "2 warnings"));
    assert!(!propose(&run, "make lint", None).accepted);
}
