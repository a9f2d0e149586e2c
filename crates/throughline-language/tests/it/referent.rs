//! What a claim may hang on, by how it is written.

use std::time::Instant;

use proptest::prelude::*;
use proptest::sample::select;
use throughline_core::Kind;
use throughline_language::referent::{
    Around, BindingProposal, NamedPlace, is_in_command, mentions, proposals, telling_words,
};

use crate::arbitrary;

fn file(path: &str) -> NamedPlace {
    NamedPlace::File { path: path.to_owned(), lines: None }
}

fn lines(path: &str, first: u32, last: u32) -> NamedPlace {
    NamedPlace::File { path: path.to_owned(), lines: Some((first, last)) }
}

fn folder(path: &str) -> NamedPlace {
    NamedPlace::Folder { path: path.to_owned() }
}

fn flag(name: &str) -> NamedPlace {
    NamedPlace::Flag { name: name.to_owned() }
}

fn commit(hex: &str) -> NamedPlace {
    NamedPlace::Commit { hex: hex.to_owned() }
}

fn places(text: &str) -> Vec<NamedPlace> {
    mentions(text).into_iter().map(|mention| mention.place).collect()
}

#[test]
fn files_and_folders_are_found_in_running_text() {
    for (text, expected) in [
        ("The port is set in src/config.rs.", vec![file("src/config.rs")]),
        ("see ./a/b.ts", vec![file("a/b.ts")]),
        ("crates/x/src/lib.rs:42 panics", vec![lines("crates/x/src/lib.rs", 42, 42)]),
        ("at src/main.rs:42:7: unused", vec![lines("src/main.rs", 42, 42)]),
        ("look at lib.rs:10-20", vec![lines("lib.rs", 10, 20)]),
        ("look at lib.rs:10–20.", vec![lines("lib.rs", 10, 20)]),
        ("file.py#L3-L9 does", vec![lines("file.py", 3, 9)]),
        ("file.py#L3 does", vec![lines("file.py", 3, 3)]),
        ("src/a.rs, lines 4-6, holds it", vec![lines("src/a.rs", 4, 6)]),
        ("`src/a.rs` (line 12)", vec![lines("src/a.rs", 12, 12)]),
        ("Cargo.toml pins it", vec![file("Cargo.toml")]),
        ("The Dockerfile and the Makefile", vec![file("Dockerfile"), file("Makefile")]),
        ("Everything in docs/ is old", vec![folder("docs")]),
        ("tests live in crates/core/tests", vec![folder("crates/core/tests")]),
        ("(`src/a.rs`)", vec![file("src/a.rs")]),
        ("[it](src/a.rs)", vec![file("src/a.rs")]),
        ("\"src/a.rs\", 'b.py'; **c.go**!", vec![file("src/a.rs"), file("b.py"), file("c.go")]),
        ("config.yaml's port", vec![file("config.yaml")]),
        ("/etc/nginx/nginx.conf says so", vec![file("/etc/nginx/nginx.conf")]),
        ("~/.ssh/config", vec![folder("~/.ssh/config")]),
        ("../shared/types.d.ts", vec![file("../shared/types.d.ts")]),
        (".github/workflows/ci.yml runs", vec![file(".github/workflows/ci.yml")]),
        (".env.local is read, .gitignore too", vec![file(".env.local"), file(".gitignore")]),
        ("@src/a.rs please", vec![file("src/a.rs")]),
        ("tests/test_a.py::test_x fails", vec![file("tests/test_a.py")]),
        ("docs/a.md#usage", vec![file("docs/a.md")]),
        ("in go.mod", vec![file("go.mod")]),
        ("README.md", vec![file("README.md")]),
        ("设置在 src/config.rs。", vec![file("src/config.rs")]),
    ] {
        assert_eq!(places(text), expected, "{text}");
    }
}

#[test]
fn flags_and_commits_are_found_in_running_text() {
    for (text, expected) in [
        ("it comes from DATABASE_TIMEOUT", vec![flag("DATABASE_TIMEOUT")]),
        ("set $PORT or ${HOST} first", vec![flag("PORT"), flag("HOST")]),
        ("run with DEBUG=1", vec![flag("DEBUG")]),
        ("process.env.PORT is used", vec![flag("PORT")]),
        ("edition = \"2024\"", vec![flag("edition")]),
        ("`max_connections = 20`", vec![flag("max_connections")]),
        ("we are on serde 1.0.219", vec![flag("serde")]),
        ("`tokio` 1.38.0, and", vec![flag("tokio")]),
        ("react@18.2 and @types/node@20.1.0", vec![flag("react"), flag("@types/node")]),
        ("package.json#engines.node", vec![flag("package.json#engines.node")]),
        ("since 4f2a91c it works", vec![commit("4f2a91c")]),
        (
            "HEAD=0123456789abcdef0123456789abcdef01234567",
            vec![commit("0123456789abcdef0123456789abcdef01234567")],
        ),
    ] {
        assert_eq!(places(text), expected, "{text}");
    }
}

#[test]
fn what_only_looks_like_a_place_is_none() {
    for text in [
        "https://example.com/src/a.rs",
        "see (https://a.b/c.html), then",
        "mail me@example.com or git@github.com:a/b.git",
        "v1.2.3 and 1.2.3",
        "on 2024/05/01",
        "and/or, 24/7, read/write, 1/2, w/ it",
        "example.com and github.com/a/b.rs",
        "use --config=src/a.toml or -I/usr/include",
        "Node.js, Vue.js and Next.js",
        "docs.rs has it",
        "e.g. this, i.e. that, at 3 p.m.",
        "response.json() and console.log",
        "app/[slug]/page.tsx",
        "src/{a,b}.rs and src/*.rs and *.ts",
        "550e8400-e29b-41d4-a716-446655440000",
        "1048576b, 1234567 and deadbeef",
        "#a1b2c3d",
        "version 1.2.3 to 1.2.4",
        "host 10.0.0.1",
        "a == b, x => y",
        "<a id=\"top\" width=\"85\">",
        "POST /api/users and /health",
        "application/json",
        "VF_*",
        "TCP/IP",
        "I/O",
        "std::fs::read",
        "a HTTP API",
        ".NET and .await",
        "",
        "///",
        "...",
        "C:\\Users\\me\\a.rs",
    ] {
        assert_eq!(places(text), Vec::<NamedPlace>::new(), "{text}");
    }
}

#[test]
fn telling_words_are_those_that_would_stand_in_the_file() {
    for (claim, expected) in [
        ("The timeout of `connect()` is 30 s", vec!["connect", "30"]),
        ("Decode is +229 % faster", vec!["229"]),
        (
            "max_connections is 20 and retryCount is 3",
            vec!["max_connections", "20", "retryCount", "3"],
        ),
        ("Config::load reads app.port", vec!["Config::load", "app.port"]),
        ("the version is v1.2.3", vec!["1.2.3"]),
        ("we are on serde 1.0.219", vec!["serde", "1.0.219"]),
        ("mode is \"strict\" in src/a.rs:42", vec!["strict"]),
        ("it takes 12ms, or 1,200 rows at -5", vec!["12", "1,200", "-5"]),
        ("`max_connections = 20`", vec!["max_connections", "20"]),
        ("see line 42 of src/a.rs", vec![]),
        ("since 4f2a91c on 2024-05-01, the 2nd time", vec![]),
        ("We use GitHub and PostgreSQL", vec![]),
        ("the flag is 'loud'", vec!["loud"]),
        ("1. It is so", vec![]),
        ("DATABASE_TIMEOUT wins", vec!["DATABASE_TIMEOUT"]),
    ] {
        assert_eq!(telling_words(claim), expected, "{claim}");
    }
}

fn first(claim: &str, kind: Kind) -> Option<(NamedPlace, bool)> {
    let found = proposals(claim, kind, &[]);
    found.into_iter().next().map(|one| (one.place, one.needs_words))
}

#[test]
fn a_claim_hangs_on_what_it_names() {
    for (claim, expected) in [
        ("The pool size is 20, see src/db.rs:14.", Some((lines("src/db.rs", 14, 14), false))),
        ("src/db.rs opens 20 connections", Some((file("src/db.rs"), true))),
        ("The timeout in src/db.rs is 30 s", Some((file("src/db.rs"), true))),
        ("The timeout comes from DATABASE_TIMEOUT", Some((flag("DATABASE_TIMEOUT"), false))),
        ("We are on serde 1.0.219", Some((flag("serde"), false))),
        ("Decode runs at 229 % in bench/decode.md", Some((file("bench/decode.md"), false))),
        ("The tests take 40 s, all from tests/slow.rs", Some((file("tests/slow.rs"), false))),
        ("p95 of src/recall.rs is 12 ms", Some((file("src/recall.rs"), false))),
        ("src/db.rs was fixed in 4f2a91c by `Pool`", Some((file("src/db.rs"), true))),
    ] {
        assert_eq!(first(claim, Kind::Fact), expected, "{claim}");
        assert_eq!(first(claim, Kind::Correction), expected, "{claim}");
    }
}

#[test]
fn under_doubt_a_claim_hangs_on_nothing() {
    for claim in [
        "src/db.rs opens the pool",
        "The pool opens 20 connections",
        "It is fixed since 4f2a91c",
        "Everything in docs/ is old since 2024",
        "Does src/db.rs open 20 connections?",
        "Maybe src/db.rs opens 20 connections.",
        "If src/db.rs opened 20 connections, it would be slow.",
        "> src/db.rs opens 20 connections",
        "\"src/db.rs opens 20 connections\", it reads",
        "src/db.rs has 2 bugs",
        "",
    ] {
        assert_eq!(proposals(claim, Kind::Fact, &[]), vec![], "{claim}");
    }
}

#[test]
fn only_what_states_how_things_are_hangs_on_anything() {
    let with_file = "src/db.rs:4 opens 20 connections";
    let without = "DATABASE_TIMEOUT is 20";
    for kind in Kind::ALL {
        let (names, none) = match kind {
            Kind::Fact | Kind::Correction => (true, true),
            Kind::Procedure | Kind::Negative => (true, false),
            Kind::Preference
            | Kind::Principle
            | Kind::Decision
            | Kind::Commitment
            | Kind::Event
            | Kind::Lesson
            | Kind::Gap => (false, false),
        };
        assert_eq!(!proposals(with_file, *kind, &[]).is_empty(), names, "{kind}");
        assert_eq!(!proposals(without, *kind, &[]).is_empty(), none, "{kind}");
    }
}

#[test]
fn a_file_that_a_tool_touched_takes_two_words_and_a_value() {
    let around = [
        Around { text: "nothing of it", path: Some("src/other.rs") },
        Around { text: "let max_connections = 20;", path: Some("src/db.rs") },
    ];
    let found = proposals("max_connections is 20", Kind::Fact, &around);
    let seen: Vec<(&NamedPlace, bool)> =
        found.iter().map(|one| (&one.place, one.needs_words)).collect();
    assert_eq!(seen, vec![(&file("src/db.rs"), true), (&file("src/other.rs"), true)]);
    assert_eq!(found[0].words, vec!["max_connections", "20"]);
    for claim in ["max_connections is high", "It is 20", "max_connections and min_connections"] {
        assert_eq!(proposals(claim, Kind::Fact, &around), vec![], "{claim}");
    }
}

#[test]
fn a_bare_name_is_completed_by_the_file_that_a_tool_touched() {
    let around = [
        Around { text: "", path: Some("crates/core/src/db.rs") },
        Around { text: "", path: Some("crates/core/src/my_db.rs") },
    ];
    let found = proposals("db.rs opens 20 connections", Kind::Fact, &around);
    let seen: Vec<&NamedPlace> = found.iter().map(|one| &one.place).collect();
    assert_eq!(seen, vec![&file("db.rs"), &file("crates/core/src/db.rs")]);
}

#[test]
fn a_long_text_is_read_in_no_time() {
    for piece in
        ["a/b.rs ", "ab=\"", "aa[aa[", "`", "x ", "$A_B,", "serde 1.0.2 ", "'a' ", "://", "20, "]
    {
        let text = piece.repeat(200_000 / piece.len());
        let around = [Around { text: &text, path: Some("a.rs") }; 40];
        let start = Instant::now();
        let found = proposals(&text, Kind::Fact, &around);
        telling_words(&text);
        let taken = start.elapsed().as_secs_f64();
        assert!(found.len() <= 8 && mentions(&text).len() <= 16);
        assert!(taken < 4.0, "{piece:?} in {taken} s");
    }
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        ".{0,20}",
        select(vec![
            "src/a.rs",
            ":42",
            "-9",
            "#L3",
            "`",
            "\"",
            "'",
            "$",
            "{",
            "A_B",
            "=",
            "@1.2",
            " ",
            "\n",
            "/",
            "..",
            "*",
            "4f2a91c",
            "://",
            "é",
            "“",
            "–",
            "serde 1.0.2",
            "is ",
            "20 ",
            "%",
            "?",
            ".",
            "> ",
        ])
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

#[test]
fn a_file_stands_in_a_command_where_its_mark_holds_more_words() {
    for (claim, inside) in [
        ("`python manage.py migrate` failed: no such table", true),
        ("`cargo test` failed. What helped: `cd backend && python manage.py migrate`.", true),
        ("`manage.py` sets the port", false),
        ("manage.py sets the port; `cargo run` reads it", false),
    ] {
        let at = claim.find("manage.py").unwrap();
        assert_eq!(is_in_command(claim, &(at..at + "manage.py".len())), inside, "{claim}");
    }
}

proptest! {
    #[test]
    fn a_mention_is_a_slice_of_its_text_and_in_order(text in pieces()) {
        let mut end = 0;
        for mention in mentions(&text) {
            prop_assert!(end <= mention.range.start);
            prop_assert!(text.get(mention.range.clone()).is_some_and(|one| !one.is_empty()));
            end = mention.range.end;
        }
    }

    #[test]
    fn proposals_are_few_in_order_and_each_once(
        text in prop_oneof![pieces(), arbitrary::text()], near in pieces(), kind in select(Kind::ALL),
    ) {
        let around = [Around { text: &near, path: Some("a/b.rs") }];
        let found: Vec<BindingProposal> = proposals(&text, kind, &around);
        prop_assert!(found.len() <= 8);
        prop_assert!(found.is_sorted_by(|a, b| a.score >= b.score));
        for (at, one) in found.iter().enumerate() {
            prop_assert!((0.0..=1.0).contains(&one.score));
            prop_assert!(!one.needs_words || !one.words.is_empty());
            let is_commit = matches!(one.place, NamedPlace::Commit { .. });
            prop_assert!(!is_commit);
            prop_assert!(found[..at].iter().all(|other| other.place != one.place));
        }
    }

    #[test]
    fn telling_words_are_few_and_each_once(text in pieces()) {
        let words = telling_words(&text);
        prop_assert!(words.len() <= 16);
        for (at, word) in words.iter().enumerate() {
            prop_assert!(!word.is_empty() && !words[..at].contains(word));
        }
    }
}
