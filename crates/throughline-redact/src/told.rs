//! Passwords that somebody tells in a sentence: `das Passwort ist …`, `use … as the password`,
//! `パスワードは…`, `credentials: ann/…`, `root gets in with …`.
//!
//! Three things together give one away: a noun of secrecy or a verb of access, a link from it to a word,
//! and the form of that word, which has letters and digits or signs as no word of a sentence has. So `the
//! password is in 1Password` and `das Passwort muss 12 Zeichen haben` stay. `nouns` and `links` hold the
//! words of all languages, `access` the verbs and what has a lock, `pair` users with their passwords, `joined` the
//! scripts without blanks; `seed` the words that restore a wallet, `sent` keys that are sent along, `prose` words that no sentence has; `word` says what a value is.

mod access;
mod joined;
mod links;
mod near;
mod nouns;
mod pair;
mod prose;
mod seed;
mod sent;
mod word;

pub(crate) use nouns::{KEYWORDS, Told};
pub(crate) use prose::find_all;

use crate::scan::Span;
use crate::text::{MARK, skip_blanks};
use links::{
    ADVERBS, CHANGED, GIVES, LINKS, LINKS_AS, LINKS_LATIN, LINKS_OLD, LINKS_TO, OBJECTS, PLACES,
    RELATIVES,
};
use word::{
    CLOSING, Fit, OPENING, REACH, after_sign, after_stroke, and_then, clause, is_one_of,
    piece_behind, value, value_or_below, word_end, word_start,
};

const RULE: &str = "password";

/// Whether a question asks for a password, a key or a number that opens something, by its nouns.
pub fn asks_for_secret(question: &str) -> bool {
    let question = question.to_lowercase();
    let named = |(word, told): &(&str, Told)| {
        let is_noun = matches!(
            told,
            Told::English | Told::Latin | Told::Joined | Told::Pin | Told::JoinedPin
        );
        // What stands there with a blank or a colon behind it is too short to be looked for inside of words.
        is_noun && !word.ends_with([' ', ':']) && question.contains(word)
    };
    let words = question.split(|c: char| !c.is_alphanumeric());
    KEYWORDS.iter().any(named)
        || ["api key", "secret", "token"].iter().any(|word| question.contains(word))
        || words.into_iter().any(|word| matches!(word, "pin" | "pw" | "passwd"))
}

/// Finds the password that the keyword at `at..to` tells of.
pub(crate) fn find(text: &str, at: usize, to: usize, told: Told) -> Option<Span> {
    let to = at + text[at..to].trim_end_matches([' ', ':']).len();
    let found = linked_to(text, at, to, told).or_else(|| near::find(text, at, to, told));
    // What such a sign follows is a name in code.
    found.filter(|span| !text[span.end..].starts_with("::"))
}

/// The same where a link leads from the keyword to the password.
fn linked_to(text: &str, at: usize, to: usize, told: Told) -> Option<Span> {
    match told {
        Told::Joined => joined::after(text, to, told).or_else(|| joined::before(text, at)),
        Told::JoinedPin => joined::after(text, to, told),
        Told::Slash => pair::slash(text, at),
        _ if !is_whole(text, at, to, told) => None,
        Told::Login => pair::login(text, to)
            .or_else(|| access::lock(text, at, to))
            .or_else(|| access::with(text, at, to)),
        Told::Pair => pair::credentials(text, to),
        // A slash between blanks parts a user from a password; a colon stands in code, too.
        Told::Account if text[at..to].ends_with('/') => pair::pair_at(text, at, Fit::FirmOrDrawn),
        Told::Account => pair::pair_at(text, at, Fit::Firm),
        Told::Access => access::with(text, at, to),
        Told::Typing => access::typing(text, at, to),
        Told::Seed => seed::find(text, to),
        Told::Sent => sent::find(text, at, to),
        Told::Near => None,
        Told::Verb => access::with(text, at, to).or_else(|| access::before_verb(text, at, to)),
        Told::Gets => access::with(text, at, to)
            .or_else(|| access::gets(text, at))
            .or_else(|| pair::login(text, to)),
        Told::Lock => access::lock(text, at, to),
        Told::Key | Told::Code => access::key(text, to, told),
        Told::English | Told::Latin | Told::Pin => after(text, at, to, told)
            .or_else(|| before(text, at, to, told))
            .or_else(|| behind_as(text, at, to, told))
            .or_else(|| (told == Told::Pin).then(|| pin_phrase(text, to))?),
    }
}

/// Whether the keyword is a word of its own. German puts others before it: `Datenbankpasswort`.
fn is_whole(text: &str, at: usize, to: usize, told: Told) -> bool {
    let part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let before = text[..at].chars().next_back();
    let next = text[to..].chars().next();
    let begins = match told {
        Told::Latin => before != Some('_'),
        Told::Pin => {
            // `throughline pin 42886944` names a memory.
            !before.is_some_and(|letter| part(letter) || "-.$@".contains(letter))
                && !text[..at].ends_with("throughline ")
        }
        Told::English if text[at..to].eq_ignore_ascii_case("pass") => {
            !before.is_some_and(|letter| part(letter) || "-./".contains(letter))
        }
        Told::Account | Told::Lock | Told::Access | Told::Typing => {
            !before.is_some_and(|letter| part(letter) || "-./$@:\\".contains(letter))
        }
        Told::English
        | Told::Joined
        | Told::JoinedPin
        | Told::Login
        | Told::Pair
        | Told::Slash
        | Told::Verb
        | Told::Gets
        | Told::Code
        | Told::Seed
        | Told::Sent
        | Told::Near
        | Told::Key => !before.is_some_and(part),
    };
    begins && !next.is_some_and(|letter| part(letter) || letter == '-')
}

/// The value behind a noun: `Passwort für die Datenbank ist …`, `Password for prod: …`, `clave …`.
fn after(text: &str, at: usize, to: usize, told: Told) -> Option<Span> {
    const WORDS_MAX: usize = 9;
    let bytes = text.as_bytes();
    // `pass` is a verb more often, which has no `is` behind it.
    let is_verb = bytes[to.saturating_sub(4)..to].eq_ignore_ascii_case(b"pass");
    let noun = Noun { text, at, to, told, is_verb };
    let (mut is_changed, mut is_aside, mut is_placed) = (false, false, false);
    let mut at = to;
    for count in 0..=WORDS_MAX {
        at = skip_blanks(bytes, at);
        if at > to + REACH {
            return None;
        }
        if bytes.get(at) == Some(&b',') {
            let next = skip_blanks(bytes, at + 1);
            is_aside |= is_aside_from(&text[next..word_end(text, next)]);
            if told == Told::Latin || is_aside {
                at = next;
            }
        }
        if let Some((from, fit)) = noun.after_sign(at, count) {
            return value_or_below(text, from, told, fit);
        }
        if text[at..].starts_with(MARK) {
            return replaced(text, at, told);
        }
        let end = word_end(text, at);
        let word = &text[at..end];
        if word.is_empty() {
            return None;
        }
        if let Some(found) = noun.linked(word, end, is_changed) {
            return found;
        }
        // `the password has not changed, still …`
        if is_aside && is_one_of(&ADVERBS, word) {
            return value(text, end, told, Fit::Stated);
        }
        if count == 0 {
            let found = noun.beside(at, word, end);
            if found.is_some() || !(noun.goes_on(word) || is_aside) {
                return found;
            }
            is_placed = is_one_of(&PLACES, word);
        } else if (is_placed && count > 1 || told == Told::Latin) && count <= 4 && told != Told::Pin
        {
            // `пароль от базы …`: no word for `is`.
            let found = beside(text, at, told, false);
            let is_firm = |span: &Span| Fit::FirmOrDrawn.accepts(&text[span.start..span.end]);
            if let Some(span) = found.filter(is_firm) {
                return Some(span);
            }
        }
        is_changed = is_one_of(&CHANGED, word);
        at = end;
    }
    None
}

/// A noun where it stands.
struct Noun<'a> {
    text: &'a str,
    at: usize,
    to: usize,
    told: Told,
    is_verb: bool,
}

impl Noun<'_> {
    /// The place behind a colon, an arrow or the like at `at`, and what is a value there.
    fn after_sign(&self, at: usize, count: usize) -> Option<(usize, Fit)> {
        let (bytes, told) = (self.text.as_bytes(), self.told);
        if let Some(from) = after_sign(self.text, at) {
            let is_code = bytes[self.at..self.to].ends_with(b"code");
            let is_name = told == Told::English && (count == 0 && !is_code || self.is_verb)
                || told == Told::Pin && bytes[at] == b'=';
            // A name with a value right behind it has rules of its own; `pass` is none of them.
            let is_pass = self.is_verb && bytes[at] == b':';
            let fit = if is_name { Fit::Drawn } else { Fit::Stated };
            return Some((from, if is_pass { Fit::Firm } else { fit }));
        }
        let from = after_stroke(self.text, at).filter(|_| !self.is_verb)?;
        Some((from, Fit::Stated))
    }

    /// What the word that ends at `end` links, or nothing if it is no link.
    fn linked(&self, word: &str, end: usize, is_changed: bool) -> Option<Option<Span>> {
        let (text, told) = (self.text, self.told);
        let is_latin = told == Told::Latin && is_one_of(&LINKS_LATIN, word);
        if is_one_of(&LINKS, word) || is_latin {
            let found = linked(text, end, told);
            let is_only_link = !is_one_of(&CHANGED, word) && !is_latin;
            return (found.is_some() || is_only_link).then_some(found);
        }
        if is_changed && is_one_of(&LINKS_TO, word) {
            let found = value(text, end, told, Fit::Sure);
            return Some(found.or_else(|| replaced(text, end, told)));
        }
        // `das Passwort habe ich auf … gesetzt`
        if told == Told::Latin && is_one_of(&LINKS_TO, word) {
            let found = value(text, end, told, Fit::Firm);
            return found.is_some().then_some(found);
        }
        let is_given = is_one_of(&GIVES, word) && !self.is_verb;
        is_given.then(|| given(text, end)).flatten().map(Some)
    }

    /// The value right behind the noun, or behind it and `to`.
    fn beside(&self, at: usize, word: &str, end: usize) -> Option<Span> {
        let is_listed = is_listed(&self.text[..self.at]);
        let fit = if word.eq_ignore_ascii_case("as") { Fit::Sure } else { Fit::Likely };
        let stated = is_one_of(&LINKS_TO, word).then(|| value(self.text, end, self.told, fit));
        let found = stated.flatten().or_else(|| beside(self.text, at, self.told, is_listed));
        found.filter(|_| !self.is_verb || is_listed)
    }

    /// Whether the noun is still meant with this word right behind it.
    fn goes_on(&self, word: &str) -> bool {
        let is_in = |list: &[&str]| is_one_of(list, word);
        match self.told {
            Told::English => {
                is_in(&PLACES) || is_in(&CHANGED) || is_in(&RELATIVES) || is_in(&GIVES)
            }
            Told::Pin => !is_in(&OBJECTS),
            Told::Latin
            | Told::Joined
            | Told::JoinedPin
            | Told::Login
            | Told::Pair
            | Told::Account
            | Told::Slash
            | Told::Access
            | Told::Verb
            | Told::Typing
            | Told::Lock
            | Told::Gets
            | Told::Code
            | Told::Seed
            | Told::Sent
            | Told::Near
            | Told::Key => true,
        }
    }
}

/// `the password, as I said, is …`, `asks for a password, give it …`: what goes on behind the comma.
fn is_aside_from(word: &str) -> bool {
    const ASIDE: [&str; 6] = ["as", "by", "btw", "just", "if", "well"];
    [&ASIDE[..], &LINKS, &RELATIVES, &GIVES, &ADVERBS].iter().any(|list| is_one_of(list, word))
}

/// `enter …`, `give it …`
fn given(text: &str, from: usize) -> Option<Span> {
    let at = skip_blanks(text.as_bytes(), from);
    let end = word_end(text, at);
    let is_object = is_one_of(&["it", "in", "them", "him", "with"], &text[at..end]);
    value(text, if is_object { end } else { from }, Told::English, Fit::FirmOrDrawn)
}

/// Whether the user's name stands before a noun: `user ann, password …`, `user ann and pass …`; or
/// what says that the password is used: `with the password …`.
fn is_listed(before: &str) -> bool {
    const WITH: [&str; 8] = ["with", "using", "mit", "avec", "con", "com", "met", "z"];
    const AND: [&str; 3] = ["and", "und", "with"];
    const NAMING: [&str; 5] = ["user", "username", "account", "login", "benutzer"];
    let before = &before[before.ceil_char_boundary(before.len().saturating_sub(REACH))..];
    let before = before.trim_end_matches(' ');
    let mut words = before.rsplit(' ').take(3);
    let is_joined = words.next().is_some_and(|word| is_one_of(&AND, word));
    let is_named = words.nth(1).is_some_and(|word| is_one_of(&NAMING, word.trim_end_matches(':')));
    let is_used = before.rsplit(' ').take(2).any(|word| is_one_of(&WITH, word));
    before.ends_with([',', '/', '|']) || is_joined && is_named || is_used
}

/// `clave …,`: a noun and a value, with nothing more behind them in their part of the sentence, or in a
/// list with the user's name.
fn beside(text: &str, at: usize, told: Told, is_listed: bool) -> Option<Span> {
    let is_phrase = text[..at].trim_end_matches(' ').ends_with("phrase");
    let is_stated = told == Told::Latin || is_listed || is_phrase;
    let fit = if is_stated { Fit::Stated } else { Fit::Sure };
    let span = value(text, at, told, fit)?;
    let rest = text[span.end..].trim_start_matches([' ', '"', '\'', '`']);
    let is_over =
        rest.is_empty() || rest.starts_with(['\n', '\r', '.', ',', ';', ')', '!', '?', '(']);
    (is_over || is_listed || told == Told::Pin).then_some(span)
}

/// What stands behind `is`, with one word between them at most: `ist jetzt …`.
fn linked(text: &str, from: usize, told: Told) -> Option<Span> {
    let from = after_sign(text, from).unwrap_or(from);
    if let Some(span) = value_or_below(text, from, told, Fit::Likely) {
        return Some(span);
    }
    let at = skip_blanks(text.as_bytes(), from);
    let end = word_end(text, at);
    let word = &text[at..end];
    let is_found = text[at..].trim_start_matches(OPENING).starts_with(MARK);
    if is_found || text[end..].trim_start().starts_with(MARK) {
        return replaced(text, at, told);
    }
    let is_plain = word.len() <= 14 && word.chars().all(char::is_lowercase);
    let fit = if is_one_of(&ADVERBS, word) { Fit::Likely } else { Fit::Sure };
    (is_plain && !is_one_of(&PLACES, word)).then(|| value(text, end, told, fit))?
}

/// The other value where one was found already: `changed from … to …`, `is … statt …`; or its other
/// piece.
fn replaced(text: &str, from: usize, told: Told) -> Option<Span> {
    let mark = text[from..].find(MARK).filter(|at| *at <= REACH)? + from;
    let end = mark + text[mark..].find(']')? + 1;
    let has_digit_or_sign = |piece: &(usize, usize)| {
        text[piece.0..piece.1].bytes().any(|byte| !byte.is_ascii_alphabetic())
    };
    let piece = piece_behind(text, end).filter(has_digit_or_sign);
    if let Some((start, end)) = piece.or_else(|| and_then(text, mark, end, true, Fit::Sure)) {
        return Some(Span { start, end, rule: RULE });
    }
    let at = skip_blanks(text.as_bytes(), end);
    let mut at = at + usize::from(text[at..].starts_with(','));
    let mut is_linked = false;
    for _ in 0..4 {
        at = skip_blanks(text.as_bytes(), at);
        if let Some(span) = value(text, at, told, Fit::Likely).filter(|_| is_linked) {
            return Some(span);
        }
        let end = word_end(text, at);
        is_linked |= is_one_of(&LINKS_OLD, &text[at..end]);
        at = end;
    }
    None
}

/// `the pin is the phrase …`: a secret that is called a number and is none.
fn pin_phrase(text: &str, to: usize) -> Option<Span> {
    const NOUNS: [&str; 2] = ["phrase ", "word "];
    let behind = clause(text, to);
    let noun = NOUNS.iter().find_map(|noun| Some(behind.find(noun)? + noun.len()))?;
    value(text, to + noun, Told::English, Fit::Stated)
}

/// `als Passwort hab ich … gesetzt`: the value behind a noun that its link stands before.
fn behind_as(text: &str, at: usize, to: usize, told: Told) -> Option<Span> {
    const WORDS_MAX: usize = 4;
    let before = text[..at].trim_end_matches(' ');
    let start = word_start(text, before.len());
    if told == Told::Pin || !is_one_of(&LINKS_AS, &before[start..]) {
        return None;
    }
    let mut at = to;
    for _ in 0..=WORDS_MAX {
        at = skip_blanks(text.as_bytes(), at);
        let found = value(text, at, told, Fit::Stated);
        let end = word_end(text, at);
        if found.is_some() || end == at {
            return found;
        }
        at = end;
    }
    None
}

/// `make … the password`
fn is_made(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '`', '"']);
    let start = word_start(text, before.len());
    is_one_of(&["make", "making", "made", "call", "choose"], &before[start..])
}

/// The value before a noun: `use … as the password`, `… is the staging password`.
fn before(text: &str, at: usize, to: usize, told: Told) -> Option<Span> {
    const WORDS_MAX: usize = 3;
    if told == Told::Pin {
        return None;
    }
    let next = skip_blanks(text.as_bytes(), to);
    let next = &text[next..word_end(text, next)];
    if told == Told::English && !next.is_empty() && !is_one_of(&PLACES, next) {
        return None;
    }
    let mut end = text[..at].trim_end_matches(' ').len();
    for _ in 0..=WORDS_MAX {
        let start = word_start(text, end);
        let word = &text[start..end];
        if Fit::FirmOrDrawn.accepts(word) && is_made(text, start) {
            return Some(Span { start, end, rule: RULE });
        }
        end = text[..start].trim_end_matches(' ').len();
        if word.is_empty() || end == start {
            return None;
        }
        let is_stated = is_one_of(&LINKS, word);
        if is_stated || is_one_of(&LINKS_AS, word) {
            let inner = text[..end].trim_end_matches(CLOSING);
            let start = word_start(text, inner.len());
            let value = &inner[start..];
            let fit = if is_stated { Fit::Stated } else { Fit::Likely };
            return fit.accepts(value).then_some(Span { start, end: inner.len(), rule: RULE });
        }
    }
    None
}
