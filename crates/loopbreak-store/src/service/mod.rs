//! Storage of the service: the runs of many projects, with leases, steps, loops, tokens and an audit log.
//!
//! - [`ServiceStore`] is the trait. [`open_service_store`] opens the store at a URL.
//! - [`RunLease`] gives one server the right to change a run. [`RunAppend`] is what it adds to the run, in one transaction.
//! - [`ServiceRun`], [`LogEntry`], [`LoopIssue`] and [`DailyUsage`] are what can be asked for.
//! - [`ProjectSpending`] is what budgets and alerts compare with their limits, [`StoredAlert`] an alert with its messages.
//!
//! The store of the hooks, [`crate::Store`], is another file: one row per run there, one row per step here.

mod audit_record;
mod daily_usage;
mod log_entry;
mod loop_issue;
mod open_service_store;
#[cfg(feature = "postgres")]
mod postgres;
mod project_spending;
mod run_append;
mod run_lease;
mod service_run;
mod service_store;
mod service_token;
mod sqlite;
mod stored_alert;
mod usage_sums;

pub use audit_record::AuditRecord;
pub use daily_usage::{DailyUsage, UsageQuery};
pub use log_entry::{EntryKind, EntryOrder, EntryQuery, LogEntry};
pub use loop_issue::{AllowedLoop, IssueState, LoopIssue, LoopOrder, LoopQuery};
pub use open_service_store::{ServiceStoreUrl, open_service_store};
#[cfg(feature = "postgres")]
pub use postgres::PostgresUrl;
pub use project_spending::ProjectSpending;
pub use run_append::{AppendResult, LoopUpdate, NewEntry, RunAppend, StateSnapshot};
pub use run_lease::{ClaimedRun, LoadedRun, RunClaim, RunLease};
pub use service_run::{RunFigures, RunQuery, RunVerdict, ServiceRun, ServiceRunKey};
pub use service_store::ServiceStore;
pub use service_token::{ServiceToken, TokenScope};
pub use stored_alert::{
    AlertMessage, AlertQuery, DueMessage, MessageOutcome, MessageState, NewAlert, OPEN_ALERT, RaisedAlert,
    StoredAlert,
};
