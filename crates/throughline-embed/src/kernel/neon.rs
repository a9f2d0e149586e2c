//! Dot products with NEON: sixteen multiplications in one instruction.
#![expect(unsafe_code, reason = "processor instructions behind a run-time check")]

use std::arch::aarch64::{
    int8x16_t, int32x4_t, vaddq_s32, vdupq_n_s8, vdupq_n_s32, vdupq_n_u32, vld1q_u8,
    vreinterpretq_s8_u8, vreinterpretq_s8_u32, vshlq_n_s32, vst1q_s32,
};
use std::arch::{asm, is_aarch64_feature_detected};

use crate::forward::{Dot, Group, Scratch, Sums, forward};
use crate::model::{Block, Layer, Model};

/// Proof that this machine has the instructions: only `detect` makes one.
#[derive(Clone, Copy)]
pub(super) struct Neon(());

impl Neon {
    pub(super) fn detect() -> Option<Self> {
        let found = is_aarch64_feature_detected!("neon") && is_aarch64_feature_detected!("dotprod");
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
        unsafe { forward_here(self, model, layers, ids, scratch) }
    }
}

/// The forward pass, compiled for this processor.
#[target_feature(enable = "neon,dotprod")]
fn forward_here(kernel: Neon, model: &Model, layers: &[Layer], ids: &[u16], scratch: &mut Scratch) {
    forward(kernel, model, layers, ids, scratch);
}

impl Dot for Neon {
    // Per block four rows of four sums, their constants, four weights and one input fill 25 of 32
    // registers.
    const ROWS: usize = 4;

    #[inline(always)]
    fn dot<const ROWS: usize>(
        self,
        rows: [&[Group]; ROWS],
        blocks: [&[Block]; 4],
        sums: &mut Sums<ROWS>,
    ) {
        // SAFETY: `self` proves that the machine has every feature the function is compiled for.
        unsafe { dot_here(rows, blocks, sums) }
    }
}

// The instruction multiplies signed bytes, and inputs go up to 255. So 128 is taken off every
// input, and 128 times the sum of the weights is added again at the end. Plain loops: a closure in
// here would not be inlined, as the library it passes through is not compiled for this processor.
#[inline]
#[target_feature(enable = "neon,dotprod")]
fn dot_here<const ROWS: usize>(
    rows: [&[Group]; ROWS],
    blocks: [&[Block]; 4],
    out: &mut Sums<ROWS>,
) {
    for (part, blocks) in blocks.into_iter().enumerate() {
        let mut sums = [[vdupq_n_s32(0); 4]; ROWS];
        let mut totals = [vdupq_n_s32(0); 4];
        for (at, block) in blocks.iter().enumerate() {
            let (quarters, _) = block.as_chunks();
            for quarter in 0..4 {
                let weights = load(&quarters[quarter]);
                totals[quarter] = added(totals[quarter], weights, vdupq_n_s8(1));
                for row in 0..ROWS {
                    let lowered = u32::from_ne_bytes(rows[row][at]) ^ 0x8080_8080;
                    let input = vreinterpretq_s8_u32(vdupq_n_u32(lowered));
                    sums[row][quarter] = added(sums[row][quarter], weights, input);
                }
            }
        }
        for (out, sums) in out.iter_mut().zip(sums) {
            store(&mut out.as_chunks_mut::<16>().0[part], sums, totals);
        }
    }
}

/// Adds to each sum the products of four pairs of signed bytes.
#[inline]
#[target_feature(enable = "neon,dotprod")]
fn added(sum: int32x4_t, weights: int8x16_t, inputs: int8x16_t) -> int32x4_t {
    let mut sum = sum;
    // SAFETY: the instruction only reads and writes these three registers, and the function is
    // compiled for processors that have it.
    unsafe {
        asm!(
            "sdot {sum:v}.4s, {weights:v}.16b, {inputs:v}.16b",
            sum = inout(vreg) sum,
            weights = in(vreg) weights,
            inputs = in(vreg) inputs,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sum
}

#[inline]
#[target_feature(enable = "neon")]
fn load(quarter: &[u8; 16]) -> int8x16_t {
    // SAFETY: there are 16 bytes, and the load may be unaligned.
    vreinterpretq_s8_u8(unsafe { vld1q_u8(quarter.as_ptr()) })
}

/// Writes sums, each with 128 times the total of its weights.
#[inline]
#[target_feature(enable = "neon")]
fn store(into: &mut [i32; 16], sums: [int32x4_t; 4], totals: [int32x4_t; 4]) {
    let parts = into.as_chunks_mut::<4>().0.iter_mut();
    for ((into, sum), total) in parts.zip(sums).zip(totals) {
        let sum = vaddq_s32(sum, vshlq_n_s32::<7>(total));
        // SAFETY: `into` is four whole numbers, 16 bytes, which may be written unaligned.
        unsafe { vst1q_s32(into.as_mut_ptr(), sum) };
    }
}
