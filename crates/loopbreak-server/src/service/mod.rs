//! The service: guards of many runs for many clients, over HTTP.
//!
//! - [`serve_service`] starts it with a store of [`loopbreak_store::service`].
//! - [`StepSink`] takes steps. Every adapter that receives steps uses it.
//! - [`NewToken`] makes tokens for clients.
//!
//! A step is masked, observed by the guard of its run, stored, and only then answered. Guards live in memory on a few threads;
//! one that was put away, or lost with its process, is restored from its last snapshot and the steps after it, to the same
//! verdicts.

mod access_token;
mod alerts;
mod api;
mod dashboard;
mod guards;
mod serve_service;
mod service_tls;
mod step_sink;
#[cfg(test)]
mod test_stores;

pub use crate::http::{TlsError, TlsFiles};
pub use access_token::{NewToken, NewTokenError};
pub use serve_service::{ServiceOptions, StartedService, lock_store_file, serve_service};
pub use step_sink::{IngestError, IngestItem, InvalidProjectName, ProjectName, StepAnswer, StepSink};
