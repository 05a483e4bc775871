//! The core action or error of an iteration's output, short enough to compare by equality.
//!
//! Two outputs that do the same thing must have the same signature even if line numbers, times and
//! addresses differ. Progress must change it, so the count of failed tests is part of it. The rules are
//! tried in a fixed order: error, failed tests, changed file, search, and finally the first words.
//! An error inside a failing test run is combined with the signature of the run: with the error alone, a run
//! with fewer and fewer failures would look stuck.

mod change;
mod error;
mod failure;
mod file;
mod search;
#[cfg(test)]
mod table;
mod window;
mod words;

use super::clip::clip;

/// Length limit of a signature, in bytes.
pub(super) const LONGEST: usize = 200;

/// The part of an output that its signature is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignatureKind {
    /// An error, perhaps inside a failing test run.
    Error,
    /// Failed tests.
    FailedTests,
    /// A changed file.
    Change,
    /// A search.
    Search,
    /// None of these: the first words.
    FirstWords,
}

impl SignatureKind {
    /// Returns the name of the kind in evidence.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            SignatureKind::Error => "error",
            SignatureKind::FailedTests => "failed_tests",
            SignatureKind::Change => "change",
            SignatureKind::Search => "search",
            SignatureKind::FirstWords => "first_words",
        }
    }
}

/// Returns the signature of `output`. It is empty for an output without text.
pub fn signature(output: &str) -> String {
    signature_and_kind(output).0
}

/// Returns the signature of `output`, and the part that it is made of.
pub(crate) fn signature_and_kind(output: &str) -> (String, SignatureKind) {
    let text = window::scanned(output);
    let lines: Vec<&str> = text.lines().collect();
    let (found, kind) = match (error::find(&lines), failure::find(&lines)) {
        (Some(error), Some(failure)) => {
            (format!("{}+{failure}", clip(&error, LONGEST / 2)), SignatureKind::Error)
        }
        (Some(error), None) => (error, SignatureKind::Error),
        (None, Some(failure)) => (failure, SignatureKind::FailedTests),
        (None, None) => {
            let change = change::find(&lines).map(|change| (change, SignatureKind::Change));
            change
                .or_else(|| search::find(&lines).map(|search| (search, SignatureKind::Search)))
                .unwrap_or_else(|| (window::first_words(&text), SignatureKind::FirstWords))
        }
    };
    (clip(&found, LONGEST).to_owned(), kind)
}
