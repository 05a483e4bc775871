//! `loopbreak run` repeatedly: resumed runs, and runs that end early one after the other.

#![cfg(unix)]

use std::fs;

use crate::support::agents::{VARIED, agent, run_with, session, start_and_wait};
use crate::support::folder;

#[test]
fn a_run_whose_runner_was_killed_can_be_resumed() {
    let folder = folder();
    let body = agent(&format!("if [ $N = 3 ]; then touch up; exec sleep 7; fi; {VARIED}"));
    let mut child = start_and_wait(folder.path(), &["run", "--", "sh", "-c", &body]);
    child.kill().unwrap();
    child.wait().unwrap();
    let done = run_with(folder.path(), &["--resume", "--max-iterations", "4"], &body);
    assert_eq!(done.code, Some(11), "{}", done.err);
    assert!(done.err.contains("continues after iteration 2"), "{}", done.err);
    assert_eq!(
        done.out.lines().count(),
        1,
        "the third was cut off and counts, so only the fourth: {}",
        done.out
    );
}

#[test]
fn a_resumed_run_continues_where_it_ended() {
    let folder = folder();
    let body = agent(VARIED);
    let first = run_with(folder.path(), &["--max-iterations", "2"], &body);
    assert_eq!(first.code, Some(11), "{}", first.err);
    let second = run_with(folder.path(), &["--max-iterations", "5", "--resume"], &body);
    assert_eq!(second.code, Some(11), "{}", second.err);
    assert_eq!(session(&first), session(&second));
    assert!(second.err.contains("continues after iteration 2"), "{}", second.err);
    assert_eq!(second.out.lines().count(), 3, "five in all");
    let other = run_with(folder.path(), &["--max-iterations", "1", "--resume"], "echo another");
    assert!(other.err.contains("starting a new one"), "{}", other.err);
}

#[test]
fn a_run_that_is_active_elsewhere_is_not_resumed() {
    let folder = folder();
    let body = "touch up; exec sleep 7";
    let mut first = start_and_wait(folder.path(), &["run", "--", "sh", "-c", body]);
    let second = run_with(folder.path(), &["--resume"], body);
    assert_eq!(second.code, Some(1), "{}", second.err);
    assert!(second.err.contains("is active in another process"), "{}", second.err);
    // The run can be resumed when that process is gone, even if it was killed.
    first.kill().unwrap();
    first.wait().unwrap();
    let third = run_with(folder.path(), &["--resume", "--max-runtime", "0.5"], body);
    assert_eq!(third.code, Some(11), "{}", third.err);
}

#[test]
fn consecutive_short_runs_are_reported_when_the_next_run_starts() {
    let folder = folder();
    let args = ["--prompt", "Fix the failing tests of the parser.", "--max-errors", "2"];
    let broken = "[ -e fixed ] || { echo \"cannot read the config\" >&2; exit 1; }; echo it went well";
    for number in 1..=5 {
        let done = run_with(folder.path(), &args, broken);
        assert_eq!(done.code, Some(12), "{}", done.err);
        let told = done.err.contains("runs in a row with the same prompt ended early");
        assert_eq!(told, number > 3, "{number}: {}", done.err);
    }
    // Other prompts are counted separately, and a longer run resets the count.
    let other = ["--prompt", "Write the documentation of the parser.", "--max-errors", "2"];
    assert!(!run_with(folder.path(), &other, broken).err.contains("warning"));
    fs::write(folder.path().join("fixed"), "").unwrap();
    assert!(run_with(folder.path(), &args, broken).err.contains("warning"));
    fs::remove_file(folder.path().join("fixed")).unwrap();
    let done = run_with(folder.path(), &args, broken);
    assert!(!done.err.contains("warning"), "{}", done.err);
}
