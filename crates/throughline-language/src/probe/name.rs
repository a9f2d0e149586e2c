//! Things that sentences name: code, paths, tools, people.

use super::ProbedSentence;
use crate::speech::cue::{Cues, at_any, cues, find_any};
use crate::speech::word::Word;
use throughline_core::patch::{Named, Operation, Relate};
use throughline_core::{EntityKind, Relation};

const NAMES_MAX: usize = 12;

/// Whether a word is a name by the way it is written: code, a path, `camelCase`, an acronym.
pub(crate) fn is_named(word: &Word<'_>) -> bool {
    let text = word.text;
    let inner_large =
        text.chars().skip(1).any(char::is_uppercase) && text.chars().any(char::is_lowercase);
    let digits =
        text.bytes().any(|b| b.is_ascii_digit()) && text.bytes().any(|b| b.is_ascii_alphabetic());
    word.code
        || is_path(text)
        || text.contains(['_', '@']) && text.len() > 2
        || inner_large
        || is_acronym(text)
        || digits && text.len() > 2
}

/// Whether a word that does not open its sentence is a name: also by its large letter.
pub(crate) fn is_named_inside(word: &Word<'_>) -> bool {
    let large = word.text.starts_with(char::is_uppercase) && word.text.len() > 1;
    is_named(word) || large && !word.lower.starts_with("im") && !word.is("i ill id ive")
}

/// Whether any of these words is a name.
pub(super) fn any_named(words: &[Word<'_>]) -> bool {
    words.iter().any(is_named_inside)
}

fn is_acronym(text: &str) -> bool {
    (2..=6).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_uppercase())
        && !matches!(
            text,
            "NO" | "NOT"
                | "OK"
                | "YES"
                | "DO"
                | "ALL"
                | "AND"
                | "ANY"
                | "NEVER"
                | "ALWAYS"
                | "THE"
                | "IS"
                | "MUST"
                | "USE"
                | "WE"
                | "TODO"
                | "NOTE"
        )
}

/// Whether a word is a path or a file name.
pub(crate) fn is_path(text: &str) -> bool {
    let text = text.trim_start_matches('@');
    let slashed = text.contains('/')
        && text.len() > 2
        && !text.contains("//")
        && !matches!(
            text,
            "and/or"
                | "he/she"
                | "his/her"
                | "w/o"
                | "y/n"
                | "n/a"
                | "on/off"
                | "yes/no"
                | "read/write"
                | "I/O"
                | "CI/CD"
        );
    let rooted = text.starts_with(['/', '~', '.']) && text.len() > 2 && text.contains('/');
    let extension = text.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && (1..=5).contains(&end.len())
            && end.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            && end.starts_with(|c: char| c.is_ascii_lowercase())
            && !matches!(end, "com" | "org" | "io" | "net" | "g" | "e")
    });
    rooted
        || slashed && (extension || text.matches('/').count() > 1 || text.ends_with('/'))
        || extension && !text.contains("://")
}

/// The things that words name.
pub(crate) fn named(words: &[Word<'_>]) -> Vec<Named> {
    let mut named: Vec<Named> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(kind) = kind(words, at) else {
            continue;
        };
        let name = word.text.trim_end_matches("()").trim_end_matches("'s").to_owned();
        let fits = name.len() <= 120 && name.chars().any(char::is_alphabetic);
        if fits && named.len() < NAMES_MAX && named.iter().all(|one| one.name != name) {
            named.push(Named { name, kind, aliases: Vec::new() });
        }
    }
    named
}

fn kind(words: &[Word<'_>], at: usize) -> Option<EntityKind> {
    let word = &words[at];
    let before =
        |cues: &Cues| (1..=2).any(|back| at >= back && at_any(words, at - back, cues) == Some(at));
    if word.text.contains("://") || is_day_or_month(word) {
        return None;
    }
    if word.text.contains(char::is_whitespace) {
        return Some(EntityKind::Tool);
    }
    if is_path(word.text) {
        return Some(EntityKind::File);
    }
    if before(cues!("colleague|coworker|boss|manager|teammate|friend"))
        && word.text.starts_with(char::is_uppercase)
    {
        return Some(EntityKind::Person);
    }
    let lower_name = word.is_said()
        && word.text.len() > 1
        && word.text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    if before(cues!("use|uses|using")) && (is_named_inside(word)) && !word.text.starts_with('-') {
        return Some(EntityKind::Tool);
    }
    let closes = word.mark != ' '
        || words
            .get(at + 1)
            .is_none_or(|next| next.is("for not instead over in to and rather with as on"));
    if at > 0 && words[at - 1].is("use") && lower_name && closes && !word.is(NO_TOOLS) {
        return Some(EntityKind::Tool);
    }
    let kebab = lower_name && word.text.matches('-').count() >= 2;
    (is_named(word)
        || kebab
        || at > 0 && word.is_said() && is_named_inside(word) && !words[at - 1].pauses())
    .then_some(EntityKind::Concept)
}

/// "Monday", "Mondays", "March": when something is, and no thing.
fn is_day_or_month(word: &Word<'_>) -> bool {
    let one = word.lower.strip_suffix('s').unwrap_or(&word.lower);
    word.is(DATES) || DATES.split_whitespace().any(|date| date == one)
}

const DATES: &str = "monday tuesday wednesday thursday friday saturday sunday january february march april may \
    june july august september october november december";

const NO_TOOLS: &str = "the a an it this that these those them our my your their one some any all only more \
    less short small plain real strict full proper table-driven existing same for to in \
    no each two";

/// Things with further names, and people: "X, also called Y".
pub(super) fn known(it: &ProbedSentence<'_>) -> Vec<Operation> {
    static CALLED: Cues = Cues::of(
        "also called|named, also known as, aka, a.k.a, or|abbreviated as for short, \
    abbreviated|shortened as|to, short for",
    );
    let mut known = Vec::new();
    let words = &it.words;
    let entity = |name: &Word<'_>, kind, aliases: Vec<String>| Operation::Know {
        entity: Named { name: name.text.to_owned(), kind, aliases },
    };
    for at in 1..words.len() {
        if let Some(end) = at_any(words, at, &CALLED)
            && let (name, Some(other)) = (&words[at - 1], words.get(end))
            && (is_named_inside(name) || name.text.contains('-'))
            && (is_named_inside(other) || other.quoted || other.text.contains('-'))
        {
            let sort = if is_path(name.text) { EntityKind::File } else { EntityKind::Concept };
            known.push(entity(name, sort, vec![other.text.to_owned()]));
        }
    }
    if let Some(place) =
        find_any(words, cues!("my colleague|coworker|boss|manager|teammate|cofounder"))
        && let Some(name) = words.get(place.end)
        && name.is_said()
        && name.text.starts_with(char::is_uppercase)
        && name.text.len() > 1
    {
        known.push(entity(name, EntityKind::Person, Vec::new()));
    }
    known
}

/// What a sentence says of two things that it names.
pub(super) fn related(it: &ProbedSentence<'_>) -> Option<Operation> {
    static SAYS: [(Cues, Relation); 6] = [
        (Cues::of("depends on"), Relation::DependsOn),
        (Cues::of("blocks"), Relation::Blocks),
        (Cues::of("is blocking"), Relation::Blocks),
        (Cues::of("replaces"), Relation::Supersedes),
        (Cues::of("supersedes"), Relation::Supersedes),
        (Cues::of("extends"), Relation::Extends),
    ];
    SAYS.iter().find_map(|(cue, relation)| {
        let place = find_any(&it.words, cue)?;
        let from = it.words[..place.start]
            .last()
            .filter(|word| is_named(word) || place.start == 1 && is_named_inside(word))?;
        let to = it.words.get(place.end).filter(|word| is_named_inside(word))?;
        Some(Operation::Relate(Relate {
            from: from.text.to_owned(),
            relation: *relation,
            to: to.text.to_owned(),
            quote: Some(it.text.to_owned()),
        }))
    })
}
