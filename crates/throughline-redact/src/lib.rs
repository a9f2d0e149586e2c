//! Texts without their secrets: passwords, tokens and keys are taken out before anything is kept.
//!
//! One pass finds keywords (`keywords`), and each keyword says who looks closer: `shape` knows
//! tokens by their face (`ghp_…`), `key_block` private keys in armour, `address` passwords in URLs,
//! `header` what HTTP requests and command lines carry, and `assignment` names such as `password`
//! with a value behind them, which `value` then judges. `told` reads sentences in which somebody tells a
//! password, in some twenty languages, and `typed` says what a typed password looks like. `marked` finds what its author wants kept
//! private, and `number` cards and accounts by their check digits; `contact`, where the
//! user wants it, addresses and telephone numbers. `layout` reads what stands where a
//! table, a manifest or a line of logins puts a password, and `veil` looks through colours, escapes,
//! base64 and, with `fold`, letters in disguise. Every one of them looks at a bounded
//! stretch around its keyword, so the time grows with the text and with nothing else.
//!
//! A mention is not a secret. `password: required`, `token = get_token()` and `<your key>` come
//! through byte for byte; RULES.md says where the line is.

mod address;
mod assignment;
mod contact;
mod file;
mod fold;
mod header;
mod key_block;
mod keywords;
mod known;
mod layout;
mod marked;
mod name;
mod number;
mod scan;
mod shape;
mod text;
mod told;
mod typed;
mod value;
mod veil;
mod words;

use std::borrow::Cow;

pub use contact::take_contacts;
pub use file::is_secret_file;
pub use known::{Fresh, Hash, KnownSecrets};
pub use told::asks_for_secret;

/// Redacted text, and what was taken out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// The text, with `[redacted:RULE]` in the place of every secret. Borrowed if there was none.
    pub text: Cow<'a, str>,
    /// What was taken out, in the order of the text, never overlapping.
    pub found: Vec<TakenSecret>,
}

/// Taken secret: one place where a secret was taken out. It says where, never what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakenSecret {
    /// The rule that recognised it, such as `github-token`.
    pub rule: &'static str,
    /// The byte in the original text where it began.
    pub at: usize,
    /// How many bytes of the original text it had.
    pub length: usize,
}

/// Redacts a text: takes the secrets out and keeps everything around them.
///
/// A value that was recognised once is taken out everywhere in the text. Redacting the result again
/// changes nothing.
///
/// ```
/// let redacted = throughline_redact::redact("DB_PASSWORD=hunter2 cargo run");
/// assert_eq!(redacted.text, "DB_PASSWORD=[redacted:password] cargo run");
/// assert_eq!(redacted.found[0].rule, "password");
/// ```
pub fn redact(text: &str) -> Redacted<'_> {
    written(text, scan::secrets(text))
}

/// The text with a mark in the place of everything that was found.
fn written(text: &str, found: Vec<TakenSecret>) -> Redacted<'_> {
    if found.is_empty() {
        return Redacted { text: Cow::Borrowed(text), found };
    }
    let mut clean = String::with_capacity(text.len());
    let mut kept_until = 0;
    for secret in &found {
        clean.push_str(&text[kept_until..secret.at]);
        text::push_mark(&mut clean, secret.rule);
        kept_until = secret.at + secret.length;
    }
    clean.push_str(&text[kept_until..]);
    Redacted { text: Cow::Owned(clean), found }
}
