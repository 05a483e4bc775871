//! The trait of a detector that a user writes.

use std::fmt;

use serde_json::Value;

use super::{CustomContext, CustomFindings, CustomReview};
use crate::detectors::CustomName;
use crate::step::Action;

/// A detector of your own. [The module](super) has an example.
pub trait CustomDetector: CloneDetector + fmt::Debug + Send + Sync {
    /// Returns its name: the `detector` value of its findings. It must not be the name of another detector.
    fn name(&self) -> CustomName;

    /// Reads a step and reports what it found. Called once for each step of the run, whatever its agent.
    ///
    /// Report a loop at every step that belongs to it. The guard passes it on when it is new, and again only when it
    /// gets worse.
    fn observe(&mut self, context: &CustomContext<'_>, findings: &mut CustomFindings<'_>);

    /// Reviews an action before it is taken on turn `turn`. Does nothing by default.
    fn weigh(&self, _action: &Action<'_>, _turn: u64, _review: &mut CustomReview<'_>) {}

    /// Returns the state to be stored in a snapshot of the guard. `null` by default: nothing is stored.
    ///
    /// A state of more than [`CUSTOM_STATE_BYTES`](super::CUSTOM_STATE_BYTES) bytes of JSON is not stored, and the
    /// detector starts without a state after the restore.
    fn snapshot(&self) -> Value {
        Value::Null
    }

    /// Continues from a state that [`snapshot`](CustomDetector::snapshot) returned, perhaps in an earlier version of
    /// the detector. Ignore a state that cannot be read.
    fn restore(&mut self, _state: &Value) {}
}

/// Copies a detector, because a [`Guard`](crate::Guard) can be cloned. Implemented for every detector that is `Clone`.
pub trait CloneDetector {
    /// Returns a copy.
    fn clone_detector(&self) -> Box<dyn CustomDetector>;
}

impl<D: CustomDetector + Clone + 'static> CloneDetector for D {
    fn clone_detector(&self) -> Box<dyn CustomDetector> {
        Box::new(self.clone())
    }
}
