//! Whether a value is a secret or only stands where one would.

use std::borrow::Cow;

use crate::name::{self, Announced, Kind};
use crate::text::MARK;
use crate::words;

/// How a value is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `NAME=value` as in an environment: the value is what stands there.
    Environment,
    /// `"value"`: a literal, so no variable and no call.
    Quoted,
    /// `name: value`, `--name value`: may be a literal, a variable, a type or a sentence.
    Bare,
    /// `the name is value`: mostly a sentence.
    Sentence,
    /// `"name", "value"`: side by side, which says little.
    Beside,
    /// `name value`: one after the other, which says less.
    After,
}

/// Whether `value`, written in this form behind this name, is a secret.
pub(crate) fn is_secret(value: &str, announced: Announced, form: Form) -> bool {
    let looks_like_one = if value.contains(char::is_whitespace) {
        !matches!(form, Form::Sentence | Form::After) && is_phrase(value, announced, form)
    } else {
        fits(&without_escapes(value), announced.kind, form)
            && (announced.kind == Kind::Password || !is_drummed(value))
            && (form == Form::Environment || form == Form::Quoted || !is_expression(value))
    };
    looks_like_one && !value.contains(MARK) && !is_placeholder(value) && !is_reference(value)
}

/// How much a value must look like a secret: the less its name and its form say, the more.
fn fits(value: &str, kind: Kind, form: Form) -> bool {
    match (kind, form) {
        (Kind::Password | Kind::Hardly, Form::After) if is_identifier(value) => false,
        (Kind::Password, Form::After) => {
            value.len() >= 6
                && is_mixed(value)
                && has_digit_and_letter(value)
                && (!is_word_like(value) || turns_often(value))
                && !value.contains(['/', '(', ':'])
        }
        (Kind::Hardly, _) => {
            value.len() >= 16
                && is_random(value)
                && has_digit(value)
                && !(name::is_constant(value) && value.contains('_'))
        }
        (_, Form::After) => value.len() >= 20 && has_digit_and_letter(value) && is_strong(value),
        (Kind::Perhaps, _) => value.len() >= 16 && has_digit(value) && is_strong(value),
        (_, Form::Beside) => {
            has_digit(value)
                && !is_technical(value)
                && (value.len() >= 16 && is_random(value)
                    || value.len() >= 10 && has_digit_and_letter(value) && !is_word_like(value))
        }
        (Kind::Password, Form::Environment) => {
            value.chars().filter(|letter| letter.is_alphanumeric()).count() >= 3
        }
        (Kind::Password, Form::Quoted) => {
            value.len() >= 4 && (is_mixed(value) || is_lower_word(value) || all_digits(value))
        }
        (Kind::Password, Form::Bare) => value.len() >= 5 && (is_mixed(value) || all_digits(value)),
        (Kind::Password, Form::Sentence) => value.len() >= 6 && is_mixed(value),
        (Kind::Secret, Form::Environment) => {
            value.len() >= 6 && (is_mixed(value) || is_lower_word(value) || is_random(value))
        }
        (Kind::Token, Form::Environment) | (Kind::Secret | Kind::Token, Form::Quoted) => {
            value.len() >= 8
                && (has_digit_and_letter(value) || is_random(value) || is_long_number(value))
                && !(value.contains(['-', '_', '.', ' ']) && is_word_like(value))
        }
        (Kind::Secret | Kind::Token, Form::Bare) => {
            value.len() >= 10
                && has_digit_and_letter(value)
                && (is_random(value) || !is_word_like(value))
                || is_long_number(value)
        }
        (Kind::Secret | Kind::Token, Form::Sentence) => {
            value.len() >= 16 && (is_random(value) || is_strong(value))
        }
    }
}

/// The value without the escapes of an address, whose digits are not the value's: `lock%26key`.
fn without_escapes(value: &str) -> Cow<'_, str> {
    let is_escape = |part: &[u8]| part[0] == b'%' && part[1..].iter().all(u8::is_ascii_hexdigit);
    if !value.as_bytes().windows(3).any(is_escape) {
        return Cow::Borrowed(value);
    }
    let mut plain = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('%') {
        plain.push_str(before);
        let code = after.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok());
        plain.push(code.filter(u8::is_ascii).map_or('%', char::from));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// `sdlfkj452`: drummed on the middle row of a keyboard by somebody who needed an example. Of random
/// letters one in three lies there.
pub(crate) fn is_drummed(value: &str) -> bool {
    let letters = value.bytes().filter(u8::is_ascii_lowercase);
    let (all, middle) = letters.fold((0, 0), |(all, middle), letter| {
        (all + 1, middle + usize::from(b"asdfghjkl".contains(&letter)))
    });
    (8..=16).contains(&value.len())
        && all >= 3
        && middle * 5 >= all * 4
        && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && !value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `OBJ_pkcs9`
pub(crate) fn is_identifier(value: &str) -> bool {
    value.contains('_') && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A long run of the signs that tokens are made of, with letters and digits and without words.
fn is_strong(value: &str) -> bool {
    let signs = value.bytes().filter(u8::is_ascii_alphanumeric).count();
    signs >= 16
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-+/=.~:!".contains(&byte))
        && (has_digit_and_letter(value) || is_long_number(value) && value.len() >= 20)
        && !is_word_like(value)
        && (is_uuid(value) || has_long_part(value))
}

/// Nothing but one long run of letters and digits in turn, or a UUID.
pub(crate) fn is_dense(value: &str) -> bool {
    is_uuid(value)
        || is_random(value)
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && has_digit(value)
}

/// Names are made of short parts; a token has a long one.
fn has_long_part(value: &str) -> bool {
    value
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .any(|part| part.len() >= 14 && part.bytes().any(|byte| byte.is_ascii_digit()))
}

fn is_uuid(value: &str) -> bool {
    value.len() >= 32
        && has_digit(value)
        && value.split('-').count() == 5
        && value
            .split('-')
            .all(|part| part.len() >= 3 && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

pub(crate) fn has_digit(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
}

/// `hunter2x9`, but neither `step2` nor `2nd`.
pub(crate) fn turns_often(value: &str) -> bool {
    let digit = |byte: &u8| byte.is_ascii_digit();
    value.as_bytes().windows(2).filter(|pair| digit(&pair[0]) != digit(&pair[1])).count() >= 2
}

/// More digits than a time, a size or a count has.
fn is_long_number(value: &str) -> bool {
    value.len() >= 14 && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a value only shows where a secret goes: a template, a mask, or placeholder words.
pub(crate) fn is_placeholder(value: &str) -> bool {
    const TEMPLATES: [&str; 12] =
        ["${", "$(", "{{", "}}", "<%", "#{", ")s", "%s", "{}", "...", "…", "$env:"];
    let wrapped = [('<', '>'), ('{', '}'), ('[', ']'), ('%', '%'), ('(', ')')]
        .iter()
        .any(|(open, close)| value.starts_with(*open) && value.ends_with(*close));
    let bytes = value.as_bytes();
    let variable = bytes.first() == Some(&b'$')
        && bytes.get(1).is_some_and(|next| next.is_ascii_alphabetic() || *next == b'_')
        && bytes[1..].iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let shell_argument = bytes.len() == 2 && bytes[0] == b'$';
    wrapped
        || variable
        || shell_argument
        || value.starts_with('<')
        || TEMPLATES.iter().any(|template| value.contains(template) && !is_noise(value))
        || has_braces(value)
        || is_mask(value)
        || value.contains("EXAMPLE")
        || words::is_made_of_placeholders(value)
        || (words::says_it_is_invented(value) && !has_long_random_part(value))
}

/// `{name}` somewhere in the value.
fn has_braces(value: &str) -> bool {
    let Some((_, rest)) = value.split_once('{') else { return false };
    let name = rest.split_once('}').map(|(name, _)| name);
    name.is_some_and(|name| {
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:$- []'\"".contains(&byte))
    })
}

/// So many different signs that a sign of a template among them means nothing.
fn is_noise(value: &str) -> bool {
    let mut seen = [false; 128];
    let signs = value.bytes().filter(u8::is_ascii_punctuation);
    signs.for_each(|byte| seen[usize::from(byte)] = true);
    seen.iter().filter(|seen| **seen).count() >= 8
}

/// `xxxx`, `********`, `ghp_XXXXXXXX`, `AKIAIOSFODNN7EXAMPLE`, `00000000`.
pub(crate) fn is_mask(value: &str) -> bool {
    let run = |sign: u8, long: usize| {
        let mut length = 0;
        value.bytes().any(|byte| {
            length = if byte.eq_ignore_ascii_case(&sign) { length + 1 } else { 0 };
            length >= long
        })
    };
    let mut seen = [false; 256];
    value.bytes().for_each(|byte| seen[usize::from(byte.to_ascii_lowercase())] = true);
    let distinct = seen.iter().filter(|seen| **seen).count();
    run(b'x', 4)
        || run(b'*', 3)
        || value.contains("•••")
        || (distinct <= 2 && value.len() >= 3)
        || ends_with(value, "EXAMPLE")
        || ends_with(value, "EXAMPLEKEY")
}

/// The same as `str::ends_with`, in any case.
fn ends_with(value: &str, end: &str) -> bool {
    let at = value.len().checked_sub(end.len());
    at.is_some_and(|at| value.as_bytes()[at..].eq_ignore_ascii_case(end.as_bytes()))
}

/// Whether a value names the place of something instead of being it: a path, an address, a
/// version, a digest, a name in a vault.
pub(crate) fn is_reference(value: &str) -> bool {
    const STARTS: [&str; 19] = [
        "./", "../", "~/", "file:", "arn:", "vault:", "ssm:", "op://", "env:", "data:", "sha1-",
        "sha256-", "sha384-", "sha512-", "sha1:", "sha256:", "sha512:", "md5:", "enc[",
    ];
    let lower = value.to_ascii_lowercase();
    STARTS.iter().any(|start| lower.starts_with(start))
        || value.contains("://")
        || is_path(value)
        || is_quantity(&lower)
        || is_version(&lower)
        || (lower.starts_with("0x") && lower.len() <= 10)
}

/// Signs that no word has: a mix of letters and digits, or long and without a word in it.
pub(crate) fn is_random(value: &str) -> bool {
    /// The share of neighbours of different classes is one in five at least in a random text.
    const TURNS_SHARE: usize = 5;
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        _ => 2,
    };
    let (mut signs, mut digits, mut turns) = (0_usize, 0_usize, 0_usize);
    let mut last = None;
    for byte in value.bytes().filter(u8::is_ascii_alphanumeric) {
        signs += 1;
        digits += usize::from(byte.is_ascii_digit());
        if let Some(last) = last {
            let capitalised = u8::is_ascii_uppercase(&last) && byte.is_ascii_lowercase();
            turns += usize::from(class(last) != class(byte) && !capitalised);
        }
        last = Some(byte);
    }
    if signs < 12 {
        return false;
    }
    let letters = signs - digits;
    let mixed = digits >= 2 && letters >= 2 && turns * TURNS_SHARE >= signs;
    let restless = digits == 0 && signs >= 16 && turns * 4 >= signs;
    let unbroken = signs == value.len() && turns == 0 && letters == value.len();
    mixed || restless || (unbroken && (20..=64).contains(&value.len()))
}

fn has_long_random_part(value: &str) -> bool {
    value
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .any(|part| part.len() >= 20 && is_random(part))
}

/// A pass phrase: four plain words or more that make no sentence; or a password with blanks.
fn is_phrase(value: &str, announced: Announced, form: Form) -> bool {
    const SENTENCE: &str = "\
        the a an is are was be to for of in on and or not must your you with from this if";
    let words: Vec<&str> = value.split_whitespace().collect();
    let plain = words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()));
    let quoted = form == Form::Quoted || form == Form::Environment;
    let app_password = announced.kind == Kind::Password
        && quoted
        && plain
        && words.len() == 4
        && words.iter().all(|word| word.len() == 4);
    let phrase = announced.is_phrase
        && plain
        && words.len() >= 4
        && !words.iter().any(|word| words::is_in(SENTENCE, word) || word.len() < 3);
    (app_password || phrase || quoted && is_quoted_phrase(value, &words, announced, form))
        && !words.iter().all(|word| words::is_made_of_placeholders(word))
}

/// A password of several words in quotes. Code has sentences in the same place: what is shown to a
/// person who types one. They speak about passwords, or have a sentence's words and signs.
fn is_quoted_phrase(value: &str, words: &[&str], announced: Announced, form: Form) -> bool {
    const SPEAKS: &str = "\
        password passwords passwd passphrase passcode secret secrets token tokens key keys credential \
        credentials login user username account enter type must should cannot invalid incorrect wrong \
        missing required optional please minimum maximum least characters letters digits forgot reset \
        confirm repeat show hide change new old your you the a an is are was be to for of in on and or \
        not with from this if no at it by that has have can will when use used";
    let plain = |word: &&str| word.bytes().all(|byte| byte.is_ascii_graphic());
    let said = |word: &&str| {
        let word = word.trim_matches(|sign: char| sign.is_ascii_punctuation());
        words::is_in(SPEAKS, &word.to_ascii_lowercase())
    };
    let first = words.first().copied().unwrap_or_default();
    let is_title = first.starts_with(|letter: char| letter.is_ascii_uppercase())
        && value.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b' ');
    let is_code = value.contains(['$', '{', '<', '(', '=', ';', '\\', '|', '%'])
        || value.ends_with([':', '.', '?', '!', ','])
        || value.contains(", ");
    matches!(announced.kind, Kind::Password | Kind::Secret)
        && (2..=12).contains(&words.len())
        && value.len() <= 128
        && !value.contains('\n')
        && value.bytes().filter(u8::is_ascii_alphanumeric).count() >= 8
        && words.iter().all(plain)
        && !is_code
        && (form == Form::Environment || !words.iter().any(said) && !is_title)
}

/// Whether code computes the value: a call, a field, a type, an operator, a plain name.
pub(crate) fn is_expression(value: &str) -> bool {
    let calls = ['(', '{'].iter().any(|sign| value.contains(*sign))
        || value.contains("::")
        || value.contains("->")
        || value.contains('[')
        || value.starts_with(['&', '|', '+', '!', '=', '?', '*', '-', '/', '#', '@', '_']);
    let parts: Vec<&str> = value.split('.').collect();
    let field = parts.len() > 1
        && parts.iter().all(|part| {
            part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                && !is_random(part)
        });
    // What may fail is handed on: `host?`.
    let handed_on = value.strip_suffix('?').is_some_and(|name| {
        name.bytes().all(|byte| byte.is_ascii_lowercase() || b"_.".contains(&byte))
    });
    calls
        || field
        || handed_on
        || name::is_constant(value) && value.contains('_') && !is_random(value)
}

fn is_path(value: &str) -> bool {
    const FILES: [&str; 12] = [
        ".pem", ".key", ".json", ".txt", ".yaml", ".yml", ".toml", ".env", ".rs", ".ts", ".py",
        ".md",
    ];
    let drive =
        value.as_bytes().get(1..3) == Some(b":\\") || value.as_bytes().get(1..3) == Some(b":/");
    let slashes = value.matches('/').count();
    let wordy = || {
        !value.contains(['+', '='])
            && value.split('/').all(|part| part.len() < 24 && !is_random(part))
    };
    drive
        || FILES.iter().any(|file| ends_with(value, file))
        || (value.starts_with('/') && wordy())
        || (slashes >= 2 && wordy())
}

/// A number with a unit, a version, a date.
fn is_quantity(lower: &str) -> bool {
    let number = lower.trim_start_matches(['v', '^', '~', '>', '=', '<', '-', '+', '#']);
    let digits = number.bytes().take_while(|byte| b"0123456789._:-,/t".contains(byte)).count();
    let unit = &number[digits..];
    let has_sign = number[..digits].bytes().any(|byte| b"._:-,/".contains(&byte));
    number.starts_with(|first: char| first.is_ascii_digit())
        && (unit.is_empty() && has_sign
            || (1..=3).contains(&unit.len())
                && unit.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'%')
                && digits <= 8)
}

/// `v1.2.3-rc.4`, `2.0-alpine`.
fn is_version(lower: &str) -> bool {
    let number = lower.trim_start_matches(['v', '^', '~', '=']);
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &number[digits..];
    (1..=4).contains(&digits)
        && rest.len() <= 20
        && rest.starts_with('.')
        && rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
        && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte))
        && !is_random(rest)
}

fn has_digit_and_letter(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn all_digits(value: &str) -> bool {
    value.len() >= 5 && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// Letters with a digit or with a sign that names and sentences have not.
pub(crate) fn is_mixed(value: &str) -> bool {
    let letter = value.chars().any(char::is_alphabetic);
    let sign = value.bytes().any(|byte| b"!@#$%^&*+=?~".contains(&byte));
    letter && (sign || has_digit_and_letter(value)) && !is_technical(value)
}

/// `swordfish`, but no name with a sign in it and no `Title`.
fn is_lower_word(value: &str) -> bool {
    value.len() >= 6 && value.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Mostly words, with a number at their end or between them: `token-2`, `x25519_private_key`.
pub(crate) fn is_word_like(value: &str) -> bool {
    let counted = value.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let counts = "123456789".starts_with(&value[counted.len()..]);
    let value = if counts && counted.ends_with(['-', '_']) { counted } else { value };
    let signs = value.bytes().filter(u8::is_ascii_alphanumeric).count();
    let in_words: usize = words::split(value)
        .filter(|word| {
            (4..=16).contains(&word.len())
                && word.bytes().any(|byte| b"aeiouyAEIOUY".contains(&byte))
        })
        .filter(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic()))
        .map(str::len)
        .sum();
    in_words * 10 >= signs * 6
}

/// Names of methods and types that have digits in them.
fn is_technical(value: &str) -> bool {
    const STEMS: [&str; 24] = [
        "sha", "md", "argon", "bcrypt", "scrypt", "pbkdf", "base", "utf", "oauth", "http", "ed",
        "aes", "rsa", "hs", "rs", "es", "int", "uint", "float", "bytes", "varchar", "nvarchar",
        "char", "x",
    ];
    let first = words::split(value).next().unwrap_or_default();
    // A name has few numbers in it, and is short or has parts: `x8f2k9…` only begins like one.
    let numbers = value.split(|sign: char| !sign.is_ascii_digit()).filter(|run| !run.is_empty());
    STEMS.iter().any(|stem| first.eq_ignore_ascii_case(stem))
        && numbers.count() <= 2
        && (value.len() <= 12 || value.contains(['_', '-', '.']))
        && !value.bytes().any(|byte| b"!@#$^&*".contains(&byte))
}
