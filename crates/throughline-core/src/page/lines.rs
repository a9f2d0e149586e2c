//! The lines of a page. Every one is paid for on every prompt, so every word earns its place.

use std::collections::BTreeMap;

use super::{Detail, DomainCount, PageItem, Quote, safe};
use crate::Authority;
use crate::policy::PagePolicy;
use crate::trust::Presentation;

/// What stands above the quotes.
pub(super) const QUOTES: &str = "Said, not verified:\n";

/// The longest title, date, speaker or domain, in characters.
const NAME_CHARS: usize = 40;

/// A title, or nothing where there is none.
pub(super) fn title(title: &str) -> String {
    let title = safe::line(title, NAME_CHARS);
    if title.is_empty() { title } else { format!("# {title}\n") }
}

/// One memory: what it is called, what to think of it, what it says, what to know besides.
pub(super) fn item(
    item: &PageItem,
    detail: Detail,
    later: Option<&Quote>,
    policy: &PagePolicy,
) -> String {
    let says = match detail {
        Detail::Full => safe::block(&item.content, policy.full_tokens_max),
        Detail::Line => headline(item, policy.line_chars_max),
    };
    let reopen = item.reopen.as_ref().map(|why| format!("open again: {why}"));
    let later = later.map(|later| {
        let words = safe::line(&later.text, policy.line_chars_max).replace(['“', '”'], "\"");
        format!("later said, {}: “{words}”", safe::line(&later.on, NAME_CHARS))
    });
    let notes: Vec<String> = [&item.standing, &item.via, &reopen, &item.history]
        .into_iter()
        .flatten()
        .map(|note| safe::line(note, policy.note_chars_max))
        .chain(later)
        .filter(|note| !note.is_empty())
        .collect();
    let notes = match notes.as_slice() {
        [] => String::new(),
        // Behind a margin they would read as part of the content.
        notes if says.contains('\n') => format!("\n  ({})", notes.join("; ")),
        notes => format!(" ({})", notes.join("; ")),
    };
    let note = |note: &str| safe::line(note, policy.note_chars_max);
    match &item.moved {
        Some((then, now)) if item.presentation == Presentation::VerifyFirst => {
            let says = if detail == Detail::Full {
                safe::line(&item.content, policy.line_chars_max)
            } else {
                says
            };
            format!(
                "- [{}] {} “{}” as of {}; it is now {} — check before building on it{notes}\n",
                safe::handle(&item.handle),
                told_by(item.authority, &safe::line(&item.on, NAME_CHARS)),
                says.replace(['“', '”'], "\""),
                note(then),
                note(now),
            )
        }
        Some((then, now)) => {
            format!(
                "{} {says} (as of {}; it is now {}){notes}\n",
                head(item),
                note(then),
                note(now)
            )
        }
        None => format!("{} {says}{notes}\n", head(item)),
    }
}

/// `- [a1b2c3d4] decision 2026-05-01, user said:`
fn head(item: &PageItem) -> String {
    let (as_of, label) = match item.presentation {
        Presentation::Assert => ("", ""),
        Presentation::AsOf => ("as of ", ", unverified"),
        Presentation::VerifyFirst => ("", ", check before building on it"),
        Presentation::Hint => ("", ", doubtful"),
    };
    let contested = match &item.against {
        Some(other) => {
            let by = item.against_by.as_ref().map(|by| safe::line(by, NAME_CHARS));
            let by = by.filter(|by| !by.is_empty()).map(|by| format!("{by} ")).unwrap_or_default();
            format!(", contested by {by}[{}]", safe::handle(other))
        }
        None => String::new(),
    };
    format!(
        "- [{}] {} {as_of}{}, {}{label}{contested}:",
        safe::handle(&item.handle),
        item.kind,
        safe::line(&item.on, NAME_CHARS),
        source(item),
    )
}

/// Whose word it is that has to be checked.
pub(super) fn told_by(authority: Authority, on: &str) -> String {
    match authority {
        Authority::UserCorrected
        | Authority::UserStated
        | Authority::Measured
        | Authority::File => "I have".to_owned(),
        Authority::Observed | Authority::Inferred => format!("the agent said, {on}:"),
        Authority::Extracted => format!("a model read, {on}:"),
        Authority::External => format!("from outside, {on}:"),
    }
}

fn source(item: &PageItem) -> String {
    let by = item.said_by.as_ref().map(|by| safe::line(by, NAME_CHARS));
    let by = by.filter(|by| !by.is_empty()).unwrap_or_else(|| "user".to_owned());
    match item.authority {
        Authority::UserCorrected => format!("{by} corrected"),
        Authority::UserStated => format!("{by} said"),
        Authority::Measured
        | Authority::File
        | Authority::Observed
        | Authority::Extracted
        | Authority::Inferred
        | Authority::External => item.authority.as_str().to_owned(),
    }
}

/// All of the content if it is short, else the label and as much as there is room for.
fn headline(item: &PageItem, chars_max: usize) -> String {
    let content = safe::line(&item.content, chars_max);
    let label = item.headline_hint.as_deref().map(|label| safe::line(label, chars_max));
    match label {
        Some(label)
            if content.ends_with('…') && !label.is_empty() && !content.starts_with(&label) =>
        {
            safe::line(&format!("{label}: {content}"), chars_max)
        }
        Some(label) if content.is_empty() => label,
        Some(_) | None => content,
    }
}

/// `“We go with pnpm” — user, 2026-05-01 [a1b2c3d4]`
pub(super) fn quote(quote: &Quote, policy: &PagePolicy) -> String {
    // Only our own marks end a quote.
    let words = safe::sentence(&quote.text, policy.quote_tokens_max).replace(['“', '”'], "\"");
    format!(
        "“{words}” — {}, {} [{}]\n",
        safe::line(&quote.speaker, NAME_CHARS),
        safe::line(&quote.on, NAME_CHARS),
        safe::handle(&quote.handle)
    )
}

/// What the session is about.
pub(super) fn about(names: &str, policy: &PagePolicy) -> Option<String> {
    let names = safe::line(names, policy.line_chars_max);
    (!names.is_empty()).then(|| format!("Lately about: {names}\n"))
}

/// What else could be asked for.
pub(super) fn hint(hint: &str, policy: &PagePolicy) -> Option<String> {
    let hint = safe::line(hint, policy.line_chars_max);
    (!hint.is_empty()).then(|| format!("Related: {hint}\n"))
}

/// `1 archived match; see …`
pub(super) fn archived(matches: usize) -> Option<String> {
    let noun = if matches == 1 { "match" } else { "matches" };
    (matches > 0).then(|| format!("{matches} archived {noun}; see `throughline search --all`\n"))
}

/// How many memories are not shown, by domain.
pub(super) struct DomainTally {
    domains: BTreeMap<String, Unshown>,
}

#[derive(Default)]
struct Unshown {
    n: usize,
    /// Least and greatest relevance, where known.
    range: Option<(f64, f64)>,
}

impl DomainTally {
    pub(super) fn new(counts: &[DomainCount]) -> Self {
        let mut domains: BTreeMap<String, Unshown> = BTreeMap::new();
        for count in counts.iter().filter(|count| count.n > 0) {
            let unshown = domains.entry(safe::line(&count.domain, NAME_CHARS)).or_default();
            unshown.n = unshown.n.saturating_add(count.n);
            if count.min.is_finite() && count.max.is_finite() && count.min <= count.max {
                let (min, max) = unshown.range.unwrap_or((count.min, count.max));
                unshown.range = Some((min.min(count.min), max.max(count.max)));
            }
        }
        Self { domains }
    }

    pub(super) fn add(&mut self, item: &PageItem) {
        let unshown = self.domains.entry(domain(item)).or_default();
        unshown.n = unshown.n.saturating_add(1);
    }

    /// Takes back what [`Self::add`] did for the same item.
    pub(super) fn remove(&mut self, item: &PageItem) {
        if let Some(unshown) = self.domains.get_mut(&domain(item)) {
            unshown.n = unshown.n.saturating_sub(1);
        }
    }

    /// `12 more in technical (relevance .1-.3), 3 elsewhere; expand a [handle] or recall for more`
    ///
    /// The largest domains by name, the others together. `more` tells whether anything is shown.
    pub(super) fn line(&self, more: bool, policy: &PagePolicy) -> Option<String> {
        let mut named: Vec<(&String, &Unshown)> =
            self.domains.iter().filter(|(name, one)| one.n > 0 && !name.is_empty()).collect();
        named.sort_by_key(|(_, unshown)| std::cmp::Reverse(unshown.n));
        let small = named.split_off(named.len().min(policy.domains_max));
        let unnamed = self.domains.get("");
        let elsewhere = small
            .into_iter()
            .map(|(_, unshown)| unshown)
            .chain(unnamed)
            .fold(0_usize, |sum, unshown| sum.saturating_add(unshown.n));

        let mut parts: Vec<String> = Vec::new();
        let mut range_word = "relevance ";
        for (name, unshown) in named {
            let range = unshown
                .range
                .map(|range| format!(" ({}{})", std::mem::take(&mut range_word), span(range)));
            parts.push(format!("{} in {name}{}", unshown.n, range.unwrap_or_default()));
        }
        match (elsewhere, parts.is_empty()) {
            (0, _) => {}
            (n, true) if more => parts.push(n.to_string()),
            (n, true) => parts.push(format!("{n} found")),
            (n, false) => parts.push(format!("{n} elsewhere")),
        }
        let first = parts.first_mut()?;
        if more {
            let digits = first.find(' ').unwrap_or(first.len());
            first.insert_str(digits, " more");
        }
        let how = if more { "expand a [handle] or recall for more" } else { "recall for more" };
        Some(format!("{}; {how}\n", parts.join(", ")))
    }
}

fn domain(item: &PageItem) -> String {
    safe::line(item.domain.as_deref().unwrap_or_default(), NAME_CHARS)
}

/// `.1-.3`
fn span((min, max): (f64, f64)) -> String {
    let (min, max) = (tenths(min), tenths(max));
    if min == max { min } else { format!("{min}-{max}") }
}

fn tenths(share: f64) -> String {
    let written = format!("{:.1}", share.clamp(0.0, 1.0));
    match written.as_str() {
        "0.0" | "-0.0" => "0".to_owned(),
        "1.0" => "1".to_owned(),
        other => other.trim_start_matches('0').to_owned(),
    }
}
