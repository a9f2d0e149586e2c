//! Forms: tickets, letters, scenarios and acceptance criteria, which people paste into a prompt.
//!
//! Each is known by its layout and by the closed set of words that such forms begin their lines with.

use std::ops::Range;

/// What a ticket begins its lines with. Two of them make a ticket.
const FIELDS: &[&str] = &[
    "title",
    "summary",
    "description",
    "reporter",
    "reported by",
    "assignee",
    "priority",
    "severity",
    "status",
    "component",
    "labels",
    "epic",
    "story points",
    "steps to reproduce",
    "expected",
    "expected result",
    "expected behavior",
    "expected behaviour",
    "actual",
    "actual result",
    "actual behavior",
    "actual behaviour",
];
/// What announces a list that is nobody's own word. One of them is enough.
const HEADS: &[&str] =
    &["acceptance criteria", "steps to reproduce", "definition of done", "user story"];
/// How a letter begins.
const GREETINGS: &[&str] = &["hi", "hello", "hey", "dear", "team", "all", "everyone", "folks"];
/// Words of a line that greets, takes leave or signs.
const SHORT_WORDS: usize = 4;

/// The stretches of a turn that are such forms.
pub(super) fn pasted(text: &str, lines: &[Range<usize>]) -> Vec<Range<usize>> {
    let line = |at: usize| text[lines[at].clone()].trim();
    let mut found = Vec::new();
    found.extend(ticket(text.len(), lines, &line));
    found.extend(letter(lines, &line));
    found.extend(scenario(lines, &line));
    found
}

/// From the first field of a ticket, or the head of a list of criteria, to the end.
fn ticket<'a>(
    end: usize,
    lines: &[Range<usize>],
    line: &impl Fn(usize) -> &'a str,
) -> Option<Range<usize>> {
    let label = |at: usize| {
        let bare = line(at).trim_start_matches(['#', '*', '-', ' ', '_']);
        let (name, value) = bare.split_once(':')?;
        Some((
            name.trim_end_matches(['*', '_', ' ']).to_lowercase(),
            value.trim_matches(['*', ' ']),
        ))
    };
    let named =
        |list: &[&str], at: &usize| label(*at).is_some_and(|(name, _)| list.contains(&&*name));
    let head = (0..lines.len())
        .find(|at| named(HEADS, at) && label(*at).is_some_and(|(_, value)| value.is_empty()));
    let mut fields = (0..lines.len()).filter(|at| named(FIELDS, at));
    let field = fields.next().filter(|_| fields.next().is_some());
    let first = head.into_iter().chain(field).min()?;
    Some(lines[first].start..end)
}

/// A letter: a line that only greets, and further down one that only takes leave, with a name below it.
fn letter<'a>(lines: &[Range<usize>], line: &impl Fn(usize) -> &'a str) -> Option<Range<usize>> {
    let short = |at: usize| {
        let words = line(at).split_whitespace().count();
        (1..=SHORT_WORDS).contains(&words)
    };
    let greets = |at: &usize| {
        let first = line(*at).split_whitespace().next().unwrap_or_default();
        let first = first.trim_matches(',').to_lowercase();
        short(*at) && line(*at).ends_with([',', '!']) && GREETINGS.contains(&&*first)
    };
    let greeting = (0..lines.len()).find(greets)?;
    let written = |at: &usize| !line(*at).is_empty();
    let signs = |at: &usize| {
        let next = (at + 1..lines.len()).find(written);
        let is_name = |next: usize| {
            let mut words = line(next).split_whitespace();
            short(next) && words.all(|word| word.starts_with(char::is_uppercase))
        };
        short(*at) && line(*at).ends_with(',') && next.is_some_and(is_name)
    };
    let leave = (greeting + 1..lines.len()).find(signs)?;
    let name = (leave + 1..lines.len()).find(written)?;
    Some(lines[greeting].start..lines[name].end)
}

/// "Given …", "When …", "Then …" on lines of their own, and "As a …, I want …".
fn scenario<'a>(lines: &[Range<usize>], line: &impl Fn(usize) -> &'a str) -> Option<Range<usize>> {
    let starts = |at: usize, word: &str| {
        let bare = line(at).trim_start_matches(['-', '*', ' ']);
        bare.get(..word.len()).is_some_and(|first| first.eq_ignore_ascii_case(word))
            && bare[word.len()..].starts_with(' ')
    };
    let find = |from: usize, word: &str| (from..lines.len()).find(|at| starts(*at, word));
    let steps = find(0, "Given").and_then(|given| {
        let when = find(given + 1, "When")?;
        let then = find(when + 1, "Then")?;
        let more =
            (then + 1..lines.len()).take_while(|at| starts(*at, "And") || starts(*at, "But"));
        Some(lines[given].start..lines[more.last().unwrap_or(then)].end)
    });
    let story = || {
        let wants = |at: &usize| starts(*at, "As a") || starts(*at, "As an");
        let at = (0..lines.len()).filter(wants).find(|at| line(*at).contains(" I want "))?;
        Some(lines[at].clone())
    };
    steps.or_else(story)
}
