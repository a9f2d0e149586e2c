//! The words, numbers and signs of a text, as the grammar of times wants them.

use super::calendar::Naming;

/// One piece of text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    /// What is written, ASCII in lower case.
    pub(super) lower: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: TokenKind,
    /// Nothing before it makes it part of a longer name: a phrase may begin here.
    pub(super) opens: bool,
    /// Nothing after it makes it part of a longer name: a phrase may end here.
    pub(super) closes: bool,
    /// Written `Like` this.
    pub(super) title: bool,
}

/// What sort of piece.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum TokenKind {
    /// Letters only, or a quarter: `q3`.
    Word,
    /// Up to four digits, with how many there are.
    Number(i16, usize),
    /// `7th`.
    Ordinal(i16),
    /// A date in figures: `2023-05-07`.
    Date(Naming),
    /// A sign, or a blank line.
    Sign(char),
    /// Anything else: names with digits, versions, amounts.
    Other,
}

/// Takes a text apart. `lower` is `text` with ASCII letters in lower case.
pub(super) fn tokens<'a>(text: &str, lower: &'a str) -> Vec<Token<'a>> {
    let mut tokens = Vec::with_capacity(text.len() / 5 + 1);
    let mut at = 0;
    while let Some(c) = lower[at..].chars().next() {
        let (length, kind) = if c.is_whitespace() {
            let gap = run(&lower[at..], char::is_whitespace);
            let blank_line = lower[at..at + gap].matches('\n').nth(1).is_some();
            if !blank_line {
                at += gap;
                continue;
            }
            (gap, TokenKind::Sign('\n'))
        } else if c.is_ascii_digit() {
            numeric(&lower[at..])
        } else if c.is_alphanumeric() || c == '_' {
            let length = run(&lower[at..], is_name);
            (length, word(&lower[at..at + length]))
        } else {
            (c.len_utf8(), TokenKind::Sign(c))
        };
        let (start, end) = (at, at + length);
        tokens.push(Token {
            lower: &lower[start..end],
            start,
            end,
            kind,
            opens: opens(&text[..start]),
            closes: closes(&text[end..]),
            title: is_title(&text[start..end]),
        });
        at = end;
    }
    tokens
}

/// How many bytes at the beginning of `text` are such characters.
fn run(text: &str, such: impl Fn(char) -> bool) -> usize {
    text.find(|c: char| !such(c)).unwrap_or(text.len())
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_title(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && !letters.any(char::is_uppercase)
}

fn word(name: &str) -> TokenKind {
    let plain = name.bytes().all(|b| b.is_ascii_lowercase());
    if plain || matches!(name, "q1" | "q2" | "q3" | "q4") {
        TokenKind::Word
    } else {
        TokenKind::Other
    }
}

/// What begins with a digit: a date, an ordinal, a number, or something that is no number to us.
fn numeric(rest: &str) -> (usize, TokenKind) {
    let chunk = run(rest, |c| is_name(c) || matches!(c, '-' | '/' | '.' | ':' | '+'));
    let figures = rest[..chunk].trim_end_matches(['.', ':']);
    if let Some(naming) = Naming::in_figures(figures) {
        return (figures.len(), TokenKind::Date(naming));
    }
    let digits = run(rest, |c| c.is_ascii_digit());
    let name = run(rest, is_name);
    let value = rest[..digits].parse::<i16>().ok().filter(|_| digits <= 4);
    let mut after = rest[name..].chars();
    let broken = match after.next() {
        Some('.' | ',' | ':' | '/') => after.next().is_some_and(|c| c.is_ascii_digit()),
        Some('%' | '+') => true,
        _ => false,
    };
    match (value, &rest[digits..name]) {
        _ if broken => (chunk.max(name), TokenKind::Other),
        (Some(value), "") => (name, TokenKind::Number(value, digits)),
        (Some(value), "st" | "nd" | "rd" | "th") => (name, TokenKind::Ordinal(value)),
        (Some(value), "h" | "d" | "w" | "y") => (digits, TokenKind::Number(value, digits)),
        _ => (name, TokenKind::Other),
    }
}

fn opens(before: &str) -> bool {
    before.chars().next_back().is_none_or(|c| {
        c.is_whitespace()
            || matches!(c, '(' | '[' | '{' | '"' | '\'' | ',' | ';' | '!' | '?' | '*' | '|')
            || matches!(c, '“' | '”' | '‘' | '’' | '«' | '…' | '—' | '–')
    })
}

fn closes(after: &str) -> bool {
    let mut after = after.chars();
    let loose = |c: Option<char>| c.is_none_or(|c| !is_name(c) && !matches!(c, '/' | '-' | '('));
    match after.next() {
        None | Some(')' | ']' | '}' | '"' | '\'' | ',' | ';' | '!' | '?' | '*' | '|') => true,
        Some('“' | '”' | '‘' | '’' | '»' | '…' | '—' | '–') => true,
        Some('.' | ':') => loose(after.next()),
        Some(c) => c.is_whitespace(),
    }
}
