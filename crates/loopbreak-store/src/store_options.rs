//! Options of a store.

use std::time::Duration;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Options of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// Limits beyond which old runs are removed.
    pub limits: StoreLimits,
    /// Longest time to wait for other processes. The default is shorter than the time that agents give their hooks.
    pub busy_timeout: Duration,
}

impl Default for StoreOptions {
    fn default() -> Self {
        StoreOptions { limits: StoreLimits::default(), busy_timeout: Duration::from_secs(8) }
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
