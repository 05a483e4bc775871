//! The store in a file: nothing is lost, nothing grows for ever, and damage is put aside.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::time::Duration;

use loopbreak_store::tasks::{Escalation, RoadmapTask, Status};
use loopbreak_store::{
    Attempt, Change, ContextEntry, Limits, Options, Records, Recovery, RunKey, Sqlite, Store as _,
    StoreError, Task,
};

const NOW: i64 = 1_800_000_000_000;
const DAY: i64 = 24 * 60 * 60 * 1000;

fn key(session: &str) -> RunKey {
    RunKey { source: "claude-code".into(), session: session.into(), agent: String::new() }
}

fn step(snapshot: &impl ToString) -> Change {
    Change { snapshot: Some(snapshot.to_string()), ..Change::event("step", "{}") }
}

/// Counts up what was put away.
fn count(store: &mut Sqlite, session: &str, now: i64) -> Result<(), StoreError> {
    let next = |state: Option<&str>| state.map_or(0, |state| state.parse::<u32>().unwrap()) + 1;
    store.update(&key(session), "/project", now, |state| Some(step(&next(state))))
}

fn place(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("new/loopbreak.db")
}

#[test]
fn what_is_put_away_is_there_for_the_next_process() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        count(&mut Sqlite::open(&place(&folder), NOW).unwrap(), "a/../b", NOW).unwrap();
    }
    let store = Sqlite::open(&place(&folder), NOW).unwrap();
    assert_eq!(store.snapshot(&key("a/../b")).unwrap().as_deref(), Some("3"));
    assert_eq!(store.snapshot(&key("other")).unwrap(), None);
    let runs = store.runs(0, 10).unwrap();
    assert_eq!((runs.len(), runs[0].events, runs[0].folder.as_str()), (1, 3, "/project"));
    let numbers: Vec<u64> = store.events(&runs[0]).unwrap().iter().map(|event| event.number).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!(store.find("a/").unwrap(), runs);
    assert_eq!(store.find("%").unwrap(), []);
}

#[test]
fn an_end_is_kept_until_the_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Sqlite::open(&place(&folder), NOW).unwrap();
    let end = |_: Option<&str>| Some(Change { ended: true, ..Change::event("end", "{}") });
    store.update(&key("a"), "", NOW, end).unwrap();
    assert_eq!(store.runs(0, 1).unwrap()[0].ended, Some(NOW));
    count(&mut store, "a", NOW + 1).unwrap();
    assert_eq!(store.runs(0, 1).unwrap()[0].ended, None);
    // Whoever changes nothing leaves nothing.
    store.update(&key("b"), "", NOW, |_| None).unwrap();
    assert_eq!(store.runs(0, 9).unwrap().len(), 1);
}

#[test]
fn many_at_once_lose_no_step() {
    let folder = tempfile::tempdir().unwrap();
    let path = place(&folder);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..25 {
                    count(&mut Sqlite::open(&path, NOW).unwrap(), "one", NOW).unwrap();
                }
            });
        }
    });
    let store = Sqlite::open(&path, NOW).unwrap();
    assert_eq!(store.snapshot(&key("one")).unwrap().as_deref(), Some("200"));
    assert_eq!(store.events(&store.runs(0, 1).unwrap()[0]).unwrap().len(), 200);
}

#[test]
fn many_who_open_a_new_store_at_once_all_get_in() {
    for _ in 0..100 {
        let folder = tempfile::tempdir().unwrap();
        let (path, all) = (place(&folder), Barrier::new(8));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    all.wait();
                    count(&mut Sqlite::open(&path, NOW).unwrap(), "one", NOW).unwrap();
                });
            }
        });
        let store = Sqlite::open(&path, NOW).unwrap();
        assert_eq!(store.snapshot(&key("one")).unwrap().as_deref(), Some("8"));
    }
}

#[test]
fn old_runs_go_when_new_ones_begin() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Sqlite::open(&place(&folder), NOW).unwrap();
    count(&mut store, "old", NOW - 31 * DAY).unwrap();
    count(&mut store, "young", NOW - 29 * DAY).unwrap();
    count(&mut store, "new", NOW).unwrap();
    let left: Vec<String> = store.runs(0, 9).unwrap().into_iter().map(|run| run.session).collect();
    assert_eq!(left, ["new", "young"]);
    assert_eq!(store.snapshot(&key("old")).unwrap(), None);
}

#[test]
fn a_store_beyond_its_size_loses_its_oldest_runs_and_gives_the_room_back() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits { bytes: 2_000_000, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let mut store = Sqlite::open_with(&place(&folder), NOW, options).unwrap();
    let large = "x".repeat(50_000);
    for number in 0..300 {
        let then = NOW - 10 * DAY + number;
        store.update(&key(&format!("run {number}")), "", then, |_| Some(step(&large))).unwrap();
    }
    count(&mut store, "last", NOW).unwrap();
    let left = store.runs(0, 999).unwrap().len();
    assert!(left < 300, "{left} are left");
    for number in 0..20 {
        count(&mut store, &format!("later {number}"), NOW).unwrap();
    }
    let left = store.runs(0, 999).unwrap();
    assert!(left.len() < 70, "{} are left", left.len());
    assert!(left.iter().any(|run| run.session == "last"));
}

#[test]
fn what_is_no_store_is_put_aside_and_nothing_of_it_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("loopbreak.db");
    fs::write(&path, "this is no database, ".repeat(500)).unwrap();
    let mut store = Sqlite::open(&path, NOW).unwrap();
    let aside = store.put_aside().unwrap().to_owned();
    assert!(fs::read_to_string(aside).unwrap().starts_with("this is no database"));
    count(&mut store, "a", NOW).unwrap();
    drop(store);
    assert_eq!(Sqlite::open(&path, NOW).unwrap().put_aside(), None);
}

/// Overwrites all pages but the first.
fn spoil(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    bytes[4096..].fill(0xa5);
    fs::write(path, bytes).unwrap();
}

#[test]
fn damage_inside_is_told_and_renewing_puts_it_aside_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("loopbreak.db");
    let mut store = Sqlite::open(&path, NOW).unwrap();
    for number in 0..200 {
        count(&mut store, &format!("run {number}"), NOW).unwrap();
    }
    drop(store);
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(folder.path().join(format!("loopbreak.db{end}")));
    }
    spoil(&path);
    let mut opened = Sqlite::open(&path, NOW).unwrap();
    if opened.put_aside().is_none() {
        assert!(matches!(count(&mut opened, "run 1", NOW), Err(StoreError::Damaged(_))));
        opened = Sqlite::renew(&path, NOW, Options::default()).unwrap();
    }
    assert!(opened.put_aside().is_some());
    count(&mut opened, "run 1", NOW).unwrap();
    drop(opened);
    // Another process that found the same damage must leave the new store alone.
    let again = Sqlite::renew(&path, NOW + 1, Options::default()).unwrap();
    assert_eq!(again.put_aside(), None);
    assert_eq!(again.runs(0, 9).unwrap().len(), 1);
}

#[test]
fn a_store_of_a_later_version_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = place(&folder);
    drop(Sqlite::open(&path, NOW).unwrap());
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("INSERT INTO migrations VALUES (99, 'of the future', 0)").unwrap();
    let error = Sqlite::open(&path, NOW).unwrap_err();
    assert!(error.to_string().contains("version 99"), "{error}");
}

#[test]
fn a_store_that_others_keep_locked_is_busy_in_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = place(&folder);
    let options = Options { patience: Duration::from_millis(50), ..Options::default() };
    let mut store = Sqlite::open_with(&path, NOW, options).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.busy_timeout(Duration::ZERO).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(matches!(count(&mut store, "a", NOW), Err(StoreError::Busy)));
    other.execute_batch("COMMIT").unwrap();
    count(&mut store, "a", NOW).unwrap();
}

#[test]
fn a_folder_in_the_place_of_the_store_is_an_error_and_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Sqlite::open(folder.path(), NOW).is_err());
}

#[test]
fn what_a_run_leaves_behind_is_kept_with_it_and_goes_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Sqlite::open(&place(&folder), NOW).unwrap();
    let attempt = |at| Attempt {
        task: "T1".into(),
        at,
        status: "blocked".into(),
        blockers: vec!["no token".into()],
        work: vec!["read \"a\"".into()],
        session: "s".into(),
        ..Attempt::default()
    };
    let entry = ContextEntry {
        timestamp: NOW,
        entry_type: "directive".into(),
        topic: "unblock_authority".into(),
        content: "go".into(),
        related_tasks: vec!["T1".into()],
        confidence: 0.5,
        metadata: serde_json::json!({"scope": {"task": "T1"}}),
        ..ContextEntry::default()
    };
    let recovery = Recovery { at: NOW, turn: 3, intervention: "escalate".into(), ..Recovery::default() };
    let task = |status: &str| Task { id: "T1".into(), status: status.into(), ..Task::default() };
    let records = Records {
        tasks: vec![task("blocked")],
        attempts: vec![attempt(1), attempt(2)],
        context: vec![entry.clone()],
        recoveries: vec![recovery.clone()],
        ..Records::default()
    };
    let write = |store: &mut Sqlite, records: Records| {
        let change = Change { records, ..Change::event("step", "{}") };
        store.update(&key("a"), "", NOW - 31 * DAY, |_| Some(change)).unwrap();
    };
    write(&mut store, records);
    let done = Records { tasks: vec![task("done")], attempts: vec![attempt(3)], ..Records::default() };
    write(&mut store, done);
    let run = store.run(&key("a")).unwrap().unwrap();
    assert_eq!(store.tasks(&run).unwrap(), [task("done")]);
    let attempts = store.attempts(&run).unwrap();
    assert_eq!(attempts[2], Attempt { number: 3, ..attempt(3) });
    assert_eq!(store.last_attempt(&run, "T1").unwrap(), Some((3, attempts[2].at)));
    assert_eq!(store.last_attempt(&run, "T2").unwrap(), None);
    let kept = store.context(&run).unwrap();
    assert_eq!(kept, [ContextEntry { id: kept[0].id, ..entry }]);
    assert_eq!(store.recoveries(&run).unwrap(), [recovery]);

    count(&mut store, "new", NOW).unwrap();
    assert!(store.run(&key("a")).unwrap().is_none());
    assert!(store.attempts(&run).unwrap().is_empty() && store.context(&run).unwrap().is_empty());
    assert!(store.tasks(&run).unwrap().is_empty() && store.recoveries(&run).unwrap().is_empty());
}

#[test]
fn a_roadmap_is_kept_as_it_is_and_a_verdict_changes_only_how_a_task_stands() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Sqlite::open(&place(&folder), NOW).unwrap();
    let task = RoadmapTask {
        id: "api".into(),
        title: "Write the API".into(),
        details: "All of\nit".into(),
        after: vec!["schema".into()],
        position: 1,
        check: "cargo test".into(),
        returned: true,
        escalation: Escalation::Called,
        blockers: vec!["no token".into()],
        deferred: vec!["critic:style".into()],
        ..RoadmapTask::default()
    };
    let first = RoadmapTask { id: "schema".into(), ..RoadmapTask::default() };
    let write = |store: &mut Sqlite, records: Records| {
        let change = Change { records, ..Change::event("step", "{}") };
        store.update(&key("a"), "", NOW, |_| Some(change)).unwrap();
    };
    write(&mut store, Records { roadmap: vec![task.clone(), first.clone()], ..Records::default() });
    let run = store.run(&key("a")).unwrap().unwrap();
    assert_eq!(store.roadmap(&run).unwrap(), [first.clone(), task.clone()]);
    let verdict = |id: &str| Task {
        id: id.into(),
        status: "done".into(),
        forced: true,
        reason: "round in circles".into(),
        changed: 5,
    };
    write(&mut store, Records { tasks: vec![verdict("api"), verdict("other")], ..Records::default() });
    let kept = store.roadmap(&run).unwrap();
    let forced = RoadmapTask {
        status: Status::Done,
        forced: true,
        reason: "round in circles".into(),
        changed: 5,
        ..task
    };
    assert_eq!(kept[..2], [first, forced]);
    assert_eq!((kept[2].id.as_str(), kept[2].is_finished()), ("other", false));
}

#[test]
fn many_who_change_one_roadmap_at_once_lose_no_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = place(&folder);
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut store = Sqlite::open(path, NOW).unwrap();
                for number in 0..20 {
                    let add = |_: Option<&str>, mut tasks: Vec<RoadmapTask>| {
                        // Each adds a task of its own after all that are there, and a word to the one that all share.
                        let position = tasks.len() as u64;
                        let shared = tasks.iter().position(|task| task.id == "shared");
                        let mut shared = shared.map(|at| tasks.swap_remove(at)).unwrap_or_default();
                        shared.id = "shared".to_owned();
                        shared.blockers.push(format!("{worker}-{number}"));
                        let own = format!("{worker}-{number}");
                        let own = RoadmapTask { id: own, position, ..RoadmapTask::default() };
                        let records = Records { roadmap: vec![shared, own], ..Records::default() };
                        Some(Change { records, ..Change::default() })
                    };
                    store.update_tasks(&key("one"), "", NOW, add).unwrap();
                }
            });
        }
    });
    let store = Sqlite::open(&path, NOW).unwrap();
    let tasks = store.roadmap(&store.run(&key("one")).unwrap().unwrap()).unwrap();
    let shared = tasks.iter().find(|task| task.id == "shared").unwrap();
    assert_eq!((tasks.len(), shared.blockers.len()), (81, 80));
    let mut places: Vec<u64> =
        tasks.iter().filter(|task| task.id != "shared").map(|task| task.position).collect();
    places.dedup();
    assert_eq!(places.len(), 80, "no two tasks were given one place");
}

#[test]
fn a_store_from_before_there_were_roadmaps_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = place(&folder);
    let mut store = Sqlite::open(&path, NOW).unwrap();
    let task = Task { id: "T1".into(), status: "done".into(), ..Task::default() };
    let records = Records { tasks: vec![task], ..Records::default() };
    let change = Change { records, ..step(&1) };
    store.update(&key("a"), "", NOW, |_| Some(change)).unwrap();
    drop(store);
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute_batch("DROP TABLE roadmap; DELETE FROM migrations WHERE version > 2").unwrap();
    drop(old);
    let mut store = Sqlite::open(&path, NOW).unwrap();
    let run = store.run(&key("a")).unwrap().unwrap();
    let kept = store.roadmap(&run).unwrap();
    assert_eq!((kept.len(), kept[0].is_finished()), (1, true));
    count(&mut store, "a", NOW).unwrap();
    assert_eq!(store.snapshot(&key("a")).unwrap().as_deref(), Some("2"));
}

#[test]
fn the_log_of_changes_stays_short_though_every_process_is_the_only_one() {
    let folder = tempfile::tempdir().unwrap();
    let large = "x".repeat(20_000);
    for _ in 0..200 {
        let mut store = Sqlite::open(&place(&folder), NOW).unwrap();
        store.update(&key("one"), "", NOW, |_| Some(step(&large))).unwrap();
    }
    let log = fs::metadata(folder.path().join("new/loopbreak.db-wal")).unwrap().len();
    assert!(log < 1_000_000, "{log} bytes");
    let store = Sqlite::open(&place(&folder), NOW).unwrap();
    assert_eq!(store.run(&key("one")).unwrap().unwrap().events, 200);
}
