//! Tests of the log readers through their public interface.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

mod counts;
mod families;
mod follower;
mod formats;
mod hostile;
mod mangled;
#[cfg(feature = "sqlite")]
mod opencode_database;
mod rejected;
mod support;
mod telemetry;
mod unread;
