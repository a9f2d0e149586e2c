//! Wrong input: a clear answer, the right exit code, and nothing changed.

use crate::harness::Home;

fn assert_usage(home: &Home, args: &[&str], words: &str) {
    let (code, error) = home.error(args);
    assert_eq!(code, 2, "{args:?}: {error}");
    let message = error["message"].as_str().expect("an error has a message");
    assert!(message.contains(words), "{args:?}: {error}");
}

#[test]
fn an_unknown_id_is_an_error_in_every_command_that_takes_one() {
    let home = Home::new();
    let known = home.remember("Here I am");
    let unknown = "0123456789abcdef";
    let before = home.everything();
    let commands: [&[&str]; 22] = [
        &["show", unknown],
        &["why", unknown],
        &["history", unknown],
        &["edit", unknown, "New words"],
        &["confirm", unknown],
        &["correct", unknown, "New words"],
        &["supersede", unknown, &known],
        &["supersede", &known, unknown],
        &["unsupersede", unknown],
        &["contradict", &known, unknown],
        &["link", &known, "because", unknown],
        &["unlink", unknown, "because", &known],
        &["tag", unknown, "label"],
        &["pin", unknown],
        &["pin", unknown, "--off"],
        &["archive", unknown],
        &["unarchive", unknown],
        &["forget", unknown],
        &["purge", unknown, "--yes"],
        &["graph", "--focus", unknown],
        &["undo", unknown],
        &["show", unknown, "--as-of", "2026-03-02T09:01:00Z"],
    ];
    for args in commands {
        let (code, error) = home.error(args);
        assert_eq!((code, error["code"].as_str()), (3, Some("not_found")), "{args:?}: {error}");
        assert!(error["message"].as_str().unwrap().contains(unknown), "{args:?}: {error}");
        assert!(error["hint"].is_string(), "{args:?}: {error}");
    }
    assert_eq!(home.everything(), before);
}

#[test]
fn a_beginning_that_fits_several_ids_names_them() {
    let home = Home::new();
    let ids = ["One", "Two", "Three"].map(|text| home.remember(text));
    let (code, error) = home.error(&["show", &ids[0][..6]]);
    assert_eq!((code, error["code"].as_str()), (2, Some("ambiguous")));
    let message = error["message"].as_str().unwrap();
    for id in &ids {
        assert!(message.contains(&id[id.len() - 8..]), "{message}");
    }
    let (code, error) = home.error(&["remember", "Four", "--because", &ids[0][..6]]);
    assert_eq!((code, error["code"].as_str()), (2, Some("ambiguous")));
    assert_eq!(home.json(&["list"])["total"], 3);
}

#[test]
fn an_id_that_is_too_short_or_no_id_is_refused() {
    let home = Home::new();
    let id = home.remember("Here I am");
    for bad in [&id[..5], "", "zebra!", "not-an-id-at-all"] {
        assert_usage(&home, &["show", bad], "id");
    }
    assert_usage(&home, &["undo", "abc"], "not an id");
}

#[test]
fn a_text_that_says_nothing_is_refused() {
    let home = Home::new();
    for empty in ["", "   ", "\n\t", "...", "—", "\u{200b}\u{feff}"] {
        assert_usage(&home, &["remember", empty], "empty");
    }
    let id = home.remember("Here I am");
    assert_usage(&home, &["edit", &id, " "], "empty");
    assert_usage(&home, &["correct", &id, "!"], "empty");
    assert_usage(&home, &["tag", &id, " "], "empty");
    assert_usage(&home, &["remember", "Something", "--because", " "], "empty");
    assert_usage(&home, &["search", "..."], "no words");
    assert_eq!(home.texts(&["list", "--all"]), ["Here I am"]);
}

#[test]
fn a_memory_holds_64_kib_and_not_a_byte_more() {
    let home = Home::new();
    let limit = "a".repeat(65_536);
    assert_eq!(home.json(&["remember", &limit])["memory"]["content"], limit.as_str());
    assert_usage(&home, &["remember", &format!("{limit}a")], "65536");
    let long = "b".repeat(1_025);
    assert_usage(&home, &["remember", "Short", "--tag", &long], "1024");
    assert_usage(&home, &["remember", "Short", "--label", &long], "1024");
    let slot = format!("{long}|is|long");
    assert_usage(&home, &["remember", "Short", "--slot", &slot], "1024");
    assert_eq!(home.json(&["list", "--all"])["total"], 1);
}

/// Lets the program remember what it reads from standard input.
fn remember_from_stdin(home: &Home, bytes: &[u8]) -> std::process::Output {
    use std::io::Write as _;
    let mut child = home
        .command()
        .args(["--json", "remember", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The program may stop reading before the end.
    child.stdin.take().expect("standard input is piped").write_all(bytes).ok();
    child.wait_with_output().expect("the program ends")
}

#[test]
fn too_much_on_standard_input_is_refused_and_not_cut() {
    let home = Home::new();
    for (bytes, words) in [(vec![b'a'; 70_000], "bytes"), (vec![b'a', 0xff, 0xfe], "UTF-8")] {
        let output = remember_from_stdin(&home, &bytes);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains(words));
    }
    assert_eq!(home.json(&["list", "--all"])["total"], 0);
}

#[test]
fn values_outside_their_set_or_range_are_refused_with_what_is_known() {
    let home = Home::new();
    let text = |more: [&'static str; 2]| ["remember", "Something", more[0], more[1]];
    let cases = [
        (text(["--kind", "rumour"]), "choose: fact"),
        (text(["--authority", "god"]), "user_stated"),
        (text(["--slot", "staging|runs"]), "fewer than three"),
        (text(["--slot", "staging||Postgres"]), "empty part"),
        (text(["--slot", "a|b|c|two"]), "two"),
        (text(["--slot", "a|b|c|one|d"]), "more than four"),
        (text(["--importance", "1.5"]), "0 to 1"),
        (text(["--confidence", "NaN"]), "0 to 1"),
        (text(["--confidence", "much"]), "much"),
        (text(["--scope", "galaxy"]), "galaxy"),
        (["list", "--limit", "5", "--state=gone"], "gone"),
        (["list", "--limit", "5", "--as-of=soon"], "soon"),
        (["log", "--limit", "many", "--quiet"], "many"),
    ];
    for (args, words) in &cases {
        assert_usage(&home, args, words);
    }
    assert_eq!(home.json(&["list", "--all"])["total"], 0);
}

#[test]
fn an_unknown_setting_or_value_is_refused_and_the_file_stays() {
    let home = Home::new();
    home.json(&["config", "set", "recall.items_max", "7"]);
    let file = home.path().join("config.toml");
    let before = std::fs::read(&file).unwrap();
    for args in [
        &["config", "get", "colour"][..],
        &["config", "set", "colour", "red"],
        &["config", "unset", "colour"],
    ] {
        assert_usage(&home, args, "recall.budget_tokens");
    }
    for (key, value) in
        [("enabled", "maybe"), ("recall.items_max", "many"), ("recall.items_max", "1.5")]
    {
        assert_usage(&home, &["config", "set", key, value], key);
    }
    assert_usage(&home, &["config", "set", "recall.items_max", "--", "-1"], "whole number");
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn a_settings_file_that_cannot_be_read_is_named() {
    let home = Home::new();
    home.remember("Here I am");
    std::fs::write(home.path().join("config.toml"), "enabled = = true").unwrap();
    let (code, error) = home.error(&["remember", "Something"]);
    assert_eq!(code, 1);
    assert!(error["message"].as_str().unwrap().contains("config.toml"), "{error}");
}

#[test]
fn a_clock_that_is_no_time_is_an_error() {
    let home = Home::new();
    let run = home.command().env("THROUGHLINE_NOW", "noon").args(["list"]).output().unwrap();
    assert_eq!(run.status.code(), Some(2));
    assert!(String::from_utf8(run.stderr).unwrap().contains("THROUGHLINE_NOW"));
}

#[test]
fn unknown_commands_and_options_are_usage_errors_for_people_and_programs() {
    let home = Home::new();
    for args in [&["remind", "me"][..], &["list", "--colour"], &["remember"]] {
        let (code, error) = home.error(args);
        assert_eq!((code, error["code"].as_str()), (2, Some("usage")), "{args:?}");
        let run = home.run(args);
        assert_eq!(run.code, 2);
        assert!(run.stdout.is_empty() && run.stderr.contains("Usage:"), "{}", run.stderr);
    }
    assert!(!home.path().exists());
}

#[test]
fn a_claim_cannot_be_its_own_reason() {
    let home = Home::new();
    let id = home.remember("Here I am");
    assert_usage(&home, &["remember", "Here I am", "--because", &id], "own reason");
    assert_eq!(home.json(&["history", &id])["versions"].as_array().unwrap().len(), 2);
}

#[test]
fn a_second_line_after_the_last_byte_that_fits_is_refused_and_not_cut() {
    let home = Home::new();
    let long = "a".repeat(65_536);
    for (text, fits) in [(format!("{long}\n"), true), (format!("{long}\nand more"), false)] {
        let output = remember_from_stdin(&home, text.as_bytes());
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(if fits { 0 } else { 2 }), "{told}");
        assert!(fits || told.contains("65536"), "{told}");
        assert_eq!(home.texts(&["list", "--all"]), std::slice::from_ref(&long));
    }
}

#[test]
fn patterns_and_reasons_have_a_size_too() {
    let home = Home::new();
    let (a, b) = (home.remember("Here I am"), home.remember("There you are"));
    let before = home.everything();
    let (pattern, reason) = ("p".repeat(90_000), "r ".repeat(50_000));
    assert_usage(&home, &["edit", &a, "--trigger", &pattern], "bytes");
    for args in [
        &["archive", &a, "--reason", &reason][..],
        &["forget", &a, "--reason", &reason],
        &["link", &a, "relates_to", &b, "--reason", &reason],
        &["remember", "Something", "--because", &reason],
    ] {
        assert_usage(&home, args, "bytes");
    }
    assert_eq!(home.everything(), before);
}

#[test]
fn a_settings_file_with_a_value_where_a_section_belongs_is_explained() {
    let home = Home::new();
    home.remember("Here I am");
    let file = home.path().join("config.toml");
    std::fs::write(&file, "recall = 5\n").unwrap();
    let (code, error) = home.error(&["config", "set", "recall.items_max", "3"]);
    assert_eq!((code, error["code"].as_str()), (2, Some("bad_input")));
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("config.toml") && message.contains("recall"), "{error}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "recall = 5\n");
}

#[test]
fn a_setting_of_the_wrong_sort_is_told_and_nothing_is_taken_in_until_it_is_set_right() {
    let home = Home::new();
    home.remember("Here I am");
    std::fs::write(home.path().join("config.toml"), "enabled = \"no\"\n").unwrap();
    assert_usage(&home, &["remember", "Something"], "true or false");
    for args in [&["list"][..], &["recall", "here"], &["status"]] {
        let run = home.run(args);
        assert!(run.code == 0 && run.stderr.contains("true or false"), "{args:?}: {}", run.stderr);
    }
    assert_eq!(home.json(&["config", "set", "enabled", "true"])["value"], true);
    assert_eq!(home.texts(&["list"]), ["Here I am"]);
}
