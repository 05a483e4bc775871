//! A runner that is killed leaves no agent running, and what it began counts.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::path::Path;

use super::support::agents::{VARIED, agent, run_with, start_and_wait, stdout_of, wait_until_gone};
use super::support::folder;

/// Starts a run, and kills it when its agent has created the file `up`.
fn start_and_kill(folder: &Path, args: &[&str], body: &str) {
    let _ = fs::remove_file(folder.join("up"));
    let mut child = start_and_wait(folder, &[&["run"], args, &["--", "sh", "-c", body]].concat());
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Nobody limits an agent whose runner is gone.
#[test]
fn a_killed_runner_leaves_no_agent_running() {
    let folder = folder();
    // The second one ignores the request to end.
    for (mark, body) in [
        ("7654.511", "sleep 7654.511 & touch up; sleep 7654.511"),
        ("7654.512", "trap '' TERM; touch up; while :; do sleep 0.1; : 7654.512; done"),
    ] {
        start_and_kill(folder.path(), &[], body);
        wait_until_gone(mark);
    }
}

/// A program that starts a dying runner again and again must reach the limit of iterations.
#[test]
fn an_iteration_that_was_cut_off_counts() {
    let folder = folder();
    let args = ["--max-iterations", "4", "--resume"];
    let body = "echo begun >> begun; touch up; sleep 7654.521";
    for _ in 0..3 {
        start_and_kill(folder.path(), &args, body);
    }
    // The fourth iteration is the last one, whether it is cut off or not.
    start_and_kill(folder.path(), &args, body);
    let done = run_with(folder.path(), &args, body);
    assert_eq!(done.code, Some(11), "{}", done.err);
    assert!(done.err.contains("iteration 4 was cut off"), "{}", done.err);
    assert_eq!(fs::read_to_string(folder.path().join("begun")).unwrap().lines().count(), 4);
    wait_until_gone("7654.521");
    assert!(stdout_of(folder.path(), &["status", "--all"]).contains("limit"), "it ended by its limit");
}

/// A program that starts the runner again, whatever it answered, must not get one more iteration each time.
#[test]
fn a_run_that_has_used_up_its_iterations_is_continued_only_with_a_higher_limit() {
    let folder = folder();
    let body = agent(&format!("echo begun >> begun; {VARIED}"));
    let resume = |limit: &str| run_with(folder.path(), &["--max-iterations", limit, "--resume"], &body);
    let begun = || fs::read_to_string(folder.path().join("begun")).unwrap().lines().count();
    resume("2");
    assert_eq!(begun(), 2);
    for _ in 0..2 {
        let again = resume("2");
        assert_eq!(again.code, Some(11), "{}", again.err);
        assert!(again.err.contains("2 of 2 used; raise --max-iterations to continue"), "{}", again.err);
        assert_eq!(begun(), 2);
    }
    assert_eq!(resume("3").code, Some(11));
    assert_eq!(begun(), 3, "a higher limit continues the run");
}

/// The new agent must not work beside the old one, which has a moment to clean up.
#[test]
fn a_run_is_continued_only_after_its_old_agent_has_ended() {
    let folder = folder();
    let body = "if [ -e old ]; then case $(ps -o stat= -p $(cat old)) in ''|Z*) echo alone;; *) echo beside;; esac > seen; \
                echo done; else echo $$ > old; touch up; trap '' TERM; while :; do sleep 0.1; done; fi";
    let args = ["--resume", "--max-iterations", "2"];
    start_and_kill(folder.path(), &args, body);
    let done = run_with(folder.path(), &args, body);
    assert_eq!(done.code, Some(11), "{}", done.err);
    assert_eq!(fs::read_to_string(folder.path().join("seen")).unwrap(), "alone\n");
}

/// An agent may end its own process group. That must not confuse the runner.
#[test]
fn an_agent_that_ends_its_own_group_is_only_a_failed_iteration() {
    let folder = folder();
    let done = run_with(folder.path(), &["--max-iterations", "2"], "echo work; kill -9 0");
    assert_eq!(done.code, Some(11), "{}", done.err);
    let done = run_with(folder.path(), &["--max-errors", "2"], "kill -TERM 0; sleep 5");
    assert_eq!(done.code, Some(12), "{}", done.err);
}
