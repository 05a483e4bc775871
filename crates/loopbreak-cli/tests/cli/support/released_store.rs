//! Stores of earlier releases.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::Connection;
use tempfile::TempDir;

use super::folder;

/// Copies a store into a state folder of its own. Its times are moved to the present, as if the sessions had just paused: old runs
/// would be pruned.
pub(crate) fn state_with(store: &Path) -> TempDir {
    let state = folder();
    let copy = state.path().join("loopbreak/loopbreak.db");
    fs::create_dir_all(copy.parent().unwrap()).unwrap();
    fs::copy(store, &copy).unwrap();
    let database = Connection::open(&copy).unwrap();
    let now = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap();
    let last: i64 = database.query_row("SELECT max(seen) FROM guards", [], |row| row.get(0)).unwrap();
    let moved = now - 1_000 - last;
    for change in [
        "UPDATE runs SET started = started + ?1, day = (started + ?1) / 86400000",
        "UPDATE guards SET seen = seen + ?1, ended = ended + ?1",
    ] {
        database.execute(change, [moved]).unwrap();
    }
    state
}
