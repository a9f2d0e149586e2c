//! Private keys in armour: PEM, OpenSSH and PGP blocks, also cut off or written as a JSON string.

use crate::scan::Span;
use crate::text::run_end;

const RULE: &str = "private-key";
const DASHES: &str = "-----";
const BEGIN: &str = "-----BEGIN";
const END: &str = "-----END";

/// No private key is longer.
const BLOCK_MAX: usize = 64 * 1_024;

/// Fewer signs than this between the lines are a drawing of a key, not a key.
const BODY_MIN: usize = 40;

/// Finds the block that begins at `at`, where `-----BEGIN` stands. It is taken out whole.
pub(crate) fn find(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let label_at = at + BEGIN.len();
    let label_end =
        run_end(bytes, label_at, 64, |byte| byte.is_ascii_alphanumeric() || byte == b' ');
    let label = &text[label_at..label_end];
    if !label.to_ascii_uppercase().contains("PRIVATE KEY") || !text[label_end..].starts_with(DASHES)
    {
        return None;
    }
    let body_at = label_end + DASHES.len();
    let window = &text[body_at..text.floor_char_boundary(body_at + BLOCK_MAX)];
    let window = window.find(BEGIN).map_or(window, |next| &window[..next]);

    let end = match window.find(END) {
        Some(end) if has_body(&window[..end]) => after_end(text, body_at + end),
        Some(_) => return None,
        // Cut off, as by `head`: what is left of the body is enough to be careful with.
        None => body_at + cut_body(window)?,
    };
    Some(Span { start: at, end, rule: RULE })
}

/// Finds the end of a block whose beginning is cut off, as by `tail`: `-----END` stands at `at`, and
/// nothing but long lines before it.
pub(crate) fn find_tail(text: &str, at: usize) -> Option<Span> {
    let end = after_end(text, at);
    if !text[at..end].to_ascii_uppercase().contains("PRIVATE KEY") || !text[..end].ends_with(DASHES)
    {
        return None;
    }
    let from = text.ceil_char_boundary(at.saturating_sub(BLOCK_MAX));
    let mut start = None;
    let mut line_end = at;
    for line in text[from..at].rsplit('\n') {
        let line_at = line_end - line.len();
        let body = line.trim_matches(|letter: char| letter.is_ascii_whitespace() || letter == '>');
        let is_body = !body.is_empty() && body.bytes().all(is_base64);
        // The last line of a key may be short, and the one before the mark is empty.
        let fits = is_body && (is_line(body) || start.is_none());
        if fits {
            start = Some(line_at + line.find(body).unwrap_or_default());
        } else if !line.trim().is_empty() || start.is_some() {
            break;
        }
        line_end = line_at.saturating_sub(1);
    }
    let start = start.filter(|start| has_body(&text[*start..at]))?;
    Some(Span { start, end, rule: RULE })
}

fn after_end(text: &str, end: usize) -> usize {
    let label = run_end(text.as_bytes(), end + END.len(), 64, |byte| {
        byte.is_ascii_alphanumeric() || byte == b' '
    });
    if text[label..].starts_with(DASHES) { label + DASHES.len() } else { label }
}

fn has_body(body: &str) -> bool {
    !body.contains("...")
        && !body.contains('…')
        && body.bytes().filter(|byte| is_base64(*byte)).count() >= BODY_MIN
        && body.split(|letter: char| !letter.is_ascii() || !is_base64(letter as u8)).any(is_line)
}

/// Prose between the lines has no word this long; the body of a key is made of such lines.
fn is_line(run: &str) -> bool {
    run.len() >= 20
}

/// Where the last of the lines ends that a block without an end begins with.
fn cut_body(window: &str) -> Option<usize> {
    let mut end = None;
    let mut at = 0;
    for line in window.split_inclusive(['\n', '\\']) {
        // After a backslash comes the `n` of a JSON string, and it counts as base64.
        let body = line.trim_end_matches(['\n', '\r', '\\']);
        let indent = body.len() - body.trim_start_matches([' ', '\t', '|', '>']).len();
        let body = &body[indent..];
        let run = body.bytes().take_while(|byte| is_base64(*byte)).count();
        let is_head = body.contains(": ") && end.is_none();
        let is_blank = body.is_empty() || body == "n" || body == "r";

        if run >= 16 || (end.is_some() && 0 < run && run == body.len()) {
            end = Some(at + indent + run);
        }
        if run < body.len() && !is_head && !is_blank {
            break;
        }
        at += line.len();
    }
    end
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}
