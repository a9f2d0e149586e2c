//! Documents: what search knows of a text without reading it again.

use proptest::prelude::*;
use throughline_core::document::{SpeakerCode, length, searchable, traits};
use throughline_core::{Episode, EpisodeId, SessionId, words};

use crate::arbitrary;
use crate::world::{SPACE, day};

fn said_by(speaker: &str, text: &str) -> Episode {
    let id = "00000001-0003-7000-8000-000000000001".parse::<EpisodeId>();
    Episode {
        id: id.expect("a well-formed id"),
        space: SPACE,
        session: SessionId("morning".to_owned()),
        position: 1,
        turn: None,
        speaker: speaker.to_owned(),
        at: day(1),
        text: text.to_owned(),
        person: None,
    }
}

#[test]
fn a_text_asks_when_it_ends_with_a_question() {
    for (text, asks) in [
        ("Where is it?", true),
        ("Where is it?  \n", true),
        ("?", true),
        ("Is it here? I think so.", false),
        ("It is here", false),
        ("", false),
    ] {
        assert_eq!(traits(text, day(1)).asks, asks, "{text:?}");
    }
}

#[test]
fn a_text_tells_a_number_in_digits_or_in_words() {
    for (text, tells) in [
        ("port 8080", true),
        ("Postgres16", true),
        ("Three cats", true),
        ("a DOZEN eggs", true),
        ("we met twice, then left", true),
        ("one-off", true),
        ("someone is at the phone, often", false),
        ("nobody", false),
        ("", false),
    ] {
        assert_eq!(traits(text, day(1)).tells_number, tells, "{text:?}");
    }
}

#[test]
fn a_text_tells_a_time_when_it_names_one() {
    for (text, tells) in [
        ("we met yesterday", true),
        ("on 3 May 2023", true),
        ("last Friday we shipped", true),
        ("tabs, not spaces", false),
        ("", false),
    ] {
        assert_eq!(traits(text, day(1)).tells_time, tells, "{text:?}");
    }
}

#[test]
fn only_the_beginning_of_a_long_text_is_looked_at() {
    let late = format!("{}yesterday, 7 times?", "é ".repeat(3_000));
    let found = traits(&late, day(1));
    assert!(!found.tells_time && !found.tells_number);
    assert!(found.asks, "the end is looked at for what it asks");
    let early = format!("yesterday, 7 times {}", "é ".repeat(3_000));
    let found = traits(&early, day(1));
    assert!(found.tells_time && found.tells_number && !found.asks);
}

#[test]
fn roles_are_told_apart_and_names_are_names() {
    for (name, speaker) in [
        ("", SpeakerCode::NOBODY),
        (" ", SpeakerCode::NOBODY),
        ("user", SpeakerCode::USER),
        ("Human", SpeakerCode::USER),
        ("USER:", SpeakerCode::USER),
        ("assistant", SpeakerCode::ASSISTANT),
        ("Agent", SpeakerCode::ASSISTANT),
        ("AI", SpeakerCode::ASSISTANT),
        ("tool", SpeakerCode::TOOL),
        ("System", SpeakerCode::TOOL),
    ] {
        assert_eq!(SpeakerCode::of(name), speaker, "{name:?}");
        assert!(!SpeakerCode::of(name).is_named(), "{name:?}");
    }
    for name in ["Caroline", "Mel Brooks", "user2", "数据库", "users"] {
        assert!(SpeakerCode::of(name).is_named(), "{name}");
    }
    assert_eq!(SpeakerCode::of("Caroline"), SpeakerCode::of(" caroline "));
    assert_ne!(SpeakerCode::of("Caroline"), SpeakerCode::of("Melanie"));
}

#[test]
fn what_a_person_said_is_also_about_that_person() {
    for (speaker, expected) in [
        ("Caroline", "Caroline: I moved"),
        ("user", "I moved"),
        ("Assistant", "I moved"),
        ("tool", "I moved"),
        ("", "I moved"),
    ] {
        assert_eq!(searchable(&said_by(speaker, "I moved")), expected);
    }
}

/// Words as people write them, that say nothing about a topic.
const COMMON: &str = "The a and because before being does doing during once only very was whom \
                      Yours you're they've I'll don't";

#[test]
fn a_common_word_is_common_however_it_is_written() {
    for term in words::terms(COMMON) {
        let left_of_a_contraction = term == "don";
        assert_eq!(words::is_common(&term), !left_of_a_contraction, "{term}");
    }
    for word in ["staging", "Postgres", "need", "never", "may", "数据库", "42", "go", "C"] {
        for term in words::terms(word) {
            assert!(!words::is_common(&term), "{term}");
        }
    }
}

#[test]
fn a_length_counts_the_terms_that_say_something() {
    for (text, expected) in [
        ("", 0),
        ("it is what it is", 0),
        ("Staging runs Postgres", 3),
        ("the staging of the staging", 2),
        ("parseHttpHeader", 4),
    ] {
        assert_eq!(length(&words::terms(text)), expected, "{text:?}");
    }
    assert_eq!(length(&vec!["word".to_owned(); 100_000]), u16::MAX, "no further than it can tell");
}

proptest! {
    #[test]
    fn any_text_and_any_name_have_a_document(text in arbitrary::text(), name in arbitrary::text()) {
        let episode = said_by(&name, &text);
        let terms = words::terms(&searchable(&episode));
        prop_assert!(usize::from(length(&terms)) <= terms.len());
        for term in words::terms(&text) {
            prop_assert!(terms.contains(&term), "{term} is said and not found");
        }
        prop_assert_eq!(traits(&text, day(1)).asks, text.trim_end().ends_with('?'));
    }

    #[test]
    fn a_query_asks_for_each_telling_term_once_in_its_order(text in arbitrary::text()) {
        let (known, asked) = (words::terms(&text), words::query_terms(&text));
        let any_telling = known.iter().any(|term| !words::is_common(term));
        let mut expected: Vec<String> = Vec::new();
        for term in known {
            let wanted = !any_telling || !words::is_common(&term);
            if wanted && !expected.contains(&term) {
                expected.push(term);
            }
        }
        prop_assert_eq!(asked, expected);
    }

    #[test]
    fn common_words_never_change_what_is_asked(text in arbitrary::text()) {
        let asked = words::query_terms(&text);
        if asked.iter().any(|term| !words::is_common(term)) {
            prop_assert_eq!(words::query_terms(&format!("what is the {text} of it")), asked);
        }
    }

    #[test]
    fn more_words_never_make_a_text_shorter(
        text in arbitrary::text(), more in arbitrary::text(),
    ) {
        let both = words::terms(&format!("{text} {more}"));
        prop_assert!(length(&both) >= length(&words::terms(&text)));
    }
}
