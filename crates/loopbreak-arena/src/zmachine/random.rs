//! Chance, from a seed.

/// A linear congruential generator, or, where a story asks for it, a plain count.
///
/// Constants and use are those that `frotz -s` has, so that a transcript with chance in it can be compared with one of
/// that interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoryRandom {
    seed: u32,
    state: u32,
    /// Counts 0, 1, 2 … up to here, over and over, if it is not 0.
    period: u16,
    count: u16,
}

/// Seeds of a story below this ask for a count.
const COUNTING: u16 = 1000;

impl StoryRandom {
    pub(super) fn new(seed: u32) -> Self {
        StoryRandom { seed, state: seed, period: 0, count: 0 }
    }

    /// The story asks for a seed; 0 asks for the machine's own.
    pub(super) fn reseed(&mut self, seed: u16) {
        (self.period, self.count) = (0, 0);
        match seed {
            0 => self.state = self.seed,
            1..COUNTING => self.period = seed,
            _ => self.state = seed.into(),
        }
    }

    /// A number from 1 to `range`.
    pub(super) fn roll(&mut self, range: u16) -> u16 {
        let drawn = if self.period > 0 {
            let count = self.count;
            self.count = (count + 1) % self.period;
            count
        } else {
            self.state = self.state.wrapping_mul(0x015a_4e35).wrapping_add(1);
            (self.state >> 16 & 0x7fff) as u16
        };
        drawn % range.max(1) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rolls(random: &mut StoryRandom, range: u16, count: usize) -> Vec<u16> {
        (0..count).map(|_| random.roll(range)).collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_rolls_and_another_one_others() {
        let a = rolls(&mut StoryRandom::new(5), 100, 20);
        assert_eq!(a, rolls(&mut StoryRandom::new(5), 100, 20));
        assert_ne!(a, rolls(&mut StoryRandom::new(6), 100, 20));
        assert!(a.iter().all(|roll| (1..=100).contains(roll)));
    }

    #[test]
    fn a_small_seed_counts_and_seed_0_begins_again() {
        let mut random = StoryRandom::new(5);
        let first = rolls(&mut random, 1000, 5);
        random.reseed(3);
        assert_eq!(rolls(&mut random, 100, 7), [1, 2, 3, 1, 2, 3, 1]);
        random.reseed(0);
        assert_eq!(rolls(&mut random, 1000, 5), first);
    }

    #[test]
    fn every_number_of_the_range_comes_up() {
        let mut random = StoryRandom::new(1);
        let mut seen = rolls(&mut random, 6, 200);
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, [1, 2, 3, 4, 5, 6]);
        assert_eq!(random.roll(1), 1);
        assert_eq!(random.roll(0), 1);
    }
}
