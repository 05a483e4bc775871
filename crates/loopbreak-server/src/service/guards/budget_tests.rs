//! Tests of budgets over all runs of a project.

use std::sync::Arc;

use loopbreak::Settings;
use loopbreak_store::service::{EntryKind, EntryQuery, ServiceStore};
use serde_json::{Value, json};

use super::pool_tests::{block_on, item, open, options};
use super::*;
use crate::service::test_stores::{TestStore, each_store};
use crate::service::{ProjectName, StepSink as _};

fn budget(limits: &Value) -> PoolOptions {
    let settings: Settings = serde_json::from_value(json!({"budget": limits})).unwrap();
    PoolOptions { settings, ..options("one") }
}

/// A step that costs a dollar and is like no other.
fn dollar(number: u64) -> Value {
    json!({"action": format!("read {number}"), "outcome": format!("text {number}"), "usage": {"cost_usd": 1.0}})
}

fn send(pool: &GuardPool, project: &str, run: &str, step: &Value) -> Value {
    let project: ProjectName = project.parse().unwrap();
    let answer = block_on(pool.ingest(&project, vec![item(run, step, None)])).unwrap().remove(0);
    serde_json::from_str(&answer.json).unwrap()
}

fn verdicts(pool: &GuardPool, project: &str, runs: &[&str], steps: std::ops::Range<u64>) -> Vec<Value> {
    steps
        .map(|number| {
            let run = runs[number as usize % runs.len()];
            send(pool, project, run, &dollar(number))["verdict"].take()
        })
        .collect()
}

#[test]
fn runs_of_a_project_share_its_budget_and_those_of_another_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let pool = GuardPool::start(&open(&folder), &budget(&json!({"max_cost_day": 10.0}))).unwrap();
    let runs = ["a", "b", "c", "d", "e"];
    let seen = verdicts(&pool, "web", &runs, 0..12);
    assert_eq!(seen[..7], ["clear"; 7].map(Value::from), "{seen:?}");
    assert!(seen[7] == "warn" && seen[9..] == ["stop"; 3].map(Value::from), "{seen:?}");
    assert_eq!(verdicts(&pool, "other", &runs, 0..7), ["clear"; 7]);
    let stopped = send(&pool, "web", "new", &dollar(99));
    assert_eq!(
        (&stopped["verdict"], &stopped["stop"]),
        (&json!("stop"), &json!("max_cost_day")),
        "{stopped}"
    );
    pool.end();
}

#[test]
fn every_limit_counts_all_runs() {
    for (limit, reason) in [
        ("max_cost_hour", "max_cost_hour"),
        ("max_cost_day", "max_cost_day"),
        ("max_cost_total", "max_cost_total"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let pool = GuardPool::start(&open(&folder), &budget(&json!({limit: 5.0}))).unwrap();
        let seen = verdicts(&pool, "web", &["a", "b", "c", "d", "e"], 0..5);
        assert_eq!((&seen[2], &seen[4]), (&json!("clear"), &json!("stop")), "{limit}: {seen:?}");
        assert_eq!(send(&pool, "web", "new", &dollar(9))["stop"], reason);
        pool.end();
    }
}

/// The spending of others is stored with a step, so the next owner of the run judges it as the last one did.
#[test]
fn a_replay_by_the_next_owner_gives_the_same_verdicts() {
    let limits = json!({"max_cost_day": 30.0, "max_cost_hour": 60.0});
    // The periods of budgets are named after the times of steps.
    let began = loopbreak_store::now();
    let play = |stores: &TestStore, restarts: bool| -> Vec<Value> {
        let mut pool = GuardPool::start(&stores.open(), &budget(&limits)).unwrap();
        let mut answers = Vec::new();
        for number in 0..60_i64 {
            if restarts && number % 7 == 3 {
                // The server is gone without a word, and all of its runs are replayed.
                pool = GuardPool::start(&stores.open(), &budget(&limits)).unwrap();
            }
            let run = ["a", "b", "c"][(number % 3) as usize];
            let mut step = dollar(number.unsigned_abs());
            step["at"] = json!(began + number);
            answers.push(send(&pool, "web", run, &step));
        }
        pool.end();
        answers
    };
    let live = play(&TestStore::sqlite(), false);
    assert!(live.iter().any(|answer| answer["verdict"] == "stop"));
    each_store(|stores| {
        for (number, (live, replayed)) in live.iter().zip(play(stores, true)).enumerate() {
            assert_eq!(live, &replayed, "step {number}");
        }
    });
}

#[test]
fn sums_are_stored_only_where_a_verdict_can_depend_on_them() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn ServiceStore> = open(&folder);
    let pool = GuardPool::start(&store, &budget(&json!({"max_cost_total": 10.0}))).unwrap();
    verdicts(&pool, "web", &["a", "b"], 0..10);
    let query = EntryQuery { kinds: vec![EntryKind::Spending], limit: 100, ..EntryQuery::default() };
    let stored = store.entries(&query).unwrap();
    assert_eq!(stored.len(), 3, "before the steps that reach 8, 9 and 10 dollars: {stored:?}");
    let free = json!({"action": "look", "outcome": "a room"});
    assert_eq!(send(&pool, "calm", "a", &free)["verdict"], "clear");
    pool.end();
}

#[test]
fn two_servers_count_what_the_other_has_stored() {
    each_store(|stores| {
        let limits = json!({"max_cost_day": 6.0});
        let one = GuardPool::start(&stores.open(), &budget(&limits)).unwrap();
        let two =
            GuardPool::start(&stores.open(), &PoolOptions { owner: "two".to_owned(), ..budget(&limits) })
                .unwrap();
        let seen: Vec<Value> = (0..6)
            .map(|number| {
                let (pool, run) = if number % 2 == 0 { (&one, "a") } else { (&two, "b") };
                send(pool, "web", run, &dollar(number))["verdict"].take()
            })
            .collect();
        assert_eq!((&seen[2], &seen[5]), (&json!("clear"), &json!("stop")), "{seen:?}");
        one.end();
        two.end();
    });
}

#[test]
fn tokens_with_a_price_count_and_an_old_log_is_not_judged_by_the_present() {
    let folder = tempfile::tempdir().unwrap();
    let pool = GuardPool::start(&open(&folder), &budget(&json!({"max_cost_day": 50.0}))).unwrap();
    let tokens = |number: u64, at: i64| {
        json!({"at": at, "action": format!("read {number}"), "outcome": format!("text {number}"), "model": "gpt-4o",
               "usage": {"output_tokens": 2_000_000}})
    };
    let now = loopbreak_store::now();
    let seen: Vec<Value> = (0..3)
        .map(|number| send(&pool, "web", &format!("r{number}"), &tokens(number, now))["verdict"].take())
        .collect();
    assert_eq!(seen, ["clear", "warn", "stop"]);
    assert_eq!(send(&pool, "web", "old", &tokens(9, now - 7 * 24 * 3_600_000))["verdict"], "clear");
    pool.end();
}
