//! The two loops that visit every row, with the instructions that most processors have for them.
//!
//! Everything here counts in integers, so all ways to do it come to the same sums. Wider registers
//! than those of AVX2 were tried: these loops already wait for memory.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "processor instructions behind a run-time check")
)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    _MM_HINT_T0, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_prefetch,
    _mm_shuffle_epi32, _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16,
    _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_setzero_si256,
};

use super::code::{CODES, Rows};

/// The sign bits of one vector: little-endian words, as they also stand in a file.
pub(super) type Signs = [[u8; 8]; CODES / 64];

/// How many picked rows are gathered before they are read.
const BLOCK: usize = 64;

/// How many rows ahead of the one being read memory is asked.
const AHEAD: usize = 4;

/// Hands the dot product of every picked row to `each`.
pub(super) fn dots(
    query: &[i16; CODES],
    rows: &Rows<'_>,
    picks: impl Iterator<Item = usize>,
    each: impl FnMut(usize, i32),
) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor was just found to have what the function is compiled for.
        return unsafe { dots_avx2(query, rows, picks, each) };
    }
    dots_portable(query, rows, picks, each);
}

/// Hands the number of differing signs of every row to `each`.
pub(super) fn distances(query: &Signs, rows: &[Signs], each: impl FnMut(usize, usize)) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor was just found to have what the function is compiled for.
        return unsafe { distances_popcnt(query, rows, each) };
    }
    distances_portable(query, rows, each);
}

/// Does something with the widest registers that the processor is found to have.
pub(super) fn wide(work: impl FnOnce()) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor was just found to have what the function is compiled for.
        return unsafe { wide_avx2(work) };
    }
    work();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn wide_avx2(work: impl FnOnce()) {
    work();
}

/// As [`dots`], on any processor.
pub(super) fn dots_portable(
    query: &[i16; CODES],
    rows: &Rows<'_>,
    picks: impl Iterator<Item = usize>,
    each: impl FnMut(usize, i32),
) {
    let product = |codes: &[u8; CODES]| {
        query.iter().zip(codes).map(|(&a, &b)| i32::from(a) * i32::from(b.cast_signed())).sum()
    };
    visit(rows, picks, product, each);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dots_avx2(
    query: &[i16; CODES],
    rows: &Rows<'_>,
    picks: impl Iterator<Item = usize>,
    each: impl FnMut(usize, i32),
) {
    visit(rows, picks, |codes| product_avx2(query, codes), each);
}

/// Left to itself, the compiler uses half of every register here.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn product_avx2(query: &[i16; CODES], codes: &[u8; CODES]) -> i32 {
    let mut sums = [_mm256_setzero_si256(); 4];
    let (query, codes) = (query.as_chunks::<16>().0, codes.as_chunks::<16>().0);
    for (query, codes) in query.as_chunks::<4>().0.iter().zip(codes.as_chunks::<4>().0) {
        for (sum, (query, codes)) in sums.iter_mut().zip(query.iter().zip(codes)) {
            // SAFETY: sixteen codes are the 16 bytes that are loaded, at any alignment.
            let codes = unsafe { _mm_loadu_si128(codes.as_ptr().cast()) };
            // SAFETY: sixteen wide codes are the 32 bytes that are loaded, at any alignment.
            let query = unsafe { _mm256_loadu_si256(query.as_ptr().cast()) };
            let products = _mm256_madd_epi16(_mm256_cvtepi8_epi16(codes), query);
            *sum = _mm256_add_epi32(*sum, products);
        }
    }
    let [a, b, c, d] = sums;
    let eight = _mm256_add_epi32(_mm256_add_epi32(a, b), _mm256_add_epi32(c, d));
    let four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256::<1>(eight));
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two)))
}

/// Goes through the picked rows.
#[inline(always)]
fn visit(
    rows: &Rows<'_>,
    picks: impl Iterator<Item = usize>,
    product: impl Fn(&[u8; CODES]) -> i32,
    mut each: impl FnMut(usize, i32),
) {
    let mut picks = picks.fuse();
    let mut block = [0; BLOCK];
    loop {
        let mut filled = 0;
        for (place, row) in block.iter_mut().zip(&mut picks) {
            *place = row;
            filled += 1;
        }
        if filled == 0 {
            return;
        }
        for place in 0..filled {
            let row = block[place];
            // Processors foresee neighbours by themselves, and other rows not at all.
            if place + AHEAD < filled && block[place + AHEAD] != row + AHEAD {
                prefetch(rows.codes(block[place + AHEAD]));
            }
            each(row, product(rows.codes(row)));
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn prefetch(codes: &[u8; CODES]) {
    for line in codes.as_chunks::<64>().0 {
        // SAFETY: this fills a cache and does nothing else, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn prefetch(_codes: &[u8; CODES]) {}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn distances_popcnt(query: &Signs, rows: &[Signs], each: impl FnMut(usize, usize)) {
    distances_portable(query, rows, each);
}

/// As [`distances`], on any processor; the other is this one, compiled to count bits at once.
#[inline(always)]
pub(super) fn distances_portable(
    query: &Signs,
    rows: &[Signs],
    mut each: impl FnMut(usize, usize),
) {
    let query = query.map(u64::from_le_bytes);
    for (row, signs) in rows.iter().enumerate() {
        let differing = query
            .iter()
            .zip(signs)
            .map(|(a, b)| (a ^ u64::from_le_bytes(*b)).count_ones() as usize);
        each(row, differing.sum());
    }
}
