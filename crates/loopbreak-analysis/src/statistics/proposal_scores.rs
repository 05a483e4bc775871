//! The scores of proposals before and after their adjustments.

use loopbreak::Ruling;
use serde::{Deserialize, Serialize};

use crate::json_number::{plain, rounded_mean};

/// Number of bins. Scores are from 0 to 1 unless `policy.score_min` or `policy.score_max` is set; others count in the
/// first or the last bin.
const BINS: usize = 10;

/// Counts the scores of proposals that a critic had scored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProposalScores {
    count: u64,
    lowered: u64,
    raised: u64,
    base_sum: f64,
    adjusted_sum: f64,
    base: [u64; BINS],
    adjusted: [u64; BINS],
}

/// The distribution of the scores of proposals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProposalDistribution {
    /// Number of proposals that a critic had scored.
    pub count: u64,
    /// Number of those whose score Loopbreak would have lowered.
    pub lowered: u64,
    /// Number of those whose score Loopbreak would have raised.
    pub raised: u64,
    /// Mean score of the critic.
    #[serde(serialize_with = "plain")]
    pub mean_base: f64,
    /// Mean score after the adjustments.
    #[serde(serialize_with = "plain")]
    pub mean_adjusted: f64,
    /// Ten bins from 0 to 1.
    pub histogram: Vec<ProposalBin>,
}

/// A bin of the histogram.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ProposalBin {
    /// Its lowest score.
    #[serde(serialize_with = "plain")]
    pub from: f64,
    /// The lowest score of the next bin; the last bin includes it.
    #[serde(serialize_with = "plain")]
    pub below: f64,
    /// Number of proposals with a score of the critic in the bin.
    pub base: u64,
    /// Number of proposals with an adjusted score in the bin.
    pub adjusted: u64,
}

impl ProposalScores {
    /// Adds a ruling on a proposal that a critic had scored.
    pub(crate) fn add(&mut self, ruling: &Ruling) {
        let (base, adjusted) = (ruling.base, ruling.score);
        if !base.is_finite() || !adjusted.is_finite() {
            return;
        }
        self.count += 1;
        self.lowered += u64::from(adjusted < base);
        self.raised += u64::from(adjusted > base);
        self.base_sum += base;
        self.adjusted_sum += adjusted;
        self.base[bin(base)] += 1;
        self.adjusted[bin(adjusted)] += 1;
    }

    /// Adds the proposals of another run.
    pub fn merge(&mut self, other: &ProposalScores) {
        self.count += other.count;
        self.lowered += other.lowered;
        self.raised += other.raised;
        self.base_sum += other.base_sum;
        self.adjusted_sum += other.adjusted_sum;
        let both = [(&mut self.base, &other.base), (&mut self.adjusted, &other.adjusted)];
        for (mine, others) in both {
            mine.iter_mut().zip(others).for_each(|(mine, other)| *mine += other);
        }
    }

    /// Returns the distribution; nothing without proposals.
    pub fn finish(&self) -> Option<ProposalDistribution> {
        let edge = |index: usize| index as f64 / BINS as f64;
        let bins = self.base.iter().zip(&self.adjusted).enumerate();
        let bins = bins.map(|(index, (base, adjusted))| ProposalBin {
            from: edge(index),
            below: edge(index + 1),
            base: *base,
            adjusted: *adjusted,
        });
        (self.count > 0).then(|| ProposalDistribution {
            count: self.count,
            lowered: self.lowered,
            raised: self.raised,
            mean_base: rounded_mean(self.base_sum / self.count as f64),
            mean_adjusted: rounded_mean(self.adjusted_sum / self.count as f64),
            histogram: bins.collect(),
        })
    }
}

/// Returns the bin of a score. A decimal such as 0.3 belongs to the bin that starts with it.
fn bin(score: f64) -> usize {
    const SLACK: f64 = 1e-9;
    ((score + SLACK) * BINS as f64).floor().clamp(0.0, (BINS - 1) as f64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_belongs_to_the_bin_that_starts_with_it() {
        let bins: Vec<usize> = (0..=10).map(|tenths| bin(f64::from(tenths) / 10.0)).collect();
        assert_eq!(bins, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9]);
        assert_eq!((bin(-3.0), bin(0.29), bin(0.1 + 0.2), bin(7.0)), (0, 2, 3, 9));
    }

    #[test]
    fn no_proposals_have_no_distribution() {
        assert_eq!(ProposalScores::default().finish(), None);
    }
}
