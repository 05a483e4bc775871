//! Counts of right and wrong signals.

use serde::Serialize;

use super::share_estimate::{ShareEstimate, round};

/// Number of runs by label and signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ConfusionCounts {
    /// Positive runs with a signal.
    pub tp: u64,
    /// Negative runs with a signal.
    pub fp: u64,
    /// Positive runs without a signal.
    #[serde(rename = "fn")]
    pub missed: u64,
    /// Negative runs without a signal.
    pub tn: u64,
}

impl ConfusionCounts {
    /// Counts a run.
    pub fn add(&mut self, positive: bool, signal: bool) {
        *match (positive, signal) {
            (true, true) => &mut self.tp,
            (false, true) => &mut self.fp,
            (true, false) => &mut self.missed,
            (false, false) => &mut self.tn,
        } += 1;
    }

    /// Returns the share of signals that are right, or `None` without signals.
    pub fn precision(&self) -> Option<ShareEstimate> {
        ShareEstimate::new(self.tp, self.tp + self.fp)
    }

    /// Returns the share of positive runs with a signal, or `None` without positive runs.
    pub fn recall(&self) -> Option<ShareEstimate> {
        ShareEstimate::new(self.tp, self.tp + self.missed)
    }

    /// Returns the harmonic mean of precision and recall, or `None` if there is nothing to find and nothing was found.
    pub fn f1(&self) -> Option<f64> {
        let whole = 2 * self.tp + self.fp + self.missed;
        (whole > 0).then(|| round(2.0 * self.tp as f64 / whole as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eval_counts_give_precision_recall_and_f1() {
        let mut counts = ConfusionCounts::default();
        for (positive, signal) in
            [(true, true), (true, true), (false, true), (true, false), (true, false), (false, false)]
        {
            counts.add(positive, signal);
        }
        assert_eq!(counts, ConfusionCounts { tp: 2, fp: 1, missed: 2, tn: 1 });
        assert_eq!(counts.precision().map(|share| share.value), Some(0.6667));
        assert_eq!(counts.recall().map(|share| share.value), Some(0.5));
        assert_eq!(counts.f1(), Some(0.5714));
        assert_eq!(ConfusionCounts::default().f1(), None);
    }
}
