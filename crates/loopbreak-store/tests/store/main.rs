//! Tests of the store through its public interface.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

mod damage;
mod privacy;
mod roadmaps;
mod service_sqlite;
mod service_suite;
mod sqlite;
