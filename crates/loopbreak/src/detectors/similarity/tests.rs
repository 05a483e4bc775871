//! Tests of `similarity`. Document 004.

use crate::steps::{RunDriver, config};
use crate::{DetectorName, Intervention, Severity};
use serde_json::json;

const SIMILARITY: DetectorName = DetectorName::Similarity;

fn outputs(run: &mut RunDriver, texts: &[&str]) {
    for text in texts {
        run.see(&json!({"outcome": text}));
    }
}

/// Returns a text of 100 characters of which the first `n` differ from those of the others.
fn text(differing: usize, with: char) -> String {
    let tail: String = ('a'..='z').cycle().take(100 - differing).collect();
    with.to_string().repeat(differing) + &tail
}

#[test]
fn a_similarity_of_0_90_is_a_match_and_0_89_is_not() {
    for (differing, matches) in [(10, 1), (11, 0)] {
        let mut run = RunDriver::only(&[SIMILARITY]);
        outputs(&mut run, &[&text(differing, '1'), &text(differing, '2')]);
        assert_eq!(run.findings(SIMILARITY).len(), matches, "{differing} of 100 characters differ");
    }
}

#[test]
fn the_first_match_is_a_hint_and_the_second_in_a_row_is_hard() {
    let mut run = RunDriver::only(&[SIMILARITY]);
    outputs(&mut run, &[&text(5, '1'), &text(5, '2'), &text(5, '3')]);
    assert_eq!(run.turns(SIMILARITY, Severity::Hint), [2]);
    assert_eq!(run.turns(SIMILARITY, Severity::Hard), [3]);
    assert_eq!(run.decisions(SIMILARITY), [(2, Intervention::Hint), (3, Intervention::Escalate)]);
    let evidence = &run.findings(SIMILARITY)[1].evidence;
    assert_eq!(evidence.get("similarity"), Some(&json!(0.95).into()));
}

#[test]
fn three_identical_outputs_in_a_row_are_counted() {
    let counted = |outputs: &str| {
        let mut run = RunDriver::only(&[SIMILARITY]);
        for letter in outputs.chars() {
            run.see(&json!({"outcome": letter.to_string().repeat(40)}));
        }
        run.findings(SIMILARITY).last().and_then(|finding| finding.evidence.get("identical").cloned())
    };
    assert_eq!(counted("aaa"), Some(json!(3).into()));
    assert_eq!(counted("aa"), None, "two are told apart by their turns");
    assert_eq!(counted("abab"), None);
}

/// An output that returns and is then retried once is not a loop yet; a steady round of outputs is.
#[test]
fn matches_at_changing_distances_need_one_more() {
    let hard = |outputs: &str| {
        let mut run = RunDriver::only(&[SIMILARITY]);
        for letter in outputs.chars() {
            run.see(&json!({"outcome": letter.to_string().repeat(40)}));
        }
        run.turns(SIMILARITY, Severity::Hard).first().copied()
    };
    for (outputs, turn) in
        [("aaa", Some(3)), ("abaa", None), ("abaaa", Some(5)), ("abab", Some(4)), ("abaabb", Some(5)), ("abcabc", Some(5))]
    {
        assert_eq!(hard(outputs), turn, "{outputs}");
    }
}

#[test]
fn a_match_that_is_not_followed_by_another_is_not_a_loop() {
    let mut run = RunDriver::only(&[SIMILARITY]);
    let (a, b) = (
        "The build is green now, all 40 tests pass.",
        "I will read the parser next and look at its error paths.",
    );
    outputs(&mut run, &[a, a, b, "Something else entirely: 12 files, no changes."]);
    outputs(&mut run, &[b]);
    assert!(run.turns(SIMILARITY, Severity::Hard).is_empty());
}

#[test]
fn an_output_is_compared_with_the_last_five() {
    let other = [
        "alpha alpha alpha",
        "BBBBBBBBBBBBBBBBBB",
        "1234567890123456",
        "?!?!?!?!?!?!?!?!?!",
        "zzzz yyyy xxxx ww",
    ];
    let first = "the quick brown fox jumps over the lazy dog";
    let mut run = RunDriver::only(&[SIMILARITY]);
    outputs(&mut run, &[first]);
    outputs(&mut run, &other[..4]);
    outputs(&mut run, &[first]);
    assert_eq!(run.findings(SIMILARITY)[0].evidence.get("like_turn"), Some(&json!(1).into()));
    let mut run = RunDriver::only(&[SIMILARITY]);
    outputs(&mut run, &[first]);
    outputs(&mut run, &other);
    outputs(&mut run, &[first]);
    assert!(run.findings(SIMILARITY).is_empty(), "six outputs ago");
}

#[test]
fn threshold_window_and_hardness_of_similarity_can_be_set() {
    let patch =
        json!({"similarity": {"threshold": 0.5, "window": 1, "hard_at": 1}, "signature": {"mode": "off"}});
    let mut run = RunDriver::with(config(patch));
    outputs(&mut run, &[&text(45, '1'), &text(45, '2')]);
    assert_eq!(run.turns(SIMILARITY, Severity::Hard), [2]);
    outputs(
        &mut run,
        &[
            "????????????????????????????????????????????????????????????????????????????????????",
            &text(45, '3'),
        ],
    );
    assert_eq!(run.findings(SIMILARITY).len(), 1, "the similar one is two outputs ago");
}

#[test]
fn long_outputs_are_compared_by_both_their_ends() {
    let long = |end: &str| format!("{}{}{end}", "The same beginning. ".repeat(200), "x".repeat(3000));
    let mut run = RunDriver::only(&[SIMILARITY]);
    outputs(&mut run, &[&long(&"a".repeat(2000)), &long(&"b".repeat(2000))]);
    assert!(run.findings(SIMILARITY).is_empty(), "the ends differ");
    outputs(&mut run, &[&long(&"b".repeat(2000))]);
    assert_eq!(run.findings(SIMILARITY).len(), 1);
}
