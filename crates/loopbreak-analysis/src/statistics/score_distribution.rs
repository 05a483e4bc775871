//! The distribution of a figure over runs, in bounded memory.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::json_number::{self, plain};

/// Number of different values that are kept. With more, neighbouring values are merged, and quartiles become
/// approximate.
const KEPT: usize = 2048;
/// Maximum number of bins of a histogram.
const BINS: f64 = 10.0;

/// The quartiles and the histogram of a figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoreDistribution {
    /// Number of values.
    pub runs: u64,
    /// The lowest value.
    #[serde(serialize_with = "plain")]
    pub min: f64,
    /// The value that a quarter of the runs does not exceed.
    #[serde(serialize_with = "plain")]
    pub lower_quartile: f64,
    /// The value that half of the runs does not exceed.
    #[serde(serialize_with = "plain")]
    pub median: f64,
    /// The value that three quarters of the runs do not exceed.
    #[serde(serialize_with = "plain")]
    pub upper_quartile: f64,
    /// The highest value.
    #[serde(serialize_with = "plain")]
    pub max: f64,
    /// The mean.
    #[serde(serialize_with = "plain")]
    pub mean: f64,
    /// At most 11 bins of equal width.
    pub histogram: Vec<ScoreBin>,
}

/// A bin of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScoreBin {
    /// Its lowest value.
    #[serde(serialize_with = "plain")]
    pub from: f64,
    /// The lowest value of the next bin.
    #[serde(serialize_with = "plain")]
    pub below: f64,
    /// Number of runs.
    pub runs: u64,
}

impl ScoreDistribution {
    /// Returns the distribution of values, `None` if there are none.
    pub fn from_values(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut counts = ValueCounts::default();
        values.into_iter().for_each(|value| counts.add(value));
        counts.finish()
    }
}

/// Counts values.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValueCounts {
    counts: BTreeMap<OrderedValue, u64>,
    total: u64,
    sum: f64,
    /// True if the next merge is towards the upper neighbours.
    merges_upwards: bool,
}

/// A finite number with an order.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OrderedValue(f64);

impl Eq for OrderedValue {}

impl PartialOrd for OrderedValue {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OrderedValue {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl ValueCounts {
    /// Adds a value.
    pub(crate) fn add(&mut self, value: f64) {
        if !value.is_finite() {
            return;
        }
        // The sum turns -0.0 into 0.0.
        *self.counts.entry(OrderedValue(value + 0.0)).or_insert(0) += 1;
        self.total += 1;
        self.sum += value;
        if self.counts.len() > 2 * KEPT {
            self.merge_neighbours();
        }
    }

    /// Gives every second value to its neighbour: to the lower ones and to the upper ones in turn, because always the same side
    /// would move the quartiles to that side. The lowest and the highest value stay.
    fn merge_neighbours(&mut self) {
        let mut values: Vec<(OrderedValue, u64)> = std::mem::take(&mut self.counts).into_iter().collect();
        if self.merges_upwards {
            values.reverse();
        }
        self.merges_upwards = !self.merges_upwards;
        let last = values.len() - 1;
        let mut merged: Vec<(OrderedValue, u64)> = Vec::with_capacity(KEPT + 2);
        for (index, (value, count)) in values.into_iter().enumerate() {
            match merged.last_mut() {
                Some((_, before)) if index % 2 == 0 && index != last => *before += count,
                _ => merged.push((value, count)),
            }
        }
        self.counts.extend(merged);
    }

    /// Returns the distribution; nothing without values.
    pub(crate) fn finish(&self) -> Option<ScoreDistribution> {
        let (OrderedValue(min), _) = self.counts.first_key_value()?;
        let (OrderedValue(max), _) = self.counts.last_key_value()?;
        Some(ScoreDistribution {
            runs: self.total,
            min: *min,
            lower_quartile: self.quantile(1),
            median: self.quantile(2),
            upper_quartile: self.quantile(3),
            max: *max,
            mean: json_number::rounded_mean(self.sum / self.total as f64),
            histogram: self.histogram(*min, *max),
        })
    }

    /// Returns the lowest value that at least this many quarters of the runs do not exceed. It is a value that occurred.
    fn quantile(&self, quarters: u64) -> f64 {
        let rank = (u128::from(self.total) * u128::from(quarters)).div_ceil(4);
        let mut passed = 0;
        let mut last = 0.0;
        for (OrderedValue(value), count) in &self.counts {
            passed += u128::from(*count);
            last = *value;
            if passed >= rank {
                break;
            }
        }
        last
    }

    fn histogram(&self, min: f64, max: f64) -> Vec<ScoreBin> {
        let width = bin_width(max - min);
        let start = (min / width).floor();
        if !start.is_finite() || !width.is_finite() || start.abs() > 1e15 {
            return Vec::new();
        }
        let edge = |index: f64| json_number::rounded_mean((start + index) * width);
        let mut bins: Vec<ScoreBin> = Vec::new();
        for (OrderedValue(value), count) in &self.counts {
            // No more than the bins that the width allows, whatever the rounding of a quotient.
            let index = ((value / width).floor() - start).clamp(0.0, BINS) as usize;
            while bins.len() <= index {
                let at = bins.len() as f64;
                bins.push(ScoreBin { from: edge(at), below: edge(at + 1.0), runs: 0 });
            }
            bins[index].runs += count;
        }
        bins
    }
}

/// Returns the smallest of 1, 2, 5, 10, … that covers the range with at most [`BINS`] bins, or a fraction of it for scores
/// below 1.
fn bin_width(range: f64) -> f64 {
    if range <= 0.0 || !range.is_finite() {
        return 1.0;
    }
    let smallest = range / BINS;
    let power = 10_f64.powf(smallest.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|step| step * power)
        .find(|width| *width >= smallest)
        .unwrap_or(power * 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distribution(values: impl IntoIterator<Item = f64>) -> Option<ScoreDistribution> {
        let mut counts = ValueCounts::default();
        values.into_iter().for_each(|value| counts.add(value));
        counts.finish()
    }

    #[test]
    fn quartiles_are_values_that_occurred() {
        let spread = distribution([40.0, 0.0, 10.0, 25.0, 10.0, 100.0, 5.0]).unwrap();
        assert_eq!((spread.runs, spread.min, spread.max), (7, 0.0, 100.0));
        assert_eq!((spread.lower_quartile, spread.median, spread.upper_quartile), (5.0, 10.0, 40.0));
        assert_eq!(spread.mean.to_string(), "27.142857");
        let one = distribution([7.5]).unwrap();
        assert_eq!((one.min, one.median, one.max, one.histogram.len()), (7.5, 7.5, 7.5, 1));
        assert_eq!(distribution([]), None);
        assert_eq!(distribution([f64::NAN, f64::INFINITY]), None);
    }

    #[test]
    fn bins_have_round_edges_and_hold_every_run() {
        let spread = distribution((0..=100).map(f64::from)).unwrap();
        let bins: Vec<_> = spread.histogram.iter().map(|bin| (bin.from, bin.below, bin.runs)).collect();
        assert_eq!((bins[0], bins[9], bins[10]), ((0.0, 10.0, 10), (90.0, 100.0, 10), (100.0, 110.0, 1)));
        let fractions = distribution([0.1, 0.25, 0.3, 0.87]).unwrap();
        assert_eq!(fractions.histogram[0].from.to_string(), "0.1");
        for values in [vec![-350.0, -10.0, 0.0, 33.0], vec![1e12, 1e12 + 3.0], vec![1e-9, 5e-9, 1e300]] {
            let count = values.len() as u64;
            let bins = distribution(values).unwrap().histogram;
            assert!(bins.len() <= 11);
            assert_eq!(bins.iter().map(|bin| bin.runs).sum::<u64>(), count);
        }
    }

    #[test]
    fn a_million_different_scores_take_bounded_memory_and_keep_their_quartiles() {
        let mut counts = ValueCounts::default();
        for number in 0..1_000_000_u64 {
            // A permutation of 0 to 999,999.
            counts.add((number * 611_953 % 1_000_000) as f64);
        }
        assert!(counts.counts.len() <= 2 * KEPT);
        let spread = counts.finish().unwrap();
        assert_eq!((spread.runs, spread.min, spread.max), (1_000_000, 0.0, 999_999.0));
        let off = |value: f64, exact: f64| (value - exact).abs() / 1_000_000.0;
        assert!(off(spread.median, 500_000.0) < 0.02, "{}", spread.median);
        assert!(off(spread.lower_quartile, 250_000.0) < 0.02, "{}", spread.lower_quartile);
        assert_eq!(spread.histogram.iter().map(|bin| bin.runs).sum::<u64>(), 1_000_000);
    }
}
