//! Things: what a claim speaks of, by the way it is written, and when two names are the same.
//!
//! A name stands out by its form (code, a path, a capital inside a sentence), by the word after it ("X uses …"), or by
//! the sort of thing that it is said to be ("the billing service").

mod spelling;

pub use spelling::{spellings, squeezed, tag_key};

use throughline_core::EntityKind;
use throughline_core::patch::Named;

use crate::probe::name::{is_named_inside, is_path, named};
use crate::speech::word::{Word, words};

/// Things of one claim at most.
const THINGS_MAX: usize = 12;
/// Bytes of a claim that are looked at.
const LOOK_BYTES_MAX: usize = 4_096;
/// Words of a claim that are looked up.
const WORDS_MAX: usize = 32;
/// Words of a name at most.
const NAME_WORDS_MAX: usize = 3;

/// What somebody does to a thing that is theirs to look after.
const LOOKS_AFTER: &str = "owns leads maintains reviews manages";
/// What a thing or somebody does, as the second word of a sentence.
const DOES: &str = "is was uses used owns leads maintains reviews manages runs ran has had needs needed stores keeps \
    lives works handles writes wrote reads depends requires serves supports sends talks calls exposes belongs \
    moved replaced joined left prefers lets gives takes";
/// What any noun may be said to be.
const IS: &str = "is was has had needs needed";
/// Words that stand at the beginning of a sentence and name nothing.
const NO_NAMES: &str = "the a an this that these those it its there here he she they we you i im my our your their \
    his her what which who whoever everything nothing something everybody nobody somebody one both all each every \
    some any no not never always please note todo when where why how if then today yesterday tomorrow now first \
    second last next another other monday tuesday wednesday thursday friday saturday sunday";
/// What sorts of things a project has: the words before them name one.
const SORTS: &str = "service server database pipeline queue cluster job worker api app application module library \
    crate package team table endpoint repo repository dashboard script store cache bucket gateway client backend \
    frontend scheduler daemon cron cli sdk plugin parser compiler index topic migration job";
/// What stands before a name and is no part of it.
const BEFORE: &str = "the our my this that a an new old main other own its their your his her whole same to of in on \
    for with by from and or";

/// Units of measure and everyday abbreviations, which name nothing.
const UNITS: [&str; 24] = [
    "mA", "mV", "mW", "kW", "kHz", "MHz", "GHz", "Hz", "KB", "kB", "MB", "GB", "TB", "KiB", "MiB",
    "GiB", "Mbit", "Gbit", "dB", "PR", "PRs", "OK", "AM", "PM",
];

/// Whether what looks like a name is a unit of measure or an everyday abbreviation.
pub fn is_unit(name: &str) -> bool {
    UNITS.contains(&name)
}

/// The things that a claim speaks of, each once, at most twelve.
pub fn things_in(text: &str) -> Vec<Named> {
    let text = &text[..text.floor_char_boundary(LOOK_BYTES_MAX)];
    let mut found: Vec<Named> = Vec::new();
    for sentence in text.split_inclusive(['\n', '.', '!', '?']).collect::<Vec<_>>().chunk_by(joins)
    {
        let sentence = sentence.concat();
        let words = words(&sentence);
        for one in people(&words) {
            add(&mut found, one);
        }
        for one in opening(&words).into_iter().chain(sorts(&words)).chain(capitals(&words)) {
            add(&mut found, one);
        }
        for mut one in named(&words) {
            if is_library(&one.name) {
                one.kind = EntityKind::Concept;
            }
            add(&mut found, one);
        }
    }
    found.truncate(THINGS_MAX);
    found
}

/// Whether what looks like a file is the name of a library: "React.js".
fn is_library(name: &str) -> bool {
    let stem = name.strip_suffix(".js").unwrap_or_default();
    stem.starts_with(char::is_uppercase) && stem.chars().all(char::is_alphabetic)
}

/// Whether a mark ended no sentence: "v1.2", "React.js".
fn joins(before: &&str, after: &&str) -> bool {
    !before.ends_with('\n') && !after.starts_with(char::is_whitespace) && !after.is_empty()
}

/// Adds a thing, unless it is there or a part of one that is.
fn add(found: &mut Vec<Named>, one: Named) {
    let lower = one.name.to_lowercase();
    let known = |held: &Named| {
        let held = held.name.to_lowercase();
        held == lower || held.split(' ').any(|part| part == lower)
    };
    if !lower.is_empty() && !is_unit(&one.name) && !found.iter().any(known) {
        found.push(one);
    }
}

fn thing(name: &str, kind: EntityKind) -> Named {
    let name = name.trim_end_matches("'s").trim_end_matches("’s").to_owned();
    Named { name, kind, aliases: Vec::new() }
}

/// Whether a word is written as a name is: with a capital and small letters, and not as code.
fn is_proper(word: &Word<'_>) -> bool {
    let letters = word.text.trim_end_matches("'s");
    word.is_said()
        && letters.len() > 1
        && letters.starts_with(char::is_uppercase)
        && letters.chars().all(|c| c.is_alphabetic() || c == '-' || c == '\'')
        && !word.is(NO_NAMES)
}

/// People who are said to be such: by what they are to the speaker, by being the speaker, by what they look after.
fn people(words: &[Word<'_>]) -> Vec<Named> {
    let mut found = Vec::new();
    for at in (0..words.len()).filter(|at| is_proper(&words[*at])) {
        let before = |back: usize| at.checked_sub(back).and_then(|at| words.get(at));
        let is = |back, some: &str| before(back).is_some_and(|word: &Word<'_>| word.is(some));
        let to_speaker = is(1, "colleague coworker boss manager teammate friend cofounder lead");
        let speaker = is(1, "im") || is(1, "am") && is(2, "i") || is(1, "is") && is(2, "name");
        let whole = run_of(words, at);
        let after = words.get(at + whole.len());
        let two = whole.len() == 2 && whole.iter().all(is_proper);
        let acts = after.is_some_and(|word| word.is(LOOKS_AFTER));
        let looks_after = at == 0 && acts && words.get(at + whole.len() + 1).is_some();
        let is_somebody = at == 0
            && two
            && after.is_some_and(|word| word.is("is was leads owns works joined"))
            && !whole.iter().any(is_coined);
        let by_role = is_role(words, at + whole.len());
        if to_speaker
            || speaker
            || looks_after && by_role.is_none() && !whole.iter().any(is_coined)
            || is_somebody
            || at == 0 && by_role == Some(true) && !whole.iter().any(is_coined)
        {
            found.push(thing(&joined(whole), EntityKind::Person));
        }
    }
    found
}

/// Whether what follows says that somebody has a role ("is the tech lead"), or that something is of a sort.
fn is_role(words: &[Word<'_>], at: usize) -> Option<bool> {
    let roles = "lead engineer developer manager owner maintainer reviewer designer architect colleague boss intern \
        admin founder cto ceo";
    words.get(at).filter(|word| word.is("is was"))?;
    words.get(at + 1).filter(|word| word.is("the a an our my"))?;
    let said = words.get(at + 2..(at + 6).min(words.len())).unwrap_or_default();
    Some(said.iter().any(|word| word.is(roles)))
}

/// Whether a name was coined for a thing: a capital inside, digits, all capitals.
fn is_coined(word: &Word<'_>) -> bool {
    word.text.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit())
}

/// The words with a capital that follow each other from a place on.
fn run_of<'a, 'b>(words: &'a [Word<'b>], at: usize) -> &'a [Word<'b>] {
    let mut end = at + 1;
    while end < words.len()
        && end - at < NAME_WORDS_MAX
        && !words[end - 1].pauses()
        && !words[end - 1].text.ends_with("'s")
        && is_proper(&words[end])
    {
        end += 1;
    }
    &words[at..end]
}

fn joined(words: &[Word<'_>]) -> String {
    words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
}

/// What a sentence begins with, where the next word says that it does something.
fn opening(words: &[Word<'_>]) -> Option<Named> {
    let first =
        words.first().filter(|word| is_proper(word) || is_coined(word) && word.is_said())?;
    if first.is(NO_NAMES) {
        return None;
    }
    let whole = if is_proper(first) { run_of(words, 0) } else { &words[..1] };
    let next = words.get(whole.len())?;
    // "Build is slow" names nothing by its form.
    let telling = whole.len() > 1 || is_coined(first) || !next.is(IS);
    (next.is(DOES) && telling && !is_path(first.text))
        .then(|| thing(&joined(whole), EntityKind::Concept))
}

/// Things by their sort: "the billing service".
fn sorts(words: &[Word<'_>]) -> Vec<Named> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| word.is(SORTS)) {
        let plain = |word: &&Word<'_>| {
            word.is_said()
                && word.text.chars().all(|c| c.is_alphabetic() || c == '-')
                && !word.pauses()
                && !word.is(BEFORE)
                && !word.is(NO_NAMES)
                && !word.is(SORTS)
        };
        let Some(before) = at.checked_sub(1).map(|at| &words[at]).filter(plain) else { continue };
        let said = at.checked_sub(2).is_none_or(|at| words[at].is(BEFORE) || words[at].pauses());
        if said {
            found.push(thing(&format!("{} {}", before.text, word.text), EntityKind::Concept));
        }
    }
    found
}

/// Names of several words inside a sentence: "GitHub Actions".
fn capitals(words: &[Word<'_>]) -> Vec<Named> {
    let mut found = Vec::new();
    let mut at = 1;
    while at < words.len() {
        let large = |word: &Word<'_>| {
            word.is_said() && word.text.starts_with(char::is_uppercase) && word.text.len() > 1
        };
        let mut end = at;
        while end < words.len()
            && end - at < NAME_WORDS_MAX
            && large(&words[end])
            && is_named_inside(&words[end])
            && !words[end].is(NO_NAMES)
            && (end == at || !words[end - 1].pauses())
        {
            end += 1;
        }
        if end - at >= 2 && !words[at - 1].text.ends_with('.') {
            found.push(thing(&joined(&words[at..end]), EntityKind::Concept));
        }
        at = end.max(at + 1);
    }
    found
}

/// Words of a claim that may name something known, as they are written, each once.
pub fn words_in(text: &str) -> Vec<String> {
    let text = &text[..text.floor_char_boundary(LOOK_BYTES_MAX)];
    let mut found: Vec<String> = Vec::new();
    for word in words(text) {
        let plain = word.text.trim_end_matches("'s").to_owned();
        let telling = plain.chars().count() > 2 && !word.is(NO_NAMES) && !word.is(BEFORE);
        if telling && found.len() < WORDS_MAX && !found.contains(&plain) {
            found.push(plain);
        }
    }
    found
}

/// The thing that the value of a slot names, if it names one: `DuckDB`, and neither "18" nor "twice a day".
pub fn value_named(value: &str) -> Option<Named> {
    let words = words(value);
    let short = (1..=NAME_WORDS_MAX).contains(&words.len());
    let first = words.first()?;
    let lettered = words.iter().any(|word| word.text.chars().any(char::is_alphabetic));
    let telling = first.code
        || is_path(first.text)
        || first.text.starts_with(char::is_uppercase) && !first.is(NO_NAMES);
    let kind = if is_path(first.text) { EntityKind::File } else { EntityKind::Concept };
    // "Postgres 16" speaks of Postgres.
    let name: Vec<&str> = words
        .iter()
        .map(|word| word.text)
        .take_while(|text| !text.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    (short && lettered && telling && !name.is_empty()).then(|| thing(&name.join(" "), kind))
}

/// Whether a claim speaks of the project at hand without naming it, or by its name.
pub fn speaks_of_project(text: &str, name: &str) -> bool {
    let words = words(&text[..text.floor_char_boundary(LOOK_BYTES_MAX)]);
    let name = name.to_lowercase();
    let points = |pair: &[Word<'_>]| {
        pair[0].is("this our my the") && pair[1].is("project repo repository codebase")
    };
    words.windows(2).any(points)
        || !name.is_empty() && words.iter().any(|word| word.text.to_lowercase() == name)
}

/// The programming language of a file, by its ending.
pub fn language_of(path: &str) -> Option<&'static str> {
    let (_, ending) = path.rsplit_once('.')?;
    Some(match ending.split([':', '#']).next().unwrap_or_default() {
        "rs" => "rust",
        "py" | "pyi" => "python",
        "ts" | "tsx" => "typescript",
        "js" | "jsx" | "mjs" | "cjs" => "javascript",
        "go" => "go",
        "java" => "java",
        "kt" | "kts" => "kotlin",
        "rb" => "ruby",
        "c" | "h" => "c",
        "cc" | "cpp" | "cxx" | "hpp" => "c++",
        "cs" => "c#",
        "swift" => "swift",
        "php" => "php",
        "sql" => "sql",
        "sh" | "bash" | "zsh" => "shell",
        "css" | "scss" => "css",
        "html" => "html",
        "tf" => "terraform",
        _ => return None,
    })
}

/// The area that a claim belongs to, where its form tells: what it speaks of, and whether it is about code.
pub fn domain_of(text: &str, things: &[EntityKind]) -> Option<&'static str> {
    let words = words(&text[..text.floor_char_boundary(LOOK_BYTES_MAX)]);
    let of_code = |word: &Word<'_>| word.code || is_path(word.text);
    if things.contains(&EntityKind::Person) {
        return Some("relationship");
    }
    let technical = things.iter().any(|kind| matches!(kind, EntityKind::File | EntityKind::Tool));
    if technical || words.iter().any(of_code) {
        return Some("technical");
    }
    things.contains(&EntityKind::Project).then_some("project")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        things_in(text).into_iter().map(|one| format!("{}:{}", one.kind, one.name)).collect()
    }

    #[test]
    fn a_claim_speaks_of_people_services_tools_and_files() {
        for (text, expected) in [
            ("JACQ uses DuckDB", vec!["concept:JACQ", "tool:DuckDB"]),
            ("Postgres stores the invoices", vec!["concept:Postgres"]),
            (
                "My colleague Dana owns the billing service",
                vec!["person:Dana", "concept:billing service"],
            ),
            ("I'm Tobias, a backend engineer", vec!["person:Tobias"]),
            ("Alice Miller is the tech lead", vec!["person:Alice Miller"]),
            ("Dana owns the billing service", vec!["person:Dana", "concept:billing service"]),
            ("We deploy with GitHub Actions", vec!["concept:GitHub Actions"]),
            ("the limit is set in src/http.rs", vec!["file:src/http.rs"]),
            ("React.js is at 18", vec!["concept:React.js"]),
            ("Staging runs Postgres", vec!["concept:Staging", "concept:Postgres"]),
            ("Build is slow", vec![]),
            ("Never deploy on a Friday", vec![]),
            ("The limit is 5", vec![]),
        ] {
            assert_eq!(names(text), expected, "{text}");
        }
    }

    #[test]
    fn a_value_that_names_something_is_a_thing() {
        let name = |value| value_named(value).map(|one| one.name);
        assert_eq!(name("DuckDB").as_deref(), Some("DuckDB"));
        assert_eq!(name("Postgres 16").as_deref(), Some("Postgres"));
        for value in ["18", "twice a day", "true", "v1.2", "5 MB"] {
            assert_eq!(name(value), None, "{value}");
        }
    }

    #[test]
    fn the_project_is_spoken_of_by_name_or_by_pointing_at_it() {
        assert!(speaks_of_project("this project is written in Rust", "webshop"));
        assert!(speaks_of_project("webshop is written in Rust", "webshop"));
        assert!(!speaks_of_project("the shop is written in Rust", "webshop"));
    }
}
