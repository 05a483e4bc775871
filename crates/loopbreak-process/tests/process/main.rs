//! Signals to real processes: those that get them, and those that must not.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

mod detached_process;
mod refusals;
mod signals;
mod stored_runs;
mod terminal_jobs;
