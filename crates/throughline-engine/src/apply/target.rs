//! Targets: reads the memories that somebody may mean who says that something is wrong. Which of them is meant,
//! `throughline_language::target` decides.

use std::collections::BTreeSet;

use throughline_core::{Memory, RowKey, SessionId, SpaceId, State};
use throughline_embed::MODEL;
use throughline_language::near;
use throughline_language::target::{self, SaidAgain, SaidWrong, holding, telling_terms};
use throughline_store::{Reader, TextOf, TextQuery};

use crate::Result;
use crate::engine::is_handle;
use crate::flows::Keeping;
use crate::neighbours::head_of;
use crate::transaction::Transaction;

/// Memories that may say the same and are looked at.
const TWINS: usize = 4;
/// Memories that are looked at.
const LOOKED_AT: usize = 16;

impl Keeping<'_> {
    /// Active memories of the same space that are near in meaning to one, and may be told of the
    /// same thing differently; the nearest first.
    pub(crate) fn near_to(
        &self,
        reader: &dyn Reader,
        memory: &Memory,
        most: usize,
    ) -> Result<Vec<Memory>> {
        let terms = telling_terms(&memory.content);
        if terms.is_empty() || !memory.kind.can_be_replaced() {
            return Ok(Vec::new());
        }
        let query = TextQuery {
            states: vec![State::Staged, State::Confirmed],
            limit: LOOKED_AT,
            ..asking(memory.space, memory.session.as_ref(), &terms)
        };
        let meaning = self.meaning_of(reader, memory)?;
        let mut near: Vec<(f64, Memory)> = Vec::new();
        for other in memories(reader, &query)? {
            if other.id == memory.id
                || other.session != memory.session
                || !other.kind.can_be_replaced()
            {
                continue;
            }
            let cosine = f64::from(dot(&meaning, &self.meaning_of(reader, &other)?));
            if target::is_near(cosine) {
                near.push((cosine, other));
            }
        }
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.id.cmp(&b.1.id)));
        near.truncate(most);
        Ok(near.into_iter().map(|(_, memory)| memory).collect())
    }

    /// The active memory that holds what is wrong, if there is exactly one.
    pub(super) fn target(
        &self,
        tx: &Transaction<'_>,
        wrong: &str,
        right: &str,
    ) -> Result<Option<Memory>> {
        let space = tx.scope.space;
        if is_handle(wrong) {
            let mut found = tx.find(&[space], wrong)?;
            found.retain(|one| one.state.is_active());
            return Ok(if found.len() == 1 { found.pop() } else { None });
        }
        let Some(said) = SaidWrong::new(wrong, right) else { return Ok(None) };
        let states = vec![State::Staged, State::Confirmed];
        let query = TextQuery {
            states,
            limit: LOOKED_AT,
            ..asking(space, tx.session.as_ref(), &said.to_look_for())
        };
        let mut held = memories(&**tx, &query)?;
        held.retain(|memory| memory.kind.can_be_replaced());
        let texts: Vec<&str> = held.iter().map(|memory| memory.content.as_str()).collect();
        let mut candidates: Vec<&Memory> =
            said.candidates(&texts).into_iter().map(|at| &held[at]).collect();
        candidates.sort_by_key(|memory| memory.id);
        let meaning = self.engine.meaning.of_query(said.meaning());
        let near = candidates.iter().map(|memory| -> Result<(f64, &str)> {
            let cosine = dot(&meaning, &self.meaning_of(&**tx, memory)?);
            Ok((f64::from(cosine), &memory.content))
        });
        let near: Vec<(f64, &str)> = near.collect::<Result<_>>()?;
        Ok(said.meant(&near).map(|at| candidates[at].clone()))
    }

    /// A memory that was replaced or taken back and says this, or nearly this, while none that is
    /// held does.
    pub(super) fn gone_saying(
        &self,
        reader: &dyn Reader,
        space: SpaceId,
        session: Option<&SessionId>,
        said: &str,
    ) -> Result<Option<Memory>> {
        let terms = telling_terms(said);
        let states =
            [vec![State::Superseded, State::Retracted], vec![State::Staged, State::Confirmed]];
        let meaning = self.engine.meaning.of_query(said);
        let mut alike = states.into_iter().map(|states| -> Result<Option<Memory>> {
            let query = TextQuery { states, limit: TWINS, ..asking(space, session, &terms) };
            for memory in memories(reader, &query)? {
                let apart = near::veto(&memory.content, said).is_some();
                if apart {
                    continue;
                }
                let cosine = dot(&meaning, &self.meaning_of(reader, &memory)?);
                if target::is_the_same_again(f64::from(cosine)) {
                    return Ok(Some(memory));
                }
            }
            Ok(None)
        });
        let gone = alike.next().transpose()?.flatten();
        let held = alike.next().transpose()?.flatten();
        Ok(gone.filter(|_| held.is_none()))
    }

    /// The vector of a memory, as it was kept or made anew.
    fn meaning_of(&self, reader: &dyn Reader, memory: &Memory) -> Result<Vec<f32>> {
        let kept = reader.vectors_of(memory.space, MODEL, &[memory.id.into()])?.remove(0);
        Ok(kept.unwrap_or_else(|| {
            let text = throughline_core::document::searchable_memory(memory);
            self.engine.meaning.of_query(&text).to_vec()
        }))
    }

    /// What stands where something stood that is said again: "we went back to npm" takes back
    /// whatever replaced it. Only where one memory can be meant.
    pub(super) fn in_place_of(&self, tx: &Transaction<'_>, right: &str) -> Result<Option<Memory>> {
        let space = tx.scope.space;
        let right = &holding(right);
        let wanted = telling_terms(right);
        if wanted.is_empty() {
            return Ok(None);
        }
        let states = vec![State::Superseded];
        let query =
            TextQuery { states, limit: LOOKED_AT, ..asking(space, tx.session.as_ref(), &wanted) };
        let meaning = self.engine.meaning.of_query(right);
        let mut heads: Vec<Memory> = Vec::new();
        for retired in memories(&**tx, &query)? {
            let Some(head) = head_of(&**tx, &retired)? else { continue };
            let again = match target::said_again(right, &retired.content, &head.content) {
                SaidAgain::No => false,
                SaidAgain::Yes => true,
                SaidAgain::IfNear => {
                    let cosine = dot(&meaning, &self.meaning_of(&**tx, &retired)?);
                    target::is_said_again(f64::from(cosine))
                }
            };
            if again && head.state.is_active() && heads.iter().all(|one| one.id != head.id) {
                heads.push(head);
            }
        }
        Ok(if heads.len() == 1 { heads.pop() } else { None })
    }
}

/// A search for memories that hold some of these words; what state and sort, the caller says.
fn asking(space: SpaceId, session: Option<&SessionId>, terms: &BTreeSet<String>) -> TextQuery {
    TextQuery {
        spaces: vec![space],
        session: session.cloned(),
        terms: terms.iter().cloned().collect(),
        of: TextOf::Memories,
        states: Vec::new(),
        kinds: Vec::new(),
        limit: 0,
    }
}

/// The memories that a search finds, best first.
fn memories(reader: &dyn Reader, query: &TextQuery) -> Result<Vec<Memory>> {
    let hits = reader.text(query)?.into_iter();
    let keys: Vec<RowKey> = hits.map(|hit| RowKey::node(hit.space, hit.node)).collect();
    Ok(reader.rows(&keys)?.into_iter().filter_map(|row| row?.into_memory()).collect())
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}
