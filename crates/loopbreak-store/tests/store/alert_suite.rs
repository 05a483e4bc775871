//! The tests of spending and alerts that every store of the service has to pass. They are part of the common suite.

use std::thread;

use loopbreak_store::service::{
    AlertQuery, AppendResult, IssueState, LoopQuery, LoopUpdate, MessageOutcome, MessageState, NewAlert,
    NewEntry, OPEN_ALERT, RaisedAlert, ServiceStore,
};

use crate::service_suite::{ServiceStoreFixture, addition, append, claim, entry};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// The beginning of a day.
const TODAY: i64 = 20_000 * DAY;

fn spend(store: &dyn ServiceStore, project: &str, run: &str, usd: f64, at: i64) {
    let lease = claim(store, project, run);
    let entry = NewEntry { cost: usd, ..entry(1, at) };
    assert!(matches!(append(store, addition(&lease, vec![entry]), at), AppendResult::Stored { .. }));
}

pub(crate) fn spending_adds_up_by_project_over_all_runs(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    let noon = TODAY + 12 * HOUR;
    spend(&*store, "a", "old", 8.0, TODAY - HOUR);
    spend(&*store, "a", "one", 1.0, noon - 2 * HOUR);
    spend(&*store, "a", "two", 2.0, noon - 30 * MINUTE);
    spend(&*store, "a", "three", 4.0, noon);
    spend(&*store, "b", "one", 100.0, noon);
    // What no step can cost is not counted.
    spend(&*store, "b", "two", -5.0, noon);
    spend(&*store, "free", "one", 0.0, noon);
    let sums = |project, now| {
        let spent = store.spending(project, now).unwrap().shared;
        [spent.hour, spent.day, spent.total, spent.recent].map(|usd| (usd * 100.0).round() as i64)
    };
    assert_eq!(sums(Some("a"), noon), [600, 700, 1500, 400]);
    assert_eq!(sums(Some("a"), noon + 20 * MINUTE), [600, 700, 1500, 0]);
    assert_eq!(sums(Some("a"), noon + DAY), [0, 0, 1500, 0]);
    assert_eq!(sums(Some("b"), noon), [10_000; 4]);
    assert_eq!((sums(Some("none"), noon), sums(Some("free"), noon)), ([0; 4], [0; 4]));
    assert_eq!(sums(None, noon), [10_600, 10_700, 11_500, 10_400]);
    let spent = store.spending(Some("a"), noon).unwrap().shared;
    assert_eq!((spent.total_since, spent.recent_minutes), (Some(TODAY - HOUR), 1));
    assert_eq!(store.spending(None, noon).unwrap().shared.recent_minutes, 1, "two projects in one minute");
}

pub(crate) fn findings_are_counted_for_an_hour(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    let lease = claim(&*store, "p", "job");
    let update = LoopUpdate { loop_id: "l1".to_owned(), findings: 3, ..LoopUpdate::default() };
    let mut found = addition(&lease, vec![entry(1, TODAY)]);
    found.loops = vec![update.clone(), LoopUpdate { loop_id: "l2".to_owned(), ..update }];
    append(&*store, found, TODAY);
    let count = |project, now| store.spending(project, now).unwrap().findings;
    assert_eq!((count(Some("p"), TODAY), count(None, TODAY + 59 * MINUTE)), (6, 6));
    assert_eq!((count(Some("p"), TODAY + 61 * MINUTE), count(Some("q"), TODAY)), (0, 0));
}

pub(crate) fn a_loop_is_opened_when_it_is_new_and_when_it_comes_back(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    let lease = claim(&*store, "p", "job");
    let find = |seq: u64, at: i64, findings: u64| {
        let mut found = addition(&lease, vec![entry(seq, at)]);
        found.loops = vec![LoopUpdate { loop_id: "l1".to_owned(), findings, ..LoopUpdate::default() }];
        append(&*store, found, at);
    };
    let opened_since = |since: i64| {
        let query = LoopQuery { opened_since: Some(since), limit: 9, ..LoopQuery::default() };
        store.loops(&query).unwrap().into_iter().map(|known| known.opened).collect::<Vec<_>>()
    };
    find(1, TODAY, 1);
    find(2, TODAY + 5, 1);
    assert_eq!((opened_since(TODAY), opened_since(TODAY + 1)), (vec![TODAY], vec![]));
    assert!(store.set_loop_state("p", "l1", IssueState::Fixed, TODAY + 6).unwrap());
    find(3, TODAY + 7, 0);
    assert_eq!(opened_since(TODAY + 1), Vec::<i64>::new(), "it was not found again");
    find(4, TODAY + 8, 1);
    assert_eq!(opened_since(TODAY + 1), [TODAY + 8]);
}

fn alert(rule: &str, project: &str, key: &str, at: i64) -> NewAlert {
    NewAlert {
        rule: rule.to_owned(),
        kind: "new_loop".to_owned(),
        project: project.to_owned(),
        key: key.to_owned(),
        at,
        value: 2.5,
        threshold: 2.0,
        title: "title".to_owned(),
        reason: "reason \0 ä".to_owned(),
        detail: "{}".to_owned(),
        forms: vec!["slack".to_owned(), "ntfy".to_owned()],
        most_an_hour: 100,
        ..NewAlert::default()
    }
}

pub(crate) fn an_alert_is_raised_once_by_one_of_many_servers(fixture: &dyn ServiceStoreFixture) {
    drop(fixture.open());
    for key in ["day:1", "day:2", OPEN_ALERT] {
        let raised: Vec<RaisedAlert> = thread::scope(|scope| {
            let servers = (0..6).map(|_| {
                scope.spawn(|| {
                    let store = fixture.open();
                    store.raise_alert(&alert("r", "", key, TODAY)).unwrap()
                })
            });
            servers.collect::<Vec<_>>().into_iter().map(|server| server.join().unwrap()).collect()
        });
        assert_eq!(raised.iter().filter(|raised| **raised == RaisedAlert::Raised).count(), 1, "{raised:?}");
    }
    let store = fixture.open();
    let stored = store.alerts(&AlertQuery { limit: 9, ..AlertQuery::default() }).unwrap();
    assert_eq!(stored.len(), 3);
    assert_eq!(stored[0].messages.len(), 2, "{:?}", stored[0]);
    assert_eq!(store.raise_alert(&alert("other", "", "day:1", TODAY)).unwrap(), RaisedAlert::Raised);
    assert_eq!(store.raise_alert(&alert("r", "p", "day:1", TODAY)).unwrap(), RaisedAlert::Raised);
}

pub(crate) fn an_alert_that_lasts_is_raised_again_after_its_end_and_a_quiet_time(
    fixture: &dyn ServiceStoreFixture,
) {
    let store = fixture.open();
    let raise =
        |at: i64| store.raise_alert(&NewAlert { quiet: HOUR, ..alert("r", "p", OPEN_ALERT, at) }).unwrap();
    assert!(!store.end_alert("r", "p", TODAY).unwrap());
    assert_eq!((raise(TODAY), raise(TODAY + 2 * HOUR)), (RaisedAlert::Raised, RaisedAlert::Known));
    assert!(store.end_alert("r", "p", TODAY + 5).unwrap() && !store.end_alert("r", "p", TODAY + 6).unwrap());
    let store_again = fixture.open();
    assert_eq!(
        store_again.raise_alert(&NewAlert { quiet: HOUR, ..alert("r", "p", OPEN_ALERT, TODAY + 9) }).unwrap(),
        RaisedAlert::TooSoon
    );
    assert_eq!(raise(TODAY + HOUR), RaisedAlert::Raised);
    assert!(store.end_alert("r", "p", TODAY + HOUR + 1).unwrap());
    let ended: Vec<Option<i64>> = store
        .alerts(&AlertQuery { limit: 9, ..AlertQuery::default() })
        .unwrap()
        .iter()
        .map(|alert| alert.ended)
        .collect();
    assert_eq!(ended, [Some(TODAY + HOUR + 1), Some(TODAY + 5)]);
}

pub(crate) fn a_message_is_taken_by_one_server_until_it_is_settled(fixture: &dyn ServiceStoreFixture) {
    let (one, two) = (fixture.open(), fixture.open());
    one.raise_alert(&alert("r", "p", "k", TODAY)).unwrap();
    assert_eq!(one.take_message(&["other"], TODAY, TODAY + 60).unwrap(), None, "the rule is not known here");
    let first = one.take_message(&["r"], TODAY, TODAY + 60).unwrap().unwrap();
    assert_eq!((first.attempt, first.alert.reason.chars().count()), (1, 10), "{first:?}");
    let second = two.take_message(&["x", "r"], TODAY, TODAY + 60).unwrap().unwrap();
    assert_eq!([first.form.as_str(), second.form.as_str()], ["slack", "ntfy"]);
    assert_eq!(two.take_message(&["r"], TODAY + 59, TODAY + 90).unwrap(), None);
    let told = MessageOutcome { state: MessageState::Told, error: String::new(), due: 0 };
    one.settle_message(first.id, &told, TODAY + 2).unwrap();
    // The other server ended while it sent.
    let again = one.take_message(&["r"], TODAY + 60, TODAY + 90).unwrap().unwrap();
    assert_eq!((again.id, again.attempt), (second.id, 2));
    let waiting =
        MessageOutcome { state: MessageState::Waiting, error: "timed out".to_owned(), due: TODAY + 500 };
    one.settle_message(again.id, &waiting, TODAY + 61).unwrap();
    assert_eq!(two.take_message(&["r"], TODAY + 499, TODAY + 900).unwrap(), None);
    let failed = MessageOutcome { state: MessageState::Failed, error: "timed out".to_owned(), due: 0 };
    let last = two.take_message(&["r"], TODAY + 500, TODAY + 900).unwrap().unwrap();
    two.settle_message(last.id, &failed, TODAY + 501).unwrap();
    assert_eq!(two.take_message(&["r"], TODAY + DAY, TODAY + 2 * DAY).unwrap(), None);
    let stored = one.alerts(&AlertQuery { limit: 9, ..AlertQuery::default() }).unwrap();
    let states: Vec<_> = stored[0]
        .messages
        .iter()
        .map(|message| (message.form.as_str(), message.state, message.attempts, message.error.as_str()))
        .collect();
    assert_eq!(
        states,
        [("slack", MessageState::Told, 1, ""), ("ntfy", MessageState::Failed, 3, "timed out")]
    );
}

pub(crate) fn more_alerts_than_people_read_are_stored_and_not_told(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    for number in 0..6 {
        let alert = NewAlert { most_an_hour: 4, ..alert("r", "p", &number.to_string(), TODAY + number) };
        assert_eq!(store.raise_alert(&alert).unwrap(), RaisedAlert::Raised);
    }
    let alert = NewAlert { most_an_hour: 4, ..alert("r", "p", "later", TODAY + HOUR + 9) };
    store.raise_alert(&alert).unwrap();
    let stored = store.alerts(&AlertQuery { limit: 9, ..AlertQuery::default() }).unwrap();
    let told: Vec<usize> = stored.iter().rev().map(|alert| alert.messages.len()).collect();
    assert_eq!(told, [2, 2, 2, 2, 0, 0, 2]);
}

pub(crate) fn alerts_are_listed_by_project_and_pruned(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    assert_eq!(store.alert_rule_since("r", TODAY).unwrap(), TODAY);
    assert_eq!(fixture.open().alert_rule_since("r", TODAY + 5).unwrap(), TODAY);
    for (project, at) in [("a", TODAY), ("b", TODAY + 1), ("", TODAY + 2), ("a", TODAY + 3)] {
        store.raise_alert(&alert("r", project, &at.to_string(), at)).unwrap();
    }
    let list = |project: Option<&str>, before| {
        let query = AlertQuery { project: project.map(str::to_owned), before, limit: 9 };
        store.alerts(&query).unwrap()
    };
    let times = |alerts: &[loopbreak_store::service::StoredAlert]| -> Vec<i64> {
        alerts.iter().map(|alert| alert.at - TODAY).collect()
    };
    assert_eq!(times(&list(Some("a"), None)), [3, 0]);
    assert_eq!(times(&list(None, None)), [3, 2, 1, 0]);
    let second = list(None, None)[1].id;
    assert_eq!(times(&list(None, Some(second))), [1, 0]);
    store.prune(TODAY + 2, 10).unwrap();
    assert_eq!(times(&list(None, None)), [3, 2]);
}
