//! Real-number steps of the forward pass, written so that every processor gives the same bits.
//!
//! Only additions, multiplications, divisions and roots, each rounded on its own, and sums that
//! are taken over sixteen lanes in a fixed order: compilers may widen this, but not change it.
//! Everything is inlined into each kernel, where it is compiled for that kernel's processor.

/// How many sums run side by side.
pub(crate) const LANES: usize = 16;

/// The sum of numbers whose count is a multiple of [`LANES`].
#[inline(always)]
pub(crate) fn sum(numbers: &[f32]) -> f32 {
    sum_of(numbers, |number| number)
}

/// The sum of what `of` makes of each number.
#[inline(always)]
pub(crate) fn sum_of(numbers: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    for chunk in numbers.as_chunks::<LANES>().0 {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane += of(*number);
        }
    }
    fold(lanes, |a, b| a + b)
}

/// The smallest and the largest number.
#[inline(always)]
pub(crate) fn range(numbers: &[f32]) -> (f32, f32) {
    let mut low = [f32::INFINITY; LANES];
    let mut high = [f32::NEG_INFINITY; LANES];
    for chunk in numbers.as_chunks::<LANES>().0 {
        for ((low, high), number) in low.iter_mut().zip(&mut high).zip(chunk) {
            *low = smaller(*number, *low);
            *high = larger(*number, *high);
        }
    }
    (fold(low, smaller), fold(high, larger))
}

/// e to the power of `x`, for `x` of at most zero; good to seven digits.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // Adding 1.5 * 2^23 leaves no room for a fraction, so the low bits are the rounded number.
    const ROUNDER: f32 = 12_582_912.0;
    // ln 2 in two parts, so that the remainder keeps all its digits.
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    let x = larger(x, -87.0);
    let rounded = x * std::f32::consts::LOG2_E + ROUNDER;
    let whole = rounded - ROUNDER;
    let rest = x - whole * LN2_HIGH - whole * LN2_LOW;
    let series = 1.0
        + rest
            * (1.0
                + rest
                    * (0.5
                        + rest
                            * (1.666_666_7e-1
                                + rest
                                    * (4.166_666_6e-2
                                        + rest * (8.333_333e-3 + rest * 1.388_889e-3)))));
    let exponent = rounded.to_bits().wrapping_sub(ROUNDER.to_bits()).wrapping_add(127) << 23;
    series * f32::from_bits(exponent)
}

/// The bend between the inner linears: `x` times the share of a bell curve below `x`.
#[inline(always)]
pub(crate) fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function, off by less than 4e-7; a quotient of polynomials fitted for this crate.
#[inline(always)]
fn erf(x: f32) -> f32 {
    let x = smaller(larger(x, -4.0), 4.0);
    let square = x * x;
    let above = [1.974_933_6e-6, 2.880_216e-4, 4.002_872e-3, 5.346_509_4e-2, 1.962_311_9e-1];
    let below = [3.748_09e-5, 1.216_167_6e-3, 1.544_287_9e-2, 1.164_690_3e-1, 5.072_365_4e-1];
    let above = above.into_iter().fold(0.0, |value, next| (value + next) * square);
    let below = below.into_iter().fold(0.0, |value, next| (value + next) * square);
    x * (above + std::f32::consts::FRAC_2_SQRT_PI) / (below + 1.0)
}

// `f32::min` and `f32::max` care about NaN, which costs two more instructions per number.
#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
pub(crate) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
pub(crate) fn fold(lanes: [f32; LANES], join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = lanes;
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] = join(lanes[lane], lanes[lane + half]);
        }
        half /= 2;
    }
    lanes[0]
}
