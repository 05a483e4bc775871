//! A connection with its prepared statements, and transactions on it. Each answer of the server has to come within a time: a server
//! that is out of reach often says nothing at all, and a thread that waits for it keeps others waiting.

use std::collections::HashMap;
use std::fmt;
use std::pin::pin;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, Row, Statement};

use super::tls_connector::TlsConnector;
use crate::StoreError;

/// Longest time for a connection with its first messages.
pub(super) const CONNECT_TIME: Duration = Duration::from_secs(5);
/// Longest time for an answer: that of a statement in [`SETTINGS`], and some more for the way.
const ANSWER_TIME: Duration = Duration::from_secs(15);
/// Longest time for a statement that changes tables.
const LONG_TIME: Duration = Duration::from_mins(10);
/// Settings of a connection: no statement holds up a server for long. A server that stands still or is cut off in the middle of a change
/// holds locks that all others need, so it loses them before the others give up waiting.
const SETTINGS: &str = "SET statement_timeout = '12s'; SET lock_timeout = '5s'; \
     SET idle_in_transaction_session_timeout = '3s'; SET client_min_messages = warning;";
/// Number of prepared statements of a connection. Questions differ in their filters, so there are not many.
const MAX_STATEMENTS: usize = 200;

/// Values of a statement.
pub(super) type SqlValues<'v> = &'v [&'v (dyn ToSql + Sync)];

/// A connection to the database.
pub(super) struct PostgresSession {
    client: Client,
    /// Passes messages on while somebody waits for an answer.
    connection: JoinHandle<()>,
    runtime: Runtime,
    statements: HashMap<String, Statement>,
    patience: Duration,
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
    /// Connects.
    pub(super) fn connect(config: &Config, tls: &TlsConnector) -> Result<Self, StoreError> {
        let failed = |reason: &str| StoreError::Unavailable(format!("cannot connect: {reason}"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| failed(&error.to_string()))?;
        let connected = runtime.block_on(async { timeout(CONNECT_TIME, config.connect(tls.clone())).await });
        let Ok(connected) = connected else { return Err(failed("the database does not answer")) };
        let (client, connection) = connected.map_err(|error| failed(&with_causes(&error)))?;
        let connection = runtime.spawn(async move {
            // An error ends the connection, which the client notices.
            let _ = connection.await;
        });
        let mut session = PostgresSession {
            client,
            connection,
            runtime,
            statements: HashMap::new(),
            patience: ANSWER_TIME,
        };
        session.run_batch(SETTINGS).map_err(|error| failed(&with_causes(&error)))?;
        Ok(session)
    }

    /// Returns whether the connection can no longer be used.
    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Gives statements more time, such as those that change large tables. Only for a connection that is not used otherwise.
    pub(super) fn allow_long_work(&mut self) -> Result<(), tokio_postgres::Error> {
        self.patience = LONG_TIME;
        self.run_batch(&format!("SET statement_timeout = '{}s'", LONG_TIME.as_secs()))
    }

    /// Takes the time of statements back.
    pub(super) fn end_long_work(&mut self) -> Result<(), tokio_postgres::Error> {
        self.patience = ANSWER_TIME;
        self.run_batch(SETTINGS)
    }

    /// Waits for an answer. If it does not come in time, the connection is closed.
    fn wait<T>(
        &self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, tokio_postgres::Error> {
        self.runtime.block_on(async {
            let mut answer = pin!(answer);
            if let Ok(answer) = timeout(self.patience, answer.as_mut()).await {
                return answer;
            }
            self.connection.abort();
            // Without its connection, it fails at once.
            answer.await
        })
    }

    /// Runs a statement and returns the number of rows that it changed.
    pub(super) fn execute(&mut self, sql: &str, values: SqlValues<'_>) -> Result<u64, tokio_postgres::Error> {
        let statement = self.prepare(sql)?;
        self.wait(self.client.execute(&statement, values))
    }

    /// Runs a statement and returns its rows.
    pub(super) fn query(
        &mut self,
        sql: &str,
        values: SqlValues<'_>,
    ) -> Result<Vec<Row>, tokio_postgres::Error> {
        let statement = self.prepare(sql)?;
        self.wait(self.client.query(&statement, values))
    }

    /// Runs a statement that has at most one row.
    pub(super) fn query_opt(
        &mut self,
        sql: &str,
        values: SqlValues<'_>,
    ) -> Result<Option<Row>, tokio_postgres::Error> {
        let statement = self.prepare(sql)?;
        self.wait(self.client.query_opt(&statement, values))
    }

    /// Runs a statement that has one row.
    pub(super) fn query_one(
        &mut self,
        sql: &str,
        values: SqlValues<'_>,
    ) -> Result<Row, tokio_postgres::Error> {
        let statement = self.prepare(sql)?;
        self.wait(self.client.query_one(&statement, values))
    }

    /// Runs statements without values, such as those that create tables.
    pub(super) fn run_batch(&mut self, sql: &str) -> Result<(), tokio_postgres::Error> {
        self.wait(self.client.batch_execute(sql))
    }

    /// Works in one transaction. If the work fails, nothing changes.
    pub(super) fn transact<T, E: From<tokio_postgres::Error>>(
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

    fn prepare(&mut self, sql: &str) -> Result<Statement, tokio_postgres::Error> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.wait(self.client.prepare(sql))?;
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
pub(super) fn is_conflict(error: &tokio_postgres::Error) -> bool {
    let states = [SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE];
    error.code().is_some_and(|code| states.contains(code))
}

/// Returns the error of the store. The text of the database can name a table or a value, but never a password.
pub(super) fn store_error(error: &tokio_postgres::Error) -> StoreError {
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
