//! The store of the service on SQLite: the common suite, and what is special about files.

use std::path::Path;
use std::sync::Arc;

use loopbreak_store::service::{ServiceStore, ServiceStoreUrl, open_service_store};

use crate::service_suite::{ServiceStoreFixture, service_store_tests};

/// A store in a folder that is removed afterwards.
struct SqliteFixture(tempfile::TempDir);

impl SqliteFixture {
    fn new() -> Self {
        SqliteFixture(tempfile::tempdir().unwrap())
    }
}

fn open(path: &Path) -> Arc<dyn ServiceStore> {
    open_service_store(&ServiceStoreUrl::from(path), 1).unwrap()
}

impl ServiceStoreFixture for SqliteFixture {
    fn open(&self) -> Arc<dyn ServiceStore> {
        open(&self.0.path().join("service.db"))
    }
}

service_store_tests!(SqliteFixture::new());

#[test]
fn a_store_of_hooks_is_not_opened_as_one_of_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("loopbreak.db");
    drop(loopbreak_store::open(&path.clone().into()).unwrap());
    let error = open_service_store(&ServiceStoreUrl::from(path.as_path()), 1).unwrap_err();
    assert_eq!(error.to_string(), "the store failed: this file is not a store of the service");
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_store() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = SqliteFixture::new();
    let store = fixture.open();
    store.check().unwrap();
    for file in std::fs::read_dir(fixture.0.path()).unwrap() {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", file.path().display());
    }
}

/// A forgotten text must not be readable in the file or its log.
#[test]
fn a_forgotten_run_is_overwritten() {
    use loopbreak_store::service::{
        EntryKind, NewEntry, RunAppend, RunClaim, RunFigures, RunVerdict, ServiceRunKey,
    };
    let fixture = SqliteFixture::new();
    let store = fixture.open();
    let key = ServiceRunKey { project: "p".to_owned(), run: "job".to_owned() };
    let RunClaim::Granted(claimed) =
        store.claim(std::slice::from_ref(&key), "one", 1, 1000).unwrap().remove(0)
    else {
        panic!("not granted")
    };
    let entries = (1..200).map(|seq| NewEntry {
        seq,
        at: 1,
        kind: EntryKind::Step,
        key: None,
        verdict: RunVerdict::Clear,
        notable: false,
        input: format!("{{\"say\":\"my private text {seq}\"}}"),
        answer: String::new(),
        model: String::new(),
        tokens: 0,
        cost: 0.0,
        wasted_by: None,
    });
    let addition = RunAppend {
        lease: claimed.lease,
        entries: entries.collect(),
        figures: RunFigures::default(),
        snapshot: None,
        loops: Vec::new(),
    };
    store.append(&[addition], 1).unwrap();
    let found_in = || {
        let files = std::fs::read_dir(fixture.0.path()).unwrap().map(|file| file.unwrap().path());
        let with_text = files
            .filter(|file| std::fs::read(file).unwrap().windows(15).any(|part| part == b"my private text"));
        with_text.collect::<Vec<_>>()
    };
    assert_ne!(found_in(), Vec::<std::path::PathBuf>::new());
    assert!(store.forget(&key).unwrap());
    assert_eq!(found_in(), Vec::<std::path::PathBuf>::new());
}
