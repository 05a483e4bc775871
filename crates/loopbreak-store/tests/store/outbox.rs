//! Steps that have to be sent to a server.

use loopbreak_store::{
    MAX_UNSENT_STEPS, NewUnsentStep, RunChange, RunEvent, RunKey, ServerBackoff, StepEvent, Store, StoreUrl,
    UnsentStep, open,
};

const SERVER: &str = "https://loops.example";

fn open_store(folder: &tempfile::TempDir) -> Box<dyn Store> {
    open(&StoreUrl::from(folder.path().join("x.db"))).unwrap()
}

fn unsent(server: &str, run: &str, key: &str) -> NewUnsentStep {
    let (server, run, key) = (server.to_owned(), run.to_owned(), key.to_owned());
    NewUnsentStep { step: format!("{{\"id\":\"{key}\"}}"), server, run, key }
}

fn record(store: &mut dyn Store, steps: Vec<NewUnsentStep>) {
    let key = RunKey { source: "codex".into(), session: "a".into(), agent: String::new() };
    let change = RunChange { unsent: steps, ..RunEvent::Step(StepEvent::default()).into() };
    store.begin(&key, "", 1).unwrap().commit(change).unwrap();
}

fn waiting(store: &mut dyn Store, run: Option<&str>) -> Vec<UnsentStep> {
    store.outbox().unwrap().waiting(SERVER, run, 1_000, 1 << 20).unwrap()
}

fn keys(steps: &[UnsentStep]) -> Vec<&str> {
    steps.iter().map(|step| step.key.as_str()).collect()
}

#[test]
fn steps_wait_in_order_until_their_server_has_taken_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open_store(&folder);
    record(&mut *store, vec![unsent(SERVER, "r", "1"), unsent(SERVER, "other", "2")]);
    record(&mut *store, vec![unsent(SERVER, "r", "3"), unsent("https://elsewhere.example", "r", "4")]);
    // Another process finds them.
    let mut store = open_store(&folder);
    assert_eq!(keys(&waiting(&mut *store, Some("r"))), ["1", "3"]);
    assert_eq!(keys(&waiting(&mut *store, None)), ["1", "2", "3"], "none of another server");
    let outbox = store.outbox().unwrap();
    assert_eq!(keys(&outbox.waiting(SERVER, None, 2, 1 << 20).unwrap()), ["1", "2"]);
    assert_eq!(keys(&outbox.waiting(SERVER, None, 9, 1).unwrap()), ["1"], "one however large it is");

    let taken = outbox.waiting(SERVER, Some("r"), 1, 1 << 20).unwrap();
    outbox.remove(SERVER, &taken).unwrap();
    outbox.remove(SERVER, &taken).unwrap();
    let state = outbox.state(SERVER).unwrap();
    assert_eq!((state.waiting, state.bytes, state.dropped), (2, 20, 0), "removed once");
    let refused = outbox.waiting(SERVER, Some("r"), 1, 1 << 20).unwrap();
    outbox.refuse(SERVER, &refused[0]).unwrap();
    assert_eq!((outbox.state(SERVER).unwrap().refused, outbox.states().unwrap().len()), (1, 2));
    assert_eq!(keys(&waiting(&mut *store, None)), ["2"]);
}

/// SQLite gives the number of the last row again after it was removed.
#[test]
fn a_process_that_removes_a_step_late_does_not_remove_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open_store(&folder);
    record(&mut *store, vec![unsent(SERVER, "r", "1")]);
    let seen = waiting(&mut *store, None);
    store.outbox().unwrap().remove(SERVER, &seen).unwrap();
    record(&mut *store, vec![unsent(SERVER, "r", "2")]);
    assert_eq!(waiting(&mut *store, None)[0].id, seen[0].id, "otherwise this tests nothing");
    store.outbox().unwrap().remove(SERVER, &seen).unwrap();
    assert_eq!(keys(&waiting(&mut *store, None)), ["2"]);
}

#[test]
fn the_oldest_steps_are_dropped_and_counted_if_too_many_wait() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open_store(&folder);
    let steps = (0..MAX_UNSENT_STEPS + 5).map(|number| unsent(SERVER, "r", &number.to_string()));
    record(&mut *store, steps.collect());
    let state = store.outbox().unwrap().state(SERVER).unwrap();
    assert_eq!((state.waiting, state.dropped), (MAX_UNSENT_STEPS, 5));
    assert_eq!(waiting(&mut *store, None)[0].key, "5");
    let large = |key: &str| NewUnsentStep { step: "x".repeat(40 << 20), ..unsent(SERVER, "r", key) };
    record(&mut *store, vec![large("a")]);
    record(&mut *store, vec![large("b")]);
    let state = store.outbox().unwrap().state(SERVER).unwrap();
    assert_eq!((state.waiting, state.bytes), (1, 40 << 20), "only the last one fits");
}

#[test]
fn a_server_that_fails_is_remembered_until_it_takes_a_step() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open_store(&folder);
    let backoff = ServerBackoff { failures: 2, retry_at: 99, last_failure: "it is gone".to_owned() };
    store.outbox().unwrap().set_backoff(SERVER, &backoff).unwrap();
    record(&mut *store, vec![unsent(SERVER, "r", "1")]);
    let mut store = open_store(&folder);
    assert_eq!(store.outbox().unwrap().state(SERVER).unwrap().backoff, backoff);
    let steps = waiting(&mut *store, None);
    store.outbox().unwrap().remove(SERVER, &steps).unwrap();
    assert_eq!(store.outbox().unwrap().state(SERVER).unwrap().backoff, ServerBackoff::default());
}
