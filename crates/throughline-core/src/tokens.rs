//! How many tokens a text will cost, estimated without a model's vocabulary.

/// An estimate that leans high, so that a budget kept by it is kept in fact.
///
/// Words of a language with spaces cost about one token for four letters; signs, digits and
/// line breaks cost more; letters of other scripts cost about one each.
pub fn estimate(text: &str) -> usize {
    let mut quarter_tokens = 0_usize;
    for c in text.chars() {
        quarter_tokens += match c {
            ' ' => 0,
            'a'..='z' | 'A'..='Z' => 1,
            '0'..='9' | '\n' => 2,
            _ if c.is_ascii() => 3,
            _ => 4,
        };
    }
    let words = text.split_whitespace().count();
    quarter_tokens.div_ceil(4).max(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_english_sentence_costs_about_a_token_a_word() {
        let sentence =
            "We decided to keep the log in one file because moving it cost more than it gave.";
        assert!((17..=24).contains(&estimate(sentence)), "{}", estimate(sentence));
    }

    proptest! {
        #[test]
        fn more_text_never_costs_less(a in ".{0,80}", b in ".{0,80}") {
            let both = [a.as_str(), &b].concat();
            prop_assert!(estimate(&both) >= estimate(&a));
        }
    }
}
