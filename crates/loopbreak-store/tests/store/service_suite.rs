//! The tests that every store of the service has to pass. A backend implements [`ServiceStoreFixture`] and calls
//! `service_store_tests!` with it.

use std::sync::Arc;
use std::thread;

use loopbreak_store::service::{
    AppendResult, AuditRecord, EntryKind, EntryOrder, EntryQuery, IssueState, LoopOrder, LoopQuery,
    LoopUpdate, NewEntry, RunAppend, RunClaim, RunFigures, RunLease, RunQuery, RunVerdict, ServiceRun,
    ServiceRunKey, ServiceStore, ServiceToken, StateSnapshot, TokenScope, UsageQuery,
};

/// An empty store of the service for one test.
pub(crate) trait ServiceStoreFixture: Sync {
    /// Opens the store. Each call opens the same one, as a server that starts again or a second server does.
    fn open(&self) -> Arc<dyn ServiceStore>;
}

/// Runs the suite for a backend. The argument is an expression that makes a fixture.
macro_rules! service_store_tests {
    ($fixture:expr) => {
        service_store_tests!(@each $fixture,
            a_run_has_one_owner_until_its_lease_ends,
            a_writer_that_lost_its_lease_stores_nothing,
            two_servers_never_get_one_lease,
            what_was_appended_is_there_after_the_store_was_opened_again,
            a_snapshot_replaces_the_entries_before_it,
            a_key_that_is_known_is_refused_and_found,
            runs_are_listed_by_project_time_and_verdict,
            runs_of_other_projects_are_never_shown,
            entries_continue_after_the_last_one_that_was_read,
            a_loop_counts_over_all_runs,
            a_fixed_loop_opens_again_and_an_allowed_one_stays,
            usage_adds_up_by_day_model_and_detector,
            a_request_to_stop_reaches_the_writer,
            a_forgotten_run_leaves_nothing,
            old_runs_are_pruned_and_others_stay,
            tokens_are_found_and_revoked,
            the_audit_log_comes_in_pages,
            odd_names_and_texts_are_kept_as_they_are,
        );
        service_store_tests!(@alerts $fixture,
            spending_adds_up_by_project_over_all_runs,
            findings_are_counted_for_an_hour,
            a_loop_is_opened_when_it_is_new_and_when_it_comes_back,
            an_alert_is_raised_once_by_one_of_many_servers,
            an_alert_that_lasts_is_raised_again_after_its_end_and_a_quiet_time,
            a_message_is_taken_by_one_server_until_it_is_settled,
            more_alerts_than_people_read_are_stored_and_not_told,
            alerts_are_listed_by_project_and_pruned,
        );
    };
    (@alerts $fixture:expr, $($name:ident),+ $(,)?) => {
        $(
            #[test]
            fn $name() {
                crate::alert_suite::$name(&$fixture);
            }
        )+
    };
    (@each $fixture:expr, $($name:ident),+ $(,)?) => {
        $(
            #[test]
            fn $name() {
                crate::service_suite::$name(&$fixture);
            }
        )+
    };
}
pub(crate) use service_store_tests;

const DAY: i64 = 24 * 60 * 60 * 1000;

fn key(project: &str, run: &str) -> ServiceRunKey {
    ServiceRunKey { project: project.to_owned(), run: run.to_owned() }
}

/// Claims a run for the server `one` for an hour.
pub(crate) fn claim(store: &dyn ServiceStore, project: &str, run: &str) -> RunLease {
    claim_as(store, &key(project, run), "one", 1000).unwrap()
}

fn claim_as(store: &dyn ServiceStore, key: &ServiceRunKey, owner: &str, now: i64) -> Option<RunLease> {
    let claims = store.claim(std::slice::from_ref(key), owner, now, now + 3_600_000).unwrap();
    match claims.into_iter().next().unwrap() {
        RunClaim::Granted(claimed) => {
            assert_eq!((&claimed.run.project, &claimed.run.run), (&key.project, &key.run));
            assert_eq!(claimed.lease.run, claimed.run.id);
            Some(claimed.lease)
        }
        RunClaim::Held { .. } => None,
    }
}

pub(crate) fn entry(seq: u64, at: i64) -> NewEntry {
    NewEntry {
        seq,
        at,
        kind: EntryKind::Step,
        key: None,
        verdict: RunVerdict::Clear,
        notable: false,
        input: format!("{{\"step\":{seq}}}"),
        answer: format!("{{\"turn\":{seq}}}"),
        model: "m".to_owned(),
        tokens: 10,
        cost: 0.5,
        wasted_by: None,
    }
}

pub(crate) fn addition(lease: &RunLease, entries: Vec<NewEntry>) -> RunAppend {
    let steps = entries.last().map_or(0, |entry| entry.seq);
    let figures = RunFigures {
        steps,
        turn: steps,
        cost: 0.5 * steps as f64,
        tokens: 10 * steps,
        ..RunFigures::default()
    };
    RunAppend { lease: lease.clone(), entries, figures, snapshot: None, loops: Vec::new() }
}

pub(crate) fn append(store: &dyn ServiceStore, addition: RunAppend, now: i64) -> AppendResult {
    store.append(&[addition], now).unwrap().remove(0)
}

fn is_stored(result: &AppendResult) -> bool {
    matches!(result, AppendResult::Stored { .. })
}

fn run(store: &dyn ServiceStore, project: &str, name: &str) -> Option<ServiceRun> {
    store.run(&key(project, name)).unwrap()
}

pub(crate) fn a_run_has_one_owner_until_its_lease_ends(fixture: &dyn ServiceStoreFixture) {
    let (one, two) = (fixture.open(), fixture.open());
    let job = key("p", "job");
    let lease = claim_as(&*one, &job, "one", 1000).unwrap();
    assert_eq!(claim_as(&*two, &job, "two", 2000), None);
    assert_eq!(one.renew(std::slice::from_ref(&lease), 5_000_000).unwrap(), [true]);
    assert_eq!(claim_as(&*two, &job, "two", 4_999_999), None, "it was renewed");
    let stolen = claim_as(&*two, &job, "two", 5_000_000).unwrap();
    assert!(stolen.epoch > lease.epoch && stolen.run == lease.run);
    assert_eq!(one.renew(&[lease.clone(), stolen.clone()], 9_000_000).unwrap(), [false, true]);
    // A lease that was lost cannot be given back for the other one.
    one.release(&[lease]).unwrap();
    assert_eq!(claim_as(&*one, &job, "one", 5_000_001), None);
    two.release(&[stolen]).unwrap();
    assert!(claim_as(&*one, &job, "one", 5_000_001).is_some());
}

pub(crate) fn a_writer_that_lost_its_lease_stores_nothing(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    let old = claim(&*store, "p", "job");
    assert!(is_stored(&append(&*store, addition(&old, vec![entry(1, 1000)]), 1000)));
    let new = claim_as(&*store, &key("p", "job"), "two", 1000 + 3_600_000).unwrap();
    let other = claim(&*store, "p", "other");
    // The run that was lost and one that was not, in one batch.
    let mut lost = addition(&old, vec![entry(2, 2000)]);
    lost.loops.push(LoopUpdate { loop_id: "l".to_owned(), findings: 1, ..LoopUpdate::default() });
    lost.snapshot = Some(StateSnapshot { seq: 2, state: "lost".to_owned() });
    let results = store.append(&[lost, addition(&other, vec![entry(1, 2000)])], 2000).unwrap();
    assert_eq!(results[0], AppendResult::LeaseLost);
    assert!(is_stored(&results[1]));
    let loaded = store.load(old.run).unwrap();
    assert_eq!((loaded.entries.len(), loaded.snapshot), (1, None));
    assert_eq!(run(&*store, "p", "job").unwrap().figures.steps, 1);
    assert_eq!(store.find_loop("p", "l").unwrap(), None);
    assert!(is_stored(&append(&*store, addition(&new, vec![entry(2, 3000)]), 3000)));
    // The same server after it started again is another writer too.
    let again = claim_as(&*store, &key("p", "job"), "two", 3_700_000).unwrap();
    assert_eq!(append(&*store, addition(&new, vec![entry(3, 4000)]), 4000), AppendResult::LeaseLost);
    assert!(is_stored(&append(&*store, addition(&again, vec![entry(3, 4000)]), 4000)));
}

pub(crate) fn two_servers_never_get_one_lease(fixture: &dyn ServiceStoreFixture) {
    let keys: Vec<_> = (0..40).map(|number| key("p", &format!("run {number}"))).collect();
    let granted: Vec<Vec<i64>> = thread::scope(|scope| {
        let servers = ["a", "b", "c", "d"].map(|owner| {
            let (store, keys) = (fixture.open(), &keys);
            scope.spawn(move || {
                let claims = keys.iter().filter_map(|key| claim_as(&*store, key, owner, 1000));
                claims.map(|lease| lease.run).collect::<Vec<_>>()
            })
        });
        servers.map(|server| server.join().unwrap()).into()
    });
    let mut runs: Vec<i64> = granted.concat();
    runs.sort_unstable();
    let all = runs.len();
    runs.dedup();
    assert_eq!((runs.len(), all), (40, 40), "each run has one owner, and each has one");
}

pub(crate) fn what_was_appended_is_there_after_the_store_was_opened_again(fixture: &dyn ServiceStoreFixture) {
    let figures = RunFigures {
        steps: 2,
        turn: 7,
        verdict: RunVerdict::Warn,
        worst: RunVerdict::Stop,
        findings: 3,
        cost: 0.1 + 0.2,
        tokens: u64::from(u32::MAX),
        wasted_steps: 1,
        wasted_cost: 0.25,
        wasted_tokens: 5,
        model: "model-1".to_owned(),
        agent: "main".to_owned(),
        stopped: "stuck_no_progress".to_owned(),
        held_out: Some(true),
        warned_at: Some(4),
    };
    {
        let store = fixture.open();
        let lease = claim(&*store, "p", "job");
        let mut addition = addition(&lease, vec![entry(1, 1000), entry(2, 1001)]);
        addition.figures = figures.clone();
        assert!(is_stored(&append(&*store, addition, 1500)));
    }
    let store = fixture.open();
    let known = run(&*store, "p", "job").unwrap();
    assert_eq!(known.figures, figures);
    assert_eq!((known.started, known.seen, known.last_seq), (1000, 1500, 2));
    let loaded = store.load(known.id).unwrap();
    let entries: Vec<_> = loaded
        .entries
        .iter()
        .map(|entry| (entry.seq, entry.at, entry.input.as_str(), entry.answer.as_str()))
        .collect();
    assert_eq!(
        entries,
        [(1, 1000, "{\"step\":1}", "{\"turn\":1}"), (2, 1001, "{\"step\":2}", "{\"turn\":2}")]
    );
    store.check().unwrap();
}

pub(crate) fn a_snapshot_replaces_the_entries_before_it(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    let lease = claim(&*store, "p", "job");
    let mut first = addition(&lease, (1..=3).map(|seq| entry(seq, 1000)).collect());
    first.snapshot = Some(StateSnapshot { seq: 2, state: "after two".to_owned() });
    append(&*store, first, 1000);
    let loaded = store.load(lease.run).unwrap();
    assert_eq!(loaded.snapshot, Some(StateSnapshot { seq: 2, state: "after two".to_owned() }));
    assert_eq!(loaded.entries.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [3]);
    // A snapshot may come without entries, when the guard is put away.
    let mut idle = addition(&lease, Vec::new());
    idle.snapshot = Some(StateSnapshot { seq: 3, state: "after three".to_owned() });
    idle.figures.steps = 3;
    assert_eq!(append(&*store, idle, 1100), AppendResult::Stored { last_id: 0, stop_request: None });
    let loaded = store.load(lease.run).unwrap();
    assert_eq!((loaded.snapshot.unwrap().state.as_str(), loaded.entries.len()), ("after three", 0));
    let known = run(&*store, "p", "job").unwrap();
    assert_eq!((known.last_seq, known.seen), (3, 1000), "putting a guard away is no sign of life");
}

pub(crate) fn a_key_that_is_known_is_refused_and_found(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    let lease = claim(&*store, "p", "job");
    let keyed = |seq| NewEntry { key: Some("k1".to_owned()), ..entry(seq, 1000) };
    append(&*store, addition(&lease, vec![keyed(1), entry(2, 1000)]), 1000);
    let found = store.find_keys(lease.run, &["k0", "k1"]).unwrap();
    assert_eq!(
        found.iter().map(|entry| (entry.key.as_deref(), entry.seq)).collect::<Vec<_>>(),
        [(Some("k1"), 1)]
    );
    assert!(store.append(&[addition(&lease, vec![entry(3, 1000), keyed(4)])], 1000).is_err());
    assert_eq!(store.load(lease.run).unwrap().entries.len(), 2, "nothing of it was stored");
    // Another run may use the same key.
    let other = claim(&*store, "p", "other");
    assert!(is_stored(&append(&*store, addition(&other, vec![keyed(1)]), 1000)));
    assert_eq!(store.find_keys(other.run, &["k1"]).unwrap().len(), 1);
}

pub(crate) fn runs_are_listed_by_project_time_and_verdict(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    for (number, verdict) in (0..).zip([RunVerdict::Clear, RunVerdict::Warn, RunVerdict::Stop]) {
        let lease = claim(&*store, "p", &format!("job {number}"));
        let mut addition = addition(&lease, vec![entry(1, 1000)]);
        addition.figures.verdict = verdict;
        append(&*store, addition, 1000 + number);
    }
    claim(&*store, "p", "claimed, and without a step");
    let names = |query: RunQuery| -> Vec<String> {
        let query = RunQuery { limit: if query.limit == 0 { 10 } else { query.limit }, ..query };
        store.runs(&query).unwrap().into_iter().map(|run| run.run).collect()
    };
    assert_eq!(names(RunQuery::default()), ["job 2", "job 1", "job 0"]);
    assert_eq!(
        names(RunQuery { verdict: Some(RunVerdict::Warn), ..RunQuery::default() }),
        ["job 2", "job 1"]
    );
    assert_eq!(names(RunQuery { since: Some(1001), ..RunQuery::default() }), ["job 2", "job 1"]);
    assert_eq!(names(RunQuery { text: Some("b 1".to_owned()), ..RunQuery::default() }), ["job 1"]);
    assert!(names(RunQuery { text: Some("%".to_owned()), ..RunQuery::default() }).is_empty());
    let page = store.runs(&RunQuery { limit: 2, ..RunQuery::default() }).unwrap();
    let after = page.last().map(|run| (run.seen, run.id));
    assert_eq!(names(RunQuery { after, ..RunQuery::default() }), ["job 0"]);
    let counts = store.count_runs(1001).unwrap();
    assert_eq!(counts, [(RunVerdict::Warn, 1), (RunVerdict::Stop, 1)]);
}

pub(crate) fn runs_of_other_projects_are_never_shown(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    for project in ["a", "b"] {
        let lease = claim(&*store, project, "job");
        let mut addition = addition(&lease, vec![NewEntry { notable: true, ..entry(1, 1000) }]);
        addition.loops.push(LoopUpdate { loop_id: "l".to_owned(), findings: 1, ..LoopUpdate::default() });
        append(&*store, addition, 1000);
    }
    let runs =
        store.runs(&RunQuery { project: Some("a".to_owned()), limit: 9, ..RunQuery::default() }).unwrap();
    assert_eq!(runs.iter().map(|run| run.project.as_str()).collect::<Vec<_>>(), ["a"]);
    assert!(run(&*store, "c", "job").is_none());
    for notable in [false, true] {
        let query = EntryQuery { project: Some("b".to_owned()), notable, limit: 9, ..EntryQuery::default() };
        let entries = store.entries(&query).unwrap();
        assert_eq!(entries.iter().map(|entry| entry.project.as_str()).collect::<Vec<_>>(), ["b"]);
    }
    assert!(store.set_loop_state("a", "l", IssueState::Allowed, 2000).unwrap());
    assert_eq!(store.allowed_loops("a").unwrap().len(), 1);
    assert!(store.allowed_loops("b").unwrap().is_empty());
    assert!(!store.set_loop_state("c", "l", IssueState::Allowed, 2000).unwrap());
    let usage = store
        .usage(&UsageQuery { project: Some("b".to_owned()), limit: 9, ..UsageQuery::default() })
        .unwrap();
    assert!(usage.len() == 1 && usage[0].project == "b", "{usage:?}");
    assert!(store.forget(&key("a", "job")).unwrap());
    assert!(run(&*store, "b", "job").is_some());
    let query = LoopQuery {
        project: Some("b".to_owned()),
        order: LoopOrder::Count,
        limit: 9,
        ..LoopQuery::default()
    };
    assert_eq!(store.loops(&query).unwrap().len(), 1);
}

pub(crate) fn entries_continue_after_the_last_one_that_was_read(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    assert_eq!(store.last_entry().unwrap(), 0);
    let lease = claim(&*store, "p", "job");
    let notable = |seq| NewEntry { notable: seq % 2 == 0, ..entry(seq, 1000) };
    let result = append(&*store, addition(&lease, (1..=6).map(notable).collect()), 1000);
    let last = store.last_entry().unwrap();
    assert_eq!(result, AppendResult::Stored { last_id: last, stop_request: None });
    let ask = |query: EntryQuery| -> Vec<(i64, u64)> {
        let query = EntryQuery { limit: if query.limit == 0 { 100 } else { query.limit }, ..query };
        store.entries(&query).unwrap().into_iter().map(|entry| (entry.id, entry.seq)).collect()
    };
    let all = ask(EntryQuery::default());
    assert!(all.is_sorted() && all.len() == 6, "{all:?}");
    assert_eq!(ask(EntryQuery { after: Some(all[2].0), ..EntryQuery::default() }), all[3..]);
    assert_eq!(
        ask(EntryQuery { order: EntryOrder::LatestFirst, limit: 2, ..EntryQuery::default() }),
        [all[5], all[4]]
    );
    let before =
        EntryQuery { order: EntryOrder::LatestFirst, after: Some(all[1].0), ..EntryQuery::default() };
    assert_eq!(ask(before), [all[0]]);
    let found: Vec<u64> = ask(EntryQuery { notable: true, run: Some(lease.run), ..EntryQuery::default() })
        .into_iter()
        .map(|(_, seq)| seq)
        .collect();
    assert_eq!(found, [2, 4, 6]);
    assert!(ask(EntryQuery { kinds: vec![EntryKind::Attempt], ..EntryQuery::default() }).is_empty());
    assert_eq!(
        ask(EntryQuery { kinds: vec![EntryKind::Step, EntryKind::Plan], ..EntryQuery::default() }).len(),
        6
    );
}

pub(crate) fn a_loop_counts_over_all_runs(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    let update = |severity: &str, findings| LoopUpdate {
        loop_id: "aaaa".to_owned(),
        detector: "cycle".to_owned(),
        pattern: "identical_action".to_owned(),
        severity: severity.to_owned(),
        reason: "the same call".to_owned(),
        tool: "bash".to_owned(),
        action: "make".to_owned(),
        model: "m".to_owned(),
        rule: "{\"tool\":\"bash\"}".to_owned(),
        findings,
        steps: 2,
        cost: 0.25,
        tokens: 5,
    };
    for (number, (severity, name)) in (0..).zip([("warn", "x"), ("hard", "y"), ("hint", "x")]) {
        let lease = claim(&*store, "p", name);
        let seq = run(&*store, "p", name).unwrap().last_seq + 1;
        let mut addition = addition(&lease, vec![entry(seq, 1000)]);
        addition.loops = vec![update(severity, 1)];
        append(&*store, addition, 1000 + number);
    }
    let other = LoopUpdate { loop_id: "bbbb".to_owned(), cost: 9.0, findings: 1, ..LoopUpdate::default() };
    let lease = claim(&*store, "p", "y");
    append(&*store, RunAppend { loops: vec![other], ..addition(&lease, vec![entry(2, 1000)]) }, 5000);
    let known = store.find_loop("p", "aaaa").unwrap().unwrap();
    assert_eq!((known.count, known.runs, known.steps, known.tokens), (3, 2, 6, 15));
    assert_eq!((known.first_seen, known.last_seen, known.last_run.as_str()), (1000, 1002, "x"));
    assert_eq!((known.severity.as_str(), known.cost, known.state), ("hard", 0.75, IssueState::Open));
    assert_eq!((known.tool.as_str(), known.action.as_str()), ("bash", "make"));
    let ids = |order, state| -> Vec<String> {
        let query = LoopQuery { order, state, limit: 9, ..LoopQuery::default() };
        store.loops(&query).unwrap().into_iter().map(|known| known.loop_id).collect()
    };
    assert_eq!(ids(LoopOrder::Cost, None), ["bbbb", "aaaa"]);
    assert_eq!(ids(LoopOrder::Count, None), ["aaaa", "bbbb"]);
    assert_eq!(ids(LoopOrder::LastSeen, None), ["bbbb", "aaaa"]);
    assert!(ids(LoopOrder::Cost, Some(IssueState::Muted)).is_empty());
    let second = LoopQuery { offset: 1, limit: 1, ..LoopQuery::default() };
    assert_eq!(store.loops(&second).unwrap()[0].loop_id, "aaaa");
    let of_loop = RunQuery { loop_id: Some("aaaa".to_owned()), limit: 9, ..RunQuery::default() };
    let mut runs: Vec<_> = store.runs(&of_loop).unwrap().into_iter().map(|run| run.run).collect();
    runs.sort();
    assert_eq!(runs, ["x", "y"]);
}

pub(crate) fn a_fixed_loop_opens_again_and_an_allowed_one_stays(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    let lease = claim(&*store, "p", "x");
    let mut seq = 0;
    let mut meet = |id: &str, findings| {
        seq += 1;
        let update = LoopUpdate {
            loop_id: id.to_owned(),
            rule: format!("rule of {id}"),
            findings,
            steps: 1,
            ..LoopUpdate::default()
        };
        let addition = RunAppend { loops: vec![update], ..addition(&lease, vec![entry(seq, 1000)]) };
        assert!(is_stored(&append(&*store, addition, 1000)));
    };
    let state = |id: &str| store.find_loop("p", id).unwrap().unwrap().state;
    for (id, decided) in [
        ("a", IssueState::Fixed),
        ("b", IssueState::Allowed),
        ("c", IssueState::Muted),
        ("d", IssueState::Open),
    ] {
        meet(id, 1);
        assert!(store.set_loop_state("p", id, decided, 2000).unwrap());
        meet(id, 0);
        assert_eq!(state(id), decided, "a step without a new finding changes nothing");
        meet(id, 1);
    }
    assert_eq!(
        ["a", "b", "c", "d"].map(state),
        [IssueState::Open, IssueState::Allowed, IssueState::Muted, IssueState::Open]
    );
    let allowed = store.allowed_loops("p").unwrap();
    assert_eq!(allowed.len(), 1);
    assert_eq!((allowed[0].loop_id.as_str(), allowed[0].rule.as_str()), ("b", "rule of b"));
    // Everybody who follows the events learns of a decision.
    let decisions = EntryQuery { kinds: vec![EntryKind::Loop], limit: 9, ..EntryQuery::default() };
    let decisions = store.entries(&decisions).unwrap();
    assert_eq!(decisions.len(), 4);
    assert!(decisions[1].input.contains("\"allowed\"") && decisions[1].run.is_none(), "{decisions:?}");
}

pub(crate) fn usage_adds_up_by_day_model_and_detector(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    let lease = claim(&*store, "p", "x");
    let wasted = |seq, at| NewEntry { wasted_by: Some("cycle".to_owned()), ..entry(seq, at) };
    let other = |seq, at| NewEntry { model: "n".to_owned(), ..entry(seq, at) };
    append(&*store, addition(&lease, vec![entry(1, 0), wasted(2, 1), other(3, DAY - 1)]), 1000);
    append(&*store, addition(&lease, vec![wasted(4, 2), entry(5, DAY)]), 1000);
    let usage = store.usage(&UsageQuery { limit: 100, ..UsageQuery::default() }).unwrap();
    let rows: Vec<_> = usage
        .iter()
        .map(|row| (row.day, row.model.as_str(), row.detector.as_str(), row.steps, row.tokens, row.cost))
        .collect();
    assert_eq!(
        rows,
        [
            (1, "m", "", 1, 10, 0.5),
            (0, "m", "", 3, 30, 1.5),
            (0, "m", "cycle", 2, 20, 1.0),
            (0, "n", "", 1, 10, 0.5)
        ]
    );
    let later = UsageQuery { since_day: 1, limit: 100, ..UsageQuery::default() };
    assert_eq!(store.usage(&later).unwrap().len(), 1);
}

pub(crate) fn a_request_to_stop_reaches_the_writer(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    let lease = claim(&*store, "p", "x");
    let job = key("p", "x");
    append(&*store, addition(&lease, vec![entry(1, 1000)]), 1000);
    assert!(!store.request_stop(&key("p", "y"), Some("no"), 1000).unwrap());
    assert!(store.request_stop(&job, Some("too expensive"), 2000).unwrap());
    assert_eq!(run(&*store, "p", "x").unwrap().stop_request.as_deref(), Some("too expensive"));
    let AppendResult::Stored { stop_request, .. } =
        append(&*store, addition(&lease, vec![entry(2, 2000)]), 2000)
    else {
        panic!("the lease was lost")
    };
    assert_eq!(stop_request.as_deref(), Some("too expensive"));
    assert!(store.request_stop(&job, None, 3000).unwrap());
    assert_eq!(run(&*store, "p", "x").unwrap().stop_request, None);
    // The request is not a step: a guard that is restored does not see it.
    assert_eq!(store.load(lease.run).unwrap().entries.len(), 2);
    let requests = EntryQuery { kinds: vec![EntryKind::StopRequest], limit: 9, ..EntryQuery::default() };
    assert_eq!(store.entries(&requests).unwrap().len(), 2);
}

pub(crate) fn a_forgotten_run_leaves_nothing(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    for (name, ids) in [("x", vec!["only here", "both"]), ("y", vec!["both"])] {
        let lease = claim(&*store, "p", name);
        let update = |id: &str| LoopUpdate { loop_id: id.to_owned(), findings: 1, ..LoopUpdate::default() };
        let mut addition = addition(&lease, vec![entry(1, 1000)]);
        addition.loops = ids.into_iter().map(update).collect();
        addition.snapshot = Some(StateSnapshot { seq: 1, state: "state".to_owned() });
        append(&*store, addition, 1000);
    }
    let lease = claim(&*store, "p", "x");
    assert!(store.forget(&key("p", "x")).unwrap());
    assert!(!store.forget(&key("p", "x")).unwrap());
    assert!(run(&*store, "p", "x").is_none());
    assert_eq!(store.load(lease.run).unwrap(), loopbreak_store::service::LoadedRun::default());
    assert!(
        store
            .entries(&EntryQuery { run: Some(lease.run), limit: 9, ..EntryQuery::default() })
            .unwrap()
            .is_empty()
    );
    assert_eq!(append(&*store, addition(&lease, vec![entry(2, 2000)]), 2000), AppendResult::LeaseLost);
    assert_eq!(store.find_loop("p", "only here").unwrap(), None);
    assert_eq!(store.find_loop("p", "both").unwrap().unwrap().runs, 1);
    // A new run with the name has a number of its own.
    assert_ne!(claim(&*store, "p", "x").run, lease.run);
}

pub(crate) fn old_runs_are_pruned_and_others_stay(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    for number in 0..5 {
        let lease = claim(&*store, "p", &format!("job {number}"));
        let mut addition = addition(&lease, vec![entry(1, number * DAY)]);
        let loop_id = format!("loop {number}");
        addition.loops.push(LoopUpdate { loop_id, findings: 1, ..LoopUpdate::default() });
        append(&*store, addition, number * DAY + 1000);
        store.audit(&AuditRecord { at: number * DAY, ..AuditRecord::default() }).unwrap();
    }
    store.set_loop_state("p", "loop 0", IssueState::Allowed, DAY).unwrap();
    assert_eq!(store.prune(3 * DAY, 2).unwrap(), 2, "no more than asked for");
    assert_eq!(store.prune(3 * DAY, 100).unwrap(), 1);
    assert_eq!(store.prune(3 * DAY, 100).unwrap(), 0);
    let runs = store.runs(&RunQuery { limit: 9, ..RunQuery::default() }).unwrap();
    assert_eq!(runs.into_iter().map(|run| run.run).collect::<Vec<_>>(), ["job 4", "job 3"]);
    let loops =
        store.loops(&LoopQuery { order: LoopOrder::LastSeen, limit: 9, ..LoopQuery::default() }).unwrap();
    let loops: Vec<_> = loops.into_iter().map(|known| known.loop_id).collect();
    assert_eq!(loops, ["loop 4", "loop 3", "loop 0"], "a decision is kept");
    assert_eq!(store.usage(&UsageQuery { limit: 9, ..UsageQuery::default() }).unwrap().len(), 2);
    assert_eq!(store.audit_log(None, None, 9).unwrap().len(), 2);
}

pub(crate) fn tokens_are_found_and_revoked(fixture: &dyn ServiceStoreFixture) {
    let token = |id: &str, created| ServiceToken {
        id: id.to_owned(),
        note: "build machine".to_owned(),
        hash: "abc".to_owned(),
        project: "p".to_owned(),
        scopes: vec![TokenScope::Ingest, TokenScope::Read],
        created,
        expires: Some(99),
    };
    {
        let store = fixture.open();
        store.add_token(&token("t2", 2)).unwrap();
        store.add_token(&token("t1", 1)).unwrap();
        assert!(store.add_token(&token("t1", 3)).is_err(), "an id is given once");
    }
    let store = fixture.open();
    assert_eq!(store.token("t2").unwrap(), Some(token("t2", 2)));
    assert_eq!(store.token("t3").unwrap(), None);
    assert_eq!(store.tokens().unwrap(), [token("t1", 1), token("t2", 2)]);
    assert!(store.revoke_token("t2").unwrap() && !store.revoke_token("t2").unwrap());
    assert_eq!(store.token("t2").unwrap(), None);
}

pub(crate) fn the_audit_log_comes_in_pages(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    for number in 0..5 {
        let record = AuditRecord {
            id: 0,
            at: number,
            project: ["p", "q"][number as usize % 2].to_owned(),
            actor: "t1".to_owned(),
            action: "loop.allowed".to_owned(),
            subject: format!("loop {number}"),
            detail: String::new(),
        };
        store.audit(&record).unwrap();
    }
    let page = store.audit_log(None, None, 3).unwrap();
    assert_eq!(page.iter().map(|record| record.at).collect::<Vec<_>>(), [4, 3, 2]);
    let rest = store.audit_log(None, page.last().map(|record| record.id), 9).unwrap();
    assert_eq!(rest.iter().map(|record| record.at).collect::<Vec<_>>(), [1, 0]);
    let of_q = store.audit_log(Some("q"), None, 9).unwrap();
    assert_eq!(of_q.iter().map(|record| record.subject.as_str()).collect::<Vec<_>>(), ["loop 3", "loop 1"]);
}

pub(crate) fn odd_names_and_texts_are_kept_as_they_are(fixture: &dyn ServiceStoreFixture) {
    let store = fixture.open();
    for name in ["'; DROP TABLE runs; --", "ä\u{1f980}\"\\", " ", "%_"] {
        let lease = claim(&*store, "p", name);
        let odd = NewEntry {
            input: format!("{{\"say\":\"{name}\"}}"),
            key: Some(name.to_owned()),
            ..entry(1, i64::MAX / 2)
        };
        assert!(is_stored(&append(&*store, addition(&lease, vec![odd.clone()]), 1000)));
        let loaded = store.load(lease.run).unwrap();
        assert_eq!((&loaded.entries[0].input, loaded.entries[0].at), (&odd.input, odd.at));
        assert_eq!(store.find_keys(lease.run, &[name]).unwrap().len(), 1);
        let found =
            store.runs(&RunQuery { text: Some(name.to_owned()), limit: 9, ..RunQuery::default() }).unwrap();
        assert_eq!(found.len(), if name == " " { 2 } else { 1 }, "{name:?}");
    }
}
