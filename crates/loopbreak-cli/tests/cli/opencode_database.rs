//! The database of opencode, as `analyze` and `watch` see it.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::Value;

use crate::support::{analyze, done, folder, json, loopbreak, root};

fn recorded(name: &str) -> PathBuf {
    root().join("crates/loopbreak-trace/tests/recorded").join(name)
}

/// Writes the recorded database. Its rows stay in the write-ahead log while the connection is open.
fn write_database(path: &Path) -> Connection {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let connection = Connection::open(path).unwrap();
    let sql = fs::read_to_string(recorded("opencode-1.18.33.sql")).unwrap();
    let sql = format!("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF; BEGIN; {sql} COMMIT;");
    connection.execute_batch(&sql).unwrap();
    connection
}

/// Returns the runs of a report without their files and lines, which differ between a database and an export.
fn runs(report: &Value) -> Vec<Value> {
    let mut runs = report["runs"].as_array().unwrap().clone();
    for run in &mut runs {
        let run = run.as_object_mut().unwrap();
        for key in ["source", "skipped_lines"] {
            run.remove(key);
        }
        for finding in run["findings"].as_array_mut().unwrap() {
            finding.as_object_mut().unwrap().remove("line");
        }
    }
    runs
}

#[test]
fn the_verdicts_are_those_of_the_exports() {
    let here = folder();
    let connection = write_database(&here.path().join("opencode.db"));
    let exports = ["opencode-1.18.33-main.json", "opencode-1.18.33-subagent.json"].map(recorded);
    let exports: Vec<&str> = exports.iter().map(|path| path.to_str().unwrap()).collect();
    let expected = runs(&json(here.path(), &exports));
    assert_eq!((expected.len(), &expected[0]["verdict"]), (2, &Value::from("warn")));
    assert_eq!(runs(&json(here.path(), &["opencode.db"])), expected);

    let one = json(here.path(), &["opencode.db", "--run", expected[1]["run"].as_str().unwrap()]);
    assert_eq!(runs(&one), expected[1..]);
    drop(connection);
    let folder = json(here.path(), &["."]);
    assert_eq!(runs(&folder), expected, "a database in a folder is found");
}

#[test]
fn the_database_of_this_machine_is_found_without_a_path() {
    let home = folder();
    let connection = write_database(&home.path().join(".local/share/opencode/opencode.db"));
    let found = done(loopbreak(home.path()).args(["analyze", "--json"]).env("HOME", home.path()));
    assert_eq!(found.code, Some(0), "{}", found.err);
    assert!(found.err.contains("reading the logs of opencode in "), "{}", found.err);
    let report: Value = serde_json::from_str(&found.out).unwrap();
    assert_eq!(report["totals"]["runs"], 2);
    drop(connection);

    let data = home.path().join("data");
    write_database(&data.join("opencode/opencode.db")).execute_batch("DELETE FROM message").unwrap();
    let moved = done(
        loopbreak(home.path())
            .args(["analyze"])
            .env("XDG_DATA_HOME", &data)
            .env("HOME", home.path().join("none")),
    );
    assert_eq!(moved.code, Some(0), "{}", moved.err);
    assert!(moved.err.contains("the database has no sessions"), "{}", moved.err);
}

#[test]
fn a_database_of_another_program_is_an_error_with_a_hint() {
    let here = folder();
    let path = here.path().join("logs/places.sqlite");
    fs::create_dir(here.path().join("logs")).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE places (url TEXT)").unwrap();
    let named = analyze(here.path(), &["logs/places.sqlite"]);
    assert_eq!(named.code, Some(1));
    assert!(named.err.contains("not a log: a SQLite database of another program"), "{}", named.err);
    assert!(named.err.contains("opencode.db is the only database that is read"), "{}", named.err);
    fs::write(here.path().join("logs/log.jsonl"), "{\"score\":1}\n").unwrap();
    let found = analyze(here.path(), &["logs"]);
    assert_eq!(found.code, Some(0), "in a folder it is ignored: {}", found.err);

    fs::write(&path, &fs::read(&path).unwrap()[..100]).unwrap();
    let damaged = analyze(here.path(), &["logs/places.sqlite"]);
    assert_eq!(damaged.code, Some(1));
    assert!(damaged.err.contains("cannot be read: the database is damaged"), "{}", damaged.err);
}

#[test]
fn watch_says_what_to_do_instead() {
    let here = folder();
    drop(write_database(&here.path().join("opencode.db")));
    let watched = done(loopbreak(here.path()).args(["watch", "opencode.db", "--once"]));
    assert_eq!(watched.code, Some(1));
    assert!(watched.err.contains("not followed: a database cannot be followed"), "{}", watched.err);
    assert!(watched.err.contains("loopbreak hook install opencode"), "{}", watched.err);
}
