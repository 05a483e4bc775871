//! Opens and uses a damaged store, as hooks do. Whatever the damage, it heals within some events.

#![no_main]

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use loopbreak::Settings;
use loopbreak_hooks::{HookEnvironment, agents, answer};
use serde_json::json;
use tempfile::TempDir;

/// Number of events after which a damaged store has healed.
const EVENTS: u32 = 4;

static FOLDER: LazyLock<TempDir> =
    LazyLock::new(|| tempfile::tempdir().expect("a folder for temporary files"));

/// An intact store with some steps, as one file.
static STORE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let path = FOLDER.path().join("intact/loopbreak.db");
    for number in 0..12 {
        assert!(send(&path, number), "an intact store works");
    }
    // Closing a connection that has the defaults of SQLite copies the log into the file.
    let connection = rusqlite::Connection::open(&path).expect("an intact store");
    connection.query_row("PRAGMA integrity_check", (), |_| Ok(())).expect("an intact store");
    connection.close().map_err(|(_, error)| error).expect("an intact store");
    fs::read(&path).expect("an intact store")
});

/// Sends a step, and returns whether it was recorded without a complaint.
fn send(store: &Path, number: u32) -> bool {
    let complained = Cell::new(false);
    let environment = HookEnvironment {
        store: Some(store.to_owned()),
        disabled: false,
        limit: None,
        clock: &|| 1_700_000_000_000 + i64::from(number),
        user_config: None,
        load_settings: &|_| Ok(Settings::default().into()),
        warn: &|_| complained.set(true),
    };
    let event = json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash",
                       "tool_input": {"command": format!("call {number}")}, "tool_response": {"stdout": "x"},
                       "tool_use_id": number.to_string()});
    answer(Some(agents::ALL[0]), event.to_string().as_bytes(), &environment);
    !complained.get()
}

/// Changes an intact store: each four bytes are a position and a new byte.
fn patch(patches: &[u8]) -> Vec<u8> {
    let mut bytes = STORE.clone();
    for patch in patches.chunks_exact(4) {
        let at = u32::from_le_bytes([patch[0], patch[1], patch[2], 0]) as usize % bytes.len();
        bytes[at] = patch[3];
    }
    bytes
}

fuzz_target!(|data: &[u8]| {
    let folder = FOLDER.path().join("damaged");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the store");
    let path = folder.join("loopbreak.db");
    let bytes = match data.split_first() {
        // The whole file, or a write-ahead log beside an intact one.
        Some((b'F', file)) => file.to_vec(),
        Some((b'L', log)) => {
            fs::write(folder.join("loopbreak.db-wal"), log).expect("a log");
            STORE.clone()
        }
        _ => patch(data),
    };
    fs::write(&path, bytes).expect("a store");
    let recorded: Vec<bool> = (100..100 + EVENTS).map(|number| send(&path, number)).collect();
    assert_eq!(recorded.last(), Some(&true), "the store did not heal: {recorded:?}");
});
