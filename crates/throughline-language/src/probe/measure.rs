//! Measured numbers, where it is clear what was measured.

use super::content::dangles;
use super::ran::shortened;
use super::{ProbedSentence, name};
use crate::speech::cue::{Cues, at_any, cues, find_any, says};
use crate::speech::word::{Word, words};
use throughline_core::event::ToolRun;
use throughline_core::patch::{Operation, Remember};
use throughline_core::{Cardinality, Kind, Slot};

pub(crate) static METRICS: Cues = Cues::of(
    "p50|p90|p95|p99|p999 (latency), latency, throughput, bundle (size), binary (size), \
    (test|line|branch|code) coverage, (peak|resident) memory (usage|use), \
    startup (time), build|compile time, cold start, wall|run time, runtime, qps|rps, \
    accuracy, recall, precision, image size, database size, file size, \
    median (time|latency)",
);

const UNITS: &str = "ms, s, sec, seconds, us, µs, ns, min, minutes, kb, mb, gb, kib, mib, gib, tb, %, \
        percent, qps, rps, req/s, ops/s, mb/s, gb/s, x";

/// A number in a sentence, with what it measures: "p50 of `recall` is 12 ms".
pub(super) fn said(it: &ProbedSentence<'_>) -> Option<Operation> {
    let words = &it.words;
    if let Some(found) = improved(it) {
        return Some(found);
    }
    let (metric, value) = measured(words)?;
    // Only what stands before the value may say what was measured.
    let what = &words[..value.0];
    let context = words.iter().any(|word| word.code) || what.iter().any(name::is_named);
    let vague = dangles(what)
        || says(
            words,
            cues!(
                "should, would, not, instead of, rather than, target|goal|limit|budget, at least|most, about|around|roughly, from, \
        expected, ensure, or, up to, less than, under|over|below|above, was|were|before|previously, \
        could|may|might"
            ),
        )
        || words.iter().any(|word| word.mark == '→');
    if vague || !context || words.len() > 18 || metric.start > 6 {
        return None;
    }
    let subject = what
        .iter()
        .filter(|word| !word.is("the a our is now of for at"))
        .map(|word| word.text)
        .collect::<Vec<_>>()
        .join(" ");
    claim(it, subject, value.1)
}

/// "Import time: 9.5 s → 1.5 s".
fn improved(it: &ProbedSentence<'_>) -> Option<Operation> {
    let words = &it.words;
    let colon = words.iter().take(6).position(|word| word.mark == ':')?;
    let arrow = words
        .iter()
        .position(|word| word.mark == '→')
        .filter(|at| (colon + 1..=colon + 2).contains(at))?;
    let (_, new) = (value(words, colon + 1)?, value(words, arrow + 1)?);
    let label = &words[..=colon];
    let set = says(label, cues!("ceiling|limit|tightened|threshold|ttl|default|timeout"));
    let clear = label.len() >= 2 && !dangles(label) && words.len() <= arrow + 6 && !set;
    let subject = label.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    clear.then(|| claim(it, subject, new))?
}

/// What a sentence of the agent's says was measured. It is believed little.
fn claim(it: &ProbedSentence<'_>, subject: String, value: String) -> Option<Operation> {
    const CONFIDENCE: f64 = 0.45;
    let slot = Some(measures(subject, value));
    Some(Operation::Remember(Remember { slot, ..it.whole(Kind::Fact, CONFIDENCE)? }))
}

fn measures(subject: String, value: String) -> Slot {
    let predicate = "measures".to_owned();
    Slot { subject, predicate, object: value, cardinality: Cardinality::One }
}

/// Where the metric stands, and where its value does, with its unit.
fn measured(words: &[Word<'_>]) -> Option<(std::ops::Range<usize>, (usize, String))> {
    let metric = find_any(words, &METRICS)?;
    let (at, value) = (metric.end..words.len().min(metric.end + 8))
        .find_map(|at| Some((at, value(words, at)?)))?;
    Some((metric, (at, value)))
}

/// "12 ms", "1.2MB", "93%".
pub(crate) fn value(words: &[Word<'_>], at: usize) -> Option<String> {
    let text = words.get(at)?.text.trim_start_matches(['~', '=']);
    let length =
        text.bytes().take_while(|b| b.is_ascii_digit() || matches!(b, b'.' | b',')).count();
    let (number, unit) = text.split_at(length);
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let is_unit = |unit: &str| UNITS.split(", ").any(|one| one == unit.to_lowercase());
    if is_unit(unit) {
        return Some(format!("{number} {unit}").replace(" %", "%"));
    }
    let next = words.get(at + 1).filter(|next| unit.is_empty() && is_unit(next.text))?;
    Some(format!("{number} {}", next.text).replace(" %", "%"))
}

/// What a tool that ran through has measured.
pub(super) fn of_run(turn: usize, run: &ToolRun) -> Vec<Operation> {
    let Some(command) = run
        .call
        .command
        .as_deref()
        .filter(|_| !run.failed && run.exit.is_none_or(|code| code == 0))
    else {
        return Vec::new();
    };
    let short = shortened(command);
    if short.is_empty() || !is_measuring(&short) {
        return Vec::new();
    }
    let lines = run
        .output
        .lines()
        .rev()
        .take(200)
        .map(str::trim)
        .filter(|line| (6..=160).contains(&line.len()));
    let mut found: Vec<Operation> = Vec::new();
    for (what, value, line) in lines.filter_map(number) {
        let slot = measures(format!("{what} of {short}"), value.clone());
        let known = found.iter().any(|one| matches!(one, Operation::Remember(it) if it.slot.as_ref().is_some_and(|old| old.subject == slot.subject)));
        if !known && found.len() < 3 {
            found.push(Operation::Remember(Remember {
                kind: Kind::Fact,
                content: told(&short, &what, &value),
                label: None,
                domain: None,
                slot: Some(slot),
                because: Vec::new(),
                triggers: Vec::new(),
                entities: Vec::new(),
                confidence: 0.5,
                quote: Some(line.to_owned()),
                turn: Some(turn),
            }));
        }
    }
    found
}

/// The claim in words. It is the same claim in other words where slot and value are the same.
fn told(command: &str, what: &str, value: &str) -> String {
    match value.strip_suffix(" passed").filter(|_| what == "tests") {
        Some(count) => format!("`{command}`: {count} tests passed"),
        None => format!("`{command}` measured {what}: {value}"),
    }
}

/// Whether a command runs tests or measures, whole: a chosen test says nothing about the project.
fn is_measuring(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    let has = |one: &str| words.contains(&one);
    let narrow = "-run -k -t -E --test --filter --grep grep cat sed git tail head ls echo find rg"
        .split(' ')
        .any(has);
    let tests =
        "test tests nextest pytest jest vitest bench benchmark build coverage hyperfine k6 wrk"
            .split(' ')
            .any(|one| {
                words.iter().any(|word| *word == one || word.starts_with(&format!("{one}:")))
            });
    tests && !narrow && words.len() <= 8
}

/// "619 passed", "p50: 12 ms" in a line of output.
fn number(line: &str) -> Option<(String, String, &str)> {
    let said = words(line);
    if said.len() > 14 {
        return None;
    }
    if let Some(place) = (1..said.len())
        .find(|at| at_any(&said, *at, cues!("passed, passing, tests (passed)")).is_some())
    {
        let count = said[place - 1].text;
        let counts =
            count.bytes().all(|b| b.is_ascii_digit() || b == b',') && count != "0" && count != "1";
        return counts.then(|| ("tests".to_owned(), format!("{count} passed"), line));
    }
    let (metric, (at, value)) = measured(&said)?;
    let what = said[..at]
        .iter()
        .filter(|word| !word.text.is_empty())
        .map(|word| word.text)
        .collect::<Vec<_>>()
        .join(" ");
    (metric.start <= 3 && what.chars().count() <= 60).then_some((what, value, line))
}
