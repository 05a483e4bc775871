//! The store itself.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::day_partitions::{DAY_MS, make_partitions};
use super::session_pool::SessionPool;
use super::{
    PostgresUrl, alert_rows, append_rows, database_migrations, delete_rows, entry_rows, lease_rows,
    loop_rows, run_rows, spending_rows, token_rows,
};
use crate::StoreError;
use crate::service::{
    AlertQuery, AllowedLoop, AppendResult, AuditRecord, DailyUsage, DueMessage, EntryQuery, IssueState,
    LoadedRun, LogEntry, LoopIssue, LoopQuery, MessageOutcome, NewAlert, ProjectSpending, RaisedAlert,
    RunAppend, RunClaim, RunLease, RunQuery, RunVerdict, ServiceRun, ServiceRunKey, ServiceStore,
    ServiceToken, StoredAlert, UsageQuery,
};

/// The store of the service in a PostgreSQL database.
///
/// Each call takes a connection of its own, so calls do not wait for each other, and calls after a restart of the database find it
/// again.
#[derive(Debug)]
pub(crate) struct PostgresServiceStore {
    pool: SessionPool,
    /// The last day for which partitions were made.
    partitioned: AtomicI64,
    /// Held by the thread that adds to runs. Additions wait for each other in the database anyway. If the threads of a server waited
    /// there, and the server was cut off, each of them would get the locks in turn and keep the other servers out until it lost them.
    appending: Mutex<()>,
}

impl PostgresServiceStore {
    /// Connects, and applies the migrations that the database lacks.
    pub(crate) fn open(url: &PostgresUrl, now: i64) -> Result<Self, StoreError> {
        let pool = SessionPool::new(url)?;
        pool.with_session(|session| database_migrations::migrate(session, now))?;
        make_partitions(&pool, now)?;
        Ok(PostgresServiceStore {
            pool,
            partitioned: AtomicI64::new(now.div_euclid(DAY_MS)),
            appending: Mutex::default(),
        })
    }

    /// Makes partitions when a day begins, and removes old sums. If that fails, it is tried the next day, and entries are stored all the same.
    fn follow_day(&self, now: i64) {
        let today = now.div_euclid(DAY_MS);
        if self.partitioned.fetch_max(today, Ordering::Relaxed) < today {
            let _ = make_partitions(&self.pool, now);
            let _ = self.pool.change(|session| spending_rows::remove_old(session, now));
        }
    }
}

impl ServiceStore for PostgresServiceStore {
    fn claim(
        &self,
        runs: &[ServiceRunKey],
        owner: &str,
        now: i64,
        until: i64,
    ) -> Result<Vec<RunClaim>, StoreError> {
        self.pool.change(|session| lease_rows::claim(session, runs, owner, now, until))
    }

    fn renew(&self, leases: &[RunLease], until: i64) -> Result<Vec<bool>, StoreError> {
        self.pool.change(|session| lease_rows::renew(session, leases, until))
    }

    fn release(&self, leases: &[RunLease]) -> Result<(), StoreError> {
        self.pool.change(|session| lease_rows::release(session, leases))
    }

    fn load(&self, run: i64) -> Result<LoadedRun, StoreError> {
        self.pool.ask_at_once(|session| entry_rows::load(session, run))
    }

    fn append(&self, batch: &[RunAppend], now: i64) -> Result<Vec<AppendResult>, StoreError> {
        self.follow_day(now);
        let _turn = self.appending.lock().unwrap_or_else(PoisonError::into_inner);
        self.pool.change(|session| append_rows::append(session, batch, now))
    }

    fn find_keys(&self, run: i64, keys: &[&str]) -> Result<Vec<LogEntry>, StoreError> {
        self.pool.ask(|session| entry_rows::find_keys(session, run, keys))
    }

    fn run(&self, key: &ServiceRunKey) -> Result<Option<ServiceRun>, StoreError> {
        self.pool.ask(|session| run_rows::find(session, key))
    }

    fn runs(&self, query: &RunQuery) -> Result<Vec<ServiceRun>, StoreError> {
        self.pool.ask(|session| run_rows::select(session, query))
    }

    fn count_runs(&self, since: i64) -> Result<Vec<(RunVerdict, u64)>, StoreError> {
        self.pool.ask(|session| run_rows::count(session, since))
    }

    fn request_stop(&self, key: &ServiceRunKey, reason: Option<&str>, now: i64) -> Result<bool, StoreError> {
        self.pool.change(|session| run_rows::request_stop(session, key, reason, now))
    }

    fn forget(&self, key: &ServiceRunKey) -> Result<bool, StoreError> {
        self.pool.change(|session| delete_rows::forget(session, key))
    }

    fn prune(&self, before: i64, limit: usize) -> Result<u64, StoreError> {
        self.pool.change(|session| delete_rows::prune(session, before, limit))
    }

    fn entries(&self, query: &EntryQuery) -> Result<Vec<LogEntry>, StoreError> {
        self.pool.ask(|session| entry_rows::select(session, query))
    }

    fn last_entry(&self) -> Result<i64, StoreError> {
        self.pool.ask(entry_rows::last)
    }

    fn loops(&self, query: &LoopQuery) -> Result<Vec<LoopIssue>, StoreError> {
        self.pool.ask(|session| loop_rows::select(session, query))
    }

    fn find_loop(&self, project: &str, loop_id: &str) -> Result<Option<LoopIssue>, StoreError> {
        self.pool.ask(|session| loop_rows::find(session, project, loop_id))
    }

    fn set_loop_state(
        &self,
        project: &str,
        loop_id: &str,
        state: IssueState,
        now: i64,
    ) -> Result<bool, StoreError> {
        self.pool.change(|session| loop_rows::set_state(session, project, loop_id, state, now))
    }

    fn allowed_loops(&self, project: &str) -> Result<Vec<AllowedLoop>, StoreError> {
        self.pool.ask(|session| loop_rows::allowed(session, project))
    }

    fn usage(&self, query: &UsageQuery) -> Result<Vec<DailyUsage>, StoreError> {
        self.pool.ask(|session| loop_rows::usage(session, query))
    }

    fn spending(&self, project: Option<&str>, now: i64) -> Result<ProjectSpending, StoreError> {
        self.pool.ask(|session| spending_rows::read(session, project, now))
    }

    fn alert_rule_since(&self, rule: &str, now: i64) -> Result<i64, StoreError> {
        self.pool.change(|session| alert_rows::rule_since(session, rule, now))
    }

    fn raise_alert(&self, alert: &NewAlert) -> Result<RaisedAlert, StoreError> {
        self.pool.change(|session| alert_rows::raise(session, alert))
    }

    fn end_alert(&self, rule: &str, project: &str, now: i64) -> Result<bool, StoreError> {
        self.pool.change(|session| alert_rows::end(session, rule, project, now))
    }

    fn take_message(&self, rules: &[&str], now: i64, until: i64) -> Result<Option<DueMessage>, StoreError> {
        self.pool.change(|session| alert_rows::take_due(session, rules, now, until))
    }

    fn settle_message(&self, message: i64, outcome: &MessageOutcome, now: i64) -> Result<(), StoreError> {
        self.pool.change(|session| alert_rows::settle(session, message, outcome, now))
    }

    fn alerts(&self, query: &AlertQuery) -> Result<Vec<StoredAlert>, StoreError> {
        self.pool.ask(|session| alert_rows::select(session, query))
    }

    fn add_token(&self, token: &ServiceToken) -> Result<(), StoreError> {
        self.pool.change(|session| token_rows::add(session, token))
    }

    fn token(&self, id: &str) -> Result<Option<ServiceToken>, StoreError> {
        self.pool.ask(|session| token_rows::find(session, id))
    }

    fn tokens(&self) -> Result<Vec<ServiceToken>, StoreError> {
        self.pool.ask(token_rows::all)
    }

    fn revoke_token(&self, id: &str) -> Result<bool, StoreError> {
        self.pool.change(|session| token_rows::revoke(session, id))
    }

    fn audit(&self, record: &AuditRecord) -> Result<(), StoreError> {
        self.pool.change(|session| token_rows::audit(session, record))
    }

    fn audit_log(
        &self,
        project: Option<&str>,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Vec<AuditRecord>, StoreError> {
        self.pool.ask(|session| token_rows::audit_log(session, project, before, limit))
    }

    fn check(&self) -> Result<(), StoreError> {
        // A full disk, or a server that only replicates another, is found only by writing.
        self.pool.change(|session| {
            session.execute("UPDATE migrations SET applied = applied WHERE version = 1", &[])?;
            Ok(())
        })
    }
}
