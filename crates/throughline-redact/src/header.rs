//! What HTTP requests and command lines carry: `Authorization`, cookies, `curl -u`, signed links.

use crate::scan::Span;
use crate::text::{MARK, is_closing_escape, line_start, quoted, run_end, run_start, skip_blanks};
use crate::typed::is_typed;
use crate::value::{is_drummed, is_placeholder, is_random, is_reference, is_word_like};

/// The places that have a rule of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Header {
    /// `Bearer TOKEN`
    Bearer,
    /// `Basic BASE64`, and `"auth": "BASE64"` as Docker keeps it.
    Basic,
    /// `Authorization: TOKEN`
    Authorization,
    /// `Cookie: session=VALUE`
    Cookie,
    /// `curl -u NAME:PASSWORD`
    User,
    /// `mysql -pPASSWORD`, `sshpass -p PASSWORD`, `TOOL -u NAME -p PASSWORD`
    Password,
    /// `redis-cli -a PASSWORD`
    Redis,
    /// `ldapsearch -w PASSWORD`
    Directory,
    /// `?sig=…`, `X-Amz-Signature=…`
    Signature,
}

pub(crate) const KEYWORDS: [(&str, Header); 20] = [
    ("bearer ", Header::Bearer),
    ("basic ", Header::Basic),
    ("\"auth\"", Header::Basic),
    ("\"auth\\\"", Header::Basic),
    ("_auth=", Header::Basic),
    ("_auth =", Header::Basic),
    ("authorization", Header::Authorization),
    ("cookie:", Header::Cookie),
    ("phpsessid=", Header::Cookie),
    ("jsessionid=", Header::Cookie),
    ("connect.sid=", Header::Cookie),
    ("_session=", Header::Cookie),
    (" -u", Header::User),
    (" --user", Header::User),
    (" --proxy-user", Header::User),
    (" -p", Header::Password),
    (" -a ", Header::Redis),
    (" -w ", Header::Directory),
    ("sig=", Header::Signature),
    ("x-amz-signature=", Header::Signature),
];

/// Finds what requests and command lines carry, and reads every command line once.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    line: Line,
}

/// What is known of the command line that was read last.
#[derive(Debug, Default, Clone, Copy)]
struct Line {
    start: usize,
    /// Up to where it was read.
    end: usize,
    /// Whether a program was named on it that speaks HTTP.
    http: bool,
    /// Whether one was named that takes a password after `-p`, with a blank or without.
    spaced: bool,
    tight: bool,
    /// Whether a user was named on it.
    user: bool,
    /// Whether it calls Redis, or a directory.
    redis: bool,
    directory: bool,
}

impl Commands {
    /// Finds the secret behind the keyword at `at..to`; [`cookies`] finds several.
    pub(crate) fn find(
        &mut self,
        text: &str,
        at: usize,
        to: usize,
        header: Header,
    ) -> Option<Span> {
        match header {
            Header::Bearer => bearer(text, to),
            Header::Basic => basic(text, to),
            Header::Authorization => authorization(text, at, to),
            Header::User => self.read(text, at).http.then(|| user(text, to))?,
            Header::Password => password(text, to, self.read(text, at)),
            Header::Redis => self.read(text, at).redis.then(|| flagged(text, to))?,
            Header::Directory => self.read(text, at).directory.then(|| flagged(text, to))?,
            Header::Signature => signature(text, at, to),
            Header::Cookie => None,
        }
    }

    /// Reads the command line up to `at`, with the lines before it that end in a backslash.
    fn read(&mut self, text: &str, at: usize) -> Line {
        const PROGRAMS: usize = 24;
        let bytes = text.as_bytes();
        let known = &mut self.line;
        let mut from = known.end.saturating_sub(PROGRAMS).max(known.start);
        let goes_on = known.end <= at
            && at - known.end < 512
            && !bytes[known.end..at].contains(&b'\n')
            && known.end > 0;
        if !goes_on {
            let mut start = line_start(bytes, at);
            for _ in 0..4 {
                if !bytes[..start].ends_with(b"\\\n") {
                    break;
                }
                start = line_start(bytes, start - 1);
            }
            *known = Line { start, ..Line::default() };
            from = start;
        }
        let more = &bytes[from.min(at)..at];
        let has = |programs: &[&str]| {
            programs.iter().any(|program| {
                more.windows(program.len())
                    .any(|part| part.eq_ignore_ascii_case(program.as_bytes()))
            })
        };
        known.http |= has(&["curl", "wget", "http ", "https "]);
        known.spaced |= has(&["sshpass", "psexec", "docker login", "podman login", "sqlcmd"]);
        known.tight |= has(&["mysql", "mariadb"]);
        known.user |= has(&[" -u ", " --user", " --username", " -u=", " -uroot", " -uadmin"]);
        known.redis |= has(&["redis-cli"]);
        known.directory |= has(&["ldap"]);
        known.end = at;
        *known
    }
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._~+/=-".contains(&byte)
}

/// The run of token signs at `from`, without the full stop of a sentence, unless a mark follows.
fn token(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut end = run_end(bytes, from, 8_192, is_token);
    while end > from && bytes[end - 1] == b'.' {
        end -= 1;
    }
    (end > from && !text[end..].starts_with(MARK)).then_some((from, end))
}

fn bearer(text: &str, to: usize) -> Option<Span> {
    let (start, end) = token(text, skip_blanks(text.as_bytes(), to))?;
    let value = &text[start..end];
    let secret = value.len() >= 16 && is_random(value) && !is_placeholder(value);
    secret.then_some(Span { start, end, rule: "bearer-token" })
}

fn basic(text: &str, to: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let from = run_end(bytes, to, 16, |byte| b" \t:=\"'\\".contains(&byte));
    let (start, end) = token(text, from)?;
    let login = base64(&text[start..end])?;
    let (_, password) = login.split_once(':')?;
    let secret = !password.is_empty() && !is_placeholder(password);
    secret.then_some(Span { start, end, rule: "basic-auth" })
}

/// A header without a scheme we know: `Authorization: token abc`, `Authorization: abc`.
fn authorization(text: &str, at: usize, to: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    // The name of a type: `AWS::Config::AggregationAuthorization`.
    let name = run_start(bytes, at, 64, |byte| byte.is_ascii_alphanumeric() || byte == b':');
    if text[name..at].contains("::") {
        return None;
    }
    let sign = run_end(bytes, to, 8, |byte| b"\"'\\`] \t".contains(&byte));
    if !matches!(bytes.get(sign), Some(b':' | b'=' | b',')) {
        return None;
    }
    let mut from = run_end(bytes, sign, 8, |byte| b":=, \t\"'\\`".contains(&byte));
    let scheme = run_end(bytes, from, 16, |byte| byte.is_ascii_alphabetic() || byte == b'-');
    if bytes.get(scheme) == Some(&b' ') && scheme > from {
        from = skip_blanks(bytes, scheme);
    }
    let (start, end) = token(text, from)?;
    let value = &text[start..end];
    let mixed = value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let code = matches!(bytes.get(end), Some(b'(' | b'[' | b'{'));
    let is_cut = text[end..].starts_with("...");
    let secret = value.len() >= 8
        && mixed
        && !code
        && !is_cut
        && !is_drummed(value)
        && (is_random(value) || !is_word_like(value))
        && !is_placeholder(value)
        && !is_reference(value)
        && !value.starts_with("AWS4-");
    secret.then_some(Span { start, end, rule: "authorization" })
}

/// Finds the pairs of a cookie header whose name or value says that they hold a login, and
/// returns how far it read.
pub(crate) fn cookies(text: &str, at: usize, to: usize, keep: &mut impl FnMut(Span)) -> usize {
    const NAMES: [&str; 8] = ["sess", "sid", "auth", "token", "jwt", "csrf", "xsrf", "remember"];
    const LIMIT: usize = 4_096;
    let bytes = text.as_bytes();
    let (mut pair, end) = if bytes[to - 1] == b'=' {
        (at, run_end(bytes, to, LIMIT, |byte| !b" \t;&,)".contains(&byte) && is_cookie(byte)))
    } else {
        (to, run_end(bytes, to, LIMIT, is_cookie))
    };
    let end = (to..end).find(|at| is_closing_escape(bytes, *at)).unwrap_or(end);
    while pair < end {
        let pair_end = run_end(bytes, pair, end - pair, |byte| byte != b';');
        let Some(sign) = (pair..pair_end).find(|at| bytes[*at] == b'=') else {
            pair = pair_end + 1;
            continue;
        };
        let name = text[pair..sign].trim().to_ascii_lowercase();
        let value = &text[sign + 1..pair_end];
        let named = NAMES.iter().any(|part| name.contains(part));
        let is_id = value.bytes().any(|byte| byte.is_ascii_digit()) && !is_word_like(value);
        let secret =
            (named && value.len() >= 8 && is_id) || (value.len() >= 16 && is_random(value));
        let told = ["path", "domain", "expires", "max-age", "samesite"].contains(&name.as_str());
        if secret
            && !told
            && !is_placeholder(value)
            && !is_reference(value)
            && !value.contains([' ', '(', '['])
        {
            keep(Span { start: sign + 1, end: pair_end, rule: "cookie" });
        }
        pair = pair_end + 1;
    }
    end
}

fn is_cookie(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_control() && !b"\"'`<>".contains(&byte)
}

/// `-u` means a user only to programs that speak HTTP.
fn user(text: &str, to: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let from = run_end(bytes, to, 8, |byte| byte == b' ' || byte == b'=');
    let (start, end) = argument(text, from)?;
    let (name, password) = text[start..end].split_once(':')?;
    let start = start + name.len() + 1;
    let (start, end) = if password.is_empty() { quoted(text, start)? } else { (start, end) };
    let password = &text[start..end];
    let secret = !password.is_empty()
        && !password.contains(MARK)
        && !is_placeholder(password)
        && !is_reference(password);
    secret.then_some(Span { start, end, rule: "curl-user" })
}

/// `-p` means a password to the programs of `MySQL` (without a blank), to `sshpass`, and behind a
/// user if what follows has the form of one.
fn password(text: &str, to: usize, line: Line) -> Option<Span> {
    let bytes = text.as_bytes();
    if line.user && !line.spaced && bytes.get(to) == Some(&b' ') {
        return flagged(text, to).filter(|span| is_typed(&text[span.start..span.end]));
    }
    let from = if line.spaced {
        skip_blanks(bytes, to)
    } else if line.tight && bytes.get(to).is_some_and(|next| !b" \t-\n".contains(next)) {
        to
    } else {
        return None;
    };
    flagged(text, from)
}

/// The argument behind a flag, if it is meant as it stands.
fn flagged(text: &str, from: usize) -> Option<Span> {
    let (start, end) = argument(text, skip_blanks(text.as_bytes(), from))?;
    let value = &text[start..end];
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let secret = value.len() >= 4
        && letters
        && !value.contains(MARK)
        && !is_placeholder(value)
        && !is_reference(value);
    secret.then_some(Span { start, end, rule: "password" })
}

fn signature(text: &str, at: usize, to: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    if at > 0 && !b"?&;".contains(&bytes[at - 1]) {
        return None;
    }
    let end = run_end(bytes, to, 512, |byte| is_token(byte) || byte == b'%');
    let value = &text[to..end];
    let secret = value.len() >= 32 && is_random(value) && !is_placeholder(value);
    secret.then_some(Span { start: to, end, rule: "signed-url" })
}

/// One argument of a command line.
fn argument(text: &str, from: usize) -> Option<(usize, usize)> {
    if let Some(inside) = quoted(text, from) {
        return Some(inside);
    }
    let bytes = text.as_bytes();
    let end = run_end(bytes, from, 256, |byte| {
        !byte.is_ascii_whitespace() && !byte.is_ascii_control() && !b"\"'`<>|;".contains(&byte)
    });
    let end = (from..end).find(|at| is_closing_escape(bytes, *at)).unwrap_or(end);
    let end = text.floor_char_boundary(end);
    (end > from).then_some((from, end))
}

/// The text that `encoded` is base64 for, if it is a text.
pub(crate) fn base64(encoded: &str) -> Option<String> {
    if encoded.len() > 1_024 {
        return None;
    }
    let mut decoded = Vec::with_capacity(encoded.len());
    let (mut bits, mut count) = (0_u32, 0);
    for byte in encoded.trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push((bits >> count & 0xFF) as u8);
        }
    }
    // `echo` leaves the end of its line in what is encoded.
    let text = String::from_utf8(decoded).ok().map(|text| text.trim_end().to_owned());
    text.filter(|text| !text.chars().any(char::is_control))
}
