//! The pictures of the documentation show what the program prints, in a real browser too.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::browser::TestBrowser;
use crate::support::{done, folder, json, loopbreak, root};

/// The pictures of terminals, each with the log that it shows.
const TERMINALS: [(&str, &str); 2] =
    [("analyze.svg", "examples/coding.jsonl"), ("analyze-game.svg", "examples/dam.jsonl")];
/// The width of a column, the height of a line and the margin, as `xtask/src/picture.rs` draws them.
const COLUMN: f64 = 8.4;
const MARGIN: f64 = 18.0;

fn attribute<'e>(element: &'e str, name: &str) -> &'e str {
    element.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap()
}

/// Returns the lines of a picture, with every piece at its column.
fn lines_of(svg: &str) -> Vec<String> {
    let mut lines: BTreeMap<u64, Vec<char>> = BTreeMap::new();
    for element in svg.split("<text").skip(1) {
        let (tag, rest) = element.split_once('>').unwrap();
        let text = rest.split("</text>").next().unwrap();
        let text =
            text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
        let column = ((attribute(tag, "x").parse::<f64>().unwrap() - MARGIN) / COLUMN).round() as usize;
        let line = lines.entry(attribute(tag, "y").parse().unwrap()).or_default();
        assert!(line.len() <= column, "pieces overlap: {text}");
        line.resize(column, ' ');
        line.extend(text.chars());
    }
    lines.into_values().map(|line| line.into_iter().collect::<String>().trim_end().to_owned()).collect()
}

#[test]
fn the_pictures_of_terminals_show_what_the_program_prints() {
    for (picture, log) in TERMINALS {
        let svg = fs::read_to_string(root().join("docs/images").join(picture)).unwrap();
        let printed = done(loopbreak(&root()).env("COLUMNS", "100").args(["analyze", log])).out;
        let command = format!("$ loopbreak analyze {log}");
        let expected: Vec<&str> = [command.as_str()]
            .into_iter()
            .chain(printed.lines().map(str::trim_end))
            .filter(|line| !line.is_empty())
            .collect();
        assert_eq!(lines_of(&svg), expected, "{picture} is old: run `cargo xtask generate`");
    }
}

/// Chromium collapsed the blanks, and the length of the text then stretched the words.
#[test]
fn the_columns_of_the_pictures_stand_where_they_should_in_a_browser() {
    for (picture, _) in TERMINALS {
        let folder = folder();
        let path = root().join("docs/images").join(picture);
        let mut browser = TestBrowser::open(&path, "", folder.path());
        let characters = browser.eval(
            "[...document.querySelectorAll('text')].flatMap((text) => {
                const [from, all] = [Number(text.getAttribute('x')), text.textContent];
                if (text.getNumberOfChars() !== all.length) return [`${all}: ${text.getNumberOfChars()} of ${all.length}`];
                return [...all].map((letter, at) => [letter, at, text.getStartPositionOfChar(at).x - from])
                  .filter(([letter]) => letter !== ' ').map(([letter, at, x]) => [all, at, x]);
            })",
        );
        let characters = characters.as_array().unwrap();
        assert!(characters.len() > 400, "{picture}: {}", characters.len());
        for character in characters {
            assert!(character.is_array(), "{picture}: blanks are lost: {character}");
            let (at, x) = (character[1].as_f64().unwrap(), character[2].as_f64().unwrap());
            assert!((x - at * COLUMN).abs() < 0.5, "{picture}: {character} should be at {}", at * COLUMN);
        }
    }
}

/// A picture of a page cannot be compared, the figures in it can.
#[test]
fn the_pictures_of_the_page_have_the_figures_of_the_program() {
    let taken = fs::read_to_string(root().join("docs/images/figures.json")).unwrap();
    let taken: Value = serde_json::from_str(&taken).unwrap();
    let report = |logs: &Value| {
        let logs: Vec<&str> = logs.as_array().unwrap().iter().map(|log| log.as_str().unwrap()).collect();
        json(&root(), &logs)
    };
    let (sessions, opened) = (report(&taken["logs"]), report(&taken["run_logs"]));
    let stale = "the pictures are old: run `cargo xtask screenshots`";
    let compare = |figures: &Value, now: &Value| {
        for (key, figure) in figures.as_object().unwrap() {
            assert_eq!(figure, &now[key], "{key}: {stale}");
        }
    };
    compare(&taken["totals"], &sessions["totals"]);
    let runs = taken["runs"].as_object().unwrap();
    assert_eq!(runs.len(), 2);
    for (name, figures) in runs {
        let run = opened["runs"].as_array().unwrap().iter().find(|run| run["run"] == name.as_str());
        compare(figures, run.unwrap());
    }
}
