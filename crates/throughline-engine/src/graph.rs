//! The graph: nodes and edges around a memory, or the liveliest part of a space.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::scope::Reach;
use throughline_core::{Edge, Entity, Memory, NodeId, Row, RowKey, SpaceId};
use throughline_store::{MemoryQuery, Reader};

use crate::Result;
use crate::flows::Looking;

/// A node to draw.
#[derive(Debug, Clone, PartialEq)]
pub enum GraphNode {
    /// A claim.
    Memory(Box<Memory>),
    /// A thing.
    Entity(Entity),
}

impl GraphNode {
    /// Its name.
    pub fn id(&self) -> NodeId {
        match self {
            Self::Memory(memory) => memory.id.into(),
            Self::Entity(entity) => entity.id.into(),
        }
    }

    /// What to write on it.
    pub fn title(&self) -> String {
        match self {
            Self::Memory(memory) => memory.title(),
            Self::Entity(entity) => entity.name.clone(),
        }
    }
}

/// A part of the graph.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Graph {
    /// The nodes, in key order.
    pub nodes: Vec<GraphNode>,
    /// The edges between them.
    pub edges: Vec<Edge>,
    /// Nodes left out because there were too many.
    pub left_out: usize,
}

/// What part of the graph is wanted.
#[derive(Debug, Clone, Default)]
pub struct GraphWanted<'a> {
    /// The memory that it is drawn around; without one, the newest are taken.
    pub focus: Option<&'a str>,
    /// How many steps are followed from there.
    pub depth: usize,
    /// How many nodes at most; the policy says, where nobody does.
    pub nodes_max: Option<usize>,
}

/// Edges followed from one node and direction.
const FAN_OUT: usize = 50;

impl Looking<'_> {
    /// The part of the graph that `wanted` asks for, as a reader sees it.
    pub fn graph(&self, reader: &dyn Reader, wanted: &GraphWanted<'_>) -> Result<Graph> {
        let max = wanted.nodes_max.unwrap_or(self.engine.policy.limits.graph_nodes_max);
        let (focus, depth) = (wanted.focus, wanted.depth);
        let mut starts: BTreeMap<SpaceId, BTreeSet<NodeId>> = BTreeMap::new();
        if let Some(handle) = focus {
            let memory = self.engine.resolve(reader, self.context, handle)?;
            starts.entry(memory.space).or_default().insert(memory.id.into());
        } else {
            let reach = self.context.reach();
            let newest = reader.memories(&MemoryQuery {
                spaces: reach.spaces,
                session: reach.session,
                limit: max / 2,
                ..MemoryQuery::default()
            })?;
            for memory in newest.items {
                starts.entry(memory.space).or_default().insert(memory.id.into());
            }
        }
        let mut graph = Graph::default();
        for (space, nodes) in starts {
            let room = max.saturating_sub(graph.nodes.len());
            grow(reader, &self.context.reach(), &mut graph, (space, nodes), depth, room)?;
        }
        Ok(graph)
    }
}

/// Adds what lies within `depth` steps of some nodes of one space, so many nodes at most.
fn grow(
    reader: &dyn Reader,
    reach: &Reach,
    graph: &mut Graph,
    (space, starts): (SpaceId, BTreeSet<NodeId>),
    depth: usize,
    max: usize,
) -> Result<()> {
    let mut seen = starts.clone();
    let mut edge_of: BTreeMap<RowKey, Edge> = BTreeMap::new();
    let mut frontier: Vec<NodeId> = starts.into_iter().collect();
    for _ in 0..depth {
        let edges = reader.neighbours(space, &frontier, &[], FAN_OUT)?;
        let mut ends: Vec<NodeId> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
        ends.retain(|end| !seen.contains(end));
        ends.sort_unstable();
        ends.dedup();
        frontier = visible(reader, reach, space, ends)?;
        seen.extend(&frontier);
        for edge in edges {
            edge_of.insert(RowKey::edge(space, edge.from, edge.relation, edge.to), edge);
        }
    }
    graph.left_out += seen.len().saturating_sub(max);
    let kept: Vec<NodeId> = seen.into_iter().take(max).collect();
    let keys: Vec<RowKey> = kept.iter().map(|node| RowKey::node(space, *node)).collect();
    for row in reader.rows(&keys)?.into_iter().flatten() {
        if let Row::Memory(memory) = row {
            graph.nodes.push(GraphNode::Memory(memory));
        } else if let Row::Entity(entity) = row {
            graph.nodes.push(GraphNode::Entity(entity));
        }
    }
    let drawn: BTreeSet<NodeId> = graph.nodes.iter().map(GraphNode::id).collect();
    graph.edges.extend(
        edge_of.into_values().filter(|edge| drawn.contains(&edge.from) && drawn.contains(&edge.to)),
    );
    Ok(())
}

/// The nodes that the reader may see. The walk goes no further from the others.
fn visible(
    reader: &dyn Reader,
    reach: &Reach,
    space: SpaceId,
    nodes: Vec<NodeId>,
) -> Result<Vec<NodeId>> {
    let keys: Vec<RowKey> = nodes.iter().map(|node| RowKey::node(space, *node)).collect();
    let rows = reader.rows(&keys)?;
    let seen = |row: &Option<Row>| match row {
        Some(Row::Memory(memory)) => reach.sees(memory),
        Some(_) => true,
        None => false,
    };
    Ok(nodes.into_iter().zip(rows).filter(|(_, row)| seen(row)).map(|(node, _)| node).collect())
}
