//! Reports of `loopbreak analyze` that `docs/seeds.md` requires. That page names these tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fmt::Write as _;
use std::fs;

use crate::support::{analyze, done, folder, healthy, json, loopbreak, root, stuck};

/// Returns the episode of 000: 273 turns, with the last change of the score at turn 20.
fn episode() -> String {
    let mut log = String::new();
    for turn in 1..=273 {
        writeln!(log, r#"{{"run":"ep","turn":{turn},"score":{}}}"#, if turn < 20 { 0 } else { 10 }).unwrap();
    }
    log
}

/// Returns the lines of one turn in the format of ZorkGPT.
pub(crate) fn zorkgpt_turn(turn: u64, action: &str, score: u64, place: u64, critic: &str) -> String {
    let head = format!(
        r#""timestamp":"2025-11-04T09:{:02}:{:02}","level":"INFO","message":"m","episode_id":"2025-11-04T09:35:24","turn":{turn},"#,
        turn / 60,
        turn % 60
    );
    format!(
        "{{{head}\"event_type\":\"final_action_selection\",\"agent_action\":\"{action}\",{critic}}}\n\
         {{{head}\"event_type\":\"zork_response\",\"action\":\"{action}\",\"zork_response\":\"Reply {turn}.\"}}\n\
         {{{head}\"event_type\":\"turn_completed\",\"action\":\"{action}\",\"score\":{score},\"location\":\"Room {place}\",\"location_id\":{place}}}\n"
    )
}

/// The episode of 000 in ZorkGPT's own format, with three stuck spans at the scores 10, 35 and 44. Its figures come out, and
/// what 000 leaves out: the run got further after turn 60, so the stop destroys progress.
#[test]
fn the_three_stuck_spans_of_000_give_its_14_checks_213_turns_and_852_calls_and_destroy_progress() {
    let folder = folder();
    let score = |turn| match turn {
        0..20 => 0,
        20..101 => 10,
        101..181 => 35,
        _ => 44,
    };
    let critic = r#""critic_score":0.4,"critic_confidence":0.9"#;
    let log: String = (1..=273)
        .map(|turn| zorkgpt_turn(turn, &format!("examine thing {turn}"), score(turn), turn, critic))
        .collect();
    fs::write(folder.path().join("episode_log.jsonl"), log).unwrap();
    let report = json(folder.path(), &["episode_log.jsonl", "--profile", "documents"]);
    let run = &report["runs"][0];
    assert_eq!((&run["format"], &run["steps"]), (&"zorkgpt".into(), &273.into()));
    assert_eq!((&run["first_stop"]["turn"], &run["steps_after_stop"]), (&60.into(), &213.into()));
    let checks = [60, 70, 80, 90, 100, 150, 160, 170, 180, 230, 240, 250, 260, 270];
    assert_eq!(run["checkpoints"], serde_json::json!(checks));
    assert_eq!(run["checkpoints"].as_array().unwrap().len(), 14);
    assert_eq!(report["totals"]["llm_calls_saved"], 852);
    assert_eq!(run["progress_after_stop"], true);
    let shown = analyze(folder.path(), &["episode_log.jsonl", "--profile", "documents"]).out;
    assert!(shown.contains("saves          213 of 273 steps (78 %)"), "{shown}");
    assert!(shown.contains("progress lost  yes: the run made progress after turn 60"), "{shown}");
}

/// The critic of ZorkGPT scores from -1 to 1, the journal of `loopbreak play` from 0 to 1 under the same key. The same opinion
/// gives the same rejections from both.
#[test]
fn the_critic_of_zorkgpt_is_rescaled_and_that_of_our_journals_is_not() {
    let folder = folder();
    let report = |name: &str, critic: &str| {
        let log: String = (1..=30)
            .map(|turn| {
                zorkgpt_turn(
                    turn,
                    if turn.is_multiple_of(2) { "north" } else { "south" },
                    5,
                    1 + turn % 2,
                    critic,
                )
            })
            .collect();
        fs::write(folder.path().join(name), log).unwrap();
        let run = json(folder.path(), &[name, "--profile", "documents"])["runs"][0].clone();
        (run["rejected_proposals"].clone(), run["penalized_proposals"].clone(), run["verdict"].clone())
    };
    let original = report("original.jsonl", r#""critic_score":0.3,"critic_confidence":0.9"#);
    let journal = report("journal.jsonl", r#""critic_score":0.65,"adjusted_score":0.65"#);
    assert_eq!(original, journal);
    assert_eq!((&original.0, &original.2), (&27.into(), &"stop".into()), "{original:?}");
    // A critic that was against every move had refused them itself.
    assert_eq!(report("against.jsonl", r#""critic_score":-0.6"#).0, 0);
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

/// The page about symptoms has the four issues of 000 and the five rows of 004, and names only options that exist.
#[test]
fn the_page_of_symptoms_names_options_that_exist_and_has_the_rows_of_the_documents() {
    let page = fs::read_to_string(root().join("docs/guide/troubleshooting.md")).unwrap();
    for part in [
        "## A run was ended too early",
        "## The agent still loops",
        "## There are no warnings",
        "## The configuration does not load",
        "| the same error returns |",
        "| the same file is changed in the same way |",
        "| different work is taken for the same |",
        "| an obvious loop is not seen |",
        "| a loop is seen only after many iterations |",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let folder = folder();
    let spans: std::collections::BTreeSet<&str> = page.split('`').skip(1).step_by(2).collect();
    let is_option = |span: &&&str| {
        let letters = span.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'.'));
        // `critic.score` is a key of a step.
        let is_file = matches!(span.rsplit('.').next(), Some("jsonl" | "toml"));
        let other = is_file || **span == "critic.score";
        letters && span.contains('.') && !other
    };
    let options: Vec<&&str> = spans.iter().filter(is_option).collect();
    assert!(options.len() > 12, "{options:?}");
    for option in options {
        let told = done(loopbreak(folder.path()).args(["config", "explain", option]));
        assert_eq!(told.code, Some(0), "{option}: {}", told.err);
    }
}

/// The idea 4 of 003: an orchestrator that only alternates between its tasks.
#[test]
fn tasks_that_alternate_are_found_in_logs_of_attempts() {
    let folder = folder();
    let log = |grows: bool| {
        let mut log = String::new();
        for number in 0..12 {
            let (task, round) = (["T1", "T2", "T3"][number % 3], number / 3);
            let work = match round {
                0 => r#""read","plan""#.to_owned(),
                _ if grows && task == "T2" => format!(r#""part {round}""#),
                _ => format!("{:?}", ["read", "plan"][round % 2]),
            };
            let at = 1_762_248_924_000_u64 + 60_000 * number as u64;
            writeln!(
                log,
                r#"{{"taskId":"{task}","timestamp":{at},"status":"in_progress","completedWork":[{work}]}}"#
            )
            .unwrap();
        }
        log
    };
    let findings = |log: String| {
        fs::write(folder.path().join("attempts.jsonl"), log).unwrap();
        let report = json(folder.path(), &["attempts.jsonl"]);
        report["runs"][0]["findings"].as_array().unwrap().clone()
    };
    let found = findings(log(false));
    let told: Vec<_> = found
        .iter()
        .map(|finding| (finding["turn"].as_u64().unwrap(), &finding["pattern"], &finding["intervention"]))
        .collect();
    assert_eq!(
        told,
        [(6, &"task_cycle".into(), &"warn".into()), (12, &"task_cycle".into(), &"escalate".into())]
    );
    assert_eq!(findings(log(true)), Vec::<serde_json::Value>::new(), "the work of one task grows");
}
