//! The policy: modes, the ladder, one decision per intervention, the half-open breaker.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use crate::steps::{RunDriver, config, found, near, text_for};
use loopbreak::verdict::LoopId;
use loopbreak::{DetectorName, Intervention, Severity, verdict::Audience};
use serde_json::{Value, json};

const CAMPING: DetectorName = DetectorName::Camping;
const OSCILLATION: DetectorName = DetectorName::Oscillation;
const SIGNATURE: DetectorName = DetectorName::Signature;
const STAGNATION: DetectorName = DetectorName::Stagnation;
use Intervention::{Escalate, Hint, Penalize, Reject, Stop, Warn};

fn output(text: &str) -> Value {
    json!({"outcome": text})
}

/// Returns settings without `similarity`, so that only `signature` reports a repeated output.
fn signatures(mut patch: Value) -> RunDriver {
    patch["similarity"] = json!({"mode": "off"});
    RunDriver::with(config(patch))
}

const FIX: &str = "Fixed auth.ts - added null check";

#[test]
fn a_guard_that_is_off_only_counts_turns() {
    let mut run = RunDriver::with(config(json!({"mode": "off"})));
    for _ in 0..50 {
        let verdict = run.see(&json!({"score": 1, "place": "A", "outcome": {"text": FIX, "error": true}}));
        assert!(verdict.findings.is_empty() && verdict.events.is_empty() && verdict.advice.is_empty());
    }
    assert_eq!(run.guard.turn(), 50);
    assert!(run.weigh("north", 0.9).adjustments.is_empty());
}

#[test]
fn a_guard_that_observes_reports_everything_and_does_nothing() {
    let record = json!({"score": 1, "place": "A", "outcome": {"text": FIX, "error": true}});
    let mut enforcing = RunDriver::new();
    enforcing.repeat(60, &record);
    let mut run = RunDriver::with(config(json!({"mode": "observe"})));
    run.repeat(60, &record);
    assert!(run.stops().is_empty() && !enforcing.stops().is_empty());
    for detector in DetectorName::ALL {
        let turns =
            |run: &RunDriver| run.findings(*detector).iter().map(|found| found.turn).collect::<Vec<_>>();
        assert_eq!(turns(&run), turns(&enforcing), "{detector}");
        assert!(run.findings(*detector).iter().all(|finding| !finding.enforced));
    }
    for verdict in &run.verdicts {
        assert!(verdict.decisions.iter().all(|act| !act.enforced) && verdict.strongest().is_none());
        assert!(verdict.advice.is_empty() && verdict.context.is_empty() && verdict.tasks.is_empty());
    }
    assert!(run.verdicts.iter().any(|verdict| verdict.decisions.iter().any(|act| act.intervention == Stop)));
}

#[test]
fn one_detector_can_observe_while_the_others_act() {
    let mut run = RunDriver::with(config(json!({"oscillation": {"mode": "observe"}})));
    for _ in 0..2 {
        run.see(&json!({"action": "north", "place": "B"}));
        run.see(&json!({"action": "south", "place": "A"}));
    }
    assert!(run.findings(OSCILLATION).iter().all(|finding| !finding.enforced));
    let ruling = run.weigh("north", 0.9);
    assert!(!ruling.adjustments[0].enforced && ruling.adjustments[1].enforced);
    assert!(near(ruling.score, 0.5) && near(ruling.raw, 0.5), "only the revisit counts: {}", ruling.score);
}

#[test]
fn without_penalize_scores_do_not_change() {
    let mut run = RunDriver::with(config(json!({"policy": {"ladder": {"penalize": false}}})));
    for _ in 0..2 {
        run.see(&json!({"action": "north", "place": "B"}));
        run.see(&json!({"action": "south", "place": "A"}));
    }
    let ruling = run.weigh("north", 0.9);
    assert!(near(ruling.score, 0.9) && ruling.accepted && ruling.intervention.is_none());
    assert!(
        !ruling.adjustments.is_empty() && ruling.adjustments.iter().all(|adjustment| !adjustment.enforced)
    );
}

#[test]
fn without_reject_a_proposal_is_penalized_and_accepted() {
    let mut run = RunDriver::with(config(json!({"policy": {"ladder": {"reject": false}}})));
    for _ in 0..2 {
        run.see(&json!({"action": "north", "place": "B"}));
        run.see(&json!({"action": "south", "place": "A"}));
    }
    let ruling = run.weigh("north", 0.9);
    assert!(ruling.score < 0.5 && ruling.accepted);
    assert_eq!(ruling.intervention, Some(Penalize));
    assert!(!run.weigh("north", 0.4).accepted, "the critic refuses it");
}

#[test]
fn without_hint_there_are_no_hints() {
    let mut run = RunDriver::with(config(json!({"policy": {"ladder": {"hint": false}}})));
    run.see(&json!({"action": "look", "place": {"id": 1, "exits": ["north"]}}));
    assert!(run.weigh("look", 0.9).hints.is_empty());
    run.walk(&["A", "B", "A"]);
    assert!(run.decisions(DetectorName::Revisit).is_empty());
    assert!(!run.findings(DetectorName::Revisit).is_empty(), "still reported");
}

#[test]
fn a_disabled_intervention_is_replaced_by_a_milder_one() {
    for (off, act) in [(json!({"stop": false}), Escalate), (json!({"stop": false, "escalate": false}), Warn)]
    {
        let mut run = RunDriver::with(config(json!({"policy": {"ladder": off}})));
        run.repeat(40, &json!({"score": 1}));
        let last = run.verdicts.last().unwrap();
        assert!(last.stop.is_none());
        assert_eq!(last.findings[0].intervention, Some(act));
    }
}

#[test]
fn the_reaction_to_a_repeated_output_can_be_set() {
    for (on_loop, act, stops) in [("escalate", Escalate, 0), ("stop", Stop, 1), ("advise", Warn, 0)] {
        let mut run = signatures(json!({"policy": {"on_loop": on_loop}}));
        run.repeat(3, &output(FIX));
        assert_eq!(run.decisions(SIGNATURE), [(2, Hint), (3, act)]);
        assert_eq!(run.stops().len(), stops);
    }
}

#[test]
fn each_intervention_is_made_once_per_loop_and_again_only_when_it_worsens() {
    let mut run = signatures(json!({}));
    run.repeat(12, &output(FIX));
    assert_eq!(run.decisions(SIGNATURE), [(2, Hint), (3, Escalate), (6, Escalate), (12, Escalate)]);
}

#[test]
fn after_three_other_steps_one_repeat_is_tolerated_and_the_next_opens_the_breaker_again() {
    let mut run = signatures(json!({}));
    run.repeat(3, &output(FIX));
    for other in ["Searched for 'a'", "Searched for 'b'", "Searched for 'c'"] {
        run.see(&output(other));
    }
    run.repeat(3, &output(FIX));
    assert_eq!(run.decisions(SIGNATURE), [(2, Hint), (3, Escalate), (9, Escalate)], "8 is tolerated");
}

#[test]
fn after_a_user_turn_one_repeat_is_tolerated_and_the_next_opens_the_breaker_again() {
    let mut run = signatures(json!({}));
    run.repeat(3, &output(FIX));
    run.see(&json!({"user": "go on"}));
    run.repeat(3, &output(FIX));
    assert_eq!(run.decisions(SIGNATURE), [(2, Hint), (3, Escalate), (7, Escalate)]);
}

#[test]
fn after_a_user_message_camping_is_tolerated_once_and_then_gives_a_warning() {
    let mut run = RunDriver::new();
    run.repeat(5, &json!({"place": "Dam"}));
    run.see(&json!({"user": "stay there"}));
    run.repeat(2, &json!({"place": "Dam"}));
    assert_eq!(run.decisions(CAMPING), [(5, Warn), (8, Warn)], "7 is tolerated");
}

#[test]
fn after_a_changed_outcome_one_repeat_is_tolerated_and_the_next_opens_the_breaker_again() {
    let mut run = signatures(json!({}));
    run.repeat(3, &output(FIX));
    run.see(&output("Searched for 'a'"));
    run.repeat(3, &output(FIX));
    assert_eq!(run.decisions(SIGNATURE), [(2, Hint), (3, Escalate), (7, Escalate)]);
}

#[test]
fn a_breaker_that_opens_again_has_a_reason_and_advice() {
    let mut run = RunDriver::new();
    run.repeat(5, &json!({"place": "Dam"}));
    run.walk(&["A", "B", "C", "D"]);
    for step in 0..4 {
        run.walk(&["Dam"]);
        run.walk(&[["E", "F", "G", "H"][step]]);
    }
    run.walk(&["Dam", "Dam", "Dam"]);
    let acts =
        run.verdicts[5..].iter().flat_map(|verdict| &verdict.decisions).filter(|act| act.detector == CAMPING);
    let acts: Vec<_> = acts.collect();
    assert!(!acts.is_empty());
    assert!(acts.iter().all(|act| act.reason.contains("turns at \"Dam\"")), "{acts:?}");
    for verdict in
        run.verdicts.iter().filter(|verdict| verdict.decisions.iter().any(|act| act.detector == CAMPING))
    {
        let text = text_for(&verdict.advice, Audience::Agent, CAMPING);
        assert!(text.contains("turns at \"Dam\""), "turn {}: {text:?}", verdict.turn);
    }
}

#[test]
fn overlapping_findings_of_places_have_one_loop_id() {
    let mut run = RunDriver::new();
    for _ in 0..6 {
        run.walk(&["A", "B"]);
    }
    let warned: Vec<LoopId> = [OSCILLATION, CAMPING]
        .into_iter()
        .flat_map(|detector| run.findings(detector))
        .map(|finding| finding.loop_id)
        .collect();
    assert!(warned.len() > 2 && warned.iter().all(|id| *id == warned[0]), "{warned:?}");
}

#[test]
fn a_verdict_names_the_loops_of_its_step_while_they_continue() {
    let mut run = RunDriver::new();
    let same = json!({"action": "look", "outcome": "It is dark."});
    run.repeat(5, &same);
    let id = run.findings(DetectorName::Cycle)[0].loop_id;
    assert!(run.verdicts[0].sighted.is_empty(), "one call is not a loop");
    for verdict in &run.verdicts[2..] {
        assert!(verdict.sighted.contains(&id), "turn {}", verdict.turn);
    }
    assert!(run.verdicts[4].findings.is_empty(), "not news, but still listed");
    let left = run.see(&json!({"action": "light the lamp", "outcome": "It is bright now."}));
    assert!(left.sighted.is_empty());
}

#[test]
fn findings_that_do_not_overlap_are_two_loops() {
    let mut run = RunDriver::new();
    run.walk(&["A", "B", "A", "B"]);
    for id in 0..20 {
        run.walk(&[format!("room {id}").as_str()]);
    }
    run.walk(&["C", "D", "C", "D"]);
    let found = run.findings(OSCILLATION);
    assert_eq!(found.len(), 2);
    assert_ne!(found[0].loop_id, found[1].loop_id);
}

#[test]
fn a_rejected_proposal_does_not_stop_the_run() {
    let mut run = RunDriver::new();
    for _ in 0..2 {
        run.see(&json!({"action": "north", "place": "B"}));
        run.see(&json!({"action": "south", "place": "A"}));
    }
    let verdict = run.see(&json!({"action": "north", "critic": {"score": 0.9}, "refused": true}));
    assert_eq!(verdict.strongest(), Some(Reject));
    assert!(verdict.stop.is_none());
}

#[test]
fn a_hard_finding_names_its_intervention() {
    let mut run = signatures(json!({}));
    run.repeat(40, &json!({"score": 1, "outcome": FIX}));
    for detector in DetectorName::ALL {
        for finding in run.findings(*detector) {
            assert!(finding.severity < Severity::Hard || finding.intervention.is_some(), "{finding:?}");
        }
    }
    assert_eq!(run.findings(STAGNATION).last().and_then(|finding| finding.intervention), Some(Stop));
}

#[test]
fn an_allowed_action_is_never_reported_as_a_repeat() {
    let mut run = RunDriver::with(config(json!({"allow": [{"tool": "bash_output", "args": "*job1*"}]})));
    let poll = json!({"action": {"name": "bash_output", "args": {"id": "job1"}}, "critic": {"score": 0.9}});
    run.repeat(10, &poll);
    assert!(run.findings(DetectorName::Novelty).is_empty());
    let mut run = RunDriver::new();
    run.repeat(10, &poll);
    assert!(!run.findings(DetectorName::Novelty).is_empty());
}

#[test]
fn the_profile_of_the_documents_gives_standing_advice_on_every_turn() {
    let mut run = RunDriver::with(loopbreak::Config::from(loopbreak::Profile::Documents));
    run.repeat(39, &json!({"score": 1}));
    let advised = run
        .verdicts
        .iter()
        .filter(|verdict| !text_for(&verdict.advice, Audience::Agent, STAGNATION).is_empty());
    assert_eq!(advised.map(|verdict| verdict.turn).collect::<Vec<_>>(), (20..=39).collect::<Vec<_>>());
    let mut once = RunDriver::new();
    once.repeat(39, &json!({"score": 1}));
    let advised = once.verdicts.iter().filter(|verdict| !verdict.advice.is_empty());
    assert_eq!(
        advised.map(|verdict| verdict.turn).collect::<Vec<_>>(),
        [20, 30, 35],
        "when it gets more urgent"
    );
    assert_eq!(found(&once.verdicts[29], STAGNATION).len(), 1);
}
