//! What holds for every text.

use std::borrow::Cow;

use proptest::prelude::*;
use throughline_redact::{is_secret_file, redact};

use crate::mentions::MENTIONS;
use crate::secrets::{in_place, tokens};

/// Texts put together from secrets, mentions, keywords and arbitrary signs.
fn texts() -> impl Strategy<Value = String> {
    let secrets: Vec<String> = tokens()
        .into_iter()
        .map(|(_, token)| token)
        .chain(in_place().into_iter().map(|(before, secret, after)| before + &secret + &after))
        .collect();
    let pieces = prop_oneof![
        3 => prop::sample::select(secrets),
        2 => prop::sample::select(MENTIONS).prop_map(str::to_owned),
        3 => prop::sample::select(KEYWORDS).prop_map(str::to_owned),
        2 => "[a-zA-Z0-9]{1,24}",
        1 => "\\PC{0,12}",
    ];
    prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}

const KEYWORDS: &[&str] = &[
    " ",
    "\n",
    "=",
    ": ",
    "\"",
    "'",
    "\\",
    "\\n",
    "://",
    "@",
    "password",
    "TOKEN",
    "api_key",
    "-u ",
    "Bearer ",
    "cookie:",
    "[redacted:",
    "]",
    "eyJ",
    "sk-",
    "ghp_",
    "-----BEGIN PRIVATE KEY-----",
    "-----END",
    "Q~",
    "--",
    "is ",
    ";",
    ",",
    "(",
    ")",
    "`",
    "curl ",
    "ä",
    "é",
    "=>",
    "…",
    "$",
    "{",
    "}",
    " / ",
    "gets in with ",
    "sudo is ",
    "type in ",
    " to get in",
    " and then ",
    " gets you in",
    "hasło ",
    "\u{200b}",
    "\u{430}",
    "creds: ann/",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn redacting_twice_changes_nothing_more(text in texts()) {
        let once = redact(&text).text.into_owned();
        let twice = redact(&once);
        prop_assert_eq!(&twice.text, &once, "found {:?} in the second pass", twice.found);
    }

    #[test]
    fn any_text_at_all_is_fine(text in "\\PC{0,200}", path in "\\PC{0,40}") {
        let once = redact(&text).text.into_owned();
        prop_assert_eq!(&redact(&once).text, &once);
        is_secret_file(&path);
    }

    #[test]
    fn everything_around_the_secrets_stays(text in texts()) {
        let redacted = redact(&text);
        prop_assert_eq!(redacted.found.is_empty(), matches!(redacted.text, Cow::Borrowed(_)));
        let mut rebuilt = String::new();
        let mut kept_until = 0;
        for found in &redacted.found {
            prop_assert!(kept_until <= found.at && 0 < found.length);
            rebuilt.push_str(&text[kept_until..found.at]);
            rebuilt.push_str(&format!("[redacted:{}]", found.rule));
            kept_until = found.at + found.length;
        }
        rebuilt.push_str(&text[kept_until..]);
        prop_assert_eq!(rebuilt, redacted.text);
    }

    #[test]
    fn a_token_vanishes_from_any_text(
        before in "(\\PC{0,60}[ \n\"'`(=])?",
        token in prop::sample::select(tokens()),
        after in "([ \n\"'`),;]\\PC{0,60})?",
    ) {
        let text = format!("{before}{}{after}", token.1);
        prop_assert!(!redact(&text).text.contains(&token.1));
    }
}
