//! The reference: our own texts, their word pieces, and vectors of the model before quantisation.
//!
//! `tools/convert-model/golden.py` writes the two files.

use throughline_embed::{DIMENSIONS, Embedding};

/// One text of the reference.
#[derive(serde::Deserialize)]
pub(crate) struct Golden {
    pub(crate) text: String,
    /// All pieces that the windows of a text hold.
    pub(crate) pieces: Vec<u16>,
    /// How many of them are in the first window.
    pub(crate) window: usize,
    /// The vector of the first window.
    #[serde(skip)]
    pub(crate) vector: Vec<f32>,
}

pub(crate) fn golden() -> Vec<Golden> {
    let lines = include_str!("../golden/texts.jsonl").lines();
    let (numbers, _) = include_bytes!("../golden/vectors.bin").as_chunks();
    let numbers: Vec<f32> = numbers.iter().map(|number| f32::from_le_bytes(*number)).collect();
    let vectors = numbers.chunks_exact(DIMENSIONS);
    assert_eq!(lines.clone().count(), vectors.len(), "the two files belong together");
    lines
        .zip(vectors)
        .map(|(line, vector)| {
            let golden: Golden = serde_json::from_str(line).expect("golden.py writes JSON");
            Golden { vector: vector.to_vec(), ..golden }
        })
        .collect()
}

pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// Vectors are compared by their bits, where nearly is not enough.
pub(crate) fn bits(vector: &Embedding) -> Vec<u32> {
    vector.iter().map(|number| number.to_bits()).collect()
}

pub(crate) fn is_unit(vector: &Embedding) -> bool {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    vector.iter().all(|number| number.is_finite()) && (length - 1.0).abs() < 1e-4
}
