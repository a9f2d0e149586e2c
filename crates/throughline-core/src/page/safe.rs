//! Stored text made harmless: what is left can be read, and read as nothing else.

use unicode_normalization::UnicodeNormalization;

use crate::{text, tokens};

/// What stands before each further line of a text that has several.
pub(super) const MARGIN: &str = "\n  | ";

/// Spaces kept in a row; more only hide what comes after them.
const SPACES_MAX: usize = 12;

/// A text on one line, cut at a word, at most `chars_max` characters.
pub(super) fn line(text: &str, chars_max: usize) -> String {
    text::headline(&one_line(text, chars_max.saturating_add(1)), chars_max)
}

/// A text on one line, cut at a word, at most `tokens_max` tokens.
pub(super) fn sentence(text: &str, tokens_max: usize) -> String {
    cut(&one_line(text, chars_for(tokens_max)), tokens_max)
}

/// A text with its line breaks, each followed by a margin; cut at a word, at most `tokens_max`
/// tokens.
pub(super) fn block(text: &str, tokens_max: usize) -> String {
    let lines = defang(&visible(text, true, chars_for(tokens_max)));
    cut(&lines.replace('\n', MARGIN), tokens_max)
}

/// What may stand between brackets as a handle.
pub(super) fn handle(handle: &str) -> String {
    handle
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        .take(40)
        .collect()
}

fn one_line(text: &str, chars_max: usize) -> String {
    defang(&visible(text, false, chars_max))
}

/// More characters than that many tokens can be made of, short of the spaces in between.
fn chars_for(tokens_max: usize) -> usize {
    tokens_max.saturating_mul(4 * 4).saturating_add(1)
}

/// The first characters of a text that can be seen. Every line break is `\n`, every other white
/// space is spaces, no line is blank; without `breaks` it is all one line.
fn visible(text: &str, breaks: bool, chars_max: usize) -> String {
    let mut shown = String::new();
    let mut count = 0;
    let (mut broken, mut spaces, mut joiner) = (false, 0, None);
    for c in text.chars() {
        if is_break(c) {
            (broken, spaces) = (true, 0);
        } else if c.is_whitespace() {
            spaces += if c == '\t' { 4 } else { 1 };
        } else if matches!(c, '\u{200c}' | '\u{200d}') {
            joiner = Some(c);
        } else if !text::is_invisible(c) {
            let gap = gap(broken, spaces, breaks);
            if !shown.is_empty() {
                shown.push_str(&gap);
                count += gap.len();
            }
            // Several scripts need joiners for their shape. Beside ASCII they only hide something.
            let joins = gap.is_empty() && !c.is_ascii() && shown.ends_with(|c: char| !c.is_ascii());
            shown.extend(joiner.filter(|_| joins));
            shown.push(c);
            count += 1;
            (broken, spaces, joiner) = (false, 0, None);
            if count >= chars_max {
                break;
            }
        }
    }
    shown
}

fn gap(broken: bool, spaces: usize, breaks: bool) -> String {
    match (broken, breaks) {
        (true, true) => format!("\n{}", " ".repeat(spaces.min(SPACES_MAX))),
        (false, true) => " ".repeat(spaces.min(SPACES_MAX)),
        (_, false) => " ".repeat(usize::from(broken || spaces > 0)),
    }
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// How tags begin that hosts and models give a meaning to, without `-` and `_`.
const TAGS: &[&str] = &[
    "memory",
    "system",
    "hook",
    "assistant",
    "human",
    "userprompt",
    "function",
    "invoke",
    "tool",
    "antml",
    "command",
    "localcommand",
    "startofturn",
    "endofturn",
    "sys>",
    "|",
];

/// A tag by itself, and the parameter of a type where a name stands before it: `Vec<User>`. No type is
/// closed by a slash.
const TAG_OR_TYPE: &str = "user>";

/// What models take for the beginning of a turn in square brackets, with or without a slash.
const BRACKETED: &str = "inst]";

/// Longest of [`TAGS`], with signs in between.
const TAG_CHARS: usize = 24;

/// A stored text that neither closes a fence nor opens one, wherever it is shown; all else of it stays.
pub fn harmless(text: &str) -> String {
    defang(text)
}

/// The same for a model, which reads what no person sees: hidden characters are left out.
pub fn harmless_to_models(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        // Several scripts need joiners for their shape. Beside ASCII they only hide something.
        let joins = matches!(c, '\u{200c}' | '\u{200d}')
            && shown.ends_with(|c: char| !c.is_ascii())
            && letters.peek().is_some_and(|next| !next.is_ascii());
        if joins || !text::is_invisible(c) {
            shown.push(c);
        }
    }
    defang(&shown)
}

/// Breaks up, for all to see, whatever looks like one of [`TAGS`]: `‹system-reminder>`, `‹INST]`.
fn defang(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        let opens = match c {
            '<' | '\u{ff1c}' | '\u{fe64}' => {
                let after_name = safe.ends_with(|c: char| c.is_alphanumeric() || c == '_');
                is_tag(rest, after_name)
            }
            '[' | '\u{ff3b}' => plain(rest).trim_start_matches(['/', '\\']).starts_with(BRACKETED),
            _ => false,
        };
        safe.push(if opens { '‹' } else { c });
    }
    safe
}

/// Whether what follows an opening bracket names a tag.
fn is_tag(rest: &str, after_name: bool) -> bool {
    let after_sign = plain(rest);
    let name = after_sign.trim_start_matches(['/', '\\', '<']);
    let is_type = after_name && name.len() == after_sign.len();
    TAGS.iter().any(|tag| name.starts_with(tag)) || !is_type && name.starts_with(TAG_OR_TYPE)
}

/// The first letters of a text, as a reader would take them: spelling a name with spaces, wide
/// letters or marks in between does not help.
fn plain(rest: &str) -> String {
    rest.chars()
        .filter(|c| !c.is_whitespace() && !text::is_invisible(*c) && !matches!(c, '-' | '_'))
        .take(TAG_CHARS)
        .nfkc()
        .flat_map(char::to_lowercase)
        .collect()
}

/// The beginning of a text that costs at most `tokens_max`, cut at a word.
fn cut(text: &str, tokens_max: usize) -> String {
    if tokens::estimate(text) <= tokens_max {
        return text.to_owned();
    }
    if tokens_max == 0 {
        return String::new();
    }
    // More text never costs less, and one token is left for the sign of the cut.
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let fitting = ends.partition_point(|end| tokens::estimate(&text[..*end]) < tokens_max);
    let kept = &text[..ends[..fitting].last().copied().unwrap_or(0)];
    let end = kept.rfind(char::is_whitespace).filter(|at| *at > kept.len() / 2);
    let kept = kept[..end.unwrap_or(kept.len())].trim_end();
    let kept = kept.strip_suffix(MARGIN.trim_end()).unwrap_or(kept);
    format!("{}…", kept.trim_end())
}
