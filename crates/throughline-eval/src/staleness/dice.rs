//! Dice that fall alike for the same seed.

/// Numbers from a seed (splitmix64), the same on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64, stream: usize) -> Self {
        let stream = u64::try_from(stream).unwrap_or(0);
        Self(seed ^ (stream + 1).wrapping_mul(0xD1B5_4A32_D192_ED03))
    }

    /// A number below the end.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        let end = u64::try_from(end.max(1)).unwrap_or(u64::MAX);
        usize::try_from(z % end).unwrap_or(0)
    }

    pub(crate) fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Yes in so many of a hundred cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// All of them in another order.
    pub(crate) fn shuffle<T>(&mut self, all: &mut [T]) {
        for at in (1..all.len()).rev() {
            all.swap(at, self.below(at + 1));
        }
    }
}
