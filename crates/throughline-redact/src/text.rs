//! Small questions about places in a text. All of them cut at ASCII, so a cut never splits a letter.

/// How the mark in the place of a secret begins; the rule and a bracket follow.
pub(crate) const MARK: &str = "[redacted:";

/// What stands in the place of a secret.
pub(crate) fn mark(rule: &str) -> String {
    format!("{MARK}{rule}]")
}

/// No rule's name is longer, so a mark is never looked for further back.
const RULE_LENGTH_MAX: usize = 40;

/// Whether `at` lies in a mark that an earlier redaction left.
pub(crate) fn inside_mark(bytes: &[u8], at: usize) -> bool {
    let rule = bytes[..at]
        .iter()
        .rev()
        .take(RULE_LENGTH_MAX)
        .take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || **byte == b'-')
        .count();
    bytes[..at - rule].ends_with(MARK.as_bytes())
}

/// Whether a word may begin at `at`: the start, after a sign, or after an escape that ends in a
/// letter (`\n`, `\u003d`, `%3D`, the colours of a terminal).
pub(crate) fn word_may_begin(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[..at];
    match before.last() {
        None => true,
        Some(last) if !last.is_ascii_alphanumeric() => true,
        Some(_) => after_escape(before),
    }
}

/// Whether the text ends in an escape whose last sign is a letter or a digit.
pub(crate) fn after_escape(before: &[u8]) -> bool {
    let ends_in = |lead: &[u8], digits: usize| {
        before.len() >= lead.len() + digits
            && before[..before.len() - digits].ends_with(lead)
            && before[before.len() - digits..].iter().all(u8::is_ascii_hexdigit)
    };
    let colour = || {
        let Some(inner) = before.strip_suffix(b"m") else { return false };
        let codes = inner.iter().rev().take(12);
        let codes = codes.take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
        inner[..inner.len() - codes].ends_with(b"\x1b[")
    };
    [b"\\n", b"\\r", b"\\t"].iter().any(|escape| before.ends_with(*escape))
        || ends_in(b"%", 2)
        || ends_in(b"\\x", 2)
        || ends_in(b"\\u", 4)
        || colour()
}

/// Where the run of bytes that `wanted` accepts ends, looking at `limit` bytes at most.
pub(crate) fn run_end(
    bytes: &[u8],
    from: usize,
    limit: usize,
    wanted: impl Fn(u8) -> bool,
) -> usize {
    let window = &bytes[from..bytes.len().min(from.saturating_add(limit))];
    from + window.iter().take_while(|byte| wanted(**byte)).count()
}

/// Where the run of bytes before `to` that `wanted` accepts begins, looking at `limit` at most.
pub(crate) fn run_start(
    bytes: &[u8],
    to: usize,
    limit: usize,
    wanted: impl Fn(u8) -> bool,
) -> usize {
    to - bytes[..to].iter().rev().take(limit).take_while(|byte| wanted(**byte)).count()
}

/// Letters, digits, `_` and `-`: what tokens are mostly made of.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Where the line with `at` in it begins, looking back 512 bytes at most.
pub(crate) fn line_start(bytes: &[u8], at: usize) -> usize {
    run_start(bytes, at, 512, |byte| byte != b'\n')
}

/// Skips blanks, but no line ends.
pub(crate) fn skip_blanks(bytes: &[u8], from: usize) -> usize {
    run_end(bytes, from, 64, |byte| byte == b' ' || byte == b'\t')
}

/// Whether a backslash at `at` begins an escape that ends a value (`\n`, `\"`).
pub(crate) fn is_closing_escape(bytes: &[u8], at: usize) -> bool {
    bytes[at] == b'\\' && bytes.get(at + 1).is_none_or(|next| b"nrtu\"'`\\\n".contains(next))
}

/// The text between quotes that open at `at`, plain (`"`) or escaped (`\"`), on one line.
pub(crate) fn quoted(text: &str, at: usize) -> Option<(usize, usize)> {
    /// Longer texts between quotes are no passwords.
    const LENGTH_MAX: usize = 2_048;
    let bytes = text.as_bytes();
    let quote_at = run_end(bytes, at, 8, |byte| byte == b'\\');
    let quote = *bytes.get(quote_at).filter(|byte| b"\"'`".contains(byte))?;
    let mut start = quote_at + 1;
    if bytes[start..].starts_with(&[quote, quote]) {
        start += 2;
    }
    let escapes = quote_at - at;

    let window = &bytes[start..bytes.len().min(start + LENGTH_MAX)];
    let mut slashes = 0;
    for (offset, &byte) in window.iter().enumerate() {
        match byte {
            b'\n' => return None,
            b'\\' => slashes += 1,
            _ if byte == quote && (slashes == escapes || slashes % 2 == 0 && escapes == 0) => {
                return Some((start, start + offset - if escapes == 0 { 0 } else { slashes }));
            }
            _ => slashes = 0,
        }
    }
    None
}
