//! Connections that are kept open, and used by one thread at a time.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio_postgres::Config;

use super::PostgresUrl;
use super::postgres_session::{PostgresSession, TransactionKind, is_conflict, store_error};
use super::tls_connector::{TlsConnector, tls_connector};
use crate::StoreError;

/// Number of connections that are kept open.
const KEPT_SESSIONS: usize = 8;
/// Time after a connection that failed slowly in which no other is tried. Those who would wait for it are told at once, so that many
/// who wait are not told one after the other.
const FAILED_TIME: Duration = Duration::from_secs(1);
/// Time from which a failure was slow. Others may be tried again at once.
const SLOW_TIME: Duration = Duration::from_millis(500);
/// Number of attempts at a change that other changes get in the way of.
const ATTEMPTS: usize = 4;

/// The connections of a store.
pub(super) struct SessionPool {
    config: Config,
    tls: TlsConnector,
    free: Mutex<Vec<PostgresSession>>,
    /// When a connection failed slowly for the last time, and why. Empty after one that worked.
    failed: Mutex<Option<(Instant, String)>>,
}

impl SessionPool {
    /// Returns a pool for the database of a URL. Connects when a connection is needed.
    pub(super) fn new(url: &PostgresUrl) -> Result<Self, StoreError> {
        let mut config = url.config().clone();
        if config.get_application_name().is_none() {
            config.application_name("loopbreak");
        }
        let tls = tls_connector(url.authorities())?;
        Ok(SessionPool { config, tls, free: Mutex::default(), failed: Mutex::default() })
    }

    /// Makes a change in one transaction. If it meets another change, it is made again.
    pub(super) fn change<T>(
        &self,
        mut change: impl FnMut(&mut PostgresSession) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T, StoreError> {
        let mut attempt = 1;
        loop {
            match self.with_session(|session| session.transact(TransactionKind::Change, &mut change)) {
                Ok(done) => return Ok(done),
                Err(SessionError::Sql(error)) if is_conflict(&error) && attempt < ATTEMPTS => attempt += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Asks questions that see the same moment.
    pub(super) fn ask_at_once<T>(
        &self,
        question: impl FnOnce(&mut PostgresSession) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T, StoreError> {
        Ok(self.with_session(|session| session.transact(TransactionKind::Moment, question))?)
    }

    /// Asks a question.
    pub(super) fn ask<T>(
        &self,
        question: impl FnOnce(&mut PostgresSession) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T, StoreError> {
        Ok(self.with_session(question)?)
    }

    /// Works with a connection, and keeps it for later unless it broke.
    pub(super) fn with_session<T, E>(
        &self,
        work: impl FnOnce(&mut PostgresSession) -> Result<T, E>,
    ) -> Result<T, SessionError>
    where
        SessionError: From<E>,
    {
        let mut session = self.take()?;
        let done = work(&mut session);
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if session.is_closed() {
            // The server was restarted or is out of reach: the other connections are most likely broken too.
            free.clear();
        } else if free.len() < KEPT_SESSIONS {
            free.push(session);
        }
        drop(free);
        Ok(done?)
    }

    /// Returns a connection that works as far as one can tell.
    fn take(&self) -> Result<PostgresSession, SessionError> {
        loop {
            let kept = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(mut session) = kept else { return self.connect() };
            // An empty statement shows whether the server is still there. It costs little, and a change that fails because its
            // connection was old would have to be reported as lost.
            if !session.is_closed() && session.run_batch("").is_ok() {
                return Ok(session);
            }
        }
    }

    fn connect(&self) -> Result<PostgresSession, SessionError> {
        let failed = || self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            failed().as_ref().filter(|(at, _)| at.elapsed() < FAILED_TIME).map(|(_, why)| why.clone());
        if let Some(why) = known {
            return Err(StoreError::Unavailable(why).into());
        }
        let started = Instant::now();
        match PostgresSession::connect(&self.config, &self.tls) {
            Ok(session) => {
                *failed() = None;
                Ok(session)
            }
            Err(StoreError::Unavailable(why)) if started.elapsed() >= SLOW_TIME => {
                *failed() = Some((Instant::now(), why.clone()));
                Err(StoreError::Unavailable(why).into())
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// An error of the work with a connection.
pub(super) enum SessionError {
    /// Error of the database, by which some changes are made again.
    Sql(tokio_postgres::Error),
    /// Any other error.
    Store(StoreError),
}

impl From<tokio_postgres::Error> for SessionError {
    fn from(error: tokio_postgres::Error) -> Self {
        SessionError::Sql(error)
    }
}

impl From<StoreError> for SessionError {
    fn from(error: StoreError) -> Self {
        SessionError::Store(error)
    }
}

impl From<SessionError> for StoreError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Sql(error) => store_error(&error),
            SessionError::Store(error) => error,
        }
    }
}

impl fmt::Debug for SessionPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The settings have a password.
        f.debug_struct("SessionPool").field("database", &self.config.get_dbname()).finish_non_exhaustive()
    }
}
