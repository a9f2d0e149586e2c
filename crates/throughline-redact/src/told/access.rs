//! Verbs of access and things with a lock: `root gets in with …`, `type in … to get in`, `sudo is …`,
//! `key to the backup archive: …`.
//!
//! No noun says here that a secret follows, so that the value must look like one without doubt: people
//! log in with `office365`, too.

use super::Told;
use super::links::{ADVERBS, FINDS, GIVES, LINKS, LOCKED, PLACES, PURPOSES, RELATIVES, WITH};
use super::pair::{listed_at, pair_at};
use super::word::{
    CLOSING, Fit, REACH, after_sign, after_stroke, clause, is_number, is_one_of, value,
    value_or_below, word_end, word_start,
};
use crate::scan::Span;
use crate::text::skip_blanks;
use crate::typed::has_sign;
use crate::value::is_word_like;

/// The value behind a verb and its `with`: `unlock the laptop with …`, `what opens the door is …`.
pub(super) fn with(text: &str, at: usize, to: usize) -> Option<Span> {
    const WORDS_MAX: usize = 6;
    // What people connect and authenticate with has a name of drawn words more often.
    let is_named = ["connect", "auth"].iter().any(|verb| text[at..].starts_with(verb));
    let fit = if is_named { Fit::Firm } else { Fit::FirmOrDrawn };
    let is_asked = text[..at].trim_end().ends_with("what");
    let mut at = to;
    for _ in 0..=WORDS_MAX {
        at = skip_blanks(text.as_bytes(), at);
        let end = word_end(text, at);
        if end == at || at > to + REACH {
            return None;
        }
        let word = &text[at..end];
        if is_one_of(&WITH, word) || is_asked && is_one_of(&LINKS, word) {
            let found = value(text, end, Told::English, fit);
            let found = found.or_else(|| listed_at(text, end, Fit::Firm));
            // `ssh into the pi with pi/…`
            let found = found.or_else(|| pair_at(text, end, Fit::Firm));
            if found.is_some() {
                return found;
            }
        }
        at = end;
    }
    None
}

/// `… gets you in`, `… is what unlocks the safe`: the value before a verb.
pub(super) fn gets(text: &str, at: usize) -> Option<Span> {
    const WORDS_MAX: usize = 3;
    const BETWEEN: [&str; 12] = [
        "should", "will", "would", "is", "what", "that", "still", "also", "can", "to", "which",
        "always",
    ];
    let mut end = text[..at].trim_end_matches(' ').len();
    for _ in 0..=WORDS_MAX {
        let inner = text[..end].trim_end_matches(CLOSING);
        let start = word_start(text, inner.len());
        let word = &inner[start..];
        if !is_one_of(&BETWEEN, word) {
            let is_value = end < at && Fit::FirmOrDrawn.accepts(word);
            return is_value.then_some(Span { start, end: inner.len(), rule: super::RULE });
        }
        end = text[..start].trim_end_matches(' ').len();
    }
    None
}

/// `type in … to get in`, `if it asks, type …`: what is typed, and what for.
pub(super) fn typing(text: &str, at: usize, to: usize) -> Option<Span> {
    let found = value(text, to, Told::English, Fit::FirmOrDrawn);
    let found = found.or_else(|| value(text, to, Told::Pin, Fit::Firm))?;
    let behind = clause(text, found.end);
    let end = behind.find(". ").unwrap_or(behind.len());
    let typed = &text[found.start..found.end];
    // `put PromptV2Builder beside the prompt`: people put, say and answer names, too.
    let is_name = is_word_like(typed) && !has_sign(typed);
    let is_own = Fit::Firm.accepts(typed) && !is_name;
    let is_meant = PURPOSES.iter().any(|purpose| behind[..end].contains(purpose))
        && (is_own || is_verb_of_typing(&text[at..to]))
        || is_own && (is_asked(text, at) || is_for_thing(&behind[..end]));
    // A number is a port or a count unless it opens something.
    let is_code = is_number(&text[found.start..found.end], 4);
    let opens = ["unlock", "get in", "opens", "to open"];
    let opens = opens.iter().any(|purpose| behind[..end].contains(purpose));
    (is_meant && (!is_code || opens)).then_some(found)
}

/// Whether a verb is said of what is typed and hardly of anything else.
fn is_verb_of_typing(verb: &str) -> bool {
    const OTHERS: [&str; 6] = ["say", "put", "pop", "answer", "give it", "set it to"];
    !is_one_of(&OTHERS, verb.trim_end())
}

/// `if it asks, …`, `the laptop opens once you …`: whether the words before a verb of typing speak of access.
fn is_asked(text: &str, at: usize) -> bool {
    const ASKED: [&str; 8] =
        ["asks", "asked", "prompt", "wants", "opens", "log in", "login", "ssh "];
    let before = &text[text.ceil_char_boundary(at.saturating_sub(REACH))..at];
    let before = &before[before.rfind(['\n', ';']).map_or(0, |place| place + 1)..];
    let before = &before[before.rfind(". ").map_or(0, |place| place + 2)..];
    ASKED.iter().any(|word| before.contains(word))
}

/// `… for the vnc`: whether the words behind a value name a thing that it opens.
fn is_for_thing(behind: &str) -> bool {
    const THINGS: [&str; 8] = ["vnc", "rdp", "telnet", "sudo", "console", "vpn", "wifi", "router"];
    let thing =
        [" for the ", " on the ", " for "].iter().find_map(|link| behind.strip_prefix(link));
    thing.is_some_and(|thing| THINGS.iter().any(|known| thing.starts_with(known)))
}

/// `mit … kommst du rein`, `zum Entsperren … eingeben`: what stands before a verb.
pub(super) fn before_verb(text: &str, at: usize, to: usize) -> Option<Span> {
    const IN: [&str; 6] = ["rein", " auf ", " in ", " ins ", "drauf", " an "];
    const UNLOCKS: [&str; 5] = ["ntsperren", "nloggen", "nmelden", "inkommen", "ffnen"];
    let verb = &text[at..to];
    let end = text[..at].trim_end_matches([' ', '`', '"']).len();
    let start = word_start(text, end);
    let before = text[..start].trim_end_matches([' ', '`', '"']);
    let before = &before[before.ceil_char_boundary(before.len().saturating_sub(REACH))..];
    let is_meant = if verb.starts_with("komm") {
        let mit = before.len().checked_sub(3).and_then(|at| before.get(at..));
        let is_in = IN.iter().any(|word| clause(text, to).contains(word));
        is_in && mit.is_some_and(|word| word.eq_ignore_ascii_case("mit"))
    } else {
        UNLOCKS.iter().any(|word| before.contains(word))
    };
    is_meant
        .then(|| value(text, start, Told::English, Fit::Firm))
        .flatten()
        .filter(|span| span.end <= at)
}

/// What a thing with a lock may be told to be: what has an address or a maker has a name with digits or of
/// drawn words, too (`the jumphost is jump-berlin-alpha`, `the kiosk is Elo15i4`).
fn fit_of(noun: &str) -> Fit {
    const NAMELESS: [&str; 7] =
        ["sudo", "login", "logon", "vault key", "master key", "encryption key", "decryption key"];
    const JOINED: [&str; 14] = [
        "vpn",
        "wifi",
        "wi-fi",
        "wlan",
        "htaccess",
        "basic auth",
        "secret",
        "api key",
        "vnc",
        "rdp",
        "telnet",
        "sign-in",
        "console",
        "handshake",
    ];
    if is_one_of(&NAMELESS, noun) {
        Fit::FirmOrDrawn
    } else if is_one_of(&JOINED, noun) {
        Fit::Firm
    } else {
        Fit::Signed
    }
}

/// `sudo is …`, `wifi in the lab: NAME / …`, `my login for the admin page is …`.
pub(super) fn lock(text: &str, noun: usize, to: usize) -> Option<Span> {
    const WORDS_MAX: usize = 7;
    const OWN: [&str; 9] =
        ["prompt", "login", "wants", "takes", "session", "one", "string", "phrase", "screen"];
    let own = fit_of(&text[noun..to]);
    let bytes = text.as_bytes();
    let mut at = to;
    for count in 0..=WORDS_MAX {
        at = skip_blanks(bytes, at);
        if let Some(from) = after_colon(text, at) {
            return stated(text, from, own);
        }
        let end = word_end(text, at);
        let word = &text[at..end];
        if word.is_empty() || at > to + REACH {
            return None;
        }
        let wants = is_one_of(&["wants", "takes", "needs"], word) || is_one_of(&GIVES, word);
        if is_one_of(&LINKS, word) || wants {
            return stated(text, end, if wants { Fit::FirmOrDrawn } else { own });
        }
        if is_one_of(&["uses", "has"], word) {
            // `has been …`
            let next = skip_blanks(bytes, end);
            let end = if text[next..].starts_with("been ") { next + "been".len() } else { end };
            return stated(text, end, own);
        }
        let goes_on =
            is_one_of(&PLACES, word) || is_one_of(&RELATIVES, word) || is_one_of(&OWN, word);
        if count == 0 && word == "to" {
            let found = value(text, end, Told::English, Fit::Firm);
            if found.is_some() {
                return found;
            }
        }
        if count == 0 && !goes_on {
            return None;
        }
        at = end;
    }
    None
}

/// `key to the backup archive: …`: a key that opens something, and none that finds it.
pub(super) fn key(text: &str, to: usize, told: Told) -> Option<Span> {
    const WORDS_MAX: usize = 8;
    let found = |from: usize| {
        let number = || value(text, from, Told::Pin, Fit::Firm);
        stated(text, from, Fit::FirmOrDrawn).or_else(|| (told == Told::Code).then(number)?)
    };
    let mut is_locked = false;
    let mut at = to;
    for _ in 0..=WORDS_MAX {
        at = skip_blanks(text.as_bytes(), at);
        // `le code du coffre, c'est …`
        if is_locked && text[at..].starts_with(", ") {
            at += 2;
        }
        if let Some(from) = after_colon(text, at) {
            return is_locked.then(|| found(from))?;
        }
        let end = word_end(text, at);
        let word = &text[at..end];
        if word.is_empty() || is_one_of(&FINDS, word) || at > to + REACH {
            return None;
        }
        if is_one_of(&LINKS, word) {
            return is_locked.then(|| found(end))?;
        }
        is_locked |= is_one_of(&LOCKED, word);
        at = end;
    }
    None
}

/// What stands for `is` besides the word; an equals sign belongs to code.
fn after_colon(text: &str, at: usize) -> Option<usize> {
    let is_code = text[at..].starts_with('=') && !text[at..].starts_with("=> ");
    if is_code { None } else { after_sign(text, at).or_else(|| after_stroke(text, at)) }
}

/// The value that is told of something with a lock, alone or with its user.
fn stated(text: &str, from: usize, fit: Fit) -> Option<Span> {
    let from = after_sign(text, from).unwrap_or(from);
    let at = skip_blanks(text.as_bytes(), from);
    let end = word_end(text, at);
    let from = if is_one_of(&ADVERBS, &text[at..end]) { end } else { from };
    pair_at(text, from, Fit::FirmOrDrawn).or_else(|| value_or_below(text, from, Told::English, fit))
}
