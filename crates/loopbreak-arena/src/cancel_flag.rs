//! A flag that cancels an episode and everything that waits in it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cancels an episode and everything that waits in it. Clones share the same flag.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Sets the flag.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Returns whether the flag is set.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
