//! The store of the service on PostgreSQL: the common suite, and what is special about a server.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use loopbreak_store::StoreError;
use loopbreak_store::service::{
    AppendResult, EntryKind, EntryQuery, NewEntry, RunAppend, RunClaim, RunFigures, RunLease, RunQuery,
    RunVerdict, ServiceRunKey, ServiceStore, ServiceStoreUrl, open_service_store,
};

use crate::postgres_server::PostgresServer;
use crate::service_suite::{ServiceStoreFixture, service_store_tests};

const DAY: i64 = 24 * 60 * 60 * 1000;
/// A day on which the tests of partitions begin.
const TODAY: i64 = 20_000 * DAY;

/// A database of its own, whose owner has no other rights.
struct PostgresFixture {
    server: PostgresServer,
    url: ServiceStoreUrl,
}

impl PostgresFixture {
    fn new() -> Self {
        let server = PostgresServer::start();
        let url = server.create_database("fleet").parse().unwrap();
        PostgresFixture { server, url }
    }

    fn open_at(&self, now: i64) -> Arc<dyn ServiceStore> {
        open_service_store(&self.url, now).unwrap()
    }

    fn partitions(&self) -> Vec<String> {
        let mut client = self.server.connect("fleet").unwrap();
        let sql = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'entries'::regclass";
        let mut names: Vec<String> =
            client.query(sql, &[]).unwrap().iter().map(|row| row.get::<_, String>(0)).collect();
        names.sort();
        names
    }
}

impl ServiceStoreFixture for PostgresFixture {
    fn open(&self) -> Arc<dyn ServiceStore> {
        self.open_at(1)
    }
}

service_store_tests!(PostgresFixture::new());

fn claim(store: &dyn ServiceStore, run: &str, now: i64) -> RunLease {
    let key = ServiceRunKey { project: "p".to_owned(), run: run.to_owned() };
    match store.claim(&[key], "one", now, now + 3_600_000).unwrap().remove(0) {
        RunClaim::Granted(claimed) => claimed.lease,
        RunClaim::Held { .. } => panic!("not granted"),
    }
}

fn entry(seq: u64, at: i64) -> NewEntry {
    NewEntry {
        seq,
        at,
        kind: EntryKind::Step,
        key: Some(format!("k{seq}")),
        verdict: RunVerdict::Clear,
        notable: false,
        input: "{}".to_owned(),
        answer: "{}".to_owned(),
        model: String::new(),
        tokens: 0,
        cost: 0.0,
        wasted_by: None,
    }
}

fn addition(lease: &RunLease, entries: Vec<NewEntry>) -> RunAppend {
    let figures = RunFigures { steps: entries.last().map_or(0, |entry| entry.seq), ..RunFigures::default() };
    RunAppend { lease: lease.clone(), entries, figures, snapshot: None, loops: Vec::new() }
}

#[test]
fn entries_of_a_day_have_a_partition_that_is_dropped_when_they_are_old() {
    let fixture = PostgresFixture::new();
    let store = fixture.open_at(TODAY);
    assert_eq!(
        fixture.partitions(),
        ["entries_day_20000", "entries_day_20001", "entries_day_20002", "entries_other"]
    );
    let lease = claim(&*store, "old", TODAY);
    store.append(&[addition(&lease, vec![entry(1, TODAY + 1), entry(2, TODAY + DAY)])], TODAY + DAY).unwrap();
    assert!(fixture.partitions().contains(&"entries_day_20003".to_owned()), "made when the day begins");
    // A run that goes on, and whose guard needs all of its entries.
    let lease = claim(&*store, "young", TODAY);
    store.append(&[addition(&lease, vec![entry(1, TODAY + 2)])], TODAY + 2).unwrap();
    store.append(&[addition(&lease, vec![entry(2, TODAY + 9 * DAY)])], TODAY + 9 * DAY).unwrap();
    store.prune(TODAY + 5 * DAY, 100).unwrap();
    assert!(fixture.partitions().contains(&"entries_day_20000".to_owned()), "a guard needs it");
    assert!(!fixture.partitions().contains(&"entries_day_20001".to_owned()));
    assert_eq!(store.load(lease.run).unwrap().entries.len(), 2);
    let mut idle = addition(&lease, Vec::new());
    idle.snapshot = Some(loopbreak_store::service::StateSnapshot { seq: 2, state: "s".to_owned() });
    store.append(&[idle], TODAY + 9 * DAY).unwrap();
    store.prune(TODAY + 5 * DAY, 100).unwrap();
    assert!(!fixture.partitions().contains(&"entries_day_20000".to_owned()));
    assert_eq!(store.find_keys(lease.run, &["k1", "k2"]).unwrap().len(), 1);
    let kept =
        store.entries(&EntryQuery { run: Some(lease.run), limit: 9, ..EntryQuery::default() }).unwrap();
    assert_eq!(kept.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [2]);
}

#[test]
fn servers_that_start_on_a_new_day_at_the_same_time_make_its_partitions_once() {
    /// The lock under which tables are created.
    const TABLES_LOCK: i64 = 0x4c42_7376_0001;
    let fixture = PostgresFixture::new();
    drop(fixture.open_at(TODAY));
    let mut other = fixture.server.connect("fleet").unwrap();
    let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
    other.execute("SELECT pg_advisory_lock($1)", &[&TABLES_LOCK]).unwrap();
    thread::scope(|scope| {
        let starting: Vec<_> =
            (0..3).map(|_| scope.spawn(|| drop(fixture.open_at(TODAY + 10 * DAY)))).collect();
        // All have seen that there is no partition yet.
        while other.query_one(waiting, &[]).unwrap().get::<_, i64>(0) < 3 {
            thread::sleep(Duration::from_millis(5));
        }
        other.execute("SELECT pg_advisory_unlock($1)", &[&TABLES_LOCK]).unwrap();
        for server in starting {
            server.join().unwrap();
        }
    });
    assert!(fixture.partitions().contains(&"entries_day_20012".to_owned()));
}

/// A server that is cut off while it waits for a lock still gets it, and keeps the other servers out until it loses it.
#[test]
fn at_most_one_thread_of_a_server_waits_for_the_locks_of_others() {
    /// The lock under which entries get their ids.
    const ENTRY_LOCK: i64 = 0x4c42_7376_0002;
    let fixture = PostgresFixture::new();
    let store = fixture.open();
    let mut other = fixture.server.connect("fleet").unwrap();
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    other.execute("SELECT pg_advisory_lock($1)", &[&ENTRY_LOCK]).unwrap();
    thread::scope(|scope| {
        for run in ["a", "b", "c"] {
            let store = &store;
            scope.spawn(move || {
                let lease = claim(&**store, run, TODAY);
                store.append(&[addition(&lease, vec![entry(1, TODAY)])], TODAY).unwrap();
            });
        }
        while other.query_one(waiting, &[]).unwrap().get::<_, i64>(0) == 0 {
            thread::sleep(Duration::from_millis(5));
        }
        // The others have had their time to get there as well.
        thread::sleep(Duration::from_secs(1));
        assert_eq!(other.query_one(waiting, &[]).unwrap().get::<_, i64>(0), 1);
        other.execute("SELECT pg_advisory_unlock($1)", &[&ENTRY_LOCK]).unwrap();
    });
}

/// A machine that hangs or that a network has lost says nothing at all.
#[test]
fn a_database_that_does_not_answer_is_given_up_and_found_again() {
    let fixture = PostgresFixture::new();
    let store = fixture.open();
    store.check().unwrap();
    fixture.server.pause("fleet", true);
    let ask = |longest: u64| {
        let asked = Instant::now();
        let error = store.check().unwrap_err();
        assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
        assert!(asked.elapsed() < Duration::from_secs(longest), "{error:?} after {:?}", asked.elapsed());
    };
    ask(25);
    // No new connection is answered either, and that is not tried for everybody who waits.
    ask(12);
    ask(1);
    fixture.server.pause("fleet", false);
    thread::sleep(Duration::from_millis(1500));
    store.check().unwrap();
}

#[test]
fn readers_never_miss_an_entry_of_writers_beside_each_other() {
    const WRITERS: usize = 4;
    const BATCHES: u64 = 25;
    let fixture = PostgresFixture::new();
    let store = fixture.open();
    let seen = thread::scope(|scope| {
        for writer in 0..WRITERS {
            let store = Arc::clone(&store);
            scope.spawn(move || {
                let lease = claim(&*store, &format!("run {writer}"), 1000);
                for batch in 0..BATCHES {
                    let entries = (1..=4).map(|step| entry(batch * 4 + step, 1000)).collect();
                    store.append(&[addition(&lease, entries)], 1000).unwrap();
                }
            });
        }
        let mut seen: Vec<i64> = Vec::new();
        let all = WRITERS * BATCHES as usize * 4;
        for _ in 0..100_000 {
            let after = seen.last().copied();
            let page = store.entries(&EntryQuery { after, limit: 1000, ..EntryQuery::default() }).unwrap();
            seen.extend(page.iter().map(|entry| entry.id));
            if seen.len() >= all {
                break;
            }
        }
        seen
    });
    assert_eq!(seen.len(), WRITERS * BATCHES as usize * 4);
    assert!(seen.is_sorted());
}

#[test]
fn servers_that_meet_the_same_loops_do_not_block_each_other() {
    let fixture = PostgresFixture::new();
    thread::scope(|scope| {
        for server in 0..3_usize {
            let store = fixture.open();
            scope.spawn(move || {
                let lease = claim(&*store, &format!("run {server}"), 1000);
                for round in 1..=30 {
                    let mut ids = ["a", "b", "c"];
                    ids.rotate_left(server);
                    let mut addition = addition(&lease, vec![entry(round, 1000)]);
                    addition.loops = ids
                        .map(|id| loopbreak_store::service::LoopUpdate {
                            loop_id: id.to_owned(),
                            findings: 1,
                            ..Default::default()
                        })
                        .into();
                    store.append(&[addition], 1000).unwrap();
                }
            });
        }
    });
    for id in ["a", "b", "c"] {
        let known = fixture.open().find_loop("p", id).unwrap().unwrap();
        assert_eq!((known.count, known.runs), (90, 3));
    }
}

#[test]
fn a_run_can_be_added_to_twice_in_a_batch() {
    let fixture = PostgresFixture::new();
    let store = fixture.open();
    let lease = claim(&*store, "x", 1000);
    let batch = [addition(&lease, vec![entry(1, 1000)]), addition(&lease, vec![entry(2, 1000)])];
    let results = store.append(&batch, 1000).unwrap();
    assert!(
        results.iter().all(|result| matches!(result, AppendResult::Stored { last_id, .. } if *last_id > 0))
    );
    assert_eq!(store.load(lease.run).unwrap().entries.len(), 2);
    assert_eq!(store.runs(&RunQuery { limit: 9, ..RunQuery::default() }).unwrap()[0].figures.steps, 2);
}

#[test]
fn the_store_works_again_after_the_server_crashed_and_came_back() {
    let mut fixture = PostgresFixture::new();
    let store = fixture.open();
    let lease = claim(&*store, "x", 1000);
    store.append(&[addition(&lease, vec![entry(1, 1000)])], 1000).unwrap();
    fixture.server.crash();
    let error = store.append(&[addition(&lease, vec![entry(2, 1000)])], 1000).unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
    assert!(store.check().is_err());
    fixture.server.start_again();
    store.check().unwrap();
    store.append(&[addition(&lease, vec![entry(2, 1000)])], 1000).unwrap();
    assert_eq!(store.load(lease.run).unwrap().entries.len(), 2);
}

#[test]
fn texts_that_the_database_cannot_store_are_changed_and_not_refused() {
    let fixture = PostgresFixture::new();
    let store = fixture.open();
    let lease = claim(&*store, "nul\0name", 1000);
    let odd = NewEntry { input: "a\0b".to_owned(), ..entry(1, 1000) };
    store.append(&[addition(&lease, vec![odd])], 1000).unwrap();
    assert_eq!(store.load(lease.run).unwrap().entries[0].input, "a\u{fffd}b");
    assert_eq!(claim(&*store, "nul\0name", 1000).run, lease.run);
}

#[test]
fn tables_of_a_later_version_are_refused_with_its_name() {
    let fixture = PostgresFixture::new();
    drop(fixture.open());
    let mut client = fixture.server.connect("fleet").unwrap();
    let sql = "INSERT INTO migrations VALUES (99, 'later (Loopbreak 9.9.9)', 1)";
    client.batch_execute(sql).unwrap();
    let error = open_service_store(&fixture.url, 1).unwrap_err();
    assert!(matches!(error, StoreError::TooNew { found: 99, .. }), "{error}");
    assert!(error.to_string().contains("Loopbreak 9.9.9"), "{error}");
}

#[test]
fn an_error_never_shows_the_password() {
    let url: ServiceStoreUrl = "postgres://me:geheim@127.0.0.1:1/x?connect_timeout=1".parse().unwrap();
    let error = open_service_store(&url, 1).unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
    assert!(!format!("{error} {url} {url:?}").contains("geheim"));
}

#[test]
fn the_store_works_through_pgbouncer_in_session_mode() {
    let fixture = PostgresFixture::new();
    let (_bouncer, address) = fixture.server.start_bouncer("fleet", "fleet");
    let store = open_service_store(&address.parse().unwrap(), 1).unwrap();
    thread::scope(|scope| {
        for number in 0..4 {
            let store = Arc::clone(&store);
            scope.spawn(move || {
                let lease = claim(&*store, &format!("run {number}"), 1000);
                for seq in 1..=10 {
                    store.append(&[addition(&lease, vec![entry(seq, 1000)])], 1000).unwrap();
                }
                assert_eq!(store.load(lease.run).unwrap().entries.len(), 10);
            });
        }
    });
    assert_eq!(fixture.open().runs(&RunQuery { limit: 9, ..RunQuery::default() }).unwrap().len(), 4);
}

/// The dashboard for Grafana is a file, and its questions have to fit the tables. They are asked by a role that may only read.
#[test]
fn the_questions_of_the_grafana_dashboard_can_be_asked() {
    let fixture = PostgresFixture::new();
    let store = fixture.open_at(TODAY);
    let lease = claim(&*store, "x", TODAY);
    let mut addition = addition(
        &lease,
        vec![NewEntry { cost: 2.5, wasted_by: Some("cycle".to_owned()), ..entry(1, TODAY) }],
    );
    addition.loops.push(loopbreak_store::service::LoopUpdate {
        loop_id: "l".to_owned(),
        findings: 1,
        cost: 2.5,
        ..Default::default()
    });
    store.append(&[addition], TODAY).unwrap();
    let mut admin = fixture.server.connect("fleet").unwrap();
    admin
        .batch_execute(
            "CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA public TO reader; \
             GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
        )
        .unwrap();
    let address = fixture.server.address("reader", "fleet");
    let mut reader = postgres::Client::connect(&address, postgres::NoTls).unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../integrations/grafana/loopbreak.json");
    let dashboard: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let mut asked = 0;
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            let Some(sql) = target["rawSql"].as_str() else { continue };
            let seconds = TODAY / 1000;
            let sql = sql
                .replace("$__unixEpochFrom()", &(seconds - 86_400).to_string())
                .replace("$__unixEpochTo()", &(seconds + 86_400).to_string());
            let rows =
                reader.query(&sql, &[]).unwrap_or_else(|error| panic!("{}: {error}: {sql}", panel["title"]));
            assert_eq!(rows.len(), 1, "{}: {sql}", panel["title"]);
            asked += 1;
        }
    }
    assert!(asked >= 5);
}

#[test]
fn a_database_of_the_first_version_keeps_what_it_knows_of_costs_and_loops() {
    let fixture = PostgresFixture::new();
    drop(fixture.open_at(TODAY));
    let mut client = fixture.server.connect("fleet").unwrap();
    client
        .batch_execute(
            "DROP TABLE spending, alerts, alert_messages, alert_rules; ALTER TABLE loops DROP COLUMN opened;
            DELETE FROM migrations WHERE version = 2; INSERT INTO projects (name) VALUES ('a');
            INSERT INTO usage SELECT id, 19999, 'm', '', 1, 1, 1.5 FROM projects;
            INSERT INTO usage SELECT id, 20000, 'm', '', 1, 1, 2.5 FROM projects;
            INSERT INTO usage SELECT id, 20000, 'm', 'cycle', 1, 1, 2.5 FROM projects;
            INSERT INTO loops SELECT id, 'l', 'open', 'cycle', '', '', '', '', '', '', '', 1, 1, 1, 1, 1, 500, 900, 'r'
                FROM projects;",
        )
        .unwrap();
    let store = fixture.open_at(TODAY);
    let spent = store.spending(Some("a"), TODAY + 5).unwrap().shared;
    assert!((spent.day - 2.5).abs() < 1e-9 && (spent.total - 4.0).abs() < 1e-9, "{spent:?}");
    assert_eq!(spent.total_since, Some(TODAY - DAY));
    assert_eq!(store.find_loop("a", "l").unwrap().unwrap().opened, 500);
}
