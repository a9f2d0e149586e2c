//! Why: the reasons behind a memory, as a tree that always ends.

use throughline_core::row::Injection;
use throughline_core::scope::Reach;
use throughline_core::{Memory, MemoryId, NodeId, Relation, Row, RowKey};
use throughline_store::Reader;

use crate::flows::Looking;
use crate::{Card, Noticed, Result};

/// A reason and its own reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// How it gives a reason.
    pub relation: Relation,
    /// The memory that gives it.
    pub memory: Memory,
    /// It stands further up already; the tree ends here.
    pub repeated: bool,
    /// Why that.
    pub because: Vec<Self>,
}

/// Everything that speaks for a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    /// The memory with its evidence and trust.
    pub card: Card,
    /// Its reasons.
    pub because: Vec<Reason>,
    /// The memories it is a reason for.
    pub supports: Vec<Memory>,
    /// How the words are read that it rests on.
    pub noticed: Option<Noticed>,
    /// When it was last put in front of an agent.
    pub injected: Vec<Injection>,
}

/// Injections shown at most.
const INJECTIONS_MAX: usize = 20;
/// Reasons followed from one memory at most.
const REASONS_MAX: usize = 50;

impl Looking<'_> {
    /// Explains a memory.
    pub fn why(&self, handle: &str) -> Result<Why> {
        let reader = self.engine.now_reader()?;
        let memory = self.engine.resolve(&*reader, self.context, handle)?;
        let mut path = vec![memory.id];
        let reach = self.context.reach();
        // Many ways may lead through the same few memories.
        let mut left = self.engine.policy.limits.graph_nodes_max;
        let because = self.reasons(&*reader, &reach, &memory, &mut path, &mut left)?;
        let incoming = reason_edges(&*reader, &reach, &memory, false)?;
        let supports = incoming.into_iter().map(|(_, memory)| memory).collect();
        let card = self.engine.card(&*reader, &memory)?;
        Ok(Why {
            noticed: self.noticed(&*reader, &memory, &card.evidence)?,
            card,
            because,
            supports,
            injected: reader.injections(memory.space, memory.id, INJECTIONS_MAX)?,
        })
    }

    fn reasons(
        &self,
        reader: &dyn Reader,
        reach: &Reach,
        memory: &Memory,
        path: &mut Vec<MemoryId>,
        left: &mut usize,
    ) -> Result<Vec<Reason>> {
        let mut reasons = Vec::new();
        for (relation, reason) in reason_edges(reader, reach, memory, true)? {
            let Some(fewer) = left.checked_sub(1) else { break };
            *left = fewer;
            let repeated = path.contains(&reason.id);
            let mut because = Vec::new();
            if !repeated && path.len() < self.engine.policy.limits.why_depth_max {
                path.push(reason.id);
                because = self.reasons(reader, reach, &reason, path, left)?;
                path.pop();
            }
            reasons.push(Reason { relation, memory: reason, repeated, because });
        }
        Ok(reasons)
    }
}

/// The memories that give a reason for this one, or the other way round.
fn reason_edges(
    reader: &dyn Reader,
    reach: &Reach,
    memory: &Memory,
    outward: bool,
) -> Result<Vec<(Relation, Memory)>> {
    let relations: Vec<Relation> =
        Relation::ALL.iter().copied().filter(|relation| relation.is_reason()).collect();
    let node = NodeId::Memory(memory.id);
    let edges = reader.neighbours(memory.space, &[node], &relations, REASONS_MAX)?;
    let mut found = Vec::new();
    for edge in edges.iter().filter(|edge| (edge.from == node) == outward) {
        let row = reader.rows(&[RowKey::node(memory.space, edge.other(node))])?.remove(0);
        if let Some(other) = row.and_then(Row::into_memory).filter(|other| reach.sees(other)) {
            found.push((edge.relation, other));
        }
    }
    Ok(found)
}
