//! The nearest rows are those of a search through whole vectors, bit for bit.

use std::convert::Infallible;

use proptest::prelude::*;
use throughline_embed::DIMENSIONS;
use throughline_embed::nearest::{
    Bits, BitsIn, CANDIDATES, CODES, Code, Nearest, Rows, cosine, cosines, dot, encode, exact_dot,
    nearest, nearest_among, refresh_in,
};

/// A row: a number of its owner's, the scale, the residual, the codes.
const STRIDE: usize = 4 + 8 + CODES;

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.roll() >> 33).expect("31 bits fit") % end
    }

    /// About normal, as a sum of four.
    fn number(&mut self) -> f32 {
        let sum: u64 = (0..4).map(|_| self.roll() >> 48).sum();
        (sum as f32 / 65_536.0 - 2.0) * 1.73
    }

    fn unit(&mut self) -> Vec<f32> {
        unit((0..CODES).map(|_| self.number()).collect())
    }

    fn near(&mut self, centre: &[f32], spread: f32) -> Vec<f32> {
        // A random vector is about twenty long.
        unit(centre.iter().map(|value| value + self.number() * spread / 20.0).collect())
    }

    fn near_one(&mut self, centres: &[Vec<f32>], spread: f32) -> Vec<f32> {
        let centre = self.below(centres.len());
        self.near(&centres[centre], spread)
    }
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = exact_dot(&vector, &vector).sqrt();
    vector.iter_mut().for_each(|value| *value /= length);
    vector
}

#[derive(Debug, Clone, Copy)]
enum Shape {
    Random,
    Clustered,
    /// Closer to each other than a code can tell.
    Crowded,
    Duplicates,
    SomeZero,
    /// Of any length, and now and then not even finite.
    Wild,
}

fn shapes() -> impl Strategy<Value = Shape> {
    prop_oneof![5 => tame_shapes(), 1 => Just(Shape::Wild)]
}

fn tame_shapes() -> impl Strategy<Value = Shape> {
    prop_oneof![
        Just(Shape::Random),
        Just(Shape::Clustered),
        Just(Shape::Crowded),
        Just(Shape::Duplicates),
        Just(Shape::SomeZero),
    ]
}

fn vectors(dice: &mut Dice, shape: Shape, count: usize) -> Vec<Vec<f32>> {
    let centres: Vec<_> = (0..5).map(|_| dice.unit()).collect();
    let mut next = || {
        let centre = &centres[dice.below(5)];
        match shape {
            Shape::Random => dice.unit(),
            Shape::Clustered => dice.near(centre, 0.5),
            Shape::Crowded => dice.near(centre, 0.001),
            Shape::Duplicates => centre.clone(),
            Shape::SomeZero if dice.below(3) == 0 => vec![0.0; CODES],
            Shape::SomeZero => dice.near(centre, 0.5),
            Shape::Wild => {
                let factor = 10.0_f32.powf(dice.number() * 12.0 - 3.0);
                let mut vector: Vec<_> = dice.unit().iter().map(|value| value * factor).collect();
                match dice.below(20) {
                    0 => vector[3] = f32::NAN,
                    1 => vector[5] = f32::INFINITY,
                    _ => {}
                }
                vector
            }
        }
    };
    (0..count).map(|_| next()).collect()
}

fn row_of(code: &Code) -> Vec<u8> {
    let mut row = vec![0xa5; 4];
    row.extend(code.scale.to_le_bytes());
    row.extend(code.residual.to_le_bytes());
    row.extend(code.codes.map(i8::cast_unsigned));
    row
}

fn coded(vectors: &[Vec<f32>]) -> Vec<u8> {
    vectors.iter().flat_map(|vector| row_of(&encode(vector))).collect()
}

fn rows(bytes: &[u8]) -> Rows<'_> {
    Rows { bytes, stride: STRIDE, codes_at: 12, scale_at: 4, residual_at: 8 }
}

fn through_all(
    query: &[f32],
    vectors: &[Vec<f32>],
    k: usize,
    keep: impl Fn(usize) -> bool,
) -> Vec<(usize, f32)> {
    let score = |row: usize| match exact_dot(query, &vectors[row]) {
        score if score.is_nan() => f32::NEG_INFINITY,
        score => score,
    };
    let mut hits: Vec<_> =
        (0..vectors.len()).filter(|&row| keep(row)).map(|row| (row, score(row))).collect();
    hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    hits.truncate(k);
    hits
}

fn found(query: &[f32], vectors: &[Vec<f32>], k: usize, keep: impl Fn(usize) -> bool) -> Nearest {
    let bytes = coded(vectors);
    let fetch = |asked: &[usize]| {
        assert!(!asked.is_empty() && asked.len() <= 4_096 && asked.is_sorted());
        Ok::<_, Infallible>(asked.iter().map(|&row| vectors[row].clone()).collect())
    };
    let Ok(nearest) = nearest(query, &rows(&bytes), k, keep, fetch);
    nearest
}

fn bits_of(hits: &[(usize, f32)]) -> Vec<(usize, u32)> {
    hits.iter().map(|&(row, score)| (row, score.to_bits())).collect()
}

proptest! {
    #[test]
    fn the_nearest_are_those_of_a_search_through_whole_vectors(
        seed: u64,
        shape in shapes(),
        query_shape in shapes(),
        count in 0..300_usize,
        k in prop_oneof![0..12_usize, Just(50), Just(400)],
        kept_of_8 in 0..=8_usize,
    ) {
        let mut dice = Dice::of(seed);
        let vectors = vectors(&mut dice, shape, count);
        let kept: Vec<_> = (0..count).map(|_| dice.below(8) < kept_of_8).collect();
        let query = match vectors.first() {
            Some(first) if dice.below(2) == 0 => first.clone(),
            _ => self::vectors(&mut dice, query_shape, 1).remove(0),
        };
        let nearest = found(&query, &vectors, k, |row| kept[row]);
        let expected = through_all(&query, &vectors, k, |row| kept[row]);
        prop_assert_eq!(bits_of(&nearest.hits), bits_of(&expected));
        prop_assert!(nearest.fetched <= kept.iter().filter(|&&kept| kept).count());
    }

    #[test]
    fn the_nearest_among_some_are_as_if_there_were_no_others(
        seed: u64, shape in shapes(), count in 1..200_usize, k in 0..12_usize,
    ) {
        let mut dice = Dice::of(seed);
        let vectors = vectors(&mut dice, shape, count);
        let among: Vec<_> = (0..count).filter(|_| dice.below(3) == 0).collect();
        let query = dice.unit();
        let bytes = coded(&vectors);
        let fetch = |asked: &[usize]| {
            Ok::<_, Infallible>(asked.iter().map(|&row| vectors[row].clone()).collect())
        };
        let Ok(nearest) = nearest_among(&query, &rows(&bytes), k, &among, fetch);
        let expected = through_all(&query, &vectors, k, |row| among.contains(&row));
        prop_assert_eq!(bits_of(&nearest.hits), bits_of(&expected));
    }

    #[test]
    fn a_code_is_no_further_from_its_vector_than_it_says(seed: u64, shape in shapes()) {
        let mut dice = Dice::of(seed);
        for vector in vectors(&mut dice, shape, 20) {
            let code = encode(&vector);
            let squares = vector.iter().zip(code.codes).map(|(&value, code_value)| {
                (f64::from(value) - f64::from(code.scale) * f64::from(code_value)).powi(2)
            });
            let distance = squares.sum::<f64>().sqrt();
            prop_assert!(distance.is_nan() || distance <= f64::from(code.residual));
            prop_assert!(!code.codes.contains(&i8::MIN));
            prop_assert!(code.scale.is_finite() && !code.residual.is_nan());
        }
    }

    #[test]
    fn a_cosine_is_off_by_no_more_than_the_residuals(seed: u64, shape in tame_shapes()) {
        let mut dice = Dice::of(seed);
        let vectors = vectors(&mut dice, shape, 40);
        let bytes = coded(&vectors);
        let (query, rows) = (encode(&vectors[0]), rows(&bytes));
        for (row, vector) in vectors.iter().enumerate() {
            let off = (cosine(&query, &rows, row) - exact_dot(&vectors[0], vector)).abs();
            prop_assert!(off <= query.residual * 1.01 + rows.residual(row) * 1.01 + 1e-5);
        }
    }

    #[test]
    fn the_dot_product_of_codes_is_exact(
        a in prop::collection::vec(any::<i8>(), CODES),
        b in prop::collection::vec(any::<u8>(), CODES),
    ) {
        let expected: i32 =
            a.iter().zip(&b).map(|(&a, &b)| i32::from(a) * i32::from(b.cast_signed())).sum();
        prop_assert_eq!(dot(&a.try_into().unwrap(), &b.try_into().unwrap()), expected);
    }

    #[test]
    fn all_cosines_are_each_rows_cosine_where_it_is_kept(
        seed: u64, shape in shapes(), count in 0..200_usize,
    ) {
        let mut dice = Dice::of(seed);
        let vectors = vectors(&mut dice, shape, count);
        let kept: Vec<_> = (0..count).map(|_| dice.below(2) == 0).collect();
        let bytes = coded(&vectors);
        let (query, rows) = (encode(&dice.unit()), rows(&bytes));
        let mut all = vec![7.0; 3];
        cosines(&query, &rows, |row| kept[row], &mut all);
        prop_assert_eq!(all.len(), count);
        for (row, found) in all.into_iter().enumerate() {
            let expected = if kept[row] { cosine(&query, &rows, row) } else { f32::NEG_INFINITY };
            prop_assert_eq!(found.to_bits(), expected.to_bits());
        }
    }

    #[test]
    fn candidates_differ_least_in_their_signs_seen_from_the_mean(
        seed: u64, shape in tame_shapes(), count in 0..300_usize, wanted in 0..60_usize,
    ) {
        let mut dice = Dice::of(seed);
        let vectors = vectors(&mut dice, shape, count);
        let kept: Vec<_> = (0..count).map(|_| dice.below(4) != 0).collect();
        let (query, bytes) = (dice.unit(), coded(&vectors));
        let rows = rows(&bytes);
        let differing = signs_that_differ(&query, &rows);
        let mut expected: Vec<_> = (0..count).filter(|&row| kept[row]).collect();
        expected.sort_by_key(|&row| (differing[row], row));
        expected.truncate(wanted);
        expected.sort_unstable();
        prop_assert_eq!(Bits::of(&rows).candidates(&query, |row| kept[row], wanted), expected);
    }
}

/// What [`Bits`] count, told slowly.
fn signs_that_differ(query: &[f32], rows: &Rows<'_>) -> Vec<usize> {
    let value = |row: usize, place: usize| {
        rows.scale(row) * f32::from(rows.codes(row)[place].cast_signed())
    };
    let mut differing = vec![0; rows.len()];
    for (place, &asked) in query.iter().enumerate() {
        let sum: f64 = (0..rows.len()).map(|row| f64::from(value(row, place))).sum();
        #[expect(clippy::cast_possible_truncation, reason = "a mean need not be exact")]
        let mean = (sum / rows.len() as f64) as f32;
        for (row, count) in differing.iter_mut().enumerate() {
            *count += usize::from((mean < asked) != (mean < value(row, place)));
        }
    }
    differing
}

#[test]
fn a_code_has_as_many_dimensions_as_an_embedding() {
    assert_eq!(CODES, DIMENSIONS);
}

#[test]
fn the_zero_vector_costs_nothing() {
    let zero = Code { codes: [0; CODES], scale: 0.0, residual: 0.0 };
    assert_eq!(encode(&[0.0; CODES]), zero);
}

#[test]
fn an_empty_memory_has_no_nearest_and_fetches_nothing() {
    let nothing = Nearest { hits: Vec::new(), fetched: 0 };
    assert_eq!(found(&Dice::of(1).unit(), &[], 10, |_| true), nothing);
    let rows = Rows { bytes: &[1, 2, 3], stride: 0, codes_at: 0, scale_at: 0, residual_at: 0 };
    assert!(rows.is_empty() && Bits::of(&rows).is_empty());
}

#[test]
fn a_failing_fetch_is_the_callers_to_see() {
    let mut dice = Dice::of(2);
    let bytes = coded(&[dice.unit()]);
    let failed = nearest(&dice.unit(), &rows(&bytes), 1, |_| true, |_| Err("the disk is gone"));
    assert_eq!(failed, Err("the disk is gone"));
}

#[test]
fn few_whole_vectors_are_fetched() {
    let mut dice = Dice::of(3);
    let vectors = clustered(&mut dice, 5_000);
    for _ in 0..20 {
        let query = dice.near_one(&vectors, 0.3);
        let nearest = found(&query, &vectors, 10, |_| true);
        assert!(nearest.fetched <= 100, "{} of 5000 fetched", nearest.fetched);
    }
}

#[test]
fn rows_that_come_later_or_change_are_found_by_their_signs() {
    let mut dice = Dice::of(4);
    let vectors = clustered(&mut dice, 300);
    let mut bytes = coded(&vectors);
    let mut bits = Bits::of(&rows(&bytes[..200 * STRIDE]));
    assert_eq!(bits.len(), 200);
    bits.extend(&rows(&bytes));
    assert_eq!(bits.len(), 300);
    assert_eq!(bits.candidates(&vectors[250], |_| true, 1), [250]);

    let changed = dice.unit();
    bytes[10 * STRIDE..11 * STRIDE].copy_from_slice(&row_of(&encode(&changed)));
    bits.refresh(&rows(&bytes), 10);
    assert_eq!(bits.candidates(&changed, |_| true, 1), [10]);
    assert_eq!(bits.candidates(&changed, |row| row == 7 || row == 3, 5), [3, 7]);
}

#[test]
fn signs_in_a_file_are_those_in_memory_also_after_a_row_has_changed() {
    let mut dice = Dice::of(5);
    let mut bytes = coded(&clustered(&mut dice, 300));
    let mut bits = Bits::of(&rows(&bytes));
    let mut file = bits.bytes();
    assert_eq!(file.len(), Bits::bytes_of(300));
    let changed = dice.unit();
    bytes[10 * STRIDE..11 * STRIDE].copy_from_slice(&row_of(&encode(&changed)));
    assert_ne!(BitsIn::read(&file).unwrap().candidates(&changed, |_| true, 1), [10]);
    bits.refresh(&rows(&bytes), 10);
    refresh_in(&mut file, &rows(&bytes), &[10, 300]);
    assert_eq!(file, bits.bytes());
    for _ in 0..10 {
        let query = dice.unit();
        let mapped = BitsIn::read(&file).unwrap();
        assert_eq!(mapped.candidates(&query, |_| true, 9), bits.candidates(&query, |_| true, 9));
        assert_eq!((mapped.len(), mapped.to_bits().bytes()), (300, file.clone()));
    }
    assert!(BitsIn::read(&file[..100]).is_none());
}

#[test]
fn the_candidates_hold_the_true_nearest() {
    let mut dice = Dice::of(5);
    let vectors = clustered(&mut dice, 20_000);
    let bytes = coded(&vectors);
    let bits = Bits::of(&rows(&bytes));
    let (mut held, queries) = (0, 50);
    for _ in 0..queries {
        let query = dice.near_one(&vectors, 0.5);
        let candidates = bits.candidates(&query, |_| true, CANDIDATES);
        assert_eq!(candidates.len(), CANDIDATES);
        let nearest = through_all(&query, &vectors, 10, |_| true);
        held += nearest.iter().filter(|hit| candidates.binary_search(&hit.0).is_ok()).count();
    }
    assert!(queries * 10 * 99 <= held * 100, "{held} of {} held", queries * 10);
}

/// Texts as they are: topics of about fifty that overlap, and a direction common to all.
fn clustered(dice: &mut Dice, count: usize) -> Vec<Vec<f32>> {
    let common = dice.unit();
    let topics: Vec<_> = (0..count.div_ceil(50)).map(|_| dice.near(&common, 1.7)).collect();
    (0..count).map(|_| dice.near_one(&topics, 0.7)).collect()
}
