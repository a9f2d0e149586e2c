//! Stretches of work on one topic, and what a session has in mind.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use throughline_core::NodeId;
use throughline_engine::{FocusNode, InFocus, TopicBox};
use utoipa::ToSchema;

use crate::memory::rounded;

/// Boxes, the latest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireBoxes {
    pub items: Vec<WireBox>,
    /// The files that were written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub files: Vec<String>,
}

/// A stretch of work on one topic.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireBox {
    pub id: String,
    pub title: String,
    /// The few memories that together tell most of it, the most telling first.
    pub core: Vec<String>,
    pub from: String,
    pub to: String,
    pub open: bool,
    /// Why it was sealed.
    pub sealed: Option<String>,
    /// The trace that it belongs to, once it is sealed.
    pub trace: Option<String>,
    pub memories: Vec<String>,
}

/// What a session has in mind.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireFocus {
    pub session: String,
    pub turn: u32,
    pub focus: Vec<WireFocusNode>,
    /// What lies one connection away.
    pub near: Vec<WireFocusNode>,
    /// How many memories lie further away, by area.
    pub further: Vec<WireFurther>,
    /// How much it has in mind, by area.
    pub domains: Vec<WireFurther>,
}

/// A memory, thing or turn that a session has in mind.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireFocusNode {
    pub id: String,
    pub r#type: &'static str,
    pub label: String,
    pub domain: Option<String>,
    /// How present it is, from 0 to 1.
    pub activation: f64,
    /// Whether it never leaves the session's mind altogether.
    pub anchor: bool,
}

/// How many there are in an area.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireFurther {
    pub domain: Option<String>,
    pub n: usize,
}

impl WireBoxes {
    /// The boxes that were found, and the files that they were written to.
    pub fn new(found: &[TopicBox], files: &[PathBuf]) -> Self {
        Self {
            items: found.iter().map(WireBox::from).collect(),
            files: files.iter().map(|path| path.display().to_string()).collect(),
        }
    }
}

impl From<&TopicBox> for WireBox {
    fn from(one: &TopicBox) -> Self {
        Self {
            id: one.id.to_string(),
            title: one.title.clone(),
            core: one.core.iter().map(ToString::to_string).collect(),
            from: one.from.to_string(),
            to: one.to.to_string(),
            open: one.trace.is_none(),
            sealed: one.sealed.clone(),
            trace: one.trace.map(|trace| trace.to_string()),
            memories: one.memories.iter().map(|memory| memory.id.to_string()).collect(),
        }
    }
}

impl From<&InFocus> for WireFocus {
    fn from(found: &InFocus) -> Self {
        let counts = |counts: &BTreeMap<String, usize>| {
            counts.iter().map(|(domain, n)| WireFurther { domain: named(domain), n: *n }).collect()
        };
        Self {
            session: found.session.to_string(),
            turn: found.turn,
            focus: found.focus.iter().map(WireFocusNode::from).collect(),
            near: found.near.iter().map(WireFocusNode::from).collect(),
            further: counts(&found.further),
            domains: counts(&found.domains),
        }
    }
}

impl From<&FocusNode> for WireFocusNode {
    fn from(node: &FocusNode) -> Self {
        let (id, r#type) = match node.node {
            NodeId::Memory(id) => (id.to_string(), "memory"),
            NodeId::Entity(id) => (id.to_string(), "entity"),
            NodeId::Episode(id) => (id.to_string(), "turn"),
        };
        Self {
            id,
            r#type,
            label: node.label.clone(),
            domain: named(&node.domain),
            activation: rounded(node.activation),
            anchor: node.anchor,
        }
    }
}

fn named(domain: &str) -> Option<String> {
    (!domain.is_empty()).then(|| domain.to_owned())
}
