//! Tokens that a terminal broke at the end of its line go as a whole; words on two lines stay.

use throughline_redact::redact;

use crate::secrets::{capitals, mixed};

/// A token broken into lines of so many signs.
fn broken(token: &str, width: usize, end: &str) -> String {
    let pieces: Vec<&str> = token
        .as_bytes()
        .chunks(width)
        .map(|one| std::str::from_utf8(one).expect("ASCII"))
        .collect();
    pieces.join(end)
}

#[test]
fn a_token_that_was_broken_at_the_end_of_a_line_goes_whole() {
    for (first, second, body) in [
        ("gh", "p_", mixed(36)),
        ("github", "_pat_", format!("{}_{}", mixed(22), mixed(59))),
        ("np", "m_", mixed(36)),
        ("AK", "IA", capitals(16)),
        ("AI", "za", mixed(35)),
    ] {
        let token = [first, second, &body].concat();
        for width in [13, 16, 20, 24] {
            for end in ["\n", "\r\n"] {
                let shown = broken(&token, width, end);
                if width <= first.len() + second.len() || width >= token.len() {
                    continue;
                }
                let text = format!("It is {shown} for staging.");
                let clean = redact(&text).text.into_owned();
                for piece in shown.split(end).filter(|piece| piece.len() > 4) {
                    assert!(!clean.contains(piece), "{width} {text:?}: {clean:?}");
                }
                assert!(clean.starts_with("It is [redacted:"), "{clean:?}");
                assert!(clean.ends_with(" for staging."), "{clean:?}");
                assert_eq!(redact(&clean).text, clean, "twice changes nothing");
            }
        }
    }
}

#[test]
fn a_prefix_at_the_end_of_a_line_takes_no_words_with_it() {
    let short = ["gh", "p_", "abc"].concat();
    for text in [
        format!("Tokens begin with {short}\nand go on with 36 signs, 4 of them in front."),
        format!("{short}\n\n{}", mixed(33)),
        format!("{short}\nThisIsAVeryLongNameWithoutAnyDigitsInIt"),
        format!("{short}\n{} and more", mixed(12)),
        "class=\"sk-\nnavigation-left-bottom-corner-of-the-2nd-page\"".to_owned(),
    ] {
        assert_eq!(redact(&text).text, text);
    }
}
