//! What is kept of a person's turn that a reader has read.
//!
//! The reader says which pieces will still matter. Forms find what somebody asks for in so many words, and
//! say what is not the speaker's own: what was pasted or quoted, questions, what an agent has just said.

use std::ops::Range;

use super::apart::lead_over;
use super::fate::{Fated, KEEP_FROM, PieceFate, judged};
use super::{PatchSoFar, ProbedSentence, asked_for, content, is_echo, name, statements};
use crate::Turn;
use crate::procedure;
use crate::speech::{self, Guard, word::words};
use throughline_core::meet;
use throughline_core::patch::{Operation, Remember};
use throughline_core::reading::{self, Piece, Role};
use throughline_core::{Kind, Speaker};

/// From these likelihoods on, that it lasts and that nothing stands against it, it counts as stated; below,
/// it is kept on probation.
const STATED_FROM: f32 = 0.95;
const STATED_PLAIN_FROM: f32 = 0.85;
/// From this likelihood on, it is kept although its form supposes something.
const SURE_FROM: f32 = 0.8;
/// From this likelihood on, a piece may say what the one behind it speaks of.
const NAMES_FROM: f32 = 0.1;
/// An answer of so few words is read with what it answers.
const ANSWER_WORDS: usize = 6;
/// An answer of fewer words says nothing without what it answers.
const BARE_WORDS: usize = 3;
/// From this likelihood on, a piece is held against what is known before it is let go.
const CHANGE_FROM: f32 = 0.03;
/// From this likelihood on, nothing stands against taking it at its word.
const PLAIN_FROM: f32 = 0.4;
/// How sure a piece is: one that is stated, one on probation, and one that may not be meant as it stands.
const STATED: f64 = 0.9;
const ON_PROBATION: f64 = 0.6;
const DOUBTED: f64 = 0.45;
/// What stands behind an order to forget tells something from so many words on.
const TELLS_WORDS: usize = 2;
/// A longer turn tells more than one procedure.
const PROCEDURE_BYTES_MAX: usize = 2_048;
/// A piece shorter than this needs what it answers to be understood.
const WORDS_MIN: usize = 4;

/// Adds what is kept of a turn with these pieces.
pub(super) fn user_read(
    turn: usize,
    said: &Turn<'_>,
    pieces: &[Piece],
    context: &[Turn<'_>],
    found: &mut PatchSoFar<'_>,
) {
    let statements = statements(turn, said, found.policy);
    let mut taken = asked_for(&statements, context, true, found);
    taken.extend(told_procedure(turn, said, &taken, found));
    let claims = claims(said.text, pieces);
    let sources = speech::spans(said.text);
    for (at, piece) in pieces.iter().enumerate() {
        let covered = taken.iter().any(|place| covers(place, &piece.span));
        let judged = if is_kept(piece) { PieceFate::Listed } else { judged(piece) };
        let fate = if covered { PieceFate::ByForm } else { judged };
        if !claims.iter().any(|(_, one)| overlap(&one.span, &piece.span)) {
            found.fates.push(Fated { turn, piece: at, fate });
        }
    }
    for (last, piece) in claims {
        let piece = told_before_asking(said.text, piece);
        let quote = &said.text[piece.span.clone()];
        let fate = if taken.iter().any(|place| covers(place, &piece.span)) {
            PieceFate::ByForm
        } else if !speech::is_own(&sources, piece.span.clone()) {
            PieceFate::NotOwn
        } else if let Some(guard) = guard_of(&statements, &piece, quote) {
            PieceFate::Guarded(guard)
        } else if echoes(&statements, &piece, context) {
            PieceFate::Echo
        } else if asks_to_forget(quote) {
            PieceFate::Forgets
        } else if found.takes(Operation::Remember(Remember {
            confidence: confidence(&statements, &piece, quote),
            ..claim(turn, said, before(pieces, &piece), &piece)
        })) {
            for it in statements.iter().filter(|it| overlap(&it.span, &piece.span)) {
                found.extend(name::known(it));
                found.extend(name::related(it));
            }
            PieceFate::Kept
        } else {
            PieceFate::Unfit
        };
        let together = (0..=last).filter(|at| overlap(&pieces[*at].span, &piece.span));
        found.fates.extend(together.map(|piece| Fated { turn, piece, fate }));
    }
}

/// Takes in a turn that tells how something is always done, whole: its steps belong together.
fn told_procedure(
    turn: usize,
    said: &Turn<'_>,
    taken: &[Range<usize>],
    found: &mut PatchSoFar<'_>,
) -> Option<Range<usize>> {
    let sources = speech::spans(said.text);
    let whole = 0..said.text.len();
    let fits = taken.is_empty()
        && said.text.len() <= PROCEDURE_BYTES_MAX
        && speech::is_own(&sources, whole.clone())
        && procedure::is_told(said.text);
    let kept = fits.then(|| Remember {
        kind: Kind::Procedure,
        content: said.text.trim().to_owned(),
        label: None,
        domain: None,
        slot: None,
        because: Vec::new(),
        triggers: Vec::new(),
        entities: name::named(&words(said.text)),
        confidence: STATED,
        quote: Some(said.text.to_owned()),
        turn: Some(turn),
    })?;
    found.push(Operation::Remember(kept));
    Some(whole)
}

/// A piece without the question at its end, where something is told before it: "Backups go to S3 now; would you check why
/// the last one is empty?"
fn told_before_asking(turn: &str, piece: Piece) -> Piece {
    let said = &turn[piece.span.clone()];
    let told = said.rfind("; ").filter(|_| asks(said));
    match told.filter(|at| words(&said[..*at]).len() >= WORDS_MIN) {
        Some(at) => Piece { span: piece.span.start..piece.span.start + at, ..piece },
        None => piece,
    }
}

/// Whether words ask, by the mark at their end.
fn asks(said: &str) -> bool {
    said.trim_end_matches(['"', '\'', ')', '*', '_', '”', ' ', '!', '.']).ends_with(['?', '？'])
}

impl PatchSoFar<'_> {
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
    let (mut listed, mut announced) = (false, false);
    for (at, piece) in pieces.iter().enumerate() {
        // What a colon announces goes with what announces it.
        let before = at.checked_sub(1).map_or("", |before| said(&pieces[before]));
        let numbered = without_number(before);
        let opens = numbered.unwrap_or(before).ends_with(':');
        let goes_on = numbered.is_some() || is_listed(said(piece));
        listed = opens || listed && goes_on;
        let last = claims.last_mut().filter(|(last, _)| *last + 1 == at);
        announced = if opens { last.is_some() } else { announced && listed };
        match last {
            Some((last, before))
                if announced
                    || is_kept(piece) && hangs(said(piece))
                    || is_one_sentence(turn, before, piece)
                        && (goes_along(said(piece)) || rules_on(before, piece, said(piece))) =>
            {
                before.span.end = piece.span.end;
                *last = at;
            }
            // A list whose first line says nothing that lasts may still name things that do.
            _ if is_kept(piece) && (!listed || is_listed(said(piece))) => {
                claims.push((at, piece.clone()));
            }
            _ => {}
        }
    }
    claims
}

/// Whether a piece goes on with the sentence of the one before it, and does not ask.
fn is_one_sentence(turn: &str, before: &Piece, piece: &Piece) -> bool {
    let ends = turn[before.span.clone()].trim_end().ends_with(['.', '!', '?', ':', ';']);
    let between = &turn[before.span.end..piece.span.start];
    !ends && !between.contains('\n') && !asks(&turn[piece.span.clone()])
}

/// Whether words only go on with the sentence before them, whose reason, condition or consequence they tell: "…, so
/// you can edit it now", "… if Lena signs off".
fn goes_along(said: &str) -> bool {
    const CONDITIONS: &str =
        "if unless except until till because since although though whereas while which provided";
    const SUBJECTS: &str = "you we i it its they he she that thats everyone everybody nobody there";
    let words = words(said);
    let (Some(first), second) = (words.first(), words.get(1)) else { return false };
    let follows = first.is("so but") && second.is_some_and(|word| word.is(SUBJECTS));
    first.is(CONDITIONS) || follows
}

/// Whether words that look like a request say more of what the sentence before them rules or tells: "…, and keep them
/// under 80 characters", "…, vacuum it by hand after big imports". They point back to it, and where it is no rule they
/// name the occasion.
fn rules_on(before: &Piece, piece: &Piece, said: &str) -> bool {
    const POINTING: &str = "it them those these";
    const OCCASIONS: &str = "after before when whenever every each once unless";
    let rules = matches!(before.role(), Role::Rule | Role::Preference);
    let words = words(said);
    let names = |list: &str| words.iter().any(|word| word.is(list));
    let asked = piece.role() == Role::Request && piece.plain() >= KEEP_FROM;
    asked && names(POINTING) && (rules || names(OCCASIONS))
}

/// Whether words begin with the mark of a list.
fn is_listed(said: &str) -> bool {
    said.split_whitespace().next().is_some_and(reading::marks_list)
}

/// What stands before the number of a step at the end of some words: "The steps are: 1."
fn without_number(said: &str) -> Option<&str> {
    let said = said.trim_end().trim_end_matches(['.', ')']);
    let before = said.trim_end_matches(|c: char| c.is_ascii_digit());
    let numbered = before.len() < said.len() && before.ends_with(char::is_whitespace);
    numbered.then(|| before.trim_end())
}

/// Whether words do not say what they speak of.
pub fn hangs(said: &str) -> bool {
    let said = tidy(said);
    let words = words(&said);
    let bare = words.first().is_some_and(|word| word.is("never always only not except unless"));
    let enough = if bare { WORDS_MIN + 1 } else { WORDS_MIN };
    words.len() < enough || content::dangles(&words)
}

/// Whether a piece of a person's turn is kept.
pub fn is_kept(piece: &Piece) -> bool {
    judged(piece) == PieceFate::Kept
}

/// Which piece of a turn an operation rests on: the first that its quote lies in.
pub fn piece_of(turn: &str, pieces: &[Piece], operation: &Operation) -> Option<usize> {
    piece_with(turn, pieces, quoted(operation)?)
}

/// The first piece of a turn that holds some of these words of it.
pub fn piece_with(turn: &str, pieces: &[Piece], words: &str) -> Option<usize> {
    let place = place_of(turn, words)?;
    pieces.iter().position(|piece| overlap(&piece.span, &place))
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

/// Whether words are too few to stand alone as a claim, and answer the agent.
pub fn is_bare_answer(said: &str, before: Option<&str>) -> bool {
    before.is_some_and(says_enough) && words(said).len() < BARE_WORDS
}

/// Whether words can be understood only with what the agent said before them.
pub fn needs_before(said: &str) -> bool {
    hangs(said) || words(said).len() <= ANSWER_WORDS
}

/// What words are said to: what the agent said last, of the turns before them, the latest first. Whoever takes something back
/// means what they said themselves, where the agent said nothing to that.
pub fn said_to<'a>(
    said: &str,
    earlier: impl Iterator<Item = (Speaker, &'a str)> + Clone,
) -> Option<&'a str> {
    let mut own = earlier.clone().filter(|(speaker, _)| *speaker == Speaker::User);
    let mut earlier = earlier.filter(|(speaker, _)| *speaker == Speaker::Assistant);
    let agent = earlier.next().map(|(_, text)| text);
    if agent.is_some_and(says_enough) || !speech::replaces_what_was_said(said) {
        return agent;
    }
    own.next().map(|(_, text)| text).or(agent)
}

/// The question that an answer belongs to, where an agent asked one last: what else it said must not decide which memory a
/// person's short answer changes.
pub fn what_is_asked(before: &str) -> &str {
    let Some(end) = before.rfind('?') else { return before };
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '\n');
    let mut start = 0;
    for (at, mark) in before[..end].match_indices(ends) {
        let behind = &before[at + mark.len()..];
        if mark == "\n" || behind.starts_with(char::is_whitespace) {
            start = at + mark.len();
        }
    }
    before[start..].trim()
}

/// Whether what an agent said may be answered: more than "All right."
pub fn says_enough(before: &str) -> bool {
    before.contains('?') || words(before).len() >= WORDS_MIN
}

/// The pieces before a claim, which may be made of several.
fn before<'a>(pieces: &'a [Piece], claim: &Piece) -> &'a [Piece] {
    let end = pieces.iter().position(|one| one.span.start >= claim.span.start);
    &pieces[..end.unwrap_or(pieces.len())]
}

/// A piece as a claim, in its speaker's words. `before` are the pieces before it.
fn claim(turn: usize, said: &Turn<'_>, before: &[Piece], piece: &Piece) -> Remember {
    let quote = &said.text[piece.span.clone()];
    // Whoever says that something was decided tells what sort of claim it is.
    let decided = words(quote).iter().any(|word| word.is("decided"));
    Remember {
        kind: if decided { Kind::Decision } else { piece.kind() },
        content: whole(said, before, quote),
        label: None,
        domain: None,
        slot: None,
        because: Vec::new(),
        triggers: Vec::new(),
        entities: name::named(&words(quote)),
        confidence: ON_PROBATION,
        quote: Some(quote.to_owned()),
        turn: Some(turn),
    }
}

/// How sure it is that a piece is meant as it stands, and will last.
fn confidence(statements: &[ProbedSentence<'_>], piece: &Piece, quote: &str) -> f64 {
    // What others have settled may stand, and is not the speaker's own word; where the reader is sure of it, it knows better.
    let open =
        |it: &ProbedSentence<'_>| matches!(it.guard, Some(Guard::Hypothetical | Guard::ThirdParty));
    let open = all_of(statements, piece, open) && !meet::permits_if(quote);
    let is_stated = piece.lasting >= STATED_FROM && piece.plain() >= STATED_PLAIN_FROM;
    if open && !is_stated || piece.plain() < PLAIN_FROM {
        DOUBTED
    } else if is_stated {
        STATED
    } else {
        ON_PROBATION
    }
}

/// The words of a piece, with those before it where they do not say what they speak of. What the agent
/// said is never part of them: it would count as the person's word.
fn whole(said: &Turn<'_>, before: &[Piece], quote: &str) -> String {
    let own = tidy(without_lead(quote));
    let names = |before: &&Piece| before.role().claims() || before.lasting >= NAMES_FROM;
    match before.last().filter(names).filter(|_| hangs(quote)) {
        Some(before) => format!("{}; {own}", tidy(&said.text[before.span.clone()])),
        None => own,
    }
}

/// The words of a piece without those that only lead over to them: "and …", "btw …", "— …".
fn without_lead(said: &str) -> &str {
    let said = said.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '—' | '–'));
    &said[lead_over(said)..]
}

/// A stretch of a turn on one line, without the mark of a list before it and what only ends it.
fn tidy(said: &str) -> String {
    let said = said.trim_start();
    let said = match said.split_once(char::is_whitespace) {
        Some((mark, said)) if reading::marks_list(mark) => said,
        Some(_) | None => said,
    };
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

/// What forms say against a piece: it asks by its mark, or all of it is repeated after somebody or taken back: they are
/// seldom mistaken there. What else asks is told better by the reader, and so is what supposes something or is
/// reported after somebody, where the reader is sure of it.
fn guard_of(statements: &[ProbedSentence<'_>], piece: &Piece, quote: &str) -> Option<Guard> {
    if asks(quote) {
        return Some(Guard::Question);
    }
    // The condition of what is permitted supposes nothing.
    let sure = piece.lasting.min(piece.plain()) >= SURE_FROM || meet::permits_if(quote);
    let guards = |it: &ProbedSentence<'_>| match it.guard {
        Some(Guard::Quoted | Guard::SelfResolving) => true,
        Some(Guard::ThirdParty | Guard::Hypothetical) => !sure,
        Some(Guard::Question) | None => false,
    };
    let inside = |it: &&ProbedSentence<'_>| overlap(&it.span, &piece.span);
    let first = statements.iter().find(inside)?.guard;
    first.filter(|_| all_of(statements, piece, guards))
}

/// Whether something holds of all statements in a piece, if there are any.
fn all_of(
    statements: &[ProbedSentence<'_>],
    piece: &Piece,
    holds: impl FnMut(&ProbedSentence<'_>) -> bool,
) -> bool {
    let inside = |it: &&ProbedSentence<'_>| overlap(&it.span, &piece.span);
    let mut inside = statements.iter().filter(inside).peekable();
    inside.peek().is_some() && inside.all(holds)
}

fn echoes(statements: &[ProbedSentence<'_>], piece: &Piece, context: &[Turn<'_>]) -> bool {
    all_of(statements, piece, |it| is_echo(it, context))
}

/// The words that an operation rests on.
fn quoted(operation: &Operation) -> Option<&str> {
    match operation {
        Operation::Remember(it) => it.quote.as_deref(),
        Operation::Correct(it) => it.quote.as_deref(),
        Operation::Retract(it) | Operation::Archive(it) => it.quote.as_deref(),
        Operation::Relate(it) => it.quote.as_deref(),
        Operation::Know { .. }
        | Operation::Settle(_)
        | Operation::Summarize(_)
        | Operation::Artifact(_) => None,
    }
}

fn place_of(turn: &str, quote: &str) -> Option<Range<usize>> {
    turn.find(quote).map(|start| start..start + quote.len())
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Whether most of a piece lies within a place.
fn covers(place: &Range<usize>, piece: &Range<usize>) -> bool {
    let shared = place.end.min(piece.end).saturating_sub(place.start.max(piece.start));
    2 * shared >= piece.len()
}
