//! Dot products in plain Rust, shaped so that compilers widen them.

use crate::forward::{Dot, Group, Sums};
use crate::model::Block;

/// Runs everywhere.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Dot for Portable {
    const ROWS: usize = 4;

    #[inline(always)]
    fn dot<const ROWS: usize>(
        self,
        rows: [&[Group]; ROWS],
        blocks: [&[Block]; 4],
        sums: &mut Sums<ROWS>,
    ) {
        for (row, sums) in rows.into_iter().zip(sums) {
            for (blocks, sums) in blocks.into_iter().zip(sums.as_chunks_mut::<16>().0) {
                let lanes = [
                    lanes::<0>(row, blocks),
                    lanes::<1>(row, blocks),
                    lanes::<2>(row, blocks),
                    lanes::<3>(row, blocks),
                ];
                for (sum, lanes) in sums.iter_mut().zip(lanes.as_flattened().as_chunks::<4>().0) {
                    *sum = lanes.iter().sum();
                }
            }
        }
    }
}

/// The products of one quarter of a block's channels, added up per input of a group: as many sums
/// as fit the smallest registers.
// Inlined, it is merged with the additions after it into single steps, which is eight times slower.
#[inline(never)]
fn lanes<const QUARTER: usize>(row: &[Group], blocks: &[Block]) -> [i32; 16] {
    let mut lanes = [0_i32; 16];
    for (inputs, block) in row.iter().zip(blocks) {
        let inputs: [i16; 16] = std::array::from_fn(|lane| i16::from(inputs[lane % 4]));
        let weights = block.as_chunks::<16>().0[QUARTER].map(|it| i16::from(it.cast_signed()));
        for ((lane, weight), input) in lanes.iter_mut().zip(weights).zip(inputs) {
            // Wrapping never happens, 255 * 127 * 1,536 fits; it only spares the check.
            *lane = lane.wrapping_add(i32::from(weight) * i32::from(input));
        }
    }
    lanes
}
