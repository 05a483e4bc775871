//! The difference of two means with its confidence interval.

use std::f64::consts::FRAC_PI_2;

use serde::Serialize;

/// Minimum number of runs in each group. The spread of a single run is unknown.
const FEWEST: usize = 2;
/// The share of differences that the interval covers.
const COVERED: f64 = 0.95;
/// The 97.5th percentile of the normal distribution, which the t distribution approaches.
const NORMAL: f64 = 1.959_963_984_540_054;
/// Degrees of freedom above which the two do not differ visibly.
const NEARLY_NORMAL: f64 = 10_000.0;
/// Number of slices of the integral.
const SLICES: u32 = 10_000;

/// A figure of held-out runs compared with that of the other runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeanDifference {
    /// Number of runs that are compared.
    pub runs: u64,
    /// Number of these runs that were held out.
    pub held_out: u64,
    /// The means of both groups.
    pub mean: GroupMeans,
    /// The mean of the held-out runs minus that of the others; absent if a group has fewer than two runs.
    pub difference: Option<f64>,
    /// The 95 % interval of the difference; absent like the difference, or if no run differs from its group.
    pub interval: Option<DifferenceInterval>,
}

/// The means of two groups of runs, absent for an empty group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct GroupMeans {
    /// The mean of the held-out runs.
    pub held_out: Option<f64>,
    /// The mean of the other runs.
    pub others: Option<f64>,
}

/// The ends of a confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DifferenceInterval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl MeanDifference {
    /// Compares two groups with the t test of Welch, which does not assume that they have the same spread.
    pub fn new(held_out: &[f64], others: &[f64]) -> Self {
        let (mean_held_out, mean_others) = (mean(held_out), mean(others));
        let enough = held_out.len().min(others.len()) >= FEWEST;
        let difference = mean_held_out.zip(mean_others).filter(|_| enough).map(|(one, other)| one - other);
        let interval = difference.and_then(|difference| {
            let reach = reach(squared_error(held_out), squared_error(others))?;
            Some(DifferenceInterval { low: round(difference - reach), high: round(difference + reach) })
        });
        MeanDifference {
            runs: (held_out.len() + others.len()) as u64,
            held_out: held_out.len() as u64,
            mean: GroupMeans { held_out: mean_held_out.map(round), others: mean_others.map(round) },
            difference: difference.map(round),
            interval,
        }
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Returns the squared standard error of the mean, and its degrees of freedom.
fn squared_error(values: &[f64]) -> (f64, f64) {
    let (count, mean) = (values.len() as f64, mean(values).unwrap_or_default());
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (count - 1.0) / count, count - 1.0)
}

/// Returns half the width of the interval, or `None` if there is no spread to compute it from.
fn reach(one: (f64, f64), other: (f64, f64)) -> Option<f64> {
    let sum = one.0 + other.0;
    // The equation of Welch and Satterthwaite.
    let freedom = sum * sum / (one.0 * one.0 / one.1 + other.0 * other.0 / other.1);
    freedom.is_finite().then(|| t_quantile(freedom) * sum.sqrt())
}

/// Returns the number that a t-distributed value stays within, on both sides of 0, in 95 % of all cases.
fn t_quantile(freedom: f64) -> f64 {
    if freedom > NEARLY_NORMAL {
        return NORMAL;
    }
    // With t = √freedom · tan(angle), the density is proportional to cos(angle)^(freedom - 1).
    let width = FRAC_PI_2 / f64::from(SLICES);
    let slice = |index: u32| ((f64::from(index) + 0.5) * width).cos().powf(freedom - 1.0);
    let mut missing = COVERED * (0..SLICES).map(slice).sum::<f64>();
    for index in 0..SLICES {
        let here = slice(index);
        if missing <= here {
            return freedom.sqrt() * ((f64::from(index) + missing / here) * width).tan();
        }
        missing -= here;
    }
    f64::INFINITY
}

/// Rounds to six digits, which is enough for money.
fn round(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantiles_are_those_of_the_printed_tables() {
        let table = [(1.0, 12.706), (2.0, 4.303), (5.0, 2.571), (10.0, 2.228), (30.0, 2.042), (120.0, 1.980)];
        for (freedom, quantile) in table {
            assert!((t_quantile(freedom) - quantile).abs() < 1e-3, "{freedom}: {}", t_quantile(freedom));
        }
        // Between the whole numbers it falls, and at the end it meets the normal distribution.
        assert!(t_quantile(1.0) > t_quantile(1.3) && t_quantile(1.3) > t_quantile(2.0));
        assert!((t_quantile(NEARLY_NORMAL) - t_quantile(NEARLY_NORMAL + 1.0)).abs() < 1e-3);
    }

    #[test]
    fn the_interval_is_that_of_welch() {
        // By hand: means 12 and 3, squared errors 4/3 and 1/3, 2.94 degrees of freedom, t = 3.2188.
        let found = MeanDifference::new(&[10.0, 12.0, 14.0], &[2.0, 3.0, 4.0]);
        assert_eq!((found.runs, found.held_out, found.difference), (6, 3, Some(9.0)));
        assert_eq!(found.mean, GroupMeans { held_out: Some(12.0), others: Some(3.0) });
        let DifferenceInterval { low, high } = found.interval.unwrap();
        assert!((low - 4.844_594).abs() < 1e-4 && (high - 13.155_406).abs() < 1e-4, "{low} {high}");
        let turned = MeanDifference::new(&[2.0, 3.0, 4.0], &[10.0, 12.0, 14.0]);
        assert_eq!(turned.interval, Some(DifferenceInterval { low: -high, high: -low }));
    }

    #[test]
    fn a_single_run_has_a_mean_but_no_difference() {
        let found = MeanDifference::new(&[5.0], &[1.0, 2.0]);
        assert_eq!(found.mean, GroupMeans { held_out: Some(5.0), others: Some(1.5) });
        assert_eq!((found.difference, found.interval), (None, None));
        let found = MeanDifference::new(&[], &[1.0, 2.0]);
        assert_eq!((found.runs, found.held_out, found.mean.held_out, found.difference), (2, 0, None, None));
    }

    #[test]
    fn without_spread_the_interval_is_unknown() {
        let found = MeanDifference::new(&[5.0, 5.0], &[1.0, 1.0]);
        assert_eq!((found.difference, found.interval), (Some(4.0), None));
        // The spread of one group is enough.
        assert!(MeanDifference::new(&[5.0, 7.0], &[1.0, 1.0]).interval.is_some());
    }
}
