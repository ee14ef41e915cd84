//! A small generator (splitmix64): every run of a benchmark draws the same keys.

/// A stream of numbers that depends on its seed alone.
pub struct Dice(pub u64);

impl Dice {
    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u32) -> u32 {
        u32::try_from(self.draw() % u64::from(bound.max(1))).unwrap_or(0)
    }

    /// Sixteen bytes.
    pub fn key(&mut self) -> [u8; 16] {
        (u128::from(self.draw()) << 64 | u128::from(self.draw())).to_be_bytes()
    }
}
