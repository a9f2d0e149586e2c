//! Kernels differ in speed and in nothing else.

use sha2::{Digest, Sha256};
use throughline_embed::{Embedder, Kernel};

use crate::golden::{Golden, bits, cosine, golden};

/// The reference, thinned out where a kernel is slow; texts of all kinds remain.
fn golden_for(kernel: Kernel) -> Vec<Golden> {
    golden().into_iter().step_by(if kernel == Kernel::Portable { 5 } else { 1 }).collect()
}

fn embedder(kernel: Kernel) -> Embedder {
    Embedder::with_kernel(kernel).expect("only available kernels are asked for")
}

#[test]
fn every_kernel_is_close_to_the_model_before_quantisation() {
    for kernel in Kernel::available() {
        let embedder = embedder(kernel);
        let mut cosines = Vec::new();
        for golden in golden_for(kernel) {
            let cosine = cosine(&golden.vector, &embedder.embed(&golden.text));
            assert!(cosine >= 0.985, "{kernel}: {cosine} for {:?}", golden.text);
            cosines.push(cosine);
        }
        let mean = cosines.iter().sum::<f32>() / cosines.len() as f32;
        let worst = cosines.iter().copied().fold(1.0, f32::min);
        println!("{kernel}: mean {mean}, worst {worst} of {}", cosines.len());
        assert!(mean >= 0.995, "{kernel}: mean {mean}");
    }
}

#[test]
fn every_kernel_gives_the_bits_of_the_portable_one() {
    for golden in golden_for(Kernel::Portable) {
        let portable = bits(&embedder(Kernel::Portable).embed(&golden.text));
        for kernel in Kernel::available() {
            let found = bits(&embedder(kernel).embed(&golden.text));
            assert_eq!(found, portable, "{kernel}: {:?}", golden.text);
        }
    }
}

#[test]
fn the_best_kernel_is_the_first_available_and_the_portable_one_is_always_there() {
    let available = Kernel::available();
    assert_eq!(available.first(), Some(&Kernel::best()));
    assert_eq!(available.last(), Some(&Kernel::Portable));
    assert_eq!(Embedder::builtin().kernel(), Kernel::best());
}

#[test]
fn a_kernel_of_another_processor_is_not_to_be_had() {
    let foreign = if cfg!(target_arch = "aarch64") { Kernel::Avx2 } else { Kernel::Neon };
    assert!(Embedder::with_kernel(foreign).is_none());
}

#[test]
fn vectors_have_the_same_bits_on_every_machine() {
    let mut hash = Sha256::new();
    for text in ["", "ok", "Redis lost the sessions twice.", "Über den Wolken 雲の上 ☁️"] {
        for number in Embedder::builtin().embed(text) {
            hash.update(number.to_le_bytes());
        }
    }
    let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hash, "2c54179d5c10cc1e2a5c5d936d3794a8643f302135ed2277f4d398a1d3fd3476");
}
