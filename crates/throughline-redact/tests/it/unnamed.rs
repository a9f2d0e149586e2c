//! Secrets told without their noun: what the words around them are about, and their own form, give them
//! away.
//!
//! The lists have a sentence a line. `{}` stands for a password with letters, digits and signs, `{hex}` for a
//! key in hexadecimal digits, `{seed}` for the words that restore a wallet. Rules were written against
//! `sentences/unnamed.txt`, then against what stayed of `sentences/unnamed_aside.txt`. No rule was changed for
//! `sentences/unnamed_later.txt`: its share says what sentences of other speakers may expect.

use throughline_redact::redact;

const TOLD: &str = include_str!("sentences/unnamed.txt");
const ASIDE: &str = include_str!("sentences/unnamed_aside.txt");
const LATER: &str = include_str!("sentences/unnamed_later.txt");

/// Values in two pieces, so that none stands here in whole.
const TYPED: [(&str, &str); 5] = [
    ("hunter2", "Xk9!"),
    ("Tr0ub", "4dor&3"),
    ("Blau4", "Wal!9"),
    ("Qw7p", "Lm2xZ"),
    ("s3cr3t", "-Pa55"),
];
const HEX: [(&str, &str); 2] =
    [("9f86d081884c7d65", "9a2feaa0c55ad015"), ("3b7e4c1f02a94d58b6e0", "71ac93d24f5586e1f0b2")];
const SEEDS: [(&str, &str); 2] = [
    ("orbit velvet canyon jungle ", "mango spider ladder oxygen fabric tunnel lizard copper"),
    (
        "river glance pepper drama knife magnet violin puzzle ankle crystal satoshi domain ",
        "elbow maple fossil garage tiger umbrella noble salon rocket kitchen absurd wheat",
    ),
];

/// Every sentence of a list with every value that fits it.
fn told(list: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for line in list.lines() {
        let (slot, values): (&str, &[(&str, &str)]) = if line.contains("{hex}") {
            ("{hex}", &HEX)
        } else if line.contains("{seed}") {
            ("{seed}", &SEEDS)
        } else {
            ("{}", &TYPED)
        };
        for (one, two) in values {
            let value = [*one, *two].concat();
            all.push((line.replace(slot, &value), value));
        }
    }
    all
}

/// Whether no half of a value is left.
fn is_gone(text: &str, value: &str) -> bool {
    let clean = redact(text).text.into_owned();
    let half = value.len().div_ceil(2);
    !(0..=value.len() - half).any(|at| clean.contains(&value[at..at + half]))
}

/// The sentences whose value stays.
fn missed(list: &str) -> (Vec<String>, usize) {
    let all = told(list);
    let missed = all.iter().filter(|(text, value)| !is_gone(text, value));
    (missed.map(|(text, _)| text.clone()).collect(), all.len())
}

#[test]
fn a_secret_told_without_its_noun_disappears() {
    let (missed, all) = missed(TOLD);
    println!("{} of {all} stay", missed.len());
    assert!(missed.len() * 20 <= all, "{missed:#?}");
}

#[test]
fn sentences_that_no_rule_was_written_for_lose_most_of_their_secrets() {
    for (list, share) in [(ASIDE, 78), (LATER, 65)] {
        let (missed, all) = missed(list);
        println!("{} of {all} stay: {missed:#?}", missed.len());
        assert!(missed.len() * 100 <= all * (100 - share), "{missed:#?}");
    }
}
