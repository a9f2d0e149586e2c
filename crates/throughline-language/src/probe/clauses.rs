//! Clauses of a statement: what is said in one sentence, and may change by itself.

use std::collections::HashSet;

use crate::speech;
use crate::speech::word::words;
use throughline_core::words::{is_common, terms};

/// Words of a clause that says something by itself.
const CLAUSE_WORDS: usize = 3;
/// What joins two clauses of a sentence, the longer ones first.
const JOINTS: [&str; 5] = [", and ", ", but ", ", ", " and ", " but "];
/// What stands behind one of these is its reason, its occasion or its condition, and goes with all of the sentence.
const SUBORDINATES: &str =
    "because since so if when whenever unless until while which where although though";
/// What points back to somebody or something that another clause names.
const POINTING: &str =
    "it its he him his she her they them their theyre this that these those there else same";
/// What stands behind a verb rather than behind what a clause speaks of: "writes to a table".
const BEHIND_VERBS: &str = "to from in on at by with into as";

/// What a statement says, clause by clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clauses<'a> {
    /// The clauses, in their order.
    pub all: Vec<&'a str>,
    /// Whether a full stop or a semicolon stands between some of them, so that each surely says something.
    pub marked: bool,
}

/// The clauses of a statement. What is joined by a mere comma or by "and" may be one thing all the same.
pub fn clauses(said: &str) -> Clauses<'_> {
    let sentences = speech::sentences(said).into_iter().map(|one| one.text);
    let marked = sentences.flat_map(|sentence| sentence.split("; ")).map(str::trim);
    let marked: Vec<&str> = marked.filter(|clause| says_something(clause)).collect();
    let all = marked.iter().flat_map(|clause| at_joints(clause)).collect();
    Clauses { all, marked: marked.len() > 1 }
}

/// A statement without the value that it says is given up, where later words name that value: of "16 now, not 14" and
/// "14 again" the reader would take the two for the same.
pub fn without_given_up<'a>(held: &'a str, said: &str) -> &'a str {
    const DENIED_WORDS_MAX: usize = 3;
    let bare = held.trim_end_matches(['.', '!', ' ']);
    let Some((kept, denied)) = bare.rsplit_once(", not ") else { return held };
    let named = words(denied);
    let is_value = !named.is_empty() && named.len() <= DENIED_WORDS_MAX && kept.contains(' ');
    let later = words(said);
    let names_it = named.iter().all(|word| later.iter().any(|one| one.lower == word.lower));
    if is_value && names_it { kept } else { held }
}

/// Which clauses later words may be about: those that they name by a word of that clause alone. All, where they name none.
pub fn named_by(clauses: &[&str], said: &str) -> Vec<bool> {
    let said: HashSet<String> = terms(said).into_iter().collect();
    let each: Vec<HashSet<String>> = clauses
        .iter()
        .map(|clause| terms(clause).into_iter().filter(|term| !is_common(term)).collect())
        .collect();
    let others_say = |at: usize, term: &String| {
        each.iter().enumerate().any(|(other, terms)| other != at && terms.contains(term))
    };
    let named = |(at, own): (usize, &HashSet<String>)| {
        own.iter().any(|term| said.contains(term) && !others_say(at, term))
    };
    let named: Vec<bool> = each.iter().enumerate().map(named).collect();
    if named.contains(&true) { named } else { vec![true; clauses.len()] }
}

/// Whether a clause says itself what it speaks of. One that goes on without a subject does not: "deployed by Netlify",
/// "writes to a table", "not in a folder".
pub fn names_its_thing(clause: &str) -> bool {
    let words = words(clause);
    let Some(first) = words.first() else { return false };
    let ends_in =
        |ending: &str| first.text.len() > ending.len() + 2 && first.text.ends_with(ending);
    let behind_verb = words.get(1).is_some_and(|word| word.is(BEHIND_VERBS));
    let goes_on = ends_in("ed") || ends_in("ing") || ends_in("s") && behind_verb;
    !goes_on && !first.is("not only") && !words.iter().any(|word| word.is(POINTING))
}

/// A sentence, taken apart where something joins two clauses that are both long enough to be one.
fn at_joints(sentence: &str) -> Vec<&str> {
    let (mut clauses, mut start, mut at) = (Vec::new(), 0, 0);
    while let Some(step) = sentence[at..].chars().next().map(char::len_utf8) {
        let joint = JOINTS.iter().find(|joint| sentence[at..].starts_with(**joint));
        let Some(joint) = joint else {
            at += step;
            continue;
        };
        let (before, behind) = (&sentence[start..at], &sentence[at + joint.len()..]);
        if words(&sentence[..at]).iter().any(|word| word.is(SUBORDINATES)) {
            break;
        }
        if says_something(before) && says_something(behind) {
            clauses.push(before.trim());
            start = at + joint.len();
        }
        at += joint.len();
    }
    clauses.push(sentence[start..].trim());
    clauses
}

fn says_something(clause: &str) -> bool {
    clause.split_whitespace().count() >= CLAUSE_WORDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_taken_apart_where_two_clauses_are_joined() {
        for (said, apart) in [
            (
                "Nadia owns billing, Omar owns search, and Kim does the mobile apps",
                &["Nadia owns billing", "Omar owns search", "Kim does the mobile apps"][..],
            ),
            (
                "the box is at 10.0.3.7 and it gets wiped every sunday",
                &["the box is at 10.0.3.7", "it gets wiped every sunday"],
            ),
            (
                "Marco maintains the limiter; ask him before touching src/limits.rs",
                &["Marco maintains the limiter", "ask him before touching src/limits.rs"],
            ),
            (
                "logs go to Loki, metrics to Prometheus",
                &["logs go to Loki", "metrics to Prometheus"],
            ),
        ] {
            assert_eq!(clauses(said).all, apart, "{said}");
        }
    }

    #[test]
    fn later_words_are_about_the_clauses_that_they_name() {
        let rounds = ["for prices we round half even", "for weights we round up"];
        assert_eq!(named_by(&rounds, "weights get rounded down from now on"), [false, true]);
        assert_eq!(named_by(&rounds, "we round down everywhere"), [true, true], "it names neither");
        assert_eq!(named_by(&rounds, "prices and weights are cut"), [true, true]);
    }

    #[test]
    fn a_clause_that_goes_on_with_another_one_does_not_stand_alone() {
        for clause in ["logs go to Loki", "Nadia owns billing", "never rebase shared branches"] {
            assert!(names_its_thing(clause), "{clause}");
        }
        for clause in [
            "ask him before you do",
            "nobody else may approve there",
            "deployed from main by netlify",
            "writes to ClickHouse",
            "not in a tests folder",
        ] {
            assert!(!names_its_thing(clause), "{clause}");
        }
    }

    #[test]
    fn what_is_one_clause_stays_whole() {
        for said in [
            "we deploy on Mondays and Thursdays",
            "the api and the worker share a cache",
            "we use Kafka because it is durable and the team knows how it fails",
            "when you deploy, tag the release and tell the people on call",
            "",
            "né, à",
        ] {
            assert!(clauses(said).all.len() < 2, "{said}: {:?}", clauses(said));
        }
        assert!(!clauses("logs go to Loki, metrics to Prometheus").marked);
        assert!(clauses("Logs go to Loki. Metrics go to Prometheus.").marked);
    }
}
