//! Focus: what is said and done moves a session's attention; how far everything lies from it says how
//! much of it is told.
//!
//! Nothing here is slow: names are found by their form, the store is asked about all of them at once, and
//! distances are measured over the edges of a few nodes.

use std::collections::BTreeMap;
use std::path::Path;

use throughline_attention::activation::Touch;
use throughline_attention::hot::{FocusSurroundings, Hot, Nearness};
use throughline_core::{
    EntityId, EntityKind, MemoryId, NodeId, Relation, Row, RowKey, SessionId, Speaker, text,
};
use throughline_language::gate::Domain;
use throughline_language::{echo, question};
use throughline_store::{EntityName, Reader};

use crate::capture::{Captured, Mind, Minds};
use crate::flows::{Listening, Looking, Recalling};
use crate::ingest::id_of;
use crate::{Error, Result};

/// Names of one turn that are taken to mind.
const NAMES_MAX: usize = 12;
/// Characters of a turn in which they are looked for.
const LOOK_CHARS: usize = 2_000;
/// Letters that a name must have.
const LETTERS_MIN: usize = 3;
/// Memories that were shown and are held against an answer, the latest first.
const ANSWERED_MAX: usize = 24;
/// Edges read at one node and in one direction.
const EDGES_READ: usize = 16;
/// Nodes that are pulled from the store beside those that a session has in mind.
const BRANCH_MAX: usize = 16;

/// Something that was spoken of.
struct SpokenName {
    kind: EntityKind,
    label: String,
    times: usize,
}

/// What a session has in mind, for people to see.
#[derive(Debug, Clone, PartialEq)]
pub struct InFocus {
    /// Whose mind it is.
    pub session: SessionId,
    /// The turn it is at.
    pub turn: u32,
    /// What is in focus, the most present first.
    pub focus: Vec<FocusNode>,
    /// What lies one edge from it.
    pub near: Vec<FocusNode>,
    /// How many memories lie further, by domain.
    pub further: BTreeMap<String, usize>,
    /// How much it has in mind, by the ground it belongs to.
    pub domains: BTreeMap<String, usize>,
}

/// A node that a session has in mind.
#[derive(Debug, Clone, PartialEq)]
pub struct FocusNode {
    /// Which.
    pub node: NodeId,
    /// What to call it.
    pub label: String,
    /// The ground it belongs to; empty where none is known.
    pub domain: String,
    /// How present it is, in 0..=1.
    pub activation: f64,
    /// Whether it never leaves the session's mind altogether.
    pub anchor: bool,
}

impl Listening<'_> {
    /// Takes to mind what was said and done since the last time: what was named, which files tools
    /// touched, and what an agent used of what it was shown.
    pub(crate) fn take_to_mind(&self, mind: &mut Mind) -> Result<()> {
        let turns = mind.take_fresh();
        let named = spoken_names(&turns, &self.context.project.root);
        let answers: Vec<&str> = turns
            .iter()
            .filter(|turn| turn.speaker == Speaker::Assistant)
            .map(|turn| turn.text.as_str())
            .collect();
        let shown = if answers.is_empty() { Vec::new() } else { mind.shown_lately(ANSWERED_MAX) };
        if named.is_empty() && shown.is_empty() {
            return Ok(());
        }
        let reader = self.engine.now_reader()?;
        self.touch_named(&*reader, mind, &named)?;
        self.touch_answered(&*reader, mind, &shown, &answers)
    }

    /// Raises what was named: the thing that the store knows by that name, or a node of the session's own.
    fn touch_named(
        &self,
        reader: &dyn Reader,
        mind: &mut Mind,
        named: &BTreeMap<String, SpokenName>,
    ) -> Result<()> {
        let names: Vec<EntityName> =
            named.keys().map(|name| EntityName { kind: None, name: name.clone() }).collect();
        let mut known: BTreeMap<String, EntityId> = BTreeMap::new();
        for space in self.context.reach().spaces {
            for entity in reader.entities(space, &names)? {
                let organises = matches!(
                    entity.kind,
                    EntityKind::Tag | EntityKind::Cluster | EntityKind::Box | EntityKind::Trace
                );
                if !organises {
                    known.extend(entity.names().into_iter().map(|name| (name, entity.id)));
                }
            }
        }
        let ground = mind.watch.domain.map_or("", Domain::as_str);
        let policy = &self.engine.policy.activation;
        for (name, spoken) in named {
            let own = || EntityId(id_of(&format!("{}\nnamed {name}", self.context.project.key)).0);
            let node = NodeId::Entity(known.get(name).copied().unwrap_or_else(own));
            for _ in 0..spoken.times {
                mind.hot.touch(node, &spoken.label, Touch::Mention, policy);
            }
            let technical = spoken.kind == EntityKind::File;
            mind.hot.place(node, if technical { Domain::Technical.as_str() } else { ground });
        }
        Ok(())
    }

    /// Raises what was shown and then stood in an answer: it was used.
    fn touch_answered(
        &self,
        reader: &dyn Reader,
        mind: &mut Mind,
        shown: &[MemoryId],
        answers: &[&str],
    ) -> Result<()> {
        let spaces = self.context.reach().spaces;
        let keys: Vec<RowKey> = shown
            .iter()
            .flat_map(|id| spaces.iter().map(|space| RowKey::memory(*space, *id)))
            .collect();
        for memory in reader.rows(&keys)?.into_iter().flatten().filter_map(Row::into_memory) {
            let says = |answer: &&str| {
                echo::says_what_was_shown(answer, &[memory.content.as_str()]).is_some()
            };
            if answers.iter().any(says) {
                let (node, policy) = (memory.id.into(), &self.engine.policy.activation);
                mind.hot.touch(node, "", Touch::Mention, policy);
                mind.hot.place(node, memory.domain.as_deref().unwrap_or_default());
            }
        }
        Ok(())
    }

    /// Brings a session's mind in line with the store when it goes on: what no longer holds leaves it,
    /// and what is connected with what it had in mind comes along.
    pub(crate) fn pull_branches(&self, mind: &mut Mind) -> Result<()> {
        let policy = &self.engine.policy.activation;
        let wanted: Vec<NodeId> = mind.hot.most_present(policy);
        if wanted.is_empty() {
            return Ok(());
        }
        let reader = self.engine.now_reader()?;
        let spaces = self.context.reach().spaces;
        let held: Vec<MemoryId> = wanted.iter().filter_map(|node| node.memory()).collect();
        let read = |ids: &[MemoryId]| -> Result<Vec<throughline_core::Memory>> {
            let keys: Vec<RowKey> = ids
                .iter()
                .flat_map(|id| spaces.iter().map(|space| RowKey::memory(*space, *id)))
                .collect();
            let rows = reader.rows(&keys)?.into_iter().flatten();
            Ok(rows.filter_map(Row::into_memory).collect())
        };
        let known = read(&held)?;
        for id in &held {
            if !known.iter().any(|one| one.id == *id && one.state.is_active()) {
                mind.hot.nodes.remove(&NodeId::Memory(*id));
            }
        }
        let mut branch: Vec<NodeId> = Vec::new();
        for (one, other) in self.engine.recalling(self.context).edges_at(&*reader, &wanted)? {
            for end in [one, other] {
                if !mind.hot.nodes.contains_key(&end) && !branch.contains(&end) {
                    branch.push(end);
                }
            }
        }
        let ids: Vec<MemoryId> = branch.iter().filter_map(|node| node.memory()).collect();
        let reach = self.context.reach();
        let shown = read(&ids)?;
        let shown = shown.iter().filter(|one| one.state.is_active() && reach.sees(one));
        for memory in shown.take(BRANCH_MAX) {
            mind.hot.touch(memory.id.into(), "", Touch::CoUse, policy);
            mind.hot.place(memory.id.into(), memory.domain.as_deref().unwrap_or_default());
        }
        Ok(())
    }
}

impl Recalling<'_> {
    /// How far what this session has in mind, and what is connected with it, lies from its focus.
    /// Reads nothing where nothing is in focus.
    pub(crate) fn around(&self, reader: &dyn Reader, hot: &Hot) -> Result<FocusSurroundings> {
        let policy = &self.engine.policy.activation;
        let edges = self.edges_at(reader, &hot.to_measure(policy))?;
        Ok(hot.around(&edges, policy))
    }

    /// The connections of a few nodes. What is only kept together, as in a box, and turns are none.
    pub(crate) fn edges_at(
        &self,
        reader: &dyn Reader,
        nodes: &[NodeId],
    ) -> Result<Vec<(NodeId, NodeId)>> {
        let mut edges = Vec::new();
        if nodes.is_empty() {
            return Ok(edges);
        }
        let is_turn = |node: NodeId| matches!(node, NodeId::Episode(_));
        for space in self.context.reach().spaces {
            for edge in reader.neighbours(space, nodes, &[], EDGES_READ)? {
                let kept = matches!(edge.relation, Relation::InBox | Relation::InCluster);
                if !kept && !is_turn(edge.from) && !is_turn(edge.to) {
                    edges.push((edge.from, edge.to));
                }
            }
        }
        Ok(edges)
    }

    /// Raises a memory that somebody asked to see whole, and what it is connected with, in the mind of
    /// the session that asks, or of the project's latest one.
    pub(crate) fn expanded(&self, opened: MemoryId, related: &[MemoryId]) {
        let minds = Minds::new(&self.engine.home);
        let space = self.context.project.space();
        let session = self.context.session.clone().or_else(|| minds.latest_session_of(space));
        let Some(session) = session else { return };
        // It is a convenience: whoever has the session's mind right now is not waited for long.
        let Some(_turn) = minds.lock(&session) else { return };
        let mut mind = minds.load(&session);
        mind.lately.space = mind.lately.space.or(Some(space));
        let policy = &self.engine.policy.activation;
        mind.hot.touch(opened.into(), "", Touch::Expand, policy);
        for id in related {
            mind.hot.touch((*id).into(), "", Touch::CoUse, policy);
        }
        minds.save(&session, &mind).ok();
    }
}

impl Looking<'_> {
    /// What a session has in mind: the one that asks, or the project's latest.
    pub fn in_focus(&self) -> Result<InFocus> {
        let minds = Minds::new(&self.engine.home);
        let space = self.context.project.space();
        let session = self.context.session.clone().or_else(|| minds.latest_session_of(space));
        let Some(session) = session else {
            let none =
                "no session of this project has anything in mind yet; an agent must be connected";
            return Err(Error::NotPossible(none.to_owned()));
        };
        let mind = minds.load(&session);
        let reader = self.engine.now_reader()?;
        let recalling = self.engine.recalling(self.context);
        let policy = &self.engine.policy.activation;
        let edges = recalling.edges_at(&*reader, &mind.hot.to_measure(policy))?;
        let around = mind.hot.around(&edges, policy);
        let present: BTreeMap<NodeId, f64> =
            mind.hot.present(Some(&edges), policy).into_iter().collect();
        let mut nodes: Vec<NodeId> = mind.hot.focus(policy);
        nodes.extend(around.nodes(Nearness::Near));
        let mut told = self.told_nodes(&*reader, &mind.hot, &nodes, &present)?;
        let (focus, near): (Vec<FocusNode>, Vec<FocusNode>) =
            told.drain(..).partition(|one| around.nearness(one.node) == Some(Nearness::Focus));
        let further = recalling.further(&*reader, &around)?;
        let domains = mind.hot.by_domain(policy).into_iter();
        let domains = domains.map(|(domain, nodes)| (domain.to_owned(), nodes.len())).collect();
        Ok(InFocus { session, turn: mind.hot.turn, focus, near, further, domains })
    }

    fn told_nodes(
        &self,
        reader: &dyn Reader,
        hot: &Hot,
        nodes: &[NodeId],
        present: &BTreeMap<NodeId, f64>,
    ) -> Result<Vec<FocusNode>> {
        let mut told = Vec::new();
        for node in nodes {
            let reach = self.context.reach();
            let keys: Vec<RowKey> =
                reach.spaces.iter().map(|space| RowKey::node(*space, *node)).collect();
            let row = reader.rows(&keys)?.into_iter().flatten().next();
            let warmth = hot.nodes.get(node);
            let (label, domain) = match &row {
                Some(Row::Memory(memory)) if memory.state.is_active() && reach.sees(memory) => {
                    (memory.title(), memory.domain.clone().unwrap_or_default())
                }
                Some(Row::Memory(_)) => continue,
                Some(Row::Entity(entity)) => {
                    (entity.name.clone(), warmth.map(|one| one.domain.clone()).unwrap_or_default())
                }
                _ => match warmth.filter(|one| !one.label.is_empty()) {
                    Some(warmth) => (warmth.label.clone(), warmth.domain.clone()),
                    None => continue,
                },
            };
            told.push(FocusNode {
                node: *node,
                label,
                domain,
                activation: present.get(node).copied().unwrap_or(0.0),
                anchor: warmth.is_some_and(|one| one.anchor),
            });
        }
        Ok(told)
    }
}

/// What turns name, by comparable name: by its form in what was said, by its path in what tools did.
fn spoken_names(turns: &[Captured], root: &Path) -> BTreeMap<String, SpokenName> {
    let mut named: BTreeMap<String, SpokenName> = BTreeMap::new();
    for turn in turns {
        let mut found: BTreeMap<String, (EntityKind, String)> = BTreeMap::new();
        if turn.speaker == Speaker::Tool {
            let files = turn.run.iter().flat_map(|run| &run.call.files);
            for file in files.take(NAMES_MAX) {
                let path = Path::new(file);
                let path = path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
                found.insert(text::normalise(&path), (EntityKind::File, path));
            }
        } else {
            let asked = question::understand(text::cut(&turn.text, LOOK_CHARS), turn.at);
            for name in asked.names.iter().chain(&asked.identifiers) {
                let letters = name.chars().filter(|c| c.is_alphabetic()).count();
                if letters >= LETTERS_MIN && found.len() < NAMES_MAX {
                    let is_path = name.contains('/') || Path::new(name).extension().is_some();
                    let kind = if is_path { EntityKind::File } else { EntityKind::Concept };
                    found.insert(text::normalise(name), (kind, name.clone()));
                }
            }
        }
        for (name, (kind, label)) in found.into_iter().filter(|(name, _)| !name.is_empty()) {
            let known = named.entry(name).or_insert(SpokenName { kind, label, times: 0 });
            known.times += 1;
        }
    }
    named
}
