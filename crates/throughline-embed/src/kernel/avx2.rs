//! Dot products with 256-bit registers: one instruction where there is VNNI, three elsewhere.
#![expect(unsafe_code, reason = "processor instructions behind a run-time check")]

use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16, _mm256_dpbusd_avx_epi32,
    _mm256_hadd_epi32, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_permute4x64_epi64,
    _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_storeu_si256,
};

use crate::forward::{Dot, Group, Scratch, Sums, forward};
use crate::model::{Block, INNER, Layer, Model};

/// Groups in the longest row.
const GROUPS_MAX: usize = INNER / 4;

/// Proof that this machine has AVX-VNNI: only `detect` makes one.
#[derive(Clone, Copy)]
pub(super) struct AvxVnni(());

/// Proof that this machine has AVX2: only `detect` makes one.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl AvxVnni {
    pub(super) fn detect() -> Option<Self> {
        let found = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni");
        found.then_some(Self(()))
    }

    pub(super) fn forward(
        self,
        model: &Model,
        layers: &[Layer],
        ids: &[u16],
        scratch: &mut Scratch,
    ) {
        // SAFETY: `self` proves that the machine has every feature the function is compiled for.
        unsafe { forward_vnni(self, model, layers, ids, scratch) }
    }
}

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    pub(super) fn forward(
        self,
        model: &Model,
        layers: &[Layer],
        ids: &[u16],
        scratch: &mut Scratch,
    ) {
        // SAFETY: `self` proves that the machine has every feature the function is compiled for.
        unsafe { forward_avx2(self, model, layers, ids, scratch) }
    }
}

/// The forward pass, compiled for processors with AVX-VNNI.
#[target_feature(enable = "avx2,avxvnni")]
fn forward_vnni(
    kernel: AvxVnni,
    model: &Model,
    layers: &[Layer],
    ids: &[u16],
    scratch: &mut Scratch,
) {
    forward(kernel, model, layers, ids, scratch);
}

/// The forward pass, compiled for processors with AVX2.
#[target_feature(enable = "avx2")]
fn forward_avx2(kernel: Avx2, model: &Model, layers: &[Layer], ids: &[u16], scratch: &mut Scratch) {
    forward(kernel, model, layers, ids, scratch);
}

impl Dot for AvxVnni {
    // Per block six rows of two sums, two weights and one input fill 15 of 16 registers.
    const ROWS: usize = 6;

    #[inline(always)]
    fn dot<const ROWS: usize>(
        self,
        rows: [&[Group]; ROWS],
        blocks: [&[Block]; 4],
        sums: &mut Sums<ROWS>,
    ) {
        // SAFETY: `self` proves that the machine has every feature the function is compiled for.
        unsafe { dot_vnni(rows, blocks, sums) }
    }
}

impl Dot for Avx2 {
    // Per block three rows of four sums, one weight and one input fill 14 of 16 registers.
    const ROWS: usize = 3;

    #[inline(always)]
    fn dot<const ROWS: usize>(
        self,
        rows: [&[Group]; ROWS],
        blocks: [&[Block]; 4],
        sums: &mut Sums<ROWS>,
    ) {
        // SAFETY: `self` proves that the machine has every feature the function is compiled for.
        unsafe { dot_avx2(rows, blocks, sums) }
    }
}

// Plain loops: a closure in here would not be inlined, as the library it passes through is not
// compiled for this processor.
#[inline]
#[target_feature(enable = "avx2,avxvnni")]
fn dot_vnni<const ROWS: usize>(
    rows: [&[Group]; ROWS],
    blocks: [&[Block]; 4],
    out: &mut Sums<ROWS>,
) {
    for (part, blocks) in blocks.into_iter().enumerate() {
        let mut sums = [[_mm256_setzero_si256(); 2]; ROWS];
        for (at, block) in blocks.iter().enumerate() {
            let (halves, _) = block.as_chunks();
            let weights = [load(&halves[0]), load(&halves[1])];
            for row in 0..ROWS {
                let input = _mm256_set1_epi32(i32::from_ne_bytes(rows[row][at]));
                for half in 0..2 {
                    sums[row][half] =
                        _mm256_dpbusd_avx_epi32(sums[row][half], input, weights[half]);
                }
            }
        }
        for (out, sums) in out.iter_mut().zip(sums) {
            store(&mut out.as_chunks_mut::<16>().0[part], sums);
        }
    }
}

// The instruction that multiplies bytes rounds sums of two off at 16 bits, so both sides are
// widened first and multiplied as 16-bit numbers, which is exact.
#[inline]
#[target_feature(enable = "avx2")]
fn dot_avx2<const ROWS: usize>(
    rows: [&[Group]; ROWS],
    blocks: [&[Block]; 4],
    out: &mut Sums<ROWS>,
) {
    let mut inputs = [[0; GROUPS_MAX]; ROWS];
    for (inputs, row) in inputs.iter_mut().zip(rows) {
        for (input, group) in inputs.iter_mut().zip(row) {
            *input = widened(*group);
        }
    }
    for (part, blocks) in blocks.into_iter().enumerate() {
        // Each sum holds four channels, two halves each.
        let mut sums = [[_mm256_setzero_si256(); 4]; ROWS];
        for (at, block) in blocks.iter().enumerate().take(GROUPS_MAX) {
            let (quarters, _) = block.as_chunks();
            for quarter in 0..4 {
                let weights = load_wide(&quarters[quarter]);
                for row in 0..ROWS {
                    let input = _mm256_set1_epi64x(inputs[row][at]);
                    let products = _mm256_madd_epi16(input, weights);
                    sums[row][quarter] = _mm256_add_epi32(sums[row][quarter], products);
                }
            }
        }
        for (out, [a, b, c, d]) in out.iter_mut().zip(sums) {
            // Adding neighbours works in each 128-bit lane and leaves the middle two swapped.
            let low = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_hadd_epi32(a, b));
            let high = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_hadd_epi32(c, d));
            store(&mut out.as_chunks_mut::<16>().0[part], [low, high]);
        }
    }
}

/// Four bytes as four 16-bit numbers.
#[inline(always)]
fn widened(group: Group) -> i64 {
    let [a, b, c, d] = group;
    i64::from_ne_bytes([a, 0, b, 0, c, 0, d, 0])
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(half: &[u8; 32]) -> __m256i {
    // SAFETY: there are 32 bytes, and the load may be unaligned.
    unsafe { _mm256_loadu_si256(half.as_ptr().cast()) }
}

/// Sixteen signed bytes as sixteen 16-bit numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn load_wide(quarter: &[u8; 16]) -> __m256i {
    // SAFETY: there are 16 bytes, and the load may be unaligned.
    _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(quarter.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(into: &mut [i32; 16], sums: [__m256i; 2]) {
    for (into, sum) in into.as_chunks_mut::<8>().0.iter_mut().zip(sums) {
        // SAFETY: `into` is eight whole numbers, 32 bytes, which may be written unaligned.
        unsafe { _mm256_storeu_si256(into.as_mut_ptr().cast(), sum) };
    }
}
