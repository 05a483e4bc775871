//! Figures with their intervals: how sure one can be after so many games.

use serde::Serialize;

/// 95 % of a normal distribution lie within so many standard deviations.
const Z: f64 = 1.96;

/// A mean, and between what it lies with 95 % confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MeanInterval {
    /// The mean.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl MeanInterval {
    /// Of these figures.
    pub fn from_values(figures: &[f64]) -> Self {
        let n = figures.len() as f64;
        if figures.is_empty() {
            return MeanInterval::default();
        }
        let mean = figures.iter().sum::<f64>() / n;
        let variance = figures.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        let reach = Z * (variance / n).sqrt();
        MeanInterval { mean, low: mean - reach, high: mean + reach }
    }
}

/// How many of how many, and between what the share lies with 95 % confidence (Wilson's interval, which does not end at
/// zero for a thing that was not seen).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ShareInterval {
    /// So many.
    pub count: u64,
    /// Of so many.
    pub of: u64,
    /// The share, from 0 to 1; nothing where there is none to have a share in.
    pub share: Option<f64>,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl ShareInterval {
    /// So many of so many.
    pub fn new(count: u64, of: u64) -> Self {
        if of == 0 {
            return ShareInterval { high: 1.0, ..ShareInterval::default() };
        }
        let (n, share) = (of as f64, count as f64 / of as f64);
        let middle = share + Z * Z / (2.0 * n);
        let reach = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        let whole = 1.0 + Z * Z / n;
        let (low, high) = ((middle - reach) / whole, (middle + reach) / whole);
        ShareInterval { count, of, share: Some(share), low: low.max(0.0), high: high.min(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_lies_within_its_interval_and_more_games_make_it_narrower() {
        let few = MeanInterval::from_values(&[1.0, 2.0, 3.0, 4.0]);
        assert!((few.mean - 2.5).abs() < 1e-9 && few.low < 2.5 && few.high > 2.5, "{few:?}");
        let many = MeanInterval::from_values(&[1.0, 2.0, 3.0, 4.0].repeat(100));
        assert!(many.high - many.low < (few.high - few.low) / 9.0, "{many:?}");
        assert_eq!(MeanInterval::from_values(&[]), MeanInterval::default());
        let same = MeanInterval::from_values(&[7.0; 9]);
        assert!((same.low - 7.0).abs() < 1e-9 && (same.high - 7.0).abs() < 1e-9);
    }

    #[test]
    fn what_was_never_seen_may_happen_all_the_same() {
        let never = ShareInterval::new(0, 200);
        assert!(never.share == Some(0.0) && never.low.abs() < 1e-9);
        assert!(never.high > 0.015 && never.high < 0.02, "{never:?}");
        let half = ShareInterval::new(50, 100);
        assert!((half.low - 0.404).abs() < 0.001 && (half.high - 0.596).abs() < 0.001, "{half:?}");
        assert_eq!(ShareInterval::new(0, 0).share, None);
    }
}
