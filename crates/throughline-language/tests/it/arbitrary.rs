//! Texts that a law is tried on.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Text as it really comes in: words, any characters at all, and characters that play tricks.
pub(crate) fn text() -> impl Strategy<Value = String> {
    const TRICKY: &str = "aAé\u{301}eﬁＡİßẞΣς数库한\u{200b}\u{200d}\u{202e}\u{2066}\u{feff}\u{ad}\
        \u{1b}\u{7}\u{85}\u{2028}\u{e0041}\0\r\n\t\u{20}\u{a0}.,;!?\"“’()`*-—…。15٣½´_/:=+#";
    let tricky: Vec<char> = TRICKY.chars().collect();
    prop_oneof![
        "[a-zA-Z0-9 .,;!?_/-]{0,60}",
        any::<String>(),
        vec(select(tricky), 0..30).prop_map(String::from_iter),
    ]
}
