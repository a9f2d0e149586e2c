//! Clusters: memories that lie close together get a node of their own, which stays the same one while most of its
//! members do. What lies alone belongs to none.

use std::collections::{BTreeMap, BTreeSet};

use throughline_attention::clusters::{ClusterPolicy, clusters, identities};
use throughline_core::permission::Act;
use throughline_core::text::plural;
use throughline_core::{
    Change, Edge, Entity, EntityId, EntityKind, Memory, MemoryId, NodeId, Relation, RowKey,
    reconcile, words,
};
use throughline_embed::MODEL;
use throughline_store::Vector;

use super::deep::{PassPlan, PassStep, PassView};
use super::names::tie;
use crate::Result;
use crate::mint;
use crate::things::hollow;

/// Words of a name.
const NAME_WORDS: usize = 3;
/// Letters of a word that tells something.
const WORD_LETTERS: usize = 3;
/// Connections and vectors that are read in one go.
const AT_ONCE: usize = 256;
const EDGES_MAX: usize = 100_000;
/// Memories below which a topic may have two members.
const SMALL: usize = 100;
/// Members whose vectors say where a cluster lies.
const CENTRE_OF: usize = 64;

/// Words that several members of a cluster share: how many of them, and as one of them writes it.
type Shared = BTreeMap<String, (usize, String)>;

/// A cluster that is there, with its members.
struct HeldCluster {
    entity: Entity,
    members: BTreeMap<MemoryId, Edge>,
}

pub(super) fn plan(view: &PassView<'_>) -> Result<PassPlan> {
    view.may(Act::Link)?;
    let memories = view.memories()?;
    let ids: Vec<MemoryId> = memories.iter().map(|one| one.id).collect();
    let pairs: Vec<(MemoryId, MemoryId, f64)> = view
        .mutual()?
        .into_iter()
        .map(|(one, other, near)| (ids[one], ids[other], f64::from(near)))
        .collect();
    // In a small memory two that lie close together are a topic already.
    let size_min = if ids.len() < SMALL { 2 } else { ClusterPolicy::default().size_min };
    let policy = ClusterPolicy { size_min, ..ClusterPolicy::default() };
    let mut found = clusters(&ids, &pairs, &policy);
    if size_min < ClusterPolicy::default().size_min {
        drop_nameless(view, &mut found)?;
    }
    let held = held(view)?;
    let before: BTreeMap<EntityId, BTreeSet<MemoryId>> =
        held.iter().map(|(id, cluster)| (*id, cluster.members.keys().copied().collect())).collect();
    let identity = identities(&before, &found, &policy);
    let mut plan = PassPlan::of(memories.len());
    let new = identity.iter().filter(|id| id.is_none()).count();
    let mut names = named(view, &found, &identity)?.into_iter();
    let mut kept = BTreeSet::new();
    for (members, known) in found.iter().zip(&identity) {
        let cluster = known.and_then(|id| held.get(&id));
        let entity = match cluster {
            Some(cluster) => cluster.entity.clone(),
            None => new_cluster(view, names.next().unwrap_or_default(), members),
        };
        kept.insert(entity.id);
        change_members(view, &mut plan, cluster, &entity, members);
        plan.vectors.extend(centre(view, entity.id, members)?);
    }
    let gone = held.values().filter(|cluster| !kept.contains(&cluster.entity.id));
    for cluster in gone {
        change_members(view, &mut plan, Some(cluster), &cluster.entity, &[]);
        let key = RowKey::node(view.space(), cluster.entity.id.into());
        let change = Change::Know(hollow(&cluster.entity));
        plan.steps.push(PassStep::with(vec![key], vec![change]));
    }
    let inside: usize = found.iter().map(Vec::len).sum();
    plan.tell(format!(
        "{inside} of {} lie in {}; {} are new",
        plural(ids.len(), "memory"),
        plural(found.len(), "cluster"),
        new
    ));
    Ok(plan)
}

/// Leaves out pairs that share no telling word: nobody would see what they are about.
fn drop_nameless(view: &PassView<'_>, found: &mut Vec<Vec<MemoryId>>) -> Result<()> {
    let mut named = Vec::new();
    for members in std::mem::take(found) {
        let texts = view.whole(&members)?;
        let shares = |one: &[Memory]| {
            let other = telling(&one[1].content);
            telling(&one[0].content).keys().any(|word| other.contains_key(word))
        };
        if texts.len() != 2 || shares(&texts) {
            named.push(members);
        }
    }
    *found = named;
    Ok(())
}

/// The clusters there are, with their members.
fn held(view: &PassView<'_>) -> Result<BTreeMap<EntityId, HeldCluster>> {
    let things = view.reader.things(view.space(), &[EntityKind::Cluster])?;
    let mut held: BTreeMap<EntityId, HeldCluster> = things
        .into_iter()
        .filter(|(entity, _)| !entity.name.is_empty())
        .map(|(entity, _)| (entity.id, HeldCluster { entity, members: BTreeMap::new() }))
        .collect();
    let nodes: Vec<NodeId> = held.keys().map(|id| NodeId::Entity(*id)).collect();
    for some in nodes.chunks(AT_ONCE) {
        let edges =
            view.reader.neighbours(view.space(), some, &[Relation::InCluster], EDGES_MAX)?;
        for edge in edges {
            let ends = (edge.from.memory(), edge.to.entity());
            if let (Some(memory), Some(cluster)) = ends
                && let Some(cluster) = held.get_mut(&cluster)
            {
                cluster.members.insert(memory, edge);
            }
        }
    }
    Ok(held)
}

fn new_cluster(view: &PassView<'_>, name: String, members: &[MemoryId]) -> Entity {
    let id = EntityId(mint::id(view.now()));
    let name = if name.is_empty() { plural(members.len(), "memory") } else { name };
    reconcile::entity(id, view.space(), EntityKind::Cluster, &name, view.now())
}

/// Adds the steps that give a cluster its members, each its own, and take the others away.
fn change_members(
    view: &PassView<'_>,
    plan: &mut PassPlan,
    cluster: Option<&HeldCluster>,
    entity: &Entity,
    members: &[MemoryId],
) {
    let space = view.space();
    let node = NodeId::Entity(entity.id);
    let key = RowKey::node(space, node);
    if cluster.is_none() {
        let there = members.iter().take(1).map(|id| RowKey::memory(space, *id)).collect();
        plan.steps.push(PassStep::with(there, vec![Change::Know(entity.clone())]));
    }
    let is_held = |id: &MemoryId| cluster.is_some_and(|one| one.members.contains_key(id));
    for id in members.iter().filter(|id| !is_held(id)) {
        let edge = Edge::new(space, (*id).into(), Relation::InCluster, node, view.now());
        let there = vec![key.clone(), RowKey::memory(space, *id)];
        plan.steps.push(PassStep::with(there, vec![Change::Link(edge)]));
    }
    let wanted: BTreeSet<&MemoryId> = members.iter().collect();
    let left = cluster.into_iter().flat_map(|one| &one.members);
    for (_, edge) in left.filter(|(id, _)| !wanted.contains(id)) {
        let Edge { from, relation, to, .. } = *edge;
        let change = Change::Unlink { space, from, relation, to };
        plan.steps.push(PassStep::with(vec![tie(edge)], vec![change]));
    }
}

/// Where a cluster lies: the middle of its members.
fn centre(view: &PassView<'_>, id: EntityId, members: &[MemoryId]) -> Result<Option<Vector>> {
    let nodes: Vec<NodeId> = members.iter().take(CENTRE_OF).map(|id| (*id).into()).collect();
    let vectors = view.reader.vectors_of(view.space(), MODEL, &nodes)?;
    Ok(middle(id, vectors.into_iter().flatten()))
}

/// The middle of some vectors, of length one; `None` where there are none.
pub(super) fn middle(id: EntityId, vectors: impl Iterator<Item = Vec<f32>>) -> Option<Vector> {
    let mut sum: Vec<f32> = Vec::new();
    for vector in vectors {
        sum.resize(vector.len().max(sum.len()), 0.0);
        sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
    }
    let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
    (length > 0.0).then(|| Vector {
        node: id.into(),
        seq: 1,
        values: sum.iter().map(|value| value / length).collect(),
        packed: Vec::new(),
    })
}

/// Names for new clusters, which have no identity yet: the words that stand in several of their members and in few others.
fn named(
    view: &PassView<'_>,
    found: &[Vec<MemoryId>],
    identity: &[Option<EntityId>],
) -> Result<Vec<String>> {
    if identity.iter().all(Option::is_some) {
        return Ok(Vec::new());
    }
    let mut everywhere: BTreeMap<String, usize> = BTreeMap::new();
    let mut total = 0;
    let mut new: Vec<(usize, Shared)> = Vec::new();
    for (members, known) in found.iter().zip(identity) {
        let mut here = Shared::new();
        for memory in view.whole(members)? {
            total += 1;
            for (word, written) in telling(&memory.content) {
                match everywhere.get_mut(&word) {
                    Some(count) => *count += 1,
                    None => drop(everywhere.insert(word.clone(), 1)),
                }
                here.entry(word).or_insert((0, written)).0 += 1;
            }
        }
        if known.is_none() {
            here.retain(|_, (count, _)| *count > 1);
            new.push((members.len(), here));
        }
    }
    let mut names = Vec::new();
    for (members, here) in new {
        let mut ranked: Vec<(f64, String)> = here
            .into_iter()
            .map(|(word, (count, written))| {
                let rarity = (ratio(total + 1, everywhere.get(&word).copied().unwrap_or(1))).ln();
                (ratio(count, members) * (0.1 + rarity), written)
            })
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let best: Vec<String> = ranked.into_iter().take(NAME_WORDS).map(|(_, word)| word).collect();
        names.push(best.join(", "));
    }
    Ok(names)
}

/// The telling words of a text, in small letters, and as they are written.
fn telling(content: &str) -> BTreeMap<String, String> {
    let words = content.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
    let long = words.filter(|word| word.chars().count() >= WORD_LETTERS);
    let lettered = long.filter(|word| word.chars().any(char::is_alphabetic));
    lettered
        .map(|word| (word.to_lowercase(), word.to_owned()))
        .filter(|(lower, _)| !words::is_common(&words::stem(lower)))
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn ratio(part: usize, of: usize) -> f64 {
    part as f64 / of.max(1) as f64
}
