//! `loopbreak eval`: figures on labelled runs, baselines, and errors for broken labels.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::support::{FinishedProgram, done, folder, healthy, loopbreak, root, shown, stuck};
use serde_json::{Value, json};

const BASELINES: &str = "openhands-rule,gemini-rule,opencode-rule,window-rule,documents";
const LABELLED: [&str; 5] = ["logs", "--labels", "labels.jsonl", "--positive", "labels.stuck>=2"];

fn eval(folder: &Path, args: &[&str]) -> FinishedProgram {
    done(loopbreak(folder).arg("eval").args(args))
}

fn data(folder: &Path, args: &[&str]) -> Value {
    let done = eval(folder, &[&["--json"], args].concat());
    serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{error}: {}{}", done.out, done.err))
}

/// Returns a run that repeats one call with the same result while the score rises, which other rules take for
/// a loop.
fn repeating_run_with_progress(run: &str, turns: u64) -> String {
    let mut log = String::new();
    for turn in 1..=turns {
        let step = json!({"run": run, "turn": turn, "action": {"name": "wait"}, "outcome": "Time passes.", "score": turn});
        writeln!(log, "{step}").unwrap();
    }
    log
}

/// Writes two stuck runs that are stopped, one that is too short to be detected, one that is stopped wrongly,
/// and two healthy ones, one without a label and one with an undecided label.
fn runs() -> tempfile::TempDir {
    let folder = folder();
    let logs = folder.path().join("logs");
    fs::create_dir(&logs).unwrap();
    let log = [
        stuck("stuck-1", 60),
        stuck("stuck-2", 50),
        stuck("short", 10),
        stuck("thinks", 45),
        healthy("well", 30),
        healthy("fine", 20),
        healthy("unlabelled", 20),
        healthy("undecided", 20),
    ];
    fs::write(logs.join("runs.jsonl"), log.concat()).unwrap();
    let mut labels = String::new();
    for (run, stuck) in
        [("stuck-1", 4), ("stuck-2", 2), ("short", 3), ("thinks", 1), ("well", 0), ("fine", 0), ("gone", 9)]
    {
        let pairs: Vec<u64> = (0..stuck).collect();
        writeln!(labels, "{}", json!({"run": run, "labels": {"stuck": pairs}})).unwrap();
    }
    labels += "{\"run\":\"undecided\",\"labels\":{}}\n";
    fs::write(folder.path().join("labels.jsonl"), labels).unwrap();
    folder
}

#[test]
fn eval_figures_match_those_calculated_by_hand() {
    let folder = runs();
    let found = data(folder.path(), &LABELLED);
    assert_eq!(found["schema"], "loopbreak.eval/1");
    assert_eq!((&found["runs"], &found["positives"], &found["steps"]), (&json!(6), &json!(3), &json!(215)));
    assert_eq!(
        found["left_out"],
        json!({
            "unlabelled_runs": 1, "undecided_runs": 1, "labels_without_run": 1, "excluded_runs": 0,
            "other_part_runs": 0, "runs_without_part": 0,
        })
    );
    let levels = &found["judges"][0]["levels"];
    for (index, name, step) in [(0, "warn", 20.0), (1, "stop", 40.0)] {
        let level = &levels[index];
        assert_eq!(level["level"], name);
        assert_eq!(
            [&level["tp"], &level["fp"], &level["fn"], &level["tn"]],
            [&json!(2), &json!(1), &json!(1), &json!(2)]
        );
        // 2 of 3, for both precision and recall.
        let share = json!({"value": 0.6667, "low": 0.2077, "high": 0.9385});
        assert_eq!((&level["precision"], &level["recall"]), (&share, &share));
        assert_eq!((&level["f1"], &level["mean_first_step"]), (&json!(0.6667), &json!(step)));
        let detectors = level["detectors"].as_array().unwrap();
        assert_eq!(detectors.len(), 1, "{level}");
        assert_eq!((&detectors[0]["detector"], &detectors[0]["tp"]), (&json!("stagnation"), &json!(2)));
    }
    // After turn 40: 20, 10 and 5 steps.
    assert_eq!(
        found["judges"][0]["savings"],
        json!({"ended": 3, "steps": 35, "progress_destroyed": 0, "progress_unknown": 0})
    );
    assert_eq!(
        (&found["missed"][0]["run"], &found["missed"][0]["verdict"]),
        (&json!("short"), &json!("clear"))
    );
    let alarm = &found["false_alarms"][0];
    assert_eq!((&alarm["run"], &alarm["steps"]), (&json!("thinks"), &json!(45)));
    assert_eq!(
        (&alarm["findings"][0]["turn"], &alarm["findings"][0]["detector"]),
        (&json!(20), &json!("stagnation"))
    );
}

#[test]
fn eval_as_text() {
    let folder = runs();
    let args = [&LABELLED[..], &["--baseline", BASELINES]].concat();
    let done = eval(folder.path(), &args);
    assert!(done.out.lines().all(|line| line.chars().count() <= 100), "{}", done.out);
    insta::assert_snapshot!(shown(&done));
}

#[test]
fn the_guide_shows_what_eval_prints() {
    let guide = fs::read_to_string(root().join("docs/guide/eval.md")).unwrap();
    let command = "eval logs/ --labels labels.jsonl --positive 'labels.stuck>=2' --baseline openhands-rule";
    let args: Vec<&str> = command.split(' ').skip(1).map(|word| word.trim_matches('\'')).collect();
    let done = eval(runs().path(), &args);
    let sample = format!("```console\n$ loopbreak {command}\n```\n\n```text\n{}```\n", done.out);
    assert!(guide.contains(&sample), "the guide has to show:\n{sample}");
}

#[test]
fn eval_without_labels_shows_signals_and_savings() {
    let folder = runs();
    let found = data(folder.path(), &["logs"]);
    let warn = &found["judges"][0]["levels"][0];
    assert_eq!(
        (&found["runs"], &found["positives"], &found["positive"]),
        (&json!(8), &Value::Null, &Value::Null)
    );
    assert_eq!((&warn["signals"], &warn["tp"], &warn["precision"]), (&json!(3), &Value::Null, &Value::Null));
    assert_eq!(found["judges"][0]["savings"]["steps"], 35);
    insta::assert_snapshot!(shown(&eval(folder.path(), &["logs"])));
}

#[test]
fn eval_compares_baselines_and_counts_the_progress_they_lose() {
    let folder = folder();
    fs::write(
        folder.path().join("log.jsonl"),
        repeating_run_with_progress("patient", 9) + &healthy("well", 9),
    )
    .unwrap();
    let found = data(folder.path(), &["log.jsonl", "--baseline", BASELINES]);
    let judges = found["judges"].as_array().unwrap();
    let names: Vec<_> = judges.iter().map(|judge| judge["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["loopbreak", "openhands-rule", "gemini-rule", "opencode-rule", "window-rule", "documents"]
    );
    for (judge, step, saved) in
        [(&judges[1], 4.0, 5), (&judges[2], 5.0, 4), (&judges[3], 3.0, 6), (&judges[4], 3.0, 6)]
    {
        assert_eq!(judge["levels"].as_array().unwrap().len(), 1);
        let level = &judge["levels"][0];
        assert_eq!(
            (&level["level"], &level["signals"], &level["mean_first_step"]),
            (&json!("stop"), &json!(1), &json!(step))
        );
        assert_eq!(
            judge["savings"],
            json!({"ended": 1, "steps": saved, "progress_destroyed": 1, "progress_unknown": 0})
        );
    }
    assert_eq!(judges[5]["levels"].as_array().unwrap().len(), 2);
}

#[test]
fn eval_refuses_broken_expressions_and_labels() {
    let folder = runs();
    let path = folder.path();
    fs::write(path.join("broken.jsonl"), "{\"run\":\"well\"}\n{\"run\":\n").unwrap();
    fs::write(path.join("others.jsonl"), "{\"run\":\"x\",\"y\":1}\n").unwrap();
    fs::write(path.join("twice.jsonl"), "{\"run\":\"well\"}\n\n{\"run\":\"well\"}\n").unwrap();
    fs::write(path.join("bytes.jsonl"), b"{\"run\":\"\xff\"}\n").unwrap();
    for (args, code, message) in [
        (["labels.jsonl", "labels.stuck>="], 2, "--positive: \"labels.stuck>=\" has no value"),
        (["labels.jsonl", "labels.none"], 2, "\"labels.none\" cannot be decided for any run"),
        (["broken.jsonl", "y"], 1, "broken.jsonl:2: not JSON: EOF while parsing a value"),
        (["missing.jsonl", "y"], 1, "cannot read the label file missing.jsonl"),
        (["twice.jsonl", "y"], 1, "twice.jsonl:3: the run \"well\" already has labels, on line 1"),
        (["bytes.jsonl", "y"], 1, "cannot read the label file bytes.jsonl"),
        (["others.jsonl", "y"], 1, "none of the runs has a label"),
    ] {
        let done = eval(path, &["logs", "--labels", args[0], "--positive", args[1]]);
        assert_eq!((done.code, done.out.as_str()), (Some(code), ""), "{args:?}: {}", done.err);
        assert!(done.err.contains(message), "{args:?}: {}", done.err);
        assert!(done.err.contains("hint"), "{args:?}: {}", done.err);
    }
    for args in [&["logs", "--labels", "labels.jsonl"][..], &["logs", "--positive", "x"], &[]] {
        assert_eq!(eval(path, args).code, Some(2), "{args:?}");
    }
}

#[test]
fn eval_where_restricts_the_runs() {
    let folder = runs();
    let path = folder.path();
    let found = data(path, &[&LABELLED[..], &["--where", "labels.stuck!=3"]].concat());
    assert_eq!(
        (&found["where"], &found["runs"], &found["positives"]),
        (&json!("labels.stuck!=3"), &json!(5), &json!(2))
    );
    // One run has 3 of them, and one has no such label.
    assert_eq!(found["left_out"]["excluded_runs"], 2);
    assert!(found["missed"].as_array().unwrap().is_empty());
    let told = eval(path, &[&LABELLED[..], &["--where", "labels.stuck!=3"]].concat());
    assert!(told.out.contains("2 runs by --where"), "{}", told.out);
    // Without --positive, only the savings of these runs are reported.
    let savings = data(path, &["logs", "--labels", "labels.jsonl", "--where", "labels.stuck>=2"]);
    assert_eq!((&savings["runs"], &savings["positives"]), (&json!(3), &Value::Null));
    assert_eq!(savings["judges"][0]["savings"]["steps"], 30);
    for (expression, message) in
        [("labels.stuck>=", "--where: \"labels.stuck>=\" has no value"), ("labels.none", "matches no run")]
    {
        let done = eval(path, &[&LABELLED[..], &["--where", expression]].concat());
        assert_eq!(done.code, Some(2), "{}", done.err);
        assert!(done.err.contains(message) && done.err.contains("hint"), "{}", done.err);
    }
    assert_eq!(eval(path, &["logs", "--where", "x"]).code, Some(2), "there are no labels to ask");
}

#[test]
fn eval_leaves_out_runs_that_nobody_labelled() {
    let folder = folder();
    let path = folder.path();
    let runs = ["yes", "no", "disagree", "nobody", "none"];
    fs::write(path.join("log.jsonl"), runs.map(|run| stuck(run, 45)).concat()).unwrap();
    let labels = r#"{"run":"yes","labels":{"looping":true,"pairs":[1,2]}}
{"run":"no","labels":{"looping":false,"pairs":[]}}
{"run":"disagree","labels":{"looping":"split","pairs":"unsure"}}
{"run":"nobody","labels":{"looping":false,"pairs":[],"labelled":false}}
"#;
    fs::write(path.join("labels.jsonl"), labels).unwrap();
    for positive in ["labels.looping", "labels.looping=true", "labels.looping!=false", "labels.pairs>=2"] {
        let args = ["log.jsonl", "--labels", "labels.jsonl", "--positive", positive];
        let found = data(path, &args);
        let stop = &found["judges"][0]["levels"][1];
        assert_eq!(
            (&found["runs"], &stop["tp"], &stop["fp"]),
            (&json!(2), &json!(1), &json!(1)),
            "{positive}"
        );
        let told = eval(path, &args);
        assert!(told.out.contains("left out: 2 runs without labels, 1 run undecided"), "{}", told.out);
    }
}

/// Writes a split of two of the runs, beside the logs.
fn with_split() -> tempfile::TempDir {
    let folder = runs();
    let split = r#"{"set":"runs","run":"stuck-1","part":"look"}
{"set":"runs","run":"stuck-2","part":"check"}
{"set":"runs","run":"thinks","part":"check"}
{"set":"sessions","file":"whole.jsonl","part":"check"}
{"set":"elsewhere","run":"well","part":"check"}
"#;
    fs::write(folder.path().join("logs/split.jsonl"), split).unwrap();
    folder
}

#[test]
fn eval_takes_one_part_of_a_split() {
    let folder = with_split();
    let path = folder.path();
    fs::write(path.join("logs/whole.jsonl"), healthy("session", 20)).unwrap();
    let part = |part| ["logs", "--split", "logs/split.jsonl", "--part", part];
    let found = data(path, &part("check"));
    // stuck-2, thinks, and the run of the log that the split names as a whole.
    assert_eq!((&found["part"], &found["runs"]), (&json!("check"), &json!(3)));
    assert_eq!(
        (&found["left_out"]["other_part_runs"], &found["left_out"]["runs_without_part"]),
        (&json!(1), &json!(5))
    );
    let told = eval(path, &[&LABELLED[..], &part("look")[1..]].concat());
    assert_eq!((told.code, told.err.as_str()), (Some(0), ""));
    let head: Vec<&str> = told.out.lines().take(3).collect();
    let expected = [
        "1 run, 60 steps: 1 positive (labels.stuck>=2)",
        "part of the split: look",
        "left out: 3 runs in other parts of the split, 5 runs not in the split, 1 label without a run",
    ];
    assert_eq!(head, expected, "{}", told.out);
}

#[test]
fn eval_refuses_splits_that_it_cannot_use() {
    let folder = with_split();
    let path = folder.path();
    fs::write(path.join("broken.jsonl"), "{\"set\":\"runs\",\"run\":\"well\"}\n").unwrap();
    fs::write(path.join("others.jsonl"), "{\"set\":\"x\",\"run\":\"y\",\"part\":\"look\"}\n").unwrap();
    for (split, part, code, message, hint) in [
        ("missing.jsonl", "look", 1, "cannot read the split file missing.jsonl", "one JSON object per line"),
        ("logs", "look", 1, "cannot read the split file logs", "one JSON object per line"),
        ("broken.jsonl", "look", 1, "broken.jsonl:1: missing field `part`", "one JSON object per line"),
        (
            "logs/split.jsonl",
            "test",
            2,
            "--part: the split has no part \"test\"",
            "its parts are check, look",
        ),
        ("others.jsonl", "look", 1, "no run is in the part \"look\" of others.jsonl", "a run is found by"),
    ] {
        let done = eval(path, &["logs", "--split", split, "--part", part]);
        assert_eq!((done.code, done.out.as_str()), (Some(code), ""), "{split}: {}", done.err);
        assert!(done.err.contains(message) && done.err.contains(hint), "{split}: {}", done.err);
    }
    for args in [["logs", "--split", "logs/split.jsonl"], ["logs", "--part", "look"]] {
        assert_eq!(eval(path, &args).code, Some(2), "{args:?}");
    }
}

#[test]
fn eval_prints_a_command_that_explains_the_run() {
    let folder = runs();
    let path = folder.path();
    let args = [&LABELLED[..], &["--set", "stagnation.warn_at=15"]].concat();
    let alarm = &data(path, &args)["false_alarms"][0];
    let command = "loopbreak analyze logs/runs.jsonl --run thinks --explain --set stagnation.warn_at=15";
    assert_eq!(alarm["explain"], command);
    let told = eval(path, &args);
    assert!(told.out.lines().any(|line| line.trim() == command), "{}", told.out);
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let shown = done(loopbreak(path).args(words));
    assert_eq!(shown.code, Some(0), "{}", shown.err);
    assert!(shown.out.contains("! warn, stagnation: no progress for 15 turns"), "{}", shown.out);
}

#[test]
fn eval_shows_how_loops_continued_after_warnings() {
    let folder = runs();
    let found = data(folder.path(), &["logs", "--baseline", "gemini-rule"]);
    let after = &found["judges"][0]["after_warning"];
    assert_eq!(
        [&after["went_on"], &after["changed_course"], &after["ended"]],
        [&json!(3), &json!(0), &json!(0)]
    );
    assert_eq!(after["went_on_share"]["value"], 1.0);
    assert_eq!(after["detectors"][0]["detector"], "stagnation");
    assert!(found["judges"][1].get("after_warning").is_none(), "a rule that only ends runs warns of nothing");
}

#[test]
fn eval_skips_label_files_among_the_logs_and_takes_settings_like_analyze() {
    let folder = runs();
    let path = folder.path();
    fs::rename(path.join("labels.jsonl"), path.join("logs/labels.jsonl")).unwrap();
    let args = ["logs", "--labels", "logs/labels.jsonl", "--positive", "labels.stuck>=2"];
    let found = eval(path, &args);
    assert_eq!((found.code, found.err.as_str()), (Some(0), ""));
    let off = data(path, &[&args[..], &["--set", "stagnation.mode=off"]].concat());
    assert_eq!(off["judges"][0]["levels"][0]["signals"], 0);
    assert_eq!(off["missed"].as_array().unwrap().len(), 3);
}

#[test]
fn eval_lists_ids_that_can_be_copied() {
    let folder = folder();
    let id = "a/rather/long/name/of/a/run/as/some/harnesses/make/them/up/for/each/of/their/trials/7";
    fs::write(folder.path().join("log.jsonl"), stuck(id, 45)).unwrap();
    fs::write(folder.path().join("labels.jsonl"), format!("{{\"run\":\"{id}\",\"stuck\":false}}\n")).unwrap();
    let args = ["log.jsonl", "--labels", "labels.jsonl", "--positive", "stuck"];
    let found = done(loopbreak(folder.path()).env("COLUMNS", "60").arg("eval").args(args));
    let lines: Vec<&str> = found.out.lines().collect();
    assert!(lines.contains(&format!("  stop   {id}").as_str()), "{}", found.out);
    assert!(lines.contains(&"         45 steps  log.jsonl"), "{}", found.out);
}

#[test]
fn eval_advice_shows_two_sets_of_texts_side_by_side() {
    let folder = runs();
    let path = folder.path();
    fs::write(path.join("mine.toml"), "[advice.texts]\nstagnation = \"Turn {turn}: do something else.\"\n")
        .unwrap();
    let args = ["logs", "--advice", "neutral", "mine.toml"];
    let found = data(path, &args);
    assert_eq!(found["schema"], "loopbreak.eval.advice/1");
    assert_eq!(
        (&found["sets"][0]["name"], &found["sets"][1]["name"]),
        (&json!("neutral"), &json!("mine.toml"))
    );
    let first = &found["patterns"][0];
    assert_eq!(
        (&first["pattern"], &first["run"], &first["turn"]),
        (&json!("stuck_no_progress"), &json!("stuck-1"), &json!(20))
    );
    assert_eq!(first["texts"][1], "Turn 20: do something else.");
    let told = eval(path, &args);
    assert_eq!((told.code, told.err.as_str()), (Some(0), ""));
    assert!(told.out.lines().all(|line| line.chars().count() <= 100), "{}", told.out);
    insta::assert_snapshot!(shown(&told));
}

#[test]
fn eval_advice_refuses_sets_that_do_not_exist() {
    let folder = runs();
    let path = folder.path();
    fs::write(path.join("bad.toml"), "[advice.texts]\nno_such_text = \"x\"\n").unwrap();
    for (args, message) in [
        (&["--advice", "neutral", "none.toml"][..], "\"none.toml\" is neither a set of texts nor a file"),
        (&["--advice", "neutral", "bad.toml"], "no_such_text"),
        (&["--advice", "neutral"], "2 values required"),
        (&["--advice", "neutral", "zork", "--baseline", "gemini-rule"], "cannot be used with"),
    ] {
        let done = eval(path, &[&["logs"], args].concat());
        assert_eq!((done.code, done.out.as_str()), (Some(2), ""), "{args:?}: {}", done.err);
        assert!(done.err.contains(message), "{args:?}: {}", done.err);
    }
}

#[test]
fn eval_help_has_examples() {
    let done = eval(folder().path(), &["--help"]);
    assert!(done.out.contains("Examples:\n  loopbreak eval "), "{}", done.out);
}
