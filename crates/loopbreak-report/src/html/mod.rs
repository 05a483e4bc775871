//! The report as one page for a browser: totals, the runs, and a timeline and the steps of each run.
//!
//! The page is one file and loads nothing. Its data is JSON in inert elements, one per run, and a small script draws
//! what the reader opens. All content of a log is untrusted.

mod cards;
mod detail;
mod figures;
mod histogram;
mod lanes;
mod overview;
mod page;
mod page_loops;
mod page_origin;
pub mod page_parts;
mod series_table;
mod wasted_patterns;

pub use page::{DETAIL_BYTES, LISTED_RUNS, page};
pub use page_origin::PageOrigin;
