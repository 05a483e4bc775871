//! The trait of all stores of the service.

use std::fmt::Debug;

use super::{
    AlertQuery, AllowedLoop, AppendResult, AuditRecord, DailyUsage, DueMessage, EntryQuery, IssueState,
    LoadedRun, LogEntry, LoopIssue, LoopQuery, MessageOutcome, NewAlert, ProjectSpending, RaisedAlert,
    RunAppend, RunClaim, RunLease, RunQuery, RunVerdict, ServiceRun, ServiceRunKey, ServiceToken,
    StoredAlert, UsageQuery,
};
use crate::StoreError;

/// Storage of the service. Calls block; the server makes them on threads of its own. Times are passed in, in milliseconds since
/// 1970, so that all servers of a fleet can use the clock they trust.
///
/// A call that returned `Ok` is durable: it survives the end of the process at any moment.
pub trait ServiceStore: Debug + Send + Sync {
    // Leases

    /// Claims runs for a server until a time, and creates those that do not exist. A run is granted if nobody holds it, if its
    /// lease has ended at `now`, or if the server holds it already; its epoch increases each time. The answers are in the order
    /// of the keys.
    fn claim(
        &self,
        runs: &[ServiceRunKey],
        owner: &str,
        now: i64,
        until: i64,
    ) -> Result<Vec<RunClaim>, StoreError>;

    /// Extends leases until a time. Returns for each of them whether the server still holds it.
    fn renew(&self, leases: &[RunLease], until: i64) -> Result<Vec<bool>, StoreError>;

    /// Gives leases back. Those that were lost are ignored.
    fn release(&self, leases: &[RunLease]) -> Result<(), StoreError>;

    // Runs

    /// Loads what is needed to restore the guard of a run: its last snapshot, and the entries after it that have a sequence
    /// number.
    fn load(&self, run: i64) -> Result<LoadedRun, StoreError>;

    /// Adds to runs, in one transaction. A run whose lease was lost gets nothing; the others are stored all the same. An addition
    /// without entries does not count as seeing the run.
    fn append(&self, batch: &[RunAppend], now: i64) -> Result<Vec<AppendResult>, StoreError>;

    /// Finds the entries of a run that have one of these idempotency keys.
    fn find_keys(&self, run: i64, keys: &[&str]) -> Result<Vec<LogEntry>, StoreError>;

    /// Returns a run.
    fn run(&self, key: &ServiceRunKey) -> Result<Option<ServiceRun>, StoreError>;

    /// Returns the runs that match.
    fn runs(&self, query: &RunQuery) -> Result<Vec<ServiceRun>, StoreError>;

    /// Counts the runs that were seen at or after a time, by their last verdict.
    fn count_runs(&self, since: i64) -> Result<Vec<(RunVerdict, u64)>, StoreError>;

    /// Asks to stop a run, or withdraws that with `None`. Returns whether the run exists.
    fn request_stop(&self, key: &ServiceRunKey, reason: Option<&str>, now: i64) -> Result<bool, StoreError>;

    /// Deletes a run with everything that is stored of it, no matter which server holds its lease. Returns whether it existed.
    fn forget(&self, key: &ServiceRunKey) -> Result<bool, StoreError>;

    /// Deletes runs, and loops that nobody decided about, that were last seen before a time, at most `limit` runs. Usage and
    /// audit records that are older are deleted too. Returns the number of runs.
    fn prune(&self, before: i64, limit: usize) -> Result<u64, StoreError>;

    // Entries

    /// Returns the entries that match.
    fn entries(&self, query: &EntryQuery) -> Result<Vec<LogEntry>, StoreError>;

    /// Returns the number of the latest entry, 0 if there is none.
    fn last_entry(&self) -> Result<i64, StoreError>;

    // Loops

    /// Returns the loops that match.
    fn loops(&self, query: &LoopQuery) -> Result<Vec<LoopIssue>, StoreError>;

    /// Returns a loop.
    fn find_loop(&self, project: &str, loop_id: &str) -> Result<Option<LoopIssue>, StoreError>;

    /// Sets the state of a loop. Returns whether the loop exists.
    fn set_loop_state(
        &self,
        project: &str,
        loop_id: &str,
        state: IssueState,
        now: i64,
    ) -> Result<bool, StoreError>;

    /// Returns the loops that guards of a project let pass, ordered by id.
    fn allowed_loops(&self, project: &str) -> Result<Vec<AllowedLoop>, StoreError>;

    /// Returns usage and waste by day.
    fn usage(&self, query: &UsageQuery) -> Result<Vec<DailyUsage>, StoreError>;

    // Spending and alerts

    /// Returns what the runs of a project, or of all projects, have spent and found until a time.
    fn spending(&self, project: Option<&str>, now: i64) -> Result<ProjectSpending, StoreError>;

    /// Returns the time since which a rule for alerts is known. A new rule is known from `now` on.
    fn alert_rule_since(&self, rule: &str, now: i64) -> Result<i64, StoreError>;

    /// Stores an alert and its messages, unless there is one with the same key. Of several servers that find the same condition,
    /// one gets [`RaisedAlert::Raised`].
    fn raise_alert(&self, alert: &NewAlert) -> Result<RaisedAlert, StoreError>;

    /// Ends the alert of a rule and a project that has the key [`OPEN_ALERT`](super::OPEN_ALERT). Returns whether there was one.
    fn end_alert(&self, rule: &str, project: &str, now: i64) -> Result<bool, StoreError>;

    /// Takes a message that is due, of one of these rules, for one attempt to send it. No other server gets it before `until`.
    fn take_message(&self, rules: &[&str], now: i64, until: i64) -> Result<Option<DueMessage>, StoreError>;

    /// Stores what became of an attempt.
    fn settle_message(&self, message: i64, outcome: &MessageOutcome, now: i64) -> Result<(), StoreError>;

    /// Returns alerts with their messages.
    fn alerts(&self, query: &AlertQuery) -> Result<Vec<StoredAlert>, StoreError>;

    // Tokens and audit

    /// Adds a token. Fails if there is one with this id.
    fn add_token(&self, token: &ServiceToken) -> Result<(), StoreError>;

    /// Finds a token by its id.
    fn token(&self, id: &str) -> Result<Option<ServiceToken>, StoreError>;

    /// Returns all tokens, the oldest first.
    fn tokens(&self) -> Result<Vec<ServiceToken>, StoreError>;

    /// Deletes a token. Returns whether it existed.
    fn revoke_token(&self, id: &str) -> Result<bool, StoreError>;

    /// Adds a record to the audit log.
    fn audit(&self, record: &AuditRecord) -> Result<(), StoreError>;

    /// Returns records of the audit log, the latest first: those before the one with the number `before`.
    fn audit_log(
        &self,
        project: Option<&str>,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Vec<AuditRecord>, StoreError>;

    /// Checks that the store can be used.
    fn check(&self) -> Result<(), StoreError>;
}
