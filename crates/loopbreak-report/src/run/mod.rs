//! The analysis of one run.

mod analysis;
mod names;
mod record;
mod seen;
#[cfg(test)]
mod tests;

pub use analysis::RunAnalysis;
pub use record::RunRecord;
