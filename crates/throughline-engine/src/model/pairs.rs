//! Pairs: do two claims that are near each other contradict? A model is asked about what is new,
//! and the ranks decide what follows. Nothing is taken away: at most one takes the other's place.

use throughline_core::authority::Contest;
use throughline_core::permission::{self, Act, Backing, Door};
use throughline_core::{
    Cause, Change, Edge, Memory, NodeId, Relation, Row, RowKey, form, reconcile, text,
};
use throughline_language::proposal::{self, Pair, PairVerdict};
use throughline_llm::ModelRequest;
use throughline_store::{LogQuery, Reader};

use super::{Account, HeldBack, Llm, ModelState, Replied, sendable};
use crate::flows::Working;
use crate::permit::ask;
use crate::transaction::Transaction;
use crate::{Context, Result};

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
    pub(super) held: Option<HeldBack>,
}

/// Two memories, the older one first.
type Two = (Memory, Memory);

/// A stretch of the log, and the pairs in it.
struct LogStretch {
    pairs: Vec<Two>,
    /// The latest change when it was read.
    seen: u64,
    /// Up to which change it goes.
    done: u64,
    /// Whether there is more behind it.
    more: bool,
}

impl Working<'_> {
    /// Asks about the memories that came in since the last time, each once.
    pub(super) fn compare_new(&self, llm: &Llm, here: &Context) -> Result<Compared> {
        let mut compared = Compared::default();
        loop {
            let near = self.new_pairs()?;
            if !near.pairs.is_empty() {
                self.compare(llm, here, &near, &mut compared)?;
                if compared.held.is_some() {
                    return Ok(compared);
                }
            }
            ModelState::update(&self.engine.home, |state| state.paired = near.done)?;
            if !near.more {
                return Ok(compared);
            }
        }
    }

    /// Asks one question about pairs, and writes what follows.
    fn compare(
        &self,
        llm: &Llm,
        here: &Context,
        near: &LogStretch,
        compared: &mut Compared,
    ) -> Result<()> {
        let shown =
            |one: &Memory| (text::headline(&sendable(&one.content), CLAIM_CHARS), one.recorded_at);
        let told: Vec<Pair> =
            near.pairs.iter().map(|(a, b)| Pair { older: shown(a), newer: shown(b) }).collect();
        let (prompt, schema) = (proposal::pairs_prompt(&told), proposal::pairs_schema());
        let request = ModelRequest {
            system: proposal::PAIRS,
            prompt: &prompt,
            name: "verdicts",
            schema: &schema,
            tokens_max: ANSWER_TOKENS,
        };
        let asked = match self.ask_model(llm, Account::Pairs, &request)? {
            Replied::Asked(asked) => asked,
            Replied::Held(held) => {
                compared.held = Some(held);
                return Ok(());
            }
        };
        compared.tokens += asked.usage.total();
        match asked.answer {
            Ok(answer) => {
                let verdicts = proposal::pairs(&answer, near.pairs.len());
                compared.pairs += near.pairs.len();
                self.rule_on(here, &near.pairs, &verdicts, near.seen, compared)?;
            }
            // These pairs are no matter of life and death.
            Err(error) if error.is_about_the_question() => {}
            Err(error) => compared.held = Some(self.held_by(&error)),
        }
        Ok(())
    }

    /// The next pairs of what is new with what is near it and older: so each is met once.
    fn new_pairs(&self) -> Result<LogStretch> {
        let reader = self.engine.now_reader()?;
        let seen = self.engine.latest_change(&*reader)?;
        let paired = ModelState::load(&self.engine.home).paired;
        // Another database may have taken this one's place.
        let after_seq = if paired > seen { 0 } else { paired };
        let query = LogQuery { after_seq, limit: BATCHES_MAX, ..LogQuery::default() };
        let page = reader.log(&query)?;
        let more = page.len() == BATCHES_MAX;
        let mut near = LogStretch { pairs: Vec::new(), seen, done: after_seq, more };
        for stored in page {
            for (seq, change) in (stored.first_seq..).zip(&stored.batch.changes) {
                let Some(key) = inserted(change).filter(|_| seq > after_seq) else { continue };
                let memory = reader.rows(&[key])?.remove(0).and_then(Row::into_memory);
                if let Some(memory) = memory.filter(|one| one.state.is_active()) {
                    near.pairs.extend(self.older_near(&*reader, &memory)?);
                }
                near.done = seq;
                if near.pairs.len() + NEAR_MAX > PAIRS_MAX {
                    return Ok(LogStretch { more: true, ..near });
                }
            }
            near.done = near.done.max(stored.last_seq);
        }
        Ok(near)
    }

    fn older_near(&self, reader: &dyn Reader, memory: &Memory) -> Result<Vec<Two>> {
        let age = |one: &Memory| (one.recorded_at, one.id);
        let mut pairs = Vec::new();
        for other in self.engine.keeping(self.context).near_to(reader, memory, usize::MAX)? {
            let two = (other, memory.clone());
            if age(&two.0) < age(&two.1) && is_open(reader, &two)? && pairs.len() < NEAR_MAX {
                pairs.push(two);
            }
        }
        Ok(pairs)
    }

    /// Writes what follows from verdicts, where nobody touched either memory since.
    fn rule_on(
        &self,
        here: &Context,
        pairs: &[Two],
        verdicts: &[Option<(PairVerdict, String)>],
        seen: u64,
        compared: &mut Compared,
    ) -> Result<()> {
        for ((older, newer), verdict) in pairs.iter().zip(verdicts) {
            let Some((verdict, why)) = verdict else { continue };
            if !matches!(verdict, PairVerdict::Contradicts | PairVerdict::Replaces) {
                continue;
            }
            let context = Context { door: Door::Model, session: None, ..here.clone() };
            let (ruled, _) = self.engine.write(&context, Cause::Model, None, |tx| {
                tx.settle(older);
                let two = (older.clone(), newer.clone());
                if is_touched(&**tx, older, seen)?
                    || is_touched(&**tx, newer, seen)?
                    || !is_open(&**tx, &two)?
                {
                    return Ok(None);
                }
                Ok(Some(rule(tx, &two, *verdict, why)?))
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
fn rule(
    tx: &mut Transaction<'_>,
    (older, newer): &Two,
    verdict: PairVerdict,
    why: &str,
) -> Result<Ruled> {
    let (space, at) = (older.space, tx.now);
    let allowed = reconcile::between(older, newer) == Contest::Supersede;
    let asked = ask(&**tx, Door::Upkeep, Act::Replace, Some(older), Backing::Asserted)?;
    let ours = matches!(asked, permission::Verdict::Allowed { .. });
    let happened = form::is_event(older.kind, &older.content);
    if verdict == PairVerdict::Replaces && allowed && ours && !happened {
        tx.push(Change::Supersede { space, old: older.id, new: newer.id, at });
        return Ok(Ruled::Superseded);
    }
    let (from, to) = Relation::Contradicts.in_order(newer.id.into(), older.id.into());
    let edge = Edge::new(space, from, Relation::Contradicts, to, at);
    let reason =
        (!why.is_empty()).then(|| format!("a model thinks so: {}", crate::clean::cleaned(why).0));
    tx.push(Change::Link(Edge { reason, ..edge }));
    Ok(Ruled::Contested)
}

fn inserted(change: &Change) -> Option<RowKey> {
    if let Change::Insert(memory) = change {
        Some(RowKey::memory(memory.space, memory.id))
    } else {
        None
    }
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
    let decides = |relation| {
        !matches!(relation, Relation::CoUsed | Relation::LaterSaid | Relation::RelatesTo)
    };
    let mut edges = edges.iter().filter(|edge| decides(edge.relation));
    Ok(!edges.any(|edge| [edge.from, edge.to].contains(&other)))
}

fn is_touched(reader: &dyn Reader, memory: &Memory, seen: u64) -> Result<bool> {
    let key = RowKey::memory(memory.space, memory.id);
    Ok(reader.next_touch(&key, &[memory.id.into()], seen)?.is_some())
}
