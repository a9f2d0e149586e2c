//! Secrets by the form that they are written in: over several words or lines, in tables and manifests,
//! under colours and escapes. What looks alike and is none stays as it is.

use throughline_redact::redact;

/// A value that nothing but its place gives away.
fn value() -> String {
    ["kQ7m", "Zx81", "dPlw", "93Rt"].concat()
}

/// A token that its shape gives away, in two parts.
fn token() -> (String, String) {
    (["gh", "p_"].concat(), ["16C7e42F292c6912", "E7710c838347Ae178B4a"].concat())
}

/// Nothing of a secret is left, and what stands around it is.
#[track_caller]
fn assert_out(before: &str, secret: &str, after: &str) {
    let text = format!("{before}{secret}{after}");
    let clean = redact(&text).text.into_owned();
    let half = secret.ceil_char_boundary(secret.len() / 2);
    let left = [&secret[..half], &secret[half..]].into_iter().find(|part| clean.contains(*part));
    assert_eq!(left, None, "{text:?} became {clean:?}");
    assert!(clean.starts_with(before.trim_end_matches('"')), "{text:?} became {clean:?}");
    assert_eq!(redact(&clean).text, clean, "twice");
}

#[test]
fn a_password_of_several_words_in_quotes_disappears() {
    let phrases = ["correct horse battery staple", "my dog Rex barks 4 times", "zwei blaue Pferde"];
    for phrase in phrases {
        for (before, after) in [
            ("DB_PASS=\"", "\""),
            ("export DB_PASSWORD='", "' && make"),
            ("{\"password\":\"", "\"}"),
            ("{\"user\": \"ann\", \"password\": \"", "\"}"),
            ("password: \"", "\"\nuser: ann"),
            ("db_password = \"", "\""),
            ("{\"a\":\"{\\\"password\\\":\\\"", "\\\"}\"}"),
        ] {
            assert_out(before, phrase, after);
        }
    }
}

#[test]
fn a_value_over_several_lines_disappears() {
    let value = value();
    for (before, after) in [
        ("API_SECRET=\"\n", "\n\""),
        ("API_SECRET=\"\n", "\"\nNEXT=1"),
        ("TOKEN=first\\\n", "\nmore"),
        ("token = \"\"\"\n", "\n\"\"\"\n"),
        ("<name>db.password</name>\n<value>", "</value>"),
        ("  <name>db.password</name>\n    <value>", "</value>\n"),
        ("<key>Password</key>\n<string>", "</string>"),
    ] {
        let text = format!("{before}{value}{after}");
        let clean = redact(&text).text.into_owned();
        assert!(!clean.contains(&value), "{text:?} became {clean:?}");
    }
}

#[test]
fn a_value_that_a_command_sets_disappears() {
    let value = value();
    for (before, after) in [
        ("setenv API_TOKEN ", "\n"),
        ("set -x API_TOKEN ", "\n"),
        ("set -gx DB_PASSWORD ", "\n"),
        ("gh secret set DEPLOY --body \"", "\""),
        ("gh secret set DEPLOY --repo a/b -b ", " "),
        ("db.example.com:5432:shop:ann:", "\n"),
        ("*:*:*:ann:", "\n"),
        ("psql ann:", "@db.example.com:5432/shop"),
        ("ann:", "@10.0.0.4:3306"),
        ("my passphrase: ", ""),
        ("The passphrase is ", "."),
    ] {
        assert_out(before, &value, after);
    }
    assert_out("gh secret set DEPLOY --body \"", "three plain words", "\"");
}

#[test]
fn a_column_of_passwords_disappears_and_the_other_columns_stay() {
    let value = value();
    for sign in [",", "\t", ";"] {
        let table = format!(
            "name{sign}password{sign}team\nann{sign}{value}{sign}shop\nbob{sign}\"{value}x\"{sign}web\n"
        );
        let clean = redact(&table).text.into_owned();
        assert!(!clean.contains(&value), "{clean}");
        for kept in ["name", "ann", "shop", "bob", "web"] {
            assert!(clean.contains(kept), "{clean}");
        }
    }
    assert_out("db password,host\r\n", &value, ",h\r\n");
}

#[test]
fn everything_under_data_in_a_secret_of_kubernetes_disappears() {
    let manifest = |kind: &str| {
        format!(
            "apiVersion: v1\nkind: {kind}\nmetadata:\n  name: shop\ndata:\n  color: Ymx1ZWJsdWU=\n  \
             url: cG9zdGdyZXM6Ly8=\ntype: Opaque\n---\nkind: Service\ndata:\n  shape: cm91bmQ=\n"
        )
    };
    let clean = redact(&manifest("Secret")).text.into_owned();
    for (word, kept) in
        [("Ymx1ZWJsdWU", false), ("cG9zdGdyZXM6Ly8", false), ("cm91bmQ", true), ("Opaque", true)]
    {
        assert_eq!(clean.contains(word), kept, "{word} in {clean}");
    }
    let other = manifest("ConfigMap");
    assert_eq!(redact(&other).text, other);
}

#[test]
fn the_second_half_of_a_private_key_disappears() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let (begin, end) = ("-----BEG", "-----E");
    let tail = format!("{line}\n{line}\nQk9U==\n{end}ND PRIVATE KEY-----\nbehind");
    for before in ["", "tail -3 key\n"] {
        let clean = redact(&format!("{before}{tail}")).text.into_owned();
        assert_eq!(clean, format!("{before}[redacted:private-key]\nbehind"));
    }
    let public = format!("{begin}IN CERTIFICATE-----\n{line}\n{end}ND CERTIFICATE-----");
    assert_eq!(redact(&public).text, public);
    let spoken = format!("it ends with {end}ND PRIVATE KEY-----");
    assert_eq!(redact(&spoken).text, spoken);
}

#[test]
fn a_token_disappears_under_colours_escapes_and_signs_that_nobody_sees() {
    let (start, rest) = token();
    let (one, two) = rest.split_at(16);
    for text in [
        format!("\u{1b}[32m{start}\u{1b}[0m{rest}"),
        format!("{start}\u{1b}[1;31m{one}\u{1b}[0m{two}\u{1b}[0m"),
        format!("{}%5F{rest}", &start[..3]),
        format!("{}\\u005f{rest}", &start[..3]),
        format!("{}&#95;{rest}", &start[..3]),
        format!("{}&#x5F;{rest}", &start[..3]),
        format!("{start}{one}\u{200b}{two}"),
        format!("{start}{one}\u{ad}{two}"),
        format!("{start}\\u001b[0m{rest}"),
    ] {
        let said = format!("it is {text} there");
        let clean = redact(&said).text.into_owned();
        assert!(!clean.contains(one) && !clean.contains(two), "{said:?} became {clean:?}");
        assert!(clean.starts_with("it is ") && clean.ends_with(" there"), "{clean:?}");
        assert_eq!(redact(&clean).text, clean, "twice");
    }
}

#[test]
fn a_token_in_base64_disappears() {
    // `printf ghp_… | base64`, and the same by `echo`.
    let encoded = ["Z2hwXzE2QzdlNDJGMjkyYzY5MTJF", "Nzcx", "MGM4MzgzNDdBZTE3OEI0YQ=="].concat();
    let echoed = ["Z2hwXzE2QzdlNDJGMjkyYzY5MTJF", "Nzcx", "MGM4MzgzNDdBZTE3OEI0YQo="].concat();
    assert_out("it is ", &encoded, " there");
    assert_out("it is ", &echoed, " there");
    let word = "Z2hwX3Byb2plY3Q= stays";
    assert_eq!(redact(word).text, word);
}

#[test]
fn a_type_named_private_opens_nothing() {
    let code = "void SetPrivate(Local<Private> name, Local<Data> value,\n  int attributes);";
    assert_eq!(redact(code).text, code);
    assert_eq!(redact("said<private>so</private> there").text, "said[redacted:private] there");
    assert_eq!(redact("said <private>so and more").text, "said [redacted:private]");
}

#[test]
fn what_only_looks_like_these_forms_stays() {
    for text in [
        "password: \"Enter your password\"",
        "{\"password\": \"must be eight characters\"}",
        "{\"password\": \"Forgot password?\"}",
        "{\"password\": \"Passwort vergessen\"}",
        "help_password = \"the one for staging\"",
        "PASSWORD=\"$A $B\"",
        "let (user, password) = (a, b);",
        "user, password\nann, of the shop team\n",
        "name,password\nann,required\n",
        "kind: Secret\nmetadata:\n  name: shop\n",
        "localhost:5432:5432",
        "ports: 127.0.0.1:5432:5432",
        "git@host:5432/repo",
        "gh secret set DEPLOY --body \"$DEPLOY\"",
        "100%25 of it, a%2Db and caf\u{e9}",
        "\u{1b}[32mok\u{1b}[0m all tests passed",
        "<key>Password</key>\n<string>none</string>",
        "setenv PATH /usr/local/bin",
    ] {
        assert_eq!(redact(text).text, text);
    }
}

#[test]
fn a_word_of_a_placeholder_inside_a_strong_value_protects_nothing() {
    let values =
        ["MyExample-Pw93!x", "exampleHorse77!", "Xk29dummyQw8ZpL7vN3", "test9sample77Zq8Lk2"];
    for value in values {
        let text = format!("db_password = {value}");
        let clean = redact(&text).text;
        assert!(!clean.contains(value), "{clean}");
    }
    for harmless in ["your-password-here", "example-token-1234", "changeme", "dummy_key_1"] {
        let text = format!("db_password = {harmless}");
        assert_eq!(redact(&text).text, text);
    }
}
