//! Dot products with AVX-512 VNNI: 64 multiplications in one instruction.
#![expect(unsafe_code, reason = "processor instructions behind a run-time check")]

use std::arch::x86_64::{
    __m512i, _MM_HINT_T1, _mm_prefetch, _mm512_dpbusd_epi32, _mm512_loadu_si512, _mm512_set1_epi32,
    _mm512_setzero_si512, _mm512_storeu_si512,
};

use crate::forward::{Dot, Group, Scratch, Sums, forward};
use crate::model::{Block, Layer, Model};

/// Proof that this machine has the instructions: only `detect` makes one.
#[derive(Clone, Copy)]
pub(super) struct Avx512Vnni(());

impl Avx512Vnni {
    pub(super) fn detect() -> Option<Self> {
        let found = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni");
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
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
fn forward_here(
    kernel: Avx512Vnni,
    model: &Model,
    layers: &[Layer],
    ids: &[u16],
    scratch: &mut Scratch,
) {
    forward(kernel, model, layers, ids, scratch);
}

impl Dot for Avx512Vnni {
    // Six rows of four sums, four weights and one input fill 29 of 32 registers.
    const ROWS: usize = 6;

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

// Plain loops: a closure in here would not be inlined, as the library it passes through is not
// compiled for this processor.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
fn dot_here<const ROWS: usize>(
    rows: [&[Group]; ROWS],
    blocks: [&[Block]; 4],
    out: &mut Sums<ROWS>,
) {
    let [a, b, c, d] = blocks;
    let groups = a.len();
    let mut sums = [[_mm512_setzero_si512(); 4]; ROWS];
    for (at, (((a, b), c), d)) in a.iter().zip(b).zip(c).zip(d).enumerate() {
        let weights = [load(a), load(b), load(c), load(d)];
        for block in [a, b, c, d] {
            prefetch(block, 4 * groups);
        }
        for row in 0..ROWS {
            let input = _mm512_set1_epi32(i32::from_ne_bytes(rows[row][at]));
            for part in 0..4 {
                sums[row][part] = _mm512_dpbusd_epi32(sums[row][part], input, weights[part]);
            }
        }
    }
    for (out, sums) in out.iter_mut().zip(sums) {
        for (out, sum) in out.as_chunks_mut::<16>().0.iter_mut().zip(sums) {
            // SAFETY: `out` is sixteen whole numbers, 64 bytes, which may be written unaligned.
            unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), sum) };
        }
    }
}

/// Asks for the block that lies so many blocks further on, which the next panel starts with.
#[inline(always)]
fn prefetch(block: &Block, further: usize) {
    let ahead = std::ptr::from_ref(block).wrapping_add(further);
    // SAFETY: a prefetch is a hint, for which no address is wrong.
    unsafe { _mm_prefetch::<_MM_HINT_T1>(ahead.cast()) };
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(block: &Block) -> __m512i {
    // SAFETY: a block is 64 bytes, and the load may be unaligned.
    unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
}
