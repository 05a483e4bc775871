//! Errors of the server, and its end.

use std::net::SocketAddr;

use loopbreak_store::StoreError;

use crate::http::TlsError;

/// An error that keeps the server from starting, or ends it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The settings are not valid.
    #[error("invalid settings: {0}")]
    Config(String),
    /// No thread could be started.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// The thread that owns the store ended while it started.
    #[error("the store could not be opened")]
    Gone,
    /// The asynchronous runtime could not be started.
    #[error("cannot start the runtime: {0}")]
    Runtime(std::io::Error),
    /// The server cannot listen on the address.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Error of the operating system.
        error: std::io::Error,
    },
    /// Other machines could reach the server without a token.
    #[error("{0} can be reached from other machines, so a token is required")]
    NeedsToken(SocketAddr),
    /// Other machines could reach the server without TLS.
    #[error(
        "{0} can be reached from other machines, so TLS is required: a certificate, or a proxy in front of the server"
    )]
    NeedsTls(SocketAddr),
    /// The files of TLS cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Another server uses the store.
    #[error("another server uses the store {path}: {error}")]
    StoreLock {
        /// The store.
        path: String,
        /// Error of the operating system.
        error: std::io::Error,
    },
    /// The connection failed.
    #[error("the connection failed: {0}")]
    Connection(String),
}

/// Reason why the server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServeEnd {
    /// The client left, or the program was asked to end.
    Done,
    /// The user pressed Ctrl-C.
    Interrupted,
}
