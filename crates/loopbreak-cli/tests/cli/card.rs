//! `loopbreak analyze --card`: a picture to share, which must not tell anything about the work.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use crate::browser::TestBrowser;
use crate::support::{analyze, folder, json as report_of, root};

/// Returns the visible texts of a card.
fn texts_of(svg: &str) -> Vec<String> {
    let parts = svg.split("<text ").skip(1);
    let inner = parts.map(|part| part.split_once('>').unwrap().1.split("</text>").next().unwrap());
    inner.map(str::to_owned).collect()
}

/// Adds the words of a value that are long enough to be told from those of the card itself.
fn words_of(value: &Value, words: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let parts = text.split(|char: char| !char.is_alphanumeric() && char != '_');
            words.extend(parts.filter(|word| word.len() > 3).map(str::to_lowercase));
        }
        Value::Array(items) => items.iter().for_each(|item| words_of(item, words)),
        Value::Object(items) => items.values().for_each(|item| words_of(item, words)),
        _ => {}
    }
}

#[test]
fn a_card_has_the_totals_and_the_tool_of_the_longest_loop() {
    let card = analyze(&root(), &["examples/coding.jsonl", "--card", "-"]);
    assert_eq!((card.code, card.err.as_str()), (Some(0), ""));
    let totals = report_of(&root(), &["examples/coding.jsonl"])["totals"].take();
    let texts = texts_of(&card.out);
    let cost = totals["cost_after_ending_usd"].as_f64().unwrap();
    assert_eq!(texts[0], format!("${cost:.2} spent going in circles"));
    assert_eq!(texts[1], format!("1 run of AI agents, {} steps", totals["steps"]));
    let longest = &totals["longest_loop"];
    assert_eq!(longest["tool"], "Bash");
    assert!(longest["steps"].as_u64().unwrap() > 50, "{longest}");
    assert!(texts.contains(&format!("Longest loop: Bash × {}", longest["steps"])), "{texts:?}");
    let (saved, all) = (totals["steps_after_ending"].as_f64().unwrap(), totals["steps"].as_f64().unwrap());
    assert!(texts.contains(&format!("{:.0} %", saved / all * 100.0)), "{texts:?}");
}

/// Nothing of the log is in the card but the name of the tool.
#[test]
fn no_path_command_or_run_of_a_log_is_in_its_card() {
    let log = fs::read_to_string(root().join("examples/coding.jsonl")).unwrap();
    let card = analyze(&root(), &["examples/coding.jsonl", "--card", "-"]).out;
    let mut words = BTreeSet::new();
    for line in log.lines() {
        words_of(&serde_json::from_str(line).unwrap(), &mut words);
    }
    assert!(words.len() > 80 && words.contains("test_login") && words.contains("flaky"));
    let shown = texts_of(&card).join(" ").to_lowercase();
    let shown: BTreeSet<&str> = shown.split(|char: char| !char.is_alphanumeric() && char != '_').collect();
    // The words of the card itself and the tool.
    let own: BTreeSet<&str> =
        "bash going spent from point where each would have been longest loop stopped wasted steps"
            .split(' ')
            .collect();
    let leaked: Vec<&String> =
        words.iter().filter(|word| shown.contains(word.as_str()) && !own.contains(word.as_str())).collect();
    assert!(leaked.is_empty(), "{leaked:?}");
    assert!(!card.contains("examples") && !card.contains("coding.jsonl") && !card.contains("flaky"));
}

#[test]
fn hostile_names_do_not_reach_the_card() {
    let folder = folder();
    let evil = "</text><script>alert(1)</script>\u{202E}&\"'";
    let mut log = String::new();
    for turn in 1..=40 {
        let step = json!({"run": evil, "turn": turn, "agent": evil, "action": {"name": evil, "args": {"path": "/home/ada/secret"}},
            "outcome": {"text": evil, "error": true}});
        writeln!(log, "{step}").unwrap();
    }
    fs::write(folder.path().join("log.jsonl"), log).unwrap();
    analyze(folder.path(), &["log.jsonl", "-q", "--card", "card.svg"]);
    let card = fs::read_to_string(folder.path().join("card.svg")).unwrap();
    assert!(
        !card.contains("script")
            && !card.contains("alert")
            && !card.contains("secret")
            && !card.contains('\u{202E}')
    );
    let mut browser = TestBrowser::open(&folder.path().join("card.svg"), "", folder.path());
    assert_eq!(browser.eval("document.documentElement.tagName"), "svg", "it is well-formed");
    assert!(browser.eval("document.querySelectorAll('text').length").as_u64().unwrap() >= 6);
}

#[test]
fn the_texts_of_a_card_fit_into_it() {
    let folder = folder();
    // Figures as large as anybody will see.
    let big = json!({"run": "big", "action": {"name": "a".repeat(32), "args": {}}, "outcome": {"text": "no", "error": true},
        "usage": {"input_tokens": 900_000_000_u64, "cost_usd": 98765.4}});
    fs::write(folder.path().join("log.jsonl"), format!("{big}\n").repeat(60)).unwrap();
    analyze(folder.path(), &["log.jsonl", "-q", "--card", "card.svg"]);
    let card = fs::read_to_string(folder.path().join("card.svg")).unwrap();
    assert_eq!(texts_of(&card).len(), 12, "four tiles: {card}");
    let mut browser = TestBrowser::open(&folder.path().join("card.svg"), "", folder.path());
    let outside = browser.eval(
        "(() => {
            const boxes = (name) => [...document.querySelectorAll(name)].map((part) => part.getBBox());
            const [tiles, view] = [boxes('.tile'), document.documentElement.viewBox.baseVal];
            return [...document.querySelectorAll('text')].filter((text) => {
                const box = text.getBBox();
                const tile = tiles.find((tile) => box.x >= tile.x && box.x < tile.x + tile.width && box.y >= tile.y && box.y < tile.y + tile.height);
                return box.x + box.width > (tile ? tile.x + tile.width : view.width - 20);
            }).map((text) => text.textContent);
        })()",
    );
    assert_eq!(outside, json!([]));
}

#[test]
fn a_card_without_loops_says_so() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), "{\"action\":\"look\",\"outcome\":\"A room.\"}\n").unwrap();
    let card = analyze(folder.path(), &["log.jsonl", "--card", "-"]).out;
    assert_eq!(texts_of(&card)[0], "No loops found");
    let held = analyze(folder.path(), &["log.jsonl", "--card", "-", "--csv", "-"]);
    assert_eq!(held.code, Some(2), "{}", held.err);
}
