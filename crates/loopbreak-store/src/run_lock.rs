//! Locks on runs.

use std::fmt;

/// A run that this process holds. The lock is released when this is dropped, and by the system when the process ends.
pub struct RunLock {
    _holder: Box<dyn fmt::Debug + Send>,
}

impl RunLock {
    /// Wraps the value of a backend that releases the lock when it is dropped.
    pub fn new(holder: impl fmt::Debug + Send + 'static) -> Self {
        RunLock { _holder: Box::new(holder) }
    }
}

impl fmt::Debug for RunLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunLock")
    }
}
