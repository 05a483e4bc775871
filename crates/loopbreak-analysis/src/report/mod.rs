//! The report as data. Keys may be added, never renamed: scripts read them.

mod run_about;
mod run_filter;
mod run_list;
mod run_report;
mod run_spending;
mod run_totals;

pub use run_about::RunAbout;
pub use run_filter::{FilteredRuns, RunFilter};
pub use run_list::{RunList, for_each_run};
pub use run_report::{
    FirstStop, FirstWarning, InterventionReport, MOST_LISTED, Report, RulingGroup, RunEnding, RunReport,
    SCHEMA, ScoreReport, SeriesReport, StuckPeriod, VerdictName,
};
pub use run_spending::{LoopCost, LoopGroup, RunSpending, TotalSpending};
pub use run_totals::{DetectorRulings, InputStatistics, RunTotals, TotalsBuilder};
