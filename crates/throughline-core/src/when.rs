//! Times spoken of: finds where a text names a time, and says which stretch it means.
//!
//! A reading is taken relative to the moment of speaking and prefers the past. What could be read
//! in two ways, or is no time at all, is not read.

mod calendar;
mod dated;
mod grammar;
mod relative;
mod start;
mod token;

use std::ops::Range;

use crate::Timestamp;
use calendar::Anchor;
use grammar::Grammar;

pub use start::{StatedStart, start, without_start};

/// How finely a moment was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grain {
    /// Hours, or a part of a day.
    Hour,
    /// Days.
    Day,
    /// Weeks, or a weekend.
    Week,
    /// Months, or a part of one.
    Month,
    /// A season.
    Season,
    /// A quarter of a year.
    Quarter,
    /// Years, or a part of one.
    Year,
}

/// A stretch of time, `until` not included. Open ends are `None`: "before May", "since Monday".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpan {
    /// The first moment of it.
    pub from: Option<Timestamp>,
    /// The first moment after it.
    pub until: Option<Timestamp>,
    /// How finely it was named.
    pub grain: Grain,
}

impl TimeSpan {
    /// Whether a moment lies in it.
    pub fn holds(&self, at: Timestamp) -> bool {
        self.from.is_none_or(|from| from <= at) && self.until.is_none_or(|until| at < until)
    }

    /// Days from a moment to the nearest end; 0 inside.
    pub fn distance_days(&self, at: Timestamp) -> f64 {
        let early = self.from.map_or(0.0, |from| from.days_since(at));
        let late = self.until.map_or(0.0, |until| at.days_since(until));
        early.max(late).max(0.0)
    }
}

/// Where in a text a time was named, and which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeMention {
    /// The bytes of the text that name it.
    pub range: Range<usize>,
    /// The time meant.
    pub span: TimeSpan,
}

/// Since when and until when a claim holds, as it says itself: "since March", "until 2027-05-01".
///
/// Only what is said outright, or lies ahead of whoever speaks: "until March" may be the last one or the next.
pub fn validity(claim: &str, said: Timestamp) -> (Option<Timestamp>, Option<Timestamp>) {
    let (mut from, mut until) = (None, None);
    for mention in find(claim, said) {
        let words = claim[mention.range.clone()].to_ascii_lowercase();
        let says = |cues: &[&str]| {
            cues.iter().any(|cue| words.strip_prefix(cue).is_some_and(|rest| rest.starts_with(' ')))
        };
        if mention.span.until.is_none() && says(&["since", "after"]) {
            from = from.or(mention.span.from);
        }
        if mention.span.from.is_none() && says(&["until", "till"]) {
            until = until.or(mention.span.until.filter(|end| *end > said));
        }
    }
    let starts = || start(claim, said).filter(|start| start.outright).map(|start| start.at);
    (from.or_else(starts), until)
}

/// Whether a claim says that it holds only until some time. Which one may be left open: "until June" may be the last one or
/// the next.
pub fn holds_for_a_while(claim: &str, said: Timestamp) -> bool {
    find(claim, said).iter().any(|mention| {
        let words = claim[mention.range.clone()].to_ascii_lowercase();
        let ends = words.starts_with("until ") || words.starts_with("till ");
        ends && mention.span.from.is_none()
    })
}

/// How much of a text is looked at.
const LOOK_BYTES_MAX: usize = 4096;

/// The times a text speaks of, in order, not overlapping. Looks at the first 4 KB.
///
/// Days begin at midnight UTC and weeks on Monday. A weekday is the last one before the anchor, a
/// month or a date the last one that has begun; "next" and "by" look ahead. "Two weeks ago" is the
/// day two weeks ago, give or take half a week. "Until" a time includes it, "before" does not.
pub fn find(text: &str, anchor: Timestamp) -> Vec<TimeMention> {
    let text = &text[..text.floor_char_boundary(LOOK_BYTES_MAX)];
    let lower = text.to_ascii_lowercase();
    let Some(anchor) = Anchor::new(anchor) else { return Vec::new() };
    let tokens = token::tokens(text, &lower);
    let grammar = Grammar { tokens: &tokens, anchor };
    let mut mentions = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some((span, end)) = grammar.mention(at) else {
            at += 1;
            continue;
        };
        mentions.push(TimeMention { range: tokens[at].start..tokens[end - 1].end, span });
        at = end;
    }
    mentions
}
