//! A secret disappears wherever it stands, and however much text there is.

use std::time::Duration;

use throughline_redact::redact;

use crate::families::busy;
use crate::secrets::{in_place, mixed, tokens};

/// Ways in which an agent writes a token down.
const PLACES: [(&str, &str); 12] = [
    ("", ""),
    ("first line\n", "\nlast line"),
    ("first line\r\n", "\r\nlast line"),
    ("{\"out\": \"one\\n", "\\ntwo\"}"),
    ("{\"a\":\"{\\\"token\\\":\\\"", "\\\"}\"}"),
    ("```sh\nexport A=", "\n```\n"),
    ("use `", "` for it"),
    ("(see ", ")"),
    ("It is ", "."),
    ("\u{1b}[32m", "\u{1b}[0m"),
    ("Schlüssel „", "“ ändern"),
    ("x%3D", "&y"),
];

#[test]
fn a_token_disappears_in_every_place() {
    let mut missed = Vec::new();
    for (rule, token) in tokens() {
        for (before, after) in PLACES {
            let text = format!("{before}{token}{after}");
            let clean = redact(&text).text.into_owned();
            if clean != format!("{before}[redacted:{rule}]{after}") {
                missed.push((text, clean));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn a_secret_in_a_tool_result_written_as_json_disappears() {
    let mut missed = Vec::new();
    for (before, secret, after) in in_place() {
        let text = format!("ran it:\n{before}{secret}{after}");
        let json = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let json = format!("{{\"stdout\": \"{}\"}}", json.replace('\r', "\\r"));
        if redact(&json).text.contains(&secret) {
            missed.push(json);
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn found_says_where_each_secret_was() {
    let token = ["gh", "p_", &mixed(36)].concat();
    let text = format!("a {token} b\nPASSWORD=hunter2");
    let found = redact(&text).found;
    let parts: Vec<&str> = found.iter().map(|it| &text[it.at..it.at + it.length]).collect();
    assert_eq!(parts, [token.as_str(), "hunter2"]);
}

#[test]
fn a_text_of_nothing_but_keywords_takes_time_in_proportion() {
    // What a text costs must not depend on the square of its length: four times the text may take
    // eight times as long on a busy machine, but never sixteen times.
    for unit in [
        "token=",
        "token='",
        "glpat-",
        "eyJ",
        "eyJ.",
        "https://a:",
        "-----BEGIN PRIVATE KEY-----\n",
        "cookie:a=",
        "sk-",
        "password is ",
        "password for ",
        "Passwort, ",
        "clave a ",
        "pin pin ",
        "login as ",
        "creds ",
        "\u{5bc6}\u{7801}",
        "a1\u{4f5c}\u{5bc6}\u{7801}",
        " -u -p ",
        "Q~1a",
        "curl -u a:",
        "\\n",
        "PASSWORD=a",
    ] {
        let time = |length: usize| {
            let text = unit.repeat(length / unit.len());
            let start = busy();
            drop(redact(&text));
            busy() - start
        };
        let (short, long) = (time(8_000), time(32_000));
        assert!(long < short * 12 + Duration::from_millis(50), "{unit}: {short:?}, {long:?}");
    }
}
