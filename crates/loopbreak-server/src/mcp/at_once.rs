//! Two servers, or a server and somebody else, at one store: what each makes of a task is there for the other.

use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use loopbreak::Settings;
use loopbreak_store::tasks::RoadmapTask;
use loopbreak_store::{Records, RunChange, StoreUrl, now, open};
use serde_json::{Value, json};

use super::input::{AttemptInput, PlannedInput};
use super::place::Place;
use super::server::Options;

/// Long enough for a call to read whatever it reads before it waits for the lock.
const A_MOMENT: Duration = Duration::from_millis(200);

fn place(store: &Path) -> Place {
    let options =
        Options { settings: Settings::default(), store: store.into(), folder: String::new(), run: None };
    Place::open(options).unwrap()
}

fn planned(task: Value) -> PlannedInput {
    serde_json::from_value(task).unwrap()
}

fn attempt(task: &str, status: &str) -> AttemptInput {
    serde_json::from_value(json!({"taskId": task, "status": status, "blockers": ["no token"]})).unwrap()
}

/// Makes a call while somebody else is about to change the task `a`, and gives the tasks as they stand after both.
fn meanwhile(
    prepare: impl FnOnce(&mut Place),
    change: impl FnOnce(&mut RoadmapTask) + Send,
    call: impl FnOnce(&mut Place) + Send,
) -> Vec<RoadmapTask> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let mut ours = place(&path);
    ours.plan_next("r", &[planned(json!({"id": "a", "title": "The first"}))]).unwrap();
    prepare(&mut ours);
    let (locked, is_locked) = channel();
    thread::scope(|scope| {
        let path = &path;
        scope.spawn(move || {
            let mut store = open(&StoreUrl::from(&**path)).unwrap();
            let transaction = store.begin(&Place::key("r"), "", now()).unwrap();
            let mut tasks = transaction.roadmap().unwrap();
            locked.send(()).unwrap();
            thread::sleep(A_MOMENT);
            change(&mut tasks[0]);
            let records = Records { roadmap: vec![tasks.swap_remove(0)], ..Records::default() };
            transaction.commit(RunChange { records, ..RunChange::default() }).unwrap();
        });
        is_locked.recv().unwrap();
        call(&mut ours);
    });
    ours.roadmap("r").unwrap()
}

#[test]
fn a_task_that_another_finished_stays_finished_when_it_is_planned_again() {
    let tasks = meanwhile(
        |_| {},
        |task| task.finish("by another", 5),
        |place| {
            let task = planned(json!({"id": "a", "title": "A better title"}));
            place.plan_next("r", &[task]).unwrap();
        },
    );
    assert!(tasks[0].is_finished(), "{tasks:?}");
    assert_eq!(tasks[0].title, "A better title");
}

#[test]
fn a_task_that_another_finished_stays_finished_when_an_attempt_at_it_is_told() {
    let tasks = meanwhile(
        |_| {},
        |task| task.finish("by another", 5),
        |place| {
            let told = place.record_attempt("r", &attempt("a", "blocked")).unwrap();
            assert_eq!(serde_json::to_value(&told).unwrap()["task"]["status"], "done");
        },
    );
    assert!(tasks[0].is_finished(), "{tasks:?}");
}

#[test]
fn what_another_says_of_a_task_is_not_lost_when_it_is_got_out_of_its_loop() {
    let tasks = meanwhile(
        |place| {
            for _ in 0..3 {
                place.record_attempt("r", &attempt("a", "blocked")).unwrap();
            }
        },
        |task| task.details = "Ask the team for a token.".to_owned(),
        |place| {
            let told = place.apply_recovery("r", "a").unwrap();
            assert_eq!(serde_json::to_value(&told).unwrap()["recovery"], "unblock_authority");
        },
    );
    assert_eq!(tasks[0].details, "Ask the team for a token.");
    assert!(tasks[0].is_open() && tasks[0].blockers.is_empty(), "{tasks:?}");
}

#[test]
fn two_servers_that_tell_of_attempts_at_once_lose_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    drop(place(&path));
    thread::scope(|scope| {
        for server in 0..2 {
            let path = &path;
            scope.spawn(move || {
                let mut place = place(path);
                for number in 0..20 {
                    place.record_attempt("r", &attempt(&format!("{server}-{number}"), "done")).unwrap();
                }
            });
        }
    });
    let tasks = place(&path).roadmap("r").unwrap();
    assert_eq!(tasks.iter().filter(|task| task.is_finished()).count(), 40);
    let mut positions: Vec<u64> = tasks.iter().map(|task| task.position).collect();
    positions.dedup();
    assert_eq!(positions.len(), 40, "no two tasks were given one place");
}
