//! The pieces of what a person said, as the trained reader judges them.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, PoisonError};

use throughline_core::reading::Piece;
use throughline_core::{Kind, form};
use throughline_language::{probe, question};
use throughline_reader::{Speaker, TrainedReader as Trained, Unusable, is_english};

use super::apart;

/// From this likelihood on, a text makes a claim of the sort it seems to make.
const KIND_FROM: f32 = 0.9;

/// Whether the reader's weights can be used, and why not.
pub(crate) fn usable() -> std::result::Result<(), Unusable> {
    Trained::builtin().map(|_| ())
}

/// Readings that are remembered: a prompt is looked at when it comes in and once more when it is taken in, and so are
/// its claims.
const READ_MAX: usize = 8;

/// What was read last, and what it came to.
static READ_LAST: Mutex<VecDeque<(u64, Vec<Piece>)>> = Mutex::new(VecDeque::new());

/// The pieces of what a person said after `before`. `None` where the reader's weights cannot be used. What
/// is not in English has none: the reader would only guess.
pub(crate) fn pieces_of(before: Option<&str>, turn: &str) -> Option<Vec<Piece>> {
    if only_asks(turn) || !is_english(turn) {
        return Some(Vec::new());
    }
    let before = before.filter(|before| probe::says_enough(before));
    let mut hasher = DefaultHasher::new();
    (before, turn).hash(&mut hasher);
    let key = hasher.finish();
    let last = || READ_LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, pieces)) = last().iter().find(|(known, _)| *known == key) {
        return Some(pieces.clone());
    }
    let trained = Trained::builtin().ok()?;
    let whole = probe::made_whole(turn, read_undated(trained, before, turn));
    let pieces = apart::taken_apart(trained, turn, whole);
    let mut last = last();
    last.truncate(READ_MAX - 1);
    last.push_front((key, pieces.clone()));
    Some(pieces)
}

/// The pieces of a turn, read without the day on which something was settled: the reader would take what
/// was decided today for something that holds today.
fn read_undated(trained: &Trained, before: Option<&str>, turn: &str) -> Vec<Piece> {
    let Some(marker) = form::settled_lately(turn) else {
        return trained.read(Speaker::User, before, turn);
    };
    let blank = " ".repeat(marker.len());
    let undated = format!("{}{blank}{}", &turn[..marker.start], &turn[marker.end..]);
    let mut pieces = trained.read(Speaker::User, before, &undated);
    for piece in &mut pieces {
        let between = turn.get(marker.end..piece.span.start);
        let begins = |c: char| c.is_whitespace() || c == ',';
        if between.is_some_and(|between| between.chars().all(begins)) {
            piece.span.start = marker.start;
        }
    }
    pieces
}

/// What sort of claim a text surely makes, where all of it makes the same sort. A failure must say why.
pub fn kind_of(text: &str) -> Option<Kind> {
    let pieces = pieces_of(None, text)?;
    let mut kinds = pieces.iter().map(|piece| {
        (piece.share(piece.role()) >= KIND_FROM).then(|| piece.role().kind()).flatten()
    });
    let first = kinds.next()??;
    let fits = first != Kind::Negative || probe::tells_why(text);
    (fits && kinds.all(|kind| kind == Some(first))).then_some(first)
}

/// Whether a turn is one question and nothing else, by its marks.
pub(crate) fn only_asks(turn: &str) -> bool {
    let turn = turn.trim();
    let inside = turn.strip_suffix('?').unwrap_or_default();
    let is_one_question = !inside.is_empty()
        && !inside.contains(['\n', '?', '!', ';', ':'])
        && !inside.contains(". ")
        && !inside.contains(", ");
    is_one_question || question::asks_about_what_follows(turn)
}
