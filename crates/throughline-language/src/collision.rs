//! Collisions: whether what was measured gives a number that somebody had claimed another value, in whatever order
//! the words stand, and whether a command failed of which somebody claims that it works.

use std::collections::BTreeSet;

use crate::probe::measure::{METRICS, value};
use crate::probe::ran;
use crate::speech::cue::{Cues, find_any, says};
use crate::speech::word::words;
use throughline_core::event::ToolRun;
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

/// Words that say of a command that it works, and those that may stand before them.
static WORKS: Cues = Cues::of(
    "(now|still|always|is|are) pass|passes|passed|succeeds|succeeded|works|green|clean|compiles|builds",
);
/// Words that tie what is said to a condition: a failed run may not have met it.
static CONDITION: Cues = Cues::of(
    "if|when|whenever|unless|only|with|without|after|before|once|until|while|except|but|on|for|under, not|never|no",
);

/// The command that a claim says works, word for word: `cargo test` of "`cargo test` passes". `None` where it says more
/// about when it does, or something else.
fn command_that_works(claim: &str) -> Option<Vec<&str>> {
    let said = words(claim);
    let works = find_any(&said, &WORKS)?;
    let said_of = &said[..works.start];
    let rest = &said[works.end..];
    if said_of.is_empty()
        || says(rest, &CONDITION)
        || !rest.is_empty() && !said[works.end - 1].pauses()
    {
        return None;
    }
    Some(said_of.iter().flat_map(|word| word.text.split_whitespace()).collect())
}

/// What the failed run of a command says against a claim that this very command works, in words. `None` where it says
/// nothing about it.
pub fn failed_though_it_works(claim: &str, run: &ToolRun) -> Option<String> {
    let (command, told) = ran::failed_command(run)?;
    let claimed = command_that_works(claim)?;
    let same = command.split_whitespace().eq(claimed.iter().copied());
    same.then(|| match told {
        Some(why) => format!("`{command}` failed: {why}"),
        None => format!("`{command}` failed"),
    })
}

/// The command that a run was about, as claims name it; none where it ran nothing.
pub fn command_of(run: &ToolRun) -> Option<String> {
    ran::command(run)
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
    use throughline_core::event::ToolCall;

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
    fn a_failed_run_speaks_against_a_claim_that_this_very_command_works() {
        let run = |command: &str, exit: i32| ToolRun {
            call: ToolCall { command: Some(command.to_owned()), ..ToolCall::default() },
            output: "error: test failed, to rerun pass `--lib`".to_owned(),
            exit: Some(exit),
            ..ToolRun::default()
        };
        let failed = run("cd core && cargo test 2>&1 | tail -20", 101);
        for claim in ["cargo test passes", "`cargo test` is green, all 42 of them"] {
            let told = failed_though_it_works(claim, &failed);
            assert!(told.is_some_and(|told| told.starts_with("`cargo test` failed: ")), "{claim}");
        }
        for claim in [
            "cargo test passes with --release",
            "cargo test passes on Linux",
            "cargo test never passes",
            "cargo test parser passes",
            "make test passes",
            "every test passes",
            "cargo test takes long",
        ] {
            assert_eq!(failed_though_it_works(claim, &failed), None, "{claim}");
        }
        assert_eq!(failed_though_it_works("cargo test passes", &run("cargo test", 0)), None);
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
