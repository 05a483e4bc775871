//! The version that the program prints, and programs and stores of different versions.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::hooks::HookHome;
use crate::support::{done, folder, loopbreak};

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[test]
fn the_short_version_is_the_version_alone_and_the_long_one_may_add_the_commit() {
    let folder = folder();
    let short = done(loopbreak(folder.path()).arg("-V"));
    assert_eq!((short.code, short.out), (Some(0), format!("loopbreak {VERSION}\n")));
    let long = done(loopbreak(folder.path()).arg("--version"));
    let rest = long.out.strip_prefix(&format!("loopbreak {VERSION}")).unwrap().trim_end();
    if rest.is_empty() {
        return;
    }
    // " (0123abcde 2026-01-31)"
    let commit = rest.strip_prefix(" (").unwrap().strip_suffix(')').unwrap();
    let (hash, date) = commit.split_once(' ').unwrap();
    assert!(hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{rest}");
    assert!(date.len() == 10 && date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'), "{rest}");
}

/// Returns a home whose store was last written by a version that does not exist yet.
fn home_with_later_store() -> HookHome {
    let home = HookHome::new();
    home.send(&event(&home, "before", "UserPromptSubmit"));
    let store = Connection::open(home.store()).unwrap();
    store
        .execute_batch(
            "INSERT INTO migrations VALUES (99, 'something later (Loopbreak 7.8.9)', 0); DROP TABLE events;
             PRAGMA wal_checkpoint(TRUNCATE)",
        )
        .unwrap();
    home
}

fn event(home: &HookHome, session: &str, name: &str) -> Value {
    json!({"session_id": session, "hook_event_name": name, "cwd": home.path(), "prompt": "go on", "tool_name": "Bash",
           "tool_input": {"command": "make"}, "tool_use_id": format!("{session}-{name}"),
           "tool_response": {"stdout": "ok", "stderr": ""}})
}

/// Returns the sentence about the store that an old program says.
fn sentence() -> String {
    let program = fs::canonicalize(assert_cmd::cargo::cargo_bin!("loopbreak")).unwrap();
    format!(
        "the store was written by Loopbreak 7.8.9, but {} is the older version {VERSION}, which cannot read it: update that \
         program",
        program.display()
    )
}

#[test]
fn an_old_hook_with_a_newer_store_says_so_once_per_session_and_leaves_the_store_alone() {
    let home = home_with_later_store();
    let before = fs::read(home.store()).unwrap();
    for (session, name, is_told) in [
        ("a", "UserPromptSubmit", true),
        ("a", "PreToolUse", false),
        ("a", "PostToolUse", false),
        ("b", "PostToolUse", true),
        ("b", "UserPromptSubmit", false),
    ] {
        let done = home.send_raw("claude-code", event(&home, session, name).to_string());
        assert_eq!(done.code, Some(0));
        let answer: Value = serde_json::from_str(&done.out).unwrap_or_default();
        let expected = format!("Loopbreak is off: {}", sentence());
        assert_eq!(
            answer["systemMessage"].as_str(),
            is_told.then_some(expected.as_str()),
            "{session} {name}"
        );
        assert_eq!(answer["hookSpecificOutput"], Value::Null, "the agent continues");
        assert!(done.err.contains(&sentence()), "{}", done.err);
    }
    assert_eq!(fs::read(home.store()).unwrap(), before);
}

#[test]
fn commands_of_an_old_program_name_the_newer_store() {
    let home = home_with_later_store();
    for command in [&["status"][..], &["log", "before"], &["tasks", "list"]] {
        let done = done(&mut home.command(command));
        assert_eq!(done.code, Some(1), "{command:?}: {}", done.out);
        assert!(done.err.contains(&format!("error: {}", sentence())), "{command:?}: {}", done.err);
    }
}

#[test]
fn the_doctor_of_an_old_program_names_the_newer_store() {
    let home = home_with_later_store();
    let installed = done(home.command(&["hook", "install", "claude-code"]).env("HOME", home.path()));
    assert_eq!(installed.code, Some(0), "{}", installed.err);
    for agent in [&["claude-code"][..], &[]] {
        let mut command = home.command(&[&["hook", "doctor"], agent].concat());
        let program = Path::new(assert_cmd::cargo::cargo_bin!("loopbreak"));
        let done = done(command.env("HOME", home.path()).env("PATH", program.parent().unwrap()));
        assert_eq!(done.code, Some(1), "{}{}", done.out, done.err);
        assert!(done.out.contains(&format!("problem  {}", sentence())), "{}", done.out);
    }
}

/// The tables are the same, but a newer hook has recorded this session.
#[test]
fn an_old_hook_with_a_newer_session_starts_it_over_and_says_so_once() {
    let home = HookHome::new();
    home.send(&event(&home, "a", "PostToolUse"));
    let store = Connection::open(home.store()).unwrap();
    let state: String = store.query_row("SELECT state FROM guards", [], |row| row.get(0)).unwrap();
    let mut state: Value = serde_json::from_str(state.trim_end()).unwrap();
    assert!(state["guard"]["version"].is_u64());
    state["guard"]["version"] = 99.into();
    store.execute("UPDATE guards SET state = ?1", [state.to_string()]).unwrap();
    drop(store);
    let mut told = Vec::new();
    for number in 0..3 {
        let mut event = event(&home, "a", "PostToolUse");
        event["tool_use_id"] = format!("later-{number}").into();
        event["tool_input"]["command"] = format!("cat {number}").into();
        let done = home.send_raw("claude-code", event.to_string());
        assert_eq!(done.code, Some(0));
        let answer: Value = serde_json::from_str(&done.out).unwrap_or_default();
        told.extend(answer["systemMessage"].as_str().map(str::to_owned));
    }
    let [message] = told.as_slice() else { panic!("{told:?}") };
    assert!(message.contains("starts over") && message.contains("version 99"), "{message}");
    let program = fs::canonicalize(assert_cmd::cargo::cargo_bin!("loopbreak")).unwrap();
    assert!(message.contains(&format!("this program: {} {VERSION}", program.display())), "{message}");
    assert_eq!(home.json(&["log", "a", "--json"]).len(), 5, "1 step before, 3 after, and the notice");
}
