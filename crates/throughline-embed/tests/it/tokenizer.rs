//! Word pieces are those the model was trained with.

use proptest::prelude::*;
use throughline_embed::{Embedder, WINDOW_TOKENS, WINDOWS_MAX, tokens};

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

/// The parts of a text that its word pieces stand for.
fn parts(text: &str) -> Vec<&str> {
    tokens(text, 1_000).ranges.into_iter().map(|range| &text[range]).collect()
}

#[test]
fn each_piece_knows_its_bytes() {
    assert_eq!(parts("  Don't\tkubectl!"), ["Don", "'", "t", "ku", "be", "ct", "l", "!"]);
    assert_eq!(parts("A\0B \u{200b} ok"), ["A\0B", "ok"]);
    assert_eq!(parts("Cafe\u{301} Über 雲の"), ["Cafe\u{301}", "Über", "雲", "の"]);
    let endless = "x".repeat(300);
    assert_eq!(parts(&format!("{endless} b")), [endless.as_str(), "b"]);
}

proptest! {
    #[test]
    fn the_bytes_of_pieces_ascend_and_lie_on_characters(text in any::<String>(), most in 0..40_usize) {
        let found = tokens(&text, most);
        prop_assert!(found.ids.len() <= most);
        prop_assert_eq!(found.ids.len(), found.ranges.len());
        prop_assert_eq!(&Embedder::builtin().pieces(&text)[..found.ids.len()], &found.ids[..]);
        for range in &found.ranges {
            prop_assert!(range.start < range.end && text.get(range.clone()).is_some());
        }
        for pair in found.ranges.windows(2) {
            prop_assert!(pair[0].start <= pair[1].start && pair[0].end <= pair[1].end);
        }
    }

    #[test]
    fn a_piece_of_an_ascii_text_is_its_bytes_in_lower_case(text in "[ -~\n\t]{0,60}") {
        let found = tokens(&text, 1_000);
        let joined: String = found.ranges.into_iter().map(|range| &text[range]).collect();
        let words: String = text.split_whitespace().collect();
        prop_assert_eq!(joined, words);
    }

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
