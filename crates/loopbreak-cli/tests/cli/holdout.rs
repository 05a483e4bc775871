//! `policy.holdout`: the effect of Loopbreak, as `eval` and `status` report it.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fmt::Write as _;
use std::fs;
use std::iter::repeat_n;
use std::path::Path;

use loopbreak::{Config, Guard, Settings};
use serde_json::{Value, json};

use crate::support::hooks::HookHome;
use crate::support::{FinishedProgram, done, folder, loopbreak, root};

const HALF: [&str; 2] = ["--set", "policy.holdout=0.5"];

/// Returns whether a run is held out, if half of them are.
fn held_out(run: &str) -> bool {
    let mut settings = Settings::default();
    settings.policy.holdout = 0.5;
    Guard::new(Config::new(settings).unwrap()).for_run(run).is_held_out()
}

fn eval(folder: &Path, args: &[&str]) -> FinishedProgram {
    let done = done(loopbreak(folder).args(["eval", "log.jsonl"]).args(args));
    assert_eq!(done.code, Some(0), "{}", done.err);
    done
}

fn data(folder: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&eval(folder, &[&["--json"], args].concat()).out).unwrap()
}

/// Writes 20 runs that repeat a call and two that do not. A run that is held out repeats it about ten times more.
fn runs() -> tempfile::TempDir {
    runs_with_usage(&json!({"input_tokens": 100}))
}

/// Writes the same runs with this usage for each step.
fn runs_with_usage(usage: &Value) -> tempfile::TempDir {
    let mut log = String::new();
    for number in 0..20 {
        let run = format!("run-{number}");
        let repeats = 4 + number % 3 + if held_out(&run) { 10 } else { 0 };
        for step in 0..repeats + 6 {
            let call = if step < repeats { "make".to_owned() } else { format!("cat part{step}.txt") };
            let step = json!({"run": run, "action": {"name": "bash", "args": {"command": call}},
                              "outcome": format!("output of {call}"), "usage": usage});
            writeln!(log, "{step}").unwrap();
        }
    }
    for run in ["fine-1", "fine-2"] {
        let step = json!({"run": run, "action": "look", "outcome": "a room"});
        writeln!(log, "{step}").unwrap();
    }
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), log).unwrap();
    folder
}

#[test]
fn eval_reports_the_difference_of_held_out_runs() {
    let folder = runs();
    let found = data(folder.path(), &HALF);
    let holdout = &found["holdout"];
    let groups = |count: u64| (0..count).filter(|number| held_out(&format!("run-{number}"))).count() as u64;
    let fine = ["fine-1", "fine-2"].into_iter().filter(|run| held_out(run)).count() as u64;
    assert_eq!((&holdout["runs"], &holdout["held_out"]), (&json!(22), &json!(groups(20) + fine)));
    assert_eq!(
        (&holdout["looping_runs"], &holdout["looping_held_out"]),
        (&json!(20), &json!(groups(20))),
        "{holdout}"
    );
    let number = |value: &Value| value.as_f64().unwrap();
    let (difference, interval) = (number(&holdout["difference"]), &holdout["interval"]);
    assert!((9.0..11.0).contains(&difference), "{holdout}");
    assert!(number(&interval["low"]) < difference && difference < number(&interval["high"]), "{holdout}");
    assert!(number(&interval["low"]) > 5.0, "{holdout}");
    let means = &holdout["mean_steps_after_warning"];
    assert!((number(&means["held_out"]) - number(&means["others"]) - difference).abs() < 1e-5, "{holdout}");
    assert!((number(&holdout["tokens_after_warning"]["difference"]) - 100.0 * difference).abs() < 1e-3);
    assert_eq!(holdout["cost_after_warning_usd"], Value::Null);

    let text = eval(folder.path(), &HALF).out;
    assert!(text.contains(&format!("{difference:.1} (")), "{text}");
    assert!(text.contains("\nholdout ") && text.contains("difference (95 %)"), "{text}");
    let page = folder.path().join("eval.html");
    eval(folder.path(), &[&HALF[..], &["--html", "eval.html"]].concat());
    assert!(fs::read_to_string(page).unwrap().contains("<h2 id=\"holdout-h\">Held-out runs</h2>"));
}

#[test]
fn the_guide_shows_the_table_of_held_out_runs() {
    let guide = fs::read_to_string(root().join("docs/guide/eval.md")).unwrap();
    let folder = runs_with_usage(&json!({"input_tokens": 1600, "cost_usd": 0.006}));
    fs::create_dir(folder.path().join("logs")).unwrap();
    fs::rename(folder.path().join("log.jsonl"), folder.path().join("logs/log.jsonl")).unwrap();
    let done = done(loopbreak(folder.path()).args(["eval", "logs/"]).args(HALF));
    let table = done.out.split("\n\n").find(|part| part.starts_with("holdout ")).unwrap();
    let command = "$ loopbreak eval logs/ --set policy.holdout=0.5";
    let sample = format!("```console\n{command}\n```\n\n```text\n{}\n```\n", table.trim_end());
    assert!(guide.contains(&sample), "the guide has to show:\n{sample}");
}

#[test]
fn eval_judges_held_out_runs_like_the_others() {
    let folder = runs();
    let (mut with, without) = (data(folder.path(), &HALF), data(folder.path(), &[]));
    assert_eq!(without["judges"][0]["levels"][0]["signals"], 20);
    with.as_object_mut().unwrap().remove("holdout").unwrap();
    assert_eq!(with, without);
    // Without a holdout there is nothing to compare.
    assert!(!eval(folder.path(), &[]).out.contains("holdout"));
    let observed = ["--set", "policy.holdout=0.5", "--set", "mode=\"observe\""];
    assert!(!eval(folder.path(), &observed).out.contains("holdout"));
}

#[test]
fn analyze_and_tune_judge_held_out_runs_like_the_others() {
    let folder = runs();
    let report = |args: &[&str]| {
        let done = done(loopbreak(folder.path()).args(args).args(["log.jsonl", "--json"]));
        assert_eq!(done.code, Some(0), "{}", done.err);
        serde_json::from_str::<Value>(&done.out).unwrap()
    };
    let tune = ["tune", "--budget", "5"];
    for command in [&["analyze"][..], &tune[..]] {
        assert_eq!(report(&[command, &HALF].concat()), report(command), "{command:?}");
    }
    assert_eq!(report(&[&["analyze"][..], &HALF].concat())["totals"]["warned"], 20);
}

#[test]
fn a_settings_file_of_tune_keeps_the_holdout() {
    let folder = runs();
    let args = ["tune", "log.jsonl", "--budget", "2", "--output", "found.toml"];
    let done = done(loopbreak(folder.path()).args(args).args(HALF));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let found = fs::read_to_string(folder.path().join("found.toml")).unwrap();
    assert!(found.contains("holdout = 0.5"), "{found}");
}

#[test]
fn eval_with_one_held_out_run_gives_no_difference() {
    let folder = runs();
    let log = fs::read_to_string(folder.path().join("log.jsonl")).unwrap();
    let one = (0..20).map(|number| format!("run-{number}")).find(|run| held_out(run)).unwrap();
    let kept = log.lines().filter(|line| {
        let run = serde_json::from_str::<Value>(line).unwrap()["run"].as_str().unwrap().to_owned();
        run == one || !held_out(&run)
    });
    fs::write(folder.path().join("log.jsonl"), kept.collect::<Vec<_>>().join("\n")).unwrap();
    let holdout = data(folder.path(), &HALF)["holdout"].take();
    assert_eq!((&holdout["looping_held_out"], &holdout["difference"]), (&json!(1), &Value::Null));
    assert!(eval(folder.path(), &HALF).out.contains("too few runs"));
}

/// Reports an event to a hook while half of the runs are held out.
fn send(home: &HookHome, event: &Value) {
    let mut command = home.command(&["hook", "claude-code"]);
    let done = done(command.env("LOOPBREAK_POLICY__HOLDOUT", "0.5").write_stdin(event.to_string()));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{event}");
}

/// Reports the same call a number of times, then other calls.
fn repeat_call(home: &HookHome, session: &str, times: usize) {
    let session = home.session(session);
    let others = (0..4).map(|number| format!("cat part{number}.txt"));
    for call in repeat_n("make".to_owned(), times).chain(others) {
        let output = format!("output of {call}");
        let response = json!({"tool_response": {"stdout": output, "stderr": "", "interrupted": false}});
        send(home, &session.tool("PostToolUse", "Bash", &json!({"command": call}), response));
    }
}

#[test]
fn status_reports_the_difference_of_held_out_runs() {
    let home = HookHome::new();
    let all: Vec<String> = (0..30).map(|number| format!("session-{number}")).collect();
    let group = |is_held_out: bool| all.iter().filter(move |run| held_out(run) == is_held_out);
    for (run, times) in group(true).zip([12, 15]).chain(group(false).zip([5, 6])) {
        repeat_call(&home, run, times);
    }
    // Runs that have ended are compared too.
    let ended = group(false).next().unwrap();
    send(&home, &home.session(ended).event("SessionEnd", json!({"reason": "other"})));

    let found = home.json(&["status", "--json"]).remove(0);
    assert_eq!(found["runs"].as_array().unwrap().len(), 4);
    let holdout = &found["holdout"];
    assert_eq!((&holdout["runs"], &holdout["held_out"]), (&json!(4), &json!(2)), "{holdout}");
    assert_eq!((&holdout["looping_runs"], &holdout["looping_held_out"]), (&json!(4), &json!(2)));
    let means = &holdout["mean_steps_after_warning"];
    // The warning comes at the third call.
    assert_eq!((&means["held_out"], &means["others"]), (&json!(10.5), &json!(2.5)), "{holdout}");
    assert_eq!(holdout["difference"], 8.0);
    let ends = ["low", "high"].map(|end| holdout["interval"][end].as_f64().unwrap());
    assert!(ends[0] < 8.0 && ends[1] > 8.0, "{holdout}");
    let marked = found["runs"].as_array().unwrap().iter().filter(|run| run["heldOut"] == true);
    assert_eq!(marked.count(), 2);

    let text = done(&mut home.command(&["status", "--all"])).out;
    assert_eq!(text.matches(", held out, ").count(), 2, "{text}");
    assert!(text.contains("\nsteps after warning"), "{text}");
    assert!(!text.contains("too few runs"), "{text}");
}

#[test]
fn status_says_nothing_about_a_holdout_that_was_not_set() {
    let home = HookHome::new();
    home.session("guarded").call_until_denied("make");
    assert_eq!(home.json(&["status", "--json"])[0]["holdout"], Value::Null);
    assert!(!done(&mut home.command(&["status"])).out.contains("held out"));
    // A run from before is not compared.
    let later = (0..30).map(|number| format!("session-{number}")).find(|run| !held_out(run)).unwrap();
    repeat_call(&home, &later, 12);
    let holdout = home.json(&["status", "--json"])[0]["holdout"].take();
    assert_eq!((&holdout["runs"], &holdout["difference"]), (&json!(1), &Value::Null));
    assert!(done(&mut home.command(&["status"])).out.contains("too few runs"));
}
