//! The analysis of one run.

mod corrupt_record;
mod first_steps;
mod name_list;
mod replay_config;
mod run_analysis;
mod run_record;
mod run_statistics;
#[cfg(test)]
mod tests;

pub use corrupt_record::CorruptRecord;
pub(crate) use replay_config::replay_config;
pub use run_analysis::RunAnalysis;
pub(crate) use run_analysis::StoredRun;
pub use run_record::RunRecord;
