//! The store of the service in a PostgreSQL database, which several servers share.
//!
//! - `postgres_service_store`: opening, and the trait
//! - `postgres_url`, `session_pool`, `postgres_session`, `tls_connector`: connections, transactions and errors
//! - `database_migrations`, `day_partitions`: the tables
//! - `lease_rows`, `figure_columns`, `append_rows`, `delete_rows`: changes
//! - `run_rows`, `entry_rows`, `loop_rows`, `token_rows`: questions
//! - `spending_rows`, `alert_rows`: sums of costs and findings, and alerts
//! - `row_values`, `sql_text`: values and statements

mod alert_rows;
mod append_rows;
mod database_migrations;
mod day_partitions;
mod delete_rows;
mod entry_rows;
mod figure_columns;
mod lease_rows;
mod loop_rows;
mod postgres_service_store;
mod postgres_session;
mod postgres_url;
mod row_values;
mod run_rows;
mod session_pool;
mod spending_rows;
mod sql_text;
mod tls_connector;
mod token_rows;

pub(super) use postgres_service_store::PostgresServiceStore;
pub use postgres_url::PostgresUrl;
