//! `loopbreak guard`: steps in, verdicts out.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::support::hooks::HookHome;
use crate::support::{FinishedProgram, done, root};

const FAILING: &str = r#"{"action":"make","outcome":{"text":"1 failed","error":true}}"#;

fn guard(home: &HookHome, args: &[&str], input: &str) -> FinishedProgram {
    done(home.command(&[&["guard"], args].concat()).write_stdin(input))
}

fn lines(done: &FinishedProgram) -> Vec<Value> {
    done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn verdicts(answers: &[Value]) -> Vec<&str> {
    answers.iter().map(|answer| answer["verdict"].as_str().unwrap()).collect()
}

#[test]
fn each_line_gets_a_verdict_with_the_keys_of_the_mcp_tool() {
    let home = HookHome::new();
    let done = guard(&home, &[], &format!("{FAILING}\n").repeat(3));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    let answers = lines(&done);
    assert_eq!(verdicts(&answers), ["clear", "clear", "warn"]);
    let advice = answers[2]["advice"][0].as_str().unwrap();
    assert!(advice.contains("make"), "{advice}");
    for key in ["run", "turn", "findings", "interventions", "advice", "forUser", "forCritic", "events"] {
        assert!(answers[2].get(key).is_some(), "{key}: {}", answers[2]);
    }
    assert!(!home.store().exists(), "without --run nothing is stored");
}

#[test]
fn a_program_can_wait_for_each_answer() {
    let home = HookHome::new();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .arg("guard")
        .env_clear()
        .current_dir(home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |line: &str| -> Value {
        writeln!(input, "{line}").unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    };
    let mut refused = None;
    for call in 1..=12 {
        let ruling = ask(r#"{"weigh":{"action":"make"}}"#);
        if ruling["accepted"] == false {
            refused = Some((call, ruling["advice"].clone()));
            break;
        }
        assert_eq!(ask(FAILING)["turn"], call);
    }
    let (call, advice) = refused.unwrap();
    assert!((4..=8).contains(&call), "{call}");
    assert!(!advice.as_array().unwrap().is_empty(), "{advice}");
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_bad_line_gets_one_answer_and_the_next_line_is_read() {
    let home = HookHome::new();
    let long = format!(r#"{{"say":"{}"}}"#, "x".repeat(4 * 1024 * 1024));
    let input = format!(
        "{FAILING}\nnot JSON\n\n{{\"actoin\":\"x\"}}\n{long}\n{{\"weigh\":7}}\n\u{1b}[31m\n{FAILING}"
    );
    let done = guard(&home, &[], &input);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    let answers = lines(&done);
    let errors: Vec<(&str, u64)> = answers
        .iter()
        .filter_map(|answer| Some((answer["error"]["code"].as_str()?, answer["error"]["line"].as_u64()?)))
        .collect();
    let expected =
        [("not_json", 2), ("invalid_step", 4), ("line_too_long", 5), ("invalid_weigh", 6), ("not_json", 7)];
    assert_eq!(errors, expected);
    assert!(
        answers[2]["error"]["hint"].as_str().unwrap().starts_with("Did you mean `action`?"),
        "{}",
        answers[2]
    );
    assert_eq!((answers.len(), &answers[6]["turn"]), (7, &json!(2)));
}

#[test]
fn the_exit_code_is_10_only_with_fail_on() {
    let home = HookHome::new();
    let warned = format!("{FAILING}\n").repeat(3);
    let stopped = format!("{FAILING}\n").repeat(12);
    for (args, input, code) in [
        (&[][..], &stopped, 0),
        (&["--fail-on", "warn"], &warned, 10),
        (&["--fail-on", "stop"], &warned, 0),
        (&["--fail-on", "stop"], &stopped, 10),
        (&["--fail-on", "stop", "--set", "mode=off"], &stopped, 0),
        (&["--set", "nothing=1"], &warned, 2),
        (&["--run", " "], &warned, 2),
    ] {
        let done = guard(&home, args, input);
        assert_eq!(done.code, Some(code), "{args:?}: {}", done.err);
    }
}

#[test]
fn a_stored_run_continues_in_the_next_process() {
    let home = HookHome::new();
    let mut found = Vec::new();
    for _ in 0..3 {
        found.extend(lines(&guard(&home, &["--run", "nightly"], FAILING)));
    }
    assert_eq!(verdicts(&found), ["clear", "clear", "warn"]);
    let question =
        lines(&guard(&home, &["--run", "nightly"], r#"{"weigh":{"action":"make"},"run":"other"}"#));
    assert_eq!(question[0]["error"]["code"], "other_run");
    let log = done(&mut home.command(&["log", "nightly"]));
    assert!(log.code == Some(0) && log.out.contains("make"), "{}{}", log.out, log.err);
    let status = &home.json(&["status", "--json"])[0];
    assert_eq!((&status["runs"][0]["source"], &status["tickCount"]), (&json!("guard"), &json!(3)));
}

#[test]
fn processes_that_guard_the_same_run_lose_no_step() {
    let (processes, steps) = (4, 8);
    let home = HookHome::new();
    let turns: Vec<u64> = thread::scope(|scope| {
        let running: Vec<_> = (0..processes)
            .map(|process| {
                let home = &home;
                scope.spawn(move || {
                    let line = |step: i32| format!("{{\"say\":\"step {step} of {process}\"}}\n");
                    let input: String = (0..steps).map(line).collect();
                    lines(&guard(home, &["--run", "shared"], &input))
                })
            })
            .collect();
        let answers = running.into_iter().flat_map(|process| process.join().unwrap());
        answers.map(|answer| answer["turn"].as_u64().unwrap()).collect()
    });
    let mut sorted = turns;
    sorted.sort_unstable();
    assert_eq!(sorted, (1..=32).collect::<Vec<u64>>());
    let status = &home.json(&["status", "--json"])[0];
    assert_eq!(status["tickCount"], 32);
}

/// The guarded agent can write files, so it could switch its guard off.
#[test]
fn a_configuration_of_the_project_cannot_loosen_the_guard() {
    let home = HookHome::new();
    fs::write(home.path().join("loopbreak.toml"), "mode = \"off\"\n").unwrap();
    let done = guard(&home, &[], &format!("{FAILING}\n").repeat(3));
    assert_eq!(verdicts(&lines(&done)), ["clear", "clear", "warn"]);
    assert!(done.err.contains("loopbreak.toml"), "{}", done.err);
}

/// Returns the first code block of a language in the guide.
fn snippet(language: &str) -> String {
    let page = fs::read_to_string(root().join("docs/guide/guard.md")).unwrap();
    let block = page.split(&format!("```{language}\n")).nth(1).unwrap().split("```").next().unwrap();
    block.to_owned()
}

fn play(folder: &Path, program: &str, file: &str, language: &str) -> String {
    fs::write(folder.join(file), snippet(language)).unwrap();
    let bin = assert_cmd::cargo::cargo_bin!("loopbreak").parent().unwrap().to_owned();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = assert_cmd::Command::new(program);
    command.arg(file).current_dir(folder).env_clear().timeout(std::time::Duration::from_mins(1));
    let done = done(command.env("PATH", format!("{}:{path}", bin.display())));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{program}: {}", done.out);
    done.out
}

#[cfg(unix)]
#[test]
fn the_programs_of_the_guide_work_as_they_are() {
    for (program, file, language) in
        [("python3", "agent.py", "python"), ("node", "agent.mjs", "ts"), ("bash", "agent.sh", "bash")]
    {
        let folder = crate::support::folder();
        let out = play(folder.path(), program, file, language);
        assert!(out.contains("make test"), "{program}: {out}");
        assert!(snippet(language).lines().count() <= 20, "{language}");
    }
}
