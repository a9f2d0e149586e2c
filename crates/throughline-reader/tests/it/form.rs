//! What the form of a turn alone decides, whatever the weights say.

use throughline_reader::{PIECES_MAX, Speaker, WINDOWS_MAX};

use crate::{read, reader, texts};

#[test]
fn nothing_said_has_no_pieces() {
    for turn in ["", " \n\t\n ", "\u{200b}", "\0\0 \u{feff}"] {
        assert!(read(turn).is_empty(), "{turn:?}");
        assert!(reader().turn_ids(Speaker::Tool, Some("Go on"), turn).is_empty(), "{turn:?}");
    }
}

#[test]
fn a_blank_line_ends_a_piece() {
    let turn = "keep\n \t\nthe\r\n\r\nfirst";
    let found = texts(turn);
    assert_eq!(found, ["keep", "the", "first"]);
}

#[test]
fn every_mark_of_a_list_begins_a_piece_and_stays_with_it() {
    let numbered =
        "Rules for this repo:\n1. cargo fmt before each commit\n2. PRs need two approvals";
    let found = texts(numbered);
    assert!(found.contains(&"1. cargo fmt before each commit"), "{found:?}");
    assert!(found.contains(&"2. PRs need two approvals"), "{found:?}");
    let found = texts("- tabs, not spaces\n- money is stored in cents");
    assert_eq!(found, ["- tabs, not spaces", "- money is stored in cents"]);
}

#[test]
fn a_fenced_block_is_one_piece() {
    let turn = "See\n```sh\nmake\n\nmake test\n```\nok\n```\nleft open\n\nat the end";
    let found = texts(turn);
    assert!(found.contains(&"```sh\nmake\n\nmake test\n```"), "{found:?}");
    assert!(found.contains(&"ok"), "{found:?}");
    assert_eq!(found.last(), Some(&"```\nleft open\n\nat the end"));
}

#[test]
fn a_long_fenced_block_leaves_room_for_the_words_after_it() {
    let log = "12:00:01 worker started, all queues empty\n".repeat(2_000);
    let turn = format!("Look:\n```\n{log}done\n```\nFix the last queue");
    let found = texts(&turn);
    assert!(found.iter().any(|it| it.starts_with("```") && it.ends_with("done\n```")));
    assert!(found.last().is_some_and(|it| it.ends_with("queue")));

    let ids = reader().turn_ids(Speaker::User, None, &turn);
    let short = reader().turn_ids(Speaker::User, None, "Look:\nFix the last queue");
    assert_eq!((ids.len(), short.len()), (1, 1));
    assert_eq!(ids[0].len(), short[0].len() + 30, "its first 20 tokens and its last 10");
}

#[test]
fn characters_without_tokens_go_with_the_words_beside_them() {
    let turn = "\u{200b}\n\nyes\n\n\u{200b}\n\nno\n\n\u{200b}";
    let found = texts(turn);
    assert_eq!(found, ["\u{200b}\n\nyes", "\u{200b}\n\nno\n\n\u{200b}"]);
}

#[test]
fn the_message_before_counts_by_its_end_only() {
    let long = "one two three four. ".repeat(10_000);
    let ids =
        |before: Option<&str>| reader().turn_ids(Speaker::Assistant, before, "Done.").concat();
    let none = ids(None);
    assert_eq!(ids(Some("")), none);
    assert_eq!(ids(Some(&long)).len(), none.len() + 48);
    assert_eq!(ids(Some(&long)), ids(Some(&format!("Something else. {long}"))));
    assert_ne!(ids(Some(&long)), ids(Some(&format!("{long} Something else."))));
}

#[test]
fn windows_and_pieces_are_bounded_and_the_rest_is_not_read() {
    let words = "word ".repeat(20_000);
    assert_eq!(reader().turn_ids(Speaker::User, None, &words).len(), WINDOWS_MAX);
    let read_of_words = read(&words).last().expect("words are pieces").span.end;
    assert!(read_of_words < 8_000, "{read_of_words}");

    let lines = "ok\n\n".repeat(10_000);
    assert_eq!(read(&lines).len(), PIECES_MAX);
}

#[test]
fn what_is_not_read_whole_ends_where_a_sentence_does() {
    let turn = "The cart is empty, and its total is 0. ".repeat(200);
    assert!(texts(&turn).iter().all(|text| text.ends_with("total is 0.")), "{:?}", texts(&turn));
}

#[test]
fn a_word_without_end_is_read_as_far_as_the_windows_go() {
    let word = "a.b/".repeat(300_000);
    let found = read(&word);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].span, 0..1_320, "each of its tokens is one byte");
}

#[test]
fn pairs_take_the_start_of_both_texts() {
    let words = "word ".repeat(1_000);
    assert_eq!(reader().pair_ids("", None, ""), [101, 102, 102]);
    assert_eq!(reader().pair_ids(&words, None, "word").len(), 64 + 1 + 3);
    assert_eq!(reader().pair_ids(&words, Some(&words), &words).len(), 64 + 48 + 1 + 128 + 3);
}
