//! The report as one page for a browser: totals, the runs, and of each run a timeline and its steps.
//!
//! The page is one file without anything from elsewhere. Its data is JSON in elements that are no programs, one a run,
//! and a small script draws what is looked at. All that comes from a log is untrusted.

mod detail;
mod lanes;
mod overview;
mod page;

pub use page::{DETAIL_BYTES, LISTED_RUNS, page};
