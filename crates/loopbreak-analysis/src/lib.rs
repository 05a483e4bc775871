//! Replays past logs of agents through Loopbreak: reports the verdicts of a guard, the steps they would have
//! saved, and the progress they would have cost.
//!
//! [`LogAnalyzer`] reads logs in parallel and gives [`AnalyzedLogs`], which become a [`Report`]. For steps that do not come
//! from a log, feed a [`RunAnalysis`] per run and a [`TotalsBuilder`] for all of them. [`eval`] compares with labelled runs, [`tune`]
//! searches thresholds.
//!
//! Nothing here prints, and no guard reads a clock: the same logs give the same report on any number of threads.

mod cache;
pub mod compare;
pub mod eval;
mod json_number;
mod logs;
mod named_fields;
pub mod recording;
mod report;
mod run;
mod series;
mod statistics;
pub mod tune;

pub use cache::{CacheSummary, LogCache};
pub use json_number::{plain, plain_option};
pub use logs::{
    AnalyzeOptions, AnalyzedLogs, DiagnosticSink, EventWriter, ExplainOptions, FinishedRuns, InputSummary,
    LineNote, LogAnalysis, LogAnalyzer, LogReadSummary, NoObserver, RunMatch, RunSeparator, StepObserver,
    StepSelection, convert_log, explain_log, report_unread_inputs,
};
pub use loopbreak_trace::prices;
pub use report::{
    DetectorRulings, FilteredRuns, FirstStop, FirstWarning, InputStatistics, InterventionReport, LoopCost,
    LoopGroup, MOST_LISTED, Report, RulingGroup, RunAbout, RunEnding, RunFilter, RunList, RunReport,
    RunSpending, RunTotals, SCHEMA, ScoreReport, SeriesReport, StuckPeriod, TotalSpending, TotalsBuilder,
    VerdictName, for_each_run,
};
pub use run::{CorruptRecord, RunAnalysis, RunRecord};
pub use series::{ReportedAttempt, RestartTracker, TaskAttempts};
pub use statistics::{
    EffectCounts, FOLLOWED_STEPS, FREE_STEPS, FindingReport, LongestLoop, PatternCount, PatternCounts,
    PlaceTurns, ProposalBin, ProposalDistribution, ProposalScores, RepeatTracker, RunCost, RunSavings,
    RunTimeline, ScoreBin, ScoreDistribution, TimelineBucket, WarningEffect,
};
