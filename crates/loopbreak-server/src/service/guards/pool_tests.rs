//! Tests of the guards over a real store: verdicts, idempotency, restarts, leases and limits.

use std::sync::Arc;
use std::time::Duration;

use loopbreak::{Settings, Step};
use loopbreak_store::service::{
    EntryQuery, IssueState, LoopQuery, RunVerdict, ServiceRunKey, ServiceStore, ServiceStoreUrl,
    open_service_store,
};
use serde_json::{Value, json};

use super::*;
use crate::lines::LineGuard;
use crate::service::{IngestError, IngestItem, ProjectName, StepAnswer, StepSink as _};

pub(super) fn options(owner: &str) -> PoolOptions {
    PoolOptions {
        settings: Settings::default(),
        owner: owner.to_owned(),
        lease: Duration::from_mins(1),
        idle: Duration::from_mins(10),
        max_runs: 1000,
        max_queued: 4000,
        shards: 2,
    }
}

pub(super) fn open(folder: &tempfile::TempDir) -> Arc<dyn ServiceStore> {
    open_service_store(&ServiceStoreUrl::from(folder.path().join("service.db").as_path()), 1).unwrap()
}

pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

pub(super) fn item(run: &str, step: &Value, key: Option<&str>) -> IngestItem {
    let text = step.to_string();
    let step = Step::from_json(&text).unwrap().into_owned();
    IngestItem { run: run.to_owned(), key: key.map(str::to_owned), step }
}

fn ingest(pool: &GuardPool, items: Vec<IngestItem>) -> Result<Vec<StepAnswer>, IngestError> {
    block_on(pool.ingest(&ProjectName::default(), items))
}

fn send(pool: &GuardPool, run: &str, step: &Value) -> Value {
    let answer = ingest(pool, vec![item(run, step, None)]).unwrap().remove(0);
    serde_json::from_str(&answer.json).unwrap()
}

/// Steps of all kinds, some of them in loops.
fn steps() -> Vec<Value> {
    (0..150)
        .map(|number| match number % 30 {
            0..=9 => json!({"at": 1000 * number, "action": {"name": "bash", "args": {"command": "make"}},
                            "outcome": {"text": "1 failed", "error": true}, "usage": {"cost_usd": 0.5}}),
            10 => json!({"at": 1000 * number, "user": "go on"}),
            11..=16 => json!({"at": 1000 * number,
                              "task": {"id": "t", "status": "blocked", "blockers": ["no token"]}}),
            17..=22 => json!({"at": 1000 * number, "action": "north", "place": {"id": number % 2}, "score": 1.5,
                              "critic": {"score": 0.9}}),
            _ => json!({"at": 1000 * number, "say": format!("part {number}"), "action": format!("read {number}"),
                        "outcome": format!("text {number}"), "progress": true}),
        })
        .collect()
}

/// Returns the answers of the guard for lines, which keeps its runs in memory and nowhere else.
fn reference(run: &str, steps: &[Value]) -> Vec<Value> {
    let mut guard = LineGuard::in_memory(&Settings::default()).unwrap();
    let answers = steps.iter().map(|step| {
        let mut line = step.clone();
        line["run"] = run.into();
        serde_json::to_value(guard.answer(line.to_string().as_bytes()).unwrap()).unwrap()
    });
    answers.collect()
}

/// Returns an answer without the parts that the guard for lines does not have, and those that depend on the clock.
fn plain(mut answer: Value) -> Value {
    if let Some(answer) = answer.as_object_mut() {
        answer.remove("rewind_to");
    }
    answer
}

#[test]
fn verdicts_are_those_of_a_guard_that_never_ended() {
    let folder = tempfile::tempdir().unwrap();
    let expected = reference("r", &steps());
    let mut pool = GuardPool::start(&open(&folder), &options("one")).unwrap();
    for (number, (step, expected)) in steps().iter().zip(expected).enumerate() {
        // Sometimes the server ends in order, and sometimes it is gone without a word.
        match number % 23 {
            7 => {
                pool.end();
                pool = GuardPool::start(&open(&folder), &options("one")).unwrap();
            }
            15 => pool = GuardPool::start(&open(&folder), &options("one")).unwrap(),
            _ => {}
        }
        assert_eq!(plain(send(&pool, "r", step)), expected, "step {number}: {step}");
    }
    let run = open(&folder).run(&key("r")).unwrap().unwrap();
    assert_eq!((run.figures.steps, run.last_seq, run.figures.worst), (150, 150, RunVerdict::Stop));
    assert!((run.figures.cost - 25.0).abs() < 1e-9 && run.figures.wasted_steps > 10, "{:?}", run.figures);
    pool.end();
}

fn key(run: &str) -> ServiceRunKey {
    ServiceRunKey { project: "default".to_owned(), run: run.to_owned() }
}

#[test]
fn a_step_that_is_sent_again_counts_once_and_gets_the_same_answer() {
    let folder = tempfile::tempdir().unwrap();
    let pool = GuardPool::start(&open(&folder), &options("one")).unwrap();
    let step = json!({"action": "make", "outcome": "1 failed"});
    let first = ingest(&pool, vec![item("r", &step, Some("a")), item("r", &step, Some("a"))]).unwrap();
    assert!(!first[0].duplicate && first[1].duplicate);
    assert_eq!(first[0].json, first[1].json);
    // More keys than are remembered in memory, and another process.
    for number in 0..100 {
        let step = json!({"action": format!("read {number}")});
        ingest(&pool, vec![item("r", &step, Some(&format!("k{number}")))]).unwrap();
    }
    let later = ingest(&pool, vec![item("r", &step, Some("a"))]).unwrap().remove(0);
    assert_eq!((later.duplicate, &later.json), (true, &first[0].json));
    pool.end();
    let pool = GuardPool::start(&open(&folder), &options("one")).unwrap();
    let later = ingest(&pool, vec![item("r", &step, Some("a"))]).unwrap().remove(0);
    assert_eq!((later.duplicate, &later.json), (true, &first[0].json));
    assert_eq!(open(&folder).run(&key("r")).unwrap().unwrap().figures.steps, 101);
    // The same key in another run is another step.
    assert!(!ingest(&pool, vec![item("other", &step, Some("a"))]).unwrap()[0].duplicate);
    pool.end();
}

#[test]
fn a_run_that_another_server_took_is_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let one =
        GuardPool::start(&open(&folder), &PoolOptions { lease: Duration::ZERO, ..options("one") }).unwrap();
    let two = GuardPool::start(&open(&folder), &options("two")).unwrap();
    let step = json!({"action": "make", "outcome": {"text": "1 failed", "error": true}});
    let turn = |pool: &GuardPool| send(pool, "r", &step)["turn"].as_u64().unwrap();
    assert_eq!((turn(&one), turn(&one)), (1, 2));
    // The lease of the first has ended, and it does not know that yet.
    assert_eq!(turn(&two), 3);
    let error = ingest(&one, vec![item("r", &step, None)]).unwrap_err();
    assert!(matches!(error, IngestError::Unavailable { .. }), "{error}");
    let error = ingest(&one, vec![item("r", &step, None)]).unwrap_err();
    assert!(error.to_string().contains("another server guards this run"), "{error}");
    two.end();
    // It was given back, and no step is missing or counted twice.
    let answer = send(&one, "r", &step);
    assert_eq!((&answer["turn"], &answer["verdict"]), (&json!(4), &json!("warn")));
    one.end();
}

#[test]
fn more_runs_than_fit_into_memory_are_put_away_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let pool = GuardPool::start(&store, &PoolOptions { max_runs: 8, ..options("one") }).unwrap();
    let names: Vec<String> = (0..20).map(|run| format!("r{run}")).collect();
    let expected: Vec<Vec<Value>> = names.iter().map(|name| reference(name, &steps()[..40])).collect();
    for (number, step) in steps().iter().take(40).enumerate() {
        let items = names.iter().map(|name| item(name, step, None)).collect();
        for (answer, expected) in ingest(&pool, items).unwrap().into_iter().zip(&expected) {
            assert_eq!(plain(serde_json::from_str(&answer.json).unwrap()), expected[number]);
        }
    }
    std::thread::sleep(Duration::from_millis(100));
    let live = pool.counters().live_runs.load(std::sync::atomic::Ordering::Relaxed);
    assert!(live <= 8, "{live} runs in memory");
    pool.end();
}

#[test]
fn an_allowed_loop_is_let_pass_by_live_guards_and_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let step = json!({"action": {"name": "bash", "args": {"command": "date -u"}}, "outcome": "all quiet"});
    let pool = GuardPool::start(&store, &options("one")).unwrap();
    for expected in ["clear", "clear", "warn"] {
        assert_eq!(send(&pool, "r", &step)["verdict"], expected);
    }
    let found = store.loops(&LoopQuery { limit: 9, ..LoopQuery::default() }).unwrap();
    assert_eq!((found.len(), found[0].tool.as_str(), found[0].runs), (1, "bash", 1), "{found:?}");
    store.set_loop_state("default", &found[0].loop_id, IssueState::Allowed, 1).unwrap();
    pool.refresh_rules(&ProjectName::default());
    for _ in 0..10 {
        assert_eq!(send(&pool, "r", &step)["verdict"], "clear");
    }
    drop(pool);
    let pool = GuardPool::start(&store, &options("one")).unwrap();
    for _ in 0..10 {
        assert_eq!(send(&pool, "r", &step)["verdict"], "clear");
        assert_eq!(send(&pool, "other", &step)["verdict"], "clear");
    }
    // Another loop is still found.
    let other = json!({"action": {"name": "bash", "args": {"command": "ls"}}, "outcome": "a b"});
    let verdicts: Vec<Value> = (0..3).map(|_| send(&pool, "r", &other)["verdict"].take()).collect();
    assert_eq!(verdicts, ["clear", "clear", "warn"]);
    store.set_loop_state("default", &found[0].loop_id, IssueState::Open, 2).unwrap();
    pool.refresh_rules(&ProjectName::default());
    let verdicts: Vec<Value> = (0..4).map(|_| send(&pool, "new", &step)["verdict"].take()).collect();
    assert_eq!(verdicts, ["clear", "clear", "warn", "warn"]);
    pool.end();
}

#[test]
fn a_request_to_stop_is_part_of_the_next_verdicts() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let pool = GuardPool::start(&store, &options("one")).unwrap();
    let step = |number: u64| json!({"action": format!("read {number}"), "outcome": format!("text {number}")});
    assert_eq!(send(&pool, "r", &step(1))["verdict"], "clear");
    store.request_stop(&key("r"), Some("too expensive"), 1).unwrap();
    pool.set_stop(key("r"), Some("too expensive".to_owned()));
    let answer = send(&pool, "r", &step(2));
    assert_eq!((&answer["verdict"], &answer["stop"]), (&json!("stop"), &json!("stop_request")));
    assert!(answer["advice"][0].as_str().unwrap().contains("too expensive"), "{answer}");
    drop(pool);
    let pool = GuardPool::start(&store, &options("one")).unwrap();
    assert_eq!(send(&pool, "r", &step(3))["stop"], "stop_request", "also after a restart");
    store.request_stop(&key("r"), None, 1).unwrap();
    pool.set_stop(key("r"), None);
    assert_eq!(send(&pool, "r", &step(4))["verdict"], "clear");
    pool.end();
}

#[test]
fn load_beyond_the_limit_is_refused_and_nothing_of_it_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let pool =
        GuardPool::start(&store, &PoolOptions { max_queued: 20, shards: 1, ..options("one") }).unwrap();
    let step = json!({"action": "x"});
    let (taken, refused) = block_on(async {
        let requests = (0..40).map(|number| {
            let (pool, step) = (pool.clone(), &step);
            async move {
                let items = (0..10).map(|_| item(&format!("r{number}"), step, None)).collect();
                pool.ingest(&ProjectName::default(), items).await
            }
        });
        let mut requests: Vec<_> = requests.map(Box::pin).collect();
        // All are sent before the first is answered.
        let mut results = Vec::new();
        std::future::poll_fn(|context| {
            requests.retain_mut(|request| match request.as_mut().poll(context) {
                std::task::Poll::Ready(result) => {
                    results.push(result);
                    false
                }
                std::task::Poll::Pending => true,
            });
            if requests.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
        let taken = results.iter().filter(|result| result.is_ok()).count();
        let refused = results.iter().filter(|result| matches!(result, Err(IngestError::Overloaded { .. })));
        (taken, refused.count())
    });
    assert_eq!(taken + refused, 40);
    assert!(refused > 0 && taken > 0, "{taken} taken, {refused} refused");
    let entries = store.entries(&EntryQuery { limit: 1000, ..EntryQuery::default() }).unwrap();
    assert_eq!(entries.len(), taken * 10);
    assert_eq!(pool.counters().shed(), refused as u64 * 10);
    pool.end();
}

#[test]
fn an_invalid_step_in_a_batch_records_nothing_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let pool = GuardPool::start(&store, &options("one")).unwrap();
    let good = item("r", &json!({"action": "x"}), None);
    for (bad, message) in [
        (item("r", &json!({}), None), "The step is empty"),
        (item(" ", &json!({"say": "x"}), None), "Invalid run name"),
        (item("r", &json!({"say": "x"}), Some("")), "Invalid idempotency key"),
        (item("r", &json!({"task": {"id": "a\nb"}}), None), "Invalid task id"),
    ] {
        let error = ingest(&pool, vec![good.clone(), bad]).unwrap_err();
        let IngestError::InvalidStep { index: 1, message: said, .. } = &error else { panic!("{error:?}") };
        assert!(said.contains(message), "{said}");
    }
    assert_eq!(store.last_entry().unwrap(), 0);
    pool.end();
}

#[test]
fn tasks_are_judged_recovered_and_restored() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let mut pool = GuardPool::start(&store, &options("one")).unwrap();
    let project = ProjectName::default();
    let call = |pool: &GuardPool, call: RunCall| -> Value {
        let answer = block_on(pool.call(&project, "job", call, None, "{}".to_owned())).unwrap().unwrap();
        serde_json::from_str(&answer).unwrap()
    };
    let unknown = call(&pool, RunCall::DetectLoop(None));
    assert_eq!(unknown["isLooping"], false);
    assert!(store.run(&key("job")).unwrap().is_none(), "a question starts no run");
    let plan = json!({"tasks": [{"id": "A"}, {"id": "B", "after": ["A"]}]});
    let plan = call(&pool, RunCall::Plan(serde_json::from_value(plan).unwrap()));
    assert_eq!(plan["task"]["id"], "A");
    for number in 1..=3 {
        let attempt = json!({"taskId": "A", "status": "blocked", "blockers": ["no network"]});
        let attempt = call(&pool, RunCall::Attempt(serde_json::from_value(attempt).unwrap()));
        assert_eq!(attempt["task"]["attemptCount"], number);
        assert_eq!(attempt["check"]["isLooping"], number == 3, "{attempt}");
        drop(pool);
        pool = GuardPool::start(&store, &options("one")).unwrap();
    }
    let check = call(&pool, RunCall::DetectLoop(Some("A".to_owned())));
    assert_eq!((&check["isLooping"], &check["loopType"]), (&json!(true), &json!("blocked_task_spin")));
    let recovered = call(&pool, RunCall::Recover("A".to_owned()));
    assert_eq!(recovered["recovery"], "unblock_authority");
    drop(pool);
    let pool = GuardPool::start(&store, &options("one")).unwrap();
    let again = call(&pool, RunCall::Recover("A".to_owned()));
    assert_eq!(again["applied"], false, "nothing is granted twice: {again}");
    let tasks = call(&pool, RunCall::TaskStatus { task: None, offset: 0 });
    assert_eq!((&tasks["total"], &tasks["tasks"][0]["attemptCount"]), (&json!(2), &json!(3)));
    pool.end();
}

#[test]
fn secrets_reach_neither_the_store_nor_the_answers() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let pool = GuardPool::start(&store, &options("one")).unwrap();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let step = json!({"action": {"name": "bash", "args": {"command": format!("curl -H 'Authorization: Bearer {secret}'")}},
                      "outcome": {"text": secret, "error": true}, "say": secret});
    for _ in 0..40 {
        let answer = send(&pool, "r", &step);
        assert!(!answer.to_string().contains("ghp_0123"), "{answer}");
    }
    pool.end();
    let stored = format!(
        "{:?}{:?}{:?}",
        store.entries(&EntryQuery { limit: 1000, ..EntryQuery::default() }).unwrap(),
        store.loops(&LoopQuery { limit: 9, ..LoopQuery::default() }).unwrap(),
        store.load(store.run(&key("r")).unwrap().unwrap().id).unwrap(),
    );
    assert!(stored.contains("bash") && !stored.contains("ghp_0123"), "{stored}");
}
