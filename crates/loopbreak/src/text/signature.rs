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

/// Returns the signature of `output`. It is empty for an output without text.
pub fn signature(output: &str) -> String {
    let text = window::scanned(output);
    let lines: Vec<&str> = text.lines().collect();
    let found = match (error::find(&lines), failure::find(&lines)) {
        (Some(error), Some(failure)) => Some(format!("{}+{failure}", clip(&error, LONGEST / 2))),
        (error, failure) => error.or(failure),
    };
    let found = found
        .or_else(|| change::find(&lines))
        .or_else(|| search::find(&lines))
        .unwrap_or_else(|| window::first_words(&text));
    clip(&found, LONGEST).to_owned()
}
