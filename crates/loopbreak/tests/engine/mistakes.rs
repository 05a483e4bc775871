//! Mistakes of the original systems, each as a test. The last one, "loop detected, exit code 0", concerns the
//! command line: `crates/loopbreak-cli/tests/cli/analyze.rs`.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use crate::steps::{RunDriver, config, near, step, text_for};
use loopbreak::advice::TEMPLATES;
use loopbreak::{DetectorName, Guard, Intervention, Severity, verdict::Audience};
use serde_json::{Value, json};

fn go(run: &mut RunDriver, way: &str, place: &str) {
    run.see(&json!({"action": way, "place": place}));
}

fn attempt(status: &str, blockers: &[&str], work: &[&str]) -> Value {
    json!({"task": {"id": "T1", "status": status, "blockers": blockers, "work": work}})
}

#[test]
fn mistake_01_the_lowered_score_is_the_score_that_decides() {
    let mut run = RunDriver::only(&[DetectorName::Revisit]);
    for (way, place) in [("look", "A"), ("north", "B"), ("south", "A"), ("north", "B"), ("south", "A")] {
        go(&mut run, way, place);
    }
    let ruling = run.weigh("north", 0.8);
    assert!(near(ruling.score, 0.4) && !ruling.accepted, "0.8 - 0.4 is below 0.5");
    // No second rule accepts a low score: the lower the score, the less it is accepted.
    for base in [0.0, 0.1, 0.3, 0.49, 0.6, 0.89] {
        assert!(!run.weigh("north", base).accepted, "{base}");
    }
    assert!(run.weigh("north", 0.95).accepted);
}

#[test]
fn mistake_02_a_proposal_is_penalized_for_its_destination_not_for_the_current_place() {
    let mut run = RunDriver::new();
    go(&mut run, "look", "Attic");
    go(&mut run, "down", "Kitchen");
    run.repeat(10, &json!({"action": "wait", "place": "Kitchen"}));
    for command in ["examine lamp", "take lamp", "east", "up"] {
        let ruling = run.weigh(command, 0.8);
        assert!(ruling.adjustments.is_empty() && ruling.accepted, "{command}");
    }
}

#[test]
fn mistake_03_the_countdown_never_reaches_zero_before_the_stop() {
    let mut run = RunDriver::with(config(json!({
        "policy": {"repeat_advice": true}, "advice": {"texts": {"stagnation": "{turns_left}"}},
    })));
    // Progress at turn 3: 40 turns stuck at turn 43, stopped at the check of turn 50.
    run.repeat(2, &json!({"score": 1}));
    run.repeat(48, &json!({"score": 2}));
    let shown: Vec<(u64, String)> = run
        .verdicts
        .iter()
        .map(|verdict| (verdict.turn, text_for(&verdict.advice, Audience::Agent, DetectorName::Stagnation)))
        .filter(|(_, text)| !text.is_empty())
        .collect();
    assert_eq!(shown.len(), 27, "from 23 to 49");
    assert!(shown.iter().all(|(turn, left)| turn + left.parse::<u64>().unwrap() == 50), "{shown:?}");
    assert_eq!(run.stops(), [50]);
}

#[test]
fn mistake_04_one_objective_resets_the_timer_only_once() {
    // The record stays in the log, as in the original. Some logs keep it as a plain string.
    for objective in [json!({"objective": "a", "completed_turn": 1}), json!("a")] {
        let mut run = RunDriver::new();
        run.repeat(50, &json!({"score": 1, "objectives": {"completed": [objective]}}));
        assert_eq!(run.turns(DetectorName::Stagnation, Severity::Warn)[0], 21);
        assert_eq!(run.stops(), [50], "not at turn 80");
    }
}

#[test]
fn mistake_05_score_change_has_the_old_score() {
    let mut run = RunDriver::new();
    for score in [10, 35, 30] {
        run.see(&json!({"score": score}));
    }
    let changes: Vec<_> = run
        .events("score_change")
        .into_iter()
        .map(|event| (event["old_score"].clone(), event["new_score"].clone()))
        .collect();
    assert_eq!(changes, [(json!(10), json!(35)), (json!(35), json!(30))]);
}

#[test]
fn mistake_06_no_default_text_mentions_death_and_endings_are_marked() {
    for template in TEMPLATES {
        let words = template.neutral.to_lowercase();
        assert!(
            !words.split(|c: char| !c.is_alphabetic()).any(|word| ["die", "death", "dead"].contains(&word))
        );
    }
    let mut run = RunDriver::new();
    let verdict = run.repeat(40, &json!({"score": 1}));
    assert_eq!(verdict.stop.as_ref().unwrap().ending.as_str(), "loop_break");
    assert_eq!(run.events("stuck_termination")[0]["ending"], "loop_break");
}

#[test]
fn mistake_07_the_guard_itself_calls_the_task_detector() {
    let mut guard = Guard::new(loopbreak::Config::default());
    let mut acts = Vec::new();
    for _ in 0..3 {
        let verdict = guard.observe(&step(&attempt("done", &[], &["Implemented dashboard.tsx"])));
        acts.extend(verdict.decisions.into_iter().map(|act| act.intervention));
    }
    assert_eq!(acts, [Intervention::ForceNext]);
}

#[test]
fn mistake_08_an_escalation_keeps_the_history_and_authority_is_granted_once() {
    let mut run = RunDriver::new();
    run.repeat(5, &attempt("in_progress", &[], &["Read file A"]));
    assert_eq!(
        run.decisions(DetectorName::Task),
        [(3, Intervention::Escalate), (5, Intervention::ForceNext)]
    );
    let mut run = RunDriver::new();
    run.repeat(40, &attempt("blocked", &["no network"], &[]));
    let grants = run
        .decisions(DetectorName::Task)
        .into_iter()
        .filter(|(_, act)| *act == Intervention::UnblockAuthority);
    assert_eq!(grants.count(), 1);
}

#[test]
fn mistake_09_a_constant_blocker_with_growing_work_is_not_a_loop() {
    let mut run = RunDriver::new();
    for part in 0..12 {
        run.see(&attempt("blocked", &["waiting for review"], &[&format!("part {part}")]));
    }
    assert!(run.findings(DetectorName::Task).is_empty());
}

#[test]
fn mistake_10_examples_of_healthy_outputs_are_not_loops() {
    for outputs in [
        [
            "Fixed auth.ts - added null check",
            "Fixed auth.ts - updated validation",
            "Fixed auth.ts - refactored handler",
        ],
        ["3 tests failing - auth, login, logout", "2 tests failing - auth, login", "1 test failing - auth"],
    ] {
        let mut run = RunDriver::new();
        for output in outputs {
            run.see(&json!({"outcome": output}));
        }
        assert!(run.findings(DetectorName::Signature).is_empty(), "{outputs:?}");
        assert!(run.turns(DetectorName::Similarity, Severity::Hard).is_empty(), "{outputs:?}");
    }
}

#[test]
fn mistake_11_the_similarity_guard_is_enabled_by_default() {
    let mut run = RunDriver::new();
    for end in ["one", "two", "six"] {
        run.see(&json!({"outcome": format!("I looked at the parser again and think the lexer is at fault, try {end}")}));
    }
    assert_eq!(run.turns(DetectorName::Similarity, Severity::Hard), [3]);
}

#[test]
fn mistake_12_the_event_that_the_engine_emits_has_the_documented_keys() {
    let mut run = RunDriver::new();
    run.repeat(40, &json!({"score": 10}));
    let event = run.events("stuck_termination").remove(0);
    for (key, value) in [("turn", 40), ("turns_stuck", 40), ("max_turns_stuck", 40)] {
        assert_eq!(event[key], json!(value), "{key}");
    }
    assert_eq!((&event["event_type"], &event["score"]), (&json!("stuck_termination"), &json!(10)));
}

#[test]
fn mistake_13_a_healthy_run_of_many_tasks_continues_and_a_b_a_b_is_found() {
    let mut run = RunDriver::new();
    for round in 0..10 {
        for id in ["T1", "T2", "T3"] {
            run.see(
                &json!({"task": {"id": id, "status": "in_progress", "work": [format!("{id} part {round}")]}}),
            );
        }
    }
    assert!(run.verdicts.iter().all(|verdict| verdict.findings.is_empty()));
    let mut run = RunDriver::new();
    run.walk(&["A", "B", "A", "B"]);
    assert_eq!(run.findings(DetectorName::Oscillation).len(), 1);
    // The complaint is about the outputs of iterations.
    let (a, b) = ("I will look at the parser first.", "Now the lexer: it has no tests at all.");
    let mut run = RunDriver::new();
    for output in [a, b, a, b] {
        run.see(&json!({"outcome": output}));
    }
    assert_eq!(run.turns(DetectorName::Similarity, Severity::Hard), [4]);
    assert_eq!(run.verdicts[3].strongest(), Some(Intervention::Escalate));
}

#[test]
fn mistake_14_a_warned_loop_is_not_warned_of_every_turn_and_is_escalated() {
    let mut run = RunDriver::new();
    run.repeat(40, &json!({"outcome": "Fixed auth.ts - added null check"}));
    let acts = run.decisions(DetectorName::Signature);
    assert!(acts.len() < 8, "not on every turn: {acts:?}");
    assert!(acts.iter().any(|(_, act)| *act == Intervention::Escalate), "not only a warning");
    // It returns after a change: tolerated once, then acted on again.
    run.see(&json!({"outcome": "Searched for 'x'"}));
    let before = acts.len();
    run.repeat(3, &json!({"outcome": "Fixed auth.ts - added null check"}));
    assert_eq!(run.decisions(DetectorName::Signature).len(), before + 1);
}

#[test]
fn mistake_15_a_loop_is_a_hard_finding_that_a_caller_can_fail_on() {
    // The exit code itself is tested with the command line.
    let mut run = RunDriver::new();
    run.repeat(3, &json!({"outcome": "Fixed auth.ts - added null check"}));
    assert!(
        run.verdicts
            .iter()
            .flat_map(|verdict| &verdict.findings)
            .any(|found| found.severity == Severity::Hard)
    );
    assert_eq!(run.verdicts[2].strongest(), Some(Intervention::Escalate));
}
