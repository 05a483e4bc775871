//! Tests of the store through its public interface.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

mod alert_suite;
mod damage;
mod outbox;
#[cfg(all(feature = "postgres", target_os = "linux"))]
mod postgres_server;
mod privacy;
mod roadmaps;
#[cfg(all(feature = "postgres", target_os = "linux"))]
mod service_postgres;
mod service_sqlite;
mod service_suite;
mod sqlite;
