//! Clusters: nodes that hang closely together, and which cluster of before each of them is.
//!
//! Whoever calls gives the near pairs, such as mutual nearest neighbours. What belongs to no cluster stays without one.
//! The order in which nodes and pairs come makes no difference.

use std::collections::{BTreeMap, BTreeSet};

/// Rounds in which nodes change their cluster, at most, and times that clusters are joined.
const ROUNDS_MAX: usize = 24;
const LEVELS_MAX: usize = 12;

/// How closely nodes must hang together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusterPolicy {
    /// Mean weight between two members that a cluster must have: the higher, the smaller clusters are.
    pub density: f64,
    /// Members of the smallest cluster.
    pub size_min: usize,
    /// Share of common members from which a cluster is the one of before.
    pub same_from: f64,
}

impl Default for ClusterPolicy {
    fn default() -> Self {
        Self { density: 0.04, size_min: 3, same_from: 0.2 }
    }
}

/// A graph whose nodes are numbers, with how many of the given nodes each stands for.
struct Joined {
    near: Vec<Vec<(usize, f64)>>,
    sizes: Vec<f64>,
}

/// Finds clusters of at least `size_min` nodes, each sorted, by their first member.
///
/// A pair counts once, with its greatest weight; weights that are not above zero, and pairs of a node with itself or
/// with one that is not given, do not count. Clusters are those of the constant Potts model, found by moving nodes to
/// the cluster that gains most, and then whole clusters, until nothing gains.
pub fn clusters<K: Ord + Copy>(
    nodes: &[K],
    pairs: &[(K, K, f64)],
    policy: &ClusterPolicy,
) -> Vec<Vec<K>> {
    let ids: Vec<K> = nodes.iter().copied().collect::<BTreeSet<K>>().into_iter().collect();
    let mut graph = joined(&ids, pairs);
    let mut cluster_of: Vec<usize> = (0..ids.len()).collect();
    for _ in 0..LEVELS_MAX {
        let labels = moved(&graph, policy.density);
        let names: BTreeMap<usize, usize> =
            labels.iter().copied().collect::<BTreeSet<_>>().into_iter().zip(0..).collect();
        if names.len() == labels.len() {
            break;
        }
        let next: Vec<usize> = labels.iter().map(|label| names[label]).collect();
        for place in &mut cluster_of {
            *place = next[*place];
        }
        graph = graph.joined_by(&next, names.len());
    }
    let mut members: BTreeMap<usize, Vec<K>> = BTreeMap::new();
    for (id, cluster) in ids.iter().zip(&cluster_of) {
        members.entry(*cluster).or_default().push(*id);
    }
    let mut found: Vec<Vec<K>> =
        members.into_values().filter(|some| some.len() >= policy.size_min.max(1)).collect();
    found.sort();
    found
}

fn joined<K: Ord + Copy>(ids: &[K], pairs: &[(K, K, f64)]) -> Joined {
    let mut weights: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for (one, other, weight) in pairs {
        let places = (ids.binary_search(one), ids.binary_search(other));
        let (Ok(one), Ok(other)) = places else { continue };
        if one == other || weight.is_nan() || *weight <= 0.0 {
            continue;
        }
        let held = weights.entry((one.min(other), one.max(other))).or_default();
        *held = held.max(*weight);
    }
    let mut near = vec![Vec::new(); ids.len()];
    for ((one, other), weight) in weights {
        near[one].push((other, weight));
        near[other].push((one, weight));
    }
    Joined { near, sizes: vec![1.0; ids.len()] }
}

impl Joined {
    /// The graph of clusters: what lies between two clusters adds up.
    fn joined_by(&self, cluster_of: &[usize], count: usize) -> Self {
        let mut sizes = vec![0.0; count];
        let mut weights: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); count];
        for (node, near) in self.near.iter().enumerate() {
            let here = cluster_of[node];
            sizes[here] += self.sizes[node];
            for (other, weight) in near {
                if cluster_of[*other] != here {
                    *weights[here].entry(cluster_of[*other]).or_default() += weight;
                }
            }
        }
        Self { near: weights.into_iter().map(|some| some.into_iter().collect()).collect(), sizes }
    }
}

/// For each node, the cluster that it ends up in, named by a node. Nodes move one after the other.
fn moved(graph: &Joined, density: f64) -> Vec<usize> {
    let mut label: Vec<usize> = (0..graph.near.len()).collect();
    let mut sizes = graph.sizes.clone();
    for _ in 0..ROUNDS_MAX {
        let mut changed = false;
        for node in 0..graph.near.len() {
            let (here, own) = (label[node], graph.sizes[node]);
            let mut ties: BTreeMap<usize, f64> = BTreeMap::new();
            for (other, weight) in &graph.near[node] {
                *ties.entry(label[*other]).or_default() += weight;
            }
            let gain = |cluster: usize, tie: f64| {
                let others = if cluster == here { sizes[cluster] - own } else { sizes[cluster] };
                tie - density * own * others
            };
            // To stay must lose to something better: equal gains keep everything as it is.
            let mut best = (here, gain(here, ties.get(&here).copied().unwrap_or(0.0)).max(0.0));
            for (cluster, tie) in ties {
                let gained = gain(cluster, tie);
                if gained > best.1 + 1e-12 {
                    best = (cluster, gained);
                }
            }
            if best.0 != here {
                sizes[here] -= own;
                sizes[best.0] += own;
                label[node] = best.0;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    label
}

/// For each cluster that was found, which one of before it is: the one with the greatest share of common members, and
/// each at most once. `None` where it is new.
pub fn identities<C: Ord + Copy, K: Ord + Copy>(
    before: &BTreeMap<C, BTreeSet<K>>,
    found: &[Vec<K>],
    policy: &ClusterPolicy,
) -> Vec<Option<C>> {
    let mut held_by: BTreeMap<K, Vec<C>> = BTreeMap::new();
    for (cluster, members) in before {
        for member in members {
            held_by.entry(*member).or_default().push(*cluster);
        }
    }
    let mut likely: Vec<(f64, C, usize)> = Vec::new();
    for (place, members) in found.iter().enumerate() {
        let mut common: BTreeMap<C, usize> = BTreeMap::new();
        for cluster in members.iter().filter_map(|member| held_by.get(member)).flatten() {
            *common.entry(*cluster).or_default() += 1;
        }
        for (cluster, count) in common {
            let together = before[&cluster].len() + members.len() - count;
            likely.push((share(count, together), cluster, place));
        }
    }
    likely.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut taken = BTreeSet::new();
    let mut identity = vec![None; found.len()];
    for (common, cluster, place) in likely {
        if common >= policy.same_from && identity[place].is_none() && taken.insert(cluster) {
            identity[place] = Some(cluster);
        }
    }
    identity
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn share(part: usize, of: usize) -> f64 {
    part as f64 / of.max(1) as f64
}
