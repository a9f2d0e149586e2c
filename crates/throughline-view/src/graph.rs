//! Memories and their connections.

use serde::Serialize;
use throughline_engine::{Graph, GraphNode};
use utoipa::ToSchema;

use crate::recall::bare;

/// A part of the graph.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireGraph {
    pub nodes: Vec<WireGraphNode>,
    pub edges: Vec<WireEdge>,
    pub left_out: usize,
}

/// A memory or a thing.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireGraphNode {
    pub id: String,
    pub r#type: &'static str,
    pub kind: &'static str,
    pub label: String,
    pub state: Option<&'static str>,
    /// When it was recorded.
    pub at: Option<String>,
    pub domain: Option<String>,
}

/// A connection.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireEdge {
    pub from: String,
    pub relation: &'static str,
    pub to: String,
    pub weight: f64,
    pub confidence: f64,
}

impl From<&Graph> for WireGraph {
    fn from(graph: &Graph) -> Self {
        let node = |node: &GraphNode| match node {
            GraphNode::Memory(memory) => WireGraphNode {
                id: memory.id.to_string(),
                r#type: "memory",
                kind: memory.kind.as_str(),
                label: memory.title(),
                state: Some(memory.state.as_str()),
                at: Some(memory.recorded_at.to_string()),
                domain: memory.domain.clone(),
            },
            GraphNode::Entity(entity) => WireGraphNode {
                id: entity.id.to_string(),
                r#type: "entity",
                kind: entity.kind.as_str(),
                label: entity.name.clone(),
                state: None,
                at: None,
                domain: None,
            },
        };
        Self {
            nodes: graph.nodes.iter().map(node).collect(),
            edges: graph
                .edges
                .iter()
                .map(|edge| WireEdge {
                    from: bare(edge.from),
                    relation: edge.relation.as_str(),
                    to: bare(edge.to),
                    weight: edge.weight,
                    confidence: edge.confidence,
                })
                .collect(),
            left_out: graph.left_out,
        }
    }
}
