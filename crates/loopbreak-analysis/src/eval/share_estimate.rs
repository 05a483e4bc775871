//! A share with its confidence interval.

use serde::Serialize;

/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// A share with its 95 % Wilson interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ShareEstimate {
    /// The share.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl ShareEstimate {
    /// Computes the share of `part` in `whole`, or `None` if `whole` is 0.
    pub fn new(part: u64, whole: u64) -> Option<Self> {
        if whole == 0 {
            return None;
        }
        let whole = whole as f64;
        let value = part as f64 / whole;
        let squared = Z * Z;
        let middle = (value + squared / (2.0 * whole)) / (1.0 + squared / whole);
        let spread = Z / (1.0 + squared / whole)
            * (value * (1.0 - value) / whole + squared / (4.0 * whole * whole)).sqrt();
        // Rounding must not leave the range.
        let (low, high) = ((middle - spread).max(0.0), (middle + spread).min(1.0));
        Some(
            ShareEstimate { value, low: round(low), high: round(high) }.exact_at_the_ends(part as f64, whole),
        )
    }

    fn exact_at_the_ends(mut self, part: f64, whole: f64) -> Self {
        if part == 0.0 {
            self.low = 0.0;
        }
        if part >= whole {
            self.high = 1.0;
        }
        self.value = round(self.value);
        self
    }
}

/// Rounds to four digits, which is more than such samples can support.
pub(super) fn round(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eval_intervals_are_those_of_the_formula() {
        // Computed by hand: 2 of 3, and the well-known 8 of 10.
        assert_eq!(
            ShareEstimate::new(2, 3),
            Some(ShareEstimate { value: 0.6667, low: 0.2077, high: 0.9385 })
        );
        assert_eq!(ShareEstimate::new(8, 10), Some(ShareEstimate { value: 0.8, low: 0.4902, high: 0.9433 }));
        assert_eq!(ShareEstimate::new(0, 4), Some(ShareEstimate { value: 0.0, low: 0.0, high: 0.4899 }));
        assert_eq!(ShareEstimate::new(4, 4), Some(ShareEstimate { value: 1.0, low: 0.5101, high: 1.0 }));
        assert_eq!(ShareEstimate::new(0, 0), None);
    }
}
