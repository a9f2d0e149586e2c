//! What only the inside can see: that every bound holds, and that all ways to count agree.

use proptest::prelude::*;

use super::among::neighbours_of;
use super::code::{CODES, Rows, Wide, encode, exact_dot};
use super::{bounds, neighbours, scan};

/// Numbers that follow from a seed. Strategies would take ten times as long to draw so many.
struct Dice(u64);

impl Dice {
    fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn roll(&mut self) -> [u8; 8] {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.to_be_bytes()
    }

    /// Anything between -1 and 1.
    fn number(&mut self) -> f32 {
        let [a, b, ..] = self.roll();
        f32::from(i16::from_be_bytes([a, b])) / 32_768.0
    }

    /// A vector of one of five shapes, of any length.
    fn vector(&mut self) -> Vec<f32> {
        let [shape, resized, power, ..] = self.roll();
        let mut vector: Vec<f32> = (0..CODES)
            .map(|_| match (shape % 5, self.roll()) {
                (0, [a, b, c, d, ..]) => f32::from_be_bytes([a, b, c, d]),
                (1, [0..230, ..]) => 0.0,
                (2, [a, ..]) => [0.05, -0.05, 0.02, 0.0][usize::from(a % 4)],
                _ => self.number(),
            })
            .collect();
        if shape % 5 == 3 {
            vector[7] = 40.0;
        }
        let factor = if resized < 64 { 10.0_f64.powi(i32::from(power % 80) - 43) } else { 1.0 };
        #[expect(clippy::cast_possible_truncation, reason = "too large or too small is meant")]
        vector.iter_mut().for_each(|value| *value = (f64::from(*value) * factor) as f32);
        vector
    }
}

fn shortened(vector: &[f32]) -> Vec<f32> {
    let length = exact_dot(vector, vector).sqrt();
    vector.iter().map(|value| value / length).collect()
}

fn dot_of(query: &Wide, codes: [i8; CODES]) -> i32 {
    query.codes.iter().zip(codes).map(|(&a, b)| i32::from(a) * i32::from(b)).sum()
}

proptest! {
    #[test]
    fn the_exact_dot_product_lies_within_its_bounds(seed: u64) {
        let mut dice = Dice::of(seed);
        let (a, b) = (dice.vector(), dice.vector());
        for (query, row) in [(shortened(&a), shortened(&b)), (a, b)] {
            let code = encode(&row);
            let wide = Wide::of(&query);
            let dot = dot_of(&wide, code.codes);
            let (lower, upper) = bounds(&wide, dot, code.scale, code.residual);
            let exact = f64::from(exact_dot(&query, &row));
            prop_assert!(
                exact.is_nan() && upper == f64::INFINITY || lower <= exact && exact <= upper,
                "{lower} <= {exact} <= {upper}"
            );
        }
    }

    #[test]
    fn bounds_of_unit_vectors_are_no_wider_than_coding_makes_them(seed: u64) {
        let mut dice = Dice::of(seed);
        let mut vector = || shortened(&(0..CODES).map(|_| dice.number()).collect::<Vec<_>>());
        let (wide, code) = (Wide::of(&vector()), encode(&vector()));
        let (lower, upper) = bounds(&wide, dot_of(&wide, code.codes), code.scale, code.residual);
        prop_assert!(upper - lower < 2.2 * f64::from(code.residual));
    }

    #[test]
    fn every_way_to_multiply_comes_to_the_same_sum(
        seed: u64, count in 0..200_usize, stride in CODES..CODES + 9,
    ) {
        let mut dice = Dice::of(seed);
        let query = [(); CODES].map(|()| match dice.roll() {
            [0..64, ..] => i16::MAX,
            [64..128, ..] => -i16::MAX,
            [_, a, b, ..] => i16::from_be_bytes([a, b]).max(-i16::MAX),
        });
        let bytes: Vec<u8> = (0..count * stride)
            .map(|_| match dice.roll() {
                [0..64, byte, ..] => [0x7f, 0x80, 0x81, 0][usize::from(byte % 4)],
                [_, byte, ..] => byte,
            })
            .collect();
        let rows =
            Rows { bytes: &bytes, stride, codes_at: stride - CODES, scale_at: 0, residual_at: 0 };
        let picks = || (0..rows.len()).filter(|row| seed.is_multiple_of(2) || row % 3 != 1);
        let (mut here, mut portable) = (Vec::new(), Vec::new());
        scan::dots(&query, &rows, picks(), |row, dot| here.push((row, dot)));
        scan::dots_portable(&query, &rows, picks(), |row, dot| portable.push((row, dot)));
        let plain: Vec<_> = picks()
            .map(|row| {
                let products = query
                    .iter()
                    .zip(rows.codes(row))
                    .map(|(&a, &b)| i32::from(a) * i32::from(b.cast_signed()));
                (row, products.sum())
            })
            .collect();
        prop_assert_eq!(&here, &plain);
        prop_assert_eq!(&portable, &plain);
    }

    #[test]
    fn every_way_to_count_signs_comes_to_the_same_number(
        query in any::<scan::Signs>(),
        rows in prop::collection::vec(any::<scan::Signs>(), 0..20),
    ) {
        let (mut here, mut portable) = (Vec::new(), Vec::new());
        scan::distances(&query, &rows, |row, distance| here.push((row, distance)));
        scan::distances_portable(&query, &rows, |row, distance| portable.push((row, distance)));
        prop_assert_eq!(&here, &portable);
        for (row, distance) in here {
            let (query, signs) = (query.as_flattened(), rows[row].as_flattened());
            let bits = (0..CODES).filter(|bit| {
                (query[bit / 8] ^ signs[bit / 8]) >> (bit % 8) & 1 == 1
            });
            prop_assert_eq!(bits.count(), distance);
        }
    }
}

#[test]
fn the_largest_sum_there_is_does_not_overflow() {
    let bytes = [0x80; CODES];
    let rows = Rows { bytes: &bytes, stride: CODES, codes_at: 0, scale_at: 0, residual_at: 0 };
    for (query, expected) in [([32_767; CODES], -1_610_563_584), ([-32_767; CODES], 1_610_563_584)]
    {
        scan::dots(&query, &rows, 0..1, |_, dot| assert_eq!(dot, expected));
        scan::dots_portable(&query, &rows, 0..1, |_, dot| assert_eq!(dot, expected));
    }
}

/// Rows in groups: the numbers of one group lie close together.
fn grouped(groups: u64, each: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for group in 0..groups {
        let mut centre = Dice::of(group + 1);
        let centre: Vec<f32> = (0..CODES).map(|_| centre.number()).collect();
        for member in 0..each {
            let mut dice = Dice::of(1_000 + group * each + member);
            let own: Vec<f32> = centre.iter().map(|value| value + 0.2 * dice.number()).collect();
            let length = own.iter().map(|value| value * value).sum::<f32>().sqrt();
            let code = encode(&own.iter().map(|value| value / length).collect::<Vec<f32>>());
            bytes.extend(code.scale.to_le_bytes());
            bytes.extend(code.residual.to_le_bytes());
            bytes.extend(code.codes.map(i8::cast_unsigned));
        }
    }
    bytes
}

#[test]
fn neighbours_are_of_the_same_group_nearest_first_and_never_the_row_itself() {
    let bytes = grouped(6, 10);
    let rows = Rows { bytes: &bytes, stride: CODES + 8, codes_at: 8, scale_at: 0, residual_at: 4 };
    let among: Vec<usize> = (0..60).collect();
    let found = neighbours(&rows, &among, 4, 0.5);
    assert_eq!(found.len(), 60);
    for (place, near) in found.iter().enumerate() {
        assert_eq!(near.len(), 4, "row {place}");
        assert!(near.iter().all(|(other, _)| *other as usize / 10 == place / 10), "row {place}");
        assert!(near.iter().all(|(other, _)| *other as usize != place));
        assert!(near.is_sorted_by(|a, b| a.1 >= b.1));
    }
    // Dealt into cells, it finds the same where groups lie apart.
    assert_eq!(neighbours_of(&rows, &among, 4, 0.5, 10), found);
    assert!(neighbours(&rows, &[], 4, 0.5).is_empty());
    assert_eq!(neighbours(&rows, &[7], 4, 0.5), [Vec::new()]);
}

#[test]
fn dealt_into_cells_nearly_all_neighbours_are_found() {
    let bytes = grouped(60, 40);
    let rows = Rows { bytes: &bytes, stride: CODES + 8, codes_at: 8, scale_at: 0, residual_at: 4 };
    let among: Vec<usize> = (0..2_400).collect();
    let exact = neighbours(&rows, &among, 8, 0.3);
    let found = neighbours_of(&rows, &among, 8, 0.3, 100);
    let pairs: usize = exact.iter().map(Vec::len).sum();
    let held = |(place, near): (usize, &Vec<(u32, f32)>)| {
        near.iter().filter(|one| found[place].contains(one)).count()
    };
    let same: usize = exact.iter().enumerate().map(held).sum();
    assert!(pairs > 10_000, "{pairs}");
    assert!(same * 100 >= pairs * 95, "{same} of {pairs}");
}
