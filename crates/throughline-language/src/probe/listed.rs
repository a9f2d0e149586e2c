//! Lists: a statement that says the same of several things, one of which later words may be about.

use std::collections::HashSet;

use super::clauses;
use crate::speech::word::{Word, words};
use throughline_core::words::{is_common, terms};

/// Words of one thing in a list.
const ITEM_WORDS: usize = 2;

/// Whether a statement says the same of several things, and later words name some of them and not the others: what it
/// says of those stands.
pub fn names_one_of_several(held: &str, said: &str) -> bool {
    let said: HashSet<String> = terms(said).into_iter().collect();
    let items = listed(held);
    let named = items.iter().filter(|item| item.iter().any(|term| said.contains(term))).count();
    named > 0 && named < items.len()
}

/// The things that a statement lists, each by the words that tell it: "api, web and worker". None where it lists nothing.
fn listed(held: &str) -> Vec<HashSet<String>> {
    let words = words(held);
    let single = || clauses(held).all.len() < 2;
    let lists = (1..words.len().saturating_sub(1)).filter(|at| words[*at].is("and or"));
    let found = lists.filter_map(|joint| {
        let items = items(&words, joint);
        // Two things may as well be two clauses: "logs go to Loki and metrics to Prometheus".
        let plain = items.len() > 2 || items.len() == 2 && single();
        let all: Vec<HashSet<String>> =
            items.into_iter().map(|item| telling(&words[item])).collect();
        (plain && all.iter().all(|item| !item.is_empty())).then_some(all)
    });
    found.into_iter().next().unwrap_or_default()
}

/// The things around an "and": what stands behind it, and before it from comma to comma.
fn items(words: &[Word<'_>], joint: usize) -> Vec<std::ops::Range<usize>> {
    let first = joint + 1 + usize::from(words[joint + 1].is("the a an our"));
    if first >= words.len() {
        return Vec::new();
    }
    let numbered = words.get(first + 1).is_some_and(is_number);
    let behind = first..first + 1 + usize::from(numbered);
    let mut items = Vec::from([behind]);
    let mut end = joint;
    loop {
        let comma = (0..end - 1).rev().find(|at| words[*at].mark == ',');
        match comma {
            Some(comma) if end - comma - 1 <= ITEM_WORDS => {
                items.push(comma + 1..end);
                end = comma + 1;
            }
            Some(_) | None => break,
        }
    }
    // What stands before the first comma is more than the thing itself.
    let alone = items.len() == 1 && words[end - 1].pauses();
    if alone {
        return Vec::new();
    }
    let numbered = end > 1 && is_number(&words[end - 1]);
    items.push(end - 1 - usize::from(numbered)..end);
    items
}

fn is_number(word: &Word<'_>) -> bool {
    word.text.starts_with(|c: char| c.is_ascii_digit())
}

/// The words that tell a thing from others: its number does not, where it has a name.
fn telling(item: &[Word<'_>]) -> HashSet<String> {
    let named = item.iter().any(|word| !is_number(word));
    let own = item.iter().filter(|word| !named || !is_number(word));
    let all = own.flat_map(|word| terms(&word.lower));
    all.filter(|term| !is_common(term)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_several_things_is_named() {
        for (held, said) in [
            ("we deploy api, web and worker to fly", "worker moved to render"),
            ("we deploy the api, web, and worker to fly", "web is on render now"),
            ("the api and the worker share a cache", "the worker has a cache of its own"),
            ("Staging uses Postgres 15 and Redis 7.", "staging's on postgres 16 now"),
        ] {
            assert!(names_one_of_several(held, said), "{held} | {said}");
        }
    }

    #[test]
    fn all_or_none_of_several_things_are_named() {
        for (held, said) in [
            ("we deploy api, web and worker to fly", "we deploy everything to render"),
            ("we deploy api, web and worker to fly", "api, web and worker moved to render"),
            ("we deploy on Mondays and Thursdays", "we deploy on Tuesdays"),
            ("logs go to Loki and metrics to Prometheus", "metrics go to Datadog"),
            ("for prices we round half even, and for weights we round up", "weights round down"),
            ("the api listens on 8080", "the api listens on 9090"),
            ("", "né, à"),
            ("and or", "and"),
        ] {
            assert!(!names_one_of_several(held, said), "{held} | {said}");
        }
    }
}
