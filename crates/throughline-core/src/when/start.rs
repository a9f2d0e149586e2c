//! Starts: a time that lies ahead, from which on a claim holds.
//!
//! A start that is named by itself is read ahead: whoever says "from January" in November means the next one.

use std::borrow::Cow;
use std::ops::Range;

use super::calendar::Anchor;
use super::grammar::{Grammar, Lead};
use super::{LOOK_BYTES_MAX, TimeMention, find, token};
use crate::Timestamp;

/// How long ago a start may lie that is named without its year, and be meant all the same.
const LATELY_DAYS: f64 = 92.0;

/// A time ahead from which on a claim holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatedStart {
    /// The first moment at which it holds.
    pub at: Timestamp,
    /// Whether the claim says outright that it begins then. Else the time may be what it tells: "the release is
    /// tomorrow".
    pub outright: bool,
}

/// From when on a claim holds, if that lies ahead of whoever speaks: "from January", "starting 2027-01-01",
/// "next month".
pub fn start(claim: &str, said: Timestamp) -> Option<StatedStart> {
    outright(claim, said).map(|at| StatedStart { at, outright: true }).or_else(|| {
        let mut ahead = find(claim, said).into_iter().filter_map(|it| begins(claim, &it));
        let at = ahead.find(|at| *at > said)?;
        Some(StatedStart { at, outright: false })
    })
}

/// A claim without the words that say from when on it holds: what it claims is the same then as now. The whole of it,
/// where little else would be left.
pub fn without_start(claim: &str) -> Cow<'_, str> {
    const LEFT_WORDS: usize = 3;
    let Some(range) = named(claim, Timestamp::EPOCH).map(|(_, range)| range) else {
        return Cow::Borrowed(claim);
    };
    let apart = |c: char| c.is_whitespace() || c == ',';
    let (before, behind) = (&claim[..range.start], &claim[range.end..]);
    let (before, behind) = (before.trim_end_matches(apart), behind.trim_start_matches(apart));
    let closes = behind.starts_with(|c: char| c.is_ascii_punctuation());
    let close = closes || before.is_empty() || behind.is_empty();
    let left = format!("{before}{}{behind}", if close { "" } else { " " });
    let enough = left.split_whitespace().count() >= LEFT_WORDS;
    if enough { Cow::Owned(left) } else { Cow::Borrowed(claim) }
}

/// The start that a claim names as one, if it lies ahead.
fn outright(claim: &str, said: Timestamp) -> Option<Timestamp> {
    named(claim, said).map(|(at, _)| at).filter(|at| *at > said)
}

/// The start that a claim names as one, and the bytes that name it.
fn named(claim: &str, said: Timestamp) -> Option<(Timestamp, Range<usize>)> {
    let text = &claim[..claim.floor_char_boundary(LOOK_BYTES_MAX)];
    let lower = text.to_ascii_lowercase();
    let tokens = token::tokens(text, &lower);
    let grammar = Grammar { tokens: &tokens, anchor: Anchor::new(said)? };
    (0..tokens.len()).find_map(|at| {
        let skip = match (grammar.word(at), grammar.word(at + 1)) {
            ("as", "of" | "from") => 2,
            ("starting" | "beginning" | "effective", "from" | "in" | "on" | "with") => 2,
            ("from" | "starting" | "beginning" | "effective", _) => 1,
            _ => return None,
        };
        let (next, end) = grammar.period(at + skip, Lead::By)?;
        // "From Thursday noon to Friday noon": the hour may stand between.
        let joins = |at: usize| matches!(grammar.word(at), "to" | "until" | "till" | "through");
        let is_range = joins(end) || joins(end + 1) || grammar.is_sign(end, &['-', '–']);
        let last = grammar.period(at + skip, Lead::Nothing).map(|(last, _)| last.from);
        let gone = last.filter(|last| *last < next.from).is_some_and(|last| {
            let ago = said.days_since(last);
            ago > 7.0 && ago <= LATELY_DAYS && ago < next.from.days_since(said)
        });
        let on = usize::from(matches!(grammar.word(end), "on" | "onward" | "onwards"));
        let range = tokens[at].start..tokens[end + on - 1].end;
        (!is_range && !gone).then_some((next.from, range))
    })
}

/// When a time begins that a claim names. What is done by then is not so before.
fn begins(claim: &str, mention: &TimeMention) -> Option<Timestamp> {
    let by = || claim[mention.range.clone()].to_ascii_lowercase().starts_with("by ");
    mention.span.from.or_else(|| mention.span.until.filter(|_| by()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts_on(claim: &str) -> Option<(String, bool)> {
        let said = Timestamp::parse_human("2026-11-10T09:00:00Z", Timestamp::EPOCH).unwrap();
        start(claim, said).map(|start| (start.at.date(), start.outright))
    }

    #[test]
    fn a_start_that_is_named_as_one_is_the_next_one() {
        for (claim, date) in [
            ("VAT goes to 8.5 % from january", "2027-01-01"),
            ("VAT goes to 8.5 % from 1 January 2027", "2027-01-01"),
            ("as of December we deploy on Mondays", "2026-12-01"),
            ("starting monday the standup is at 10", "2026-11-16"),
            ("effective 2027-02-01 the fee is 3 %", "2027-02-01"),
            ("from next week on we use pnpm", "2026-11-16"),
        ] {
            assert_eq!(starts_on(claim), Some((date.to_owned(), true)), "{claim}");
        }
    }

    #[test]
    fn what_is_claimed_is_told_without_its_start() {
        for (claim, left) in [
            ("starting december staging runs on Postgres 16", "staging runs on Postgres 16"),
            ("from January on, VAT is 8.5 %.", "VAT is 8.5 %."),
            ("VAT goes to 8.5 % from january", "VAT goes to 8.5 %"),
            ("VAT goes to 8.5 % from january, finance says", "VAT goes to 8.5 % finance says"),
            ("we moved from Redis to Postgres", "we moved from Redis to Postgres"),
            ("8.5 % from january", "8.5 % from january"),
        ] {
            assert_eq!(without_start(claim), left, "{claim}");
        }
    }

    #[test]
    fn a_time_ahead_may_be_a_start() {
        for (claim, date) in [
            ("we move to GitLab next month", "2026-12-01"),
            ("tomorrow staging goes to Postgres 17", "2026-11-11"),
            ("the release is on 2026-12-03", "2026-12-03"),
        ] {
            assert_eq!(starts_on(claim), Some((date.to_owned(), false)), "{claim}");
        }
    }

    #[test]
    fn what_began_or_has_no_time_has_no_start_ahead() {
        for claim in [
            "from now on we use pnpm",
            "we use pnpm since monday",
            "from October we use pnpm",
            "we moved from Redis to Postgres",
            "support answers from Monday to Friday",
            "the edge is frozen from Thursday noon to Friday noon",
            "the api listens on 8080",
            "the freeze lasts until 2026-12-01",
        ] {
            assert_eq!(starts_on(claim), None, "{claim}");
        }
    }
}
