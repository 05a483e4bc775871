//! Usage and waste by day.

/// Usage of a project on one day, by model, or the part of it that a detector found to be wasted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DailyUsage {
    /// Name of the project.
    pub project: String,
    /// Day, counted from 1970-01-01 (UTC).
    pub day: i64,
    /// Name of the model, empty if it is not known.
    pub model: String,
    /// Detector that found the steps to be wasted. Empty in the row of all steps.
    pub detector: String,
    /// Number of steps.
    pub steps: u64,
    /// Tokens.
    pub tokens: u64,
    /// Cost in US dollars.
    pub cost: f64,
}

/// A question about usage. The latest day comes first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageQuery {
    /// Only the usage of this project.
    pub project: Option<String>,
    /// First day, counted from 1970-01-01 (UTC).
    pub since_day: i64,
    /// Largest number of rows.
    pub limit: usize,
}
