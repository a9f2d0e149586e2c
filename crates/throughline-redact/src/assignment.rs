//! Names with a value behind them: in an environment, JSON, YAML, TOML, code and command lines.

use crate::name::{self, Announced, Kind};
use crate::scan::Span;
use crate::text::{
    MARK, after_escape, is_closing_escape, line_start, quoted, run_end, run_start, skip_blanks,
};
use crate::value::{Form, is_secret};

/// Finds values behind names, and reads every name once although it may hold several keywords.
#[derive(Debug, Default)]
pub(crate) struct Names {
    read_until: usize,
}

impl Names {
    /// Finds the secret behind the name that the keyword at `at..to` is a part of.
    pub(crate) fn find(&mut self, text: &str, at: usize, to: usize) -> Option<Span> {
        let bytes = text.as_bytes();
        let (start, end) = name_around(bytes, at, to);
        if end <= self.read_until {
            return None;
        }
        self.read_until = end;
        let announced = name::announced(&text[start..end])?;
        let written = Written { text, bytes, start, end };
        let (value_at, form) = written.value()?;
        written.secret(value_at, form, announced)
    }
}

/// The whole name, at most 64 bytes to either side: `spring.datasource.password`.
fn name_around(bytes: &[u8], at: usize, to: usize) -> (usize, usize) {
    const REACH: usize = 64;
    let part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    let end = run_end(bytes, to, REACH, part);
    let end = if bytes[to - 1] == b'"' || bytes[to - 1] == b'\'' { to - 1 } else { end };
    let mut start = run_start(bytes, at, REACH, |byte| part(byte) || byte == b'.');
    // The `n` of a `\n` in a JSON string belongs to no name.
    if let Some(escape) = (start..at).find(|at| after_escape(&bytes[..=*at])) {
        start = escape + 1;
    }
    let quotes = run_end(bytes, start, 4, |byte| b"\"'".contains(&byte));
    (quotes.min(end), end)
}

/// A name where it stands.
struct Written<'a> {
    text: &'a str,
    bytes: &'a [u8],
    start: usize,
    end: usize,
}

impl Written<'_> {
    /// Where the value begins that belongs to the name, and how it is written.
    fn value(&self) -> Option<(usize, Form)> {
        let bytes = self.bytes;
        let closed = run_end(bytes, self.end, 8, |byte| b"\"'`*\\]?!".contains(&byte));
        let is_quoted_name = closed > self.end && b"\"'\\".contains(&bytes[self.end]);
        let sign_at = skip_blanks(bytes, closed);
        let rest = &bytes[sign_at..];
        let tight = sign_at == self.end;

        let two = rest.get(1).copied();
        match rest.first()? {
            b'=' if two == Some(b'>') => Some((sign_at + 2, Form::Bare)),
            b'=' if two == Some(b'=') => {
                let signs = run_end(bytes, sign_at, 3, |byte| byte == b'=');
                self.literal_only(signs, Form::Quoted)
            }
            b'=' if tight && self.is_environment() => Some((sign_at + 1, Form::Environment)),
            b'=' => Some((sign_at + 1, Form::Bare)),
            b':' if two == Some(b'=') => Some((sign_at + 2, Form::Bare)),
            b':' if two == Some(b':') => None,
            b':' => Some((self.after_type(sign_at + 1), Form::Bare)),
            b'|' if two == Some(b'|') => None,
            b'|' => Some((sign_at + 1, Form::Beside)),
            b',' if is_quoted_name => self.literal_only(sign_at + 1, Form::Beside),
            b'(' => self.literal_only(sign_at + 1, Form::Beside),
            b'>' if self.start > 0 && bytes[self.start - 1] == b'<' => {
                Some((sign_at + 1, Form::Bare))
            }
            b'v' if is_quoted_name && rest.starts_with(b"value=") => {
                Some((sign_at + "value=".len(), Form::Bare))
            }
            b'i' if closed == self.end && rest.starts_with(b"is ") => {
                Some((sign_at + "is ".len(), Form::Sentence))
            }
            _ if self.is_flag() && sign_at > closed => Some((sign_at, Form::Bare)),
            _ => None,
        }
    }

    /// The place after a sign if a literal in quotes stands there.
    fn literal_only(&self, from: usize, form: Form) -> Option<(usize, Form)> {
        let at = skip_blanks(self.bytes, from);
        quoted(self.text, at).map(|_| (at, form))
    }

    /// `password: &str = "…"`: the value is behind the type.
    fn after_type(&self, from: usize) -> usize {
        let kind = |byte: u8| byte.is_ascii_alphanumeric() || b" _<>&[]|?.:'".contains(&byte);
        let end = run_end(self.bytes, from, 48, kind);
        let typed = end > from
            && self.bytes.get(end) == Some(&b'=')
            && self.bytes.get(end + 1) != Some(&b'=')
            && !self.text[from..end].trim().is_empty();
        if typed && quoted(self.text, skip_blanks(self.bytes, end + 1)).is_some() {
            end + 1
        } else {
            from
        }
    }

    fn name(&self) -> &str {
        self.text[self.start..self.end].trim_start_matches('-')
    }

    fn is_flag(&self) -> bool {
        self.bytes[self.start] == b'-' && self.bytes.get(self.start + 1) == Some(&b'-')
    }

    /// Whether `NAME=value` is a line of an environment or a part of a connection string, where
    /// the value is meant as it stands, and not an argument in code.
    fn is_environment(&self) -> bool {
        let before = self.start.checked_sub(1).map(|at| self.bytes[at]);
        name::is_constant(self.name())
            || self.is_flag()
            || matches!(before, None | Some(b'\n' | b';'))
            || (before == Some(b'n') && self.text[..self.start].ends_with("\\n"))
    }

    fn secret(&self, from: usize, form: Form, announced: Announced) -> Option<Span> {
        let at = self.skip_wrapping(from);
        if let Some((start, end)) = quoted(self.text, at) {
            let form = match form {
                Form::Bare | Form::Quoted => Form::Quoted,
                Form::Sentence if announced.kind == Kind::Password => Form::Quoted,
                Form::Environment | Form::Sentence | Form::Beside => form,
            };
            let value = &self.text[start..end];
            let judged = &value[..value.floor_char_boundary(VALUE_MAX)];
            let secret = !value.is_empty() && is_secret(judged, announced, form);
            return secret.then_some(Span { start, end, rule: announced.rule });
        }
        // A quote that nothing closes: the text was cut, or the value is very long.
        let (at, form) = match self.bytes.get(at) {
            Some(b'"' | b'\'' | b'`') if form == Form::Bare => (at + 1, Form::Quoted),
            _ => (at, form),
        };
        // A value on the next line is one only if it stands in quotes.
        let (start, end) = self.bare(at, form)?;
        if announced.is_phrase
            && let Some(span) = self.bare_phrase(start, announced)
        {
            return Some(span);
        }
        let secret = is_secret(&self.text[start..end], announced, form);
        secret.then(|| Span { start, end: self.whole(end), rule: announced.rule })
    }

    /// Skips blanks, line breaks before a quote, and what code puts around a literal.
    fn skip_wrapping(&self, from: usize) -> usize {
        const WRAPPERS: [&str; 14] = [
            "String::from(",
            "SecretString::from(",
            "SecretString::new(",
            "Secret::new(",
            "Some(",
            "Ok(",
            "new SecretString(",
            "str(",
            "(",
            "**",
            "b\"",
            "r\"",
            "f\"",
            "u\"",
        ];
        let mut at = skip_blanks(self.bytes, from);
        for _ in 0..2 {
            let rest = &self.bytes[at..];
            let broken = run_end(self.bytes, at, 64, |byte| byte.is_ascii_whitespace());
            let next = run_end(self.bytes, broken, 1, |byte| byte == b'\\');
            if broken > at && matches!(self.bytes.get(next), Some(b'"' | b'\'' | b'`')) {
                return broken;
            }
            if rest.starts_with(b"\\\n") {
                at = skip_blanks(self.bytes, at + 2);
            }
            if let Some(wrapper) = WRAPPERS.iter().find(|w| rest.starts_with(w.as_bytes())) {
                at += wrapper.len() - usize::from(wrapper.ends_with('"'));
                at = skip_blanks(self.bytes, at);
            }
        }
        at
    }

    /// A value without quotes. In an environment it reaches to the next blank; elsewhere signs of
    /// the language around it end it.
    fn bare(&self, from: usize, form: Form) -> Option<(usize, usize)> {
        let bytes = self.bytes;
        let is_tag = self.start > 0 && bytes[self.start - 1] == b'<';
        let closes = |byte: u8| match form {
            Form::Environment => {
                (byte == b';' && self.is_connection_string())
                    || (byte == b'&' && !name::is_constant(self.name()))
            }
            Form::Bare | Form::Quoted | Form::Sentence | Form::Beside => {
                b",;&|".contains(&byte) && !(is_tag && byte != b'<')
            }
        };
        let mut end = run_end(bytes, from, VALUE_MAX, |byte| {
            !byte.is_ascii_whitespace()
                && !byte.is_ascii_control()
                && !b"\"'`<>".contains(&byte)
                && !closes(byte)
        });
        if let Some(escape) = (from..end).find(|at| is_closing_escape(bytes, *at)) {
            end = escape;
        }
        end = self.text.floor_char_boundary(end);
        // A call or an index goes on behind the quote: `get("token")`.
        if bytes.get(end).is_some_and(|next| b"\"'`<".contains(next)) && !is_tag {
            let last = bytes[from..end].last();
            if form != Form::Sentence && last.is_none_or(|last| b"([{.=+".contains(last)) {
                return None;
            }
        }
        if form != Form::Environment {
            let value = &bytes[from..end];
            let open = value.iter().any(|byte| b"([{".contains(byte));
            let closing: &[u8] = if form == Form::Sentence { b".:!?*" } else { b".:" };
            while end > from
                && (closing.contains(&bytes[end - 1])
                    || self.text[from..end].ends_with("**")
                    || (!open && b")]}".contains(&bytes[end - 1])))
            {
                end -= 1;
            }
        }
        // What an equals sign follows is a type: `key: Flags = 4`.
        if form == Form::Bare && bytes.get(skip_blanks(bytes, end)) == Some(&b'=') {
            return None;
        }
        (end > from && !self.text[end..].starts_with(MARK)).then_some((from, end))
    }

    /// `Server=db;Password=…;`: the next sign between two pairs ends the value.
    fn is_connection_string(&self) -> bool {
        let line = line_start(self.bytes, self.start);
        self.bytes[line..self.start].contains(&b';') || self.bytes[line..self.start].contains(&b'=')
    }

    /// The rest of the line, if that is a pass phrase.
    fn bare_phrase(&self, start: usize, announced: Announced) -> Option<Span> {
        let end = run_end(self.bytes, start, 512, |byte| byte.is_ascii_lowercase() || byte == b' ');
        let end = start + self.text[start..end].trim_end().len();
        let value = &self.text[start..end];
        (value.contains(' ') && is_secret(value, announced, Form::Environment)).then_some(Span {
            start,
            end,
            rule: announced.rule,
        })
    }

    /// Where a value really ends that was longer than what was judged.
    fn whole(&self, end: usize) -> usize {
        if end < self.start + VALUE_MAX {
            return end;
        }
        run_end(self.bytes, end, usize::MAX, |byte| {
            byte.is_ascii_alphanumeric() || b"+/=_-.%".contains(&byte)
        })
    }
}

/// This much of a value is judged.
const VALUE_MAX: usize = 256;
