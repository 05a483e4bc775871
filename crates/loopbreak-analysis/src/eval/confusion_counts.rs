//! Right and wrong, counted.

use serde::Serialize;

use super::share_estimate::{ShareEstimate, round};

/// Runs by what they are and what was said of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ConfusionCounts {
    /// Positive, and a signal.
    pub tp: u64,
    /// Negative, and a signal all the same.
    pub fp: u64,
    /// Positive, and no signal.
    #[serde(rename = "fn")]
    pub missed: u64,
    /// Negative, and no signal.
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

    /// How many of the signals are right; nothing where there was none.
    pub fn precision(&self) -> Option<ShareEstimate> {
        ShareEstimate::new(self.tp, self.tp + self.fp)
    }

    /// How many of the positive runs are seen; nothing where there is none.
    pub fn recall(&self) -> Option<ShareEstimate> {
        ShareEstimate::new(self.tp, self.tp + self.missed)
    }

    /// The harmonic mean of both; nothing where there is nothing to find and nothing was found.
    pub fn f1(&self) -> Option<f64> {
        let whole = 2 * self.tp + self.fp + self.missed;
        (whole > 0).then(|| round(2.0 * self.tp as f64 / whole as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eval_counts_come_to_precision_recall_and_f1() {
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
