//! The reasons why an event is not answered.

use std::io;

use loopbreak_store::{StateError, StoreError};

use crate::hook_event::MAX_EVENT_BYTES;

/// The reason why an event is not answered. The agent continues in every case.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HookError {
    #[error("cannot read the event: {0}")]
    Read(io::Error),
    #[error("the event is larger than {} MB", MAX_EVENT_BYTES / 1024 / 1024)]
    TooLarge,
    #[error("cannot parse the event: {0}")]
    Parse(#[from] serde_json::Error),
    #[error("the event has no session_id")]
    NoSession,
    #[error("{0}")]
    Settings(String),
    #[error("no folder for the store: neither XDG_STATE_HOME nor HOME is set")]
    NoStore,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    State(#[from] StateError),
    /// Another process keeps the store locked.
    #[error("the store is locked by another process; {0}")]
    Queued(&'static str),
    #[error("internal error")]
    Panic,
}

impl HookError {
    /// Returns the error of the store, if it is one.
    pub(crate) fn store_error(&self) -> Option<&StoreError> {
        match self {
            HookError::Store(error) => Some(error),
            _ => None,
        }
    }
}
