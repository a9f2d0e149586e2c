//! Words within names and values, and the words that placeholders are made of.

use std::sync::LazyLock;

/// The words of a name: cut at signs, at `aB`, and between letters and digits.
pub(crate) fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).flat_map(Humps).filter(|w| !w.is_empty())
}

/// The parts of `camelCase2` and `HTTPServer`.
struct Humps<'a>(&'a str);

impl<'a> Iterator for Humps<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.0.as_bytes();
        let first = *bytes.first()?;
        let end = (1..bytes.len())
            .find(|&at| {
                let (before, here) = (bytes[at - 1], bytes[at]);
                let next = bytes.get(at + 1).copied().unwrap_or(b'A');
                before.is_ascii_digit() != here.is_ascii_digit()
                    || (before.is_ascii_lowercase() && here.is_ascii_uppercase())
                    || (before.is_ascii_uppercase()
                        && here.is_ascii_uppercase()
                        && next.is_ascii_lowercase())
            })
            .unwrap_or(bytes.len());
        // Letters beyond ASCII are in no class above, so every cut is next to an ASCII letter;
        // but the letter before may be a part of one beyond.
        let end =
            (end..=bytes.len()).find(|at| self.0.is_char_boundary(*at)).unwrap_or(bytes.len());
        debug_assert!(first != 0 || end > 0, "a part has a length");
        let (part, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(part)
    }
}

/// Room for the words of one name.
pub(crate) struct Words {
    letters: [u8; Self::LETTERS],
}

impl Words {
    const LETTERS: usize = 160;
    const COUNT: usize = 24;
}

impl Default for Words {
    fn default() -> Self {
        Self { letters: [0; Self::LETTERS] }
    }
}

/// The words of a name in lower case. Names are read for every keyword in a text, so that nothing
/// is allocated for them; of a name that is too long, the end counts.
pub(crate) fn lowered<'a>(name: &str, room: &'a mut Words) -> Parts<'a> {
    let name = &name[name.ceil_char_boundary(name.len().saturating_sub(Words::LETTERS))..];
    let letters = &mut room.letters[..name.len()];
    letters.copy_from_slice(name.as_bytes());
    letters.make_ascii_lowercase();
    let letters = std::str::from_utf8(letters).expect("a name in lower case is still a text");
    let mut parts = Parts { words: [""; Words::COUNT], count: 0 };
    for word in split(name) {
        if parts.count == Words::COUNT {
            parts.words.copy_within(1.., 0);
            parts.count -= 1;
        }
        let at = word.as_ptr() as usize - name.as_ptr() as usize;
        parts.words[parts.count] = &letters[at..at + word.len()];
        parts.count += 1;
    }
    parts
}

/// The words of a name.
pub(crate) struct Parts<'a> {
    words: [&'a str; Words::COUNT],
    count: usize,
}

impl<'a> std::ops::Deref for Parts<'a> {
    type Target = [&'a str];

    fn deref(&self) -> &[&'a str] {
        &self.words[..self.count]
    }
}

/// Whether `value` is made of placeholder words and small numbers only: `my-secret-token-1`.
pub(crate) fn is_made_of_placeholders(value: &str) -> bool {
    // Placeholders are short; whoever writes a page of words means something else by it.
    if value.len() > PLACEHOLDER_MAX || has_long_run(value) {
        return false;
    }
    let mut room = Words::default();
    let words = lowered(value, &mut room);
    !words.is_empty()
        && words.iter().all(|word| {
            (word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_digit()))
                || is_placeholder_word(word)
        })
}

/// `abcd1234abcd1234abcd1234`: too long for a word, and nobody would say it.
fn has_long_run(value: &str) -> bool {
    value
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .any(|run| run.len() >= 24 && run.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Whether one of the words says that the value is invented, and what stands beside it does not look like a secret:
/// `your-acme-token`, and not `exampleHorse77!`.
pub(crate) fn says_it_is_invented(value: &str) -> bool {
    if value.len() > PLACEHOLDER_MAX {
        return false;
    }
    let mut room = Words::default();
    let words = lowered(value, &mut room);
    let unknown = || words.iter().filter(|word| !is_invented(word) && !is_placeholder_word(word));
    let count = |of: fn(&u8) -> bool| -> usize {
        unknown().map(|word| word.bytes().filter(of).count()).sum()
    };
    let (letters, digits) = (count(u8::is_ascii_alphabetic), count(u8::is_ascii_digit));
    let strong = letters >= 2 && digits >= 1 && letters + digits >= STRONG_SIGNS;
    !strong && words.iter().any(|word| is_invented(word))
}

/// Letters and digits beside the words of a placeholder from which on it may be somebody's password.
const STRONG_SIGNS: usize = 5;

/// Whether `word` is one of the words of a list with blanks between them.
pub(crate) fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// Also words without a sign between them, such as `mysecretpassword`.
fn is_placeholder_word(word: &str) -> bool {
    const LENGTH_MAX: usize = 40;
    if word.len() > LENGTH_MAX || !word.is_ascii() {
        return false;
    }
    let mut reached = [false; LENGTH_MAX + 1];
    reached[0] = true;
    for at in 0..word.len() {
        if reached[at] {
            let rest = &word[at..];
            let known = BY_FIRST_LETTER[usize::from(word.as_bytes()[at])].iter();
            known.filter(|known| rest.starts_with(**known)).for_each(|known| {
                reached[at + known.len()] = true;
            });
        }
    }
    reached[word.len()]
}

const PLACEHOLDER_MAX: usize = 80;

/// Both lists, where the first letter finds them.
static BY_FIRST_LETTER: LazyLock<[Vec<&str>; 256]> = LazyLock::new(|| {
    let mut found = [const { Vec::new() }; 256];
    for word in PLACEHOLDERS.split(' ').chain(INVENTED) {
        found[usize::from(word.as_bytes()[0])].push(word);
    }
    found
});

/// One of these is enough.
const INVENTED: [&str; 21] = [
    "your",
    "yours",
    "example",
    "examples",
    "placeholder",
    "dummy",
    "fake",
    "mock",
    "mocked",
    "sample",
    "changeme",
    "changethis",
    "changeit",
    "replace",
    "replaceme",
    "redacted",
    "insert",
    "todo",
    "bogus",
    "fixme",
    "lorem",
];

fn is_invented(word: &str) -> bool {
    INVENTED.contains(&word)
}

/// With nothing but these a value is a default, a type, a keyword or a word about secrets.
const PLACEHOLDERS: &str = "\
    password passwd passphrase passcode pass pwd secret secrets token tokens key keys api apikey \
    credential credentials creds auth oauth bearer basic jwt access refresh private public \
    client server user username admin administrator root guest default postgres postgresql mysql \
    mongo redis rabbitmq minio minioadmin sa db database app service account my the some any \
    this that here goes with for from and not of to in is it be or as at on by new old current \
    test tests testing tester demo dev development prod production staging local localhost \
    change me set unset enter type value values string str text bytes byte number int integer \
    bool boolean object array list null none nil undefined true false yes no off empty required \
    optional missing invalid valid expired unknown hidden masked encrypted hashed generated \
    random temp temporary tbd foo bar baz qux quux abc abcd abcdef xyz hello world super very \
    long strong secure insecure wrong correct bad good same other another first second alice bob \
    name id field input env environ environment var variable config setting settings file path \
    stdin hash bcrypt argon sha md hmac signing session cookie csrf";
