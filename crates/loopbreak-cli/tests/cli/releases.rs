//! The stores of all releases are read and continued by this build, with the verdicts that the release itself had given.
//!
//! `fixtures/releases/README.md` says how the files are made.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use loopbreak::{Config, Guard, Snapshot};
use rusqlite::Connection;
use serde_json::Value;

use crate::support::released_store::state_with;
use crate::support::{FinishedProgram, done, loopbreak, root};

const SESSIONS: [&str; 3] = ["stuck", "working", "asking"];

fn fixtures() -> PathBuf {
    root().join("crates/loopbreak-cli/tests/fixtures")
}

/// Returns the folders of all releases.
fn releases() -> Vec<PathBuf> {
    let entries = fs::read_dir(fixtures().join("releases")).unwrap().map(|entry| entry.unwrap().path());
    let mut releases: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    releases.sort();
    assert!(!releases.is_empty());
    releases
}

fn run(state: &Path, args: &[&str], input: &str) -> FinishedProgram {
    let mut command = loopbreak(state);
    let done = done(command.args(args).env("XDG_STATE_HOME", state).write_stdin(input));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{args:?} {input}");
    done
}

fn log(state: &Path, session: &str) -> Vec<Value> {
    let log = run(state, &["log", session, "--json"], "");
    log.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn lines(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns what an answer means to the agent. Its texts may be reworded.
fn meaning(answer: &Value) -> String {
    let specific = &answer["hookSpecificOutput"];
    match specific["permissionDecision"].as_str() {
        Some(decision) => decision.to_owned(),
        None if answer["continue"] == false => "stop".to_owned(),
        None if specific["additionalContext"].is_string() => "advice".to_owned(),
        None => "nothing".to_owned(),
    }
}

/// Sends the events that follow, and compares the answers with those of the release.
fn continue_sessions(state: &Path, release: &Path) {
    for exchange in lines(&release.join("answers.jsonl")) {
        let event = &exchange["event"];
        let out = run(state, &["hook", "claude-code"], &event.to_string()).out;
        let answer = serde_json::from_str(&out).unwrap_or_default();
        assert_eq!(
            meaning(&answer),
            meaning(&exchange["answer"]),
            "{}: {event}: {answer}",
            release.display()
        );
    }
}

#[test]
fn the_log_of_every_release_is_read() {
    for release in releases() {
        let state = state_with(&release.join("loopbreak.db"));
        let read: Vec<Value> = SESSIONS.iter().flat_map(|session| log(state.path(), session)).collect();
        let printed = lines(&release.join("log.jsonl"));
        assert_eq!(read.len(), printed.len(), "{}", release.display());
        for (read, printed) in read.iter().zip(&printed) {
            // Keys may be added.
            for (key, value) in printed.as_object().unwrap() {
                assert_eq!(&read[key], value, "{}: {key} of {read}", release.display());
            }
        }
    }
}

#[test]
fn sessions_of_every_release_continue_with_the_same_verdicts() {
    for release in releases() {
        let state = state_with(&release.join("loopbreak.db"));
        let before: usize = SESSIONS.iter().map(|session| log(state.path(), session).len()).sum();
        continue_sessions(state.path(), &release);
        let mut after = 0;
        for session in SESSIONS {
            let numbers: Vec<u64> =
                log(state.path(), session).iter().map(|event| event["number"].as_u64().unwrap()).collect();
            assert!(numbers.iter().copied().eq(1..=numbers.len() as u64), "{session}: {numbers:?}");
            after += numbers.len();
        }
        assert!(after > before, "{}", release.display());
    }
}

#[test]
fn the_snapshots_of_every_release_are_restored() {
    let first_release = fixtures().join("first-release");
    for release in releases().iter().chain([&first_release]) {
        let state = state_with(&release.join("loopbreak.db"));
        let store = Connection::open(state.path().join("loopbreak/loopbreak.db")).unwrap();
        let mut statement = store.prepare("SELECT state FROM guards").unwrap();
        let states = statement.query_map([], |row| row.get::<_, String>(0)).unwrap().map(Result::unwrap);
        let mut restored = 0;
        for state in states {
            let state: Value = serde_json::from_str(state.trim_end()).unwrap();
            let turn = state["guard"]["state"]["turn"].as_u64().unwrap();
            let snapshot: Snapshot = serde_json::from_value(state["guard"].clone()).unwrap();
            assert_eq!(Guard::restore(Config::default(), snapshot).unwrap().turn(), turn);
            restored += 1;
        }
        assert!(restored >= 3, "{}: {restored}", release.display());
    }
}

/// No release wrote these versions. They are what the migrations of the first release made of an empty file on the way.
#[test]
fn stores_of_schema_versions_1_and_2_are_migrated_and_continued() {
    let tables_after = [
        "DROP TABLE roadmap; DROP TABLE tasks; DROP TABLE attempts; DROP TABLE context_entries; DROP TABLE recoveries;",
        "DROP TABLE roadmap;",
    ];
    for (version, drop) in (1..).zip(tables_after) {
        let state = state_with(&fixtures().join("first-release/loopbreak.db"));
        let store = Connection::open(state.path().join("loopbreak/loopbreak.db")).unwrap();
        store.execute_batch(&format!("{drop} DELETE FROM migrations WHERE version > {version}")).unwrap();
        drop_connection(store);
        let before = log(state.path(), "first-release");
        assert_eq!(before.len(), 9);
        let event = r#"{"session_id":"first-release","hook_event_name":"PreToolUse","cwd":"/project","tool_name":"Bash",
                        "tool_input":{"command":"make check"},"tool_use_id":"later"}"#;
        let answer: Value =
            serde_json::from_str(&run(state.path(), &["hook", "claude-code"], event).out).unwrap();
        assert_eq!(meaning(&answer), "ask", "version {version}: {answer}");
        assert_eq!(log(state.path(), "first-release").len(), before.len() + 1);
    }
}

fn drop_connection(connection: Connection) {
    connection.close().map_err(|(_, error)| error).unwrap();
}
