//! Names and identifiers in running text.

use std::ops::Range;

use throughline_core::when::TimeMention;

/// How many of either are kept, and how long they may be.
const FOUND_MAX: usize = 32;
const FOUND_BYTES_MAX: usize = 256;
const QUOTED_WORDS_MAX: usize = 6;

/// The names and the identifiers of a text, each once, in the order met. Times are neither.
pub(super) fn found(text: &str, times: &[TimeMention]) -> (Vec<String>, Vec<String>) {
    let mut names = FoundName::default();
    let mut identifiers = FoundName::default();
    let quoted = quoted(text);
    for range in &quoted {
        let inner = text[range.clone()].trim();
        if inner.split_whitespace().nth(QUOTED_WORDS_MAX).is_none() {
            names.push(inner);
        }
        if is_identifier(inner) {
            identifiers.push(inner);
        }
    }
    let words = words(text, |range| {
        times.iter().any(|time| time.range.start <= range.start && range.end <= time.range.end)
            || quoted.iter().any(|quote| quote.start <= range.start && range.end <= quote.end)
    });
    for word in &words {
        if let Some(handle) = word.text.strip_prefix('@').filter(|handle| is_handle(handle)) {
            names.push(handle);
        } else if word.is_code {
            identifiers.push(word.text.trim_start_matches('@'));
        } else if let Some((_, inner)) = word.text.rsplit_once(['[', '(', '='])
            && is_identifier(inner)
        {
            identifiers.push(inner);
        }
    }
    for name in capitalised(&words) {
        names.push(&name);
    }
    (names.0, identifiers.0)
}

/// Whether an identifier merely picks from a list: `#2`.
pub(super) fn is_choice(identifier: &str) -> bool {
    identifier.strip_prefix('#').is_some_and(|number| number.len() <= 2)
}

#[derive(Debug, Default)]
struct FoundName(Vec<String>);

impl FoundName {
    fn push(&mut self, one: &str) {
        let fits = (1..=FOUND_BYTES_MAX).contains(&one.len());
        if fits && self.0.len() < FOUND_MAX && !self.0.iter().any(|known| known == one) {
            self.0.push(one.to_owned());
        }
    }
}

/// What stands between quotation marks or back-ticks on one line.
pub(crate) fn quoted(text: &str) -> Vec<Range<usize>> {
    let mut quoted = Vec::new();
    let mut fenced = false;
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            quoted_on_line(line, line_start, &mut quoted);
        }
        line_start += line.len();
    }
    quoted
}

fn quoted_on_line(line: &str, start: usize, quoted: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while let Some(open) = line[at..].find(['"', '`', '“', '«']).map(|found| at + found) {
        let mark = line[open..].chars().next().unwrap_or('"');
        let close = match mark {
            '“' => '”',
            '«' => '»',
            same => same,
        };
        let inner = open + mark.len_utf8();
        let Some(length) = line[inner..].find(close) else { return };
        if !line[inner..inner + length].trim().is_empty() {
            quoted.push(start + inner..start + inner + length);
        }
        at = inner + length + close.len_utf8();
    }
}

/// A word of running text, without the signs around it.
#[derive(Debug, Clone, Copy)]
struct NameWord<'a> {
    text: &'a str,
    /// A sentence begins here.
    opens: bool,
    /// Something comes between this word and the next.
    closes: bool,
    is_code: bool,
    /// Followed by `'s`.
    owns: bool,
}

fn words(text: &str, taken: impl Fn(&Range<usize>) -> bool) -> Vec<NameWord<'_>> {
    let mut words: Vec<NameWord<'_>> = Vec::new();
    let mut opens = true;
    let mut end = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let start = end;
        end += piece.len();
        opens |= text[..start].ends_with('\n');
        let chunk = piece.trim_end();
        if chunk.is_empty() {
            continue;
        }
        let left = chunk.trim_start_matches(LEFT);
        let bare = left.trim_end_matches(RIGHT);
        let end_signs = &left[bare.len()..];
        let from = start + (chunk.len() - left.len());
        let (bare, owns) = match bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")) {
            Some(owner) => (owner, true),
            None => (bare, false),
        };
        let is_taken = taken(&(from..from + bare.len()));
        let abbreviated = end_signs == "." && TITLES.contains(&bare);
        let (bare, called) = match bare.strip_suffix('(') {
            Some(function) if end_signs.starts_with(')') => (function, true),
            _ => (bare, false),
        };
        let says = bare.chars().any(char::is_alphanumeric);
        if says && !is_taken {
            let parted = from > start || opens;
            if let Some(before) = words.last_mut().filter(|_| parted) {
                before.closes = true;
            }
            let is_code = called || is_identifier(bare);
            let closes = !end_signs.is_empty() && !abbreviated;
            words.push(NameWord { text: bare, opens, closes, is_code, owns });
        } else if let Some(before) = words.last_mut() {
            before.closes = true;
        }
        opens =
            !abbreviated && end_signs.contains(['.', '!', '?', ':', '…']) || (!says && !is_taken);
    }
    words
}

/// Cut short, so that the stop after it ends no sentence.
const TITLES: &[&str] = &["St", "Dr", "Mr", "Mrs", "Ms", "Prof"];

const LEFT: &[char] = &['(', '[', '{', '"', '\'', '“', '‘', '«', '*', '<', '`', ',', ';', '—', '–'];
const RIGHT: &[char] = &[
    ')', ']', '}', '"', '\'', '”', '’', '»', '*', '>', '`', ',', ';', '.', '!', '?', ':', '…', '—',
    '–',
];

/// Words written large, together where they stand together: `Ada Lovelace`, `Bank of England`.
/// A word that is only large because a sentence begins is none, unless something is its own.
fn capitalised(words: &[NameWord<'_>]) -> Vec<String> {
    const SPAN_WORDS_MAX: usize = 5;
    let shouting = words.iter().filter(|word| is_shout(word.text)).count() * 2 > words.len();
    let mut names = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let mut end = at;
        while end < words.len() && end - at < SPAN_WORDS_MAX && is_large(words[end], shouting) {
            end += 1;
            let link =
                words.get(end).filter(|word| matches!(word.text, "of" | "de" | "van" | "von"));
            let goes_on = words.get(end + 1).is_some_and(|word| is_large(*word, shouting));
            if words[end - 1].closes || words[end - 1].owns {
                break;
            }
            if link.is_some_and(|link| !link.closes) && goes_on {
                end += 1;
            }
        }
        let span = &words[at..end];
        let merely_opens =
            span.len() == 1 && span[0].opens && !span[0].owns && !is_acronym(span[0].text);
        if !span.is_empty() && !merely_opens {
            names.push(span.iter().map(|word| word.text).collect::<Vec<_>>().join(" "));
        }
        at = end.max(at + 1);
    }
    names
}

fn is_large(word: NameWord<'_>, shouting: bool) -> bool {
    let mut letters = word.text.chars();
    let large = letters.next().is_some_and(char::is_uppercase) && letters.next().is_some();
    let plain =
        word.text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '\'' | '’' | '.' | '&'));
    let begun = word.opens && word.text.ends_with("ing");
    large && plain && !begun && !(shouting && is_shout(word.text)) && !is_common(word.text)
}

fn is_shout(word: &str) -> bool {
    word.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase)
}

fn is_acronym(word: &str) -> bool {
    (2..=6).contains(&word.len())
        && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

/// Common words that are written large at a beginning, or to be loud.
fn is_common(word: &str) -> bool {
    let lower: String = word.to_lowercase().chars().filter(|c| !matches!(c, '\'' | '’')).collect();
    COMMON.split(' ').any(|common| common == lower)
}

const COMMON: &str = "a about add after all also always am an and any are as ask at be because before but by bye \
    can cant change check commit continue could create delete describe did didnt do does doesnt \
    done dont each everything every explain find fix for from get give go good great had has \
    have he hello help her here hey hi his how i id if ill im implement in is isnt it its ive \
    just keep let lets list look make may maybe me merge more move must my need never new next \
    nice no none nope not nothing now of oh ok okay on one only open or our out please pls \
    proceed push put read really refactor remind remove rename review run same see she should \
    show since so some sorry sounds start still stop such summarize sure take tell test tests \
    than thank thanks that thats the their them then there these they this those to todo too \
    try until update use very wait was we well were what whats when where which while who whos \
    whose why will with without wont would write yeah yes yet you your youre monday tuesday \
    wednesday thursday friday saturday sunday january february march july september october \
    november december";

fn is_handle(handle: &str) -> bool {
    let plain = handle.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    plain && handle.chars().any(char::is_alphabetic)
}

/// Whether a word is written as code is written.
fn is_identifier(word: &str) -> bool {
    let bare = word.trim_start_matches('@');
    if bare.len() < 2 || bare.contains(|c: char| c.is_whitespace() || matches!(c, '<' | '>')) {
        return false;
    }
    bare.contains("::")
        || bare.contains("://")
        || is_flag(bare)
        || is_issue(bare)
        || is_path(bare)
        || is_dotted(bare)
        || is_cased(bare)
        || is_coded(bare)
        || is_hash(bare)
}

fn is_flag(word: &str) -> bool {
    let Some(name) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')) else {
        return false;
    };
    let letter = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic());
    letter && (word.starts_with("--") || name.len() == 1)
}

fn is_issue(word: &str) -> bool {
    word.strip_prefix('#').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

fn is_path(word: &str) -> bool {
    const PROSE: &[&str] = &[
        "and/or",
        "yes/no",
        "either/or",
        "he/she",
        "she/he",
        "on/off",
        "true/false",
        "n/a",
        "input/output",
        "read/write",
        "pros/cons",
        "before/after",
        "client/server",
        "i/o",
    ];
    let Some((head, tail)) = word.split_once('/') else { return false };
    let named = |part: &str| part.chars().any(|c| c.is_alphabetic());
    let rooted = head.is_empty() || matches!(head, "~" | "." | "..");
    named(tail) && (rooted || named(head)) && !PROSE.contains(&word.to_lowercase().as_str())
}

/// `watch.go`, `.gitignore`, `slog.Error`, `1.2.3`, `v2`.
pub(crate) fn is_dotted(word: &str) -> bool {
    const PROSE: &[&str] = &["e.g", "i.e", "a.m", "p.m", "u.s", "etc"];
    let version = word.strip_prefix('v').unwrap_or(word);
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = version.split('.').collect();
    if digits(parts[0]) {
        let said = version.len() < word.len() || parts.len() >= 3;
        return said
            && parts[1..].iter().all(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    }
    let Some((head, tail)) = word.rsplit_once('.') else { return false };
    let name =
        |part: &str| part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let letters = |part: &str| part.chars().any(char::is_alphabetic);
    let file = head.is_empty() && tail.len() >= 3;
    letters(tail)
        && name(tail)
        && name(head)
        && (file || letters(head))
        && !PROSE.contains(&word.to_lowercase().as_str())
}

/// `snake_case`, `camelCase`, `PascalCase`.
pub(crate) fn is_cased(word: &str) -> bool {
    let name = word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let snake = word.trim_matches('_').contains('_');
    let mut before = None;
    let humps = word.chars().any(|c| {
        let hump = c.is_uppercase() && before.is_some_and(char::is_lowercase);
        before = Some(c);
        hump
    });
    name && (snake || humps) && word.chars().any(char::is_alphabetic)
}

/// Letters with digits: `E0499`, `TS2304`, `utf8`, `node-18`, `CVE-2023-1234`. `Q3` is a time.
fn is_coded(word: &str) -> bool {
    let name = word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let starts = word.starts_with(|c: char| c.is_ascii_alphabetic());
    let quarter = matches!(word, "Q1" | "Q2" | "Q3" | "Q4" | "q1" | "q2" | "q3" | "q4");
    let spoken = word.starts_with("mid-") || word.starts_with("pre-") || word.starts_with("post-");
    name && starts && !quarter && !spoken && word.bytes().any(|b| b.is_ascii_digit())
}

fn is_hash(word: &str) -> bool {
    let hex = word.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    let mixed =
        word.bytes().any(|b| b.is_ascii_digit()) && word.bytes().any(|b| b.is_ascii_lowercase());
    hex && mixed && (7..=64).contains(&word.len())
}
