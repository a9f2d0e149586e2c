//! The model file is the one that was measured, and what it says makes sense.

use sha2::{Digest, Sha256};
use throughline_embed::{DIMENSIONS, Embedder, MODEL_SHA256};

use crate::golden::cosine;

#[test]
fn the_model_file_is_the_pinned_one() {
    let file = include_bytes!("../../model/minilm-l6-int8.bin");
    let digest: String = Sha256::digest(file).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digest, MODEL_SHA256);
}

#[test]
fn texts_that_mean_the_same_lie_closer_than_texts_that_share_words() {
    let embedder = Embedder::builtin();
    let [asked, same, words] = [
        "Where do we keep the sessions?",
        "User logins are stored in Postgres.",
        "We keep the door closed in winter.",
    ]
    .map(|text| embedder.embed(text));
    assert_eq!(asked.len(), DIMENSIONS);
    let [same, words] = [same, words].map(|it| cosine(&asked, &it));
    assert!(same > words, "{same} is not above {words}");
}
