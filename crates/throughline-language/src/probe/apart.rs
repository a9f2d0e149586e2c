//! Clauses that stand apart: what lasts and what passes, said in one breath with nothing but a comma between them.

use std::ops::Range;

use super::read::{hangs, is_kept};
use crate::speech::word::words;
use throughline_core::meet;
use throughline_core::reading::{Piece, Role};

/// From these likelihoods on, a clause read by itself surely lasts, and nothing stands against it.
const LASTS_FROM: f32 = 0.8;
const PLAIN_FROM: f32 = 0.85;
/// Up to this likelihood, a clause read by itself surely passes.
const PASSES_TO: f32 = 0.1;
/// Between these shares, a piece may hold a clause that passes and one that lasts.
const MIXED: std::ops::RangeInclusive<f32> = 0.2..=0.98;
/// Longer pieces are no breath.
const BYTES_MAX: usize = 300;
/// A rule of so few words goes on.
const BEGUN_WORDS: usize = 2;
/// Commas that are looked at.
const COMMAS_MAX: usize = 3;

/// Two clauses of a piece, as bytes of the turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apart {
    /// Up to the comma.
    pub first: Range<usize>,
    /// What stands behind it.
    pub second: Range<usize>,
}

/// Where a piece may be taken apart: at its commas, if it may hold both what lasts and what passes.
pub fn apart(turn: &str, piece: &Piece) -> Vec<Apart> {
    let said = &turn[piece.span.clone()];
    if !MIXED.contains(&piece.passes()) || piece.plain() < 0.5 || said.len() > BYTES_MAX {
        return Vec::new();
    }
    let start = piece.span.start;
    let commas = said.match_indices(", ").take(COMMAS_MAX);
    commas
        .map(|(at, comma)| Apart {
            first: start..start + at,
            second: start + at + comma.len()..piece.span.end,
        })
        .collect()
}

/// Whether one of two clauses, each read by itself, surely lasts and the other surely passes. What is said beside a
/// request may only be part of the task: it lasts if it begins as something of its own, or surely tells of a change.
pub fn is_clear(turn: &str, one: &Piece, other: &Piece) -> bool {
    lasts_beside(turn, one, other) || lasts_beside(turn, other, one)
}

fn lasts_beside(turn: &str, claim: &Piece, beside: &Piece) -> bool {
    let said = &turn[claim.span.clone()];
    let lasts = is_kept(claim)
        && claim.role().claims()
        && claim.lasting >= LASTS_FROM
        && claim.plain() >= PLAIN_FROM
        && !hangs(said);
    let passes = !beside.role().claims() && beside.lasting <= PASSES_TO;
    let talk = matches!(beside.role(), Role::Chatter | Role::Question);
    let rules = matches!(claim.role(), Role::Rule | Role::Preference);
    let changes = claim.share(Role::Change) >= LASTS_FROM;
    let free = talk || (opens_anew(said) || changes) && !rules;
    lasts && passes && free
}

/// Whether words begin as something of their own: "by the way …", "from now on …", "we use …".
fn opens_anew(said: &str) -> bool {
    let words = words(said);
    let lead = words.iter().take_while(|word| word.is("and but oh so")).count();
    let rest = &words[lead..];
    let is = |at: usize, list: &str| rest.get(at).is_some_and(|word| word.is(list));
    is(0, "btw fyi we our were weve i im")
        || is(0, "by") && is(1, "the") && is(2, "way")
        || is(0, "from") && is(1, "now")
}

/// The pieces of a turn, with those made whole that were cut behind a word that no sentence ends with: "comments that |
/// restate the code", "always squash | merge PRs".
pub fn made_whole(turn: &str, pieces: Vec<Piece>) -> Vec<Piece> {
    let mut whole: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match whole.last_mut() {
            Some(last)
                if is_cut(&turn[last.span.clone()], &turn[last.span.end..piece.span.end]) =>
            {
                let span = last.span.start..piece.span.end;
                let surer = if piece.lasting > last.lasting { piece } else { last.clone() };
                *last = Piece { span, ..surer };
            }
            _ => whole.push(piece),
        }
    }
    whole
}

/// Whether words end with one that needs what stands behind it, and that goes on without a mark.
fn is_cut(said: &str, behind: &str) -> bool {
    const OPEN: &str = "that which who whose because the a an of to with from than if unless";
    const BEGINS: &str = "and but or so then please can could now also";
    let said = said.trim_end_matches([' ', '\t']);
    let ends = said.ends_with(|c: char| !c.is_alphanumeric());
    let (last, next) = (words(said).pop(), words(behind).into_iter().next());
    let is_open = last.is_some_and(|word| word.is(OPEN)) || is_begun_rule(said);
    !ends
        && !behind.trim_start_matches([' ', '\t']).starts_with('\n')
        && is_open
        && next.is_some_and(|word| !word.is(BEGINS))
}

/// "Always squash": a rule of which hardly more than its first word is there.
fn is_begun_rule(said: &str) -> bool {
    opens_as_rule(said) && words(&said[lead_over(said)..]).len() <= BEGUN_WORDS
}

/// Whether a piece that looks like a request is to be done from now on, by its form: "always …", "… from now on".
pub fn stands_from_now_on(turn: &str, piece: &Piece) -> bool {
    let said = &turn[piece.span.clone()];
    let asks =
        matches!(piece.role(), Role::Request | Role::Rule | Role::Preference | Role::Procedure);
    let words = words(said);
    let from_now =
        words.windows(3).any(|some| some[0].is("from") && some[1].is("now") && some[2].is("on"));
    asks && piece.plain() >= 0.5 && !said.contains('?') && (from_now || opens_as_rule(said))
}

/// Whether a piece permits something on a condition, by its form, and is meant as it stands.
pub fn permits(turn: &str, piece: &Piece) -> bool {
    let said = &turn[piece.span.clone()];
    piece.plain() >= 0.5 && !said.contains('?') && meet::permits_if(said)
}

/// Whether words open as a rule that stands: "and always …", "never …".
pub fn opens_as_rule(said: &str) -> bool {
    words(&said[lead_over(said)..]).first().is_some_and(|word| word.is("always never"))
}

/// Where the claim of a clause begins: behind the words that only lead over to it.
pub fn lead_over(said: &str) -> usize {
    let words = words(said);
    let mut at = words.iter().take_while(|word| word.is("and but oh")).count();
    let is = |at: usize, list: &str| words.get(at).is_some_and(|word| word.is(list));
    if is(at, "btw fyi") {
        at += 1;
    } else if is(at, "by") && is(at + 1, "the") && is(at + 2, "way") {
        at += 3;
    }
    words.get(at).map_or(0, |word| word.span.start)
}
