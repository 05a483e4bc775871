//! The database of opencode: the same steps as an export, read without changing anything.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use loopbreak_trace::{LogFormat, LogInput, NotFollowed, OpenError, OpenedLog, ProbeResult, probe};
use rusqlite::Connection;
use rusqlite::config::DbConfig;

use crate::support::{CollectedSteps, fixtures, read};

/// Returns the path of a recorded file.
fn recorded(name: &str) -> PathBuf {
    fixtures().with_file_name("recorded").join(name)
}

/// Creates the recorded database in a folder.
fn recorded_database(folder: &Path) -> (PathBuf, Connection) {
    let path = folder.join("opencode.db");
    let connection = Connection::open(&path).unwrap();
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    let sql = fs::read_to_string(recorded("opencode-1.18.33.sql")).unwrap();
    connection.execute_batch(&format!("BEGIN;{sql}COMMIT;")).unwrap();
    (path, connection)
}

/// Reads a database.
fn collect(path: &Path) -> Result<CollectedSteps, OpenError> {
    let log = LogInput::file(path).open(None, |_| {})?;
    assert_eq!(log.format().as_str(), "opencode");
    let mut collected = CollectedSteps::default();
    log.read(&mut collected)?;
    Ok(collected)
}

/// Returns the steps without their lines.
fn steps(collected: &CollectedSteps) -> Vec<&str> {
    collected.steps.iter().map(|(_, step)| step.as_str()).collect()
}

/// Returns the files of a folder with their contents.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
fn has_the_same_steps_as_the_exports_of_its_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let (path, connection) = recorded_database(folder.path());
    drop(connection);
    let collected = collect(&path).unwrap();
    let main = read(&recorded("opencode-1.18.33-main.json")).remove(0).collected;
    let subagent = read(&recorded("opencode-1.18.33-subagent.json")).remove(0).collected;
    assert_eq!((main.steps.len(), subagent.steps.len()), (11, 3));
    assert_eq!(steps(&collected), [steps(&main), steps(&subagent)].concat());
    assert!(collected.skipped.is_empty() && collected.unread.is_empty(), "{collected:?}");
}

#[test]
fn a_database_in_use_is_read_with_its_log_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("opencode.db");
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0").unwrap();
    drop(writer);
    let (_, writer) = recorded_database(folder.path());
    assert!(fs::metadata(&path).unwrap().len() < 8192, "the rows are in the log");
    writer.execute_batch("BEGIN IMMEDIATE; DELETE FROM part").unwrap();

    let before = snapshot(folder.path());
    assert_eq!(collect(&path).unwrap().steps.len(), 14, "a change that is not committed is not seen");
    // Only the marks of readers in the index of the log may differ.
    let names: Vec<_> = before.keys().map(|path| path.file_name().unwrap().to_owned()).collect();
    assert_eq!(names, ["opencode.db", "opencode.db-shm", "opencode.db-wal"]);
    let after = snapshot(folder.path());
    assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
    for file in ["opencode.db", "opencode.db-wal"] {
        assert!(after[&folder.path().join(file)] == before[&folder.path().join(file)], "{file}");
    }

    // The log of a process that did not close its database.
    writer.execute_batch("ROLLBACK").unwrap();
    let left = tempfile::tempdir().unwrap();
    for path in snapshot(folder.path()).keys() {
        fs::copy(path, left.path().join(path.file_name().unwrap())).unwrap();
    }
    let before = snapshot(left.path());
    assert_eq!(before.len(), 3);
    assert_eq!(collect(&left.path().join("opencode.db")).unwrap().steps.len(), 14);
    assert!(snapshot(left.path()) == before, "nothing changed");

    fs::remove_file(left.path().join("opencode.db-shm")).unwrap();
    assert_eq!(collect(&left.path().join("opencode.db")).unwrap().steps.len(), 14);
}

#[test]
fn a_closed_database_gets_no_neighbours() {
    let folder = tempfile::tempdir().unwrap();
    let (path, connection) = recorded_database(folder.path());
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false).unwrap();
    connection.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    drop(connection);
    let before = snapshot(folder.path());
    assert_eq!(before.len(), 1);
    assert_eq!(collect(&path).unwrap().steps.len(), 14);
    assert!(snapshot(folder.path()) == before, "nothing changed");
}

#[test]
fn a_database_of_another_program_is_not_a_log() {
    let folder = tempfile::tempdir().unwrap();
    for (name, sql) in [
        ("places", "CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT)"),
        ("no-parts", "CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT)"),
        (
            "views",
            "CREATE VIEW message AS WITH RECURSIVE endless(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM endless) \
             SELECT id, id AS session_id, id AS time_created, '{}' AS data FROM endless; \
             CREATE TABLE part (id TEXT, message_id TEXT, data TEXT)",
        ),
        (
            "computed",
            "CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data AS (zeroblob(1000000000))); \
             CREATE TABLE part (id TEXT, message_id TEXT, data TEXT); INSERT INTO message VALUES ('a', 'b', 1)",
        ),
    ] {
        let path = folder.path().join(name);
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let error = collect(&path).unwrap_err();
        assert!(matches!(error, OpenError::UnknownDatabase), "{name}: {error}");
        assert!(error.is_not_a_log());
    }
    let (path, _connection) = recorded_database(folder.path());
    let error = LogInput::file(path).open(Some(LogFormat::CODEX), |_| {}).unwrap_err();
    assert_eq!(error.to_string(), "not a log in the format codex");
}

#[test]
fn a_database_without_sessions_is_empty() {
    let folder = tempfile::tempdir().unwrap();
    let (path, connection) = recorded_database(folder.path());
    connection.execute_batch("DELETE FROM message; DELETE FROM part").unwrap();
    let error = collect(&path).unwrap_err();
    assert!(matches!(error, OpenError::EmptyDatabase) && error.is_empty_log(), "{error}");
}

#[test]
fn sessions_that_only_the_new_table_has_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (path, connection) = recorded_database(folder.path());
    let known: String =
        connection.query_row("SELECT session_id FROM message LIMIT 1", (), |row| row.get(0)).unwrap();
    for (id, session) in [("1", known.as_str()), ("2", "ses_new"), ("3", "ses_new")] {
        let sql = "INSERT INTO session_message VALUES (?1, ?2, 'user', ?1, 1, 1, '{}')";
        connection.execute(sql, (id, session)).unwrap();
    }
    assert_eq!(collect(&path).unwrap().unread, ["14: session_message"]);
}

#[test]
fn rows_that_cannot_be_read_are_skipped_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let (path, connection) = recorded_database(folder.path());
    let edit = |id: &str, value: &str| {
        let sql = format!("UPDATE part SET data = {value} WHERE rowid = {id}");
        assert_eq!(connection.execute(&sql, ()).unwrap(), 1);
    };
    edit("3", "'{\"type\":'");
    edit("4", "x'00ff'");
    edit("7", "CAST(x'7b22ff' AS TEXT)");
    edit("10", "'{\"type\":\"hologram\"}'");
    edit("13", "zeroblob(70000000)");
    let sql = "UPDATE message SET data = '3' WHERE rowid = 6";
    assert_eq!(connection.execute(sql, ()).unwrap(), 1);
    let collected = collect(&path).unwrap();
    assert_eq!(
        collected.skipped,
        [
            "2: the row of the database has no text",
            "2: not JSON: the text ends in the middle of a value (column 8); it may be truncated",
            "3: not UTF-8 at byte 3; write the log as UTF-8",
            "5: the line has 66 MB, the limit is 64 MB; shorten long outputs",
            "6: unexpected content: expected an object, found a whole number (column 1)",
        ]
    );
    assert_eq!(collected.unread, ["4: hologram"]);
    assert_eq!(collected.steps.len(), 9);
}

#[test]
fn a_damaged_database_is_an_error_and_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let (path, connection) = recorded_database(folder.path());
    drop(connection);
    let whole = fs::read(&path).unwrap();
    let mut refused = 0;
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for round in 0..400 {
        let mut damaged = whole.clone();
        if round % 4 == 0 {
            damaged.truncate(16 + random(whole.len() - 16));
        } else {
            for _ in 0..=random(64) {
                let at = 16 + random(damaged.len() - 16);
                damaged[at] = random(256) as u8;
            }
        }
        fs::write(&path, damaged).unwrap();
        refused += usize::from(collect(&path).is_err());
    }
    assert!(refused > 100, "{refused}");

    fs::write(&path, &whole[..4096]).unwrap();
    let error = collect(&path).unwrap_err();
    assert!(error.to_string().contains("the database is damaged"), "{error}");
    assert!(!error.is_not_a_log(), "it may be a log");
}

#[test]
fn a_database_is_neither_followed_nor_read_from_a_stream() {
    let folder = tempfile::tempdir().unwrap();
    let (path, connection) = recorded_database(folder.path());
    drop(connection);
    let bytes = fs::read(path).unwrap();
    let ProbeResult::Never(reason @ NotFollowed::Database) = probe(&bytes, false, None) else { panic!() };
    assert!(reason.to_string().contains("loopbreak hook install opencode"), "{reason}");
    let error = OpenedLog::from_stream(std::io::Cursor::new(bytes), None, |_| {}).unwrap_err();
    assert!(error.hint().unwrap().contains("by its path"), "{error}");
}
