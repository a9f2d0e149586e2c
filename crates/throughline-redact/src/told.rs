//! Passwords that somebody tells in a sentence: `das Passwort ist …`, `use … as the password`,
//! `パスワードは…`, `credentials: ann/…`.
//!
//! Three things together give one away: a noun, a link from the noun to a word, and the form of that
//! word, which has letters and digits or signs as no word of a sentence has. So `the password is in
//! 1Password` and `das Passwort muss 12 Zeichen haben` stay.

mod nouns;

pub(crate) use nouns::{KEYWORDS, Told};

use crate::name::{Announced, Kind};
use crate::scan::Span;
use crate::text::{MARK, quoted, run_end, run_start, skip_blanks};
use crate::value::{Form, is_secret, is_typed, is_typed_surely};
use nouns::{CHANGED, LINKS, LINKS_AS, LINKS_OLD, LINKS_TO, OBJECTS, PLACES};

const RULE: &str = "password";
/// A sentence has its password this near its noun.
const REACH: usize = 72;

/// Finds the password that the keyword at `at..to` tells of.
pub(crate) fn find(text: &str, at: usize, to: usize, told: Told) -> Option<Span> {
    let to = at + text[at..to].trim_end_matches([' ', ':']).len();
    match told {
        Told::Joined => joined_after(text, to, told).or_else(|| joined_before(text, at)),
        Told::JoinedPin => joined_after(text, to, told),
        _ if !is_whole(text, at, to, told) => None,
        Told::Login => login(text, to),
        Told::Pair => pair(text, to),
        Told::English | Told::Latin | Told::Pin => after(text, at, to, told)
            .or_else(|| before(text, at, to, told))
            .or_else(|| behind_as(text, at, to, told)),
    }
}

/// Whether the keyword is a word of its own. German puts others before it: `Datenbankpasswort`.
fn is_whole(text: &str, at: usize, to: usize, told: Told) -> bool {
    let part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let before = text[..at].chars().next_back();
    let next = text[to..].chars().next();
    let begins = match told {
        Told::Latin => before != Some('_'),
        Told::Pin => !before.is_some_and(|letter| part(letter) || "-.$@".contains(letter)),
        Told::English if text[at..to].eq_ignore_ascii_case("pass") => {
            !before.is_some_and(|letter| part(letter) || "-./".contains(letter))
        }
        Told::English | Told::Joined | Told::JoinedPin | Told::Login | Told::Pair => {
            !before.is_some_and(part)
        }
    };
    begins && !next.is_some_and(|letter| part(letter) || letter == '-')
}

/// The value behind a noun: `Passwort für die Datenbank ist …`, `Password for prod: …`, `clave …`.
fn after(text: &str, noun: usize, to: usize, told: Told) -> Option<Span> {
    const WORDS_MAX: usize = 8;
    let bytes = text.as_bytes();
    let is_listed = is_listed(&text[..noun]);
    let mut is_changed = false;
    // `pass` is a verb more often, which has no `is` behind it.
    let is_verb = bytes[to.saturating_sub(4)..to].eq_ignore_ascii_case(b"pass");
    let mut at = to;
    for count in 0..=WORDS_MAX {
        at = skip_blanks(bytes, at);
        if at > to + REACH {
            return None;
        }
        if told == Told::Latin && bytes.get(at) == Some(&b',') {
            at = skip_blanks(bytes, at + 1);
        }
        if let Some(value_at) = after_sign(text, at) {
            // A name with a value right behind it has rules of its own.
            let is_code = bytes[noun..to].ends_with(b"code");
            let is_name = told == Told::English && (count == 0 && !is_code || is_verb)
                || told == Told::Pin && bytes[at] == b'=';
            return if is_name { None } else { value(text, value_at, told, is_typed_surely) };
        }
        if text[at..].starts_with(MARK) {
            return replaced(text, at, told);
        }
        let end = word_end(text, at);
        let word = &text[at..end];
        if word.is_empty() {
            return None;
        }
        if is_one_of(&LINKS, word) {
            let found = linked(text, end, told);
            if found.is_some() || !is_one_of(&CHANGED, word) {
                return found;
            }
        } else if is_changed && is_one_of(&LINKS_TO, word) {
            let found = value(text, end, told, is_typed_surely);
            return found.or_else(|| replaced(text, end, told));
        }
        if count == 0 {
            let stated = is_one_of(&LINKS_TO, word).then(|| value(text, end, told, is_typed));
            let found = stated.flatten().or_else(|| beside(text, at, told, is_listed));
            if found.is_some() && (!is_verb || is_listed) {
                return found;
            }
            let goes_on = match told {
                Told::English => is_one_of(&PLACES, word) || is_one_of(&CHANGED, word),
                Told::Pin => !is_one_of(&OBJECTS, word),
                Told::Latin | Told::Joined | Told::JoinedPin | Told::Login | Told::Pair => true,
            };
            if !goes_on {
                return None;
            }
        }
        is_changed = is_one_of(&CHANGED, word);
        at = end;
    }
    None
}

/// Whether the user's name stands before a noun: `user ann, password …`, `user ann and pass …`.
fn is_listed(before: &str) -> bool {
    const AND: [&str; 3] = ["and", "und", "with"];
    const NAMING: [&str; 5] = ["user", "username", "account", "login", "benutzer"];
    let before = &before[before.ceil_char_boundary(before.len().saturating_sub(REACH))..];
    let before = before.trim_end_matches(' ');
    let mut words = before.rsplit(' ').take(3);
    let is_joined = words.next().is_some_and(|word| is_one_of(&AND, word));
    let is_named = words.nth(1).is_some_and(|word| is_one_of(&NAMING, word.trim_end_matches(':')));
    before.ends_with([',', '/', '|']) || is_joined && is_named
}

/// `clave …,`: a noun and a value, with nothing more behind them in their part of the sentence, or in a
/// list with the user's name.
fn beside(text: &str, at: usize, told: Told, is_listed: bool) -> Option<Span> {
    let span = value(text, at, told, is_typed_surely)?;
    let rest = text[span.end..].trim_start_matches([' ', '"', '\'', '`']);
    let is_over = rest.is_empty() || rest.starts_with(['\n', '\r', '.', ',', ';', ')', '!', '?']);
    (is_over || is_listed || told == Told::Pin).then_some(span)
}

/// What stands behind `is`, with one word between them at most: `ist jetzt …`.
fn linked(text: &str, from: usize, told: Told) -> Option<Span> {
    let from = after_sign(text, from).unwrap_or(from);
    if let Some(span) = value(text, from, told, is_typed) {
        return Some(span);
    }
    let at = skip_blanks(text.as_bytes(), from);
    let end = word_end(text, at);
    let word = &text[at..end];
    if text[at..].starts_with(MARK) || text[end..].trim_start().starts_with(MARK) {
        return replaced(text, at, told);
    }
    let is_plain = word.len() <= 14 && word.chars().all(char::is_lowercase);
    (is_plain && !is_one_of(&PLACES, word)).then(|| value(text, end, told, is_typed))?
}

/// The other value where one was found already: `changed from … to …`, `is … statt …`.
fn replaced(text: &str, from: usize, told: Told) -> Option<Span> {
    let mark = text[from..].find(MARK).filter(|at| *at <= REACH)? + from;
    let end = mark + text[mark..].find(']')? + 1;
    let at = skip_blanks(text.as_bytes(), end);
    let mut at = at + usize::from(text[at..].starts_with(','));
    let mut is_linked = false;
    for _ in 0..4 {
        at = skip_blanks(text.as_bytes(), at);
        if let Some(span) = value(text, at, told, is_typed).filter(|_| is_linked) {
            return Some(span);
        }
        let end = word_end(text, at);
        is_linked |= is_one_of(&LINKS_OLD, &text[at..end]);
        at = end;
    }
    None
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
        let found = value(text, at, told, is_typed_surely);
        let end = word_end(text, at);
        if found.is_some() || end == at {
            return found;
        }
        at = end;
    }
    None
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
        end = text[..start].trim_end_matches(' ').len();
        if word.is_empty() || end == start {
            return None;
        }
        let is_stated = is_one_of(&LINKS, word);
        if is_stated || is_one_of(&LINKS_AS, word) {
            let inner = text[..end].trim_end_matches(CLOSING);
            let start = word_start(text, inner.len());
            let value = &inner[start..];
            let is_told = if is_stated { is_typed_surely(value) } else { is_typed(value) };
            return is_told.then_some(Span { start, end: inner.len(), rule: RULE });
        }
    }
    None
}

/// `log in as NAME with VALUE`
fn login(text: &str, to: usize) -> Option<Span> {
    let clause = clause(text, to);
    let name_at = clause.find("as ").filter(|at| clause[..*at].ends_with(' '))? + "as ".len();
    if let Some(span) = pair_at(text, to + name_at) {
        return Some(span);
    }
    let name = clause[name_at..].trim_start();
    let link = [" with ", " using "].into_iter().find_map(|link| {
        let at = name.find(link)?;
        (!name[..at].contains(' ')).then_some(at + link.len())
    })?;
    let from = to + clause.len() - name.len() + link;
    value(text, from, Told::English, is_typed_surely)
}

/// `credentials for staging: NAME/VALUE`, `creds are NAME / VALUE`
fn pair(text: &str, to: usize) -> Option<Span> {
    const WORDS_MAX: usize = 4;
    const LINKS: [&str; 6] = ["is", "are", "ist", "sind", "sont", "son"];
    let mut at = to;
    for _ in 0..=WORDS_MAX {
        at = skip_blanks(text.as_bytes(), at);
        if let Some(next) = after_sign(text, at) {
            return pair_at(text, next);
        }
        let end = word_end(text, at);
        if is_one_of(&LINKS, &text[at..end]) {
            return pair_at(text, after_sign(text, end).unwrap_or(end));
        }
        if end == at {
            return None;
        }
        at = end;
    }
    None
}

/// The value of `NAME/VALUE`, `NAME:VALUE`, `NAME / VALUE`, `NAME and VALUE`.
fn pair_at(text: &str, from: usize) -> Option<Span> {
    const AND: [&str; 4] = ["and", "und", "et", "y"];
    let bytes = text.as_bytes();
    let at = run_end(bytes, from, 8, |byte| b" *`\"'".contains(&byte));
    let end =
        run_end(bytes, at, 64, |byte| byte.is_ascii_alphanumeric() || b"._@+-".contains(&byte));
    let sign = skip_blanks(bytes, end);
    let next = skip_blanks(bytes, sign + usize::from(sign < bytes.len()));
    let is_name = end >= at + 2 && bytes[at].is_ascii_alphabetic();
    let and = word_end(text, sign);
    if is_name && sign > end && is_one_of(&AND, &text[sign..and]) {
        return value(text, and, Told::English, is_typed_surely);
    }
    // `creds: bob …`, and nothing behind it.
    const ELSEWHERE: [&str; 8] = ["see", "ask", "use", "in", "from", "check", "are", "the"];
    if is_name
        && sign > end
        && !is_one_of(&ELSEWHERE, &text[at..end])
        && let Some(span) = value(text, sign, Told::English, is_typed_surely)
        && !text[span.end..].trim_start_matches(' ').starts_with(char::is_lowercase)
    {
        return Some(span);
    }
    let is_pair = matches!(bytes.get(sign), Some(b'/' | b':')) && (sign > end) == (next > sign + 1);
    (is_name && is_pair).then(|| value(text, next, Told::English, is_typed_surely))?
}

/// The value behind a noun in a script that joins its words, where a value stands out by its letters.
fn joined_after(text: &str, to: usize, told: Told) -> Option<Span> {
    const LETTERS_MAX: usize = 12;
    let mut at = to;
    for letter in text[to..].chars().take(LETTERS_MAX) {
        if "。！？\n".contains(letter) || !(is_joined(letter) || " :=*\"'`“”".contains(letter))
        {
            break;
        }
        at += letter.len_utf8();
    }
    let between = &text[to..at];
    // Another noun, and where the password lies.
    if between.starts_with(['学', '學']) || between.contains('在') {
        return None;
    }
    let span = value(text, at, told, is_typed)?;
    let lies = ["にあ", "に保"].iter().any(|link| text[span.end..].starts_with(link));
    (!lies).then_some(span)
}

/// The value before such a noun: `…をパスワードに`, `用…作为密码`.
fn joined_before(text: &str, at: usize) -> Option<Span> {
    const LINKS: [char; 7] = ['を', 'と', '作', '当', '當', '设', '設'];
    let before = &text[..at];
    let is_between = |letter: &char| is_joined(*letter) || *letter == ' ';
    let letters = before.chars().rev().take(8).take_while(is_between);
    let end = at - letters.map(char::len_utf8).sum::<usize>();
    let between = before[end..].trim_start();
    if between.contains('的') || !between.starts_with(LINKS) {
        return None;
    }
    let inner = before[..end].trim_end_matches(CLOSING);
    let start = word_start(text, inner.len());
    is_typed(&inner[start..]).then_some(Span { start, end: inner.len(), rule: RULE })
}

/// What opens and closes a value in a sentence.
const OPENING: [char; 12] = [' ', '\u{a0}', '"', '\'', '`', '„', '“', '”', '«', '‘', '「', '『'];
const CLOSING: [char; 10] = ['"', '\'', '`', '“', '”', '»', '’', '」', '』', '*'];

/// The value at `from`, if it has the form of one.
fn value(text: &str, from: usize, told: Told, fits: impl Fn(&str) -> bool) -> Option<Span> {
    const PASSWORD: Announced = Announced { kind: Kind::Password, rule: RULE, is_phrase: false };
    let bytes = text.as_bytes();
    let at = run_end(bytes, from, 8, |byte| b" \t*".contains(&byte));
    let is_pin = matches!(told, Told::Pin | Told::JoinedPin);
    if let Some((start, end)) = quoted(text, at) {
        let value = &text[start..end];
        let secret = if is_pin {
            is_number(value, 4)
        } else {
            !value.contains(' ') && is_secret(value, PASSWORD, Form::Quoted)
        };
        return secret.then_some(Span { start, end, rule: RULE });
    }
    let start = at + text[at..].len() - text[at..].trim_start_matches(OPENING).len();
    let end = word_end(text, start);
    let word = text[start..end].trim_end_matches(CLOSING);
    let is_told = if word.bytes().all(|byte| byte.is_ascii_digit()) {
        // `4.7`, `12 characters`, `6位`: a number with something behind it is a count.
        let next = text[start + word.len()..].trim_start_matches(['.', '!']).chars().next();
        let is_over = next.is_none_or(|next| !next.is_alphanumeric() || is_joined(next));
        is_over && is_number(word, if is_pin { 4 } else { 6 }) && !is_counted(text, end)
    } else {
        !is_pin && fits(word)
    };
    is_told.then_some(Span { start, end: start + word.len(), rule: RULE })
}

/// A number that somebody types, and neither `1234` nor `0000`, which everybody knows.
fn is_number(word: &str, least: usize) -> bool {
    let step = word.as_bytes().windows(2).all(|pair| pair[0] + 1 == pair[1]);
    let same = word.as_bytes().windows(2).all(|pair| pair[0] == pair[1]);
    (least..=12).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_digit())
        && !(word.len() <= 4 && (step || same))
}

/// Whether a noun follows the number at once: `4000 entries`, `100000位`.
fn is_counted(text: &str, end: usize) -> bool {
    let rest = &text[end..];
    let noun = rest.trim_start_matches(' ');
    rest.starts_with(['位', '文', '字', '个', '個', '桁', '次', '回', '年'])
        || rest.len() > noun.len() && noun.starts_with(|letter: char| letter.is_ascii_lowercase())
}

/// Where the word at `at` ends: at a blank, at a sign of the sentence, or where another script begins.
fn word_end(text: &str, at: usize) -> usize {
    let end = text[at..]
        .char_indices()
        .find(|(offset, letter)| {
            letter.is_whitespace()
                || is_joined(*letter)
                || *offset > REACH
                || ",;:()[]{}<>|=".contains(*letter)
        })
        .map_or(text.len(), |(offset, _)| at + offset);
    at + text[at..end].trim_end_matches(['.', '?', '!']).len()
}

/// Where the word begins that ends at `end`.
fn word_start(text: &str, end: usize) -> usize {
    let is_part = |byte: u8| byte.is_ascii_graphic() && !b",;:()[]{}<>|=\"'`".contains(&byte);
    run_start(text.as_bytes(), end, REACH, is_part)
}

/// The place behind a colon or an equals sign, of either script.
fn after_sign(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let sign = ['：', ':', '='].into_iter().find(|sign| rest.starts_with(*sign))?;
    let next = rest[sign.len_utf8()..].chars().next();
    (next != Some(sign) && next != Some('/')).then_some(at + sign.len_utf8())
}

/// The rest of the sentence, as far as it counts.
fn clause(text: &str, from: usize) -> &str {
    let to = text.floor_char_boundary((from + REACH).min(text.len()));
    let rest = &text[from..to];
    &rest[..rest.find(['\n', ';', '!', '?']).unwrap_or(rest.len())]
}

/// A letter of a script that puts no blanks between words, or a sign of one.
fn is_joined(letter: char) -> bool {
    letter >= '\u{2E80}'
}

fn is_one_of(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}
