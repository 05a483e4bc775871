//! Returns into a known pattern of places, for penalties that grow with them.

use crate::memory::{HashKey, RingBuffer, snapshot_row, snapshot_type};

/// Number of patterns whose returns are counted. The one without a return for longest is forgotten first.
const PATTERNS: usize = 8;

snapshot_type! {
    /// The number of returns into each pattern since the last progress.
    #[derive(Clone, Debug, Default)]
    #[serde(transparent)]
    pub(crate) struct ReturnCounts(RingBuffer<CountedPattern, PATTERNS>);
}

snapshot_row! {
    #[derive(Clone, Copy, Debug)]
    struct CountedPattern {
        pattern: HashKey,
        returns: u32,
    }
}

/// A penalty that grows with the number of returns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GrowingPenalty {
    pub(crate) penalty: f64,
    /// Change of the penalty after every `every` returns.
    pub(crate) growth: f64,
    pub(crate) every: u32,
}

impl ReturnCounts {
    /// Counts a return into a pattern.
    pub(crate) fn note(&mut self, pattern: HashKey) {
        let returns = self.count(pattern).saturating_add(1);
        self.0.retain(|known| known.pattern != pattern);
        self.0.push(CountedPattern { pattern, returns });
    }

    /// Returns the number of returns into a pattern.
    pub(crate) fn count(&self, pattern: HashKey) -> u32 {
        self.0.iter().find(|known| known.pattern == pattern).map_or(0, |known| known.returns)
    }

    /// Forgets all returns.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

impl GrowingPenalty {
    /// Returns the penalty after a number of returns, at most -1, and the end of its reason: empty if it has not grown.
    pub(crate) fn after(self, returns: u32) -> (f64, String) {
        let times = returns / self.every.max(1);
        if self.growth == 0.0 || times == 0 {
            return (self.penalty, String::new());
        }
        let grown = (self.penalty + self.growth * f64::from(times)).max(-1.0);
        let word = if returns == 1 { "return" } else { "returns" };
        (grown, format!(", after {returns} {word} without progress"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_of_001_are_minus_0_6_then_minus_0_8_after_5_and_minus_1_after_10() {
        let penalty = GrowingPenalty { penalty: -0.6, growth: -0.2, every: 5 };
        let amounts = [0, 4, 5, 9, 10, 15, u32::MAX].map(|returns| penalty.after(returns).0);
        let expected = [-0.6, -0.6, -0.8, -0.8, -1.0, -1.0, -1.0];
        assert!(amounts.iter().zip(expected).all(|(a, b): (&f64, f64)| (a - b).abs() < 1e-9), "{amounts:?}");
        assert_eq!(penalty.after(4).1, "");
        assert_eq!(penalty.after(5).1, ", after 5 returns without progress");
    }

    #[test]
    fn a_penalty_without_growth_stays_what_it_is() {
        let penalty = GrowingPenalty { penalty: -0.6, growth: 0.0, every: 1 };
        assert_eq!(penalty.after(100), (-0.6, String::new()));
    }

    #[test]
    fn the_patterns_with_the_latest_returns_are_remembered() {
        let mut counts = ReturnCounts::default();
        counts.note(HashKey(0));
        for pattern in 1..9 {
            counts.note(HashKey(1));
            counts.note(HashKey(pattern));
        }
        assert_eq!(counts.count(HashKey(0)), 0);
        assert_eq!(counts.count(HashKey(1)), 9);
        assert_eq!(counts.count(HashKey(8)), 1);
    }
}
