//! What the reader is asked once more about: clauses of a piece that may stand apart, and clauses of a memory that
//! words may leave alone.

use std::ops::Range;

use throughline_core::Speaker;
use throughline_core::reading::{Bearing, Judged, Piece};
use throughline_language::probe;
use throughline_reader::TrainedReader as Trained;

use super::bearings::LINKS_FROM;
use super::{NOTICES_FROM, judged};

/// Pieces of a turn that are read once more: each takes milliseconds, and somebody waits.
const APART_MAX: usize = 2;
/// From this likelihood on, a rule that is read by itself lasts.
const STANDS_FROM: f32 = 0.8;
/// From this likelihood on, a clause changes a memory that the whole sentence may leave alone.
const CLEAR_FROM: f32 = 0.5;
/// How likely a rule lasts that is one by its form.
const RULE_LASTS: f32 = 0.6;

/// The pieces of a turn, with what lasts and what passes apart where a comma is all that stands between them.
pub(super) fn taken_apart(trained: &Trained, turn: &str, pieces: Vec<Piece>) -> Vec<Piece> {
    let mut left = APART_MAX;
    let mut all = Vec::with_capacity(pieces.len());
    for mut piece in pieces {
        let places = if left > 0 { probe::apart(turn, &piece) } else { Vec::new() };
        left -= usize::from(!places.is_empty());
        let two = places.into_iter().find_map(|place| {
            let one = alone(trained, turn, place.first)?;
            let other = alone(trained, turn, place.second)?;
            probe::is_clear(turn, &one, &other).then_some([one, other])
        });
        match two {
            Some(two) => all.extend(two.map(|one| Piece { span: without_lead(turn, &one), ..one })),
            None => {
                if !probe::is_kept(&piece) && probe::permits(turn, &piece) {
                    piece.is_rule(RULE_LASTS);
                }
                let mut own = standing_rule(trained, turn, &piece, &mut left).unwrap_or(piece);
                if !probe::is_kept(&own) && probe::stands_from_now_on(turn, &own) {
                    own.is_rule(RULE_LASTS);
                }
                all.push(own);
            }
        }
    }
    all
}

/// A sentence that opens as a rule does, and stands behind a request: read by itself, where it is a rule then.
fn standing_rule(trained: &Trained, turn: &str, piece: &Piece, left: &mut usize) -> Option<Piece> {
    let rules = piece.span.start > 0 && probe::opens_as_rule(&turn[piece.span.clone()]);
    if *left == 0 || !rules || probe::is_kept(piece) {
        return None;
    }
    *left -= 1;
    let own = alone(trained, turn, piece.span.clone())?;
    let sure = own.lasting >= STANDS_FROM && probe::is_kept(&own);
    sure.then(|| Piece { span: without_lead(turn, &own), ..own })
}

/// A clause read by itself, where it is one piece.
fn alone(trained: &Trained, turn: &str, span: Range<usize>) -> Option<Piece> {
    let mut pieces = trained.read(Speaker::User, None, &turn[span.clone()]);
    let piece = pieces.pop().filter(|_| pieces.is_empty())?;
    Some(Piece { span, ..piece })
}

/// The bytes of a clause without the words that only lead over to what it claims.
fn without_lead(turn: &str, piece: &Piece) -> Range<usize> {
    let kept = probe::is_kept(piece);
    let lead = if kept { probe::lead_over(&turn[piece.span.clone()]) } else { 0 };
    piece.span.start + lead..piece.span.end
}

/// How words of several clauses bear on a memory: as a whole, or as the clause does that changes it clearly where the
/// whole leaves that open. What else is said in one breath must not blur it.
pub(super) fn clearest(
    trained: &Trained,
    held: &str,
    before: Option<&str>,
    said: &str,
    whole: Judged,
) -> Judged {
    let touches = whole.touches();
    let unclear = touches >= NOTICES_FROM || touches >= whole.share(Bearing::Other);
    if !(LINKS_FROM..CLEAR_FROM).contains(&touches) || !unclear {
        return whole;
    }
    let clauses = probe::clauses(said).all;
    let each = clauses.into_iter().filter(|clause| *clause != said);
    let each = each.map(|clause| judged(trained, held, before, clause));
    let clearest = each.max_by(|a, b| a.touches().total_cmp(&b.touches()));
    clearest.filter(|one| one.touches() >= CLEAR_FROM).unwrap_or(whole)
}

/// What words leave standing of a memory that they touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LeftStanding {
    /// All of it is touched.
    Nothing,
    /// These clauses are about something else, and each says what it speaks of.
    Clauses(Vec<LeftClause>),
    /// Some of it, which cannot be understood without the rest.
    Unclear,
}

/// A clause of a memory that words leave alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftClause {
    /// As it was said.
    pub(crate) words: String,
    /// Whether the reader takes it to be touched, although the words name only what another clause names.
    pub(crate) questioned: bool,
}

/// What words leave standing of a memory that they touch. It would be lost with the rest.
pub(super) fn left_standing(
    trained: &Trained,
    held: &str,
    before: Option<&str>,
    said: &str,
) -> LeftStanding {
    if probe::names_one_of_several(held, said) {
        return LeftStanding::Unclear;
    }
    let clauses = probe::clauses(held);
    if clauses.all.len() < 2 {
        return LeftStanding::Nothing;
    }
    let named = probe::named_by(&clauses.all, said);
    let (mut any_touched, mut left) = (false, Vec::new());
    for (clause, named) in clauses.all.iter().zip(named) {
        let touched = judged(trained, clause, before, said).touches() >= NOTICES_FROM;
        if touched && named {
            any_touched = true;
        } else {
            left.push(LeftClause { words: (*clause).to_owned(), questioned: touched });
        }
    }
    if left.is_empty() || !any_touched && !clauses.marked {
        return LeftStanding::Nothing;
    }
    if any_touched && left.iter().all(|one| says_it_alone(trained, &one.words)) {
        return LeftStanding::Clauses(left);
    }
    LeftStanding::Unclear
}

/// Whether a clause would be kept by itself, as it stands.
fn says_it_alone(trained: &Trained, clause: &str) -> bool {
    probe::names_its_thing(clause)
        && alone(trained, clause, 0..clause.len()).is_some_and(|piece| probe::is_kept(&piece))
}
