//! Real stores for the tests of the service: a SQLite file, and a PostgreSQL server if the build has it.

use std::sync::Arc;

use loopbreak_store::service::{ServiceStore, ServiceStoreUrl, open_service_store};

#[cfg(all(feature = "postgres", target_os = "linux"))]
#[path = "../../../loopbreak-store/tests/store/postgres_server.rs"]
#[allow(dead_code, reason = "the tests of the store use the rest of it")]
mod postgres_server;

/// An empty store for one test.
pub(super) struct TestStore {
    url: ServiceStoreUrl,
    _keeps: Box<dyn std::any::Any>,
}

impl TestStore {
    pub(super) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = ServiceStoreUrl::from(folder.path().join("service.db").as_path());
        TestStore { url, _keeps: Box::new(folder) }
    }

    #[cfg(all(feature = "postgres", target_os = "linux"))]
    fn postgres() -> Self {
        let server = postgres_server::PostgresServer::start();
        let url = server.create_database("fleet").parse().unwrap();
        TestStore { url, _keeps: Box::new(server) }
    }

    /// Opens the store, as another server or one that starts again does.
    pub(super) fn open(&self) -> Arc<dyn ServiceStore> {
        open_service_store(&self.url, 1).unwrap()
    }
}

/// Runs a test with each kind of store.
pub(super) fn each_store(test: impl Fn(&TestStore)) {
    test(&TestStore::sqlite());
    #[cfg(all(feature = "postgres", target_os = "linux"))]
    test(&TestStore::postgres());
}
