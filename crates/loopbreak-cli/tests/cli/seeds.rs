//! What the documents say a report shows, asked of `loopbreak analyze`. `docs/seeds.md` names these tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fmt::Write as _;
use std::fs;

use crate::support::{analyze, folder, healthy, json, root, stuck};

/// The episode of 000: 273 turns, and the last change of the score at turn 20.
fn episode() -> String {
    let mut log = String::new();
    for turn in 1..=273 {
        writeln!(log, r#"{{"run":"ep","turn":{turn},"score":{}}}"#, if turn < 20 { 0 } else { 10 }).unwrap();
    }
    log
}

#[test]
fn the_episode_of_000_saves_213_turns_and_852_calls() {
    let folder = folder();
    fs::write(folder.path().join("ep.jsonl"), episode()).unwrap();
    let report = json(folder.path(), &["ep.jsonl", "--profile", "documents"]);
    let run = &report["runs"][0];
    assert_eq!((&run["first_stop"]["turn"], &run["steps_after_stop"]), (&60.into(), &213.into()));
    assert_eq!(report["totals"]["llm_calls_saved"], 852);
    let calls = json(folder.path(), &["ep.jsonl", "--set", "report.calls_per_step=3"]);
    assert_eq!(calls["totals"]["llm_calls_saved"], 639, "the factor can be set");
}

#[test]
fn every_check_beyond_the_threshold_is_listed_and_not_only_the_first() {
    let folder = folder();
    fs::write(folder.path().join("ep.jsonl"), episode()).unwrap();
    let report = json(folder.path(), &["ep.jsonl"]);
    let expected: Vec<u64> = (60..=270).step_by(10).collect();
    assert_eq!(report["runs"][0]["checkpoints"], serde_json::json!(expected));
}

#[test]
fn the_report_shows_everything_that_the_analysis_tool_of_000_showed() {
    let folder = folder();
    fs::write(folder.path().join("ep.jsonl"), episode()).unwrap();
    let shown = analyze(folder.path(), &["ep.jsonl"]).out;
    for part in [
        "score 0 → 10",
        "\n  score  ▁",
        "stuck          turns 21–273 at score 10 (253 turns)",
        "would stop     turn 60: no progress for 40 turns",
        "saves          213 of 273 steps (78 %)",
        "progress lost  none",
    ] {
        assert!(shown.contains(part), "{part} in\n{shown}");
    }
}

#[test]
fn the_dam_episode_with_the_threshold_of_001_is_stopped_at_140_and_saves_201_turns() {
    let only_velocity = [
        "examples/dam.jsonl",
        "--set=stagnation.max_turns=30",
        "--set=stagnation.patience=fixed",
        "--set=revisit.mode=off",
        "--set=oscillation.mode=off",
        "--set=camping.mode=off",
        "--set=novelty.mode=off",
    ];
    let report = json(&root(), &only_velocity);
    let run = &report["runs"][0];
    assert_eq!((&run["first_stop"]["turn"], &run["steps_after_stop"]), (&140.into(), &201.into()));
}

#[test]
fn both_settings_of_002_can_be_compared_on_the_same_run() {
    let folder = folder();
    let objective = r#"{"run":"a","turn":31,"score":3,"objectives":{"completed":["explore north"]}}"#;
    let log: Vec<String> = stuck("a", 50).lines().map(str::to_owned).collect();
    let log: Vec<&str> =
        log.iter().enumerate().map(|(at, line)| if at == 30 { objective } else { line }).collect();
    fs::write(folder.path().join("a.jsonl"), log.join("\n")).unwrap();
    let verdict = |set: &str| json(folder.path(), &["a.jsonl", "--set", set])["runs"][0]["verdict"].clone();
    assert_eq!(verdict("stagnation.objectives=false"), "stop", "a false termination at turn 40");
    assert_eq!(verdict("stagnation.objectives=true"), "warn");
}

#[test]
fn progress_after_the_stop_is_reported_as_lost() {
    let folder = folder();
    let recovered = stuck("late", 45) + "{\"run\":\"late\",\"turn\":46,\"score\":9}\n";
    fs::write(folder.path().join("log.jsonl"), recovered + &stuck("lost", 45) + &healthy("well", 45))
        .unwrap();
    let report = json(folder.path(), &["log.jsonl"]);
    let harm: Vec<_> =
        report["runs"].as_array().unwrap().iter().map(|run| &run["progress_after_stop"]).collect();
    assert_eq!((harm[0], harm[1]), (&true.into(), &false.into()));
    assert_eq!(
        (&report["totals"]["stopped"], &report["totals"]["progress_after_stop"]),
        (&2.into(), &1.into())
    );
    assert!(analyze(folder.path(), &["--quiet", "log.jsonl"]).out.contains("; progress lost in 1 run"));
}

#[test]
fn score_progress_lasts_for_40_turns_and_no_longer() {
    let folder = folder();
    fs::write(folder.path().join("ep.jsonl"), episode()).unwrap();
    analyze(folder.path(), &["ep.jsonl", "-q", "--events", "events.jsonl"]);
    let text = fs::read_to_string(folder.path().join("events.jsonl")).unwrap();
    let events = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let checks: Vec<_> = events.filter(|event| event["event_type"] == "progress_check").collect();
    assert_eq!(checks.len(), 273, "one a turn");
    for check in checks {
        // The score changed at turn 20.
        let turn = check["turn"].as_u64().unwrap();
        assert_eq!(check["score_progress"], turn < 60, "turn {turn}");
        assert_eq!(check["objective_progress"], false, "turn {turn}");
    }
}
