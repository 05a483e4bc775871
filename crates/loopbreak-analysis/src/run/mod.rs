//! The analysis of one run.

mod name_list;
mod run_analysis;
mod run_record;
mod run_statistics;
#[cfg(test)]
mod tests;

pub use run_analysis::RunAnalysis;
pub use run_record::RunRecord;
