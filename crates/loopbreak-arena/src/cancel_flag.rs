//! A sign that everybody who waits looks at: it is time to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tells an episode, and whoever waits inside it, that it is to end. Clones are the same sign.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// It is time to end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether it is.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
