//! A connection with its prepared statements, and transactions on it.

use std::collections::HashMap;
use std::fmt;

use postgres::error::SqlState;
use postgres::types::ToSql;
use postgres::{Client, Row, Statement};

use crate::StoreError;

/// Number of prepared statements of a connection. Questions differ in their filters, so there are not many.
const MAX_STATEMENTS: usize = 200;

/// Values of a statement.
pub(super) type SqlValues<'v> = &'v [&'v (dyn ToSql + Sync)];

/// A connection to the database.
pub(super) struct PostgresSession {
    client: Client,
    statements: HashMap<String, Statement>,
}

/// The rights and the view of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TransactionKind {
    /// Changes rows. Each statement sees what was committed before it.
    Change,
    /// Reads. All statements see the same moment.
    Moment,
}

impl PostgresSession {
    pub(super) fn new(client: Client) -> Self {
        PostgresSession { client, statements: HashMap::new() }
    }

    /// Returns whether the connection can no longer be used.
    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Runs a statement and returns the number of rows that it changed.
    pub(super) fn execute(&mut self, sql: &str, values: SqlValues<'_>) -> Result<u64, postgres::Error> {
        let statement = self.prepare(sql)?;
        self.client.execute(&statement, values)
    }

    /// Runs a statement and returns its rows.
    pub(super) fn query(&mut self, sql: &str, values: SqlValues<'_>) -> Result<Vec<Row>, postgres::Error> {
        let statement = self.prepare(sql)?;
        self.client.query(&statement, values)
    }

    /// Runs a statement that has at most one row.
    pub(super) fn query_opt(
        &mut self,
        sql: &str,
        values: SqlValues<'_>,
    ) -> Result<Option<Row>, postgres::Error> {
        let statement = self.prepare(sql)?;
        self.client.query_opt(&statement, values)
    }

    /// Runs a statement that has one row.
    pub(super) fn query_one(&mut self, sql: &str, values: SqlValues<'_>) -> Result<Row, postgres::Error> {
        let statement = self.prepare(sql)?;
        self.client.query_one(&statement, values)
    }

    /// Runs statements without values, such as those that create tables.
    pub(super) fn run_batch(&mut self, sql: &str) -> Result<(), postgres::Error> {
        self.client.batch_execute(sql)
    }

    /// Works in one transaction. If the work fails, nothing changes.
    pub(super) fn transact<T, E: From<postgres::Error>>(
        &mut self,
        kind: TransactionKind,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.run_batch(match kind {
            TransactionKind::Change => "BEGIN",
            TransactionKind::Moment => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        })?;
        match work(self) {
            Ok(done) => {
                self.run_batch("COMMIT")?;
                Ok(done)
            }
            Err(error) => {
                // A connection that cannot do even this is closed.
                let _ = self.run_batch("ROLLBACK");
                Err(error)
            }
        }
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement, postgres::Error> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql)?;
        if self.statements.len() >= MAX_STATEMENTS {
            self.statements.clear();
        }
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

impl fmt::Debug for PostgresSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresSession").field("statements", &self.statements.len()).finish_non_exhaustive()
    }
}

/// Returns whether two transactions got in each other's way, so that the work may succeed if it is done again.
pub(super) fn is_conflict(error: &postgres::Error) -> bool {
    let states = [SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE];
    error.code().is_some_and(|code| states.contains(code))
}

/// Returns the error of the store. The text of the database can name a table or a value, but never a password.
pub(super) fn store_error(error: &postgres::Error) -> StoreError {
    let busy = [
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::QUERY_CANCELED,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
    ];
    match error.as_db_error() {
        Some(known) if busy.contains(known.code()) => StoreError::Unavailable(known.message().to_owned()),
        Some(known) => StoreError::Database(known.message().to_owned()),
        None => StoreError::Unavailable(with_causes(error)),
    }
}

/// Returns the text of an error with those of its causes.
pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
