//! Speech, judged by tables of turns and by laws.

use std::time::Instant;

use proptest::prelude::*;

use super::*;

fn texts(turn: &str) -> Vec<&str> {
    sentences(turn).into_iter().map(|one| one.text).collect()
}

fn guard(sentence: &str) -> Option<Guard> {
    sentences(sentence).first().and_then(|one| one.guard)
}

#[test]
fn sentences_end_where_people_end_them() {
    for (turn, expected) in [
        ("Use 1.2.3. Then stop.", vec!["Use 1.2.3.", "Then stop."]),
        ("Open a.rs, e.g. with vi. Fine.", vec!["Open a.rs, e.g. with vi.", "Fine."]),
        ("No. Use pnpm.", vec!["No.", "Use pnpm."]),
        ("fine so far... but wait", vec!["fine so far... but wait"]),
        ("It says `a. B` here. Ok!", vec!["It says `a. B` here.", "Ok!"]),
        ("# Plan\n\n- one\n- two\n", vec!["Plan", "one", "two"]),
        ("1. first\n2) second", vec!["first", "second"]),
        ("first line\nSecond line", vec!["first line", "Second line"]),
        ("", vec![]),
        ("...", vec![]),
        // Marks inside words that look like code.
        ("Never use println! in library code.", vec!["Never use println! in library code."]),
        ("Use assert! (not assert_eq!) there.", vec!["Use assert! (not assert_eq!) there."]),
        ("Great! We use pnpm.", vec!["Great!", "We use pnpm."]),
        ("no! we use pnpm", vec!["no! we use pnpm"]),
        ("Use Node.js and a.b.c here. Ok.", vec!["Use Node.js and a.b.c here.", "Ok."]),
        ("We ship v1.2. The rest waits.", vec!["We ship v1.2.", "The rest waits."]),
        ("Edit src/main.rs. Then stop.", vec!["Edit src/main.rs.", "Then stop."]),
        ("We keep logs, caches, etc. in /var.", vec!["We keep logs, caches, etc. in /var."]),
        ("See ticket no. 5 first.", vec!["See ticket no. 5 first."]),
        // Counted steps are one statement; a number at the end of a sentence is none.
        (
            "The release is: 1. bump the version 2. tag it 3. push.",
            vec!["The release is: 1. bump the version 2. tag it 3. push."],
        ),
        (
            "Releasing: 1. Bump. 2. Tag. 3. Push. Ask me first.",
            vec!["Releasing: 1. Bump. 2. Tag. 3. Push.", "Ask me first."],
        ),
        ("Steps: 1) bump. 2) tag.", vec!["Steps: 1) bump. 2) tag."]),
        ("We're on Node 20. We use pnpm.", vec!["We're on Node 20.", "We use pnpm."]),
        ("The limit is 1. We keep it.", vec!["The limit is 1.", "We keep it."]),
        // What has no subject of its own stays with the sentence before it.
        (
            "Deploys only Tue and Thu. Never on a Friday.",
            vec!["Deploys only Tue and Thu. Never on a Friday."],
        ),
        ("Mock nothing. Except in unit tests.", vec!["Mock nothing. Except in unit tests."]),
        ("We use SQLite. Because it is enough.", vec!["We use SQLite. Because it is enough."]),
        ("Use tabs. Never use spaces.", vec!["Use tabs.", "Never use spaces."]),
        ("Is it up? Not on staging.", vec!["Is it up?", "Not on staging."]),
        ("Never on a Friday.", vec!["Never on a Friday."]),
    ] {
        assert_eq!(texts(turn), expected, "{turn:?}");
    }
}

#[test]
fn a_wrapped_line_goes_on() {
    let turn =
        "We decided to keep the parser in its own crate because the\nengine must not know it.";
    assert_eq!(texts(turn), vec![turn]);
}

#[test]
fn what_no_person_wrote_is_cut_out() {
    for turn in [
        "```rust\nlet never = 1;\n```",
        "```\nnever closed",
        "~~~\nalways\n~~~",
        "> No, always use tabs.",
        "    indented_code();",
        "<think>We never do that.</think>",
        "<tool-use data-x=\"1\"><details>\n\nWe always do.\n</details></tool-use>",
        "<tool-use data-x=\"1\">\nnever closed",
        "<!-- never -->",
        "2024-01-01T00:00:00Z never",
        "[11/03/25 09:12 main ~/work] make test",
        "lib/b.c:7:12: never used",
        "error[E0382]: use of moved value",
        "TypeError: x is never",
        "diff --git a/x b/x\n@@ -1 +1 @@\n-never\n+always",
        "| a | b |\n|---|---|\n| never | always |",
        "{\"never\": true}",
        "time=1 level=DEBUG msg=never path=/x",
        "$ cargo test",
        "├── never.rs",
    ] {
        assert_eq!(texts(turn), Vec::<&str>::new(), "{turn:?}");
    }
}

#[test]
fn what_a_person_wrote_around_it_stays() {
    let turn = "Look at this.\n\n```\ncode\n```\n\nAnd use `foo.rs` with Vec<String> or <name>.";
    assert_eq!(texts(turn), vec!["Look at this.", "And use `foo.rs` with Vec<String> or <name>."]);
    assert_eq!(texts("Before <b>bold</b> after all"), vec!["Before", "after all"]);
    assert_eq!(texts("see https://a.b/c?d=e now"), vec!["see https://a.b/c?d=e now"]);
    assert_eq!(texts("`<think>` is a tag"), vec!["`<think>` is a tag"]);
}

#[test]
fn a_question_at_the_end_of_a_statement_is_told_apart() {
    let turn = "We use Flask for the backend, can you show me a route?";
    let found = sentences(turn);
    assert_eq!(found[0], Sentence { text: "We use Flask for the backend", guard: None });
    assert_eq!(found[1].guard, Some(Guard::Question));
}

#[test]
fn guards_say_why_a_sentence_is_not_taken_at_its_word() {
    for (sentence, expected) in [
        ("We use pnpm.", None),
        ("Could you always run the linter?", None),
        ("If the build fails, always ask me.", None),
        ("Do we use pnpm?", Some(Guard::Question)),
        ("should we use pnpm", Some(Guard::Question)),
        ("What if we used pnpm", Some(Guard::Hypothetical)),
        ("Maybe use pnpm.", Some(Guard::Hypothetical)),
        ("If we used pnpm, it would be faster.", Some(Guard::Hypothetical)),
        ("My colleague thinks we use pnpm.", Some(Guard::ThirdParty)),
        ("The docs say to use pnpm.", Some(Guard::ThirdParty)),
        ("According to Bob we use pnpm.", Some(Guard::ThirdParty)),
        ("\"We always use pnpm here\", it reads", Some(Guard::Quoted)),
        ("No, thanks.", Some(Guard::SelfResolving)),
        ("no problem", Some(Guard::SelfResolving)),
        ("no worries!", Some(Guard::SelfResolving)),
        ("No need to do that.", Some(Guard::SelfResolving)),
        ("never mind", Some(Guard::SelfResolving)),
        ("No wait, it is fine.", Some(Guard::SelfResolving)),
        ("Wait, it works.", Some(Guard::SelfResolving)),
        ("Oh wait, I see it now.", Some(Guard::SelfResolving)),
        ("Wait, we use pnpm here.", None),
        ("No wait, the default branch is develop, not main.", None),
        ("Normally we upload only if the file is new.", None),
        ("Don't push to main unless `ci` is green.", None),
    ] {
        assert_eq!(guard(sentence), expected, "{sentence}");
    }
}

#[test]
fn taking_back_reaches_the_sentence_before() {
    let found = sentences("Use Redis. Scratch that.");
    assert!(found.iter().all(|one| one.guard == Some(Guard::SelfResolving)), "{found:?}");
}

#[test]
fn what_is_announced_as_somebodys_words_is_quoted() {
    let found = sentences("Consider this feedback:\n\n- Always use tabs.\n- Never use spaces.");
    assert!(found.iter().skip(1).all(|one| one.guard == Some(Guard::Quoted)), "{found:?}");
    assert_eq!(found.len(), 3);
}

#[test]
fn a_megabyte_is_read_in_no_time() {
    for piece in
        ["never mind. ", "a ", "`", "\"", "<a>", "no, it's X not Y\n", "```\n", "(", "é", "> "]
    {
        let turn = piece.repeat(1_000_000 / piece.len());
        let start = Instant::now();
        let count = sentences(&turn).len();
        let taken = start.elapsed().as_secs_f64();
        assert!(taken < 10.0, "{piece:?}: {count} sentences in {taken} s");
    }
}

fn anything() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        ".{0,40}",
        "[a-z ,.!?'\"`\n<>/#>|{}()-]{0,60}",
        proptest::sample::select(vec![
            "```\n",
            "<think>",
            "</think>",
            "> ",
            "- ",
            "1. ",
            "we decided ",
            "no, ",
            "not ",
            "because ",
            "`x` ",
            "\u{3000}",
            "\r\n",
            "“",
            "…",
            "<!--",
        ])
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// Tags, fences and code may be open, nested, or cut by each other; what is cut stays inside.
    #[test]
    fn what_is_hidden_lies_within_the_turn(
        pieces in proptest::collection::vec(
            proptest::sample::select(vec![
                "<think>", "</think>", "<a b=\"c\">", "</a>", "<x-y>", "<!--", "-->", "`", "```", "```\n", "~~~\n",
                "\n", "ß", "“<", "word ", "<", ">", "\r\n", "- ", "> ",
            ]),
            0..24,
        ),
    ) {
        let turn = pieces.concat();
        let mut end = 0;
        for unit in units(&turn) {
            prop_assert!(end <= unit.span.start && unit.span.end <= turn.len());
            prop_assert!(turn.get(unit.span.clone()).is_some(), "{:?} of {turn:?}", unit.span);
            end = unit.span.end;
        }
        // Code that is said to reach behind the end, too.
        let code = turn.len().saturating_sub(3)..turn.len() + 7;
        for cut in tag::regions(&turn, std::slice::from_ref(&code)) {
            prop_assert!(cut.end <= turn.len(), "{cut:?} of {turn:?}");
        }
    }

    #[test]
    fn any_text_is_cut_into_trimmed_slices_in_order(turn in anything()) {
        let mut end = 0;
        for unit in units(&turn) {
            let text = &turn[unit.span.clone()];
            prop_assert!(end <= unit.span.start);
            prop_assert!(!text.is_empty() && text.trim() == text, "{text:?}");
            end = unit.span.end;
        }
    }
}
