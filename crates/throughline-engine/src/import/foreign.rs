//! A stranger's export: what it holds comes in as an import's word, through the same rules as anything
//! new. It erases, replaces and connects nothing of ours; its rules and preferences wait for a person.

use std::collections::BTreeMap;
use std::sync::Arc;

use throughline_core::evidence::Testimony;
use throughline_core::patch::{self, Operation};
use throughline_core::permission::{self, Act, Backing, Door, Request, Verdict};
use throughline_core::reconcile::Candidate;
use throughline_core::scope::Scope;
use throughline_core::{
    Authority, Cause, Change, Edge, Memory, MemoryId, NodeId, Relation, RowKey, SpaceId, Table,
};
use throughline_language::closeness;
use throughline_store::{MemoryQuery, Reader, Tables};

use super::Imported;
use crate::clean::Cleaner;
use crate::flows::Copying;
use crate::permit::keep_waiting;
use crate::remember::take_in;
use crate::transaction::Transaction;
use crate::{Context, Result};

/// What evidence says that comes from somebody else's export.
const WHY: &str = "came with somebody else's export";

/// Connections that say nothing about what holds here.
const PLAIN: [Relation; 6] = [
    Relation::Because,
    Relation::DependsOn,
    Relation::Blocks,
    Relation::Informs,
    Relation::Extends,
    Relation::RelatesTo,
];

/// Whether a file's word is taken as it stands: the user vouches for it, or it is our own.
pub(super) fn is_vouched(vouched: bool) -> (bool, Authority) {
    let backing = if vouched { Backing::Vouched } else { Backing::Asserted };
    let (door, act, target) = (Door::Import, Act::Replace, None);
    let whole = judge(Request { door, act, target, backing }).is_some();
    let rank = judge(Request { door, act: Act::Remember, target, backing });
    (whole, rank.unwrap_or(Authority::External))
}

fn judge(request: Request) -> Option<Authority> {
    match permission::judge(request) {
        Verdict::Allowed { rank } => Some(rank),
        Verdict::Waits(_) | Verdict::Refused(_) => None,
    }
}

impl Copying<'_> {
    /// Takes in what a stranger's store holds, in one batch for each space.
    pub(super) fn take_in_foreign(
        &self,
        context: &Context,
        theirs: &Arc<Tables>,
        rank: Authority,
    ) -> Result<Imported> {
        let context = Context { door: Door::Import, session: None, ..context.clone() };
        let mut total = Imported { foreign: true, ..Imported::default() };
        for space in theirs.spaces()? {
            let (part, _) = self.engine.write(&context, Cause::Import, None, |tx| {
                tx.scope = Scope { space: space.space, session: None };
                let known =
                    RowKey { space: space.space, table: Table::Space, key: space.key.clone() };
                if tx.rows(&[known])?[0].is_none() {
                    tx.push(Change::AddSpace(space.clone()));
                }
                self.take_in_space(tx, theirs, space.space, rank)
            })?;
            total.memories += part.memories;
            total.known += part.known;
            total.blocked += part.blocked;
            total.waiting += part.waiting;
            if part.waiting > 0 {
                total.waiting_in.push((space.key.clone(), part.waiting));
            }
            total.links += part.links;
        }
        Ok(total)
    }

    fn take_in_space(
        &self,
        tx: &mut Transaction<'_>,
        theirs: &Arc<Tables>,
        space: SpaceId,
        rank: Authority,
    ) -> Result<Imported> {
        let mut report = Imported::default();
        let mut taken: BTreeMap<MemoryId, MemoryId> = BTreeMap::new();
        let mut cleaner = Cleaner::of(&self.engine.home, tx.session.as_ref());
        let query =
            MemoryQuery { spaces: vec![space], limit: usize::MAX, ..MemoryQuery::default() };
        let buried: Vec<MemoryId> =
            tx.all_tombstones()?.into_iter().map(|stone| stone.memory).collect();
        for memory in theirs.memories(&query)?.items {
            if !memory.state.is_active() {
                continue;
            }
            if buried.contains(&memory.id) || closeness::claimed(&memory.content).is_some() {
                report.blocked += 1;
                continue;
            }
            let known = tx.rows(&[RowKey::memory(space, memory.id)])?[0].is_some();
            let candidate = candidate_of_stranger(tx, memory.clone(), rank, &mut cleaner);
            if known || tx.made_saying(&candidate.content).is_some() {
                report.known += 1;
                continue;
            }
            match take_in(tx, &candidate) {
                Ok(plan) if plan.deduped => report.known += 1,
                Ok(plan) => {
                    taken.insert(memory.id, plan.memory);
                    report.memories += 1;
                }
                Err(crate::Error::Blocked(_)) => report.blocked += 1,
                Err(error) if error.can_wait() => {
                    let operation = operation(&candidate);
                    keep_waiting(tx, &operation, &error.to_string(), rank)?;
                    report.waiting += 1;
                }
                Err(error) => return Err(error),
            }
        }
        report.links = connect(tx, theirs, space, &taken)?;
        Ok(report)
    }
}

/// What a stranger's memory says, without what must not be kept.
fn candidate_of_stranger(
    tx: &Transaction<'_>,
    mut memory: Memory,
    rank: Authority,
    cleaner: &mut Cleaner,
) -> Candidate {
    let slot = memory.slot.iter_mut();
    let slot = slot.flat_map(|slot| [&mut slot.subject, &mut slot.predicate, &mut slot.object]);
    let texts = std::iter::once(&mut memory.content).chain(slot);
    cleaner.texts(
        texts.chain(&mut memory.label).chain(&mut memory.domain).chain(&mut memory.triggers),
    );
    let authority = if memory.authority.outranks(rank) { rank } else { memory.authority };
    let at = memory.recorded_at.min(tx.now);
    let testimony = Testimony { why: Some(WHY.to_owned()), ..Testimony::new(authority, at) };
    Candidate {
        slot: memory.slot,
        label: memory.label,
        domain: memory.domain,
        confidence: memory.confidence,
        triggers: memory.triggers,
        ..tx.candidate(memory.kind, &memory.content, testimony)
    }
}

/// What waits for a person, as an operation of a patch.
fn operation(candidate: &Candidate) -> serde_json::Value {
    let remember = Operation::Remember(patch::Remember {
        kind: candidate.kind,
        content: candidate.content.clone(),
        label: candidate.label.clone(),
        domain: candidate.domain.clone(),
        slot: candidate.slot.clone(),
        because: Vec::new(),
        triggers: candidate.triggers.clone(),
        entities: Vec::new(),
        confidence: candidate.confidence,
        quote: None,
        turn: None,
    });
    serde_json::to_value(&remember).expect("plain data serialises")
}

/// Connections among what was taken in. None of them leads to something of ours.
fn connect(
    tx: &mut Transaction<'_>,
    theirs: &Arc<Tables>,
    space: SpaceId,
    taken: &BTreeMap<MemoryId, MemoryId>,
) -> Result<usize> {
    let nodes: Vec<NodeId> = taken.keys().map(|id| (*id).into()).collect();
    let place = |node: NodeId| node.memory().and_then(|id| taken.get(&id)).copied();
    let mut links = 0;
    for edge in theirs.neighbours(space, &nodes, &PLAIN, usize::MAX)? {
        if let (Some(from), Some(to)) = (place(edge.from), place(edge.to)) {
            let edge = Edge::new(space, from.into(), edge.relation, to.into(), tx.now);
            tx.push(Change::Link(edge));
            links += 1;
        }
    }
    Ok(links)
}
