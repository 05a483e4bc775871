//! The SQLite store: no step is lost, it does not grow without bound, and damaged files are quarantined.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::time::Duration;

use loopbreak_store::tasks::{RoadmapTask, TaskEscalation, TaskState};
use loopbreak_store::{
    IDLE_MS, LIVE_MS, RunChange, RunEvent, RunKey, RunPhase, RunRecords, RunStatus, StepEvent, Store,
    StoreError, StoreLimits, StoreOptions, StoreUrl, StoredAttempt, StoredContextEntry, StoredRecovery,
    StoredTask, VerdictSummary, open_with, repair,
};

const NOW: i64 = 1_800_000_000_000;
const DAY: i64 = 24 * 60 * 60 * 1000;

fn key(session: &str) -> RunKey {
    RunKey { source: "claude-code".into(), session: session.into(), agent: String::new() }
}

fn step() -> RunEvent {
    RunEvent::Step(StepEvent::default())
}

/// A step that leaves a state.
fn step_with(state: &impl ToString) -> RunChange {
    RunChange { state: Some(state.to_string()), ..step().into() }
}

fn open(path: &Path) -> Result<Box<dyn Store>, StoreError> {
    loopbreak_store::open(&StoreUrl::from(path))
}

/// Changes a run without reading its state.
fn write(store: &mut dyn Store, session: &str, now: i64, change: impl Into<RunChange>) {
    store.begin(&key(session), "", now).unwrap().commit(change.into()).unwrap();
}

/// Increments the state of a run, which is a number.
fn count(store: &mut dyn Store, session: &str, now: i64) -> Result<(), StoreError> {
    let transaction = store.begin(&key(session), "/project", now)?;
    let next = transaction.state().map_or(0, |state| state.parse::<u32>().unwrap()) + 1;
    transaction.commit(step_with(&next))
}

fn path_in(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("new/loopbreak.db")
}

#[test]
fn a_state_is_visible_to_the_next_process() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        count(&mut *open(&path_in(&folder)).unwrap(), "a/../b", NOW).unwrap();
    }
    let store = open(&path_in(&folder)).unwrap();
    assert_eq!(store.state(&key("a/../b")).unwrap().as_deref(), Some("3"));
    assert_eq!(store.state(&key("other")).unwrap(), None);
    let runs = store.runs(0, 10).unwrap();
    assert_eq!((runs.len(), runs[0].events, runs[0].folder.as_str()), (1, 3, "/project"));
    let numbers: Vec<u64> = store.events(&runs[0]).unwrap().iter().map(|event| event.number).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!(store.find("a/").unwrap(), runs);
    assert_eq!(store.find("%").unwrap(), []);
}

#[test]
fn an_ended_run_is_running_again_after_the_next_change() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(&path_in(&folder)).unwrap();
    write(&mut *store, "a", NOW, RunChange { ended: true, ..step().into() });
    assert_eq!(store.runs(0, 1).unwrap()[0].ended, Some(NOW));
    write(&mut *store, "a", NOW + 1, RunChange { ended: true, ..step().into() });
    assert_eq!(store.runs(0, 1).unwrap()[0].ended, Some(NOW), "it ended only once");
    count(&mut *store, "a", NOW + 1).unwrap();
    assert_eq!(store.runs(0, 1).unwrap()[0].ended, None);
    // A transaction that is dropped leaves nothing.
    drop(store.begin(&key("b"), "", NOW).unwrap());
    assert_eq!(store.runs(0, 9).unwrap().len(), 1);
}

#[test]
fn concurrent_writers_lose_no_step() {
    let folder = tempfile::tempdir().unwrap();
    let path = path_in(&folder);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..25 {
                    count(&mut *open(&path).unwrap(), "one", NOW).unwrap();
                }
            });
        }
    });
    let store = open(&path).unwrap();
    assert_eq!(store.state(&key("one")).unwrap().as_deref(), Some("200"));
    assert_eq!(store.events(&store.runs(0, 1).unwrap()[0]).unwrap().len(), 200);
}

#[test]
fn many_can_create_a_store_at_the_same_time() {
    for _ in 0..100 {
        let folder = tempfile::tempdir().unwrap();
        let (path, all) = (path_in(&folder), Barrier::new(8));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    all.wait();
                    count(&mut *open(&path).unwrap(), "one", NOW).unwrap();
                });
            }
        });
        let store = open(&path).unwrap();
        assert_eq!(store.state(&key("one")).unwrap().as_deref(), Some("8"));
    }
}

#[test]
fn old_runs_are_removed_when_new_ones_begin() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(&path_in(&folder)).unwrap();
    count(&mut *store, "old", NOW - 31 * DAY).unwrap();
    count(&mut *store, "young", NOW - 29 * DAY).unwrap();
    count(&mut *store, "new", NOW).unwrap();
    // The check of one day is not enough: its clock may be wrong.
    assert_eq!(store.runs(0, 9).unwrap().len(), 3);
    count(&mut *store, "new", NOW + 1).unwrap();
    count(&mut *store, "newer", NOW + DAY).unwrap();
    let left: Vec<String> = store.runs(0, 9).unwrap().into_iter().map(|run| run.session).collect();
    assert_eq!(left, ["newer", "new", "young"]);
    assert_eq!(store.state(&key("old")).unwrap(), None);
}

/// A machine that wakes up with a wrong clock, once or for a while, must not lose what it has stored.
#[test]
fn a_clock_that_is_weeks_ahead_removes_no_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(&path_in(&folder)).unwrap();
    for day in 0..5 {
        count(&mut *store, &format!("live {day}"), NOW - (5 - day) * DAY).unwrap();
    }
    for session in ["ahead 1", "ahead 2", "ahead 3"] {
        count(&mut *store, session, NOW + 40 * DAY).unwrap();
    }
    for session in ["back 1", "back 2"] {
        count(&mut *store, session, NOW).unwrap();
    }
    count(&mut *store, "next day", NOW + DAY).unwrap();
    assert_eq!(store.runs(0, 99).unwrap().len(), 11, "all are left");
    // Real time still makes runs old.
    for day in 20..46 {
        count(&mut *store, "long", NOW + day * DAY).unwrap();
        count(&mut *store, &format!("later {day}"), NOW + day * DAY).unwrap();
    }
    let left: Vec<String> = store.runs(0, 99).unwrap().into_iter().map(|run| run.session).collect();
    assert!(!left.iter().any(|session| session.starts_with("live")), "{left:?}");
    assert!(left.contains(&"later 20".to_owned()), "{left:?}");
}

/// One run that never ends must not fill the disk.
#[test]
fn the_events_of_a_very_long_run_are_trimmed_but_its_answers_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(&path_in(&folder)).unwrap();
    let answered = StepEvent { action: Some("make".to_owned()), ..StepEvent::default() };
    let answered = answered.with_verdict(VerdictSummary::default().with_answer("deny", "text"));
    write(&mut *store, "a", NOW, RunEvent::Refused(answered));
    for _ in 0..120 {
        let events = std::iter::repeat_with(step).take(255).collect();
        write(&mut *store, "a", NOW, RunChange { events, ..RunChange::default() });
        write(&mut *store, "a", NOW, step());
    }
    let run = store.run(&key("a")).unwrap().unwrap();
    assert_eq!(run.events, 120 * 256 + 1, "the number goes on");
    let events = store.events(&run).unwrap();
    assert!((20_000..20_600).contains(&events.len()), "{}", events.len());
    assert_eq!((events[0].number, events.last().unwrap().number), (1, run.events));
}

#[test]
fn a_store_above_its_size_limit_removes_its_oldest_runs() {
    let folder = tempfile::tempdir().unwrap();
    let limits = StoreLimits { bytes: 2_000_000, ..StoreLimits::default() };
    let options = StoreOptions { limits, ..StoreOptions::default() };
    let mut store = open_with(&StoreUrl::from(path_in(&folder)), options).unwrap();
    let large = "x".repeat(50_000);
    for number in 0..300 {
        let then = NOW - 10 * DAY + number;
        write(&mut *store, &format!("run {number}"), then, step_with(&large));
    }
    count(&mut *store, "last", NOW).unwrap();
    for number in 0..20 {
        count(&mut *store, &format!("later {number}"), NOW).unwrap();
    }
    let left = store.runs(0, 999).unwrap();
    assert!(left.len() < 70, "{} are left", left.len());
    assert!(left.iter().any(|run| run.session == "last"));
}

#[test]
fn a_file_that_is_not_a_store_is_quarantined_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("loopbreak.db");
    fs::write(&path, "this is no database, ".repeat(500)).unwrap();
    let mut store = open(&path).unwrap();
    let aside = store.quarantined().unwrap().to_owned();
    assert!(fs::read_to_string(aside).unwrap().starts_with("this is no database"));
    count(&mut *store, "a", NOW).unwrap();
    drop(store);
    assert_eq!(open(&path).unwrap().quarantined(), None);
}

/// Overwrites all pages but the first.
fn spoil(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    bytes[4096..].fill(0xa5);
    fs::write(path, bytes).unwrap();
}

#[test]
fn damage_is_reported_and_repair_quarantines_the_file_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("loopbreak.db");
    let mut store = open(&path).unwrap();
    for number in 0..200 {
        count(&mut *store, &format!("run {number}"), NOW).unwrap();
    }
    drop(store);
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(folder.path().join(format!("loopbreak.db{end}")));
    }
    spoil(&path);
    let mut opened = open(&path).unwrap();
    if opened.quarantined().is_none() {
        assert!(matches!(count(&mut *opened, "run 1", NOW), Err(StoreError::Damaged(_))));
        opened = repair(&StoreUrl::from(&*path)).unwrap();
    }
    assert!(opened.quarantined().is_some());
    count(&mut *opened, "run 1", NOW).unwrap();
    drop(opened);
    // Another process that found the same damage must not move the new store.
    let again = repair(&StoreUrl::from(&*path)).unwrap();
    assert_eq!(again.quarantined(), None);
    assert_eq!(again.runs(0, 9).unwrap().len(), 1);
}

#[test]
fn a_store_of_a_later_version_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = path_in(&folder);
    drop(open(&path).unwrap());
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("INSERT INTO migrations VALUES (99, 'of the future', 0)").unwrap();
    let error = open(&path).unwrap_err();
    assert!(error.to_string().contains("written by a newer Loopbreak"), "{error}");
}

#[test]
fn a_store_that_stays_locked_is_busy_after_the_timeout() {
    let folder = tempfile::tempdir().unwrap();
    let path = path_in(&folder);
    let options = StoreOptions { busy_timeout: Duration::from_millis(50), ..StoreOptions::default() };
    let mut store = open_with(&StoreUrl::from(&*path), options).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.busy_timeout(Duration::ZERO).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(matches!(count(&mut *store, "a", NOW), Err(StoreError::Busy)));
    other.execute_batch("COMMIT").unwrap();
    count(&mut *store, "a", NOW).unwrap();
}

#[test]
fn a_folder_instead_of_a_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    assert!(open(folder.path()).is_err());
}

#[test]
fn records_are_stored_with_their_run_and_removed_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(&path_in(&folder)).unwrap();
    let attempt = |at| StoredAttempt {
        task: "T1".into(),
        at,
        status: "blocked".into(),
        blockers: vec!["no token".into()],
        work: vec!["read \"a\"".into()],
        session: "s".into(),
        ..StoredAttempt::default()
    };
    let entry = StoredContextEntry {
        timestamp: NOW,
        entry_type: "directive".into(),
        topic: "unblock_authority".into(),
        content: "go".into(),
        related_tasks: vec!["T1".into()],
        confidence: 0.5,
        metadata: serde_json::json!({"scope": {"task": "T1"}}),
        ..StoredContextEntry::default()
    };
    let recovery =
        StoredRecovery { at: NOW, turn: 3, intervention: "escalate".into(), ..StoredRecovery::default() };
    let task = |status: &str| StoredTask { id: "T1".into(), status: status.into(), ..StoredTask::default() };
    let records = RunRecords {
        tasks: vec![task("blocked")],
        attempts: vec![attempt(1), attempt(2)],
        context: vec![entry.clone()],
        recoveries: vec![recovery.clone()],
        ..RunRecords::default()
    };
    let write = |store: &mut dyn Store, records: RunRecords| {
        write(store, "a", NOW - 31 * DAY, RunChange { records, ..step().into() });
    };
    write(&mut *store, records);
    let done = RunRecords { tasks: vec![task("done")], attempts: vec![attempt(3)], ..RunRecords::default() };
    write(&mut *store, done);
    let run = store.run(&key("a")).unwrap().unwrap();
    assert_eq!(store.tasks(&run).unwrap(), [task("done")]);
    let attempts = store.attempts(&run).unwrap();
    assert_eq!(attempts[2], StoredAttempt { number: 3, ..attempt(3) });
    assert_eq!(store.last_attempt(&run, "T1").unwrap(), Some((3, attempts[2].at)));
    assert_eq!(store.last_attempt(&run, "T2").unwrap(), None);
    let kept = store.context(&run).unwrap();
    assert_eq!(kept, [StoredContextEntry { id: kept[0].id, ..entry }]);
    assert_eq!(store.recoveries(&run).unwrap(), [recovery]);

    count(&mut *store, "new", NOW).unwrap();
    count(&mut *store, "newer", NOW + DAY).unwrap();
    assert!(store.run(&key("a")).unwrap().is_none());
    assert!(store.attempts(&run).unwrap().is_empty() && store.context(&run).unwrap().is_empty());
    assert!(store.tasks(&run).unwrap().is_empty() && store.recoveries(&run).unwrap().is_empty());
}

#[test]
fn a_roadmap_is_stored_unchanged_and_a_verdict_changes_only_the_status() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(&path_in(&folder)).unwrap();
    let task = RoadmapTask {
        id: "api".into(),
        title: "Write the API".into(),
        details: "All of\nit".into(),
        after: vec!["schema".into()],
        position: 1,
        check: "cargo test".into(),
        returned: true,
        escalation: TaskEscalation::Called,
        blockers: vec!["no token".into()],
        deferred: vec!["critic:style".into()],
        ..RoadmapTask::default()
    };
    let first = RoadmapTask { id: "schema".into(), ..RoadmapTask::default() };
    let write = |store: &mut dyn Store, records: RunRecords| {
        write(store, "a", NOW, RunChange { records, ..step().into() });
    };
    write(&mut *store, RunRecords { roadmap: vec![task.clone(), first.clone()], ..RunRecords::default() });
    let run = store.run(&key("a")).unwrap().unwrap();
    assert_eq!(store.roadmap(&run).unwrap(), [first.clone(), task.clone()]);
    let verdict = |id: &str| StoredTask {
        id: id.into(),
        status: "done".into(),
        forced: true,
        reason: "round in circles".into(),
        changed: 5,
    };
    write(&mut *store, RunRecords { tasks: vec![verdict("api"), verdict("other")], ..RunRecords::default() });
    let kept = store.roadmap(&run).unwrap();
    let forced = RoadmapTask {
        status: TaskState::Done,
        forced: true,
        reason: "round in circles".into(),
        changed: 5,
        ..task
    };
    assert_eq!(kept[..2], [first, forced]);
    assert_eq!((kept[2].id.as_str(), kept[2].is_finished()), ("other", false));
}

#[test]
fn concurrent_changes_of_one_roadmap_are_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = path_in(&folder);
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut store = open(path).unwrap();
                for number in 0..20 {
                    let transaction = store.begin(&key("one"), "", NOW).unwrap();
                    let mut tasks = transaction.roadmap().unwrap();
                    // Each adds a task of its own at the end, and a blocker to the task that all share.
                    let position = tasks.len() as u64;
                    let shared = tasks.iter().position(|task| task.id == "shared");
                    let mut shared = shared.map(|at| tasks.swap_remove(at)).unwrap_or_default();
                    shared.id = "shared".to_owned();
                    shared.blockers.push(format!("{worker}-{number}"));
                    let own = format!("{worker}-{number}");
                    let own = RoadmapTask { id: own, position, ..RoadmapTask::default() };
                    let records = RunRecords { roadmap: vec![shared, own], ..RunRecords::default() };
                    transaction.commit(RunChange { records, ..RunChange::default() }).unwrap();
                }
            });
        }
    });
    let store = open(&path).unwrap();
    let tasks = store.roadmap(&store.run(&key("one")).unwrap().unwrap()).unwrap();
    let shared = tasks.iter().find(|task| task.id == "shared").unwrap();
    assert_eq!((tasks.len(), shared.blockers.len()), (81, 80));
    let mut places: Vec<u64> =
        tasks.iter().filter(|task| task.id != "shared").map(|task| task.position).collect();
    places.dedup();
    assert_eq!(places.len(), 80, "no two tasks have the same position");
}

#[test]
fn a_store_without_roadmaps_is_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let path = path_in(&folder);
    let mut store = open(&path).unwrap();
    let task = StoredTask { id: "T1".into(), status: "done".into(), ..StoredTask::default() };
    let records = RunRecords { tasks: vec![task], ..RunRecords::default() };
    write(&mut *store, "a", NOW, RunChange { records, ..step_with(&1) });
    drop(store);
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute_batch("DROP TABLE roadmap; DROP TABLE spending; DROP TABLE spending_periods; DROP TABLE unsent_steps; DROP TABLE servers; DELETE FROM migrations WHERE version > 2").unwrap();
    drop(old);
    let mut store = open(&path).unwrap();
    let run = store.run(&key("a")).unwrap().unwrap();
    let kept = store.roadmap(&run).unwrap();
    assert_eq!((kept.len(), kept[0].is_finished()), (1, true));
    count(&mut *store, "a", NOW).unwrap();
    assert_eq!(store.state(&key("a")).unwrap().as_deref(), Some("2"));
}

#[test]
fn the_write_ahead_log_stays_short_with_one_process_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let large = "x".repeat(20_000);
    for _ in 0..200 {
        let mut store = open(&path_in(&folder)).unwrap();
        write(&mut *store, "one", NOW, step_with(&large));
    }
    let log = fs::metadata(folder.path().join("new/loopbreak.db-wal")).unwrap().len();
    assert!(log < 1_000_000, "{log} bytes");
    let store = open(&path_in(&folder)).unwrap();
    assert_eq!(store.run(&key("one")).unwrap().unwrap().events, 200);
}

#[test]
fn events_are_counted_by_kind_answer_and_refused_call() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(&path_in(&folder)).unwrap();
    let call = |action: &str, answer: &str| {
        let event = StepEvent { action: Some(action.to_owned()), ..StepEvent::default() };
        event.with_verdict(VerdictSummary::default().with_answer(answer, "text"))
    };
    let odd = RunEvent::from_columns("later", "[1");
    for event in [
        step(),
        step(),
        RunEvent::Step(call("make", "advise")),
        RunEvent::Refused(call("make", "deny")),
        RunEvent::Refused(call("make", "deny")),
        RunEvent::Refused(call("ls", "stop")),
        odd,
    ] {
        write(&mut *store, "a", NOW, event);
    }
    let run = store.runs(0, 1).unwrap().remove(0);
    let counts = store.event_counts(&run).unwrap();
    let counts: Vec<_> = counts
        .iter()
        .map(|event| {
            (event.kind.as_str(), event.answer.as_deref(), event.action.as_deref(), event.count, event.last)
        })
        .collect();
    let expected = [
        ("later", None, None, 1, 7),
        ("refused", Some("deny"), Some("make"), 2, 5),
        ("refused", Some("stop"), Some("ls"), 1, 6),
        ("step", Some("advise"), None, 1, 3),
    ];
    assert_eq!(counts, expected);
    let last = store.last_event(&run, "refused").unwrap().unwrap();
    assert_eq!((last.number, last.event.headline()), (6, Some("ls")));
    assert_eq!(store.last_event(&run, "end").unwrap(), None);
}

#[test]
fn a_run_without_an_end_is_idle_after_ten_minutes() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(&path_in(&folder)).unwrap();
    write(&mut *store, "a", NOW, step());
    let phase = |store: &dyn Store, later: i64| {
        let run = store.runs(0, 1).unwrap().remove(0);
        let status = RunStatus::load(store, run, NOW + later, &|warning| panic!("{warning}")).unwrap();
        (status.state, status.running)
    };
    assert_eq!(phase(&*store, IDLE_MS), (RunPhase::Running, true));
    assert_eq!(phase(&*store, IDLE_MS + 1), (RunPhase::Idle, true));
    assert_eq!(phase(&*store, LIVE_MS + 1), (RunPhase::Idle, false));
    write(&mut *store, "a", NOW, RunChange { ended: true, ..RunChange::default() });
    assert_eq!(phase(&*store, 0), (RunPhase::Ended, false));
}
