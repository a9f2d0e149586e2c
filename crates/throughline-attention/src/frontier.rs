//! The frontier: a best-first walk along edges, to what words and vectors missed.
//!
//! It starts at nodes with a score and goes on in waves, because a database answers one question
//! about many nodes sooner than many questions about one. It ranks and caps, and withholds what a seed
//! contests. It does not replace a superseded memory by its head, nor pair what is contested: that is
//! up to the caller.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

use throughline_core::policy::{EdgePolicy, FrontierPolicy};
use throughline_core::{Edge, NodeId, Relation, SpaceId, edge};

/// Edges from a seed beyond which no policy lets a walk go.
pub const DEPTH_MAX: u32 = 3;
/// Rounds beyond which no policy lets [`pagerank`] go.
pub const ROUNDS_MAX: u32 = 8;

/// Where a walk starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seed {
    /// Which node.
    pub node: NodeId,
    /// How well it answers by itself, in 0..=1.
    pub score: f64,
}

/// One edge taken, with what it contributed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hop {
    /// Where the step starts. The edge may start at the other end: see `forward`.
    pub from: NodeId,
    /// What the edge says.
    pub relation: Relation,
    /// Where the step ends.
    pub to: NodeId,
    /// Whether the edge was taken in the direction in which it reads.
    pub forward: bool,
    /// How readily the relation is followed this way round, in 0..=1.
    pub prior: f64,
    /// The strength of the edge today, in 0..=1.
    pub strength: f64,
    /// How sure we are of the edge, in 0..=1.
    pub confidence: f64,
    /// How much the node stepped from lets through, in 0..=1.
    pub damping: f64,
}

impl Hop {
    /// The share of the flow that this step passes on, before the decay that every hop costs.
    pub fn passes(&self) -> f64 {
        self.pull() * self.damping
    }

    /// What tells the edges of one node apart, which all share its damping.
    fn pull(&self) -> f64 {
        self.prior * self.strength * self.confidence
    }

    /// Whether it leads from something replaced to what took its place.
    fn leads_to_head(&self) -> bool {
        self.relation == Relation::Supersedes && !self.forward
    }
}

/// A node the walk came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Reached {
    /// Which node: a memory or an episode.
    pub node: NodeId,
    /// Score of the seed × what each step passes × the decay of each hop × `fit`.
    pub score: f64,
    /// What the node's own relevance contributed, in 0..=1.
    pub fit: f64,
    /// Edges between it and its seed, on the best path.
    pub hops: u32,
    /// That path, from the seed on.
    pub path: Vec<Hop>,
}

/// What a walk found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Walk {
    /// The nodes it came to, best first, ties by id. Neither seeds nor entities are among them.
    pub reached: Vec<Reached>,
    /// What it saw and left behind a cap, with the hops to it, nearest first, ties by id: "12 more".
    pub counted: Vec<(NodeId, u32)>,
    /// What says otherwise than a seed, with that seed, by id. It is neither reached nor passed through:
    /// what rests on it would be told as if nobody contested it.
    pub withheld: Vec<(NodeId, NodeId)>,
    /// Nodes whose edges were looked at.
    pub expanded: usize,
    /// Every step there is between nodes it found, both ways: what [`pagerank`] flows along.
    pub links: Vec<Hop>,
}

/// Walks from the seeds along the best edges.
///
/// - `edges_of` gives the edges at either end of the nodes, and leaves out those that lead to what
///   the reader may not see. It is asked once for each wave and never about a node twice.
/// - `idle_days` gives the active days since an edge was reinforced.
/// - `relevance` says how well a node fits the query, in 0..=1. Entities are not asked about: they
///   pass the flow on and are never a result.
///
/// The flow to a node is the best over all paths to it. A step towards the head of a chain of
/// replacements is never too weak, and is taken before all others.
pub fn walk<E>(
    seeds: &[Seed],
    mut edges_of: impl FnMut(&[NodeId]) -> Result<Vec<Edge>, E>,
    idle_days: impl Fn(&Edge) -> f64,
    relevance: impl Fn(NodeId) -> f64,
    policy: &FrontierPolicy,
    edge_policy: &EdgePolicy,
) -> Result<Walk, E> {
    let rules = Rules { idle_days: &idle_days, relevance: &relevance, policy, edge_policy };
    let started = starts(seeds, policy);
    let mut frontier: Vec<NodeId> = started.iter().map(|seed| seed.node).collect();
    let mut ground = WalkState::new(seeds, &started);

    for hops in 1..=policy.depth_max.min(DEPTH_MAX) {
        let unknown = ground.unknown(&frontier);
        if !unknown.is_empty() {
            ground.learn(edges_of(&unknown)?, unknown);
        }
        frontier = ground.advance(&frontier, hops, &rules);
        rules.keep_best(&mut frontier, &ground.arrivals);
        if frontier.is_empty() {
            break;
        }
    }
    Ok(ground.into_walk(&rules))
}

/// Scores the walk anew by [`pagerank`]: what several paths lead to gains, where [`walk`] counts
/// only the best one. The best score stays as high as it was; paths stay as they are.
///
/// Does nothing with `pagerank_rounds` 0.
pub fn rescore(walk: &mut Walk, seeds: &[Seed], policy: &FrontierPolicy) {
    if policy.pagerank_rounds == 0 {
        return;
    }
    let mass = pagerank(&walk.links, seeds, policy);
    let fitting = |found: &Reached| mass.get(&found.node).copied().unwrap_or(0.0) * found.fit;
    let top = walk.reached.iter().map(|found| found.score).fold(0.0, f64::max);
    let most = walk.reached.iter().map(fitting).fold(0.0, f64::max);
    if most <= 0.0 {
        return;
    }
    for found in &mut walk.reached {
        found.score = top * (fitting(found) / most);
    }
    walk.reached.sort_by(|a, b| best_first((a.score, a.node), (b.score, b.node)));
}

/// Where somebody ends up who wanders along the links and now and then starts again at a seed
/// (personalised `PageRank`): a share for each node, together 1. Empty if no seed has a score.
///
/// Goes on for `pagerank_rounds`, at most [`ROUNDS_MAX`] and at least [`DEPTH_MAX`], or nothing
/// would come to the farthest nodes. Hub damping plays no part: each node shares out what it has.
pub fn pagerank(links: &[Hop], seeds: &[Seed], policy: &FrontierPolicy) -> BTreeMap<NodeId, f64> {
    let damping = share(policy.pagerank_damping);
    let started = starts(seeds, policy);
    let total: f64 = started.iter().map(|seed| seed.score).sum();
    let restart: BTreeMap<NodeId, f64> =
        started.iter().map(|seed| (seed.node, seed.score / total)).collect();
    let mut leaving: BTreeMap<NodeId, f64> = BTreeMap::new();
    for link in links {
        *leaving.entry(link.from).or_default() += link.pull();
    }

    let mut mass = restart.clone();
    for _ in 0..policy.pagerank_rounds.clamp(DEPTH_MAX, ROUNDS_MAX) {
        let mut next: BTreeMap<NodeId, f64> = BTreeMap::new();
        let mut passed_on = 0.0;
        for link in links {
            let here = mass.get(&link.from).copied().unwrap_or(0.0);
            let out = leaving.get(&link.from).copied().unwrap_or(0.0);
            if here > 0.0 && out > 0.0 {
                let flow = damping * here * link.pull() / out;
                *next.entry(link.to).or_default() += flow;
                passed_on += flow;
            }
        }
        // What starts again, and what stands where no link leads on.
        for (node, part) in &restart {
            *next.entry(*node).or_default() += (1.0 - passed_on) * part;
        }
        mass = next;
    }
    mass
}

/// The seeds a walk sets out from: the best ones, each node once, none without a score.
fn starts(seeds: &[Seed], policy: &FrontierPolicy) -> Vec<Seed> {
    let mut best: BTreeMap<NodeId, f64> = BTreeMap::new();
    for seed in seeds {
        let score = best.entry(seed.node).or_default();
        *score = score.max(share(seed.score));
    }
    let scored = best.into_iter().filter(|(_, score)| *score > 0.0);
    let mut sorted: Vec<Seed> = scored.map(|(node, score)| Seed { node, score }).collect();
    sorted.sort_by(|a, b| best_first((a.score, a.node), (b.score, b.node)));
    sorted.truncate(policy.seeds_max);
    sorted
}

/// The best way to a node so far.
#[derive(Debug, Clone)]
struct Arrival {
    /// What arrives, before the node's own relevance.
    flow: f64,
    path: Vec<Hop>,
}

/// What one walk goes by.
struct Rules<'a> {
    idle_days: &'a dyn Fn(&Edge) -> f64,
    relevance: &'a dyn Fn(NodeId) -> f64,
    policy: &'a FrontierPolicy,
    edge_policy: &'a EdgePolicy,
}

impl Rules<'_> {
    /// What a node's relevance leaves of the flow to it.
    fn fit(&self, node: NodeId) -> f64 {
        match node {
            NodeId::Entity(_) => 1.0,
            NodeId::Memory(_) | NodeId::Episode(_) => {
                let floor = share(self.policy.relevance_floor);
                floor + (1.0 - floor) * share((self.relevance)(node))
            }
        }
    }

    /// The step along an edge from one of its ends, unless it leads nowhere or is too weak.
    fn step(&self, edge: &Edge, from: NodeId) -> Option<Hop> {
        let forward = edge.from == from;
        let into_the_past = edge.relation == Relation::Supersedes && forward;
        let step = Hop {
            from,
            relation: edge.relation,
            to: edge.other(from),
            forward,
            prior: if into_the_past {
                share(self.policy.backwards_in_time)
            } else {
                edge.relation.prior()
            },
            strength: edge::strength(edge, (self.idle_days)(edge), self.edge_policy),
            confidence: share(edge.confidence),
            damping: 1.0,
        };
        let weak = step.strength * step.confidence < self.edge_policy.prune_below;
        let walked = !weak || self.policy.include_weak || step.leads_to_head();
        (walked && step.to != from && step.pull() > 0.0).then_some(step)
    }

    /// The steps that can be taken from a node: the one to its head, then by what they promise.
    fn steps(&self, from: NodeId, edges: &[&Edge]) -> Vec<Hop> {
        let mut steps: Vec<Hop> = edges.iter().filter_map(|edge| self.step(edge, from)).collect();
        let damping = share(edge::hub_damping(steps.len(), self.edge_policy));
        for step in &mut steps {
            step.damping = damping;
        }
        steps.sort_by_cached_key(|step| {
            let promise = step.pull() * self.fit(step.to);
            // The bits of floats that are not negative sort as the floats do.
            let falling = Reverse((step.leads_to_head(), promise.to_bits()));
            (falling, step.to, step.relation, step.forward)
        });
        steps
    }

    /// Puts the nodes in order of priority, and drops what is beyond the cap.
    fn keep_best(&self, nodes: &mut Vec<NodeId>, arrivals: &BTreeMap<NodeId, Arrival>) {
        let priority = |node| arrivals.get(&node).map_or(0.0, |way| way.flow * self.fit(node));
        nodes.sort_by(|a, b| best_first((priority(*a), *a), (priority(*b), *b)));
        nodes.truncate(self.policy.nodes_max);
    }
}

/// What is known on the way.
struct WalkState {
    /// Every seed, also one that is not walked from.
    seeds: BTreeSet<NodeId>,
    /// Those that are walked from: all that speak against others are known before the first step.
    started: BTreeSet<NodeId>,
    arrivals: BTreeMap<NodeId, Arrival>,
    edges: BTreeMap<(NodeId, Relation, NodeId, SpaceId), Edge>,
    asked: BTreeSet<NodeId>,
    /// Nodes behind a cap, with the hops to them.
    passed_by: BTreeMap<NodeId, u32>,
    /// What a seed contests, with the first such seed.
    contested: BTreeMap<NodeId, NodeId>,
}

impl WalkState {
    fn new(seeds: &[Seed], started: &[Seed]) -> Self {
        let there = |seed: &Seed| (seed.node, Arrival { flow: seed.score, path: Vec::new() });
        Self {
            seeds: seeds.iter().map(|seed| seed.node).collect(),
            started: started.iter().map(|seed| seed.node).collect(),
            arrivals: started.iter().map(there).collect(),
            edges: BTreeMap::new(),
            asked: BTreeSet::new(),
            passed_by: BTreeMap::new(),
            contested: BTreeMap::new(),
        }
    }

    fn unknown(&self, nodes: &[NodeId]) -> Vec<NodeId> {
        nodes.iter().filter(|node| !self.asked.contains(node)).copied().collect()
    }

    fn learn(&mut self, edges: Vec<Edge>, about: Vec<NodeId>) {
        for edge in edges.iter().filter(|edge| edge.relation == Relation::Contradicts) {
            for (one, other) in [(edge.from, edge.to), (edge.to, edge.from)] {
                if self.started.contains(&one) && !self.seeds.contains(&other) {
                    let by = self.contested.entry(other).or_insert(one);
                    *by = one.min(*by);
                }
            }
        }
        let key = |edge: &Edge| (edge.from, edge.relation, edge.to, edge.space);
        self.edges.extend(edges.into_iter().map(|edge| (key(&edge), edge)));
        self.asked.extend(about);
    }

    fn edges_at(&self) -> BTreeMap<NodeId, Vec<&Edge>> {
        let mut at: BTreeMap<NodeId, Vec<&Edge>> = BTreeMap::new();
        for edge in self.edges.values() {
            at.entry(edge.from).or_default().push(edge);
            at.entry(edge.to).or_default().push(edge);
        }
        at
    }

    /// Takes one wave of steps and returns the nodes that more flow came to than before.
    ///
    /// A step to a seed, or one that brings no more than what is known, does not count towards the
    /// fan-out: the seeds around an entity, which fit best, would otherwise use it up.
    fn advance(&mut self, frontier: &[NodeId], hops: u32, rules: &Rules<'_>) -> Vec<NodeId> {
        let at = self.edges_at();
        let mut arriving: BTreeMap<NodeId, Arrival> = BTreeMap::new();
        let mut passed_by: BTreeSet<NodeId> = BTreeSet::new();
        for from in frontier {
            let (Some(here), Some(edges)) = (self.arrivals.get(from), at.get(from)) else {
                continue;
            };
            let mut ends: BTreeSet<NodeId> = BTreeSet::new();
            for step in rules.steps(*from, edges) {
                if self.contested.contains_key(&step.to) {
                    continue;
                }
                let flow = here.flow * step.passes() * share(rules.policy.hop_decay);
                let known = self.arrivals.get(&step.to).map_or(0.0, |way| way.flow);
                if flow <= known {
                    continue;
                }
                if !self.seeds.contains(&step.to) && !ends.contains(&step.to) {
                    if ends.len() >= rules.policy.fan_out {
                        passed_by.insert(step.to);
                        continue;
                    }
                    ends.insert(step.to);
                }
                if arriving.get(&step.to).is_none_or(|other| flow > other.flow) {
                    let path = here.path.iter().copied().chain([step]).collect();
                    arriving.insert(step.to, Arrival { flow, path });
                }
            }
        }
        for node in passed_by {
            self.passed_by.entry(node).or_insert(hops);
        }
        let improved = arriving.keys().copied().collect();
        self.arrivals.extend(arriving);
        improved
    }

    fn links(&self, rules: &Rules<'_>) -> Vec<Hop> {
        let at = self.edges_at();
        let found = at.iter().filter(|(node, _)| self.arrivals.contains_key(node));
        found
            .flat_map(|(node, edges)| rules.steps(*node, edges))
            .filter(|step| self.arrivals.contains_key(&step.to))
            .collect()
    }

    fn into_walk(self, rules: &Rules<'_>) -> Walk {
        let links = self.links(rules);
        let seeds = self.seeds;
        let is_result = |node: NodeId| node.entity().is_none() && !seeds.contains(&node);

        let mut reached: Vec<Reached> = self
            .arrivals
            .into_iter()
            .filter(|(node, _)| is_result(*node))
            .map(|(node, way)| reached(node, way, rules.fit(node)))
            .filter(|found| found.score > 0.0)
            .collect();
        reached.sort_by(|a, b| best_first((a.score, a.node), (b.score, b.node)));
        let beyond = reached.split_off(reached.len().min(rules.policy.nodes_max));

        let mut passed_by = self.passed_by;
        passed_by.extend(beyond.iter().map(|found| (found.node, found.hops)));
        let named: BTreeSet<NodeId> = reached.iter().map(|found| found.node).collect();
        let mut counted: Vec<(NodeId, u32)> = passed_by
            .into_iter()
            .filter(|(node, _)| is_result(*node) && !named.contains(node))
            .collect();
        counted.sort_by_key(|(node, hops)| (*hops, *node));
        let withheld = self.contested.into_iter().collect();
        Walk { reached, counted, withheld, expanded: self.asked.len(), links }
    }
}

fn reached(node: NodeId, way: Arrival, fit: f64) -> Reached {
    let hops = u32::try_from(way.path.len()).unwrap_or(DEPTH_MAX);
    Reached { node, score: way.flow * fit, fit, hops, path: way.path }
}

/// A number as a share of one. What is not a number counts as nothing.
fn share(value: f64) -> f64 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

fn best_first(a: (f64, NodeId), b: (f64, NodeId)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}
