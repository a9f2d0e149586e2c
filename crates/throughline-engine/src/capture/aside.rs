//! Reading aside: what would come of a text if a person said it now. Nothing of it is written.
//!
//! The text goes the way that every turn goes, up to the transaction of changes, which is looked at and
//! thrown away.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::Speaker;
use throughline_core::meet::Difference;
use throughline_core::patch::Operation;
use throughline_core::permission::Door;
use throughline_core::reading::{self, Effect, Judged, Piece};
use throughline_core::scope::Level;
use throughline_core::{
    Cause, Change, EpisodeId, Memory, MemoryId, Row, RowKey, SessionId, Timestamp,
};
use throughline_language::gate::Flush;
use throughline_language::probe::{self, PieceFate};
use throughline_reader::is_english;

use super::judge::{Pass, Probed, Weighed};
use super::read::claim_of;
use super::{Captured, Mind, TurnsToWrite};
use crate::apply::Applied;
use crate::clean::Cleaner;
use crate::flows::Capturing;
use crate::reading::{self as trained, Bearings, LeftClause};
use crate::{Context, Error, Result, mint};

/// What would come of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadAside {
    /// The text, without what must not be kept.
    pub text: String,
    /// The agent's message before it, likewise.
    pub before: Option<String>,
    /// Secrets that were taken out of both.
    pub redacted: usize,
    /// Bytes at the end of the text that nobody reads.
    pub unread: usize,
    /// Why the reader's weights cannot be used. Then only forms are understood.
    pub unusable: Option<String>,
    /// It is one question and nothing else, by its marks: it is not read in pieces.
    pub only_asks: bool,
    /// It is in English, as far as that can be told. Else it is not read in pieces.
    pub english: bool,
    /// The text was erased before: it does not come in again.
    pub erased: bool,
    /// Its pieces, in their order.
    pub pieces: Vec<ReadPiece>,
    /// What comes of it and rests on none of the pieces.
    pub comes: Vec<Comes>,
}

/// A piece of the text, and what becomes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadPiece {
    /// What the reader makes of its words.
    pub piece: Piece,
    /// It gives something that is held another value, which its words do not tell; how likely.
    pub changes: Option<f32>,
    /// What becomes of it.
    pub fate: PieceFate,
    /// What comes of it.
    pub comes: Vec<Comes>,
    /// What it was held against before it was let go.
    pub meets: Vec<Meets>,
}

/// One thing that would be done.
#[derive(Debug, Clone, PartialEq)]
pub struct Comes {
    /// What was understood.
    pub operation: Operation,
    /// The memory that is new.
    pub kept: Option<Memory>,
    /// Its reasons that are new.
    pub reasons: Vec<Memory>,
    /// What stays of what it replaces, as memories of their own.
    pub stays: Vec<Memory>,
    /// Why it waits for a person, if it does.
    pub waits: Option<String>,
    /// The text itself says something else about the same thing later.
    pub overtaken: bool,
    /// The memories that it meets.
    pub meets: Vec<Meets>,
}

/// A memory that is held and met.
#[derive(Debug, Clone, PartialEq)]
pub struct Meets {
    /// The memory.
    pub held: Memory,
    /// How the reader thinks that the words bear on it. `None` where it did not look.
    pub judged: Option<Judged>,
    /// What is done to it is done because of that; else because of its form or its past.
    pub by_reader: bool,
    /// What is done to it.
    pub effect: Effect,
}

impl Capturing<'_> {
    /// What would come of a text if a person said it to an agent in this project, in answer to
    /// `before`. Nothing is written.
    pub fn read_aside(&self, before: Option<&str>, text: &str) -> Result<ReadAside> {
        if text.trim().is_empty() {
            return Err(Error::BadInput("there is nothing to read in an empty text".to_owned()));
        }
        let (mut text, mut before) = (text.to_owned(), before.map(str::to_owned));
        // What is recognised here is not kept either, not even as a hash.
        let mut cleaner = Cleaner::of(&self.engine.home, self.context.session.as_ref());
        cleaner.texts(std::iter::once(&mut text).chain(&mut before));
        let now = self.engine.now();
        let session = SessionId(format!("read-{}", mint::id(now)));
        let context = Context {
            session: Some(session.clone()),
            level: Level::Project,
            door: Door::Hook,
            ..self.context.clone()
        };
        let here = self.engine.capturing(&context);
        let mut mind = self.mind_after(before.as_deref(), now);
        let turns = [Captured::said(now, Speaker::User, &text)];
        let mut pass = here.judge_turns(&session, &turns, &mut mind, Some(Flush::Ending))?;
        let bearings = here.bearings_of_claims(pass.patches())?;
        let heard = TurnsToWrite {
            context: &context,
            session: &session,
            agent: Some("read"),
            turns: &turns,
            mind: &mind,
            shown: Vec::new(),
            bearings,
        };
        let ((applied, used), changes) = self.engine.try_out(&context, Cause::Capture, |tx| {
            let applied = here.plan_turns(tx, &heard, &mut pass)?.1;
            Ok((applied, tx.bearings.clone()))
        })?;
        let mut read = ReadAside {
            text,
            before,
            redacted: cleaner.taken(),
            unread: 0,
            unusable: trained::usable().err().map(|why| why.to_string()),
            only_asks: trained::only_asks(&turns[0].text),
            english: is_english(&turns[0].text),
            erased: pass.episodes.is_empty(),
            pieces: Vec::new(),
            comes: Vec::new(),
        };
        let tried = Tried {
            context: &context,
            changes: &changes,
            bearings: &heard.bearings,
            used: &used,
            pass: &pass,
            applied: &applied,
        };
        self.tell(&tried, &mind, &mut read)?;
        Ok(read)
    }

    /// The mind of a session in which an agent has said this and nothing else happened.
    fn mind_after(&self, before: Option<&str>, now: Timestamp) -> Mind {
        let mut mind = Mind::default();
        if let Some(before) = before.filter(|before| !before.trim().is_empty()) {
            let turn = Captured::said(now, Speaker::Assistant, before);
            mind.hear(&turn, EpisodeId(mint::id(now)), &self.engine.policy.activation);
            mind.is_known();
        }
        mind
    }

    /// Puts together what was decided, piece by piece.
    fn tell(&self, tried: &Tried<'_>, mind: &Mind, read: &mut ReadAside) -> Result<()> {
        let Some((heard, pieces)) = mind.last_read().filter(|_| !read.erased) else {
            return Ok(());
        };
        let pieces = pieces.unwrap_or_default();
        read.unread = read.text.len() - heard.len();
        let held = self.held(tried)?;
        read.pieces =
            pieces.iter().enumerate().map(|(at, one)| tried.piece(at, one, &held)).collect();
        for (one, applied) in tried.pass.patches().zip(tried.applied) {
            for (at, operation) in one.patch.operations.iter().enumerate() {
                let Some(comes) = tried.comes(at, operation, applied, &held) else { continue };
                match probe::piece_of(heard, pieces, operation) {
                    Some(piece) => read.pieces[piece].comes.push(comes),
                    None => read.comes.push(comes),
                }
            }
        }
        for one in read.pieces.iter_mut().filter(|one| !one.comes.is_empty()) {
            one.meets.clear();
        }
        Ok(())
    }

    /// Every memory that anything met, whether it is held or was just made.
    fn held(&self, tried: &Tried<'_>) -> Result<BTreeMap<MemoryId, Memory>> {
        let space = tried.context.project.space();
        let keys: Vec<RowKey> =
            tried.met().into_iter().map(|id| RowKey::memory(space, id)).collect();
        let rows = self.engine.now_reader()?.rows(&keys)?.into_iter().flatten();
        let held = rows.filter_map(Row::into_memory);
        Ok(held.chain(tried.made(0..tried.changes.len())).map(|one| (one.id, one)).collect())
    }
}

/// What was tried, and what came of it.
struct Tried<'a> {
    context: &'a Context,
    changes: &'a [Change],
    /// How claims bear on what is held, and what of that was used: whoever names what is wrong changes
    /// nothing else.
    bearings: &'a Bearings,
    used: &'a Bearings,
    pass: &'a Pass,
    applied: &'a [Applied],
}

impl Tried<'_> {
    /// Every memory that was met by what is claimed, by what was weighed, or by a change.
    fn met(&self) -> BTreeSet<MemoryId> {
        let operations = self.pass.patches().flat_map(|one| &one.patch.operations);
        let claimed = operations.filter_map(claim_of).flat_map(|it| self.bearings.of(it));
        let weighed = self.pass.weighed.iter().flat_map(|one| &one.bearings);
        let met = claimed.chain(weighed).map(|one| one.id);
        met.chain(reading::met(self.changes)).collect()
    }

    /// The memories that some of the changes make.
    fn made(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = Memory> {
        self.changes[range].iter().filter_map(|change| {
            if let Change::Insert(memory) = change { Some((**memory).clone()) } else { None }
        })
    }

    /// A piece of the text, as it was judged.
    fn piece(&self, at: usize, judged: &Piece, held: &BTreeMap<MemoryId, Memory>) -> ReadPiece {
        let weighed: Option<&Weighed> = self.pass.weighed.iter().rfind(|one| one.piece == at);
        let own = weighed.map_or(judged, |one| &one.own);
        let fates = self.pass.patches().flat_map(|one: &Probed| {
            let last = one.turns.len().saturating_sub(1);
            one.fates.iter().filter(move |fated| fated.turn == last)
        });
        let fate = fates.into_iter().find(|fated| fated.piece == at).map(|fated| fated.fate);
        let bearings = weighed.map_or(&[][..], |one| &one.bearings);
        let meets = bearings.iter().filter(|one| one.holds).filter_map(|one| {
            let (held, judged) = (held.get(&one.id)?.clone(), Some(one.judged));
            let effect = Effect::of(self.changes, &held);
            let effect = if effect == Effect::Beside { effect } else { Effect::Leaves };
            Some(Meets { held, judged, by_reader: true, effect })
        });
        ReadPiece {
            piece: own.clone(),
            changes: (own != judged).then_some(judged.lasting),
            fate: fate.unwrap_or(PieceFate::Unfit),
            comes: Vec::new(),
            meets: meets.collect(),
        }
    }

    /// What came of an operation. `None` where it only names things.
    fn comes(
        &self,
        at: usize,
        operation: &Operation,
        applied: &Applied,
        held: &BTreeMap<MemoryId, Memory>,
    ) -> Option<Comes> {
        if matches!(operation, Operation::Know { .. }) {
            return None;
        }
        let outcome = applied.each.iter().find(|one| one.operation == at);
        let range = outcome.map_or(0..0, |one| one.changes.clone());
        let changes = &self.changes[range.clone()];
        let mut made = self.made(range);
        let claim = claim_of(operation);
        let bearings = claim.into_iter().flat_map(|it| self.bearings.of(it));
        let judged: BTreeMap<MemoryId, Judged> = bearings.map(|one| (one.id, one.judged)).collect();
        let met: BTreeSet<MemoryId> = judged.keys().copied().chain(reading::met(changes)).collect();
        let read = claim.map_or_else(Vec::new, |it| self.used.differences(it));
        let read: BTreeMap<MemoryId, Difference> = read.into_iter().collect();
        let mut meets: Vec<Meets> = met
            .into_iter()
            .filter_map(|id| {
                let held = held.get(&id)?.clone();
                let effect = Effect::of(changes, &held);
                let by_reader = match effect {
                    Effect::Leaves | Effect::Beside => true,
                    Effect::Replaces => read.get(&id) == Some(&Difference::Value),
                    Effect::Questions | Effect::Outranks => read.contains_key(&id),
                    Effect::Withdraws | Effect::Same | Effect::Adds => false,
                };
                Some(Meets { held, judged: judged.get(&id).copied(), by_reader, effect })
            })
            .collect();
        let touches = |one: &Meets| one.judged.map_or(0.0, |judged| judged.touches());
        meets.sort_by(|a, b| {
            a.effect.cmp(&b.effect).then_with(|| touches(b).total_cmp(&touches(a)))
        });
        let left: Vec<LeftClause> = meets
            .iter()
            .flat_map(|one| claim.map_or_else(Vec::new, |it| self.used.left_of(it, one.held.id)))
            .collect();
        let kept = made.next();
        let is_left = |one: &Memory| left.iter().any(|clause| clause.words == one.content);
        let (stays, reasons) = made.partition(is_left);
        Some(Comes {
            operation: operation.clone(),
            kept,
            reasons,
            stays,
            waits: outcome.and_then(|one| one.waits.clone()),
            overtaken: outcome.is_none(),
            meets,
        })
    }
}
