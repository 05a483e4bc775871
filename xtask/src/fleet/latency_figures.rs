//! Times of answers.

use std::fmt;
use std::time::Duration;

/// The times of some answers.
#[derive(Clone, Debug, Default)]
pub(super) struct LatencyFigures {
    micros: Vec<u32>,
    is_sorted: bool,
}

impl LatencyFigures {
    /// Adds the time of an answer.
    pub(super) fn add(&mut self, time: Duration) {
        self.micros.push(u32::try_from(time.as_micros()).unwrap_or(u32::MAX));
        self.is_sorted = false;
    }

    /// Adds the times of other answers.
    pub(super) fn extend(&mut self, other: &LatencyFigures) {
        self.micros.extend_from_slice(&other.micros);
        self.is_sorted = false;
    }

    /// Returns the number of answers.
    pub(super) fn count(&self) -> usize {
        self.micros.len()
    }

    /// Returns the time within which this share of the answers came, zero without any.
    pub(super) fn quantile(&mut self, share: f64) -> Duration {
        if !self.is_sorted {
            self.micros.sort_unstable();
            self.is_sorted = true;
        }
        let place = (self.micros.len() as f64 * share) as usize;
        let time = self.micros.get(place.min(self.micros.len().saturating_sub(1)));
        Duration::from_micros(u64::from(time.copied().unwrap_or(0)))
    }

    /// Describes the usual and the longest times.
    pub(super) fn describe(&mut self) -> String {
        let [half, most, longest] = [0.5, 0.99, 1.0].map(|share| ShownMillis(self.quantile(share)));
        format!("p50 {half}, p99 {most}, max {longest}")
    }
}

/// A time in milliseconds, with as many digits as one needs.
pub(super) struct ShownMillis(pub(super) Duration);

impl fmt::Display for ShownMillis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.as_secs_f64() * 1000.0;
        if millis < 100.0 { write!(f, "{millis:.1} ms") } else { write!(f, "{millis:.0} ms") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_the_answers_have_their_times() {
        let mut figures = LatencyFigures::default();
        assert_eq!(figures.quantile(0.5), Duration::ZERO);
        for millis in (1..=100).rev() {
            figures.add(Duration::from_millis(millis));
        }
        assert_eq!(figures.quantile(0.5), Duration::from_millis(51));
        assert_eq!(figures.describe(), "p50 51.0 ms, p99 100 ms, max 100 ms");
    }
}
