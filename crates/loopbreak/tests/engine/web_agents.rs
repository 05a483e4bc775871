//! Runs of agents in a browser: actions without outcomes, with ids of elements that change with every load of
//! a page.

use crate::steps::RunDriver;
use loopbreak::Severity;
use serde_json::json;

/// Plays actions that were logged without an outcome.
fn played<A: AsRef<str>>(actions: impl IntoIterator<Item = A>) -> RunDriver {
    let mut run = RunDriver::new();
    for action in actions {
        run.see(&json!({"action": action.as_ref()}));
    }
    run
}

/// Returns the first turn with a finding of at least this severity.
fn first(run: &RunDriver, severity: Severity) -> Option<u64> {
    run.verdicts
        .iter()
        .flat_map(|verdict| &verdict.findings)
        .filter(|finding| finding.severity >= severity)
        .map(|finding| finding.turn)
        .min()
}

#[track_caller]
fn assert_warned_by(run: &RunDriver, turn: u64) {
    let warned = first(run, Severity::Warn);
    assert!(warned.is_some_and(|warned| warned <= turn), "warned at {warned:?}");
}

#[track_caller]
fn assert_spared(run: &RunDriver) {
    assert_eq!(first(run, Severity::Warn), None);
}

#[test]
fn the_same_click_warns_at_the_fourth_and_is_hard_at_the_eighth() {
    let run = played(vec!["click('a51')"; 12]);
    assert_eq!((first(&run, Severity::Warn), first(&run, Severity::Hard)), (Some(4), Some(8)));
}

#[test]
fn two_alternating_clicks_are_caught_in_the_second_round() {
    assert_warned_by(&played((0..10).map(|n| if n % 2 == 0 { "click('a51')" } else { "click('a77')" })), 4);
}

#[test]
fn the_same_search_with_changing_ids_is_caught() {
    let round = |n: u32| {
        [format!("fill('{}', 'usb hub 7 port')", 130 + n * 97), format!("click('{}')", 131 + n * 97)]
    };
    let run = played((0..8).flat_map(round));
    assert_warned_by(&run, 8);
    assert!(first(&run, Severity::Hard).is_some_and(|turn| turn <= 16));
}

#[test]
fn the_same_search_is_caught_with_other_steps_between() {
    let others =
        ["scroll(0, 300)", "go_back()", "click('88')", "hover('12')", "scroll(0, -300)", "click('9')"];
    let actions = (0..6).flat_map(|n| {
        let search = format!("fill('{}', 'usb hub 7 port')", 130 + n * 97);
        std::iter::once(search)
            .chain(others.iter().cycle().skip(n).take(n % 3 + 1).map(|other| (*other).to_owned()))
    });
    assert_warned_by(&played(actions.collect::<Vec<_>>()), 16);
}

#[test]
fn actions_in_the_webarena_format_are_recognized() {
    let round = |n: u32| [format!("type [{}] [usb hub] [1]", 130 + n * 7), format!("click [{}]", 9 + n)];
    assert_warned_by(&played((0..8).flat_map(round)), 8);
}

#[test]
fn ids_in_arguments_are_ignored() {
    let mut run = RunDriver::new();
    for n in 0..8 {
        run.see(&json!({"action": {"name": "browser_type", "args": {"ref": format!("e{}", 20 + n), "text": "usb hub"}}}));
        run.see(&json!({"action": {"name": "browser_click", "args": {"ref": format!("e{}", 40 + n)}}}));
    }
    assert_warned_by(&run, 8);
}

#[test]
fn endless_scrolling_is_caught_late_and_reading_a_page_is_not() {
    assert_spared(&played(vec!["scroll(0, 300)"; 7]));
    assert_warned_by(&played(vec!["scroll(0, 300)"; 20]), 10);
}

#[test]
fn a_form_with_many_fields_is_not_a_loop() {
    let fields =
        (0..12).flat_map(|n| [format!("click('a{}')", 40 + n), format!("fill('a{}', 'value {n}')", 40 + n)]);
    assert_spared(&played(fields));
    assert_spared(&played((0..12).map(|n| format!("click('a{}')", 40 + n))));
}

#[test]
fn looking_at_five_items_of_a_list_is_not_a_loop() {
    assert_spared(&played((0..5).flat_map(|n| [format!("click('{}')", 200 + n), "go_back()".to_owned()])));
}

#[test]
fn different_searches_are_not_a_loop() {
    let sought = ["usb hub", "hdmi cable", "desk lamp", "monitor arm", "web camera"];
    assert_spared(&played(
        sought
            .iter()
            .enumerate()
            .flat_map(|(n, what)| [format!("fill('{n}1', '{what}')"), "press('Enter')".to_owned()]),
    ));
}
