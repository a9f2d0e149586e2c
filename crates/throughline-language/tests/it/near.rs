//! When two alike texts must not become one.

use proptest::prelude::*;
use throughline_language::near::{Veto, veto};

use crate::arbitrary;

proptest! {
    #[test]
    fn a_veto_does_not_depend_on_which_text_came_first(a in arbitrary::text(), b in arbitrary::text()) {
        prop_assert_eq!(veto(&a, &b), veto(&b, &a));
    }

    #[test]
    fn nothing_speaks_against_a_text_itself(text in arbitrary::text()) {
        prop_assert_eq!(veto(&text, &text), None);
    }

    #[test]
    fn different_numbers_in_the_same_sentence_are_never_merged(a in 0..100_000_u32, b in 0..100_000_u32) {
        let [left, right] = [a, b].map(|number| format!("the build takes {number} seconds."));
        prop_assert_eq!(veto(&left, &right), (a != b).then_some(Veto::Number));
    }

    #[test]
    fn denying_twice_is_no_denial(words in "[a-c]{1,5}( [a-c]{1,5}){0,4}") {
        let (denied, doubly) = (format!("never {words}"), format!("never not {words}"));
        prop_assert_eq!(veto(&words, &denied), Some(Veto::Negation));
        prop_assert_eq!(veto(&words, &doubly), None);
    }
}

#[test]
fn a_name_in_other_letters_is_the_same_name() {
    for (one, other, expected) in [
        ("we run Node.js here", "we run node.js here", None),
        ("set MAX_RETRY first", "set max_retry first", None),
        ("call parseLine first", "call parseline first", None),
        ("we run Node.js here", "we run Deno.js here", Some(Veto::Identifier)),
        ("set MAX_RETRY first", "set MAX_RETRIES first", Some(Veto::Identifier)),
    ] {
        assert_eq!(veto(one, other), expected, "{one} / {other}");
        assert_eq!(veto(other, one), expected, "{other} / {one}");
    }
}
