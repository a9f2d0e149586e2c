//! Bits: one bit a dimension, to narrow down very many rows before their codes are read.

use super::code::{CODES, Rows};
use super::scan::{self, Signs};

/// Number of candidates that is enough: among a million rows, they hold the true ten nearest.
pub const CANDIDATES: usize = 4_096;

/// How many rows the mean is taken of; more would not move a sign that matters.
const SAMPLE: usize = 4_096;

/// Bytes of the mean that bits are relative to.
const MEAN_BYTES: usize = CODES * 4;

/// Bits: for each row and dimension, whether the value is above the mean of the rows; 48 bytes a
/// row.
///
/// Vectors of meaning share a direction, so signs relative to zero would say less.
#[derive(Debug, Clone)]
pub struct Bits {
    mean: [f32; CODES],
    signs: Vec<Signs>,
}

impl Bits {
    /// Computes the bits of all rows.
    pub fn of(rows: &Rows<'_>) -> Self {
        let mut bits = Self { mean: mean(rows), signs: Vec::with_capacity(rows.len()) };
        bits.extend(rows);
        bits
    }

    /// Bytes of the bits of so many rows, with the mean they are relative to.
    pub const fn bytes_of(rows: usize) -> usize {
        MEAN_BYTES + rows * size_of::<Signs>()
    }

    /// The bits as bytes, to be read again by [`BitsIn::read`].
    pub fn bytes(&self) -> Vec<u8> {
        let mean = self.mean.iter().flat_map(|mean| mean.to_le_bytes());
        mean.chain(self.signs.as_flattened().as_flattened().iter().copied()).collect()
    }

    /// The bits where they lie.
    pub fn view(&self) -> BitsIn<'_> {
        BitsIn { mean: self.mean, signs: &self.signs }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.signs.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.signs.is_empty()
    }

    /// Adds the bits of rows that are new. The mean stays as it was: once there are twice as many
    /// rows, compute all bits anew with [`Bits::of`].
    pub fn extend(&mut self, rows: &Rows<'_>) {
        let added = self.signs.len()..rows.len();
        scan::wide(
            #[inline(always)]
            || self.signs.extend(added.map(|row| signs_of_row(rows, row, &self.mean))),
        );
    }

    /// Computes the bits of one row anew after it changed.
    ///
    /// # Panics
    ///
    /// If the row is not among those that have bits.
    pub fn refresh(&mut self, rows: &Rows<'_>, row: usize) {
        self.signs[row] = signs_of_row(rows, row, &self.mean);
    }

    /// Finds candidates as [`BitsIn::candidates`] does.
    ///
    /// # Panics
    ///
    /// If the query has not [`CODES`] dimensions.
    pub fn candidates(
        &self,
        query: &[f32],
        keep: impl Fn(usize) -> bool,
        count: usize,
    ) -> Vec<usize> {
        self.view().candidates(query, keep, count)
    }
}

/// Bits in the memory of somebody else, such as a file that is mapped: none are copied.
#[derive(Debug, Clone)]
pub struct BitsIn<'a> {
    mean: [f32; CODES],
    signs: &'a [Signs],
}

impl<'a> BitsIn<'a> {
    /// Reads bits; `None` where the bytes do not fit. What stands behind the last whole row is no row.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let (mean, signs) = bytes.split_at_checked(MEAN_BYTES)?;
        Some(Self { mean: read_mean(mean), signs: signs.as_chunks().0.as_chunks().0 })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.signs.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.signs.is_empty()
    }

    /// A copy that can grow.
    pub fn to_bits(&self) -> Bits {
        Bits { mean: self.mean, signs: self.signs.to_vec() }
    }

    /// Finds the `count` rows that `keep` accepts whose bits differ least from the query's, ties by
    /// row; in the order of rows.
    ///
    /// # Panics
    ///
    /// If the query has not [`CODES`] dimensions.
    pub fn candidates(
        &self,
        query: &[f32],
        keep: impl Fn(usize) -> bool,
        count: usize,
    ) -> Vec<usize> {
        assert_eq!(query.len(), CODES, "a query has {CODES} dimensions");
        let query = signs(query.iter().copied(), &self.mean);
        let mut closest = Closest::of(count);
        scan::distances(&query, self.signs, |row, distance| {
            // To ask about a row takes longer than to measure it, and most are too far anyway.
            if distance < closest.limit && keep(row) {
                closest.add_row(row, distance);
            }
        });
        closest.rows()
    }
}

/// Computes the bits of some rows anew in bytes that [`BitsIn::read`] reads; rows that have no place there are
/// left out.
pub fn refresh_in(bytes: &mut [u8], rows: &Rows<'_>, changed: &[usize]) {
    let Some((mean, places)) = bytes.split_at_mut_checked(MEAN_BYTES) else { return };
    let mean = read_mean(mean);
    let places: &mut [Signs] = places.as_chunks_mut().0.as_chunks_mut().0;
    scan::wide(
        #[inline(always)]
        || {
            for row in changed {
                if let Some(place) = places.get_mut(*row) {
                    *place = signs_of_row(rows, *row, &mean);
                }
            }
        },
    );
}

fn read_mean(bytes: &[u8]) -> [f32; CODES] {
    let mut mean = [0.0; CODES];
    for (mean, bytes) in mean.iter_mut().zip(bytes.as_chunks().0) {
        *mean = f32::from_le_bytes(*bytes);
    }
    mean
}

/// The rows at the smallest distances so far, counted by distance, so that none need be sorted.
pub(super) struct Closest {
    count: usize,
    at: [usize; CODES + 1],
    /// A later row is wanted at a distance below this only.
    pub(super) limit: usize,
    /// How many were taken at distances below the limit.
    below: usize,
    taken: Vec<(usize, usize)>,
}

impl Closest {
    pub(super) fn of(count: usize) -> Self {
        let limit = if count == 0 { 0 } else { CODES + 1 };
        Self { count, at: [0; CODES + 1], limit, below: 0, taken: Vec::new() }
    }

    /// Rows come in order, so a later one at a distance already filled has lost the tie.
    pub(super) fn add_row(&mut self, row: usize, distance: usize) {
        self.taken.push((row, distance));
        self.at[distance] += 1;
        self.below += 1;
        while self.count <= self.below {
            self.limit -= 1;
            self.below -= self.at[self.limit];
        }
    }

    pub(super) fn rows(self) -> Vec<usize> {
        let mut ties = self.count - self.below;
        let mut rows = Vec::with_capacity(self.count.min(self.taken.len()));
        for (row, distance) in self.taken {
            if distance < self.limit {
                rows.push(row);
            } else if distance == self.limit && 0 < ties {
                ties -= 1;
                rows.push(row);
            }
        }
        rows
    }
}

/// The mean of the rows, or of evenly spaced ones where there are very many.
pub(super) fn mean(rows: &Rows<'_>) -> [f32; CODES] {
    let mut sums = [0.0_f64; CODES];
    let mut seen = 0.0;
    for row in (0..rows.len()).step_by(rows.len().div_ceil(SAMPLE).max(1)) {
        let scale = rows.scale(row);
        if scale.is_finite() {
            for (sum, code) in sums.iter_mut().zip(rows.codes(row)) {
                *sum += f64::from(scale * f32::from(code.cast_signed()));
            }
            seen += 1.0;
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "a mean need not be exact")]
    sums.map(|sum| (sum / f64::max(seen, 1.0)) as f32)
}

#[inline(always)]
pub(super) fn signs_of_row(rows: &Rows<'_>, row: usize, mean: &[f32; CODES]) -> Signs {
    let scale = rows.scale(row);
    signs(rows.codes(row).iter().map(|code| scale * f32::from(code.cast_signed())), mean)
}

/// One bit a number, set where the number exceeds the mean.
#[inline(always)]
fn signs(values: impl Iterator<Item = f32>, mean: &[f32; CODES]) -> Signs {
    let mut above = [0_u8; CODES];
    for (above, (value, mean)) in above.iter_mut().zip(values.zip(mean)) {
        *above = u8::from(value > *mean);
    }
    let mut signs = [0_u64; CODES / 64];
    for (word, above) in signs.iter_mut().zip(above.as_chunks::<64>().0) {
        for (place, eight) in above.as_chunks::<8>().0.iter().enumerate() {
            // Eight bytes of zero or one, gathered in the topmost byte.
            let gathered = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            *word |= gathered << (place * 8);
        }
    }
    signs.map(u64::to_le_bytes)
}
