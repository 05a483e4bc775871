//! `loopbreak arena`: output, files and invalid arguments.

use std::fs;
use std::path::Path;

use crate::support::{FinishedProgram, folder, loopbreak, shown};
use serde_json::{Value, json};

/// Runs a contest with few, short games. Their figures do not matter here.
const SMALL: [&str; 6] = ["--episodes", "3", "--players", "camper,explorer", "--max-turns", "80"];

fn arena(folder: &Path, args: &[&str]) -> FinishedProgram {
    crate::support::done(loopbreak(folder).arg("arena").args(args))
}

fn small_contest(folder: &Path, args: &[&str]) -> FinishedProgram {
    arena(folder, &[&SMALL, args].concat())
}

#[test]
fn a_contest_is_printed_as_a_table_with_its_targets() {
    let done = small_contest(folder().path(), &["--obedience", "0,0.7"]);
    insta::assert_snapshot!("arena_table", shown(&done));
}

#[test]
fn json_and_page_are_written_and_reproducible() {
    let folder = folder();
    let args = ["--obedience", "0.5", "--seed", "7", "--json", "--html", "contest.html"];
    let done = small_contest(folder.path(), &args);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    let found: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(found["schema"], "loopbreak.arena/1");
    assert_eq!((&found["episodes"], &found["seed"], &found["max_turns"]), (&json!(3), &json!(7), &json!(80)));
    let players: Vec<&Value> = found["rows"].as_array().unwrap().iter().map(|row| &row["player"]).collect();
    assert_eq!(players, ["camper", "explorer"]);
    assert_eq!(found["targets"].as_array().unwrap().len(), 6);
    assert_eq!(found["ablations"], json!([]));
    let page = fs::read_to_string(folder.path().join("contest.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains("3 games of each player, the first with seed 7, 80 turns at most"), "{page}");
    assert_eq!(small_contest(folder.path(), &args).out, done.out);
}

#[test]
fn ablation_removes_one_part_at_a_time() {
    let args = ["--episodes", "1", "--players", "camper,camper", "--obedience", "1", "--max-turns", "50"];
    let done = arena(folder().path(), &[&args[..], &["--ablate", "--json"]].concat());
    let found: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(found["rows"].as_array().unwrap().len(), 1, "a player that is named twice plays once");
    let parts = found["ablations"].as_array().unwrap();
    assert_eq!(
        (parts.len(), &parts[0]["without"], &parts[1]["without"]),
        (14, &json!(null), &json!("stops"))
    );
    // Games last longer without stops.
    let turns = |part: &Value| part["stuck_turns"]["mean"].as_f64().unwrap();
    assert!(turns(&parts[1]) >= turns(&parts[0]), "{parts:?}");
}

#[test]
fn two_sets_of_texts_are_compared_on_the_same_games() {
    let folder = folder();
    let compare = |sets: [&str; 2], more: &[&str]| {
        small_contest(
            folder.path(),
            &[&["--obedience", "0.7", "--compare-advice", sets[0], sets[1]], more].concat(),
        )
    };
    // Built-in players do not read the texts.
    let done = compare(["neutral", "zork"], &["--json"]);
    let found: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(
        (&found["schema"], &found["sets"]),
        (&json!("loopbreak.arena.advice/1"), &json!(["neutral", "zork"]))
    );
    assert_eq!(found["rows"].as_array().unwrap().len(), 2);
    assert_eq!(found["difference"], json!({"mean": 0.0, "low": 0.0, "high": 0.0}));
    insta::assert_snapshot!("arena_compare_advice", shown(&compare(["neutral", "zork"], &[])));
    for (sets, more, told) in [
        (["neutral", "none.toml"], &[][..], "\"none.toml\" is neither a set of texts nor a file"),
        (["neutral", "zork"], &["--ablate"], "cannot be used with"),
        (["neutral", "zork"], &["--html", "x.html"], "cannot be used with"),
    ] {
        let done = compare(sets, more);
        assert_eq!((done.code, done.out.as_str()), (Some(2), ""), "{}", done.err);
        assert!(done.err.contains(told), "{}", done.err);
    }
}

#[test]
fn the_default_profile_is_game() {
    let folder = folder();
    let args = ["--episodes", "2", "--players", "camper", "--obedience", "0", "--max-turns", "80"];
    let with = |more: &[&str]| arena(folder.path(), &[&args[..], more].concat()).out;
    let plain = with(&[]);
    assert_eq!(with(&["--profile", "game"]), plain);
    let other = with(&["--profile", "documents"]);
    assert_ne!(other, plain);
    fs::write(folder.path().join("loopbreak.toml"), "profile = \"documents\"\n").unwrap();
    assert_eq!(with(&[]), other);
}

#[test]
fn invalid_arguments_are_refused_before_the_first_game() {
    let folder = folder();
    fs::write(folder.path().join("no.z3"), "not a story").unwrap();
    for (args, code, told) in [
        (&["--players", "dancer"][..], 2, "invalid value 'dancer'"),
        (&["--players", "camper,"], 2, "a value is required"),
        (&["--obedience", "0,1.5"], 2, "use a number from 0 to 1"),
        (&["--obedience", "-1"], 2, "use a number from 0 to 1"),
        (&["--episodes", "0"], 2, "0 is not in 1..=100000"),
        (&["--max-turns", "0"], 2, "0 is not in 1.."),
        (&["none.z3"], 2, "error: none.z3: "),
        (&["no.z3"], 2, "hint: use a Z-machine story file of version 3 (.z3), or `spillway`\n"),
        (&["--set", "mode=observe"], 2, "mode is \"observe\": there is nothing to compare"),
        (&["--set", "stagnation.max_turns=0"], 2, "stagnation.max_turns"),
        (&["--html", "none/x.html"], 1, "cannot write none/x.html: the folder does not exist"),
        (&["--html", "."], 1, "cannot write .: it is a folder"),
    ] {
        let done = arena(folder.path(), args);
        assert_eq!((done.code, done.out.as_str()), (Some(code), ""), "{args:?}: {}", done.err);
        assert!(done.err.contains(told), "{args:?}: {}", done.err);
    }
}

#[test]
fn the_page_does_not_overwrite_the_story() {
    let folder = folder();
    let story = crate::support::root().join("crates/loopbreak-arena/story/spillway.z3");
    fs::copy(story, folder.path().join("mine.z3")).unwrap();
    let done = arena(folder.path(), &["mine.z3", "--html", "./mine.z3"]);
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(done.err.contains("would overwrite the story"), "{}", done.err);
    let args = ["mine.z3", "--episodes", "1", "--players", "camper", "--obedience", "0", "--max-turns", "20"];
    assert_eq!(arena(folder.path(), &args).code, Some(0));
}
