//! Leases of runs. The server that holds the lease of a run is the only one that may change it.

use super::{LogEntry, ServiceRun, StateSnapshot};

/// The right to change a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RunLease {
    /// Number of the run in the store.
    pub run: i64,
    /// Name of the server that holds it.
    pub owner: String,
    /// Number of times that the run changed its owner. A writer with a smaller number has lost the run, even if it does not
    /// know that yet.
    pub epoch: u64,
}

/// The answer to a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum RunClaim {
    /// The claim was granted.
    Granted(Box<ClaimedRun>),
    /// Another server holds the lease.
    Held {
        /// Name of the server.
        owner: String,
        /// Time at which its lease ends, in milliseconds since 1970.
        until: i64,
    },
}

/// A run whose lease was granted.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimedRun {
    /// The lease.
    pub lease: RunLease,
    /// The run.
    pub run: ServiceRun,
}

/// The stored parts from which the guard of a run is restored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadedRun {
    /// The last snapshot.
    pub snapshot: Option<StateSnapshot>,
    /// The entries after it, in their order.
    pub entries: Vec<LogEntry>,
}
