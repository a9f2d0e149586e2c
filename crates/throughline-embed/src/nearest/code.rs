//! Codes: vectors in one byte a dimension, and where they lie in the caller's bytes.

/// Number of dimensions of a coded vector.
pub const CODES: usize = 384;

/// The longest vector of codes there is: every byte -128, which only a damaged row holds.
pub(super) const LARGEST: f64 = 128.0 * 19.595_918;

/// How many sums an exact dot product keeps side by side.
const LANES: usize = 16;

/// Code: a vector in one byte a dimension, with the error that this makes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Code {
    /// The vector is about `scale` times these; none is -128.
    pub codes: [i8; CODES],
    /// What one step of a code is worth; zero for the zero vector.
    pub scale: f32,
    /// The distance between the vector and its code, or the least bit more.
    pub residual: f32,
}

/// Encodes a vector: its largest number becomes 127 steps, and all others whole steps.
///
/// A vector with a number that is not finite gets zeros and an infinite residual, so that no search
/// ever relies on its code.
///
/// # Panics
///
/// If the vector has not [`CODES`] dimensions.
pub fn encode(vector: &[f32]) -> Code {
    assert_eq!(vector.len(), CODES, "a vector has {CODES} dimensions");
    let mut codes = [0; CODES];
    if !vector.iter().all(|value| value.is_finite()) {
        return Code { codes, scale: 0.0, residual: f32::INFINITY };
    }
    let step = peak(vector) / 127.0;
    // Steps so small that they are no longer evenly spaced are not worth coding.
    let scale = if step.is_normal() { step } else { 0.0 };
    if scale != 0.0 {
        for (code, value) in codes.iter_mut().zip(vector) {
            let steps = (value / scale).round().clamp(-127.0, 127.0);
            #[expect(clippy::cast_possible_truncation, reason = "whole, and clamped to fit")]
            let steps = steps as i8;
            *code = steps;
        }
    }
    let errors = vector
        .iter()
        .zip(codes)
        .map(|(&value, code)| f64::from(value) - f64::from(scale) * f64::from(code));
    Code { codes, scale, residual: rounded_up(length(errors)) }
}

/// Rows: coded vectors in one slice of bytes, all rows of one length.
///
/// Row `i` holds its codes at `i * stride + codes_at`, one signed byte each, and at its other two
/// places a little-endian `f32`. Whatever else a row holds is not read here.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// All rows, one after the other; an unfinished last one is not seen.
    pub bytes: &'a [u8],
    /// How many bytes a row takes.
    pub stride: usize,
    /// Where in a row its codes begin.
    pub codes_at: usize,
    /// Where in a row the value of one step lies.
    pub scale_at: usize,
    /// Where in a row the distance to the whole vector lies.
    pub residual_at: usize,
}

impl<'a> Rows<'a> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.bytes.len().checked_div(self.stride).unwrap_or(0)
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The codes of a row, each a signed byte.
    #[inline]
    pub fn codes(&self, row: usize) -> &'a [u8; CODES] {
        self.at(row, self.codes_at)
    }

    /// What one step of a row's codes is worth.
    #[inline]
    pub fn scale(&self, row: usize) -> f32 {
        f32::from_le_bytes(*self.at(row, self.scale_at))
    }

    /// How far a row's code lies from the whole vector.
    #[inline]
    pub fn residual(&self, row: usize) -> f32 {
        f32::from_le_bytes(*self.at(row, self.residual_at))
    }

    #[inline]
    fn at<const LENGTH: usize>(&self, row: usize, place: usize) -> &'a [u8; LENGTH] {
        self.bytes[row * self.stride + place..]
            .first_chunk()
            .expect("a row has room for its codes, its scale and its residual")
    }
}

/// The dot product in `f32`, added up in one fixed order, so that it has the same bits everywhere.
///
/// # Panics
///
/// If the vectors differ in length.
pub fn exact_dot(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len(), "only vectors of one length have a dot product");
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a.chunks(LANES).zip(b.chunks(LANES)) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let mut width = LANES / 2;
    while 0 < width {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}

/// A query in two bytes a dimension.
///
/// The dot product of one with codes stays below 1.62e9, within an `i32`.
pub(super) struct Wide {
    pub(super) codes: [i16; CODES],
    pub(super) scale: f64,
    /// The distance between the query and its code, or a bit more.
    pub(super) residual: f64,
    /// The length of the query, or a bit more; not finite where the query is not.
    pub(super) length: f64,
}

impl Wide {
    pub(super) fn of(query: &[f32]) -> Self {
        assert_eq!(query.len(), CODES, "a query has {CODES} dimensions");
        let length = length(query.iter().map(|&value| f64::from(value)));
        let mut codes = [0; CODES];
        let peak = f64::from(peak(query));
        if peak == 0.0 || !length.is_finite() {
            return Self { codes, scale: 0.0, residual: length, length };
        }
        let scale = peak / 32_767.0;
        for (code, &value) in codes.iter_mut().zip(query) {
            let steps = (f64::from(value) / scale).round().clamp(-32_767.0, 32_767.0);
            #[expect(clippy::cast_possible_truncation, reason = "whole, and clamped to fit")]
            let steps = steps as i16;
            *code = steps;
        }
        let errors = query
            .iter()
            .zip(codes)
            .map(|(&value, code)| f64::from(value) - scale * f64::from(code));
        // The product above is rounded once, where the code of a row is exact.
        let residual = super::code::length(errors) + length * 1e-12;
        Self { codes, scale, residual, length }
    }
}

/// The largest number, whatever its sign.
fn peak(vector: &[f32]) -> f32 {
    vector.iter().fold(0.0, |peak, value| peak.max(value.abs()))
}

/// The length of a vector, with more added than rounding may have taken.
fn length(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum::<f64>().sqrt() * (1.0 + 1e-12)
}

/// The `f32` above, but for zero.
fn rounded_up(value: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "made good by the next step up")]
    let near = value as f32;
    if value == 0.0 { near } else { near.next_up() }
}
