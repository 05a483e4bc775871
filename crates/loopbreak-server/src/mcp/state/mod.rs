//! The queue of calls, and the state that one thread has for itself.

mod call_queue;
mod call_transaction;
mod connection_runs;
mod prepared_step;
mod server_state;

pub(crate) use call_queue::CallQueue;
pub(crate) use call_transaction::CallTransaction;
pub(crate) use connection_runs::{ConnectionKind, ConnectionRuns};
pub(crate) use prepared_step::PreparedStep;
pub(crate) use server_state::{CallScope, ServerState, VisibleRuns, guard_configs};
