//! Any text at all gives a vector of length one, in bounded time.

use proptest::prelude::*;
use throughline_embed::{Embedder, WINDOWS_MAX};

use crate::golden::{bits, is_unit};

#[test]
fn odd_and_endless_texts_give_unit_vectors() {
    let mega = 1 << 20;
    let texts = [
        String::new(),
        " ".to_owned(),
        "\0\u{1}\u{7f}".to_owned(),
        "\u{feff}\u{fffd}\u{200b}".to_owned(),
        "🙂".repeat(300),
        "\u{301}".repeat(5_000),
        "a".repeat(mega),
        " ".repeat(mega),
        ".".repeat(mega),
        "word ".repeat(mega / 5),
        "한".repeat(mega / 3),
        "a\u{308}".repeat(mega / 3),
        "é".repeat(mega),
        "\u{202e}".repeat(mega),
    ];
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for (text, windows) in texts.iter().zip(Embedder::builtin().embed_all(&texts)) {
        let start: String = text.chars().take(10).collect();
        assert!((1..=WINDOWS_MAX).contains(&windows.len()), "{start:?}: {}", windows.len());
        assert!(windows.iter().all(is_unit), "{start:?}");
    }
}

#[test]
fn no_texts_give_no_vectors() {
    assert!(Embedder::builtin().embed_all(&[]).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_text_gives_unit_vectors_and_always_the_same(text in any::<String>()) {
        let embedder = Embedder::builtin();
        let vector = embedder.embed(&text);
        prop_assert!(is_unit(&vector));
        prop_assert_eq!(bits(&vector), bits(&embedder.embed(&text)));
        prop_assert_eq!(bits(&vector), bits(&embedder.windows(&text)[0]));
    }
}
