//! What is left of a memory that was replaced: the clauses that its replacement is not about stay, in the words and with
//! the evidence that they had.

use throughline_core::evidence::Testimony;
use throughline_core::reconcile::Candidate;
use throughline_core::{Change, Edge, Evidence, Memory, MemoryId, Relation, Row, RowKey, words};

use super::take_in;
use crate::reading::LeftClause;
use crate::transaction::Transaction;
use crate::{Error, Result};

/// Keeps the clauses of a replaced memory that a claim with these words leaves alone, each as a memory of its own. One that
/// the claim may touch after all is told with it. Returns those that are new.
pub(super) fn keep(
    tx: &mut Transaction<'_>,
    said: &str,
    claim: MemoryId,
    replaced: MemoryId,
) -> Result<Vec<MemoryId>> {
    let left = tx.bearings.left_of(said, replaced);
    if left.is_empty() {
        return Ok(Vec::new());
    }
    let space = tx.scope.space;
    let held = tx.rows(&[RowKey::memory(space, replaced)])?.remove(0).and_then(Row::into_memory);
    let Some(held) = held else { return Ok(Vec::new()) };
    let (mut said, mut turns, mut against) = (Vec::new(), Vec::new(), Vec::new());
    for row in tx.attached(space, &[replaced.into()])? {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "only these say what was said, and where"
        )]
        match row {
            Row::Evidence(one) => said.push(one),
            Row::Edge(edge) => match edge.relation {
                Relation::EvidencedBy if edge.from == replaced.into() => turns.push(edge),
                Relation::Contradicts => against.extend(edge.other(replaced.into()).memory()),
                _ => {}
            },
            _ => {}
        }
    }
    let against: Vec<RowKey> = against.iter().map(|id| RowKey::memory(space, *id)).collect();
    let against = tx.rows(&against)?.into_iter().flatten().filter_map(Row::into_memory);
    let against: Vec<Memory> = against.filter(|one| one.id != claim).collect();
    // Whoever said the whole said its clauses, and said them then.
    let said = said.into_iter().filter(|one| one.authority == held.authority);
    let Some(first) = said.min_by_key(|one| one.at) else { return Ok(Vec::new()) };
    let mut kept = Vec::new();
    for LeftClause { words, questioned } in left {
        let clause = clause_of(tx, &held, &words, &first);
        let id = match take_in(tx, &clause) {
            Ok(plan) if !plan.deduped => plan.memory,
            // What is known anyhow needs no second memory; what was erased stays so.
            Ok(_) | Err(Error::Blocked(_)) => continue,
            Err(error) => return Err(error),
        };
        let turns = turns.iter().map(|edge| Edge { from: id.into(), ..edge.clone() });
        let turns: Vec<Change> = turns.map(Change::Link).collect();
        tx.extend(turns);
        if questioned {
            tx.link(claim, Relation::LaterSaid, id);
        }
        // What stood against the whole stands against the clause that it names.
        for one in against.iter().filter(|one| words::share_one(&one.content, &words)) {
            tx.link(one.id, Relation::Contradicts, id);
        }
        kept.push(id);
    }
    Ok(kept)
}

/// A clause of a memory, as whoever said the memory said it.
fn clause_of(tx: &Transaction<'_>, held: &Memory, clause: &str, first: &Evidence) -> Candidate {
    let testimony = Testimony {
        person: first.person.clone(),
        session: first.session.clone(),
        turn: first.turn.clone(),
        snippet: Some(held.content.clone()),
        by_agent: first.by_agent,
        echo: first.echo,
        ..Testimony::new(first.authority, first.at)
    };
    Candidate {
        domain: held.domain.clone(),
        importance: Some(held.importance),
        confidence: held.confidence,
        ..tx.candidate(held.kind, clause, testimony)
    }
}
