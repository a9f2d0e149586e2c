//! Passwords in freer wording: sentences of many speakers, each with several values, and sentences with
//! the same words that must stay.
//!
//! `sentences/told.txt` has a sentence a line with `{}` where the value goes, or `{1}` and `{2}` for its
//! two pieces. A line with `~` before it is known for values with digits or signs, and not for drawn words;
//! one with `!` only for values with a sign. A line with `-` gets through, and stands there so that nobody
//! takes the list for complete.

use throughline_redact::redact;

const TOLD: &str = include_str!("sentences/told.txt");
const MENTIONED: &str = include_str!("sentences/mentioned.txt");

/// A value in two pieces, so that none stands here in whole.
type Pieces = (&'static str, &'static str);

/// What people type, with a sign in it.
const SIGNED: [Pieces; 5] = [
    ("hun", "ter2!"),
    ("Tr0ub", "4dor&3"),
    ("Blau", "4Wal!9"),
    ("kaf", "fee2019!"),
    ("zebra", "$Lamp9"),
];
/// The same without one.
const PLAIN: [Pieces; 4] =
    [("s3cr3t", "-Pa55"), ("kaffee", "2019"), ("Qw7p", "Lm2xZ"), ("gr33n.", "m0nkey")];
/// Words that were drawn.
const DRAWN: [Pieces; 2] = [("correct-", "horse-battery"), ("moon-otter", "-violin-tray")];

/// A line of a list with `\n` and `\u{…}` as what they stand for.
fn unescaped(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line.replace("\\n", "\n");
    while let Some(at) = rest.find("\\u{") {
        text.push_str(&rest[..at]);
        let end = at + rest[at..].find('}').expect("a closed escape");
        let code = u32::from_str_radix(&rest[at + 3..end], 16).expect("a number");
        text.push(char::from_u32(code).expect("a letter"));
        rest.drain(..=end);
    }
    text + &rest
}

/// What is left of a value in a text that did not have it in its sentence.
fn is_left(clean: &str, sentence: &str, value: &str) -> bool {
    let half = value.len().div_ceil(2).max(4);
    (0..=value.len() - half)
        .map(|at| &value[at..at + half])
        .any(|part| clean.contains(part) && !sentence.contains(part))
}

#[test]
fn a_password_told_in_freer_wording_disappears() {
    let mut missed = Vec::new();
    let (mut all, mut through) = (0, 0);
    for line in TOLD.lines() {
        all += 1;
        if line.starts_with("- ") {
            through += 1;
            continue;
        }
        let sentence = line.trim_start_matches("~ ").trim_start_matches("! ");
        let values: Vec<Pieces> = match line.as_bytes()[0] {
            b'!' => SIGNED.to_vec(),
            b'~' => [&SIGNED[..], &PLAIN].concat(),
            _ => [&SIGNED[..], &PLAIN, &DRAWN].concat(),
        };
        for (one, two) in values {
            let whole = [one, two].concat();
            let sentence = unescaped(sentence);
            let text = sentence.replace("{1}", one).replace("{2}", two).replace("{}", &whole);
            let clean = redact(&text).text.into_owned();
            if is_left(&clean, &sentence, &whole) {
                missed.push(format!("{text:?} became {clean:?}"));
            }
            assert_eq!(redact(&clean).text, clean, "twice");
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(all >= 200 && through * 10 < all, "{through} of {all} are not known");
}

#[test]
fn ordinary_talk_with_the_same_words_stays() {
    let changed: Vec<_> = MENTIONED.lines().map(redact).filter(|it| !it.found.is_empty()).collect();
    assert!(MENTIONED.lines().count() >= 200);
    assert!(changed.is_empty(), "{changed:#?}");
}

#[test]
fn a_value_in_two_pieces_disappears_whole() {
    for (text, left) in [
        (format!("the password is {}2 and then !{}", "hunter", "xyz"), "xyz"),
        (format!("the password is {}2 !{}", "hunter", "xyz"), "xyz"),
        (format!("the password is `{}` `2!{}`", "hunter", "xyz"), "xyz"),
        (format!("the password is {},9;k{}", "Ab3", "Q7x"), "Q7x"),
    ] {
        let clean = redact(&text).text.into_owned();
        assert!(!clean.contains("hunter") && !clean.contains(left), "{text:?} became {clean:?}");
    }
    for text in [
        "the password is hashed and then base64 encoded",
        "the password is trimmed and then 1000 rounds follow",
        "the password is read then checked2 runs",
    ] {
        assert_eq!(redact(text).text, text);
    }
}

#[test]
fn letters_in_disguise_hide_neither_noun_nor_value() {
    let value = ["Tr0ub", "4dor&3"].concat();
    let veiled = ["Tr0ub", "\u{200b}4dor\u{2060}&3"].concat();
    for (noun, value) in [
        ("pass\u{200b}word", &value),
        ("p\u{430}ssw\u{43e}rd", &value),
        ("\u{440}\u{430}ssword", &value),
        ("\u{ff50}\u{ff41}ssword", &value),
        ("\u{1d429}\u{1d41a}ssword", &value),
        ("password", &veiled),
        ("pass\u{ad}word", &veiled),
    ] {
        let text = format!("so the {noun} for it is {value}, ok");
        let redacted = redact(&text);
        let wanted = format!("so the {noun} for it is [redacted:password], ok");
        assert_eq!(redacted.text, wanted, "{text:?}");
        let found = redacted.found[0];
        assert_eq!(&text[found.at..found.at + found.length], value, "where it stood");
    }
    // Words of another script, and signs that nobody sees, stay as they are.
    for text in ["пароль хранится в сейфе", "👩\u{200d}💻 the login page", "μs and αβγ are units"]
    {
        assert_eq!(redact(text).text, text);
    }
}

#[test]
fn the_secret_beside_an_id_of_aws_disappears() {
    let id = ["AK", "IAQ2W3E4R5", "T6Y7Z7HK"].concat();
    let secret = ["wJalrXUt/FE+I7", "K7MDEN4G1a2bP", "xRfiC9kQmZab3"].concat();
    assert_eq!((id.len(), secret.len()), (20, 40));
    for between in ["\n", "/", " / ", " ", ", ", ":", "\t", "\r\n", " | ", ",eu-west-1,", " and "] {
        for text in [format!("aws: {id}{between}{secret}."), format!("{id}{between}{secret}")] {
            let clean = redact(&text).text.into_owned();
            assert!(!clean.contains(&secret[..20]) && !clean.contains(&id), "{clean:?}");
        }
    }
    let clean = redact(&format!("{secret} {id}")).text.into_owned();
    assert!(!clean.contains(&secret[..20]), "{clean:?}");
    // A digest beside it is none.
    let digest = "3f786850e387550fdab836ed7e6dc881de23001b";
    assert!(redact(&format!("{id} {digest}")).text.contains(digest));
}
