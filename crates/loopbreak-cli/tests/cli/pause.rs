//! `loopbreak pause` and `resume` with real agents.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::agents::{start_and_wait, stdout_of};
use crate::support::hooked_agent::{HookedAgent, process_state, ticks, wait_for};
use crate::support::{FinishedProgram, done, folder, loopbreak};

fn run(folder: &Path, args: &[&str]) -> FinishedProgram {
    done(loopbreak(folder).env("XDG_STATE_HOME", folder.join("state")).args(args))
}

fn status(folder: &Path) -> Value {
    serde_json::from_str(&stdout_of(folder, &["status", "--json"])).unwrap()
}

#[test]
fn an_agent_with_hooks_is_paused_shown_and_resumed() {
    let folder = folder();
    let folder = folder.path();
    let agent = HookedAgent::start(folder, "session-1");
    let paused = run(folder, &["pause", "session", "--reason", "it goes in circles"]);
    assert_eq!(paused.code, Some(0), "{}", paused.err);
    let text =
        format!("paused session-1: sh (process {}); to continue: loopbreak resume session-1", agent.pid);
    assert!(paused.out.starts_with(&text), "{}", paused.out);
    assert_eq!(process_state(agent.pid), 'T');
    let before = ticks(folder);
    thread::sleep(Duration::from_millis(600));
    assert!(ticks(folder) <= before + 1, "only a hook that was under way may still finish");
    let shown = stdout_of(folder, &["status"]);
    assert!(
        shown.contains("session-1  paused for ") && shown.contains(" by pause (it goes in circles)"),
        "{shown}"
    );
    assert_eq!(status(folder)["runs"][0]["paused"]["by"], "pause");
    let again = run(folder, &["pause", "session-1"]);
    assert_eq!((again.code, again.err.as_str()), (Some(1), "error: this run is paused already\n"));

    let before = ticks(folder);
    let resumed = run(folder, &["resume"]);
    assert_eq!((resumed.code, resumed.out.as_str()), (Some(0), "resumed session-1\n"), "{}", resumed.err);
    wait_for(|| ticks(folder) > before + 2);
    assert!(stdout_of(folder, &["status"]).contains("session-1  running"));
    assert_eq!(status(folder)["runs"][0].get("paused"), None);
    let log = stdout_of(folder, &["log", "session-1"]);
    assert!(log.contains("paused   sh (process ") && log.contains(", by pause: it goes in circles"), "{log}");
    assert!(log.contains("resumed  sh (process "), "{log}");
    assert_eq!(fs::read_to_string(folder.join("errors")).unwrap(), "", "no hook has failed");
    let nothing = run(folder, &["resume"]);
    assert_eq!(nothing.code, Some(1));
    assert!(nothing.err.starts_with("error: no agent is paused\n"), "{}", nothing.err);
}

#[test]
fn an_unknown_or_ended_agent_is_not_paused() {
    let folder = folder();
    let folder = folder.path();
    let unknown = run(folder, &["pause", "nobody"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.err);
    assert!(unknown.err.contains("run \"nobody\" not found"), "{}", unknown.err);
    // The agent has ended, and its number is free for others.
    let agent = HookedAgent::start(folder, "session-2");
    let pid = agent.pid;
    drop(agent);
    wait_for(|| process_state(pid) == 'Z');
    let ended = run(folder, &["pause", "session-2"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.err.contains(&format!("the agent (process {pid}) has ended")), "{}", ended.err);
}

#[test]
fn several_paused_agents_are_named() {
    let (one, folder) = (folder(), folder());
    let state = folder.path().join("state");
    // Two agents with one store.
    std::os::unix::fs::symlink(&state, one.path().join("state")).unwrap();
    fs::create_dir(&state).unwrap();
    let (first, second) =
        (HookedAgent::start(one.path(), "first"), HookedAgent::start(folder.path(), "second"));
    for name in ["first", "second"] {
        assert_eq!(run(folder.path(), &["pause", name]).code, Some(0));
    }
    let unclear = run(folder.path(), &["resume"]);
    assert_eq!(unclear.code, Some(2));
    assert!(
        unclear.err.contains("2 agents are paused: ") && unclear.err.contains("--all"),
        "{}",
        unclear.err
    );
    assert_eq!(run(folder.path(), &["resume", "--all"]).code, Some(0));
    wait_for(|| process_state(first.pid) != 'T' && process_state(second.pid) != 'T');
}

/// The time of a pause counts neither towards the limits of the iteration nor towards those of the run.
#[test]
fn an_agent_of_run_is_paused_beyond_its_time_limit() {
    let folder = folder();
    let folder = folder.path();
    let body = "echo $$ > pid; touch up; sleep 1; echo finished > result";
    let args = [
        "run",
        "--max-iterations",
        "1",
        "--iteration-timeout",
        "4",
        "--max-runtime",
        "6",
        "--",
        "sh",
        "-c",
        body,
    ];
    let mut runner = start_and_wait(folder, &args);
    let pid = agent_pid(folder);
    let session = session(folder);
    let paused = run(folder, &["pause", &session]);
    assert_eq!(paused.code, Some(0), "{}", paused.err);
    assert_eq!(process_state(pid), 'T');
    thread::sleep(Duration::from_secs(7));
    assert_eq!(process_state(pid), 'T');
    assert_eq!(run(folder, &["resume", &session]).code, Some(0));
    assert_eq!(runner.wait().unwrap().code(), Some(11));
    assert_eq!(
        fs::read_to_string(folder.join("result")).unwrap(),
        "finished\n",
        "it was not ended while it was paused"
    );
}

/// The guardian of `run` is in the group of the agent, and must not be paused with it.
#[test]
fn a_paused_agent_does_not_outlive_a_runner_that_is_killed() {
    let folder = folder();
    let folder = folder.path();
    let args = ["run", "--", "sh", "-c", "echo $$ > pid; touch up; sleep 1000"];
    let mut runner = start_and_wait(folder, &args);
    let pid = agent_pid(folder);
    assert_eq!(run(folder, &["pause", &session(folder)]).code, Some(0));
    assert_eq!(process_state(pid), 'T');
    runner.kill().unwrap();
    runner.wait().unwrap();
    wait_for(|| process_state(pid) == 'Z');
}

fn agent_pid(folder: &Path) -> u32 {
    fs::read_to_string(folder.join("pid")).unwrap().trim().parse().unwrap()
}

/// Returns the name of the run, once its process is recorded.
fn session(folder: &Path) -> String {
    let mut name = String::new();
    let query = "SELECT session FROM runs JOIN guards ON run = id WHERE state LIKE '%\"process\":{%'";
    wait_for(|| {
        let store = folder.join("state/loopbreak/loopbreak.db");
        let database = rusqlite::Connection::open(store).unwrap();
        name = database.query_row(query, [], |row| row.get(0)).unwrap_or_default();
        !name.is_empty()
    });
    name
}

/// The agent may type the command, but it is not its to decide.
#[test]
fn an_agent_may_not_pause_or_resume_others() {
    use crate::support::hooks::{HookHome, decision};
    let home = HookHome::new();
    for command in ["loopbreak pause 5f2c", "loopbreak resume --all"] {
        assert_eq!(decision(&home.session("s").propose(command)), "deny", "{command}");
    }
}
