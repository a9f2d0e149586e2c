//! Text taken apart for search, and scored.

use proptest::collection::vec;
use proptest::prelude::*;
use throughline_core::policy::WordPolicy;
use throughline_core::words::{CollectionSize, affordable, bm25, query_terms, terms};

use crate::arbitrary;

const COLLECTION: CollectionSize = CollectionSize { docs: 1_000, terms: 20_000 };

fn score(query: &[(&str, u64)], document: &[&str]) -> f64 {
    let query: Vec<_> = query.iter().map(|(term, docs)| ((*term).to_owned(), *docs)).collect();
    bm25(&query, document, COLLECTION, &WordPolicy::default())
}

/// A document of `length` terms, `count` of them the one asked for.
fn holding(count: usize, length: usize) -> Vec<&'static str> {
    let mut document = vec!["asked"; count];
    document.resize(length, "other");
    document
}

proptest! {
    #[test]
    fn a_term_is_neither_empty_nor_endless_and_holds_no_signs(text in arbitrary::text()) {
        for term in terms(&text) {
            prop_assert!((1..=64).contains(&term.len()), "{term:?}");
            let plain = |c: char| !c.is_ascii() || c.is_ascii_lowercase() || c.is_ascii_digit();
            prop_assert!(term.chars().all(plain), "{term:?}");
        }
    }

    #[test]
    fn asking_with_the_words_of_a_text_finds_it(text in arbitrary::text()) {
        let known = terms(&text);
        prop_assert_eq!(query_terms(&text).is_empty(), known.is_empty());
        for term in query_terms(&text) {
            prop_assert!(known.contains(&term), "{term}");
        }
    }

    #[test]
    fn the_affordable_terms_are_the_rarest_and_keep_to_the_cap(
        docs in vec(0..30_000_u64, 0..12), cap in 1..40_000_u64,
    ) {
        let policy = WordPolicy { postings_max: cap, ..WordPolicy::default() };
        let asked: Vec<_> = docs.iter().enumerate().map(|(at, docs)| (format!("t{at}"), *docs)).collect();
        let kept = affordable(&asked, &policy);
        let total: u64 = kept.iter().map(|(_, docs)| docs).sum();
        prop_assert!(kept.len() <= 1 || total <= cap);

        let known = || asked.iter().filter(|(_, docs)| *docs > 0);
        prop_assert_eq!(kept.is_empty(), known().next().is_none(), "the rarest is always kept");
        let dearest = kept.iter().map(|(_, docs)| *docs).max();
        let cheapest_left = known().filter(|one| !kept.contains(one)).map(|(_, docs)| *docs).min();
        if let (Some(dearest), Some(left)) = (dearest, cheapest_left) {
            prop_assert!(dearest <= left, "a rarer term was dropped");
            prop_assert!(total + left > cap, "there was room for one more");
        }
    }

    #[test]
    fn saying_a_word_more_often_scores_higher(count in 0..20_usize, length in 21..200_usize, docs in 1..1_000_u64) {
        let asked = [("asked", docs)];
        let (less, more) = (score(&asked, &holding(count, length)), score(&asked, &holding(count + 1, length)));
        prop_assert!(0.0 <= less && less < more, "{less} {more}");
    }

    #[test]
    fn a_rare_word_weighs_more_than_a_frequent_one(
        count in 1..20_usize, length in 21..200_usize, rare in 1..999_u64, more in 1..1_000_u64,
    ) {
        let document = holding(count, length);
        let frequent = (rare + more).min(1_000);
        prop_assert!(score(&[("asked", rare)], &document) > score(&[("asked", frequent)], &document));
    }

    #[test]
    fn of_two_documents_that_say_it_as_often_the_shorter_wins(count in 1..20_usize, rest in 0..200_usize, more in 1..200_usize) {
        let asked = [("asked", 10)];
        let (shorter, longer) = (holding(count, count + rest), holding(count, count + rest + more));
        prop_assert!(score(&asked, &shorter) > score(&asked, &longer));
    }

    #[test]
    fn a_score_is_never_negative_even_for_words_that_stand_everywhere(
        count in 0..20_usize, docs in 0..5_000_u64, known in 0..1_000_u64, words in 0..100_000_u64,
    ) {
        let collection = CollectionSize { docs: known, terms: words };
        let query = [("asked".to_owned(), docs)];
        let found = bm25(&query, &holding(count, 30), collection, &WordPolicy::default());
        prop_assert!(found.is_finite() && found >= 0.0, "{found}");
    }
}

#[test]
fn an_identifier_is_found_whole_and_by_its_parts() {
    for (text, queries) in [
        (
            "call parseHTTPLine first",
            &["parse", "http", "line", "parseHTTPLine", "parse_http_line"][..],
        ),
        (
            "set max_retry_count",
            &["retry", "max", "maxRetryCount", "max_retry_count", "max-retry-count"],
        ),
        ("edit src/fold/view.rs now", &["fold", "view", "src/fold/view.rs", "view.rs"]),
        ("we are on v1.22.3", &["v1.22.3", "22"]),
        ("run with --dry-run", &["--dry-run", "dry", "dry-run"]),
        ("see std::fmt::Display", &["fmt", "display", "std::fmt::Display"]),
    ] {
        let known = terms(text);
        for query in queries {
            let missing: Vec<_> =
                query_terms(query).into_iter().filter(|term| !known.contains(term)).collect();
            assert!(missing.len() < query_terms(query).len(), "{query} in {text}: {known:?}");
        }
        let whole = queries.iter().map(|query| terms(query)).max_by_key(Vec::len).unwrap();
        assert!(whole.iter().all(|term| known.contains(term)), "{whole:?} in {known:?}");
    }
    assert_ne!(terms("v1.22.3"), terms("v1.22.4"));
    assert!(terms("parseHTTPLine").contains(&"parsehttpline".to_owned()));
}

#[test]
fn scripts_without_spaces_are_found_by_two_letters() {
    for (text, found, absent) in [
        ("数据库运行在东京", &["东京", "数据库", "运行"][..], "北京"),
        ("データベースは東京にある", &["東京", "データ"], "大阪"),
        ("เราอยู่กรุงเทพนะ", &["กรุงเทพ", "กรุง"], "ภูเก็ต"),
    ] {
        let known = terms(text);
        for query in found {
            assert!(terms(query).iter().all(|term| known.contains(term)), "{query} in {text}");
        }
        assert!(!terms(absent).iter().any(|term| known.contains(term)), "{absent} in {text}");
    }
    assert_eq!(terms("数据库"), ["数据", "据库"]);
    assert_eq!(terms("库"), ["库"]);
}

#[test]
fn a_word_glued_to_another_script_is_found() {
    for (text, query) in [
        ("Rustで書く", "rust"),
        ("Rustで書く", "書く"),
        ("我们用Postgres存数据", "postgres"),
        ("我们用Postgres存数据", "数据"),
        ("ใช้Dockerรัน", "docker"),
        ("データはv16です", "v16"),
    ] {
        let known = terms(text);
        let asked = query_terms(query);
        assert!(!asked.is_empty(), "{query}");
        assert!(asked.iter().all(|term| known.contains(term)), "{query} in {known:?}");
    }
}

#[test]
fn marks_above_and_below_letters_do_not_break_a_word() {
    let known = terms("ฐานข้อมูล");
    let asked = query_terms("ข้อมูล");
    assert!(asked.iter().all(|term| known.contains(term)), "{asked:?} in {known:?}");
    for word in ["हिन्दी", "ভাষা", "தமிழ்", "עִבְרִית"] {
        assert_eq!(terms(word).len(), 1, "{word}");
    }
}

#[test]
fn a_mark_on_a_letter_is_no_word_of_its_own() {
    for (text, expected) in [
        ("数\u{301}", &["数\u{301}"][..]),
        ("数\u{20dd} x", &["数\u{20dd}", "x"]),
        ("数\u{301}据", &["数\u{301}据"]),
        ("rust数\u{301}", &["rust", "数\u{301}"]),
    ] {
        assert_eq!(terms(text), expected, "{text}");
    }
}

#[test]
fn an_endless_word_is_cut_and_still_found() {
    let endless = "ab1".repeat(100);
    let found = terms(&endless);
    assert_eq!(found, [&endless[..64]]);
    assert_eq!(query_terms(&endless), found);
    let joined = vec!["part"; 40].join("_");
    assert_eq!(query_terms(&joined), ["part"], "the whole is too long to keep");
    assert!(terms(&"é".repeat(100))[0].len() <= 64, "never amid a letter");
}

#[test]
fn one_or_many_makes_no_difference_to_search() {
    for (one, many) in [
        ("database", "databases"),
        ("query", "queries"),
        ("migration", "Migrations"),
        ("index", "indexes"),
    ] {
        assert_eq!(terms(one), terms(many));
    }
    assert_ne!(terms("staging"), terms("production"));
}

#[test]
fn common_words_are_asked_for_only_when_there_are_no_others() {
    assert_eq!(query_terms("which Postgres does the staging run?"), ["postgr", "stage", "run"]);
    assert_eq!(query_terms("what is it"), ["what", "is", "it"]);
    assert_eq!(query_terms("Redis redis REDIS"), ["redi"]);
    assert!(query_terms(" ?! ").is_empty());
}

#[test]
fn a_word_nobody_wrote_is_not_looked_up() {
    let asked = [("known".to_owned(), 3), ("unheard".to_owned(), 0)];
    let kept = affordable(&asked, &WordPolicy::default());
    assert_eq!(kept, [("known".to_owned(), 3)]);
}
