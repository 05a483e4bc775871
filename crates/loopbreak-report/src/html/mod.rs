//! The report as one page for a browser: totals, the runs, and of each run a timeline and its steps.
//!
//! The page is one file without anything from elsewhere. Its data is JSON in elements that are no programs, one a run,
//! and a small script draws what is looked at. All that comes from a log is untrusted.

mod bands;
mod detail;
mod flags;
mod keep;
mod lanes;
mod marks;
mod overview;
mod page;
mod recording;
mod row;
mod text;

pub use keep::STEPS_A_RUN;
pub use page::{DETAIL_BYTES, LISTED_RUNS, page};
pub use recording::Recording;
