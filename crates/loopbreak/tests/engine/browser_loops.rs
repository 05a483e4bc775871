//! Loops of agents in a browser, of which the log has no outcomes, and one action in several spellings.

use crate::signals::{assert_broken, assert_rounds_broken, first_hard, first_warning};
use crate::steps::played;
use serde_json::{Value, json};

/// Returns an action as one text.
fn action(text: &str) -> Value {
    json!({"action": text})
}

/// One field with ever other values, and the result is never right: six values are enough for a warning, twelve for
/// a hard finding.
#[test]
fn one_field_with_ever_other_values_is_broken() {
    let prices = ["50", "60", "45", "55", "52", "58", "48", "51", "53", "49", "54", "57", "46", "59"];
    let rounds =
        prices.map(|price| vec![action(&format!("fill('max_price', '{price}')")), action("click('apply')")]);
    assert_rounds_broken(vec![action("goto('https://shop.example/lamps')")], rounds, 6, 12);
}

/// One search field, one wish, ever other words.
#[test]
fn one_search_field_with_ever_other_words_is_broken() {
    let words = [
        "usb hub",
        "usb hub 7 port",
        "7 port usb hub",
        "powered usb hub",
        "usb hub powered 7",
        "usb 3 hub",
        "usb hub black",
        "hub usb seven ports",
        "usb-c hub",
        "usb hub with power",
        "usb hub desk",
        "usb hub 7x",
        "best usb hub",
        "usb hubs",
    ];
    let rounds = words
        .map(|text| vec![action(&format!("fill('search', '{text}')")), action("press('search', 'Enter')")]);
    assert_rounds_broken(Vec::new(), rounds, 6, 12);
}

/// Waiting without a logged outcome is a loop if nothing else is done. The limits of waiting hold: 10 and 20.
#[test]
fn waiting_without_an_outcome_is_broken() {
    assert_broken(&played(vec![action("wait(3000)"); 30]), 10, 20);
    assert_broken(&played(vec![json!({"action": {"name": "noop", "args": [1000]}}); 30]), 10, 20);
}

/// The same control under fresh ids, announced in the same words, is the same click: the fourth gives a warning.
#[test]
fn the_same_control_under_fresh_ids_is_broken() {
    let ids = ["a51", "b72", "c18", "a94", "d33", "b07", "e61", "c45", "f29", "a80", "d12", "e77"];
    let records = ids.map(|id| json!({"action": format!("click('{id}')"), "say": "I click the Submit button to send the form."}));
    assert_broken(&played(records), 4, 10);
}

/// Calls of one tool that are announced in nearly the same words: five are enough for a warning, twelve for a hard
/// finding.
#[test]
fn calls_announced_in_nearly_the_same_words_are_broken() {
    let words = [
        "I will click on the orders link to find the invoice of March.",
        "I will click the orders link again to find the invoice of March.",
        "Let me click on the orders link to find the invoice of March.",
        "I will click on the orders link to find the March invoice.",
    ];
    let records =
        (0..16_usize).map(|n| json!({"action": format!("click('{}')", 140 + n * 37), "say": words[n % 4]}));
    assert_broken(&played(records), 5, 12);
}

/// Returns one action in each of its spellings.
fn spellings(name: &str, texts: &[&str]) -> [Value; 3] {
    let quoted: Vec<String> = texts.iter().map(|text| format!("'{text}'")).collect();
    let quoted = quoted.join(", ");
    [
        json!({"action": format!("{name}({quoted})")}),
        json!({"action": {"name": name, "args": quoted}}),
        json!({"action": {"name": name, "args": texts}}),
    ]
}

/// Plays rounds of actions in each spelling, and checks that there is a warning and a hard finding, and that every
/// spelling has them at the same turns.
#[track_caller]
fn assert_spelled_alike(rounds: usize, actions: &[(&str, &[&str])]) {
    let signals = (0..3).map(|spelling| {
        let records = (0..rounds)
            .flat_map(|_| actions.iter().map(|(name, texts)| spellings(name, texts)[spelling].clone()));
        let run = played(records);
        (first_warning(&run), first_hard(&run))
    });
    let signals: Vec<_> = signals.collect();
    assert!(signals[0].0.is_some() && signals[0].1.is_some(), "{signals:?}");
    assert!(signals.iter().all(|signal| *signal == signals[0]), "{signals:?}");
}

/// The same click has one verdict in every spelling.
#[test]
fn one_click_in_three_spellings_has_one_verdict() {
    assert_spelled_alike(12, &[("click", &["a51"])]);
}

/// The same round of actions has one verdict in every spelling.
#[test]
fn one_round_in_three_spellings_has_one_verdict() {
    assert_spelled_alike(12, &[("click", &["a51"]), ("click", &["a77"])]);
    assert_spelled_alike(
        12,
        &[("fill", &["237", "usb hub"]), ("press", &["237", "Enter"]), ("scroll", &["0", "300"])],
    );
}

/// Spellings may even change within a run.
#[test]
fn a_run_that_mixes_spellings_is_broken() {
    let all = spellings("click", &["a51"]);
    assert_broken(&played((0..12).map(|n| all[n % 3].clone())), 4, 8);
}
