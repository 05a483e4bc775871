//! Two settings compared on the same logs: what changes, run by run, and the sums.

mod compared_run;
mod settings_comparison;

pub use compared_run::{ComparedRun, SettingsOutcome};
pub use settings_comparison::{ComparedTotals, SettingsComparison};
