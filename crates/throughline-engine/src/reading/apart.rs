//! What the reader is asked once more about: clauses of a piece that may stand apart, and clauses of a memory that
//! words may leave alone.

use std::ops::Range;

use throughline_core::Speaker;
use throughline_core::reading::Piece;
use throughline_language::{probe, speech};
use throughline_reader::TrainedReader as Trained;

use super::{NOTICES_FROM, judged};

/// Pieces of a turn that are read once more: each takes milliseconds, and somebody waits.
const APART_MAX: usize = 2;
/// How likely a rule lasts that is one by its form.
const RULE_LASTS: f32 = 0.6;
/// Words of a clause that says something by itself.
const CLAUSE_WORDS: usize = 3;

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
                all.push(piece);
            }
        }
    }
    all
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

/// Whether words touch every clause of a memory. What they leave alone would be lost with the rest.
pub(super) fn touches_all(trained: &Trained, held: &str, before: Option<&str>, said: &str) -> bool {
    let clauses = clauses(held);
    clauses.len() < 2
        || clauses.iter().all(|one| judged(trained, one, before, said).touches() >= NOTICES_FROM)
}

/// The sentences of a memory, and what stands between the semicolons in them.
fn clauses(held: &str) -> Vec<&str> {
    let sentences = speech::sentences(held).into_iter().map(|one| one.text);
    let clauses = sentences.flat_map(|sentence| sentence.split("; ")).map(str::trim);
    clauses.filter(|clause| clause.split_whitespace().count() >= CLAUSE_WORDS).collect()
}
