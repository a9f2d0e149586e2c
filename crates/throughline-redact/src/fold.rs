//! Letters in disguise: signs that nobody sees, and letters of other scripts that look like Latin ones.

use crate::text::{run_end, run_start};

/// What the bytes at a place stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folded {
    /// Nothing that anybody sees, of so many bytes.
    Unseen(usize),
    /// A Latin letter or digit, written with so many bytes.
    Letter(usize, u8),
}

/// Whether a byte may begin such a sign.
pub(crate) fn may_begin(byte: u8) -> bool {
    matches!(byte, 0xC2 | 0xCD..=0xD2 | 0xD4 | 0xE1 | 0xE2 | 0xEF | 0xF0)
}

/// What the text at `at` is in plain letters, if it is in disguise.
pub(crate) fn at(text: &str, at: usize) -> Option<Folded> {
    // A text is read byte by byte; only where a letter begins there is one.
    let letter = text.get(at..)?.chars().next()?;
    let length = letter.len_utf8();
    match letter {
        '\u{ad}'
        | '\u{34f}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' => Some(Folded::Unseen(length)),
        // Wide letters and digits, and those of formulas, look like Latin ones wherever they stand.
        '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => {
            let sign = u32::from(letter) - 0xFEE0;
            Some(Folded::Letter(length, u8::try_from(sign).ok()?))
        }
        '\u{1d400}'..='\u{1d6a3}' => {
            let place = u8::try_from((u32::from(letter) - 0x1_D400) % 52).ok()?;
            let sign = if place < 26 { b'A' + place } else { b'a' + place - 26 };
            Some(Folded::Letter(length, sign))
        }
        '\u{1d7ce}'..='\u{1d7ff}' => {
            let digit = u8::try_from((u32::from(letter) - 0x1_D7CE) % 10).ok()?;
            Some(Folded::Letter(length, b'0' + digit))
        }
        _ => {
            let sign = look_alike(letter)?;
            is_among_latin(text.as_bytes(), at).then_some(Folded::Letter(length, sign))
        }
    }
}

/// Whether Latin letters stand in the same word: a Russian word as such is in no disguise.
fn is_among_latin(bytes: &[u8], at: usize) -> bool {
    const WORD_MAX: usize = 32;
    let part = |byte: u8| byte >= 0x80 || byte.is_ascii_alphanumeric();
    let start = run_start(bytes, at, WORD_MAX, part);
    let end = run_end(bytes, at, WORD_MAX, part);
    bytes[start..end].iter().any(u8::is_ascii_alphabetic)
}

/// The Latin letter that a letter of Cyrillic or Greek looks like.
fn look_alike(letter: char) -> Option<u8> {
    const ALIKE: [(char, u8); 48] = [
        ('а', b'a'),
        ('е', b'e'),
        ('о', b'o'),
        ('р', b'p'),
        ('с', b'c'),
        ('х', b'x'),
        ('у', b'y'),
        ('і', b'i'),
        ('ї', b'i'),
        ('ј', b'j'),
        ('ѕ', b's'),
        ('ԁ', b'd'),
        ('һ', b'h'),
        ('ԛ', b'q'),
        ('ԝ', b'w'),
        ('ѵ', b'v'),
        ('ӏ', b'l'),
        ('к', b'k'),
        ('т', b't'),
        ('п', b'n'),
        ('А', b'A'),
        ('В', b'B'),
        ('Е', b'E'),
        ('К', b'K'),
        ('М', b'M'),
        ('Н', b'H'),
        ('О', b'O'),
        ('Р', b'P'),
        ('С', b'C'),
        ('Т', b'T'),
        ('Х', b'X'),
        ('У', b'Y'),
        ('Ѕ', b'S'),
        ('І', b'I'),
        ('Ј', b'J'),
        ('α', b'a'),
        ('ο', b'o'),
        ('ρ', b'p'),
        ('ν', b'v'),
        ('ι', b'i'),
        ('κ', b'k'),
        ('Α', b'A'),
        ('Ο', b'O'),
        ('Ρ', b'P'),
        ('Ε', b'E'),
        ('ς', b's'),
        ('ѡ', b'w'),
        ('ꜱ', b's'),
    ];
    ALIKE.iter().find(|(alike, _)| *alike == letter).map(|(_, sign)| *sign)
}
