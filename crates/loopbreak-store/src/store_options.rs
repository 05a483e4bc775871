//! Options of a store.

use std::time::{Duration, Instant};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Options of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// Limits beyond which old runs are removed.
    pub limits: StoreLimits,
    /// Longest time that one operation waits for other processes.
    pub busy_timeout: Duration,
    /// Time after which no operation waits any more. Hooks set it, because an agent waits for them.
    pub deadline: Option<Instant>,
}

impl Default for StoreOptions {
    fn default() -> Self {
        StoreOptions { limits: StoreLimits::default(), busy_timeout: Duration::from_secs(8), deadline: None }
    }
}

impl StoreOptions {
    /// Returns how long an operation that begins now may wait.
    pub(crate) fn waiting_time(&self) -> Duration {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        left.map_or(self.busy_timeout, |left| left.min(self.busy_timeout))
    }
}

/// Limits beyond which old runs are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreLimits {
    /// A run that was not seen for longer is removed. In milliseconds.
    pub age_ms: i64,
    /// Size in bytes above which the oldest runs are removed, except those seen in the last hour.
    pub bytes: u64,
}

impl Default for StoreLimits {
    /// 30 days, 256 MB.
    fn default() -> Self {
        StoreLimits { age_ms: 30 * DAY_MS, bytes: 256 * 1024 * 1024 }
    }
}
