//! Labels: tags and areas that nobody gave, inferred from files, things and clusters, and marked as inferred.

use std::collections::BTreeMap;

use throughline_core::permission::Act;
use throughline_core::text::plural;
use throughline_core::{
    Change, Edge, Entity, EntityId, EntityKind, Memory, MemoryId, NodeId, Relation, Row, RowKey,
    reconcile,
};
use throughline_language::things::{domain_of, language_of, tag_key};

use super::deep::{PassPlan, PassStep, PassView, StepAct};
use crate::Result;
use crate::card::{INFERRED, INFERRED_DOMAIN};
use crate::mint;

/// Memories that are read in one go, and connections of each.
const AT_ONCE: usize = 256;
const EDGES_READ: usize = 48;
/// Members of a cluster that must carry a label, and their share, for the others to get it.
const CARRIED_BY: usize = 2;
const CARRIED_SHARE: f64 = 0.5;
/// How sure an inferred tag is.
const CONFIDENCE: f64 = 0.6;
/// Memories that get labels in one run.
const RUN_MAX: usize = 4_000;

/// What a memory carries and speaks of.
#[derive(Default)]
struct LabelGround {
    tags: Vec<(EntityId, bool)>,
    things: Vec<(EntityKind, String)>,
    cluster: Option<EntityId>,
    /// It has no area, and none was ever inferred.
    lacks_domain: bool,
    /// The area that it speaks of.
    domain: Option<&'static str>,
}

/// What the members of a cluster carry.
#[derive(Default)]
struct InCluster {
    members: usize,
    tags: BTreeMap<EntityId, usize>,
    domains: BTreeMap<String, usize>,
}

pub(super) fn plan(view: &PassView<'_>) -> Result<PassPlan> {
    view.may(Act::Tag)?;
    let ids: Vec<MemoryId> = view.memories()?.iter().map(|one| one.id).collect();
    let entities: BTreeMap<EntityId, Entity> = view
        .reader
        .things(view.space(), &[])?
        .into_iter()
        .map(|(entity, _)| (entity.id, entity))
        .collect();
    let mut clusters: BTreeMap<EntityId, InCluster> = BTreeMap::new();
    let mut open: Vec<(MemoryId, LabelGround)> = Vec::new();
    for some in ids.chunks(AT_ONCE) {
        let mut carried = carried(view, some, &entities)?;
        for memory in view.whole(some)? {
            let Some(held) = carried.get_mut(&memory.id) else { continue };
            if let Some(cluster) = held.cluster {
                clusters.entry(cluster).or_default().count(&memory, held);
            }
            held.lacks_domain = lacks_domain(&memory);
            if held.lacks_domain {
                let kinds: Vec<EntityKind> = held.things.iter().map(|(kind, _)| *kind).collect();
                held.domain = domain_of(&memory.content, &kinds);
            }
        }
        open.extend(carried);
    }
    let mut plan = PassPlan::of(ids.len());
    let mut tags = NewTags { view, held: tags_by_key(&entities), made: Vec::new() };
    let (mut tagged, mut placed) = (0, 0);
    for (id, held) in open {
        if plan.steps.len() >= RUN_MAX {
            break;
        }
        let cluster = held.cluster.and_then(|cluster| clusters.get(&cluster));
        tagged += usize::from(add_tags(view, &mut plan, &mut tags, id, &held, cluster)?);
        placed += usize::from(add_domain(view, &mut plan, id, &held, cluster)?);
    }
    plan.tell(format!("{} got a tag, {placed} an area", plural(tagged, "memory")));
    Ok(plan)
}

impl InCluster {
    fn count(&mut self, memory: &Memory, held: &LabelGround) {
        self.members += 1;
        let given = held.tags.iter().filter(|(_, inferred)| !inferred);
        for (tag, _) in given {
            *self.tags.entry(*tag).or_default() += 1;
        }
        if let Some(domain) = memory.domain.as_ref().filter(|_| !is_inferred(memory)) {
            *self.domains.entry(domain.clone()).or_default() += 1;
        }
    }

    /// What enough of the members carry.
    fn shared<K: Clone + Ord>(&self, counts: &BTreeMap<K, usize>) -> Vec<K> {
        let enough =
            |count: usize| count >= CARRIED_BY && ratio(count, self.members) >= CARRIED_SHARE;
        counts.iter().filter(|(_, count)| enough(**count)).map(|(key, _)| key.clone()).collect()
    }
}

/// What some memories carry and speak of.
fn carried(
    view: &PassView<'_>,
    ids: &[MemoryId],
    entities: &BTreeMap<EntityId, Entity>,
) -> Result<BTreeMap<MemoryId, LabelGround>> {
    let nodes: Vec<NodeId> = ids.iter().map(|id| (*id).into()).collect();
    let relations = [Relation::About, Relation::Tagged, Relation::InCluster];
    let mut found: BTreeMap<MemoryId, LabelGround> =
        ids.iter().map(|id| (*id, LabelGround::default())).collect();
    for edge in view.reader.neighbours(view.space(), &nodes, &relations, EDGES_READ)? {
        let ends = (edge.from.memory(), edge.to.entity());
        let (Some(memory), Some(entity)) = ends else { continue };
        let Some(held) = found.get_mut(&memory) else { continue };
        if edge.relation == Relation::Tagged {
            held.tags.push((entity, edge.extra.contains_key(INFERRED)));
        } else if edge.relation == Relation::InCluster {
            held.cluster = Some(entity);
        } else {
            let thing = entities.get(&entity).map(|one| (one.kind, one.name.clone()));
            held.things.extend(thing);
        }
    }
    Ok(found)
}

/// Tags by their key, and those that this run makes.
struct NewTags<'a> {
    view: &'a PassView<'a>,
    held: BTreeMap<String, Entity>,
    made: Vec<EntityId>,
}

impl NewTags<'_> {
    /// The tag of that name, and whether it must be made first.
    fn named(&mut self, name: &str) -> (Entity, bool) {
        let key = tag_key(name);
        if let Some(tag) = self.held.get(&key) {
            return (tag.clone(), self.made.contains(&tag.id));
        }
        let (view, id) = (self.view, EntityId(mint::id(self.view.now())));
        let tag = reconcile::entity(id, view.space(), EntityKind::Tag, name, view.now());
        self.held.insert(key, tag.clone());
        self.made.push(id);
        (tag, true)
    }
}

fn tags_by_key(entities: &BTreeMap<EntityId, Entity>) -> BTreeMap<String, Entity> {
    let tags = entities.values().filter(|one| one.kind == EntityKind::Tag && !one.name.is_empty());
    tags.map(|tag| (tag_key(&tag.name), tag.clone())).collect()
}

/// Gives a memory without tags those that its files and its cluster suggest. Returns whether it did.
fn add_tags(
    view: &PassView<'_>,
    plan: &mut PassPlan,
    tags: &mut NewTags<'_>,
    id: MemoryId,
    held: &LabelGround,
    cluster: Option<&InCluster>,
) -> Result<bool> {
    if !held.tags.is_empty() {
        return Ok(false);
    }
    let files = held.things.iter().filter(|(kind, _)| *kind == EntityKind::File);
    let mut wanted: Vec<(Entity, bool, &str)> = Vec::new();
    for language in files.filter_map(|(_, name)| language_of(name)) {
        let (tag, new) = tags.named(language);
        wanted.push((tag, new, "inferred from a file that it names"));
    }
    for shared in cluster.map(|some| some.shared(&some.tags)).unwrap_or_default() {
        let tag = tags.held.values().find(|tag| tag.id == shared).cloned();
        wanted.extend(tag.map(|tag| (tag, false, "inferred from similar memories")));
    }
    wanted.sort_by_key(|(tag, ..)| tag.id);
    wanted.dedup_by_key(|(tag, ..)| tag.id);
    let mut changes = Vec::new();
    for (tag, new, why) in wanted {
        let mut edge =
            Edge::new(view.space(), id.into(), Relation::Tagged, tag.id.into(), view.now());
        let key = RowKey::edge(edge.space, edge.from, edge.relation, edge.to);
        if !new && view.was_there(&key)? {
            continue;
        }
        if new {
            changes.push(Change::Know(tag));
        }
        edge.confidence = CONFIDENCE;
        edge.reason = Some(why.to_owned());
        edge.extra.insert(INFERRED.to_owned(), true.into());
        changes.push(Change::Link(edge));
    }
    let any = !changes.is_empty();
    if any {
        let there = vec![RowKey::memory(view.space(), id)];
        plan.steps.push(PassStep::with(there, changes));
    }
    Ok(any)
}

/// Gives a memory without an area the one that it speaks of, or that its cluster has. Returns whether it did.
fn add_domain(
    view: &PassView<'_>,
    plan: &mut PassPlan,
    id: MemoryId,
    held: &LabelGround,
    cluster: Option<&InCluster>,
) -> Result<bool> {
    if !held.lacks_domain {
        return Ok(false);
    }
    let shared = || cluster.and_then(|some| some.shared(&some.domains).into_iter().next());
    let Some(domain) = held.domain.map(str::to_owned).or_else(shared) else { return Ok(false) };
    let row = view.reader.rows(&[RowKey::memory(view.space(), id)])?.remove(0);
    let Some(memory) = row.and_then(Row::into_memory).filter(lacks_domain) else {
        return Ok(false);
    };
    let mut next = memory.clone();
    next.domain = Some(domain);
    next.extra.insert(INFERRED_DOMAIN.to_owned(), true.into());
    let act = StepAct::Change(vec![Change::Revise(Box::new(next))]);
    plan.steps.push(PassStep { seen: vec![memory], there: Vec::new(), act });
    Ok(true)
}

fn lacks_domain(memory: &Memory) -> bool {
    memory.domain.is_none() && !is_inferred(memory)
}

fn is_inferred(memory: &Memory) -> bool {
    memory.extra.contains_key(INFERRED_DOMAIN)
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn ratio(part: usize, of: usize) -> f64 {
    part as f64 / of.max(1) as f64
}
