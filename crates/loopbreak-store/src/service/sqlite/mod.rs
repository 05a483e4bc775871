//! The store of the service in one SQLite file.
//!
//! - `sqlite_service_store`: opening, connections, and the trait
//! - `service_migrations`: the tables
//! - `lease_rows`, `append_rows`, `delete_rows`: changes
//! - `run_rows`, `entry_rows`, `loop_rows`, `token_rows`: questions
//! - `spending_rows`, `alert_rows`: sums of costs and findings, and alerts

mod alert_rows;
mod append_rows;
mod delete_rows;
mod entry_rows;
mod lease_rows;
mod loop_rows;
mod run_rows;
mod service_migrations;
mod spending_rows;
mod sqlite_service_store;
mod token_rows;

pub(super) use sqlite_service_store::SqliteServiceStore;
