//! Numbers that are somebody's: payment cards, bank accounts, social security numbers.
//!
//! A card and an account carry check digits, and only what passes the check is taken. A social
//! security number carries none, so that its form alone would take part numbers along: it goes
//! where the text says what it is.

use crate::scan::Span;
use crate::text::{run_end, run_start};

/// Finds every such number in `text[from..to]`.
pub(crate) fn find_all(text: &str, from: usize, to: usize, keep: &mut impl FnMut(Span)) {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < to {
        let Some(next) = bytes[at..to].iter().position(u8::is_ascii_digit) else { break };
        at += next;
        let account = (at >= 2).then(|| account(bytes, at - 2)).flatten();
        if let Some(span) = account {
            at = span.end;
            keep(span);
            continue;
        }
        let Some(number) = Number::read(bytes, at) else {
            at = run_end(bytes, at, usize::MAX, |byte| byte.is_ascii_digit());
            continue;
        };
        at = number.end;
        if let Some(rule) = number.rule(bytes) {
            keep(Span { start: number.start, end: number.end, rule });
        }
    }
}

/// Digits, in groups with one blank or dash between them.
struct Number {
    start: usize,
    end: usize,
    digits: [u8; Self::DIGITS_MAX],
    count: usize,
    /// How long each group is; one for a number without signs in it.
    groups: [usize; Self::GROUPS_MAX],
    group_count: usize,
}

impl Number {
    const DIGITS_MAX: usize = 19;
    const GROUPS_MAX: usize = 5;

    /// The number that begins at `start`, unless it is a part of something else: of a word, of a
    /// fraction, of a longer number.
    fn read(bytes: &[u8], start: usize) -> Option<Self> {
        let before = start.checked_sub(1).map(|at| bytes[at]);
        if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_.-/".contains(&byte)) {
            return None;
        }
        let mut number =
            Self { start, end: start, digits: [0; 19], count: 0, groups: [0; 5], group_count: 0 };
        let mut at = start;
        loop {
            let end = run_end(bytes, at, Self::DIGITS_MAX + 1, |byte| byte.is_ascii_digit());
            let group = &bytes[at..end];
            if number.count + group.len() > Self::DIGITS_MAX
                || number.group_count == Self::GROUPS_MAX
            {
                return None;
            }
            for (place, digit) in number.digits[number.count..].iter_mut().zip(group) {
                *place = digit - b'0';
            }
            number.count += group.len();
            number.groups[number.group_count] = group.len();
            number.group_count += 1;
            number.end = end;
            let goes_on = matches!(bytes.get(end), Some(b' ' | b'-'))
                && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
            if !goes_on {
                break;
            }
            at = end + 1;
        }
        let after = bytes.get(number.end).copied().unwrap_or(b' ');
        let then = bytes.get(number.end + 1).is_some_and(u8::is_ascii_alphanumeric);
        let part =
            after.is_ascii_alphanumeric() || after == b'_' || b".-/:".contains(&after) && then;
        (!part).then_some(number)
    }

    fn rule(&self, bytes: &[u8]) -> Option<&'static str> {
        let groups = &self.groups[..self.group_count];
        let digits = &self.digits[..self.count];
        match groups {
            [13..=19] if is_card(digits) && !self.is_id(bytes) => Some("card-number"),
            [4, 4, 4, 4] | [4, 6, 5] | [4, 6, 4] | [4, 4, 4, 4, 3] if is_card(digits) => {
                Some("card-number")
            }
            [3, 2, 4] | [9] if is_social(digits) && is_named(bytes, self.start, 40, SOCIAL) => {
                Some("social-security-number")
            }
            _ => None,
        }
    }
}

impl Number {
    /// Whether the text says that the number is no card's.
    fn is_id(&self, bytes: &[u8]) -> bool {
        let before =
            bytes[..self.start].iter().rev().take(32).find(|byte| !byte.is_ascii_whitespace());
        let listed = before.is_some_and(|byte| b",([{".contains(byte));
        (listed || self.count > 16 || is_named(bytes, self.start, 20, IDS))
            && !is_named(bytes, self.start, 40, CARDS)
    }
}

/// The length and the first digits of an issuer, and the check digit.
fn is_card(digits: &[u8]) -> bool {
    let first = |count: usize| {
        digits[..count].iter().fold(0_u32, |number, digit| number * 10 + u32::from(*digit))
    };
    let issued = match digits.len() {
        14 => matches!(first(3), 300..=305) || matches!(first(2), 36 | 38 | 39),
        15 => matches!(first(2), 34 | 37),
        16 => {
            first(1) == 4
                || matches!(first(2), 51..=55 | 62 | 65)
                || matches!(first(4), 2221..=2720 | 3528..=3589 | 6011)
                || matches!(first(3), 644..=649)
        }
        19 => first(1) == 4 || matches!(first(2), 62 | 65) || first(4) == 6011,
        _ => false,
    };
    let doubled = |(at, digit): (usize, &u8)| {
        let digit = u32::from(*digit) << (at % 2);
        if digit > 9 { digit - 9 } else { digit }
    };
    let sum: u32 = digits.iter().rev().enumerate().map(doubled).sum();
    issued && sum.is_multiple_of(10) && digits.iter().any(|digit| *digit != digits[0])
}

/// Numbers that were never given out are none.
fn is_social(digits: &[u8]) -> bool {
    let [a, b, c, d, e, rest @ ..] = digits else { return false };
    let area = u32::from(*a) * 100 + u32::from(*b) * 10 + u32::from(*c);
    rest.len() == 4
        && !matches!(area, 0 | 666 | 900..)
        && (*d, *e) != (0, 0)
        && rest.iter().any(|digit| *digit != 0)
        && !is_invented(digits)
}

/// `111-22-3333`, `123-45-6789`: every part of it one digit, or one counts up.
fn is_invented(digits: &[u8]) -> bool {
    let parts = [&digits[..3], &digits[3..5], &digits[5..]];
    let same = |part: &[u8]| part.windows(2).all(|pair| pair[0] == pair[1]);
    parts.iter().all(|part| same(part)) || digits.windows(2).all(|pair| pair[0] + 1 == pair[1])
}

/// Whether one of `words` stands in the same line, not further than `reach` before `at`.
fn is_named(bytes: &[u8], at: usize, reach: usize, words: &[&str]) -> bool {
    let start = run_start(bytes, at, reach, |byte| byte != b'\n');
    let before = bytes[start..at].to_ascii_lowercase();
    words.iter().any(|word| before.windows(word.len()).any(|part| part == word.as_bytes()))
}

const SOCIAL: &[&str] = &["ssn", "social security", "social-security", "socialsecurity"];

const CARDS: &[&str] = &["card", "visa", "amex", "american express", "diners", "discover"];

/// What long numbers are that nobody pays with. One in ten of them passes the check by chance.
const IDS: &[&str] = &[
    "id=", "id:", "id\"", "id ", "_id", "order", "time", "ts=", "stamp", "trace", "span", "seq",
    "invoice", "ticket", "serial", "offset", "nonce", "seed", "hash", "build", "size", "bytes",
];

/// An IBAN whose country stands at `start`, in one piece or in groups of four.
fn account(bytes: &[u8], start: usize) -> Option<Span> {
    let country = bytes.get(start..start + 2)?;
    let bounded =
        start == 0 || !(bytes[start - 1].is_ascii_alphanumeric() || bytes[start - 1] == b'_');
    if !bounded || !country.iter().all(u8::is_ascii_uppercase) {
        return None;
    }
    let length = ACCOUNTS.as_bytes().chunks(4).find(|entry| entry.starts_with(country))?;
    let length = usize::from(length[2] - b'0') * 10 + usize::from(length[3] - b'0');

    let mut signs = Vec::with_capacity(length);
    let mut at = start;
    while signs.len() < length {
        match *bytes.get(at)? {
            byte if byte.is_ascii_uppercase() || byte.is_ascii_digit() => signs.push(byte),
            b' ' if signs.len() % 4 == 0 && bytes[at - 1] != b' ' => {}
            _ => return None,
        }
        at += 1;
    }
    let whole = bytes.get(at).is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    signs.rotate_left(4);
    let rest = signs.iter().fold(0_u32, |rest, sign| match sign {
        b'0'..=b'9' => (rest * 10 + u32::from(sign - b'0')) % 97,
        _ => (rest * 100 + u32::from(sign - b'A') + 10) % 97,
    });
    (whole && rest == 1).then_some(Span { start, end: at, rule: "bank-account" })
}

/// Countries, and how long an account's number is there.
const ACCOUNTS: &str = "\
    AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24\
    FI18FK18FO18FR27GB22GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32\
    LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24\
    RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20YE30";
