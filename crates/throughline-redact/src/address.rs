//! Passwords in addresses: `postgres://user:password@host`, `https://token@host`.

use crate::scan::Span;
use crate::text::{MARK, Nested, is_closing_escape, run_end, run_start};
use crate::value::{is_placeholder, is_random, is_reference};

const RULE: &str = "url-password";

/// Longer addresses carry data, not a password.
const WINDOW: usize = 1_024;

/// Finds passwords in addresses, and reads a stretch full of addresses only a few times.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    nested: Nested,
}

impl Addresses {
    /// Finds the password in the address whose `://` stands at `at`.
    pub(crate) fn find(&mut self, text: &str, at: usize) -> Option<Span> {
        if self.nested.is_too_deep(at) {
            return None;
        }
        let found = find(text, at);
        if found.is_none() {
            self.nested.note(text.as_bytes(), at);
        }
        found
    }
}

fn find(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let scheme =
        run_start(bytes, at, 24, |byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    if scheme == at {
        return None;
    }
    let start = at + "://".len();
    let end = address_end(bytes, start);
    let user_end = start + user_length(&text[start..end])?;
    let user = &text[start..user_end];
    if user.contains(MARK) {
        return None;
    }
    match user.split_once(':') {
        Some((name, password)) => {
            let secret = password.len() >= 3
                && !is_placeholder(password)
                && !is_reference(password)
                && password != name;
            let start = start + name.len() + 1;
            secret.then_some(Span { start, end: user_end, rule: RULE })
        }
        None => (user.len() >= 20 && is_random(user) && !is_placeholder(user)).then_some(Span {
            start,
            end: user_end,
            rule: "url-token",
        }),
    }
}

fn address_end(bytes: &[u8], start: usize) -> usize {
    let mut end = run_end(bytes, start, WINDOW, |byte| {
        !byte.is_ascii_whitespace() && !byte.is_ascii_control() && !b"\"'`<>".contains(&byte)
    });
    if let Some(escape) = (start..end).find(|at| is_closing_escape(bytes, *at)) {
        end = escape;
    }
    // The window may end within a letter; a mark or an `@` never does.
    while end > start && end < bytes.len() && bytes[end] & 0xC0 == 0x80 {
        end -= 1;
    }
    end
}

/// How long the part before the `@` is.
///
/// A password should have its slashes escaped, but people paste them as they are. So where the
/// first slash comes before any `@`, a colon that no port follows says that we are still within
/// the password.
fn user_length(address: &str) -> Option<usize> {
    let host_end = address.find(['/', '?', '#']).unwrap_or(address.len());
    if let Some(at) = address[..host_end].rfind('@') {
        return Some(at);
    }
    let (name, port) = address[..host_end].split_once(':')?;
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit());
    if is_port || name.is_empty() || name.contains(['[', ']']) {
        return None;
    }
    address.find('@').filter(|at| !address[host_end..*at].contains("://"))
}
