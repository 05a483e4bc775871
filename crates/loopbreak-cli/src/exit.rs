//! Exit codes, as documented: scripts and harnesses rely on them.

/// Done, whatever was found.
pub(crate) const DONE: u8 = 0;
/// Failed: a file that cannot be read, a disk that is full.
pub(crate) const FAILED: u8 = 1;
/// Used wrongly, or configured wrongly.
pub(crate) const USAGE: u8 = 2;
/// A loop was found, and `--fail-on` asked to fail for it.
pub(crate) const LOOP: u8 = 10;
