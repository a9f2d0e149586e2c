//! Long texts are read window by window.

use throughline_embed::{Embedder, WINDOW_TOKENS, WINDOWS_MAX};

use crate::golden::{bits, golden};

#[test]
fn texts_embedded_together_have_the_bits_of_texts_embedded_alone() {
    let embedder = Embedder::builtin();
    let golden = golden();
    let texts: Vec<&str> = golden.iter().map(|it| it.text.as_str()).collect();
    for (text, together) in texts.iter().zip(embedder.embed_all(&texts)) {
        let alone = embedder.windows(text);
        assert_eq!(together.len(), alone.len(), "{text:?}");
        for (together, alone) in together.iter().zip(&alone) {
            assert_eq!(bits(together), bits(alone), "{text:?}");
        }
    }
}

#[test]
fn a_text_has_one_window_until_it_is_longer_than_that() {
    let embedder = Embedder::builtin();
    let words = |count: usize| embedder.windows(&"word ".repeat(count)).len();
    assert_eq!([0, 1, WINDOW_TOKENS, WINDOW_TOKENS + 1].map(words), [1, 1, 1, 2]);
    assert_eq!(words(100 * WINDOW_TOKENS), WINDOWS_MAX);
}

#[test]
fn windows_end_between_words() {
    let embedder = Embedder::builtin();
    let cut = golden().into_iter().filter(|it| it.window < it.pieces.len());
    let mut seen = 0;
    for golden in cut.filter(|it| it.window < WINDOW_TOKENS) {
        // What follows the first window does not change it, down to the middle of a word.
        let text = format!("{} and something else", golden.text);
        assert_eq!(bits(&embedder.embed(&text)), bits(&embedder.embed(&golden.text)));
        seen += 1;
    }
    assert!(seen > 0, "no golden text is cut before a word");
}

#[test]
fn the_end_of_a_long_text_counts() {
    let embedder = Embedder::builtin();
    let start = "The meeting was about the budget of next year. ".repeat(40);
    let [one, other] = ["Pepper the dog barked.", "Deploy on Tuesday."]
        .map(|end| embedder.windows(&format!("{start}{end}")));
    assert_eq!(bits(&one[0]), bits(&other[0]));
    assert_ne!(bits(&one[one.len() - 1]), bits(&other[other.len() - 1]));
}
