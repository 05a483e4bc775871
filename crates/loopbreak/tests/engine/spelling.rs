//! Spelling does not matter: a run has the same findings whatever way its log writes the same calls, times and ids.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use crate::signals::{fresh, fresh_uuid};
use crate::steps::written;
use loopbreak::{Config, Guard, Step};
use proptest::prelude::*;
use proptest::{collection::vec, sample::select};
use serde_json::Value;

/// Calls with named arguments, whose values are JSON.
const NAMED: [(&str, [(&str, &str); 2]); 7] = [
    ("read_file", [("path", "\"src/lib.rs\""), ("offset", "40")]),
    ("grep", [("pattern", "\"open_session\""), ("path", "\"src\"")]),
    ("bash", [("command", "\"cargo test\""), ("timeout", "60")]),
    ("bash", [("command", "\"git status\""), ("timeout", "60")]),
    ("send_message", [("to", "\"ana\""), ("text", "\"The report is ready\"")]),
    ("task_status", [("id", "7"), ("verbose", "true")]),
    ("lookup", [("name", "\"usb hub\""), ("limit", "5")]),
];

/// Calls with listed arguments, whose values are JSON.
const LISTED: [(&str, [&str; 2]); 6] = [
    ("fill", ["\"a51\"", "\"usb hub\""]),
    ("fill", ["\"b72\"", "\"usb hub\""]),
    ("press", ["\"a51\"", "\"Enter\""]),
    ("scroll", ["0", "300"]),
    ("click", ["\"a77\"", "1"]),
    ("select_option", ["\"c9\"", "\"blue\""]),
];

/// Outcomes as JSON. The empty text stands for none.
const OUTCOMES: [&str; 6] = [
    "",
    "\"2 lines found\"",
    "{\"text\":\"test result: FAILED. 1 failed: it_adds\",\"error\":true}",
    "{\"text\":\"no such file or directory\",\"error\":true}",
    "{\"text\":\"pub mod shop;\",\"error\":false}",
    "{\"text\":\"still running\",\"exit\":0}",
];

/// Returns runs of 5 to 40 steps, as indexes of calls and outcomes. A run has few of them, so that it loops.
fn few_steps(calls: usize, outcomes: usize) -> impl Strategy<Value = Vec<(usize, usize)>> {
    (vec(0..calls, 1..4), vec(0..outcomes, 1..3))
        .prop_flat_map(|(calls, outcomes)| vec((select(calls), select(outcomes)), 5..=40))
}

/// Returns the line of a step from the JSON of its action and of its outcome.
fn line(action: &str, outcome: &str) -> String {
    if outcome.is_empty() {
        return format!("{{\"action\":{action}}}");
    }
    format!("{{\"action\":{action},\"outcome\":{outcome}}}")
}

/// Returns turn, detector, pattern and severity of every finding in a log.
fn findings(lines: &[String]) -> Vec<[Value; 4]> {
    let mut guard = Guard::new(Config::default()).for_run("r");
    let mut all = Vec::new();
    for line in lines {
        let verdict = guard.observe(&Step::from_json(line).unwrap());
        all.extend(verdict.findings.iter().map(|finding| {
            let finding = written(finding);
            ["turn", "detector", "pattern", "severity"].map(|key| finding[key].clone())
        }));
    }
    all
}

/// Returns a JSON value as the argument of an inline call.
fn inline(value: &str) -> String {
    value.replace('"', "'")
}

/// Returns a text as JSON.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// Returns a call with named arguments in each of its spellings: as an object, with its keys reversed, as the text
/// of an object, and inline.
fn named_spellings(call: usize) -> [String; 4] {
    let (name, [first, second]) = NAMED[call];
    let object = |one: (&str, &str), other: (&str, &str)| {
        format!("{{\"{}\":{},\"{}\":{}}}", one.0, one.1, other.0, other.1)
    };
    let with = |args: &str| format!("{{\"name\":\"{name}\",\"args\":{args}}}");
    let call = format!("{name}({}={}, {}={})", first.0, inline(first.1), second.0, inline(second.1));
    [
        with(&object(first, second)),
        with(&object(second, first)),
        with(&quoted(&object(first, second))),
        quoted(&call),
    ]
}

/// Returns a call with listed arguments in each of its spellings: as an array, as a text and inline.
fn listed_spellings(call: usize) -> [String; 3] {
    let (name, [first, second]) = LISTED[call];
    let args = format!("{}, {}", inline(first), inline(second));
    [
        format!("{{\"name\":\"{name}\",\"args\":[{first},{second}]}}"),
        format!("{{\"name\":\"{name}\",\"args\":{}}}", quoted(&args)),
        quoted(&format!("{name}({args})")),
    ]
}

/// Returns the lines of a run at times that begin at another moment.
fn timed_lines(steps: &[(usize, usize)], gaps: &[i64], start: i64) -> Vec<String> {
    let mut at = start;
    let lines = steps.iter().zip(gaps.iter().cycle()).map(|((call, outcome), gap)| {
        at += gap;
        let line = line(&named_spellings(*call)[0], OUTCOMES[*outcome]);
        format!("{{\"at\":{at},{}", &line[1..])
    });
    lines.collect()
}

/// Returns the JSON of a call that has an id of its own in its arguments.
fn call_with_ids(call: usize, id: u64) -> String {
    let (name, args) = match call {
        0 => ("get_balance", format!("{{\"account\":\"acme\",\"request_id\":\"req_{}\"}}", fresh(id))),
        1 => {
            ("search_docs", format!("{{\"query\":\"refund policy\",\"request_id\":\"{}\"}}", fresh_uuid(id)))
        }
        2 => (
            "create_payment",
            format!("{{\"customer\":\"c-4\",\"amount\":4200,\"idempotency_key\":\"{}\"}}", fresh_uuid(id)),
        ),
        _ => (
            "get_metrics",
            format!(
                "{{\"service\":\"web\",\"timestamp\":\"2026-05-11T10:{:02}:{:02}Z\"}}",
                id / 7 % 60,
                id % 60
            ),
        ),
    };
    format!("{{\"name\":\"{name}\",\"args\":{args}}}")
}

/// Returns the JSON of an outcome that has ids of its own.
fn outcome_with_ids(outcome: usize, id: u64) -> String {
    match outcome {
        0 => String::new(),
        1 => quoted(&format!("{{\"id\":\"msg_{}\",\"state\":\"accepted\",\"lines\":2}}", fresh(id + 7))),
        2 => quoted(&format!("The request was stored under {} for the team.", fresh_uuid(id + 3))),
        _ => {
            let text = format!("403 Forbidden: the scope balance is missing (trace {})", fresh_uuid(id + 5));
            format!("{{\"text\":{},\"error\":true}}", quoted(&text))
        }
    }
}

/// Returns the lines of a run in which every step has fresh ids.
fn lines_with_ids(steps: &[(usize, usize)], seed: u64) -> Vec<String> {
    let numbered = steps.iter().zip((0..).map(|n| seed + n * 11));
    numbered
        .map(|((call, outcome), id)| line(&call_with_ids(*call, id), &outcome_with_ids(*outcome, id)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn named_arguments_have_the_same_findings_in_every_spelling(steps in few_steps(NAMED.len(), OUTCOMES.len())) {
        let spelled = |spelling: usize| {
            let lines = steps.iter().map(|(call, outcome)| line(&named_spellings(*call)[spelling], OUTCOMES[*outcome]));
            findings(&lines.collect::<Vec<_>>())
        };
        let plain = spelled(0);
        prop_assert_eq!(&spelled(1), &plain, "keys reversed");
        prop_assert_eq!(&spelled(2), &plain, "an object as a text");
        prop_assert_eq!(&spelled(3), &plain, "an inline call");
    }

    #[test]
    fn listed_arguments_have_the_same_findings_in_every_spelling(steps in few_steps(LISTED.len(), OUTCOMES.len())) {
        let spelled = |spelling: usize| {
            let lines = steps.iter().map(|(call, outcome)| line(&listed_spellings(*call)[spelling], OUTCOMES[*outcome]));
            findings(&lines.collect::<Vec<_>>())
        };
        let plain = spelled(0);
        prop_assert_eq!(&spelled(1), &plain, "arguments as a text");
        prop_assert_eq!(&spelled(2), &plain, "an inline call");
    }

    #[test]
    fn a_run_at_another_time_has_the_same_findings(
        steps in few_steps(NAMED.len(), OUTCOMES.len()),
        gaps in vec(20_i64..90_000, 1..6),
        shift in -400_000_000_000_i64..400_000_000_000,
    ) {
        let start = 1_778_000_000_000;
        let shifted = findings(&timed_lines(&steps, &gaps, start + shift));
        prop_assert_eq!(shifted, findings(&timed_lines(&steps, &gaps, start)));
    }

    #[test]
    fn a_run_with_other_fresh_ids_has_the_same_findings(steps in few_steps(4, 4), seed in 1_000_u64..900_000) {
        prop_assert_eq!(findings(&lines_with_ids(&steps, seed)), findings(&lines_with_ids(&steps, 0)));
    }
}
