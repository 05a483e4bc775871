//! How much a repeat counts. One that was waited for says less: time passed, and the world may have moved meanwhile.

use crate::detectors::StepContext;
use crate::fingerprint::{ActionKind, ActionShape};

/// What a plain repeat weighs.
pub(crate) const WHOLE: u32 = 5;
/// What one weighs that was waited for, or that only turns a page without telling what stands on it.
const SLIGHT: u32 = 2;
/// What one weighs that is known by its shape alone, and has nothing to tell it from others of that shape.
pub(crate) const FAINT: u32 = 1;
/// What one weighs that is known by its shape, and by a text in it.
pub(crate) const SOME: u32 = 3;

/// From this time between two steps on, the later one was waited for.
const SPACED_MS: i64 = 20_000;

impl StepContext<'_> {
    /// Whether the step was waited for: much time passed before it, or the agent did nothing but wait before it.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.after_wait || self.passed.is_some_and(|passed| passed >= SPACED_MS)
    }

    /// How much the step counts, should it be a repeat.
    pub(crate) fn weight(&self) -> u32 {
        let turns_unseen_page =
            self.prints.is_some_and(|prints| prints.kind == ActionKind::Page && prints.outcome.is_none());
        if turns_unseen_page || self.is_waited_for() { SLIGHT } else { WHOLE }
    }

    /// The same where other steps lie in between: to go back, logged without what came of it, can be to go back from
    /// anywhere.
    pub(crate) fn weight_apart(&self) -> u32 {
        let says_nothing = |shape: ActionShape| !shape.masked && !shape.telling;
        if self.prints.and_then(|prints| prints.shape).is_some_and(says_nothing) {
            SLIGHT
        } else {
            self.weight()
        }
    }
}

/// The least that so many repeats weigh, should each of them be a plain one.
pub(crate) fn whole(repeats: u32) -> u32 {
    repeats.saturating_mul(WHOLE)
}
