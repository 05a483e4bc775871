//! Tests of the rules over a real store, with the times passed in, and of the messages with a real receiver.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use loopbreak::settings::AlertRule;
use loopbreak_store::service::{
    AlertQuery, EntryKind, IssueState, LoopUpdate, MessageState, NewEntry, RunAppend, RunClaim, RunFigures,
    RunVerdict, ServiceRunKey, ServiceStore, StoredAlert,
};
use serde_json::json;

use super::alert_watcher::AlertWatcher;
use super::message_courier::MessageCourier;
use crate::service::test_stores::each_store;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// Noon of a day.
const NOON: i64 = 20_000 * DAY + 12 * HOUR;

fn rules(rules: serde_json::Value) -> Vec<AlertRule> {
    serde_json::from_value(rules).unwrap()
}

/// Stores a step of a run that costs this much, with a finding about a loop if one is named.
fn store_step(store: &dyn ServiceStore, project: &str, run: &str, usd: f64, found: Option<&str>, at: i64) {
    let key = ServiceRunKey { project: project.to_owned(), run: run.to_owned() };
    let RunClaim::Granted(claimed) = store.claim(&[key], "one", at, at + HOUR).unwrap().remove(0) else {
        panic!("not granted")
    };
    let entry = NewEntry {
        seq: claimed.run.last_seq + 1,
        at,
        kind: EntryKind::Step,
        key: None,
        verdict: RunVerdict::Clear,
        notable: false,
        input: String::new(),
        answer: String::new(),
        model: String::new(),
        tokens: 0,
        cost: usd,
        wasted_by: None,
    };
    let loops = found.map(|id| LoopUpdate {
        loop_id: id.to_owned(),
        findings: 1,
        detector: "cycle".to_owned(),
        reason: "3 equal calls".to_owned(),
        ..LoopUpdate::default()
    });
    let addition = RunAppend {
        lease: claimed.lease,
        entries: vec![entry],
        figures: RunFigures::default(),
        snapshot: None,
        loops: loops.into_iter().collect(),
    };
    store.append(&[addition], at).unwrap();
}

fn alerts(store: &dyn ServiceStore) -> Vec<StoredAlert> {
    let mut alerts = store.alerts(&AlertQuery { limit: 100, ..AlertQuery::default() }).unwrap();
    alerts.reverse();
    alerts
}

#[test]
fn a_day_is_told_once_by_project_and_for_all_projects() {
    each_store(|stores| {
        let store = stores.open();
        let rules = rules(json!([
            {"name": "web", "kind": "cost_per_day", "threshold": 5.0, "project": "web"},
            {"name": "all", "kind": "cost_per_day", "threshold": 8.0},
        ]));
        let mut watcher = AlertWatcher::new(Arc::clone(&store), rules.clone());
        let told = || alerts(&*store).into_iter().map(|alert| alert.rule).collect::<Vec<_>>();
        store_step(&*store, "web", "a", 4.0, None, NOON);
        store_step(&*store, "api", "a", 3.0, None, NOON);
        watcher.compare(NOON).unwrap();
        assert_eq!(told(), [""; 0]);
        store_step(&*store, "web", "b", 1.0, None, NOON);
        watcher.compare(NOON).unwrap();
        watcher.compare(NOON + 1).unwrap();
        // Another server, and one that starts again.
        AlertWatcher::new(stores.open(), rules).compare(NOON + 2).unwrap();
        assert_eq!(told(), ["web", "all"]);
        let stored = &alerts(&*store)[0];
        assert_eq!(stored.reason, "$5.00 were spent since midnight UTC; the threshold is $5.00");
        assert_eq!((stored.place.as_str(), stored.project.as_str()), ("project web", "web"));
        store_step(&*store, "web", "c", 9.0, None, NOON + DAY);
        watcher.compare(NOON + DAY).unwrap();
        assert_eq!(told(), ["web", "all", "web", "all"]);
    });
}

#[test]
fn a_rate_is_told_at_each_rise_after_the_quiet_time() {
    each_store(|stores| {
        let store = stores.open();
        let rules =
            rules(json!([{"name": "r", "kind": "cost_per_minute", "threshold": 1.0, "quiet": "30m"}]));
        let mut watcher = AlertWatcher::new(Arc::clone(&store), rules.clone());
        let mut other = AlertWatcher::new(stores.open(), rules);
        let count = || alerts(&*store).len();
        store_step(&*store, "p", "a", 10.0, None, NOON);
        for minute in 0..9 {
            watcher.compare(NOON + minute * MINUTE).unwrap();
            other.compare(NOON + minute * MINUTE).unwrap();
        }
        assert_eq!(count(), 1, "as long as it lasts");
        watcher.compare(NOON + 10 * MINUTE).unwrap();
        assert_eq!(alerts(&*store)[0].ended, Some(NOON + 10 * MINUTE));
        // It rises again within the quiet time, and stays up until after it.
        for minute in [12, 20, 28] {
            store_step(&*store, "p", "a", 10.0, None, NOON + minute * MINUTE);
            watcher.compare(NOON + minute * MINUTE).unwrap();
            other.compare(NOON + minute * MINUTE).unwrap();
            assert_eq!(count(), 1, "{minute}");
        }
        other.compare(NOON + 31 * MINUTE).unwrap();
        watcher.compare(NOON + 31 * MINUTE).unwrap();
        assert_eq!(count(), 2);
    });
}

#[test]
fn findings_of_an_hour_are_counted() {
    each_store(|stores| {
        let store = stores.open();
        let rules =
            rules(json!([{"name": "f", "kind": "findings_per_hour", "threshold": 3.0, "project": "p"}]));
        let mut watcher = AlertWatcher::new(Arc::clone(&store), rules);
        for (number, project) in ["p", "p", "q", "q"].into_iter().enumerate() {
            store_step(&*store, project, "a", 0.0, Some(&format!("l{number}")), NOON);
        }
        watcher.compare(NOON).unwrap();
        assert_eq!(alerts(&*store).len(), 0);
        store_step(&*store, "p", "a", 0.0, Some("l9"), NOON);
        watcher.compare(NOON + MINUTE).unwrap();
        assert_eq!(alerts(&*store)[0].reason, "3 findings in the last hour; the threshold is 3");
    });
}

#[test]
fn a_new_loop_is_told_once_and_again_when_it_comes_back() {
    each_store(|stores| {
        let store = stores.open();
        let rules = rules(json!([{"name": "n", "kind": "new_loop"}, {"name": "q", "project": "q"}]));
        store_step(&*store, "p", "a", 0.0, Some("old"), NOON - MINUTE);
        let mut watcher = AlertWatcher::new(Arc::clone(&store), rules.clone());
        let told = || {
            let alerts = alerts(&*store);
            alerts
                .into_iter()
                .map(|alert| format!("{} {} {}", alert.rule, alert.project, alert.loop_id))
                .collect::<Vec<_>>()
        };
        watcher.compare(NOON).unwrap();
        assert_eq!(told(), [""; 0], "it was there before the rule");
        store_step(&*store, "p", "a", 0.0, Some("old"), NOON + 1);
        store_step(&*store, "p", "a", 0.0, Some("new"), NOON + 2);
        store_step(&*store, "q", "a", 0.0, Some("new"), NOON + 3);
        store_step(&*store, "p", "a", 0.0, Some("muted"), NOON + 4);
        store.set_loop_state("p", "muted", IssueState::Muted, NOON + 4).unwrap();
        watcher.compare(NOON + 5).unwrap();
        AlertWatcher::new(stores.open(), rules).compare(NOON + 6).unwrap();
        assert_eq!(told(), ["n p new", "n q new", "q q new"]);
        store.set_loop_state("p", "new", IssueState::Fixed, NOON + 7).unwrap();
        watcher.compare(NOON + 8).unwrap();
        store_step(&*store, "p", "b", 0.0, Some("new"), NOON + 9);
        watcher.compare(NOON + 10).unwrap();
        watcher.compare(NOON + 11).unwrap();
        assert_eq!(told().len(), 4);
        assert_eq!(alerts(&*store)[3].reason, "a loop that was fixed is back: cycle: 3 equal calls");
    });
}

/// Starts a receiver that accepts everything, and returns its address and the bodies that it gets.
fn receiver() -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/x", listener.local_addr().unwrap());
    let (sender, bodies) = channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
            let mut text = String::new();
            let _ = stream.read_to_string(&mut text);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            if sender.send(text).is_err() {
                return;
            }
        }
    });
    (address, bodies)
}

#[test]
fn many_servers_send_each_message_once() {
    each_store(|stores| {
        let store = stores.open();
        let (address, bodies) = receiver();
        let rules = rules(json!([
            {"name": "a", "kind": "cost_per_day", "threshold": 1.0, "webhook": address, "slack": address, "ntfy": address},
            {"name": "gone", "kind": "cost_per_day", "threshold": 1.0, "webhook": "http://127.0.0.1:1/secret"},
        ]));
        let now = loopbreak_store::now();
        store_step(&*store, "p", "a", 2.0, None, now);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let store = stores.open();
                let rules = &rules;
                scope.spawn(move || {
                    AlertWatcher::new(Arc::clone(&store), rules.clone()).compare(now).unwrap();
                    let courier = MessageCourier::new(store, rules);
                    while courier.send_next() {}
                });
            }
        });
        let sent: Vec<String> = bodies.try_iter().collect();
        assert_eq!(sent.len(), 3, "{sent:?}");
        let stored = alerts(&*store);
        assert!(
            stored[0]
                .messages
                .iter()
                .all(|message| message.state == MessageState::Told && message.attempts == 1)
        );
        let failed = &stored[1].messages[0];
        assert_eq!((failed.state, failed.attempts), (MessageState::Waiting, 1), "{failed:?}");
        assert!(
            failed.error.starts_with("http://127.0.0.1: ") && !failed.error.contains("secret"),
            "{failed:?}"
        );
    });
}

#[test]
fn a_message_is_given_up_after_five_attempts() {
    each_store(|stores| {
        let store = stores.open();
        let rules = rules(
            json!([{"name": "a", "kind": "cost_per_day", "threshold": 1.0, "webhook": "http://127.0.0.1:1/x"}]),
        );
        let now = loopbreak_store::now();
        store_step(&*store, "p", "a", 2.0, None, now);
        AlertWatcher::new(Arc::clone(&store), rules.clone()).compare(now).unwrap();
        let courier = MessageCourier::new(Arc::clone(&store), &rules);
        for attempt in 1..=5 {
            // As if the pause after the last attempt were over.
            let due = store.take_message(&["a"], now + DAY, now).unwrap();
            assert!(attempt == 1 || due.is_some(), "{attempt}");
            if let Some(due) = due {
                let outcome = courier.attempt(&due);
                store.settle_message(due.id, &outcome, now).unwrap();
            }
        }
        let message = alerts(&*store)[0].messages[0].clone();
        assert_eq!((message.state, message.attempts), (MessageState::Failed, 5), "{message:?}");
        assert!(!courier.send_next());
    });
}
