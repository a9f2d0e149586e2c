//! Collisions: whether what was measured gives a number that somebody had claimed another value, in whatever order
//! the words stand.

use std::collections::BTreeSet;

use crate::probe::measure::{METRICS, value};
use crate::speech::cue::find_any;
use crate::speech::word::words;
use throughline_core::meet::{self, Difference};
use throughline_core::{Kind, words as terms};

/// Telling words that both must share beside the number.
const SHARED_MIN: usize = 2;

/// A number that a text gives something: what it is of, the number and its unit.
struct Figure {
    of: BTreeSet<String>,
    number: String,
    unit: String,
}

/// Whether a measurement gives what a claim speaks of another value: "p95 latency of search is 12 ms" and
/// "`cargo bench search` measured search p95 latency: 48 ms".
pub fn is_refuted_by(claim: &str, measured: &str) -> bool {
    let (Some(claimed), Some(found)) = (figure(claim), figure(measured)) else { return false };
    claimed.unit == found.unit
        && claimed.number != found.number
        && claimed.of.len() >= SHARED_MIN
        && claimed.of.is_subset(&found.of)
}

/// The figure that a text gives, if it gives one of something that is measured.
fn figure(text: &str) -> Option<Figure> {
    let said = words(text);
    find_any(&said, &METRICS)?;
    let values: Vec<String> = (0..said.len()).filter_map(|at| value(&said, at)).collect();
    let [only] = values.as_slice() else { return None };
    let length =
        only.bytes().take_while(|b| b.is_ascii_digit() || matches!(b, b'.' | b',')).count();
    let (number, unit) = only.split_at(length);
    let unit = unit.trim().to_lowercase();
    let plain = |term: &String| {
        let digits = term.chars().all(|c| c.is_ascii_digit());
        !(digits || *term == unit || terms::is_common(term))
    };
    let of = terms::terms(text).into_iter().filter(plain).collect();
    Some(Figure { of, number: number.to_owned(), unit })
}

/// The sentence of an agent's turn to which a person's correction gives another value, and the clause that does.
pub fn corrected_in<'a>(answer: &'a str, correction: &'a str) -> Option<(&'a str, &'a str)> {
    let sentences = crate::speech::sentences(answer);
    let clauses = || correction.split([',', ';', '.', '\n', '!']).map(str::trim);
    sentences.iter().map(|one| one.text.trim()).find_map(|said| {
        let claim = said.trim_end_matches('.');
        let other = |clause: &&str| {
            let met = meet::same_thing((Kind::Fact, claim), (Kind::Fact, clause));
            met == Some(Difference::Value)
        };
        clauses().filter(|clause| !clause.is_empty()).find(other).map(|clause| (claim, clause))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measurement_refutes_a_claim_about_the_same_number() {
        let measured = "`cargo bench search` measured search p95 latency: 48 ms";
        assert!(is_refuted_by("p95 latency of search is 12 ms", measured));
        assert!(!is_refuted_by("p95 latency of search is 48 ms", measured), "the same");
        assert!(!is_refuted_by("p95 latency of search is 12 s", measured), "another unit");
        assert!(!is_refuted_by("p95 latency of the import is 12 ms", measured), "another thing");
        assert!(!is_refuted_by("p95 latency fell from 20 ms to 12 ms", measured), "two numbers");
        assert!(!is_refuted_by("search is fast", measured));
    }

    #[test]
    fn a_correction_names_what_was_said_before() {
        let answer = "I looked. The gateway listens on port 8080. Shall I go on?";
        let correction =
            "No, that's wrong, the gateway listens on port 9090, check config/gateway.toml";
        let found = corrected_in(answer, correction);
        let expected = ("The gateway listens on port 8080", "the gateway listens on port 9090");
        assert_eq!(found, Some(expected));
        assert_eq!(corrected_in(answer, "No, use tabs"), None);
    }
}
