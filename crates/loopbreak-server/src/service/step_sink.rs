//! Ingestion of steps: the interface between the adapters that receive steps and the guards of their runs.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use loopbreak::{Step, Verdict};

/// Longest name of a project, in bytes.
const PROJECT_BYTES: usize = 64;

/// Receives the steps of many runs.
///
/// The items of a call are observed in their order. Every step of an `Ok` is stored. After an error, a part of the steps may
/// be stored: send the same items with the same keys again, and each counts once.
pub trait StepSink: Clone + Send + Sync {
    /// Shows steps to the guards of their runs, and returns an answer for each, in the same order.
    fn ingest(
        &self,
        project: &ProjectName,
        items: Vec<IngestItem>,
    ) -> impl Future<Output = Result<Vec<StepAnswer>, IngestError>> + Send;
}

/// A step with the run that it belongs to.
#[derive(Clone, Debug)]
pub struct IngestItem {
    /// Name of the run. Runs of other projects may have the same name.
    pub run: String,
    /// Idempotency key. A step whose key the run has already seen is not counted again and gets the same answer.
    pub key: Option<String>,
    /// The step. If it has no time, the time of its arrival is used.
    pub step: Step<'static>,
}

/// The answer to a step.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StepAnswer {
    /// Name of the run.
    pub run: String,
    /// `clear`, `warn` or `stop`. It stays the same as long as the steps belong to the loop.
    pub verdict: &'static str,
    /// True if the step was counted before, because its key was known.
    pub duplicate: bool,
    /// The verdict of the engine. `None` for a step that was counted before.
    pub details: Option<Box<Verdict>>,
    /// The answer as the HTTP API sends it. The same bytes for a step that was counted before.
    pub json: String,
}

/// The reason why steps were not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IngestError {
    /// A step cannot be used. Nothing of the call was recorded. Sending it again does not help.
    #[error("step {index}: {message}")]
    InvalidStep {
        /// Position of the step in the call, from 0.
        index: usize,
        /// Description of the problem.
        message: String,
        /// Advice on how to fix it.
        hint: String,
    },
    /// More steps arrive than can be handled (429).
    #[error("the server has more steps than it can handle")]
    Overloaded {
        /// Time after which the client may try again.
        retry_after: Duration,
    },
    /// The store cannot be used, or another server has taken over the run (503).
    #[error("the server cannot record steps now: {message}")]
    Unavailable {
        /// Description of the problem.
        message: String,
        /// Time after which the client may try again.
        retry_after: Duration,
    },
}

/// Name of a project: 1 to 64 letters, digits, `.`, `_` and `-`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectName(String);

/// A text that is not the name of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid project name: use 1 to {PROJECT_BYTES} letters, digits, `.`, `_` and `-`")]
pub struct InvalidProjectName;

impl ProjectName {
    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for ProjectName {
    fn default() -> Self {
        ProjectName("default".to_owned())
    }
}

impl FromStr for ProjectName {
    type Err = InvalidProjectName;

    fn from_str(text: &str) -> Result<Self, InvalidProjectName> {
        let is_valid = (1..=PROJECT_BYTES).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        if is_valid { Ok(ProjectName(text.to_owned())) } else { Err(InvalidProjectName) }
    }
}

impl fmt::Display for ProjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_projects_are_short_and_plain() {
        for name in ["default", "team-a", "x.y_Z9"] {
            assert_eq!(name.parse::<ProjectName>().unwrap().as_str(), name);
        }
        for name in ["", "a b", "a/b", "ä", "..\n", &"x".repeat(65)] {
            assert_eq!(name.parse::<ProjectName>(), Err(InvalidProjectName), "{name:?}");
        }
    }
}
