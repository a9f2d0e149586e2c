//! Episode or note: a dated happening kept as it was, or a standing belief that may be revised.

use std::ops::Range;

use crate::Kind;

closed_set! {
    /// The form of a memory. Derived, never stored.
    pub enum Form ("form") {
        /// Something at a time: kept as it was.
        Episode = "episode",
        /// A standing belief: may be revised.
        Note = "note",
    }
}

const LATELY: &[&str] = &[
    "today",
    "yesterday",
    "tonight",
    "this morning",
    "this afternoon",
    "this evening",
    "just now",
    "last night",
    "last week",
    "last month",
    "an hour ago",
    "minutes ago",
    "hours ago",
    "days ago",
];
const WEEKDAYS: &[&str] = &[
    "on monday",
    "on tuesday",
    "on wednesday",
    "on thursday",
    "on friday",
    "on saturday",
    "on sunday",
];
const SETTLED: &[&str] = &["decided", "agreed", "chose", "settled"];
const NOTE_TAGS: &[&str] = &["preference", "decision", "principle", "rule", "standing", "note"];
const EPISODE_TAGS: &[&str] = &["event", "moment", "incident", "log", "meeting", "episode"];
const PAST_ACTIONS: &[&str] = &[
    "fixed",
    "deployed",
    "shipped",
    "merged",
    "ran",
    "broke",
    "failed",
    "met",
    "called",
    "moved",
    "renamed",
    "deleted",
    "released",
    "reverted",
    "migrated",
    "discussed",
    "finished",
    "started",
    "crashed",
    "installed",
    "upgraded",
    "visited",
];
const STANDING: &[&str] =
    &["prefers", "prefer", "always", "never", "must", "should", "likes", "wants", "usually", "is"];

/// Decides the form by the first rule that speaks: a time in the text, the kind, the tags, a past
/// action, a standing word; else an episode.
pub fn form(kind: Kind, content: &str, tags: &[String]) -> Form {
    let text = crate::text::normalise(content);
    let words: Vec<&str> = text.split(' ').collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let tagged = |list: &[&str]| tags.iter().any(|tag| list.contains(&tag.as_str()));

    if is_dated(&words) {
        return Form::Episode;
    }
    match kind {
        Kind::Preference | Kind::Decision | Kind::Commitment | Kind::Principle => {
            return Form::Note;
        }
        Kind::Event => return Form::Episode,
        Kind::Fact
        | Kind::Procedure
        | Kind::Negative
        | Kind::Correction
        | Kind::Lesson
        | Kind::Gap => {}
    }
    if tagged(NOTE_TAGS) {
        Form::Note
    } else if tagged(EPISODE_TAGS) || has(PAST_ACTIONS) {
        Form::Episode
    } else if has(STANDING) {
        Form::Note
    } else {
        Form::Episode
    }
}

/// What stands of a text that tells when it was settled: "today I decided …" is an event and a decision,
/// and both are kept. The decision is told without the day: it holds on other days as well.
pub fn also_stands(kind: Kind, content: &str) -> Option<String> {
    let stands =
        matches!(kind, Kind::Preference | Kind::Decision | Kind::Commitment | Kind::Principle);
    let marker = lately_in(content).filter(|_| stands)?;
    let blank = |c: char| c.is_whitespace() || c == ',';
    let before = content[..marker.start].trim_end_matches(blank);
    let after = content[marker.end..].trim_start_matches(blank);
    let close = before.is_empty() || after.starts_with(|c: char| c.is_ascii_punctuation());
    let said = format!("{before}{}{after}", if close { "" } else { " " });
    let mut letters = said.trim().chars();
    let first = letters.next()?;
    Some(first.to_uppercase().chain(letters).collect())
}

/// Where a text says when something was settled, right before it says so: "this morning" in "this morning
/// we agreed on tabs". What was settled holds longer than that morning.
pub fn settled_lately(text: &str) -> Option<Range<usize>> {
    let marker = lately_in(text)?;
    let rest = text[marker.end..].to_lowercase().replace(['’', '\''], " ");
    let mut words = rest.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty());
    let we = words.next().is_some_and(|word| matches!(word, "i" | "we"));
    let verb = words.find(|word| !matches!(*word, "have" | "ve" | "finally" | "also"));
    (we && verb.is_some_and(|verb| SETTLED.contains(&verb))).then_some(marker)
}

/// The first words of a text that say that something was a short while ago.
fn lately_in(text: &str) -> Option<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '\'' && c != '’');
    let found = LATELY.iter().filter_map(|marker| {
        let at = lower.find(marker)?;
        let end = at + marker.len();
        (apart(lower[..at].chars().next_back()) && apart(lower[end..].chars().next()))
            .then_some(at..end)
    });
    found.min_by_key(|range| range.start)
}

/// Whether a memory tells of something that happened: it stays as it was, whatever is said later. Only a
/// person who names it puts it right.
pub fn is_event(kind: Kind, content: &str) -> bool {
    let text = crate::text::normalise(content);
    let done = || text.split(' ').any(|word| PAST_ACTIONS.contains(&word));
    kind == Kind::Event || is_lately(&text) && done()
}

/// Whether a text tells of something that was done, or when: it can be done again with another value.
pub fn tells_what_was_done(content: &str) -> bool {
    let text = crate::text::normalise(content);
    is_lately(&text) || text.split(' ').any(|word| PAST_ACTIONS.contains(&word))
}

/// Whether a text gives the date of what it tells.
pub fn gives_date(content: &str) -> bool {
    content.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',')).any(is_date)
}

/// Whether a text says that something was a short while ago.
fn is_lately(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    says_any(&words, LATELY)
}

fn is_dated(words: &[&str]) -> bool {
    says_any(words, LATELY) || says_any(words, WEEKDAYS) || words.iter().any(|word| is_date(word))
}

/// Whether one of some phrases stands among words. Every memory that is shown is asked.
fn says_any(words: &[&str], phrases: &[&str]) -> bool {
    let begins = |at: usize, phrase: &str| match phrase.strip_prefix(words[at]) {
        Some("") => true,
        Some(rest) => rest.strip_prefix(' ').is_some_and(|rest| {
            let length = rest.split(' ').count();
            let next = words.get(at + 1..at + 1 + length);
            next.is_some_and(|next| next.iter().copied().eq(rest.split(' ')))
        }),
        None => false,
    };
    (0..words.len()).any(|at| phrases.iter().any(|phrase| begins(at, phrase)))
}

/// `2026-11-15`, with or without a time behind it.
pub(crate) fn is_date(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_speaks_decides_the_form() {
        let note = |tag: &str| vec![tag.to_owned()];
        for (kind, content, tags, expected) in [
            (Kind::Decision, "today we chose Redis", vec![], Form::Episode),
            (Kind::Fact, "on 2026-11-15 the disk was full", vec![], Form::Episode),
            (Kind::Decision, "we chose Redis", vec![], Form::Note),
            (Kind::Event, "the user prefers tabs", vec![], Form::Episode),
            (Kind::Fact, "deployed the api", note("rule"), Form::Note),
            (Kind::Fact, "the api always answers", note("incident"), Form::Episode),
            (Kind::Fact, "we migrated to Postgres", vec![], Form::Episode),
            (Kind::Fact, "builds must be green", vec![], Form::Note),
            (Kind::Fact, "blue, mostly", vec![], Form::Episode),
        ] {
            assert_eq!(form(kind, content, &tags), expected, "{kind}: {content}");
        }
    }

    #[test]
    fn a_dated_decision_is_an_event_and_a_decision() {
        for (said, stands) in [
            ("Today I decided to use Redis", "I decided to use Redis"),
            ("Yesterday, we agreed on tabs.", "We agreed on tabs."),
            ("We decided today to use Redis", "We decided to use Redis"),
            ("We chose Redis this morning.", "We chose Redis."),
        ] {
            assert_eq!(also_stands(Kind::Decision, said).as_deref(), Some(stands));
            assert_eq!(also_stands(Kind::Decision, stands), None, "{stands}");
        }
        assert_eq!(also_stands(Kind::Event, "today the disk was full"), None);
        assert_eq!(also_stands(Kind::Preference, "the header shows today's date"), None);
        assert_eq!(also_stands(Kind::Principle, "never deploy on Friday"), None);
    }

    #[test]
    fn when_something_was_settled_is_found_right_before_that() {
        let found = |text| settled_lately(text).map(|range| &text[range]);
        assert_eq!(found("Today I decided to use Redis"), Some("Today"));
        assert_eq!(found("This morning, we've agreed on tabs"), Some("This morning"));
        assert_eq!(found("Today I fixed the build"), None);
        assert_eq!(found("We decided today to use Redis"), None, "it reads well as it is");
    }

    #[test]
    fn what_happened_is_an_event_and_what_is_so_today_is_not() {
        assert!(is_event(Kind::Event, "the disk was full"));
        assert!(is_event(Kind::Fact, "Yesterday we deployed version 3"));
        assert!(!is_event(Kind::Fact, "As of today the limit is 5"));
        assert!(!is_event(Kind::Fact, "We migrated to Postgres"));
    }
}
