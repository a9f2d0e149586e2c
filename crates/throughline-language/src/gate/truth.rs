//! Truth: what a tool found, where it collides with what was meant or claimed.
//!
//! A tool that only shows text proves nothing by the words in it; a tool that builds, tests or runs
//! does. Numbers collide only where unit and subject are the same.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::phrase::PhraseWords;
use super::watch::hash;
use throughline_core::event::ToolRun;
use throughline_core::{text, words};

/// A number that somebody in the session gave: "the suite has 412 tests", "p95 is 80 ms".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NumberClaim {
    /// What is counted or measured in, hashed.
    unit: u32,
    /// The telling words around it, hashed.
    about: Vec<u32>,
    /// Its digits.
    value: String,
}

/// Which sorts of checks a text speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Checks {
    tests: bool,
    lint: bool,
    build: bool,
}

impl Checks {
    /// Those it names; all of them where it names none.
    pub(super) fn named_in(texts: &[&str]) -> Self {
        let named = |signs: &[&str]| {
            texts.iter().any(|text| {
                let lower = text.to_ascii_lowercase();
                signs.iter().any(|sign| lower.contains(sign))
            })
        };
        let tests = named(&["test", "spec", "suite"]);
        let lint = named(&["lint", "clippy", "fmt", "format", "vet"]);
        let build = named(&["build", "compil", "cargo check", "tsc", "make"]);
        let none = !(tests || lint || build);
        Self { tests: tests || none, lint: lint || none, build: build || none }
    }

    /// Whether some sort is in both.
    pub(super) fn meets(self, other: Self) -> bool {
        self.tests && other.tests || self.lint && other.lint || self.build && other.build
    }
}

/// How a run went wrong, in a line of it. `None`: nothing says so.
pub(super) fn failure(run: Option<&ToolRun>, output: &str) -> Option<String> {
    let command = run.and_then(|run| run.call.command.as_deref());
    let only_shows = match (run, command) {
        (Some(_), Some(command)) => shows(command),
        (Some(_), None) => true,
        (None, _) => false,
    };
    if let Some(line) = (!only_shows).then(|| failing_line(output)).flatten() {
        return Some(text::headline(line, LINE_CHARS_MAX));
    }
    let run = run?;
    let failed = run.failed || run.exit.is_some_and(|code| code != 0);
    // Searching without a hit and comparing with a difference end with 1 as well.
    let mere_answer = only_shows && run.exit == Some(1);
    (failed && !mere_answer && command.is_some()).then(|| {
        let line = output.lines().map(str::trim).find(|line| !line.is_empty());
        text::headline(line.unwrap_or("failed"), LINE_CHARS_MAX)
    })
}

const LINE_CHARS_MAX: usize = 120;

/// Whether every step of a command line only shows or searches text.
pub(super) fn shows(command: &str) -> bool {
    const SHOWS: &str = "cat head tail less more grep rg ag ack sed awk find ls wc diff gh jq cut sort uniq cd \
        echo tree stat file which type test [ history curl sqlite3 column tr xargs";
    let shows = |step: &str| {
        let mut words = step.split_whitespace().skip_while(|word| word.contains('='));
        match words.next() {
            None => true,
            Some(odd) if odd.starts_with(|c: char| c.is_ascii_digit() || c == '>') => true,
            Some("git") => git_shows(words),
            Some(program) => SHOWS.split_whitespace().any(|shows| shows == program),
        }
    };
    command.split(['|', ';', '&', '\n']).all(shows)
}

/// Whether git is asked to show something, rather than to do something.
fn git_shows<'a>(mut words: impl Iterator<Item = &'a str>) -> bool {
    const SHOWS: &str = "status log diff show branch blame grep remote tag describe reflog shortlog help version \
        config rev-parse rev-list ls-files ls-tree ls-remote cat-file";
    while let Some(word) = words.next() {
        if matches!(word, "-C" | "-c") {
            words.next();
        } else if !word.starts_with('-') {
            return SHOWS.split_whitespace().any(|shows| shows == word);
        }
    }
    true
}

fn failing_line(output: &str) -> Option<&str> {
    output.lines().filter(|line| line.len() > 3).find(|line| is_failing(line.trim_start()))
}

fn is_failing(line: &str) -> bool {
    const BEGINS: &[&str] = &[
        "error[",
        "error:",
        "Error:",
        "ERROR:",
        "--- FAIL",
        "FAIL\t",
        "FAIL ",
        "FAILED ",
        "FAILED:",
        "not ok ",
        "Traceback (most recent call last)",
        "panic:",
        "fatal:",
        "fatal error:",
        "npm ERR!",
        "make: ***",
        "BUILD FAILED",
        "Segmentation fault",
        "SyntaxError:",
        "AssertionError",
        "TypeError:",
        "ReferenceError:",
        "ModuleNotFoundError:",
        "ImportError:",
        "Compilation failed",
        "error TS",
        "✖ ",
        "✗ ",
    ];
    const HOLDS: &[&str] = &[
        "test result: FAILED",
        "panicked at",
        "could not compile",
        "command not found",
        "undefined reference to",
        "error TS",
        ": error:",
        ": fatal error:",
        "[build failed]",
        "Build FAILED",
        "assertion failed",
        "assertion `left",
    ];
    BEGINS.iter().any(|begin| line.starts_with(begin))
        || HOLDS.iter().any(|part| line.contains(part))
        || fails_some(line)
}

/// "3 failed", "Failures: 2", "exit code 1"; not "0 failed".
fn fails_some(line: &str) -> bool {
    const COUNTED: &[&str] = &["failed", "failing", "failures"];
    if line.len() > 400 || !line.bytes().any(|b| b.is_ascii_digit()) {
        return false;
    }
    let lower = line.to_ascii_lowercase();
    if !["fail", "exit"].iter().any(|part| lower.contains(part)) {
        return false;
    }
    let spoken = PhraseWords::of(&lower);
    let word = |at: usize| spoken.word(at).unwrap_or("");
    let some = |word: &str| word.parse::<u64>().is_ok_and(|count| count > 0);
    (0..spoken.len()).any(|at| {
        let counted = COUNTED.contains(&word(at + 1)) && some(word(at));
        let listed = word(at) == "failures" && some(word(at + 1));
        let exit = word(at) == "exit" && matches!(word(at + 1), "code" | "status");
        counted || listed || (exit && some(word(at + 2)))
    })
}

/// The numbers that a sentence claims, with unit and subject.
pub(super) fn claims(sentence: &str) -> Vec<NumberClaim> {
    let found = numbers(sentence);
    if found.is_empty() {
        return Vec::new();
    }
    let mut about = telling(sentence);
    about.truncate(ABOUT_MAX);
    let claim = |number: Number| NumberClaim {
        unit: number.unit,
        about: about.clone(),
        value: number.value,
    };
    found.into_iter().map(claim).collect()
}

/// A line of the output that gives another number for what was claimed.
pub(super) fn contradiction(claims: &VecDeque<NumberClaim>, output: &str) -> Option<String> {
    if claims.is_empty() {
        return None;
    }
    let differs = |line: &&str| {
        let found = numbers(line);
        found.iter().any(|number| claims.iter().any(|claim| claim.differs(number)))
    };
    let collides = |line: &&str| {
        let (found, about) = (numbers(line), telling(line));
        let same_subject = |claim: &NumberClaim| {
            claim.about.iter().filter(|term| about.contains(term)).count() >= 2
        };
        // A line that gives the claimed number as well bears the claim out.
        claims.iter().filter(|claim| same_subject(claim)).any(|claim| {
            found.iter().any(|number| claim.differs(number))
                && !found.iter().any(|number| claim.agrees(number))
        })
    };
    let lines = output.lines().filter(differs).take(LINES_MAX);
    lines.filter(collides).map(|line| text::headline(line, LINE_CHARS_MAX)).next()
}

/// Longer lines hold data.
const LINE_BYTES_MAX: usize = 240;
const LINES_MAX: usize = 24;
const NUMBERS_MAX: usize = 4;
const ABOUT_MAX: usize = 6;

/// A number with what it counts.
struct Number {
    unit: u32,
    value: String,
}

impl NumberClaim {
    fn differs(&self, number: &Number) -> bool {
        self.unit == number.unit && self.value != number.value
    }

    fn agrees(&self, number: &Number) -> bool {
        self.unit == number.unit && self.value == number.value
    }
}

fn numbers(line: &str) -> Vec<Number> {
    if line.len() > LINE_BYTES_MAX || !line.bytes().any(|b| b.is_ascii_digit()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut words = line.split_whitespace().map(bare).peekable();
    while let Some(word) = words.next() {
        let digits = word.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')));
        let (value, stuck) = word.split_at(digits.unwrap_or(word.len()));
        let next = words.peek().copied().unwrap_or("");
        let unit = unit(if stuck.is_empty() { next } else { stuck });
        if let Some(unit) = unit.filter(|_| value.starts_with(|c: char| c.is_ascii_digit())) {
            let value = value.replace(',', "").trim_end_matches('.').chars().take(16).collect();
            found.push(Number { unit, value });
        }
        if found.len() >= NUMBERS_MAX {
            break;
        }
    }
    found
}

/// The telling terms of a line, hashed, each once.
fn telling(line: &str) -> Vec<u32> {
    let mut about: Vec<u32> = words::terms(line)
        .iter()
        .filter(|term| !words::is_common(term) && unit(term).is_none())
        .filter(|term| term.bytes().any(|b| b.is_ascii_alphabetic()))
        .map(|term| hash(term))
        .collect();
    about.sort_unstable();
    about.dedup();
    about
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '%'))
}

/// What is counted or measured in, hashed: one for `test` and `tests`.
fn unit(word: &str) -> Option<u32> {
    const UNITS: &str = "% ms s us ns sec second minute hour day kb mb gb tb kib mib gib byte x test passed failed \
        error warning issue failure row record request user file line token percent fps qps rps hz \
        commit session migration";
    if word.is_empty() || word.len() > 12 {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    let one = if lower.len() > 2 { lower.trim_end_matches('s') } else { &lower };
    UNITS.split_whitespace().any(|unit| unit == one).then(|| hash(one))
}
