//! Laws of procedures, gaps and closeness.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use throughline_language::procedure::{self, Procedure};
use throughline_language::{closeness, gap, trigger};

use crate::arbitrary::text;

/// A few words that are no marks of anything.
fn said() -> impl Strategy<Value = String> {
    let words =
        select(vec!["alpha", "bravo", "delta", "kilo", "lima", "`make`", "oscar-2", "papa/x"]);
    vec(words, 1..5).prop_map(|words| words.join(" "))
}

fn told() -> impl Strategy<Value = Procedure> {
    let few = || vec(said(), 0..3);
    (said(), option::of(said()), few(), vec(said(), 2..12), few()).prop_map(
        |(name, trigger, prerequisites, steps, warnings)| Procedure {
            name,
            trigger,
            prerequisites,
            steps,
            warnings,
        },
    )
}

proptest! {
    #[test]
    fn whoever_gives_the_parts_gets_them_back(told in told()) {
        prop_assert_eq!(procedure::read(&told.write()), Some(told));
    }

    #[test]
    fn parts_that_are_listed_are_sorted_by_their_marks(told in told()) {
        let written = told.write();
        let lines: Vec<String> = written.lines().skip(1).map(|line| {
            line.split_once(". ").filter(|(number, _)| number.parse::<usize>().is_ok())
                .map_or(line, |(_, step)| step).to_owned()
        }).collect();
        prop_assert_eq!(Procedure::of_parts(&told.name, &lines), told);
    }

    #[test]
    fn no_text_is_too_odd_to_be_looked_at(one in text(), other in text()) {
        procedure::read(&one);
        procedure::is_told(&one);
        closeness::claimed(&one);
        gap::words_of(&one);
        gap::is_answered_by(&gap::content(&one), &other);
        gap::answer_in(&gap::content(&one), &other);
        trigger::is_named_in(&one, &other);
    }

    #[test]
    fn a_claim_that_answers_a_gap_still_does_when_it_says_more(words in vec(said(), 1..4), more in said()) {
        let gap = gap::content(&words.join(" "));
        let claim = format!("{} zulu", words.join(" "));
        prop_assert!(gap::is_answered_by(&gap, &claim));
        let longer = format!("{claim} and {more}");
        prop_assert!(gap::is_answered_by(&gap, &longer));
    }
}
