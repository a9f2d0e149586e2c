//! Pairs: do two claims that are near each other contradict? A model is asked about what is new,
//! and the ranks decide what follows. Nothing is taken away: at most one takes the other's place.

use std::collections::BTreeSet;

use throughline_core::authority::{Contest, contest};
use throughline_core::proposal::{self, Pair, Verdict};
use throughline_core::{
    Cause, Change, Edge, Memory, MemoryId, NodeId, Relation, RowKey, text, tokens,
};
use throughline_llm::Request;
use throughline_store::{LogQuery, Reader};

use super::{Held, Llm, ModelState, SOON_MS};
use crate::clean::clean_text;
use crate::engine::Draft;
use crate::{Context, Engine, Result};

/// Pairs of one question.
const PAIRS_MAX: usize = 12;
/// Memories that one is held against.
const NEAR_MAX: usize = 3;
/// Batches that are looked at in one go.
const BATCHES_MAX: usize = 512;
/// Characters that are shown of a claim.
const CLAIM_CHARS: usize = 500;
/// Tokens of an answer.
const ANSWER_TOKENS: u32 = 2_000;

/// What came of comparing.
#[derive(Debug, Default)]
pub(super) struct Compared {
    pub(super) pairs: usize,
    pub(super) contested: usize,
    pub(super) superseded: usize,
    pub(super) tokens: u64,
    pub(super) held: Option<Held>,
}

/// Two memories, the older one first.
type Two = (Memory, Memory);

impl Engine {
    /// Asks about the memories that came in since the last time.
    pub(super) fn compare_new(&self, llm: &Llm, here: &Context) -> Result<Compared> {
        let mut compared = Compared::default();
        let (pairs, seen, done) = self.new_pairs()?;
        if !pairs.is_empty() {
            let shown = |one: &Memory| (text::headline(&one.content, CLAIM_CHARS), one.recorded_at);
            let told: Vec<Pair> =
                pairs.iter().map(|(a, b)| Pair { older: shown(a), newer: shown(b) }).collect();
            let mut prompt = proposal::pairs_prompt(&told);
            clean_text(&mut prompt);
            compared.held = self.held_back(llm, None, tokens::estimate(&prompt) as u64);
            if compared.held.is_some() {
                return Ok(compared);
            }
            let schema = proposal::pairs_schema();
            let request = Request {
                system: proposal::PAIRS,
                prompt: &prompt,
                name: "verdicts",
                schema: &schema,
                tokens_max: ANSWER_TOKENS,
            };
            let asked = self.ask_model(llm, None, &request)?;
            compared.tokens = asked.usage.total();
            match asked.answer {
                Ok(answer) => {
                    let verdicts = proposal::pairs(&answer, pairs.len());
                    compared.pairs = pairs.len();
                    self.rule_on(here, &pairs, &verdicts, seen, &mut compared)?;
                }
                // These pairs are no matter of life and death.
                Err(error) if error.is_about_the_question() => {}
                Err(error) => {
                    let until = Some(self.now().as_millis() + SOON_MS);
                    compared.held = Some(Held { why: error.to_string(), until });
                    return Ok(compared);
                }
            }
        }
        ModelState::update(&self.home, |state| state.paired = done)?;
        Ok(compared)
    }

    /// Pairs of what is new with what is near it, the latest change, and up to where that was looked.
    fn new_pairs(&self) -> Result<(Vec<Two>, u64, u64)> {
        let reader = self.now_reader()?;
        let seen = self.latest_change(&*reader)?;
        let paired = ModelState::load(&self.home).paired;
        let after_seq = if paired > seen { 0 } else { paired };
        let since = Some(self.now().plus_days(-1.0));
        let query = LogQuery { after_seq, since, limit: BATCHES_MAX, ..LogQuery::default() };
        let mut met: BTreeSet<(MemoryId, MemoryId)> = BTreeSet::new();
        let mut pairs = Vec::new();
        let mut done = seen;
        for stored in reader.log(&query)? {
            if pairs.len() >= PAIRS_MAX {
                break;
            }
            done = stored.last_seq;
            let keys: Vec<RowKey> = stored.batch.changes.iter().filter_map(inserted).collect();
            let rows = reader.rows(&keys)?.into_iter().flatten();
            for memory in rows.filter_map(throughline_core::Row::into_memory) {
                if !memory.state.is_active() {
                    continue;
                }
                for other in self.near_to(&*reader, &memory, NEAR_MAX)? {
                    let two = in_order(memory.clone(), other);
                    if met.insert((two.0.id, two.1.id)) && is_open(&*reader, &two)? {
                        pairs.push(two);
                    }
                }
            }
        }
        pairs.truncate(PAIRS_MAX);
        Ok((pairs, seen, done.max(after_seq)))
    }

    /// Writes what follows from verdicts, where nobody touched either memory since.
    fn rule_on(
        &self,
        here: &Context,
        pairs: &[Two],
        verdicts: &[Option<(Verdict, String)>],
        seen: u64,
        compared: &mut Compared,
    ) -> Result<()> {
        for ((older, newer), verdict) in pairs.iter().zip(verdicts) {
            let Some((verdict, why)) = verdict else { continue };
            if !matches!(verdict, Verdict::Contradicts | Verdict::Replaces) {
                continue;
            }
            let context =
                Context { actor: throughline_core::Actor::System, session: None, ..here.clone() };
            let (ruled, _) = self.write(&context, Cause::Model, None, |reader, draft| {
                draft.settle(older);
                let two = (older.clone(), newer.clone());
                if is_touched(reader, older, seen)?
                    || is_touched(reader, newer, seen)?
                    || !is_open(reader, &two)?
                {
                    return Ok(None);
                }
                Ok(Some(rule(draft, &two, *verdict, why)))
            })?;
            match ruled {
                Some(Ruled::Superseded) => compared.superseded += 1,
                Some(Ruled::Contested) => compared.contested += 1,
                None => {}
            }
        }
        Ok(())
    }
}

enum Ruled {
    Superseded,
    Contested,
}

/// The newer one takes the older one's place only where the model says that things changed, the
/// ranks allow it, and no person stands behind the older one. Otherwise a person decides.
fn rule(draft: &mut Draft, (older, newer): &Two, verdict: Verdict, why: &str) -> Ruled {
    let (space, at) = (older.space, draft.now);
    let allowed = contest(newer.authority, older.authority, true) == Contest::Supersede;
    let ours = !older.authority.is_user() && !older.pinned;
    if verdict == Verdict::Replaces && allowed && ours {
        draft.changes.push(Change::Supersede { space, old: older.id, new: newer.id, at });
        return Ruled::Superseded;
    }
    let (from, to) = Relation::Contradicts.in_order(newer.id.into(), older.id.into());
    let edge = Edge::new(space, from, Relation::Contradicts, to, at);
    let reason =
        (!why.is_empty()).then(|| format!("a model thinks so: {}", crate::clean::cleaned(why).0));
    draft.changes.push(Change::Link(Edge { reason, ..edge }));
    Ruled::Contested
}

fn inserted(change: &Change) -> Option<RowKey> {
    if let Change::Insert(memory) = change {
        Some(RowKey::memory(memory.space, memory.id))
    } else {
        None
    }
}

fn in_order(one: Memory, other: Memory) -> Two {
    let age = |memory: &Memory| (memory.recorded_at, memory.id);
    if age(&one) <= age(&other) { (one, other) } else { (other, one) }
}

/// Whether nothing is decided between two: no slot that settles it, no edge that says so.
fn is_open(reader: &dyn Reader, (one, other): &Two) -> Result<bool> {
    let slots = (one.slot.as_ref(), other.slot.as_ref());
    if let (Some(a), Some(b)) = slots
        && a.key() == b.key()
    {
        return Ok(false);
    }
    let edges = reader.neighbours(one.space, &[one.id.into()], &[], 64)?;
    let other = NodeId::Memory(other.id);
    Ok(!edges
        .iter()
        .any(|edge| edge.relation != Relation::CoUsed && [edge.from, edge.to].contains(&other)))
}

fn is_touched(reader: &dyn Reader, memory: &Memory, seen: u64) -> Result<bool> {
    let key = RowKey::memory(memory.space, memory.id);
    Ok(reader.next_touch(&key, &[memory.id.into()], seen)?.is_some())
}
