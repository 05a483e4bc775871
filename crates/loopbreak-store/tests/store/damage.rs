//! A store that is damaged in its content is replaced, damage of one run costs only that run, and a store that was removed is
//! noticed.

use std::fs;
use std::path::{Path, PathBuf};

use loopbreak_store::{
    RunChange, RunEvent, RunKey, StepEvent, Store, StoreError, StoreHealing, StoreOptions, StoreUrl,
    change_with_healing, open, read_existing,
};

fn key(session: &str) -> RunKey {
    RunKey { source: "claude-code".into(), session: session.into(), agent: String::new() }
}

/// A store with three runs of two steps each.
fn filled() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("loopbreak.db");
    let mut store = open(&StoreUrl::from(&*path)).unwrap();
    for session in ["a", "b", "c"] {
        for _ in 0..2 {
            add_step(&mut *store, session).unwrap();
        }
    }
    (folder, path)
}

fn add_step(store: &mut dyn Store, session: &str) -> Result<(), StoreError> {
    // Reads the state first, as hooks do.
    store.state(&key(session))?;
    let change = RunChange { state: Some("{}".into()), ..RunEvent::Step(StepEvent::default()).into() };
    store.begin(&key(session), "", 1)?.commit(change)
}

/// Adds a step with a new connection, as each hook does. Returns the measures that were taken.
fn hook(path: &Path, session: &str) -> Vec<StoreHealing> {
    let mut store = open(&StoreUrl::from(path)).unwrap();
    let mut taken = Vec::new();
    if let Some(path) = store.quarantined() {
        taken.push(StoreHealing::PutAside { path: path.to_owned() });
    }
    change_with_healing(
        &mut *store,
        &key(session),
        |store| add_step(store, session),
        |error| Some(error),
        |healing| taken.push(healing.clone()),
    )
    .unwrap();
    taken
}

fn spoil(path: &Path, sql: &str) {
    rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

fn events(path: &Path, session: &str) -> u64 {
    open(&StoreUrl::from(path)).unwrap().run(&key(session)).unwrap().map_or(0, |run| run.events)
}

/// The guard was off for good, because each hook failed in the same way.
#[test]
fn a_store_whose_tables_are_damaged_is_put_aside_at_once() {
    for sql in [
        "DELETE FROM migrations",
        "DROP TABLE migrations",
        "DELETE FROM migrations WHERE version > 1",
        "DROP TABLE events",
        "DROP TABLE guards",
        "DROP TABLE runs",
        "DELETE FROM runs",
        "CREATE TRIGGER planted BEFORE UPDATE ON guards BEGIN SELECT raise(ABORT, 'no'); END",
        "CREATE VIEW planted AS SELECT * FROM runs",
        "ALTER TABLE guards DROP COLUMN state",
        "ALTER TABLE guards RENAME COLUMN state TO condition",
    ] {
        let (_folder, path) = filled();
        spoil(&path, sql);
        let taken = hook(&path, "new");
        let [StoreHealing::PutAside { path: moved }] = &taken[..] else { panic!("{sql}: {taken:?}") };
        assert!(moved.exists());
        assert_eq!(hook(&path, "new"), [], "{sql}");
        assert_eq!(events(&path, "new"), 2, "{sql}");
    }
}

#[test]
fn an_unknown_file_format_is_put_aside() {
    let (_folder, path) = filled();
    spoil(&path, "PRAGMA wal_checkpoint(TRUNCATE)");
    let mut bytes = fs::read(&path).unwrap();
    bytes[47] = 9;
    fs::write(&path, bytes).unwrap();
    assert!(matches!(&hook(&path, "a")[..], [StoreHealing::PutAside { .. }]));
    assert_eq!(hook(&path, "a"), []);
}

#[test]
fn damage_of_one_run_costs_only_that_run() {
    for sql in [
        "DELETE FROM guards WHERE run = 1",
        "UPDATE guards SET events = 0 WHERE run = 1",
        "UPDATE guards SET events = 'many' WHERE run = 1",
        "UPDATE guards SET events = -3 WHERE run = 1",
        "UPDATE guards SET events = 9223372036854775807 WHERE run = 1",
        "UPDATE guards SET state = x'ff00' WHERE run = 1",
        "UPDATE runs SET day = 'today' WHERE id = 1",
    ] {
        let (_folder, path) = filled();
        spoil(&path, sql);
        let listed = open(&StoreUrl::from(&*path)).unwrap().runs(0, 9).unwrap().len();
        assert!(listed >= 2, "{sql}: the other runs are listed");
        let taken = hook(&path, "a");
        assert!(matches!(&taken[..], [StoreHealing::RunRestarted { .. }]), "{sql}: {taken:?}");
        assert_eq!(hook(&path, "a"), [], "{sql}");
        assert_eq!((events(&path, "a"), events(&path, "b")), (2, 2), "{sql}");
    }
}

/// A lock and a later version are no damage.
#[test]
fn a_store_that_is_locked_or_of_a_later_version_is_not_moved() {
    let (folder, path) = filled();
    spoil(&path, "INSERT INTO migrations VALUES (99, 'later', 0); DROP TABLE events");
    assert!(matches!(open(&StoreUrl::from(&*path)), Err(StoreError::TooNew { found: 99, .. })));
    let names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().contains("damaged")), "{names:?}");
}

/// Steps went into a file that nobody could read any more.
#[test]
fn a_store_that_was_removed_moved_or_replaced_is_noticed_before_the_next_change() {
    for action in ["remove", "move", "replace"] {
        let (folder, path) = filled();
        let mut store = open(&StoreUrl::from(&*path)).unwrap();
        match action {
            "remove" => fs::remove_file(&path).unwrap(),
            "move" => fs::rename(&path, folder.path().join("elsewhere")).unwrap(),
            _ => {
                let (_other, replacement) = filled();
                spoil(&replacement, "PRAGMA wal_checkpoint(TRUNCATE)");
                fs::copy(&replacement, folder.path().join("new")).unwrap();
                fs::rename(folder.path().join("new"), &path).unwrap();
            }
        }
        for end in ["-wal", "-shm"] {
            let _ = fs::remove_file(folder.path().join(format!("loopbreak.db{end}")));
        }
        add_step(&mut *store, "new").unwrap();
        assert_eq!(events(&path, "new"), 1, "{action}");
        assert!(!store.refresh().unwrap(), "{action}");
    }
}

#[test]
fn a_change_under_way_fails_if_the_store_is_removed_and_is_made_again() {
    let (_folder, path) = filled();
    let mut store = open(&StoreUrl::from(&*path)).unwrap();
    let mut tries = 0;
    let done: Result<(), StoreError> = change_with_healing(
        &mut *store,
        &key("a"),
        |store| {
            tries += 1;
            let transaction = store.begin(&key("a"), "", 1)?;
            if tries == 1 {
                fs::remove_file(&path).unwrap();
            }
            transaction.commit(RunEvent::Step(StepEvent::default()).into())
        },
        |error| Some(error),
        |healing| panic!("{healing:?}"),
    );
    done.unwrap();
    assert_eq!((tries, events(&path, "a")), (2, 1));
}

/// A store with one run of this many steps, in one file.
fn long_run(steps: u64) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("loopbreak.db");
    let mut store = open(&StoreUrl::from(&*path)).unwrap();
    let step = |number| {
        let action = Some(format!("step {number} {}", "x".repeat(200)));
        RunEvent::Step(StepEvent { action, ..StepEvent::default() })
    };
    let events = (1..=steps).map(step).collect();
    store.begin(&key("a"), "", 1).unwrap().commit(RunChange { events, ..RunChange::default() }).unwrap();
    drop(store);
    spoil(&path, "PRAGMA wal_checkpoint(TRUNCATE)");
    (folder, path)
}

fn read_all(path: &Path) -> (Vec<u64>, Vec<String>) {
    let store = open(&StoreUrl::from(path)).unwrap();
    let run = store.run(&key("a")).unwrap().unwrap();
    let (mut read, mut gaps) = (Vec::new(), Vec::new());
    for stored in store.events(&run).unwrap() {
        match &stored.event {
            RunEvent::Damaged(note) => gaps.push(note.action.clone()),
            _ => read.push(stored.number),
        }
    }
    // The status of the run is counted in another way, and must be there too.
    let counted: u64 = store.event_counts(&run).unwrap().iter().map(|count| count.count).sum();
    assert!(gaps.is_empty() || counted >= gaps.len() as u64, "{counted} {gaps:?}");
    assert_eq!(store.last_event(&run, "end").unwrap(), None);
    (read, gaps)
}

/// One damaged page of an old event made the whole log unreadable.
#[test]
fn the_log_of_a_run_is_read_around_damaged_pages() {
    let (_folder, path) = long_run(900);
    assert_eq!(read_all(&path), ((1..=900).collect(), Vec::new()));
    let page = |text: &str| {
        let bytes = fs::read(&path).unwrap();
        let at = bytes.windows(text.len()).position(|window| window == text.as_bytes()).unwrap();
        at / 4096 * 4096
    };
    // In the middle, two pages with a gap between them, and the last one.
    for (damaged, gaps) in
        [(vec!["step 400 "], 1), (vec!["step 100 ", "step 700 "], 2), (vec!["step 900 "], 1)]
    {
        let intact = fs::read(&path).unwrap();
        let mut bytes = intact.clone();
        for text in &damaged {
            let start = page(text);
            bytes[start..start + 64].fill(0xff);
        }
        fs::write(&path, &bytes).unwrap();
        let (read, told) = read_all(&path);
        assert_eq!(told.len(), gaps, "{told:?}");
        assert!(told.iter().all(|text| text.contains("cannot be read: ")), "{told:?}");
        // A page has about a dozen of these events.
        let missing = 900 - read.len();
        assert!(missing <= 20 * damaged.len() && missing > 0, "{missing} missing");
        assert!(read.is_sorted() && !read.contains(&400) || damaged != ["step 400 "], "{read:?}");
        fs::write(&path, &intact).unwrap();
    }
}

#[test]
fn an_event_with_damaged_columns_is_shown_as_damaged() {
    let (_folder, path) = long_run(9);
    spoil(
        &path,
        "UPDATE events SET detail = 'x' WHERE number = 2; UPDATE events SET detail = x'ff00' WHERE number = 3; \
         UPDATE events SET kind = CAST(x'ff' AS TEXT) WHERE number = 5; UPDATE events SET at = 'noon' WHERE number = 6",
    );
    let (read, told) = read_all(&path);
    assert_eq!((read, told), (vec![1, 4, 6, 7, 8, 9], vec!["this event cannot be read".to_owned(); 3]));
}

/// A status line is shown all the time, so it must not touch what it shows.
#[test]
fn a_store_that_is_opened_to_read_it_is_not_changed() {
    let (folder, path) = filled();
    let url = StoreUrl::from(&*path);
    let before = fs::read(&path).unwrap();
    let mut store = read_existing(&url, StoreOptions::default()).unwrap().unwrap();
    assert_eq!(store.run(&key("a")).unwrap().unwrap().events, 2);
    assert!(add_step(&mut *store, "a").is_err(), "it can only be read");
    assert_eq!(store.run(&key("a")).unwrap().unwrap().events, 2);
    drop(store);
    assert_eq!(fs::read(&path).unwrap(), before);

    // Damage is left to those who write, and so is a store that does not exist.
    fs::write(&path, "damaged").unwrap();
    assert!(read_existing(&url, StoreOptions::default()).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"damaged");
    let missing = folder.path().join("missing.db");
    assert!(read_existing(&StoreUrl::from(&*missing), StoreOptions::default()).unwrap().is_none());
    assert!(!missing.exists());
}
