//! Passwords that a layout gives away: a column of a table, a manifest of Kubernetes, a line of
//! logins, the command that stores a secret.

use crate::name::{self, Announced, Kind};
use crate::scan::Span;
use crate::text::{MARK, quoted, run_end, run_start, skip_blanks};
use crate::typed::is_typed;
use crate::value::{Form, is_placeholder, is_reference, is_secret};

/// The layouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// `kind: Secret`, with everything under `data:` and `stringData:`.
    Manifest,
    /// `host:port:database:user:PASSWORD`
    Logins,
    /// `user:PASSWORD@host:5432/database`
    Login,
    /// `gh secret set NAME --body VALUE`
    Stored,
    /// `echo NAME:PASSWORD | chpasswd`
    Changed,
    /// `htpasswd -b FILE NAME PASSWORD`, `net user NAME PASSWORD`: so many words before it.
    Argument(usize),
}

pub(crate) const KEYWORDS: [(&str, Layout); 18] = [
    ("kind: secret", Layout::Manifest),
    ("\"kind\": \"secret\"", Layout::Manifest),
    ("\"kind\":\"secret\"", Layout::Manifest),
    (":5432:", Layout::Logins),
    (":5433:", Layout::Logins),
    (":6432:", Layout::Logins),
    (":*:", Layout::Logins),
    (":5432", Layout::Login),
    (":3306", Layout::Login),
    (":27017", Layout::Login),
    (":6379", Layout::Login),
    (":5672", Layout::Login),
    ("secret set ", Layout::Stored),
    ("| chpasswd", Layout::Changed),
    ("|chpasswd", Layout::Changed),
    ("htpasswd -b ", Layout::Argument(2)),
    ("htpasswd -bc ", Layout::Argument(2)),
    ("net user ", Layout::Argument(1)),
];

/// Finds what layouts give away, and reads every layout once.
#[derive(Debug, Default)]
pub(crate) struct Layouts {
    manifest_until: usize,
    line_until: usize,
}

impl Layouts {
    /// Finds the secrets of the layout whose keyword stands at `at..to`.
    pub(crate) fn find_all(
        &mut self,
        text: &str,
        at: usize,
        to: usize,
        layout: Layout,
        keep: &mut impl FnMut(Span),
    ) {
        match layout {
            Layout::Manifest if at >= self.manifest_until => {
                self.manifest_until = manifest(text, at, keep);
            }
            Layout::Manifest => {}
            Layout::Logins => logins(text, at).into_iter().for_each(keep),
            Layout::Login => login(text, at).into_iter().for_each(keep),
            Layout::Stored => stored(text, to).into_iter().for_each(keep),
            Layout::Changed => changed(text, at).into_iter().for_each(keep),
            Layout::Argument(before) => argument(text, to, before).into_iter().for_each(keep),
        }
    }

    /// Finds the values of a column, if the name at `at..to` stands in the first line of a table.
    pub(crate) fn table(&mut self, text: &str, at: usize, to: usize, keep: &mut impl FnMut(Span)) {
        const LINE_MAX: usize = 512;
        let bytes = text.as_bytes();
        if at < self.line_until {
            return;
        }
        let is_head = |byte: u8| byte.is_ascii_alphanumeric() || b"_- \",;\t.".contains(&byte);
        let end = run_end(bytes, to, LINE_MAX, is_head);
        let start = run_start(bytes, at, LINE_MAX, is_head);
        self.line_until = end;
        let is_line = start == 0 || bytes[start - 1] == b'\n';
        let body = end + usize::from(bytes.get(end) == Some(&b'\r'));
        if !is_line || bytes.get(body) != Some(&b'\n') {
            return;
        }
        let head = &text[start..end];
        let Some(sign) = ['\t', ',', ';'].into_iter().find(|sign| head.contains(*sign)) else {
            return;
        };
        let names: Vec<&str> = head.split(sign).map(|name| name.trim_matches([' ', '"'])).collect();
        if names.len() < 2 || names.iter().any(|name| name.is_empty() || name.len() > 40) {
            return;
        }
        let wanted: Vec<Option<Announced>> = names.iter().map(|name| column(name)).collect();
        if wanted.iter().all(Option::is_none) {
            return;
        }
        self.line_until = rows(text, body + 1, sign, &wanted, keep);
    }
}

/// What a column of this name holds, if that is secret.
fn column(name: &str) -> Option<Announced> {
    let announced = name::announced(&name.replace(' ', "_"))?;
    matches!(announced.kind, Kind::Password | Kind::Secret | Kind::Token).then_some(announced)
}

/// Reads rows as long as they have all columns, and returns how far that is.
fn rows(
    text: &str,
    from: usize,
    sign: char,
    wanted: &[Option<Announced>],
    keep: &mut impl FnMut(Span),
) -> usize {
    let mut at = from;
    for line in text[from..].split_inclusive('\n') {
        let cells = cells(line.trim_end_matches(['\n', '\r']), sign);
        if cells.len() != wanted.len() {
            break;
        }
        for ((start, end), announced) in cells.into_iter().zip(wanted) {
            let Some(announced) = announced else { continue };
            let cell = &line[start..end];
            let value = cell.trim_matches([' ', '"']);
            let start = at + start + cell.find(value).unwrap_or_default();
            if is_secret(value, *announced, Form::Bare) {
                keep(Span { start, end: start + value.len(), rule: announced.rule });
            }
        }
        at += line.len();
    }
    at
}

/// Where the cells of a row are. A sign within quotes parts nothing.
fn cells(line: &str, sign: char) -> Vec<(usize, usize)> {
    let (mut cells, mut start, mut quoted) = (Vec::new(), 0, false);
    for (at, letter) in line.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            _ if letter == sign && !quoted => {
                cells.push((start, at));
                start = at + 1;
            }
            _ => {}
        }
    }
    cells.push((start, line.len()));
    cells
}

/// The values of a manifest whose kind stands at `at`. Returns where the manifest ends.
fn manifest(text: &str, at: usize, keep: &mut impl FnMut(Span)) -> usize {
    const REACH: (usize, usize) = (4 * 1_024, 32 * 1_024);
    let from = text.ceil_char_boundary(at.saturating_sub(REACH.0));
    let to = text.floor_char_boundary((at + REACH.1).min(text.len()));
    let from = text[from..at].rfind("\n---").map_or(from, |mark| from + mark + 1);
    let to = text[at..to].find("\n---").map_or(to, |mark| at + mark);
    let mut line_at = from;
    // How far the block is indented that is read, if one is.
    let mut block: Option<usize> = None;
    for line in text[from..to].split_inclusive('\n') {
        let body = line.trim();
        let indent = line.len() - line.trim_start().len();
        let begins = ["data:", "stringData:", "\"data\": {", "\"stringData\": {"];
        if block.is_some_and(|outer| indent <= outer && !body.is_empty()) {
            block = None;
        }
        if block.is_some() {
            pair(line, line_at).into_iter().for_each(&mut *keep);
        } else if begins.contains(&body) {
            block = Some(indent);
        }
        line_at += line.len();
    }
    to
}

/// `name: value`, also in quotes.
fn pair(line: &str, line_at: usize) -> Option<Span> {
    let (name, rest) = line.split_once(':')?;
    let value = rest.trim().trim_end_matches(',').trim_matches(['"', '\'']);
    let is_block = ["|", ">", "|-", ">-"].contains(&value);
    if value.len() < 3 || is_block || !is_meant(value) {
        return None;
    }
    let start = line_at + name.len() + 1 + rest.find(value)?;
    Some(Span { start, end: start + value.len(), rule: "secret" })
}

/// The word around `at`.
fn word(text: &str, at: usize) -> (usize, usize) {
    let sign = |byte: u8| byte.is_ascii_graphic() && !b"\"'`<>()".contains(&byte);
    let bytes = text.as_bytes();
    (run_start(bytes, at, 256, sign), run_end(bytes, at, 256, sign))
}

/// The password of a line of logins, such as `.pgpass` has them.
fn logins(text: &str, at: usize) -> Option<Span> {
    let (start, end) = word(text, at);
    let mut parts = text[start..end].splitn(5, ':');
    let [host, port, database, user, password] = std::array::from_fn(|_| parts.next());
    let (host, port, database, user, password) = (host?, port?, database?, user?, password?);
    let is_port =
        port == "*" || (2..=5).contains(&port.len()) && port.bytes().all(|b| b.is_ascii_digit());
    let is_name = |name: &str| {
        name == "*"
            || !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    let fits = is_port && [host, database, user].iter().all(|name| is_name(name));
    let span = Span { start: end - password.len(), end, rule: "password" };
    (fits && password.len() >= 3 && !password.contains(':') && is_meant(password)).then_some(span)
}

/// The password before the host of an address without a scheme.
fn login(text: &str, at: usize) -> Option<Span> {
    let (start, _) = word(text, at);
    let before = &text[start..at];
    let (login, host) = before.rsplit_once('@')?;
    let (user, password) = login.split_once(':')?;
    let user = user.rsplit('=').next().unwrap_or(user);
    let named = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let fits = !user.is_empty() && user.bytes().all(named) && host.bytes().all(named);
    let start = start + login.len() - password.len();
    let secret = fits
        && password.len() >= 3
        && password != user
        && !password.starts_with("//")
        && is_meant(password);
    secret.then_some(Span { start, end: start + password.len(), rule: "url-password" })
}

/// What a command stores as a secret; the words behind `secret set` begin at `from`.
fn stored(text: &str, from: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let end = text.floor_char_boundary(run_end(bytes, from, 512, |byte| byte != b'\n'));
    let line = &text[from..end];
    let flag = ["--body", " -b"].iter().find_map(|flag| Some(line.find(flag)? + flag.len()))?;
    let at = skip_blanks(bytes, from + flag);
    let at = run_end(bytes, at, 1, |byte| byte == b'=');
    let (start, end) = quoted(text, at).unwrap_or_else(|| {
        (at, text.floor_char_boundary(run_end(bytes, at, 256, |byte| byte.is_ascii_graphic())))
    });
    let value = &text[start..end];
    (value.len() >= 3 && is_meant(value)).then_some(Span { start, end, rule: "secret" })
}

/// What is piped into the command at `at` that changes passwords.
fn changed(text: &str, at: usize) -> Option<Span> {
    let end = text[..at].trim_end_matches([' ', '"', '\'']).len();
    let start = run_start(text.as_bytes(), end, 256, |byte| {
        byte.is_ascii_graphic() && !b"\"'`<>()|".contains(&byte)
    });
    let (name, value) = text[start..end].split_once(':')?;
    let start = start + name.len() + 1;
    (value.len() >= 3 && !name.is_empty() && is_meant(value)).then_some(Span {
        start,
        end,
        rule: "password",
    })
}

/// A word of a command line with `before` others between the command and it.
fn argument(text: &str, from: usize, before: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let sign = |byte: u8| byte.is_ascii_graphic() && !b"`<>|;&".contains(&byte);
    let mut at = skip_blanks(bytes, from);
    for _ in 0..before {
        at = skip_blanks(bytes, run_end(bytes, at, 256, sign));
    }
    let (start, end) = quoted(text, at).unwrap_or((at, run_end(bytes, at, 256, sign)));
    let value = &text[start..end];
    is_typed(value).then_some(Span { start, end, rule: "password" })
}

/// Whether a value is meant as it stands.
fn is_meant(value: &str) -> bool {
    !value.contains(MARK)
        && !is_placeholder(value)
        && !is_reference(value)
        && !value.starts_with('$')
}
