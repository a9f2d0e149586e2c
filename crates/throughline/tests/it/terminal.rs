//! Terminal safety: nothing that was stored can move a cursor, set a colour or turn a line around.

use proptest::prelude::*;

use crate::harness::Home;

/// What a terminal would obey: controls, escape sequences, C1 codes, direction marks, tags.
const HOSTILE: &[&str] = &[
    "\u{1b}[31mred\u{1b}[0m",
    "\u{1b}]0;title\u{7}",
    "\u{1b}]8;;https://evil.example\u{1b}\\click\u{1b}]8;;\u{1b}\\",
    "\u{1b}P1$tx\u{1b}\\",
    "\u{9b}2J",
    "\u{9d}0;title\u{9c}",
    "\u{90}x\u{9c}",
    "\r overwritten",
    "back\u{8}\u{8}space",
    "bell\u{7}",
    "delete\u{7f}",
    "\u{202e}desrever\u{202c}",
    "\u{2066}isolated\u{2069}",
    "\u{200f}mark\u{200e}",
    "\u{fff9}note\u{fffa}over\u{fffb}",
    "\u{1d173}beam\u{1d174}",
    "zero\u{200b}width",
    "byte\u{feff}order",
    "tag\u{e0041}\u{e0042}",
    "\u{85}next line",
];

fn obeyed(c: char) -> bool {
    let harmless = matches!(c, '\n' | '\t');
    let direction =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let hidden = matches!(c, '\u{200b}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
        || matches!(c, '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}');
    (c.is_control() && !harmless) || direction || hidden
}

fn assert_safe(what: &str, page: &str) {
    if let Some(c) = page.chars().find(|c| obeyed(*c)) {
        panic!("{what} prints {c:?} raw: {page:?}");
    }
}

/// Stores a text in every place that takes one, and looks at every page that shows it.
fn assert_all_pages_safe(text: &str) {
    let home = Home::new();
    let slot = format!("s{text}|p{text}|o{text}");
    let content = format!("content {text} word");
    let label = format!("label {text}");
    let tag = format!("tag {text}");
    let reason = format!("reason {text}");
    let domain = format!("domain {text}");
    let why = format!("why {text}");
    let id = home.remember_with(&[
        &content,
        "--tag",
        &tag,
        "--label",
        &label,
        "--domain",
        &domain,
        "--slot",
        &slot,
        "--because",
        &why,
    ]);
    let other = home.remember(&format!("other {text} word"));
    home.json(&["link", &other, "relates_to", &id, "--reason", &reason]);
    home.json(&["archive", &other, "--reason", &reason]);
    home.json(&["edit", &id, &format!("edited {text} word")]);
    home.json(&["correct", &id, &format!("corrected {text} word")]);
    home.json(&["undo"]);
    let again = format!("edited {text} word!");
    let pages: [&[&str]; 22] = [
        &["remember", &again],
        &["remember", &again, "--json"],
        &["list", "--all"],
        &["list", "--all", "--json"],
        &["list", "--tag", &tag],
        &["show", &id],
        &["show", &id, "--json"],
        &["search", "word", "--all"],
        &["search", "word", "--all", "--json"],
        &["recall", "word"],
        &["recall", "word", "--json"],
        &["history", &id],
        &["history", &id, "--json"],
        &["log"],
        &["log", "--json"],
        &["why", &id],
        &["why", &id, "--json"],
        &["graph"],
        &["graph", "--format", "dot"],
        &["graph", "--format", "json"],
        &["stats"],
        &["export", "--format", "markdown"],
    ];
    for args in pages {
        let run = home.run(args);
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
        assert_safe(&format!("{args:?}"), &run.stdout);
        if args.contains(&"--json") || args.contains(&"json") {
            let answer: serde_json::Value =
                serde_json::from_str(&run.stdout).expect("one JSON document");
            assert!(answer.is_object());
        }
    }
    assert_eq!(home.show(&id)["content"], format!("edited {text} word"), "stored as it was given");
}

#[test]
fn hostile_text_never_reaches_the_terminal_raw() {
    assert_all_pages_safe(&HOSTILE.concat());
}

#[test]
fn hostile_text_in_errors_is_made_visible() {
    let home = Home::new();
    home.remember("Something");
    for text in HOSTILE {
        for args in [&["show", text][..], &["config", "get", text], &["list", "--as-of", text]] {
            let run = home.run(args);
            assert_eq!(run.code, 2, "{args:?}");
            assert_safe(&format!("{args:?}"), &run.stderr);
            assert_safe(&format!("{args:?}"), &home.run(&[args, &["--json"]].concat()).stderr);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_character_reaches_the_terminal_as_a_command(
        text in "[\u{1}-\u{1f}\u{7f}-\u{a0}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}a-z]{1,40}"
    ) {
        assert_all_pages_safe(&text);
    }
}

#[test]
fn an_export_on_the_terminal_is_safe_and_loses_no_character() {
    let home = Home::new();
    let text = format!("word {}", HOSTILE.concat());
    let id = home.remember_with(&[&text, "--tag", &format!("tag {}", HOSTILE[11])]);
    let before = home.everything();
    let page = home.page(&["export"]);
    assert_safe("export", &page);
    std::fs::write(home.outside("all.jsonl"), &page).unwrap();
    home.wipe();
    home.json(&["import", &home.arg("all.jsonl")]);
    assert_eq!(home.show(&id)["content"], text.as_str());
    assert_eq!(home.everything(), before);
}

#[test]
fn hostile_names_of_files_are_made_visible() {
    let home = Home::new();
    home.remember("Something");
    let name = "turned \u{202e}bd.ypoc \u{9b}2J";
    for (kind, form) in [("page", &[][..]), ("json", &["--json"])] {
        let file = home.arg(&format!("{kind} {name}"));
        for args in [["backup", &file], ["restore", &file]] {
            let run = home.run(&[&args, form].concat());
            assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
            assert!(run.stdout.contains("202e"), "{args:?}: {}", run.stdout);
            assert_safe(&format!("{args:?}"), &run.stdout);
        }
        assert!(std::path::Path::new(&file).exists(), "the file itself is named as asked");
        let again = home.run(&[&["backup", &file], form].concat());
        assert_eq!(again.code, 1);
        assert_safe("the error", &again.stderr);
    }
}
