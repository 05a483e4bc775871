//! The progress that a step made.

use serde::{Deserialize, Serialize};

/// The kinds of progress that a step made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepProgress {
    /// The score changed in a way that counts as progress.
    pub score: bool,
    /// An objective was completed for the first time.
    pub objective: bool,
    /// The log marks the step as progress.
    pub mark: bool,
}

impl StepProgress {
    /// Returns whether the step made any progress.
    pub fn any(self) -> bool {
        self.score || self.objective || self.mark
    }
}
