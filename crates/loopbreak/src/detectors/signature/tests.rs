//! Tests of `signature`. Document 004.

use crate::steps::{RunDriver, config, found, text_for};
use crate::verdict::{Audience, Decision};
use crate::{Config, DetectorName, Intervention, Pattern, Profile, Severity, Verdict};
use serde_json::json;

const SIGNATURE: DetectorName = DetectorName::Signature;
const SIMILARITY: DetectorName = DetectorName::Similarity;

fn outputs(run: &mut RunDriver, texts: &[&str]) {
    for text in texts {
        run.see(&json!({"outcome": text}));
    }
}

/// Returns the turns at which a run of outputs gave a hint and a hard finding of `signature`.
fn signatures(texts: &[&str]) -> (Vec<u64>, Vec<u64>) {
    let mut run = RunDriver::only(&[SIGNATURE]);
    outputs(&mut run, texts);
    (run.turns(SIGNATURE, Severity::Hint), run.turns(SIGNATURE, Severity::Hard))
}

#[test]
fn the_same_fix_three_times_is_a_loop() {
    let fix = "Fixed auth.ts - added null check";
    assert_eq!(signatures(&["Searched for 'x'", "Searched for 'y'", fix, fix, fix]), (vec![4], vec![5]));
}

#[test]
fn other_changes_to_the_same_file_are_not_a_loop() {
    let changes = [
        "Fixed auth.ts - added null check",
        "Fixed auth.ts - updated validation",
        "Fixed auth.ts - refactored handler",
    ];
    assert_eq!(signatures(&changes), (vec![], vec![]));
}

#[test]
fn a_falling_number_of_failures_is_not_a_loop() {
    let failures =
        ["3 tests failing - auth, login, logout", "2 tests failing - auth, login", "1 test failing - auth"];
    assert_eq!(signatures(&failures), (vec![], vec![]));
}

#[test]
fn the_same_error_at_another_line_is_the_same_error() {
    let error = |line: u32| format!("Error: TypeError - Cannot read property 'id' of null at auth.ts:{line}");
    let errors = [error(45), error(46), error(51)];
    assert_eq!(signatures(&[&errors[0], &errors[1], &errors[2]]), (vec![2], vec![3]));
    let mut run = RunDriver::only(&[SIGNATURE]);
    outputs(&mut run, &[&errors[0], &errors[1], &errors[2]]);
    let evidence = &run.findings(SIGNATURE)[1].evidence;
    assert_eq!(evidence.get("signature"), Some(&json!("error:TypeError-null-auth.ts").into()));
}

#[test]
fn two_identical_outputs_are_a_retry_and_not_a_loop() {
    let (hinted, hard) =
        signatures(&["2 failed: a.test.ts - login timeout", "2 failed: a.test.ts - login timeout"]);
    assert_eq!((hinted, hard), (vec![2], vec![]));
}

#[test]
fn the_sliding_window_of_004_a_b_a_a_a_is_a_loop_at_the_fifth() {
    let (a, b) = ("Fixed auth.ts - added null check", "Searched for 'oauth2'");
    assert_eq!(signatures(&[a, b, a, a, a]), (vec![4], vec![5]));
}

/// Returns the decisions about a loop of outputs. Other detectors may see one too: a message that is repeated is a chant.
fn about_outputs(verdict: &Verdict) -> Vec<&Decision> {
    let decisions = verdict.decisions.iter();
    decisions.filter(|decision| [SIGNATURE, SIMILARITY].contains(&decision.detector)).collect()
}

/// With all detectors on, the third equal output in a row is the first that a loop is called at, and `signature` calls it.
#[test]
fn the_sliding_window_of_004_holds_with_all_detectors_on() {
    let (a, b) = ("Fixed auth.ts - added null check", "Searched for 'oauth2'");
    for profile in [Profile::Auto, Profile::Iterations, Profile::Documents] {
        let mut run = RunDriver::with(Config::from(profile));
        outputs(&mut run, &[a, b, a, a]);
        for verdict in &run.verdicts {
            assert!(verdict.strongest() <= Some(Intervention::Warn), "{profile}: {:?}", verdict.decisions);
            assert!(about_outputs(verdict).iter().all(|decision| decision.intervention == Intervention::Hint));
        }
        outputs(&mut run, &[a]);
        let decisions = about_outputs(&run.verdicts[4]);
        assert_eq!(decisions.len(), 1, "{profile}: {decisions:?}");
        assert_eq!((decisions[0].detector, decisions[0].pattern), (SIGNATURE, Pattern::RepeatedSignature));
        assert!(decisions[0].intervention.ends_run(), "{profile}: {decisions:?}");
    }
}

/// The examples of 004 are about outputs of iterations, whatever detector reads them.
#[test]
fn the_examples_of_004_hold_with_all_detectors_on() {
    let fix = "Fixed auth.ts - added null check";
    let healthy: [&[&str]; 3] = [
        &[fix, "Fixed auth.ts - updated validation", "Fixed auth.ts - refactored handler"],
        &["3 tests failing - auth, login, logout", "2 tests failing - auth, login", "1 test failing - auth"],
        &["2 failed: a.test.ts - login timeout", "2 failed: a.test.ts - login timeout"],
    ];
    for profile in [Profile::Auto, Profile::Iterations, Profile::Documents] {
        let mut run = RunDriver::with(Config::from(profile));
        outputs(&mut run, &["Searched for 'x'", "Searched for 'y'", fix, fix]);
        let early: Vec<&Decision> = run.verdicts.iter().flat_map(about_outputs).collect();
        assert!(early.iter().all(|decision| !decision.intervention.ends_run()), "{profile}: {early:?}");
        outputs(&mut run, &[fix]);
        let decisions = about_outputs(&run.verdicts[4]);
        assert!(decisions[0].intervention.ends_run(), "{profile}: {decisions:?}");
        assert_eq!((decisions[0].detector, decisions.len()), (SIGNATURE, 1), "{profile}: {decisions:?}");
        for texts in healthy {
            let mut run = RunDriver::with(Config::from(profile));
            outputs(&mut run, texts);
            let strongest = run.verdicts.iter().filter_map(Verdict::strongest).max();
            assert!(strongest <= Some(Intervention::Hint), "{profile}: {texts:?}: {strongest:?}");
        }
    }
}

/// Both detectors see three equal outputs. The text, the events and the reason are those of `signature`, which names what
/// repeats; `similarity` says nothing more.
#[test]
fn signature_speaks_before_similarity() {
    for profile in [Profile::Auto, Profile::Iterations, Profile::Documents] {
        let mut run = RunDriver::with(Config::from(profile));
        let verdict = run.repeat(3, &json!({"outcome": "Fixed auth.ts - added null check"})).clone();
        let outputs = [SIGNATURE, SIMILARITY];
        let findings: Vec<_> =
            verdict.findings.iter().filter(|finding| outputs.contains(&finding.detector)).collect();
        assert_eq!((findings[0].detector, findings[1].detector), (SIGNATURE, SIMILARITY), "{profile}");
        assert_eq!(findings[0].loop_id, findings[1].loop_id, "{profile}");
        assert!(verdict.advice.iter().all(|advice| advice.detector != SIMILARITY), "{profile}: {:?}", verdict.advice);
        let text = text_for(&verdict.advice, Audience::User, SIGNATURE);
        assert!(text.contains("Signature: \"auth.ts:null-check\""), "{profile}: {text}");
        let told = run.events("loop_detected");
        assert!(told.iter().any(|event| event["signature"] == "auth.ts:null-check"), "{profile}: {told:?}");
        if profile == Profile::Iterations {
            assert_eq!(verdict.stop.unwrap().reason, Pattern::RepeatedSignature);
        } else {
            assert_eq!(run.events("escalation")[0]["signature"], "auth.ts:null-check", "{profile}");
        }
    }
}

/// Outputs that are alike without a common signature are for `similarity` alone.
#[test]
fn similarity_speaks_where_signatures_differ() {
    let mut run = RunDriver::new();
    for end in ["one", "two", "six"] {
        let text = format!("{end} looks at the parser again and thinks the lexer is at fault, as before");
        run.see(&json!({"outcome": text}));
    }
    let decisions = about_outputs(&run.verdicts[2]);
    assert_eq!(decisions.len(), 1, "{decisions:?}");
    assert_eq!((decisions[0].detector, decisions[0].intervention), (SIMILARITY, Intervention::Escalate));
}

#[test]
fn identical_signatures_can_be_counted_in_a_window_instead_of_in_a_row() {
    let (a, b, c) = ("Fixed auth.ts - added null check", "Searched for 'x'", "Searched for 'y'");
    let mut run = RunDriver::with(config(json!({"signature": {"window": 5}, "similarity": {"mode": "off"}})));
    outputs(&mut run, &[a, b, a, c, a]);
    assert_eq!(run.turns(SIGNATURE, Severity::Hard), [5]);
    assert_eq!(run.findings(SIGNATURE)[1].since, 1);
    let mut run = RunDriver::with(config(json!({"signature": {"window": 4}, "similarity": {"mode": "off"}})));
    outputs(&mut run, &[a, b, a, c, a]);
    assert!(run.turns(SIGNATURE, Severity::Hard).is_empty(), "the first is out of the window");
    assert_eq!(signatures(&[a, b, a, c, a]), (vec![], vec![]), "off by default");
}

#[test]
fn the_number_of_identical_signatures_can_be_set() {
    let fix = json!({"outcome": "Fixed auth.ts - added null check"});
    let mut run = RunDriver::with(config(
        json!({"signature": {"hard_at": 4, "hint_at": 0}, "similarity": {"mode": "off"}}),
    ));
    run.repeat(3, &fix);
    assert!(run.findings(SIGNATURE).is_empty());
    run.see(&fix);
    assert_eq!(run.turns(SIGNATURE, Severity::Hard), [4]);
}

#[test]
fn only_outputs_of_whole_iterations_are_read() {
    let reply = json!({"action": "bash", "outcome": "Fixed auth.ts - added null check"});
    let mut run = RunDriver::new();
    run.repeat(10, &reply);
    assert!(run.findings(SIGNATURE).is_empty() && run.findings(SIMILARITY).is_empty());
    let mut run =
        RunDriver::with(config(json!({"signature": {"scope": "all"}, "similarity": {"scope": "all"}})));
    run.repeat(3, &reply);
    assert!(!run.findings(SIGNATURE).is_empty() && !run.findings(SIMILARITY).is_empty());
}

#[test]
fn a_user_turn_ends_the_streak() {
    let fix = json!({"outcome": "Fixed auth.ts - added null check"});
    let mut run = RunDriver::new();
    run.repeat(2, &fix);
    run.see(&json!({"user": "go on"}));
    run.repeat(1, &fix);
    for detector in [SIGNATURE, SIMILARITY] {
        assert!(run.turns(detector, Severity::Hard).is_empty(), "{detector}");
        assert_eq!(run.findings(detector).len(), 1);
    }
}

#[test]
fn a_step_without_an_output_neither_counts_nor_ends_a_streak() {
    let fix = json!({"outcome": "Fixed auth.ts - added null check"});
    let mut run = RunDriver::only(&[SIGNATURE]);
    for _ in 0..3 {
        run.see(&fix);
        run.see(&json!({"say": "hm"}));
        run.see(&json!({"outcome": "  "}));
    }
    assert_eq!(run.turns(SIGNATURE, Severity::Hard), [7]);
}

#[test]
fn each_agent_is_judged_by_its_own_outputs() {
    let mut run = RunDriver::new();
    for agent in ["a", "b", "c"] {
        run.see(&json!({"agent": agent, "outcome": "Fixed auth.ts - added null check"}));
    }
    assert!(run.findings(SIGNATURE).is_empty() && run.findings(SIMILARITY).is_empty());
}

#[test]
fn a_loop_is_escalated_with_pattern_signature_history_and_three_options() {
    let mut run = RunDriver::new();
    for turn in 0..4 {
        run.see(&json!({"say": format!("thinking {turn}")}));
    }
    let verdict = run.repeat(3, &json!({"outcome": "Fixed auth.ts - added null check"}));
    assert_eq!(found(verdict, SIGNATURE), [(Pattern::RepeatedSignature, Severity::Hard)]);
    let text = text_for(&verdict.advice, Audience::User, SIGNATURE);
    for part in [
        "same output signature 3 times",
        r#"Signature: "auth.ts:null-check""#,
        r#"- Iteration 5: "Fixed auth.ts - added null check""#,
        r#"- Iteration 7: "Fixed auth.ts - added null check" ← Loop detected"#,
        "1. Continue with another approach",
        "2. Review",
        "3. Cancel",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    let told = text_for(&verdict.advice, Audience::Agent, SIGNATURE);
    assert!(told.contains("Try a different one"), "{told}");
    assert_eq!(
        run.events("escalation")[0]["options"],
        json!(["continue_with_another_approach", "review", "cancel"])
    );
}

#[test]
fn a_loop_is_reported_without_waiting_for_other_guards() {
    let patch = json!({"budget": {"max_iterations": 100}});
    let mut run = RunDriver::with(crate::steps::config_of(loopbreak::Profile::Iterations, patch));
    run.repeat(3, &json!({"outcome": "Fixed auth.ts - added null check"}));
    assert_eq!(run.stops(), [3]);
    assert_eq!(run.verdicts[2].stop.as_ref().unwrap().reason, "repeated_signature");
}
