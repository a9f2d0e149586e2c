//! What is kept of a person's turn that a reader has read.
//!
//! The reader says which pieces will still matter. Forms find what it cannot: what is asked to be
//! remembered word for word, values in a sentence, what is the reason of what. Where forms find
//! something in a piece that the reader takes for passing, nothing is kept.

use std::ops::Range;

use super::fate::{Fate, Fated, KEEP_FROM, judged};
use super::{Found, Said, Statement, content, is_echo, statements, user};
use crate::Kind;
use crate::patch::{Operation, Remember};
use crate::reading::{Piece, Role};
use crate::speech::{self, Guard, word::words};

/// From this likelihood on, it counts as stated; below, it is kept on probation.
const STATED_FROM: f32 = 0.93;
/// From this likelihood on, it is kept whatever forms say against it.
const SURE_FROM: f32 = 0.9;
/// From this likelihood on, what forms find in a piece is believed.
const FORM_FROM: f32 = 0.1;
/// The same for what gives a thing a value by its form.
const VALUE_FROM: f32 = 0.02;
/// From this likelihood on, it is meant as it is said.
const PLAIN_FROM: f32 = 0.25;
/// An answer of so few words is read with what it answers.
const ANSWER_WORDS: usize = 6;
/// From this likelihood on, a piece is held against what is known before it is let go.
const CHANGE_FROM: f32 = 0.03;
/// How sure a piece that is stated is, and one on probation.
const STATED: f64 = 0.9;
const ON_PROBATION: f64 = 0.6;
/// What stands behind an order to forget tells something from so many words on.
const TELLS_WORDS: usize = 2;
/// A piece shorter than this needs what it answers to be understood.
const WORDS_MIN: usize = 4;

/// Adds what is kept of a turn with these pieces.
pub(super) fn user_read(
    turn: usize,
    said: &Said<'_>,
    pieces: &[Piece],
    context: &[Said<'_>],
    found: &mut Found<'_>,
) {
    let mut by_form = Found::new(found.policy);
    user(turn, said, context, &mut by_form);
    let claims = claims(said.text, pieces);
    let mut taken: Vec<Range<usize>> = Vec::new();
    for (at, operation) in by_form.operations.iter().enumerate() {
        let place = quoted(operation).and_then(|quote| place_of(said.text, quote));
        let asked = by_form.asked.contains(&at);
        let believed = place.as_ref().is_none_or(|place| is_believed(operation, pieces, place));
        if !asked && !believed {
            continue;
        }
        let mut operation = operation.clone();
        let piece =
            claims.iter().find(|(_, one)| place.as_ref().is_some_and(|it| meet(&one.span, it)));
        if let Some((last, piece)) = piece.filter(|_| !asked) {
            let alone = by_form
                .operations
                .iter()
                .filter_map(quoted)
                .filter_map(|it| place_of(said.text, it));
            let alone = alone.filter(|it| meet(it, &piece.span)).count() == 1;
            if !in_own_words(&mut operation, said, &pieces[..*last], piece, alone) {
                continue;
            }
        }
        taken.extend(place);
        found.push(operation);
    }
    let statements = statements(turn, said, found.policy);
    let sources = speech::spans(said.text);
    for (at, piece) in pieces.iter().enumerate() {
        let covered = taken.iter().any(|place| covers(place, &piece.span));
        let judged = if is_kept(piece) { Fate::Listed } else { judged(piece) };
        let fate = if covered { Fate::ByForm } else { judged };
        if !claims.iter().any(|(_, one)| meet(&one.span, &piece.span)) {
            found.fates.push(Fated { turn, piece: at, fate });
        }
    }
    for (last, piece) in claims {
        let fate = if taken.iter().any(|place| covers(place, &piece.span)) {
            Fate::ByForm
        } else if !speech::is_own(&sources, piece.span.clone()) {
            Fate::NotOwn
        } else if asks(&statements, &piece) || is_vetoed(&statements, &piece) && !is_sure(&piece) {
            Fate::Guarded
        } else if echoes(&statements, &piece, context) {
            Fate::Echo
        } else if asks_to_forget(&said.text[piece.span.clone()]) {
            Fate::Forgets
        } else {
            let mut claim = claim(turn, said, &pieces[..last], &piece);
            if is_vetoed(&statements, &piece) {
                claim.confidence = ON_PROBATION;
            }
            if found.takes(Operation::Remember(claim)) { Fate::Kept } else { Fate::Unfit }
        };
        let together = (0..=last).filter(|at| meet(&pieces[*at].span, &piece.span));
        found.fates.extend(together.map(|piece| Fated { turn, piece, fate }));
    }
}

/// Puts what a form found in a piece that is kept into the words and the kind of that piece, if it is all
/// that was found there (`alone`). Says whether it is kept: what is taken back is kept as it was said.
fn in_own_words(
    operation: &mut Operation,
    said: &Said<'_>,
    before: &[Piece],
    piece: &Piece,
    alone: bool,
) -> bool {
    let quote = &said.text[piece.span.clone()];
    match operation {
        Operation::Remember(it) if alone => {
            // A sentence that the piece is only part of stays whole, as steps in one line.
            let is_part = it.quote.as_ref().is_some_and(|found| found.len() > quote.len());
            if !is_part {
                it.content = whole(said, before, quote);
                it.quote = Some(quote.to_owned());
            }
            // "We decided …" is a decision, whatever else it may be.
            if it.kind != Kind::Decision {
                it.kind = piece.kind();
            }
        }
        Operation::Correct(it) if alone => {
            it.right = whole(said, before, quote);
            it.kind = piece.kind();
        }
        Operation::Retract(it) => return it.exact || asks_to_forget(quote),
        Operation::Remember(_)
        | Operation::Correct(_)
        | Operation::Archive(_)
        | Operation::Know { .. }
        | Operation::Relate(_)
        | Operation::Settle(_) => {}
    }
    true
}

impl Found<'_> {
    /// Takes in what fits. Says whether it did.
    fn takes(&mut self, operation: Operation) -> bool {
        let before = self.operations.len();
        self.extend([operation]);
        self.operations.len() > before
    }
}

/// The pieces that are kept, each with its place. One that cannot be understood without the kept one
/// before it goes with that.
fn claims(turn: &str, pieces: &[Piece]) -> Vec<(usize, Piece)> {
    let mut claims: Vec<(usize, Piece)> = Vec::new();
    let said = |piece: &Piece| &turn[piece.span.clone()];
    let mut listed = false;
    for (at, piece) in pieces.iter().enumerate() {
        // What a colon announces goes with what announces it.
        let opens = at.checked_sub(1).is_some_and(|before| said(&pieces[before]).ends_with(':'));
        listed = opens || listed && said(piece).starts_with(['-', '*', '•']);
        let last = claims.last_mut().filter(|(last, _)| *last + 1 == at);
        match last {
            Some((last, before)) if listed || is_kept(piece) && hangs(said(piece)) => {
                before.span.end = piece.span.end;
                *last = at;
            }
            _ if is_kept(piece) && !listed => claims.push((at, piece.clone())),
            _ => {}
        }
    }
    claims
}

/// Whether words do not say what they speak of.
fn hangs(said: &str) -> bool {
    let said = tidy(said);
    let words = words(&said);
    words.len() < WORDS_MIN || content::dangles(&words)
}

/// Whether a piece of a person's turn is kept.
pub fn is_kept(piece: &Piece) -> bool {
    judged(piece) == Fate::Kept
}

/// Which piece of a turn an operation rests on: the first that its quote lies in.
pub fn piece_of(turn: &str, pieces: &[Piece], operation: &Operation) -> Option<usize> {
    piece_with(turn, pieces, quoted(operation)?)
}

/// The first piece of a turn that holds some of these words of it.
pub fn piece_with(turn: &str, pieces: &[Piece], words: &str) -> Option<usize> {
    let place = place_of(turn, words)?;
    pieces.iter().position(|piece| meet(&piece.span, &place))
}

/// Whether a piece that is not kept by itself may still give something known another value.
pub fn may_change(piece: &Piece) -> bool {
    !is_kept(piece) && says_something(piece) && piece.lasting >= CHANGE_FROM
}

/// Of pieces that are not kept, the one that most likely gives something known another value, if any
/// says something.
pub fn likeliest_change(pieces: &[Piece]) -> Option<usize> {
    let likely = |piece: &Piece| piece.lasting.max(piece.changes());
    let saying = pieces.iter().enumerate().filter(|(_, piece)| says_something(piece));
    saying.max_by(|a, b| likely(a.1).total_cmp(&likely(b.1))).map(|(at, _)| at)
}

/// Whether a person's turn should be taken in before it is answered: something of it is kept, or may
/// give something known another value.
pub fn matters_at_once(pieces: &[Piece]) -> bool {
    let may = |piece: &Piece| piece.lasting.max(piece.changes()) >= CHANGE_FROM;
    pieces.iter().any(|piece| is_kept(piece) || says_something(piece) && may(piece))
}

/// Whether a piece is neither a question nor pasted, and is meant as it is said.
fn says_something(piece: &Piece) -> bool {
    let asks = piece.share(Role::Question) + piece.share(Role::Paste) >= KEEP_FROM;
    !asks && piece.plain() >= KEEP_FROM
}

/// Whether something that forms found may stand, by the pieces it lies in. What gives a thing a value
/// by its form need not look as if it lasted.
fn is_believed(operation: &Operation, pieces: &[Piece], place: &Range<usize>) -> bool {
    let valued = match operation {
        Operation::Remember(it) => it.slot.is_some(),
        Operation::Correct(it) => it.slot.is_some(),
        Operation::Retract(_)
        | Operation::Archive(_)
        | Operation::Know { .. }
        | Operation::Relate(_)
        | Operation::Settle(_) => false,
    };
    let believed = |piece: &Piece| {
        let likely = piece.lasting.max(piece.changes());
        likely >= if valued { VALUE_FROM } else { FORM_FROM } && piece.plain() >= PLAIN_FROM
    };
    pieces.iter().any(|piece| meet(&piece.span, place) && believed(piece))
}

/// Whether words can be understood only with what the agent said before them.
pub fn needs_before(said: &str) -> bool {
    hangs(said) || words(said).len() <= ANSWER_WORDS
}

/// A piece as a claim, in its speaker's words. `before` are the pieces before it.
fn claim(turn: usize, said: &Said<'_>, before: &[Piece], piece: &Piece) -> Remember {
    let quote = &said.text[piece.span.clone()];
    let stated = piece.lasting.min(piece.plain()) >= STATED_FROM;
    Remember {
        kind: piece.kind(),
        content: whole(said, before, quote),
        label: None,
        domain: None,
        slot: None,
        because: Vec::new(),
        triggers: Vec::new(),
        entities: super::name::named(&words(quote)),
        confidence: if stated { STATED } else { ON_PROBATION },
        quote: Some(quote.to_owned()),
        turn: Some(turn),
    }
}

/// The words of a piece, with those before it where they do not say what they speak of. What the agent
/// said is never part of them: it would count as the person's word.
fn whole(said: &Said<'_>, before: &[Piece], quote: &str) -> String {
    let own = tidy(quote);
    let names = |before: &&Piece| before.role().claims() || before.lasting >= FORM_FROM;
    match before.last().filter(names).filter(|_| hangs(quote)) {
        Some(before) => format!("{}; {own}", tidy(&said.text[before.span.clone()])),
        None => own,
    }
}

/// A stretch of a turn on one line, without what only ends it.
fn tidy(said: &str) -> String {
    content::plain(said).trim_end_matches(['.', ',', ';', ' ']).to_owned()
}

/// "Forget …" is an order, and no claim, unless something is told besides.
fn asks_to_forget(said: &str) -> bool {
    let tells = said
        .split_once([',', ';', ':'])
        .is_some_and(|(_, behind)| words(behind).len() >= TELLS_WORDS);
    if tells {
        return false;
    }
    let words = words(said);
    let first = words.iter().find(|word| !word.is("please just ok okay and"));
    first.is_some_and(|word| word.is("forget"))
}

/// Whether forms say that all of a piece is asked, supposed, quoted or somebody else's.
fn is_vetoed(statements: &[Statement<'_>], piece: &Piece) -> bool {
    let inside = |it: &&Statement<'_>| meet(&it.span, &piece.span);
    let mut inside = statements.iter().filter(inside).peekable();
    inside.peek().is_some() && inside.all(Statement::guarded)
}

/// Whether forms say that all of a piece is asked, repeated after somebody, somebody else's or taken back:
/// they are seldom mistaken there. What supposes something is told better by the reader.
fn asks(statements: &[Statement<'_>], piece: &Piece) -> bool {
    let asks = |it: &Statement<'_>| it.guard.is_some_and(|guard| guard != Guard::Hypothetical);
    let inside = |it: &&Statement<'_>| meet(&it.span, &piece.span);
    let mut inside = statements.iter().filter(inside).peekable();
    inside.peek().is_some() && inside.all(asks)
}

/// Whether the reader is so sure of a piece that forms cannot tell otherwise.
fn is_sure(piece: &Piece) -> bool {
    piece.lasting.min(piece.plain()) >= SURE_FROM
}

fn echoes(statements: &[Statement<'_>], piece: &Piece, context: &[Said<'_>]) -> bool {
    let inside = |it: &&Statement<'_>| meet(&it.span, &piece.span);
    let mut inside = statements.iter().filter(inside).peekable();
    inside.peek().is_some() && inside.all(|it| is_echo(it, context))
}

/// The words that an operation rests on.
fn quoted(operation: &Operation) -> Option<&str> {
    match operation {
        Operation::Remember(it) => it.quote.as_deref(),
        Operation::Correct(it) => it.quote.as_deref(),
        Operation::Retract(it) | Operation::Archive(it) => it.quote.as_deref(),
        Operation::Relate(it) => it.quote.as_deref(),
        Operation::Know { .. } | Operation::Settle(_) => None,
    }
}

fn place_of(turn: &str, quote: &str) -> Option<Range<usize>> {
    turn.find(quote).map(|start| start..start + quote.len())
}

fn meet(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Whether most of a piece lies within a place.
fn covers(place: &Range<usize>, piece: &Range<usize>) -> bool {
    let shared = place.end.min(piece.end).saturating_sub(place.start.max(piece.start));
    2 * shared >= piece.len()
}
