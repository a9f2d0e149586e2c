//! Names with a value behind them: in an environment, JSON, YAML, TOML, code and command lines.

use crate::name::{self, Announced, Kind};
use crate::scan::Span;
use crate::text::{
    ENTITIES, MARK, Nested, after_dressing, after_escape_at, assigns, is_closing_escape,
    line_start, quoted, run_end, run_start, skip_blanks,
};
use crate::value::{Form, is_dense, is_secret};

/// Finds values behind names, and reads every name once although it may hold several keywords.
#[derive(Debug, Default)]
pub(crate) struct Names {
    read_until: usize,
    nested: Nested,
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
        if self.nested.is_too_deep(start) || is_path_of(text, start) {
            return None;
        }
        let written = Written { text, bytes, start, end };
        if let Some(span) = written.glued(to) {
            return Some(span);
        }
        // Most names have no value behind them, and that is the cheaper question.
        let (value_at, form) = written.value()?;
        let announced = written.announced()?;
        let found = written.secret(value_at, form, announced);
        if found.is_none() {
            self.nested.note(bytes, value_at);
        }
        found
    }
}

/// Whether the name is the end of a longer one that names a type or a place: `AWS::KMS::ReplicaKey`,
/// `arn:aws:secretsmanager:…:secret:…`.
fn is_path_of(text: &str, start: usize) -> bool {
    let before = &text.as_bytes()[..start];
    let is_type = before.ends_with(b"::") && text[start..].starts_with(char::is_uppercase);
    let is_place = || {
        let word = run_start(before, start, 96, |byte| is_part(byte) || byte == b':');
        before[word..].starts_with(b"arn:")
    };
    is_type || before.ends_with(b":") && is_place()
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-".contains(&byte)
}

/// The whole name, at most 64 bytes to either side: `spring.datasource.password`, `API key`.
fn name_around(bytes: &[u8], at: usize, to: usize) -> (usize, usize) {
    const REACH: usize = 64;
    let end = if is_part(bytes[to - 1]) { run_end(bytes, to, REACH, is_part) } else { to - 1 };
    let start = run_start(bytes, at, REACH, |byte| is_part(byte) || byte == b'.');
    let start = after_escape_at(bytes, start).min(at);
    let quotes = run_end(bytes, start, 4, |byte| b"\"'".contains(&byte));
    let start = quotes.min(end);
    // What the key is for stands before it: `API key`.
    if bytes[start..end].eq_ignore_ascii_case(b"key") && start > 1 && bytes[start - 1] == b' ' {
        return (run_start(bytes, start - 1, 16, |byte| byte.is_ascii_alphabetic()), end);
    }
    (start, end)
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
        let end = after_dressing(bytes, self.end);
        let closed = run_end(bytes, end, 8, |byte| b"\"'`*\\]!)".contains(&byte));
        let is_quoted_name = closed > self.end && b"\"'\\".contains(&bytes[self.end]);
        let sign_at = self.after_number(skip_blanks(bytes, closed));
        let rest = &bytes[sign_at..];
        let tight = sign_at == self.end;

        let two = rest.get(1).copied();
        match rest.first()? {
            b'=' if two == Some(b'=') => {
                let signs = run_end(bytes, sign_at, 3, |byte| byte == b'=');
                self.literal_only(signs, Form::Quoted)
            }
            b'=' if tight && two != Some(b'>') && self.is_environment() => {
                Some((sign_at + 1, Form::Environment))
            }
            b'=' | b':' | b'?' | b'.' | b'+' | b'|' if let Some(signs) = assigns(rest) => {
                Some((sign_at + signs, Form::Bare))
            }
            b':' if two == Some(b':') => None,
            b':' => Some((self.after_type(sign_at + 1), Form::Bare)),
            b'|' if two == Some(b'|') => None,
            b'|' => Some((sign_at + 1, Form::Beside)),
            b',' if is_quoted_name => self.literal_only(sign_at + 1, Form::Beside),
            b'(' => self.literal_only(sign_at + 1, Form::Beside),
            b'>' if self.is_tag() => Some((sign_at + 1, Form::Quoted)),
            b'v' if is_quoted_name && rest.starts_with(b"value=") => {
                Some((sign_at + "value=".len(), Form::Bare))
            }
            b'<' => self.in_next_tag(sign_at),
            _ if self.is_flag() && sign_at > closed => Some((sign_at, Form::Bare)),
            _ if self.is_set() && sign_at > closed => Some((sign_at, Form::Environment)),
            b'"' | b'\'' | b'`' if sign_at > closed => self.literal_only(sign_at, Form::Beside),
            _ if closed == self.end && sign_at > closed => self.in_sentence(sign_at),
            _ => None,
        }
    }

    /// `acme-secret-5f4d…`: the value is a part of what looks like the name.
    fn glued(&self, keyword_end: usize) -> Option<Span> {
        const LENGTH_MIN: usize = 24;
        if self.end < keyword_end + LENGTH_MIN {
            return None;
        }
        let signs = run_end(self.bytes, keyword_end, 2, |byte| b"-_".contains(&byte));
        let value = &self.text[signs..self.end];
        let glued = signs > keyword_end && value.len() >= LENGTH_MIN && is_dense(value);
        glued.then_some(Span { start: signs, end: self.end, rule: "credential" })
    }

    /// `Key 2: …`: which of several it is.
    fn after_number(&self, at: usize) -> usize {
        let end = run_end(self.bytes, at, 2, |byte| byte.is_ascii_digit());
        if end > at && self.bytes.get(end) == Some(&b':') { end } else { at }
    }

    /// `key` alone is anything; in the query of an address it is a key.
    fn announced(&self) -> Option<Announced> {
        let is_query = self.start > 0 && b"?&".contains(&self.bytes[self.start - 1]);
        if is_query && self.name().eq_ignore_ascii_case("key") {
            return name::announced("query_key");
        }
        // `PASS: test_login2`, and beside a user's name it is a password.
        if self.name().eq_ignore_ascii_case("pass") && !self.is_quoted_or_login() {
            return None;
        }
        name::announced(&self.text[self.start..self.end])
    }

    /// Whether `pass` stands in quotes, as in JSON, or behind a user, or behind a flag that takes one.
    fn is_quoted_or_login(&self) -> bool {
        let line = line_start(self.bytes, self.start);
        let before =
            self.bytes[line.max(self.start.saturating_sub(64))..self.start].to_ascii_lowercase();
        let has = |word: &[u8]| before.windows(word.len()).any(|part| part == word);
        let next = self.bytes.get(self.end);
        next.is_some_and(|quote| b"\"'".contains(quote)) && before.last() == next
            || [&b"user"[..], b"login", b"-passin ", b"-passout "].iter().any(|word| has(word))
    }

    /// `password is …`, `password for staging is …`, `var token string = "…"`, `password …`.
    fn in_sentence(&self, at: usize) -> Option<(usize, Form)> {
        let rest = &self.bytes[at..];
        for verb in ["is ", "is: ", "was ", "are "] {
            if rest.starts_with(verb.as_bytes()) {
                return Some((at + verb.len(), Form::Sentence));
            }
        }
        if ["for ", "of ", "to ", "on ", "at ", "in "]
            .iter()
            .any(|w| rest.starts_with(w.as_bytes()))
        {
            let words = |byte: u8| byte.is_ascii_alphanumeric() || b" -_/.'".contains(&byte);
            let end = run_end(self.bytes, at, 48, words);
            let is = self.text[at..end].find(" is ")?;
            return Some((at + is + " is ".len(), Form::Sentence));
        }
        let word = |byte: u8| byte.is_ascii_graphic() && !b"=\"'`(){},;".contains(&byte);
        let end = run_end(self.bytes, at, 48, word);
        let sign = skip_blanks(self.bytes, end);
        if sign > end && self.bytes.get(sign) == Some(&b'=') && end - at <= 24 {
            return self.literal_only(sign + 1, Form::Quoted);
        }
        let has_digit = self.bytes[at..end].iter().any(u8::is_ascii_digit);
        // `two-pass`, `first-pass`: another noun.
        let is_noun = !self.name().to_ascii_lowercase().ends_with("-pass");
        (end - at >= 6 && has_digit && is_noun).then_some((at, Form::After))
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

    /// `--password …`, and `-Password …` as PowerShell has it.
    fn is_flag(&self) -> bool {
        let first = |at: usize| self.bytes.get(self.start + at).copied().unwrap_or_default();
        first(0) == b'-'
            && (first(1) == b'-' || first(1).is_ascii_alphabetic() && self.end - self.start >= 9)
    }

    /// `<password>…`, but not the place for one in an address: `://<user>:<password>@host`.
    fn is_tag(&self) -> bool {
        let mut before = self.bytes[..self.start].iter().rev();
        before.next() == Some(&b'<') && !before.next().is_some_and(|sign| b":/@".contains(sign))
    }

    /// `<name>db.password</name> <value>…`, and `<key>` with `<string>` as property lists have it.
    fn in_next_tag(&self, at: usize) -> Option<(usize, Form)> {
        let closing = self.bytes[at..].strip_prefix(b"</")?;
        let name = run_end(closing, 0, 16, |byte| byte.is_ascii_alphabetic());
        let next =
            run_end(closing, (name + 1).min(closing.len()), 64, |byte| byte.is_ascii_whitespace());
        let tag =
            ["<value>", "<string>"].iter().find(|tag| closing[next..].starts_with(tag.as_bytes()));
        let closed = closing.get(name) == Some(&b'>');
        tag.filter(|_| closed).map(|tag| (at + "</".len() + next + tag.len(), Form::Quoted))
    }

    /// `setenv NAME value`, `set -x NAME value`: other shells' ways to fill an environment.
    fn is_set(&self) -> bool {
        let line =
            &self.bytes[run_start(self.bytes, self.start, 16, |byte| byte != b'\n')..self.start];
        let flag = |flag: &[u8]| line.ends_with(flag);
        name::is_constant(self.name())
            && (flag(b"setenv ")
                || [&b"set -x "[..], b"set -gx ", b"set -Ux ", b"set -xg "]
                    .iter()
                    .any(|set| flag(set)))
    }

    /// Whether `NAME=value` is a line of an environment or a part of a connection string, where
    /// the value is meant as it stands, and not an argument in code.
    fn is_environment(&self) -> bool {
        let before = self.start.checked_sub(1).map(|at| self.bytes[at]);
        // Between other code it is a variable: `},PW=(a,b)=>…`.
        name::is_constant(self.name()) && !matches!(before, Some(b',' | b'}'))
            || self.is_flag()
            || matches!(before, None | Some(b'\n' | b';')) && !self.is_argument()
            || (before == Some(b'n') && self.text[..self.start].ends_with("\\n"))
    }

    /// `password=self.password,`: the line goes on as code does.
    fn is_argument(&self) -> bool {
        let end = run_end(self.bytes, self.end, VALUE_MAX, |byte| byte.is_ascii_graphic());
        b",)".contains(&self.bytes[end - 1])
    }

    fn secret(&self, from: usize, form: Form, announced: Announced) -> Option<Span> {
        let at = self.skip_wrapping(from);
        if let Some((start, end)) = quoted(self.text, at) {
            let form = match form {
                Form::Bare | Form::Quoted => Form::Quoted,
                Form::Sentence if announced.kind == Kind::Password => Form::Quoted,
                Form::Environment | Form::Sentence | Form::Beside | Form::After => form,
            };
            let value = &self.text[start..end];
            let judged = &value[..value.floor_char_boundary(VALUE_MAX)];
            let secret = !value.is_empty() && is_secret(judged, announced, form);
            return secret.then_some(Span { start, end, rule: announced.rule });
        }
        // A quote that nothing closes: the text was cut, or the value is very long.
        let (at, form) = match self.bytes.get(at) {
            Some(quote @ (b'"' | b'\'' | b'`'))
                if matches!(form, Form::Bare | Form::Environment) =>
            {
                // Three of them open a text of several lines.
                let end = run_end(self.bytes, at, 3, |byte| byte == *quote);
                (if end == at + 3 { end } else { at + 1 }, Form::Quoted)
            }
            _ => (at, form),
        };
        let at = self.on_next_line(at, form).unwrap_or(at);
        let (start, end) = self.bare(at, form)?;
        if announced.is_phrase
            && let Some(span) = self.bare_phrase(start, announced)
        {
            return Some(span);
        }
        // `The password is wrong!`: the sign is the sentence's.
        let value = &self.text[start..end];
        let judged = if form == Form::Sentence { value.trim_end_matches('!') } else { value };
        let secret = is_secret(judged, announced, form)
            || self.broken(start, end).is_some_and(|value| is_secret(&value, announced, form));
        secret.then(|| Span { start, end: self.whole(end), rule: announced.rule })
    }

    /// Skips blanks, line breaks before a quote, dressing, and what code puts around a literal.
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
        let mut at = after_dressing(self.bytes, skip_blanks(self.bytes, from));
        if self.is_tag() {
            return run_end(self.bytes, at, 64, |byte| byte.is_ascii_whitespace());
        }
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

    /// `password:` at the end of a line, with nothing but the value on the next one.
    fn on_next_line(&self, at: usize, form: Form) -> Option<usize> {
        let block = run_end(self.bytes, at, 2, |byte| b"|>-+".contains(&byte));
        let end = skip_blanks(self.bytes, block);
        let is_over = matches!(self.bytes.get(end), Some(b'\n' | b'\r'));
        if !is_over || !matches!(form, Form::Bare | Form::Environment | Form::Quoted) {
            return None;
        }
        let start = run_end(self.bytes, end, 64, |byte| byte.is_ascii_whitespace());
        let value_end = run_end(self.bytes, start, VALUE_MAX, |byte| byte.is_ascii_graphic());
        let quotes = self.bytes[start..value_end].iter().rev().take(3);
        let value_end = value_end - quotes.take_while(|byte| b"\"'`".contains(byte)).count();
        let rest = skip_blanks(self.bytes, value_end);
        let is_alone = matches!(self.bytes.get(rest), None | Some(b'\n' | b'\r'))
            || form == Form::Quoted && matches!(self.bytes.get(rest), Some(b'"' | b'\'' | b'`'));
        let is_name =
            self.bytes[start..value_end].iter().rev().take(1).any(|last| b":=,{[(".contains(last));
        (value_end > start && is_alone && !is_name).then_some(start)
    }

    /// A value without quotes. In an environment it reaches to the next blank; elsewhere signs of
    /// the language around it end it.
    fn bare(&self, from: usize, form: Form) -> Option<(usize, usize)> {
        let bytes = self.bytes;
        let is_tag = self.is_tag();
        let closes = |byte: u8| match form {
            Form::Environment => byte == b';' && self.is_connection_string(),
            Form::Bare | Form::Quoted | Form::Sentence | Form::Beside | Form::After => {
                b",;|".contains(&byte) && !(is_tag && byte != b'<')
            }
        };
        let mut end = run_end(bytes, from, VALUE_MAX, |byte| {
            !byte.is_ascii_whitespace()
                && !byte.is_ascii_control()
                && !b"\"'`<>".contains(&byte)
                && !closes(byte)
        });
        if let Some(next) = (from..end).find(|at| bytes[*at] == b'&' && self.is_over_at(*at)) {
            end = next;
        }
        if let Some(escape) = (from..end).find(|at| is_closing_escape(bytes, *at)) {
            end = escape;
        }
        end = self.text.floor_char_boundary(end);
        // A call or an index goes on behind the quote: `get("token")`.
        if bytes.get(end).is_some_and(|next| b"\"'`<".contains(next)) && !is_tag {
            let last = bytes[from..end].last();
            let goes_on = last.is_none_or(|last| b"([{.+".contains(last));
            if !matches!(form, Form::Sentence | Form::After) && goes_on {
                return None;
            }
        }
        if form != Form::Environment {
            let value = &bytes[from..end];
            let open = value.iter().any(|byte| b"([{".contains(byte));
            let closing: &[u8] =
                if matches!(form, Form::Sentence | Form::After) { b".:?*" } else { b".:" };
            while end > from
                && (closing.contains(&bytes[end - 1])
                    || self.text[from..end].ends_with("**")
                    || (!open && b")]}".contains(&bytes[end - 1])))
            {
                end -= 1;
            }
        }
        // What an equals sign follows is a type: `key: Flags = 4`, and `key: Bytes<'a>` is one.
        let next = bytes.get(skip_blanks(bytes, end));
        if form == Form::Bare && (next == Some(&b'=') || next == Some(&b'<') && !is_tag) {
            return None;
        }
        (end > from && !self.text[end..].starts_with(MARK)).then_some((from, end))
    }

    /// Whether the `&` at `at` ends the value: another parameter follows, or another command.
    fn is_over_at(&self, at: usize) -> bool {
        if ENTITIES.iter().any(|entity| self.bytes[at..].starts_with(entity)) {
            return true;
        }
        let name =
            run_end(self.bytes, at + 1, 48, |byte| is_part(byte) || b".;[]%".contains(&byte));
        match self.bytes.get(name) {
            Some(b'=') => name > at + 1,
            Some(b'&') => name == at + 1,
            None => name == at + 1,
            Some(next) => name == at + 1 && next.is_ascii_whitespace(),
        }
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
        (value.contains(' ') && is_secret(value, announced, Form::Bare)).then_some(Span {
            start,
            end,
            rule: announced.rule,
        })
    }

    /// A value that goes on in the next line behind a backslash, in one piece.
    fn broken(&self, start: usize, end: usize) -> Option<String> {
        if !self.bytes[end..].starts_with(b"\\\n") {
            return None;
        }
        let whole = self.whole(end);
        let rest = self.text.get(end..whole)?.strip_prefix("\\\n")?;
        Some(format!("{}{rest}", &self.text[start..end]))
    }

    /// Where a value really ends: what was longer than what was judged, or goes on in the next line
    /// behind a backslash or the `=` of quoted-printable.
    fn whole(&self, end: usize) -> usize {
        let bytes = self.bytes;
        let token = |byte: u8| byte.is_ascii_alphanumeric() || b"+/_-.".contains(&byte);
        let broken = usize::from(matches!(bytes.get(end), Some(b'\\' | b'=')));
        if bytes.get(end + broken) == Some(&b'\n')
            && (broken == 1 || end > 0 && bytes[end - 1] == b'=')
        {
            let next = run_end(bytes, end + broken + 1, VALUE_MAX, token);
            let rest = &bytes[end + broken + 1..next];
            if rest.len() >= 6 && rest.iter().any(u8::is_ascii_digit) {
                return next;
            }
        }
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
