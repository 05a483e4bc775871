//! Two servers, or a server and another process, use one store: neither loses the changes of the other.

use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use loopbreak::Settings;
use loopbreak_store::tasks::RoadmapTask;
use loopbreak_store::{RunChange, RunRecords, StoreUrl, now, open};
use serde_json::{Value, json};

use super::plan_next::PlannedInput;
use super::record_attempt::AttemptInput;
use crate::mcp::protocol::McpOptions;
use crate::mcp::state::ServerState;

/// Long enough for a call to read what it needs before it waits for the lock.
const A_MOMENT: Duration = Duration::from_millis(200);

fn open_state(store: &Path) -> ServerState {
    let options =
        McpOptions { settings: Settings::default(), store: store.into(), folder: String::new(), run: None };
    ServerState::open(options).unwrap()
}

fn planned(task: Value) -> PlannedInput {
    serde_json::from_value(task).unwrap()
}

fn attempt(task: &str, status: &str) -> AttemptInput {
    serde_json::from_value(json!({"taskId": task, "status": status, "blockers": ["no network"]})).unwrap()
}

/// Makes a call while another process is about to change the task `a`. Returns the tasks after both.
fn with_concurrent_change(
    prepare: impl FnOnce(&mut ServerState),
    change: impl FnOnce(&mut RoadmapTask) + Send,
    call: impl FnOnce(&mut ServerState) + Send,
) -> Vec<RoadmapTask> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let mut ours = open_state(&path);
    ours.plan_next("r", &[planned(json!({"id": "a", "title": "The first"}))]).unwrap();
    prepare(&mut ours);
    let (locked, is_locked) = channel();
    thread::scope(|scope| {
        let path = &path;
        scope.spawn(move || {
            let mut store = open(&StoreUrl::from(&**path)).unwrap();
            let transaction = store.begin(&ServerState::key("r"), "", now()).unwrap();
            let mut tasks = transaction.roadmap().unwrap();
            locked.send(()).unwrap();
            thread::sleep(A_MOMENT);
            change(&mut tasks[0]);
            let records = RunRecords { roadmap: vec![tasks.swap_remove(0)], ..RunRecords::default() };
            transaction.commit(RunChange { records, ..RunChange::default() }).unwrap();
        });
        is_locked.recv().unwrap();
        call(&mut ours);
    });
    ours.roadmap("r").unwrap()
}

#[test]
fn planning_a_task_again_keeps_it_finished() {
    let tasks = with_concurrent_change(
        |_| {},
        |task| task.finish("by another", 5),
        |state| {
            let task = planned(json!({"id": "a", "title": "A better title"}));
            state.plan_next("r", &[task]).unwrap();
        },
    );
    assert!(tasks[0].is_finished(), "{tasks:?}");
    assert_eq!(tasks[0].title, "A better title");
}

#[test]
fn an_attempt_does_not_reopen_a_task_that_another_process_finished() {
    let tasks = with_concurrent_change(
        |_| {},
        |task| task.finish("by another", 5),
        |state| {
            let answer = state.record_attempt("r", &attempt("a", "blocked")).unwrap();
            assert_eq!(serde_json::to_value(&answer).unwrap()["task"]["status"], "done");
        },
    );
    assert!(tasks[0].is_finished(), "{tasks:?}");
}

#[test]
fn a_recovery_keeps_the_changes_of_another_process() {
    let tasks = with_concurrent_change(
        |state| {
            for _ in 0..3 {
                state.record_attempt("r", &attempt("a", "blocked")).unwrap();
            }
        },
        |task| task.details = "Ask the team for a token.".to_owned(),
        |state| {
            let answer = state.apply_recovery("r", "a").unwrap();
            assert_eq!(serde_json::to_value(&answer).unwrap()["recovery"], "unblock_authority");
        },
    );
    assert_eq!(tasks[0].details, "Ask the team for a token.");
    assert!(tasks[0].is_open() && tasks[0].blockers.is_empty(), "{tasks:?}");
}

#[test]
fn attempts_of_two_servers_are_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    drop(open_state(&path));
    thread::scope(|scope| {
        for server in 0..2 {
            let path = &path;
            scope.spawn(move || {
                let mut state = open_state(path);
                for number in 0..20 {
                    state.record_attempt("r", &attempt(&format!("{server}-{number}"), "done")).unwrap();
                }
            });
        }
    });
    let tasks = open_state(&path).roadmap("r").unwrap();
    assert_eq!(tasks.iter().filter(|task| task.is_finished()).count(), 40);
    let mut positions: Vec<u64> = tasks.iter().map(|task| task.position).collect();
    positions.dedup();
    assert_eq!(positions.len(), 40, "no two tasks have the same position");
}
