//! `loopbreak wait`: one call in place of many polls.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::support::{FinishedProgram, done, folder, loopbreak};

/// Runs a wait with short times.
fn wait(folder: &Path, args: &[&str]) -> FinishedProgram {
    let timeout = if args.contains(&"--timeout") { &[][..] } else { &["--timeout", "20"] };
    let args = [&["wait", "--every", "0.1"], timeout, args].concat();
    done(loopbreak(folder).env("PATH", "/usr/bin:/bin").args(args))
}

/// Returns whether the process in a file is running. It may take a moment until the file is written.
fn is_running(file: &Path) -> bool {
    let id: i32 = fs::read_to_string(file).unwrap().trim().parse().unwrap();
    // A process whose parent is gone may stay as a zombie if nobody collects it.
    let state = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let is_zombie = state.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z');
    kill(Pid::from_raw(id), None).is_ok() && !is_zombie
}

fn until(condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < Duration::from_secs(30), "it did not happen");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn waits_until_the_command_succeeds() {
    let folder = folder();
    let command = "echo x >> tries; echo \"try $(wc -l < tries)\"; test $(wc -l < tries) -ge 3";
    let done = wait(folder.path(), &["--until", command]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{}", done.out);
    let (line, output) = done.out.split_once('\n').unwrap();
    assert!(
        line.starts_with("condition met after ") && line.ends_with(", 3 tries (last: exit code 0)"),
        "{line}"
    );
    assert_eq!(output, "try 3\n");
}

#[test]
fn waits_for_a_text_or_a_change_of_the_output() {
    let folder = folder();
    let script = "echo x >> tries; echo state $(( $(wc -l < tries) / 4 )); exit 7";
    let done = wait(folder.path(), &["--until-output", "state 1", "--", "sh", "-c", script]);
    assert!(done.code == Some(0) && done.out.contains("4 tries (last: exit code 7)"), "{}", done.out);
    let done = wait(folder.path(), &["--until-change", "--json", "--until", script]);
    let report: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(
        (done.code, &report["end"], &report["tries"]),
        (Some(0), &"met".into(), &4.into()),
        "{report}"
    );
    assert_eq!((&report["exit"], &report["output"]), (&7.into(), &"state 2".into()));
}

#[test]
fn gives_up_after_the_timeout_with_the_last_output() {
    let folder = folder();
    let args = ["--timeout", "0.5", "--until", "echo not yet >&2; false"];
    let began = Instant::now();
    let done = wait(folder.path(), &args);
    assert_eq!(done.code, Some(11), "{}", done.err);
    assert!(began.elapsed() >= Duration::from_millis(500));
    assert!(done.out.starts_with("condition not met: timed out after "), "{}", done.out);
    assert!(done.out.ends_with("(last: exit code 1)\nnot yet\n"), "{}", done.out);
}

#[test]
fn a_definite_failure_ends_the_wait() {
    let folder = folder();
    let args =
        ["--until", "false", "--fail-when", "echo x >> checks; test $(wc -l < checks) -ge 2 && echo broken"];
    let done = wait(folder.path(), &args);
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert!(done.out.contains("--fail-when succeeded") && done.out.contains("2 tries"), "{}", done.out);
    assert!(done.out.ends_with("broken\n"), "{}", done.out);
}

#[test]
fn a_command_that_cannot_be_run_is_an_error_at_once() {
    let folder = folder();
    let done = wait(folder.path(), &["--", "no-such-program"]);
    assert_eq!(done.code, Some(1));
    assert!(done.err.contains("cannot run \"no-such-program\"") && done.err.contains("hint"), "{}", done.err);
    let done = wait(folder.path(), &["--timeout", "0.3", "--until", "no-such-program"]);
    assert_eq!(done.code, Some(11));
    assert!(done.err.contains("could not run its command") && done.err.contains("not found"), "{}", done.err);
    for args in [&["--until", "true", "--", "true"][..], &[], &["--until", "true", "--try-timeout", "soon"]] {
        assert_eq!(wait(folder.path(), args).code, Some(2), "{args:?}");
    }
}

#[test]
fn a_try_that_hangs_is_ended_and_tried_again() {
    let folder = folder();
    let command = "echo x >> tries; test $(wc -l < tries) -ge 2 || sleep 600";
    let done = wait(folder.path(), &["--try-timeout", "0.3", "--until", command]);
    assert!(done.code == Some(0) && done.out.contains("2 tries"), "{}{}", done.out, done.err);
}

#[test]
fn a_try_that_ignores_the_request_to_end_is_killed() {
    let folder = folder();
    let command = "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done";
    let began = Instant::now();
    let done = wait(folder.path(), &["--timeout", "0.5", "--until", command]);
    assert_eq!(done.code, Some(11), "{}", done.err);
    assert!(began.elapsed() >= Duration::from_secs(5), "it had time to end");
    assert!(!is_running(&folder.path().join("pid")));
}

#[test]
fn processes_that_a_try_left_behind_end_with_it_and_others_are_not_touched() {
    let folder = folder();
    let mut other = Command::new("sleep").arg("600").spawn().unwrap();
    // The second one leaves its group, as a server that the command starts on purpose does.
    let command =
        "sleep 600 & echo $! > inside; setsid sh -c 'echo $$ > outside; exec sleep 600' & sleep 0.3";
    let done = wait(folder.path(), &["--until", command]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(!is_running(&folder.path().join("inside")), "it was left behind");
    let outside = folder.path().join("outside");
    assert!(is_running(&outside), "it is not part of the group");
    assert!(other.try_wait().unwrap().is_none(), "it has nothing to do with the wait");
    let id: i32 = fs::read_to_string(outside).unwrap().trim().parse().unwrap();
    kill(Pid::from_raw(id), Signal::SIGKILL).unwrap();
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn an_interrupt_ends_the_wait_with_its_processes() {
    for (signal, code) in [(Signal::SIGINT, Some(130)), (Signal::SIGTERM, Some(130)), (Signal::SIGKILL, None)]
    {
        let folder = folder();
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
            .args(["wait", "--until", "echo $$ > pid; exec sleep 600"])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let pid = folder.path().join("pid");
        until(|| fs::read_to_string(&pid).is_ok_and(|text| text.ends_with('\n')));
        kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), code, "{signal}");
        until(|| !is_running(&pid));
    }
}

#[test]
fn a_long_output_is_bounded_and_cannot_control_the_terminal() {
    let folder = folder();
    let done = wait(folder.path(), &["--until", "seq 1 5000; printf '\\033[2Jend\\n'"]);
    assert_eq!(done.code, Some(0));
    assert!(done.out.len() < 5_000 && done.out.lines().count() <= 42, "{}", done.out.len());
    assert!(!done.out.contains('\u{1b}') && done.out.contains("5000\n"), "{}", done.out);
}

/// An agent that waits with this command does what the guard asks for.
#[test]
fn a_call_of_it_is_judged_as_waiting_and_not_as_a_loop_of_errors() {
    let folder = folder();
    let call = |program: &str| {
        let report = wait(folder.path(), &["--timeout", "0.1", "--until", "false"]).out;
        let command = format!("{program} wait --until 'make > log && test -f done'");
        let step = serde_json::json!({"action": {"name": "Bash", "args": {"command": command}},
                                      "outcome": {"text": format!("Exit code 11\n{report}"), "error": true}});
        let input = format!("{step}\n").repeat(12);
        let done = done(loopbreak(folder.path()).arg("guard").write_stdin(input));
        let answers = done.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let findings = answers.flat_map(|answer| {
            let turn = answer["turn"].clone();
            let findings = answer["findings"].as_array().unwrap().clone().into_iter();
            findings.map(move |finding| format!("{} at {turn}", finding["detector"].as_str().unwrap()))
        });
        findings.collect::<Vec<_>>()
    };
    assert_eq!(call("loopbreak"), ["poll at 10"]);
    assert!(call("another").contains(&"errors at 3".to_owned()));
}
