//! Text in comparable form, and text made safe to show.

use proptest::prelude::*;
use throughline_core::Fingerprint;
use throughline_core::text::{headline, normalise, plural, printable};
use unicode_normalization::UnicodeNormalization;

use crate::arbitrary;

proptest! {
    /// Texts of ASCII alone take a shorter way; a word of another sort beside them makes them take the longer one.
    #[test]
    fn ascii_is_compared_as_if_it_stood_beside_other_letters(text in "[ -~\\t\\n\\x00-\\x1f]{0,60}") {
        let (alone, beside) = (normalise(&text), normalise(&format!("{text} é")));
        let expected = format!("{alone} é");
        prop_assert_eq!(expected.trim_start(), beside);
        let terms = throughline_core::words::terms;
        let longer = terms(&format!("{text} é"));
        let expected: Vec<String> = terms(&text).into_iter().chain(terms("é")).collect();
        prop_assert_eq!(longer, expected);
    }

    #[test]
    fn comparable_form_is_its_own_comparable_form(text in arbitrary::text()) {
        let once = normalise(&text);
        prop_assert_eq!(normalise(&once), once);
    }

    #[test]
    fn how_accents_are_encoded_makes_no_difference(text in arbitrary::text()) {
        let expected = Fingerprint::of(&text);
        for other in [
            text.nfc().collect::<String>(), text.nfd().collect(), text.nfkc().collect(), text.nfkd().collect(),
        ] {
            prop_assert_eq!(&Fingerprint::of(&other), &expected, "{:?}", other);
        }
    }

    #[test]
    fn case_and_the_end_of_a_sentence_make_no_difference(text in "[a-z]{1,8}( [a-z]{1,8}){0,5}") {
        let expected = Fingerprint::of(&text);
        for other in [
            text.to_uppercase(), format!("{text}."), format!("\"{text}\"!"), format!("  {text}\n"),
            text.replace(' ', ", "), text.replace(' ', " - "), text.replace(' ', "\u{200b} \u{a0}"),
        ] {
            prop_assert_eq!(&Fingerprint::of(&other), &expected, "{:?}", other);
        }
    }

    #[test]
    fn shown_text_can_neither_move_a_cursor_nor_reverse_a_line(text in arbitrary::text()) {
        let shown = printable(&text);
        for c in shown.chars() {
            let bidi = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            let line = matches!(c, '\u{2028}' | '\u{2029}');
            prop_assert!(!bidi && !line && (!c.is_control() || c == '\n' || c == '\t'), "{:?}", c);
        }
        prop_assert_eq!(printable(&shown), shown, "safe text is shown as it is");
    }

    #[test]
    fn a_headline_is_one_line_and_never_longer_than_asked(text in arbitrary::text(), max in 0..80_usize) {
        let line = headline(&text, max);
        prop_assert!(line.chars().count() <= max, "{} > {max}", line.chars().count());
        prop_assert!(!line.contains('\n'));
    }
}

#[test]
fn different_spellings_of_one_claim_have_one_fingerprint() {
    for (one, other) in [
        ("Staging runs Postgres 16.", "staging runs postgres 16"),
        ("“Never push to main!”", "never push to main"),
        ("use tabs, not spaces", "Use tabs not spaces;"),
        ("caf\u{e9}", "cafe\u{301}"),
        ("cafe\u{200b}\u{301}", "caf\u{e9}"),
        ("ﬁle oﬀset", "file offset"),
        ("Ｐｏｓｔｇｒｅｓ　１６", "postgres 16"),
        ("post\u{200b}gres\u{feff}", "postgres"),
        ("pay\u{202e}load", "payload"),
        ("it’s `done`", "it's done"),
        ("keep  it\tshort\r\n", "keep it short"),
        ("we said — yes", "we said yes"),
    ] {
        assert_eq!(Fingerprint::of(one), Fingerprint::of(other), "{one:?} and {other:?}");
    }
}

#[test]
fn signs_that_carry_meaning_keep_claims_apart() {
    for (one, other) in [
        ("assert a != b", "assert a = b"),
        ("written in C++", "written in C"),
        ("written in C#", "written in C"),
        ("takes 1.5 s", "takes 15 s"),
        ("1,5 million", "15 million"),
        ("pages 1,5", "pages 1, 5"),
        ("offset -5", "offset 5"),
        ("\u{430}dmin", "admin"),
        ("is it on?", "is it on"),
        ("edit .env", "edit env"),
        ("use --fast", "use fast"),
        ("path a/b", "path ab"),
        ("caf\u{e9}", "cafe"),
        ("2 * 3", "2 3"),
        ("free *ptr", "free ptr"),
        ("delete *", "delete"),
    ] {
        assert_ne!(Fingerprint::of(one), Fingerprint::of(other), "{one:?} and {other:?}");
    }
}

#[test]
fn an_escape_sequence_is_shown_instead_of_obeyed() {
    assert_eq!(printable("a\u{1b}[2Jb\rc"), "a\\u{1b}[2Jb\\u{d}c");
    assert_eq!(printable("user\u{202e}nimda"), "user\\u{202e}nimda");
    assert_eq!(printable("two\nlines\tand 👩\u{200d}💻"), "two\nlines\tand 👩\u{200d}💻");
}

#[test]
fn a_headline_is_cut_at_a_word() {
    let text = "We keep the log\nin one file because moving it cost more";
    assert_eq!(headline(text, 200), "We keep the log in one file because moving it cost more");
    assert_eq!(headline(text, 24), "We keep the log in one…");
    assert_eq!(headline("pneumonoultramicroscopic", 10), "pneumonou…");
    assert_eq!([0, 1].map(|max| headline(text, max)), ["", "…"]);
}

#[test]
fn a_word_stands_by_itself_or_not_at_all() {
    use throughline_core::text::has_token;
    for (text, word) in [
        ("const MAX_RETRIES: u32 = 5;", "MAX_RETRIES"),
        ("const MAX_RETRIES: u32 = 5;", "5"),
        ("serde = \"1.0.219\"", "1.0.219"),
        ("it takes 12ms", "12ms"),
        ("it is 5.", "5"),
    ] {
        assert!(has_token(text, word), "{text}: {word}");
    }
    for (text, word) in [
        ("const MAX_RETRIES: u32 = 15;", "5"),
        ("const MAX_RETRIES_HTTP", "MAX_RETRIES"),
        ("version 1.0.219", "1.0"),
        ("it is 5.2", "5"),
        ("", "5"),
        ("anything", ""),
    ] {
        assert!(!has_token(text, word), "{text}: {word}");
    }
}

#[test]
fn counts_are_written_in_english() {
    for (count, noun, written) in [
        (1, "memory", "1 memory"),
        (5, "memory", "5 memories"),
        (0, "batch", "0 batches"),
        (2, "turn", "2 turns"),
        (2, "more line", "2 more lines"),
        (2, "key", "2 keys"),
        (3, "pending operation", "3 pending operations"),
        (2, "copy", "2 copies"),
    ] {
        assert_eq!(plural(count, noun), written);
    }
}
