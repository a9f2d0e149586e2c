//! Hot: what a running session has in mind.
//!
//! A view of attention, never of truth. It notes events (a node was touched, a memory was shown);
//! how present a node is follows from them whenever it is asked, so asking twice changes nothing.
//! The store never takes a weight from here, only the uses that [`Hot::to_settle`] names.

mod around;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::activation::{self, Touch};
use throughline_core::policy::ActivationPolicy;
use throughline_core::{MemoryId, NodeId, text};

pub use around::{FocusSurroundings, Nearness};

/// The form that this program writes.
pub const VERSION: u8 = 1;
/// Nodes at most; the least present go first, anchors last.
pub const NODES_MAX: usize = 512;
/// Terms of the topic at most; the oldest go first.
pub const TOPIC_MAX: usize = 48;
/// Memories that are remembered as shown; the oldest go first.
pub const SHOWN_MAX: usize = 1_024;
/// Pairs that wait to be settled.
pub const PAIRS_MAX: usize = 64;
/// Uses in one settlement.
const USED_MAX: usize = 64;
/// Characters of a label, and of a domain.
const LABEL_CHARS_MAX: usize = 120;
/// Bytes of one term of the topic.
const TERM_BYTES_MAX: usize = 64;
/// A node that is less present than this is not taken along into another session.
const CARRIED_FROM: f64 = 0.01;

/// What a session has in mind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hot {
    /// The form it is written in.
    pub v: u8,
    /// The turn it is at; 0 before the first.
    #[serde(default)]
    pub turn: u32,
    /// Telling terms of the last turns, newest first.
    #[serde(default)]
    pub topic: Vec<String>,
    /// Everything that was touched.
    #[serde(default)]
    pub nodes: BTreeMap<NodeId, Warmth>,
    /// The turn at which each memory was last put in front of the agent.
    #[serde(default)]
    pub surfaced: BTreeMap<MemoryId, u32>,
    /// What was shown before this turn is no longer in the agent's context.
    #[serde(default)]
    pub context_from: u32,
    /// What was shown before this turn belonged to another topic, and may be shown again.
    #[serde(default)]
    pub topic_from: u32,
    /// Memories that were in focus together and wait to be settled.
    #[serde(default)]
    pub together: BTreeSet<(MemoryId, MemoryId)>,
    /// How many times it was settled.
    #[serde(default)]
    pub settlements: u32,
    /// The gate's own state.
    #[serde(default)]
    pub gate: Value,
    /// What others keep here.
    #[serde(default)]
    pub extra: serde_json::Map<String, Value>,
}

/// How warm a node is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Warmth {
    /// Its weight at the last touch.
    pub weight: f64,
    /// The turn of that touch.
    pub touched: u32,
    /// Whether it never leaves the session's mind altogether.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anchor: bool,
    /// Whether it was used since the last settlement.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsettled: bool,
    /// What to call it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The ground it belongs to; empty where none is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub domain: String,
}

/// What a session did, for the store to count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// Which of the session's settlements it is: counting the same number twice is a repetition.
    pub number: u32,
    /// The turn it reaches to.
    pub turn: u32,
    /// What was used, the most present first.
    pub used: Vec<MemoryId>,
    /// What was in focus together; the smaller id first.
    pub pairs: Vec<(MemoryId, MemoryId)>,
}

impl Settlement {
    /// Whether there is nothing to count.
    pub fn is_empty(&self) -> bool {
        self.used.is_empty() && self.pairs.is_empty()
    }
}

impl Default for Hot {
    fn default() -> Self {
        Self {
            v: VERSION,
            turn: 0,
            topic: Vec::new(),
            nodes: BTreeMap::new(),
            surfaced: BTreeMap::new(),
            context_from: 0,
            topic_from: 0,
            together: BTreeSet::new(),
            settlements: 0,
            gate: Value::Null,
            extra: serde_json::Map::new(),
        }
    }
}

impl Hot {
    /// Notes that something happened to a node. What is left of its weight counts, not what it was.
    pub fn touch(&mut self, node: NodeId, label: &str, touch: Touch, policy: &ActivationPolicy) {
        let turn = self.turn;
        let warmth = self.nodes.entry(node).or_insert_with(|| Warmth::new(turn));
        warmth.weight = activation::touched(warmth.left(turn, policy), touch, policy);
        warmth.touched = turn;
        // What merely came up beside something used was not used.
        warmth.unsettled |= node.memory().is_some() && touch != Touch::CoUse;
        warmth.call(label);
        self.make_room(policy);
    }

    /// Notes the ground that a node belongs to, where it is known.
    pub fn place(&mut self, node: NodeId, domain: &str) {
        if let Some(warmth) = self.nodes.get_mut(&node).filter(|_| !domain.is_empty()) {
            warmth.domain = text::headline(domain, LABEL_CHARS_MAX);
        }
    }

    /// Notes a node that never leaves the session's mind altogether.
    pub fn anchor(&mut self, node: NodeId, label: &str, policy: &ActivationPolicy) {
        let turn = self.turn;
        let warmth = self.nodes.entry(node).or_insert_with(|| Warmth::new(turn));
        warmth.anchor = true;
        warmth.call(label);
        self.make_room(policy);
    }

    /// Goes on to the next turn, which speaks of `terms`. What was in focus together in the turn
    /// that ends, and was touched in it, is noted as a pair.
    pub fn next_turn<T: AsRef<str>>(&mut self, terms: &[T], policy: &ActivationPolicy) {
        self.pair_up(policy);
        self.turn = self.turn.saturating_add(1);
        let fitting = |term: &str| !term.is_empty() && term.len() <= TERM_BYTES_MAX;
        let mut topic: Vec<String> = Vec::with_capacity(TOPIC_MAX);
        let new = terms.iter().map(AsRef::as_ref).filter(|term| fitting(term));
        for term in new.chain(self.topic.iter().map(String::as_str)) {
            if topic.len() == TOPIC_MAX {
                break;
            }
            if !topic.iter().any(|known| known == term) {
                topic.push(term.to_owned());
            }
        }
        self.topic = topic;
    }

    /// The nodes in focus: the most present ones, wherever they stand.
    pub fn focus(&self, policy: &ActivationPolicy) -> Vec<NodeId> {
        let left: Vec<(NodeId, f64)> =
            self.nodes.iter().map(|(node, w)| (*node, self.presence(w, 0, policy))).collect();
        activation::focus(&left, policy)
    }

    /// How present every node is, the most present first. `edges` tell how far each is from the
    /// focus; without them everything outside the focus is one step away.
    pub fn present(
        &self,
        edges: Option<&[(NodeId, NodeId)]>,
        policy: &ActivationPolicy,
    ) -> Vec<(NodeId, f64)> {
        let focus = self.focus(policy);
        let around = edges.map(|edges| FocusSurroundings::of(&focus, edges, policy.hop_cap));
        let far = |node: &NodeId| match &around {
            Some(around) => around.hops(*node).unwrap_or(policy.hop_cap),
            None => u32::from(!focus.contains(node)),
        };
        let mut present: Vec<(NodeId, f64)> =
            self.nodes.iter().map(|(n, w)| (*n, self.presence(w, far(n), policy))).collect();
        present.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        present
    }

    /// Notes that memories were put in front of the agent.
    pub fn shown(&mut self, memories: &[MemoryId]) {
        self.surfaced.extend(memories.iter().map(|id| (*id, self.turn)));
        self.trim_surfaced();
    }

    /// Whether the agent still has a memory before it that was shown at most `turns` turns ago, and
    /// the topic is still the one that it was shown for.
    pub fn was_shown(&self, memory: MemoryId, turns: u32) -> bool {
        let from = self.context_from.max(self.topic_from);
        self.surfaced
            .get(&memory)
            .is_some_and(|at| *at >= from && self.turn.saturating_sub(*at) <= turns)
    }

    /// Notes that another topic begins: what was shown for the one before may be shown again. The
    /// agent still has it, so it still counts as told where something told no longer holds.
    pub fn topic_changed(&mut self) {
        self.turn = self.turn.saturating_add(1);
        self.topic_from = self.turn;
    }

    /// Notes that the agent's context was made shorter: what was shown may be shown again. It still
    /// counts as shown where somebody asks whether a text merely repeats it.
    pub fn compacted(&mut self) {
        self.turn = self.turn.saturating_add(1);
        self.context_from = self.turn;
    }

    /// Drops everything that names a node: its label, that it was shown, what it was in focus with.
    pub fn forget(&mut self, node: NodeId) {
        self.nodes.remove(&node);
        let NodeId::Memory(memory) = node else { return };
        self.surfaced.remove(&memory);
        self.together.retain(|(one, other)| *one != memory && *other != memory);
    }

    /// What a session that goes on from another one has in mind: the same nodes, each session that
    /// lies between (and the break itself) halving how present they are. What was shown and what is
    /// not settled stay with the old session.
    pub fn resumed(old: &Self, sessions_between: u32, policy: &ActivationPolicy) -> Self {
        let halvings = f64::from(sessions_between.saturating_add(1));
        let kept = old.nodes.iter().filter_map(|(node, warmth)| {
            let weight = warmth.left(old.turn, policy) * 0.5_f64.powf(halvings);
            let carried = warmth.anchor || weight >= CARRIED_FROM;
            let faded = Warmth { weight, touched: 0, unsettled: false, ..warmth.clone() };
            carried.then_some((*node, faded))
        });
        Self { nodes: kept.collect(), topic: old.topic.clone(), ..Self::default() }
    }

    /// What was used and what was in focus together since the last settlement. Asking changes
    /// nothing; [`Hot::settled`] does.
    pub fn to_settle(&self, policy: &ActivationPolicy) -> Settlement {
        let mut used: Vec<(MemoryId, f64)> = self
            .nodes
            .iter()
            .filter(|(_, warmth)| warmth.unsettled)
            .filter_map(|(node, warmth)| Some((node.memory()?, self.presence(warmth, 0, policy))))
            .collect();
        used.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        used.truncate(USED_MAX);
        let mut pairs = self.together.clone();
        pairs.extend(self.pairs_now(policy));
        Settlement {
            number: self.settlements.saturating_add(1),
            turn: self.turn,
            used: used.into_iter().map(|(id, _)| id).collect(),
            pairs: pairs.into_iter().take(PAIRS_MAX).collect(),
        }
    }

    /// Notes that a settlement was counted, so that it is not counted again. An older one than the
    /// next in turn changes nothing.
    pub fn settled(&mut self, settlement: &Settlement) {
        if settlement.number != self.settlements.saturating_add(1) {
            return;
        }
        self.settlements = settlement.number;
        for id in &settlement.used {
            if let Some(warmth) = self.nodes.get_mut(&NodeId::Memory(*id)) {
                warmth.unsettled &= warmth.touched > settlement.turn;
            }
        }
        self.together.retain(|pair| !settlement.pairs.contains(pair));
    }

    /// Brings what was read from elsewhere within the limits.
    pub fn trim(&mut self, policy: &ActivationPolicy) {
        for warmth in self.nodes.values_mut() {
            warmth.weight =
                if warmth.weight.is_finite() { warmth.weight.clamp(0.0, 1.0) } else { 0.0 };
            warmth.touched = warmth.touched.min(self.turn);
            let label = std::mem::take(&mut warmth.label);
            warmth.call(&label);
            warmth.domain = text::headline(&warmth.domain, LABEL_CHARS_MAX);
        }
        self.make_room(policy);
        self.trim_surfaced();
        self.topic.retain(|term| term.len() <= TERM_BYTES_MAX);
        self.topic.truncate(TOPIC_MAX);
        while self.together.len() > PAIRS_MAX {
            self.together.pop_last();
        }
    }

    fn presence(&self, warmth: &Warmth, hops: u32, policy: &ActivationPolicy) -> f64 {
        let turns = self.turn.saturating_sub(warmth.touched);
        activation::activation(warmth.weight, hops, turns, warmth.anchor, policy)
    }

    /// The memories in focus of which at least one was used in this turn and waits to be settled,
    /// two by two. Being in focus for long is one occasion, not one for every turn.
    fn pairs_now(&self, policy: &ActivationPolicy) -> Vec<(MemoryId, MemoryId)> {
        let focus: Vec<(MemoryId, bool)> = self
            .focus(policy)
            .into_iter()
            .filter_map(|node| {
                let warmth = self.nodes.get(&node)?;
                Some((node.memory()?, warmth.unsettled && warmth.touched == self.turn))
            })
            .collect();
        let mut pairs = Vec::new();
        for (at, (one, used)) in focus.iter().enumerate() {
            for (other, other_used) in &focus[at + 1..] {
                if *used || *other_used {
                    pairs.push((*one.min(other), *one.max(other)));
                }
            }
        }
        pairs
    }

    fn pair_up(&mut self, policy: &ActivationPolicy) {
        for pair in self.pairs_now(policy) {
            if self.together.len() < PAIRS_MAX {
                self.together.insert(pair);
            }
        }
    }

    fn make_room(&mut self, policy: &ActivationPolicy) {
        let over = self.nodes.len().saturating_sub(NODES_MAX);
        if over == 0 {
            return;
        }
        let mut ranked: Vec<(bool, f64, u32, NodeId)> = self
            .nodes
            .iter()
            .map(|(node, w)| (w.anchor, self.presence(w, 0, policy), w.touched, *node))
            .collect();
        ranked.select_nth_unstable_by(over - 1, |a, b| {
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)).then(a.3.cmp(&b.3))
        });
        for (.., node) in ranked.into_iter().take(over) {
            self.nodes.remove(&node);
        }
    }

    fn trim_surfaced(&mut self) {
        let over = self.surfaced.len().saturating_sub(SHOWN_MAX);
        if over == 0 {
            return;
        }
        let mut oldest: Vec<(u32, MemoryId)> =
            self.surfaced.iter().map(|(id, turn)| (*turn, *id)).collect();
        oldest.sort_unstable();
        for (_, id) in oldest.into_iter().take(over) {
            self.surfaced.remove(&id);
        }
    }
}

impl Warmth {
    fn new(turn: u32) -> Self {
        Self {
            weight: 0.0,
            touched: turn,
            anchor: false,
            unsettled: false,
            label: String::new(),
            domain: String::new(),
        }
    }

    /// What is left of the weight, wherever the focus is.
    fn left(&self, turn: u32, policy: &ActivationPolicy) -> f64 {
        activation::activation(self.weight, 0, turn.saturating_sub(self.touched), false, policy)
    }

    fn call(&mut self, label: &str) {
        if !label.is_empty() {
            self.label = text::headline(label, LABEL_CHARS_MAX);
        }
    }
}
