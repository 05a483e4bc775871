//! Numbers that look random and are the same on every machine.

/// `SplitMix64`: the same seed always gives the same numbers.
pub(crate) struct SplitMix(pub(crate) u64);

impl SplitMix {
    /// Draws a number below `sides`, or 0 if there are none.
    pub(crate) fn below(&mut self, sides: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut throw = self.0;
        throw = (throw ^ (throw >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        throw = (throw ^ (throw >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((throw ^ (throw >> 31)) % u64::from(sides.max(1))) as u32
    }

    /// Draws one of these, of which there must be one.
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }
}
