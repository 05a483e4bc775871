//! The core action or error of an iteration's output, short enough to compare by equality.
//!
//! Two outputs that do the same thing must get the same signature although their line numbers, times and
//! addresses differ; two that get further must not, so the count of failed tests stays in. The rules are
//! tried in a fixed order: error, failed tests, changed file, search, and at last the first words.
//! An error inside a failing test run is joined to the run's own signature: with the error alone, a run
//! whose failures become fewer would look stuck.

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

/// No signature is longer, in bytes.
pub(super) const LONGEST: usize = 200;

/// The signature of `output`; empty for an output without text.
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
