//! The store itself.

use std::fmt;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::service_migrations::SERVICE_MIGRATIONS;
use super::{
    alert_rows, append_rows, delete_rows, entry_rows, lease_rows, loop_rows, run_rows, spending_rows,
    token_rows,
};
use crate::StoreError;
use crate::service::{
    AlertQuery, AllowedLoop, AppendResult, AuditRecord, DailyUsage, DueMessage, EntryQuery, IssueState,
    LoadedRun, LogEntry, LoopIssue, LoopQuery, MessageOutcome, NewAlert, ProjectSpending, RaisedAlert,
    RunAppend, RunClaim, RunLease, RunQuery, RunVerdict, ServiceRun, ServiceRunKey, ServiceStore,
    ServiceToken, StoredAlert, UsageQuery,
};
use crate::sqlite::{apply_migrations, harden, store_error};

/// Longest time that a call waits for another process.
const BUSY_TIME: Duration = Duration::from_secs(5);
/// Number in the header of the file that distinguishes it from the store of the hooks: `LBsv`.
const APPLICATION_ID: u32 = 0x4c42_7376;
/// Largest file that is written again after a run was forgotten, in bytes.
const VACUUM_BYTES: u64 = 64 * 1024 * 1024;
/// Milliseconds of an hour.
const HOUR_MS: i64 = 60 * 60 * 1000;
/// Number of connections for questions that are kept open.
const KEPT_READERS: usize = 8;

/// The store of the service in one SQLite file.
///
/// One connection writes, and any number of them read beside it. A change is forced onto the disk before its call returns; the
/// callers gather many steps in one call, which share that cost.
pub(crate) struct SqliteServiceStore {
    path: PathBuf,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
    /// The last hour in which old sums were removed.
    cleaned: AtomicI64,
}

impl SqliteServiceStore {
    /// Opens the file, creates it if there is none, and applies the migrations that it lacks.
    pub(crate) fn open(path: &Path, now: i64) -> Result<Self, StoreError> {
        crate::create_parent_folder(path)?;
        if !path.exists() {
            // SQLite gives all its files the mode of this one.
            let created = crate::open_private_file(path, OpenOptions::new().write(true).create_new(true));
            match created {
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                    return Err(StoreError::File { path: path.display().to_string(), error });
                }
                _ => {}
            }
        }
        let mut writer = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        mark(&writer)?;
        apply_migrations(&mut writer, SERVICE_MIGRATIONS, now)?;
        writer
            .execute_batch("PRAGMA synchronous = FULL; PRAGMA cache_size = -16000;")
            .map_err(store_error)?;
        Ok(SqliteServiceStore {
            path: path.to_owned(),
            writer: Mutex::new(writer),
            readers: Mutex::new(Vec::new()),
            cleaned: AtomicI64::new(0),
        })
    }

    fn writer(&self) -> MutexGuard<'_, Connection> {
        // A transaction that was interrupted by a panic was rolled back.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a change in one transaction.
    fn change<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut writer = self.writer();
        let transaction =
            writer.transaction_with_behavior(TransactionBehavior::Immediate).map_err(store_error)?;
        let done = change(&transaction).map_err(store_error)?;
        transaction.commit().map_err(store_error)?;
        Ok(done)
    }

    /// Asks a question beside the writer.
    fn ask<T>(&self, question: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let kept = || self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let free = kept().pop();
        let reader = match free {
            Some(reader) => reader,
            None => connect(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
        };
        let answer = question(&reader).map_err(store_error)?;
        let mut kept = kept();
        if kept.len() < KEPT_READERS {
            kept.push(reader);
        }
        Ok(answer)
    }
}

/// Marks a new file as a store of the service, and refuses any other file that has tables.
fn mark(connection: &Connection) -> Result<(), StoreError> {
    let sql = "SELECT application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id";
    let (id, tables): (u32, u32) =
        connection.query_row(sql, (), |row| Ok((row.get(0)?, row.get(1)?))).map_err(store_error)?;
    match (id, tables) {
        (APPLICATION_ID, _) => Ok(()),
        (0, 0) => connection.pragma_update(None, "application_id", APPLICATION_ID).map_err(store_error),
        _ => Err(StoreError::Database("this file is not a store of the service".to_owned())),
    }
}

fn connect(path: &Path, mode: OpenFlags) -> Result<Connection, StoreError> {
    let connection =
        Connection::open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(store_error)?;
    connection.busy_timeout(BUSY_TIME).map_err(store_error)?;
    harden(&connection).map_err(store_error)?;
    Ok(connection)
}

impl fmt::Debug for SqliteServiceStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteServiceStore").field("path", &self.path).finish_non_exhaustive()
    }
}

impl ServiceStore for SqliteServiceStore {
    fn claim(
        &self,
        runs: &[ServiceRunKey],
        owner: &str,
        now: i64,
        until: i64,
    ) -> Result<Vec<RunClaim>, StoreError> {
        self.change(|change| lease_rows::claim(change, runs, owner, now, until))
    }

    fn renew(&self, leases: &[RunLease], until: i64) -> Result<Vec<bool>, StoreError> {
        self.change(|change| lease_rows::renew(change, leases, until))
    }

    fn release(&self, leases: &[RunLease]) -> Result<(), StoreError> {
        self.change(|change| lease_rows::release(change, leases))
    }

    fn load(&self, run: i64) -> Result<LoadedRun, StoreError> {
        self.ask(|connection| entry_rows::load(connection, run))
    }

    fn append(&self, batch: &[RunAppend], now: i64) -> Result<Vec<AppendResult>, StoreError> {
        let is_due =
            self.cleaned.fetch_max(now.div_euclid(HOUR_MS), Ordering::Relaxed) < now.div_euclid(HOUR_MS);
        self.change(|change| {
            if is_due {
                spending_rows::remove_old(change, now)?;
            }
            append_rows::append(change, batch, now)
        })
    }

    fn find_keys(&self, run: i64, keys: &[&str]) -> Result<Vec<LogEntry>, StoreError> {
        self.ask(|connection| entry_rows::find_keys(connection, run, keys))
    }

    fn run(&self, key: &ServiceRunKey) -> Result<Option<ServiceRun>, StoreError> {
        self.ask(|connection| run_rows::find(connection, key))
    }

    fn runs(&self, query: &RunQuery) -> Result<Vec<ServiceRun>, StoreError> {
        self.ask(|connection| run_rows::select(connection, query))
    }

    fn count_runs(&self, since: i64) -> Result<Vec<(RunVerdict, u64)>, StoreError> {
        self.ask(|connection| run_rows::count(connection, since))
    }

    fn request_stop(&self, key: &ServiceRunKey, reason: Option<&str>, now: i64) -> Result<bool, StoreError> {
        self.change(|change| run_rows::request_stop(change, key, reason, now))
    }

    fn forget(&self, key: &ServiceRunKey) -> Result<bool, StoreError> {
        let existed = self.change(|change| delete_rows::forget(change, key))?;
        if existed {
            let writer = self.writer();
            // Parts of the texts may be left in the unused space of pages that other rows share. Writing a large file again would
            // make everybody wait, so there they stay until the space is used.
            if std::fs::metadata(&self.path).is_ok_and(|file| file.len() <= VACUUM_BYTES) {
                writer.execute_batch("VACUUM").map_err(store_error)?;
            }
            // What was deleted is also in the log. If others read it now, the next checkpoint removes it.
            let _ = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()));
        }
        Ok(existed)
    }

    fn prune(&self, before: i64, limit: usize) -> Result<u64, StoreError> {
        self.change(|change| delete_rows::prune(change, before, limit))
    }

    fn entries(&self, query: &EntryQuery) -> Result<Vec<LogEntry>, StoreError> {
        self.ask(|connection| entry_rows::select(connection, query))
    }

    fn last_entry(&self) -> Result<i64, StoreError> {
        self.ask(entry_rows::last)
    }

    fn loops(&self, query: &LoopQuery) -> Result<Vec<LoopIssue>, StoreError> {
        self.ask(|connection| loop_rows::select(connection, query))
    }

    fn find_loop(&self, project: &str, loop_id: &str) -> Result<Option<LoopIssue>, StoreError> {
        self.ask(|connection| loop_rows::find(connection, project, loop_id))
    }

    fn set_loop_state(
        &self,
        project: &str,
        loop_id: &str,
        state: IssueState,
        now: i64,
    ) -> Result<bool, StoreError> {
        self.change(|change| loop_rows::set_state(change, project, loop_id, state, now))
    }

    fn allowed_loops(&self, project: &str) -> Result<Vec<AllowedLoop>, StoreError> {
        self.ask(|connection| loop_rows::allowed(connection, project))
    }

    fn usage(&self, query: &UsageQuery) -> Result<Vec<DailyUsage>, StoreError> {
        self.ask(|connection| loop_rows::usage(connection, query))
    }

    fn spending(&self, project: Option<&str>, now: i64) -> Result<ProjectSpending, StoreError> {
        self.ask(|connection| spending_rows::read(connection, project, now))
    }

    fn alert_rule_since(&self, rule: &str, now: i64) -> Result<i64, StoreError> {
        self.change(|change| alert_rows::rule_since(change, rule, now))
    }

    fn raise_alert(&self, alert: &NewAlert) -> Result<RaisedAlert, StoreError> {
        self.change(|change| alert_rows::raise(change, alert))
    }

    fn end_alert(&self, rule: &str, project: &str, now: i64) -> Result<bool, StoreError> {
        self.change(|change| alert_rows::end(change, rule, project, now))
    }

    fn take_message(&self, rules: &[&str], now: i64, until: i64) -> Result<Option<DueMessage>, StoreError> {
        self.change(|change| alert_rows::take_due(change, rules, now, until))
    }

    fn settle_message(&self, message: i64, outcome: &MessageOutcome, now: i64) -> Result<(), StoreError> {
        self.change(|change| alert_rows::settle(change, message, outcome, now))
    }

    fn alerts(&self, query: &AlertQuery) -> Result<Vec<StoredAlert>, StoreError> {
        self.ask(|connection| alert_rows::select(connection, query))
    }

    fn add_token(&self, token: &ServiceToken) -> Result<(), StoreError> {
        self.change(|change| token_rows::add(change, token))
    }

    fn token(&self, id: &str) -> Result<Option<ServiceToken>, StoreError> {
        self.ask(|connection| token_rows::find(connection, id))
    }

    fn tokens(&self) -> Result<Vec<ServiceToken>, StoreError> {
        self.ask(token_rows::all)
    }

    fn revoke_token(&self, id: &str) -> Result<bool, StoreError> {
        self.change(|change| token_rows::revoke(change, id))
    }

    fn audit(&self, record: &AuditRecord) -> Result<(), StoreError> {
        self.change(|change| token_rows::audit(change, record))
    }

    fn audit_log(
        &self,
        project: Option<&str>,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Vec<AuditRecord>, StoreError> {
        self.ask(|connection| token_rows::audit_log(connection, project, before, limit))
    }

    fn check(&self) -> Result<(), StoreError> {
        // A full disk is found only by writing.
        self.change(|change| {
            change.execute("UPDATE migrations SET applied = applied WHERE version = 1", ())
        })?;
        self.ask(|connection| connection.query_row("SELECT count(*) FROM projects", (), |_| Ok(())))
    }
}
