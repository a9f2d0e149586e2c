//! Word pieces are those the model was trained with.

use proptest::prelude::*;
use throughline_embed::{Embedder, WINDOW_TOKENS, WINDOWS_MAX};

use crate::golden::golden;

#[test]
fn pieces_are_those_of_the_reference() {
    let embedder = Embedder::builtin();
    for golden in golden() {
        assert_eq!(embedder.pieces(&golden.text), golden.pieces, "{:?}", golden.text);
    }
}

#[test]
fn case_accents_and_the_kind_of_space_make_no_difference() {
    let embedder = Embedder::builtin();
    let plain = embedder.pieces("uber den wolken");
    for text in ["Über den Wolken", "U\u{308}BER\u{a0}den\nWOLKEN", " über\tden\u{3000}wolken "] {
        assert_eq!(embedder.pieces(text), plain, "{text:?}");
    }
}

#[test]
fn marks_of_the_model_are_plain_text() {
    let embedder = Embedder::builtin();
    let pieces = embedder.pieces("[CLS] and [SEP]");
    assert!(!pieces.contains(&101) && !pieces.contains(&102), "{pieces:?}");
}

proptest! {
    #[test]
    fn pieces_exist_and_are_bounded(text in any::<String>()) {
        let pieces = Embedder::builtin().pieces(&text);
        prop_assert!(pieces.len() <= WINDOW_TOKENS * WINDOWS_MAX);
        prop_assert!(pieces.iter().all(|piece| *piece < 30_522));
    }

    #[test]
    fn words_are_taken_apart_one_by_one(
        first in "[a-zA-Zé0-9]{1,12}", second in "[a-zA-Zé0-9]{1,12}",
    ) {
        let embedder = Embedder::builtin();
        let apart = [embedder.pieces(&first), embedder.pieces(&second)].concat();
        prop_assert_eq!(embedder.pieces(&format!("{first} {second}")), apart);
    }
}
