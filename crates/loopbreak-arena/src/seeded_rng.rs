//! Chance for players, from a seed.

/// A small generator (splitmix64): the same seed gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct SeededRng(u64);

impl SeededRng {
    /// Chance from a seed.
    pub fn new(seed: u64) -> Self {
        SeededRng(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// True with this probability.
    pub fn random_bool(&mut self, probability: f64) -> bool {
        // 53 bits are what a float can hold.
        ((self.next() >> 11) as f64) < probability * (1_u64 << 53) as f64
    }

    /// One of these.
    pub fn choose<'t, T>(&mut self, things: &'t [T]) -> Option<&'t T> {
        let index = self.below(things.len());
        things.get(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_kept() {
        let mut rng = SeededRng::new(1);
        let hits = (0..10_000).filter(|_| rng.random_bool(0.3)).count();
        assert!((2800..3200).contains(&hits), "{hits}");
        assert!((0..100).all(|_| rng.random_bool(1.0)) && !(0..100).any(|_| rng.random_bool(0.0)));
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.choose::<u8>(&[]), None);
    }
}
