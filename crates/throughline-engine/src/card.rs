//! A card: a memory with everything that is computed when asked.

use std::collections::{BTreeMap, BTreeSet};

use throughline_attention::lifecycle::{self, LifecycleFacts};
use throughline_core::evidence::speakers;
use throughline_core::form::{self, Form};
use throughline_core::salience::{self, Salience};
use throughline_core::scope::{self, Level};
use throughline_core::state::Flag;
use throughline_core::trust::{self, Trust};
use throughline_core::watermark;
use throughline_core::{
    Edge, Evidence, Kind, Memory, MemoryId, NodeId, Policy, Relation, Row, RowKey, SpaceId, State,
    Timestamp, Usage, Watermark,
};
use throughline_language::promise;
use throughline_store::Reader;

mod beside;
mod flags;

use flags::flags;

use crate::Result;
use crate::seed::is_in_file;

/// The field of a connection that says that sleep inferred the label.
pub(crate) const INFERRED: &str = "inferred";
/// The field of a memory that says that sleep inferred its area.
pub(crate) const INFERRED_DOMAIN: &str = "domain_inferred";

/// A memory with its evidence and what follows from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// The claim.
    pub memory: Memory,
    /// How far it reaches.
    pub level: Level,
    /// The name of its project, if it belongs to one.
    pub project: Option<String>,
    /// Dated happening or standing belief.
    pub form: Form,
    /// Labels, sorted.
    pub tags: Vec<String>,
    /// Those of them that nobody gave.
    pub inferred_tags: Vec<String>,
    /// Why it is believed, oldest first.
    pub evidence: Vec<Evidence>,
    /// What it is tied to.
    pub watermarks: Vec<Watermark>,
    /// How it was used.
    pub usage: Usage,
    /// What it replaced.
    pub supersedes: Vec<MemoryId>,
    /// Memories that say otherwise: active ones that rank no lower, and archived ones that rank higher.
    pub contested_by: Vec<MemoryId>,
    /// The people who said those, by name.
    pub contested_names: BTreeMap<MemoryId, Vec<String>>,
    /// What a person said last that may bear on it.
    pub later: Option<Later>,
    /// Reasons of a decision that no longer hold as they did.
    pub reopened_by: Vec<Shaken>,
    /// How true.
    pub trust: Trust,
    /// How retrievable.
    pub salience: Salience,
    /// What follows from all this.
    pub flags: Vec<Flag>,
    /// Active days since it was recorded.
    pub age_days: f64,
    /// Active days without use or assertion, as they count for salience.
    pub idle_days: f64,
    /// When somebody last said or checked that it holds.
    pub confirmed_at: Timestamp,
    /// By when what it promises is due.
    pub due: Option<Timestamp>,
    /// Connections to memories and things, where it was said not counted.
    pub edges: usize,
    /// Whether it is the reason of another memory.
    pub is_reason: bool,
    /// The flat memory file that it stands in.
    pub in_file: Option<String>,
}

impl Card {
    /// How it stands, in a few words, where that must be told with it: promised for when, not confirmed since when.
    pub fn in_few_words(&self, now: Timestamp) -> Option<String> {
        if let Some(at) = self.memory.done_at {
            return Some(format!("done {}", at.date()));
        }
        if let Some(from) = self.memory.valid_from.filter(|from| *from > now) {
            return Some(format!("from {}", from.date()));
        }
        match self.due {
            Some(due) if due < now => return Some(format!("overdue since {}", due.date())),
            Some(due) => return Some(format!("due {}", due.date())),
            None => {}
        }
        let old = self.flags.contains(&Flag::ReconfirmDue);
        old.then(|| format!("unconfirmed since {}", self.confirmed_at.date()))
    }

    /// What is known about it when its place is judged.
    pub(crate) fn lifecycle_facts(&self) -> LifecycleFacts {
        LifecycleFacts {
            age_active_days: self.age_days,
            salience: self.salience,
            sources: throughline_core::evidence::independent(&self.evidence).len(),
            edges: self.edges,
            contested: !self.contested_by.is_empty(),
        }
    }

    /// The people who said it, by name; none where memory has one person.
    pub fn said_by(&self) -> Vec<String> {
        named(&self.evidence, self.memory.id)
    }

    /// The people who said a memory that contests it, as a word in a sentence.
    pub fn contesting(&self, other: MemoryId) -> Option<String> {
        self.contested_names.get(&other).filter(|names| !names.is_empty()).map(|it| it.join(", "))
    }

    /// What it is bound to as it was noted, and as it is now, where the two differ.
    pub fn then_and_now(&self) -> Option<(String, String)> {
        if let Some(path) = &self.memory.unresolved {
            return Some((
                self.memory.recorded_at.date(),
                format!("naming {path}, which does not exist"),
            ));
        }
        let mark = self.watermarks.iter().find(|mark| mark.reading.wants_check())?;
        Some(watermark::then_and_now(mark))
    }
}

/// The people who said a memory, by name.
fn named(evidence: &[Evidence], memory: MemoryId) -> Vec<String> {
    speakers(evidence, memory).into_iter().flatten().map(str::to_owned).collect()
}

/// What a person said after a memory was kept, and may bear on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Later {
    /// The memory that it became, or the turn where nothing more was kept of it.
    pub node: NodeId,
    /// When it was said.
    pub at: Timestamp,
    /// The words.
    pub words: String,
    /// Whether they most likely leave the memory not as it is.
    pub questions: bool,
}

/// A reason that no longer holds as it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shaken {
    /// The reason.
    pub reason: MemoryId,
    /// What it says.
    pub title: String,
    /// What became of it.
    pub how: Shake,
}

/// What became of a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shake {
    /// Something took its place.
    Superseded,
    /// It was taken back.
    Retracted,
    /// What it is tied to has moved.
    Moved,
}

impl std::fmt::Display for Shake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Superseded => "was replaced",
            Self::Retracted => "was taken back",
            Self::Moved => "is tied to something that has changed",
        })
    }
}

/// Describes memories, reading once for each space. `seen` is what a look showed and nobody has
/// noted yet.
pub(crate) fn describe(
    reader: &dyn Reader,
    memories: &[Memory],
    now: Timestamp,
    policy: &Policy,
    seen: &[(Watermark, Watermark)],
) -> Result<Vec<Card>> {
    let mut by_space: BTreeMap<SpaceId, CardSurroundings> = BTreeMap::new();
    for memory in memories {
        let surroundings = by_space.entry(memory.space).or_default();
        surroundings.nodes.push(memory.id.into());
        if memory.kind == Kind::Decision {
            surroundings.decisions.insert(memory.id.into());
        }
    }
    for (space, surroundings) in &mut by_space {
        surroundings.fill(reader, *space, seen)?;
    }
    Ok(memories.iter().map(|memory| by_space[&memory.space].card(memory, now, policy)).collect())
}

/// What lies around the memories of one space.
#[derive(Default)]
struct CardSurroundings {
    nodes: Vec<NodeId>,
    /// Those of them that were decided, for reasons.
    decisions: BTreeSet<NodeId>,
    /// Reasons that are tied to something that has moved.
    moved: BTreeSet<MemoryId>,
    project: Option<String>,
    evidence: BTreeMap<MemoryId, Vec<Evidence>>,
    watermarks: BTreeMap<MemoryId, Vec<Watermark>>,
    usage: BTreeMap<MemoryId, Usage>,
    edges: BTreeMap<NodeId, Vec<Edge>>,
    /// Those that stand in a flat memory file, and in which.
    in_file: BTreeMap<MemoryId, String>,
    ends: BTreeMap<NodeId, Row>,
    /// What stands behind memories that contradict these.
    rival_evidence: Vec<Evidence>,
    active_days: Vec<i64>,
}

impl CardSurroundings {
    fn fill(
        &mut self,
        reader: &dyn Reader,
        space: SpaceId,
        seen: &[(Watermark, Watermark)],
    ) -> Result<()> {
        let as_seen = |mark: Watermark| {
            let found = seen.iter().find(|(held, _)| *held == mark);
            found.map_or(mark, |(_, seen)| seen.clone())
        };
        let mut ends: Vec<NodeId> = Vec::new();
        let (mut reasons, mut rivals) = (Vec::<NodeId>::new(), Vec::<NodeId>::new());
        for row in reader.attached(space, &self.nodes)? {
            match row {
                Row::Evidence(one) => self.evidence.entry(one.memory).or_default().push(one),
                Row::Watermark(one) => {
                    self.watermarks.entry(one.memory).or_default().push(as_seen(one));
                }
                Row::Usage(one) => {
                    self.usage.insert(one.memory, one);
                }
                Row::Edge(edge) => {
                    if let Relation::Tagged | Relation::Contradicts | Relation::LaterSaid =
                        edge.relation
                    {
                        ends.extend([edge.from, edge.to]);
                    }
                    if edge.relation == Relation::Contradicts {
                        rivals.extend([edge.from, edge.to]);
                    }
                    if edge.relation.is_reason() && self.decisions.contains(&edge.from) {
                        reasons.extend(edge.to.memory().map(NodeId::Memory));
                    }
                    for end in [edge.from, edge.to] {
                        self.edges.entry(end).or_default().push(edge.clone());
                    }
                }
                Row::Space(_)
                | Row::Memory(_)
                | Row::Entity(_)
                | Row::Episode(_)
                | Row::Session(_)
                | Row::Injection(_)
                | Row::Tombstone(_)
                | Row::Pending(_) => {}
                Row::Leaf(leaf) if is_in_file(&leaf) => {
                    self.in_file.insert(leaf.memory, leaf.name);
                }
                Row::Leaf(_) => {}
            }
        }
        let mut beside = reasons.clone();
        beside.append(&mut rivals);
        for row in reader.attached(space, &beside)? {
            if let Row::Evidence(one) = row {
                self.rival_evidence.push(one);
            } else if let Row::Watermark(mark) = row
                && as_seen(mark.clone()).reading.wants_check()
            {
                self.moved.insert(mark.memory);
            }
        }
        ends.append(&mut reasons);
        ends.sort_unstable();
        ends.dedup();
        let keys: Vec<RowKey> = ends.iter().map(|end| RowKey::node(space, *end)).collect();
        let rows = reader.rows(&keys)?;
        self.ends = ends.into_iter().zip(rows).filter_map(|(end, row)| Some((end, row?))).collect();
        self.active_days = reader.active_days(space)?;
        self.project = reader
            .spaces()?
            .into_iter()
            .find(|one| one.space == space && space != SpaceId::GLOBAL)
            .map(|one| one.name);
        Ok(())
    }

    fn card(&self, memory: &Memory, now: Timestamp, policy: &Policy) -> Card {
        let mut evidence = self.evidence.get(&memory.id).cloned().unwrap_or_default();
        evidence.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
        let watermarks = self.watermarks.get(&memory.id).cloned().unwrap_or_default();
        let usage = self
            .usage
            .get(&memory.id)
            .cloned()
            .unwrap_or_else(|| Usage::none(memory.space, memory.id));
        let edges = self.edges.get(&memory.id.into()).map(Vec::as_slice).unwrap_or_default();
        let (tags, inferred_tags) = self.tags(memory, edges);
        let contested_by = self.contested_by(memory, edges, now);
        let trust = trust::trust(&evidence, &watermarks, !contested_by.is_empty(), &policy.trust);

        let asserted_at = evidence.iter().map(|one| one.at).max().unwrap_or(memory.recorded_at);
        let touched_at = usage.last_used_at.max(Some(asserted_at)).unwrap_or(asserted_at);
        let idle = salience::idle_days(&self.active_days, touched_at, now);
        let idle = lifecycle::felt_idle_days(idle, &usage, &policy.salience);
        let salience = salience::salience(memory, &usage, idle, &policy.salience);
        let confirmed_at = memory.last_verified_at.max(Some(asserted_at)).unwrap_or(asserted_at);
        let unconfirmed = salience::idle_days(&self.active_days, confirmed_at, now);

        let mut card = Card {
            level: scope::level(memory),
            project: self.project.clone(),
            form: form::form(memory.kind, &memory.content, &given(&tags, &inferred_tags)),
            tags,
            inferred_tags,
            supersedes: supersedes(memory, edges),
            reopened_by: self.shaken(memory, edges),
            contested_names: contested_by
                .iter()
                .map(|id| (*id, named(&self.rival_evidence, *id)))
                .collect(),
            contested_by,
            later: self.later(memory, edges, confirmed_at, now),
            trust,
            salience,
            flags: Vec::new(),
            age_days: salience::idle_days(&self.active_days, memory.recorded_at, now),
            idle_days: idle,
            confirmed_at,
            due: promised_for(memory),
            is_reason: edges
                .iter()
                .any(|edge| edge.relation.is_reason() && edge.to == memory.id.into()),
            in_file: self.in_file.get(&memory.id).cloned(),
            edges: edges.iter().filter(|edge| is_connection(edge, memory.id)).count(),
            evidence,
            watermarks,
            usage,
            memory: memory.clone(),
        };
        card.flags = flags(&card, edges, unconfirmed, policy);
        card
    }

    /// The labels, and those of them that sleep inferred.
    fn tags(&self, memory: &Memory, edges: &[Edge]) -> (Vec<String>, Vec<String>) {
        let mut tags: Vec<(String, bool)> = edges
            .iter()
            .filter(|edge| edge.relation == Relation::Tagged && edge.from == memory.id.into())
            .filter_map(|edge| match self.ends.get(&edge.to) {
                Some(Row::Entity(entity)) => {
                    Some((entity.name.clone(), edge.extra.contains_key(INFERRED)))
                }
                _ => None,
            })
            .collect();
        tags.sort();
        let inferred = tags.iter().filter(|(_, inferred)| *inferred);
        let inferred = inferred.map(|(tag, _)| tag.clone()).collect();
        (tags.into_iter().map(|(tag, _)| tag).collect(), inferred)
    }

    /// The reasons of a decision that no longer hold as they did.
    fn shaken(&self, memory: &Memory, edges: &[Edge]) -> Vec<Shaken> {
        if memory.kind != Kind::Decision || !memory.state.is_active() {
            return Vec::new();
        }
        let reasons = edges
            .iter()
            .filter(|edge| edge.relation.is_reason() && edge.from == memory.id.into())
            .filter_map(|edge| match self.ends.get(&edge.to) {
                Some(Row::Memory(reason)) => Some(reason),
                _ => None,
            });
        let shaken = |reason: &Memory| {
            let how = match reason.state {
                State::Superseded => Shake::Superseded,
                State::Retracted => Shake::Retracted,
                State::Staged | State::Confirmed if self.moved.contains(&reason.id) => Shake::Moved,
                // Put away, or run out: nobody said that it is wrong.
                State::Draft
                | State::Staged
                | State::Confirmed
                | State::Expired
                | State::Archived => return None,
            };
            Some(Shaken { reason: reason.id, title: reason.title(), how })
        };
        let mut found: Vec<Shaken> = reasons.filter_map(|reason| shaken(reason)).collect();
        found.sort_by_key(|one| one.reason);
        found.dedup();
        found
    }
}

/// By when a promise is due, if it is one that is still open.
fn promised_for(memory: &Memory) -> Option<Timestamp> {
    // What begins at a time is not due by then.
    let begins = memory.begins_after(memory.recorded_at);
    let open = memory.kind == Kind::Commitment && memory.done_at.is_none() && !begins;
    if open { promise::due(&memory.content, memory.recorded_at) } else { None }
}

/// Whether an edge connects a memory with another one or with a thing. Where it was said, and what it replaced, is no
/// connection.
fn is_connection(edge: &Edge, of: MemoryId) -> bool {
    let said = matches!(edge.other(of.into()), NodeId::Episode(_));
    !said && !matches!(edge.relation, Relation::Supersedes | Relation::LaterSaid)
}

/// The labels that somebody gave.
fn given(tags: &[String], inferred: &[String]) -> Vec<String> {
    tags.iter().filter(|tag| !inferred.contains(tag)).cloned().collect()
}

fn supersedes(memory: &Memory, edges: &[Edge]) -> Vec<MemoryId> {
    edges
        .iter()
        .filter(|edge| edge.relation == Relation::Supersedes && edge.from == memory.id.into())
        .filter_map(|edge| edge.to.memory())
        .collect()
}
