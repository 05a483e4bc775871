//! The weight of a repeat. A repeat after a wait weighs less: time passed, and the environment may have
//! changed.

use crate::detectors::StepContext;
use crate::fingerprint::{ActionKind, ActionShape};

/// The weight of a plain repeat.
pub(crate) const WHOLE: u32 = 5;
/// The weight of a repeat after a wait, or of one that only turns a page without a logged result.
const SLIGHT: u32 = 2;
/// The weight of a repeat that is recognized by its shape alone, with nothing that distinguishes it from
/// others of that shape.
pub(crate) const FAINT: u32 = 1;
/// The weight of a repeat that is recognized by its shape and by a text in it.
pub(crate) const SOME: u32 = 3;

/// Minimum time between two steps after which the later one counts as waited for.
const SPACED_MS: i64 = 20_000;

impl StepContext<'_> {
    /// Returns whether the step was waited for: the agent's previous step only waited, or much time passed before it. A
    /// call that fails after a long time may have taken that time itself.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.after_wait || self.is_spaced() && !self.prints.is_some_and(|prints| prints.failed)
    }

    /// Returns whether much time passed before the step.
    pub(crate) fn is_spaced(&self) -> bool {
        self.passed.is_some_and(|passed| passed >= SPACED_MS)
    }

    /// Returns the weight of the step if it is a repeat.
    pub(crate) fn weight(&self) -> u32 {
        let turns_unseen_page =
            self.prints.is_some_and(|prints| prints.kind == ActionKind::Page && prints.outcome.is_none());
        let unlogged = self.prints.is_some_and(|prints| prints.outcome.is_none());
        if unlogged && self.moves_on {
            FAINT
        } else if turns_unseen_page || self.is_waited_for() {
            SLIGHT
        } else {
            WHOLE
        }
    }

    /// Returns the weight of the step if it is a repeat with other steps in between. A step back that is
    /// logged without a result can be a step back from anywhere, so it weighs less.
    pub(crate) fn weight_apart(&self) -> u32 {
        let says_nothing = |shape: ActionShape| !shape.masked && !shape.telling;
        if self.prints.and_then(|prints| prints.shape).is_some_and(says_nothing) {
            SLIGHT
        } else {
            self.weight()
        }
    }
}

/// Returns the total weight of this many plain repeats.
pub(crate) fn whole(repeats: u32) -> u32 {
    repeats.saturating_mul(WHOLE)
}
