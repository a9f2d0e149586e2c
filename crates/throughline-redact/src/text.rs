//! Small questions about places in a text. All of them cut at ASCII, so a cut never splits a letter.

/// How the mark in the place of a secret begins; the rule and a bracket follow.
pub(crate) const MARK: &str = "[redacted:";

/// Writes what stands in the place of a secret.
pub(crate) fn push_mark(text: &mut String, rule: &str) {
    text.push_str(MARK);
    text.push_str(rule);
    text.push(']');
}

/// How long that is.
pub(crate) fn mark_length(rule: &str) -> usize {
    MARK.len() + rule.len() + 1
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

/// Where a name begins that seems to begin at `start`: the `n` of a `\n` in a JSON string belongs to
/// no name, and neither does what ends `%3D`, `\u003d` or the colour of a terminal.
pub(crate) fn after_escape_at(bytes: &[u8], start: usize) -> usize {
    let Some(before) = start.checked_sub(1) else { return start };
    let hex = |from: usize, count: usize| {
        bytes.get(from..from + count).is_some_and(|part| part.iter().all(u8::is_ascii_hexdigit))
    };
    match (bytes[before], bytes.get(start)) {
        (b'\\', Some(b'n' | b'r' | b't')) => start + 1,
        (b'\\', Some(b'x')) if hex(start + 1, 2) => start + 3,
        (b'\\', Some(b'u')) if hex(start + 1, 4) => start + 5,
        (b'%', _) if hex(start, 2) => start + 2,
        (b'[' | b';', _) => {
            let end = run_end(bytes, start, 3, |byte| byte.is_ascii_digit());
            let colour = bytes.get(end) == Some(&b'm') && after_escape(&bytes[..=end]);
            if colour { end + 1 } else { start }
        }
        _ => start,
    }
}

/// Names within one unbroken stretch that held no secret: `token=token=token=…`. A few are looked
/// at, for one may hide behind another; the rest of the stretch is data.
#[derive(Debug, Default)]
pub(crate) struct Nested {
    until: usize,
    count: usize,
}

impl Nested {
    const COUNT_MAX: usize = 8;
    const REACH: usize = 256;

    /// Whether enough was looked at in the stretch that `at` lies in.
    pub(crate) fn is_too_deep(&mut self, at: usize) -> bool {
        if at >= self.until {
            self.count = 0;
        }
        self.count > Self::COUNT_MAX
    }

    /// Notes that the stretch at `from` was looked at.
    pub(crate) fn note(&mut self, bytes: &[u8], from: usize) {
        if from >= self.until {
            self.count = 0;
        }
        if from + Self::REACH / 2 > self.until {
            self.until = run_end(bytes, from, Self::REACH, |byte| byte.is_ascii_graphic());
        }
        self.count += 1;
    }
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

/// A quote as HTML writes it.
pub(crate) const ENTITIES: [&[u8]; 3] = [b"&quot;", b"&#34;", b"&#39;"];

/// Skips a quote of HTML and the colour of a terminal, which say nothing.
pub(crate) fn after_dressing(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    if let Some(entity) = ENTITIES.iter().find(|entity| rest.starts_with(entity)) {
        return at + entity.len();
    }
    if rest.starts_with(b"\x1b[") {
        let end = run_end(bytes, at + 2, 8, |byte| byte.is_ascii_digit() || byte == b';');
        if bytes.get(end) == Some(&b'm') {
            return end + 1;
        }
    }
    at
}

/// How long the sign is that gives a name its value: `=`, `:=`, `::=`, `?=`, `.=`, `+=`, `=>`.
pub(crate) fn assigns(rest: &[u8]) -> Option<usize> {
    if rest.starts_with(b"=>") {
        return Some(2);
    }
    let before = rest.iter().take(3).take_while(|byte| b":?.+|".contains(byte)).count();
    (rest.get(before) == Some(&b'=') && rest.get(before + 1) != Some(&b'=')).then_some(before + 1)
}
