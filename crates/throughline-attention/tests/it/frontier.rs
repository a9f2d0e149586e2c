//! How far a walk along edges goes, and what it brings back.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use throughline_attention::frontier::{
    DEPTH_MAX, Hop, ROUNDS_MAX, Reached, Seed, Walk, pagerank, rescore, walk,
};
use throughline_core::edge::{hub_damping, strength};
use throughline_core::policy::{EdgePolicy, FrontierPolicy};
use throughline_core::{Edge, EntityId, NodeId, Relation};
use uuid::Uuid;

use crate::world::{SPACE, day, id};

fn memory(number: u128) -> NodeId {
    id(number).into()
}

fn entity(number: u128) -> NodeId {
    EntityId(Uuid::from_u128(number)).into()
}

fn edge(from: NodeId, relation: Relation, to: NodeId) -> Edge {
    Edge::new(SPACE, from, relation, to, day(0))
}

fn idle_days(edge: &Edge) -> f64 {
    day(2_000).days_since(edge.last_reinforced_at)
}

/// Small numbers fit, large ones do not.
fn relevance(node: NodeId) -> f64 {
    match node {
        NodeId::Memory(id) => (id.0.as_u128() % 5) as f64 / 4.0,
        NodeId::Entity(_) => panic!("nobody asks how relevant an entity is"),
        NodeId::Episode(_) => 0.0,
    }
}

/// The edges of a store, answering as one does.
fn edges_of(edges: &[Edge], nodes: &[NodeId]) -> Vec<Edge> {
    let touches = |edge: &&Edge| nodes.contains(&edge.from) || nodes.contains(&edge.to);
    edges.iter().filter(touches).cloned().collect()
}

fn walked_by(
    seeds: &[Seed],
    edges: &[Edge],
    relevance: impl Fn(NodeId) -> f64,
    policy: &FrontierPolicy,
) -> Walk {
    let answer = |nodes: &[NodeId]| Ok::<_, Infallible>(edges_of(edges, nodes));
    let Ok(found) = walk(seeds, answer, idle_days, relevance, policy, &EdgePolicy::default());
    found
}

fn walked(seeds: &[Seed], edges: &[Edge], policy: &FrontierPolicy) -> Walk {
    walked_by(seeds, edges, relevance, policy)
}

/// A walk from memory 0, for which everything is equally relevant.
fn from_zero(edges: &[Edge]) -> Walk {
    walked_by(&[Seed { node: memory(0), score: 1.0 }], edges, |_| 1.0, &FrontierPolicy::default())
}

fn score_of(walk: &Walk, node: NodeId) -> Option<f64> {
    walk.reached.iter().find(|found| found.node == node).map(|found| found.score)
}

fn best(seeds: &[Seed]) -> f64 {
    seeds.iter().map(|seed| seed.score).fold(0.0, f64::max)
}

/// The score as its parts give it.
fn retold(found: &Reached, seeds: &[Seed], policy: &FrontierPolicy) -> f64 {
    let start = found.path[0].from;
    let of_start = seeds.iter().filter(|seed| seed.node == start).map(|seed| seed.score);
    let steps = found
        .path
        .iter()
        .map(|step| step.prior * step.strength * step.confidence * step.damping * policy.hop_decay);
    let floor = policy.relevance_floor;
    let fit = floor + (1.0 - floor) * relevance(found.node);
    of_start.fold(0.0, f64::max) * steps.product::<f64>() * fit
}

/// Every path, tried one after the other: slow and plain.
fn by_trying_all(seeds: &[Seed], edges: &[Edge], depth: u32) -> BTreeMap<NodeId, f64> {
    let (policy, edge_policy) = (FrontierPolicy::default(), EdgePolicy::default());
    let is_seed = |node: NodeId| seeds.iter().any(|seed| seed.node == node);
    // Only a seed that is walked from contests something.
    let walked_from = |node| seeds.iter().any(|seed| seed.node == node && seed.score > 0.0);
    let contested = |node: NodeId| {
        edges.iter().any(|edge| {
            let by_seed = |one, other| one == node && walked_from(other);
            edge.relation == Relation::Contradicts
                && !is_seed(node)
                && (by_seed(edge.from, edge.to) || by_seed(edge.to, edge.from))
        })
    };
    let passable = |edge: &Edge, node: NodeId| {
        let strength = strength(edge, idle_days(edge), &edge_policy);
        let to_head = edge.relation == Relation::Supersedes && edge.to == node;
        let weak = strength * edge.confidence < edge_policy.prune_below && !to_head;
        let past = edge.relation == Relation::Supersedes && edge.from == node;
        let prior = if past { policy.backwards_in_time } else { edge.relation.prior() };
        let touches = (edge.from == node) != (edge.to == node);
        let pull = prior * strength * edge.confidence;
        (touches && !weak && pull > 0.0).then_some(pull)
    };
    let mut flow: BTreeMap<NodeId, f64> = BTreeMap::new();
    let mut paths: Vec<(NodeId, f64)> = seeds
        .iter()
        .map(|seed| (seed.node, seed.score))
        .filter(|(_, score)| *score > 0.0)
        .collect();
    for _ in 0..depth {
        let mut longer = Vec::new();
        for (node, here) in paths {
            let degree = edges.iter().filter(|edge| passable(edge, node).is_some()).count();
            for edge in edges {
                if let Some(pull) = passable(edge, node).filter(|_| !contested(edge.other(node))) {
                    let damping = hub_damping(degree, &edge_policy);
                    longer.push((edge.other(node), here * pull * damping * policy.hop_decay));
                }
            }
        }
        for (node, arrived) in &longer {
            let known = flow.entry(*node).or_default();
            *known = known.max(*arrived);
        }
        paths = longer;
    }
    flow.retain(|node, _| node.entity().is_none() && seeds.iter().all(|seed| seed.node != *node));
    flow
}

fn any_node() -> impl Strategy<Value = NodeId> {
    prop_oneof![3 => (0..12_u128).prop_map(memory), 1 => (0..4_u128).prop_map(entity)]
}

fn any_edge() -> impl Strategy<Value = Edge> {
    let shares = (0.0..=1.0_f64, 0.0..=1.0_f64);
    (any_node(), select(Relation::ALL), any_node(), shares, 0..2_000_u32).prop_map(
        |(from, relation, to, (weight, confidence), on)| Edge {
            weight,
            confidence,
            last_reinforced_at: day(on),
            ..edge(from, relation, to)
        },
    )
}

/// Edges as a store holds them: one for a key. Some lead back to where they start.
fn graph(size: usize) -> impl Strategy<Value = Vec<Edge>> {
    vec(any_edge(), 0..size).prop_map(|edges| {
        let keyed = edges.into_iter().map(|edge| ((edge.from, edge.relation, edge.to), edge));
        keyed.collect::<BTreeMap<_, _>>().into_values().collect()
    })
}

fn seeds() -> impl Strategy<Value = Vec<Seed>> {
    vec((any_node(), 0.0..=1.0_f64).prop_map(|(node, score)| Seed { node, score }), 0..5)
}

fn policy() -> impl Strategy<Value = FrontierPolicy> {
    (0..6_u32, 0..6_usize, 0..8_usize, 0..4_usize, any::<bool>(), 0..12_u32).prop_map(
        |(depth_max, fan_out, nodes_max, seeds_max, include_weak, pagerank_rounds)| {
            FrontierPolicy {
                depth_max,
                fan_out,
                nodes_max,
                seeds_max,
                include_weak,
                pagerank_rounds,
                ..FrontierPolicy::default()
            }
        },
    )
}

fn is_weak(step: &Hop) -> bool {
    let to_head = step.relation == Relation::Supersedes && !step.forward;
    step.strength * step.confidence < EdgePolicy::default().prune_below && !to_head
}

proptest! {
    #[test]
    fn no_walk_goes_beyond_its_caps(edges in graph(60), seeds in seeds(), policy in policy()) {
        let found = walked(&seeds, &edges, &policy);
        prop_assert!(found.reached.len() <= policy.nodes_max);
        prop_assert!(found.expanded <= policy.seeds_max + 2 * policy.nodes_max);
        let mut led_on: BTreeMap<NodeId, usize> = BTreeMap::new();
        for reached in &found.reached {
            prop_assert!((1..=policy.depth_max.min(DEPTH_MAX)).contains(&reached.hops));
            prop_assert_eq!(reached.path.len(), reached.hops as usize);
            prop_assert!(reached.score > 0.0 && reached.score <= best(&seeds));
            *led_on.entry(reached.path[reached.path.len() - 1].from).or_default() += 1;
        }
        prop_assert!(led_on.values().all(|count| *count <= policy.fan_out));
    }

    #[test]
    fn neither_seeds_nor_entities_are_found(edges in graph(60), seeds in seeds(), policy in policy()) {
        let found = walked(&seeds, &edges, &policy);
        let reached: Vec<NodeId> = found.reached.iter().map(|reached| reached.node).collect();
        let counted: Vec<NodeId> = found.counted.iter().map(|(node, _)| *node).collect();
        for node in reached.iter().chain(&counted) {
            prop_assert!(node.entity().is_none());
            prop_assert!(seeds.iter().all(|seed| seed.node != *node));
        }
        let distinct: BTreeSet<&NodeId> = reached.iter().chain(&counted).collect();
        prop_assert_eq!(distinct.len(), reached.len() + counted.len(), "named once");
    }

    #[test]
    fn nothing_that_a_walked_seed_contests_is_reached_or_passed_through(
        edges in graph(60), seeds in seeds(), policy in policy(),
    ) {
        let found = walked(&seeds, &edges, &policy);
        let withheld: BTreeSet<NodeId> = found.withheld.iter().map(|(node, _)| *node).collect();
        for reached in &found.reached {
            prop_assert!(!withheld.contains(&reached.node));
            prop_assert!(reached.path.iter().all(|step| !withheld.contains(&step.to)));
        }
        prop_assert!(found.counted.iter().all(|(node, _)| !withheld.contains(node)));
        for (_, by) in &found.withheld {
            prop_assert!(seeds.iter().any(|seed| seed.node == *by));
        }
    }

    #[test]
    fn a_path_leads_from_a_seed_to_the_node_and_tells_its_score(
        edges in graph(60), seeds in seeds(), policy in policy(),
    ) {
        for reached in walked(&seeds, &edges, &policy).reached {
            let first = reached.path[0].from;
            prop_assert!(seeds.iter().any(|seed| seed.node == first));
            for pair in reached.path.windows(2) {
                prop_assert_eq!(pair[0].to, pair[1].from);
            }
            prop_assert_eq!(reached.path[reached.path.len() - 1].to, reached.node);
            prop_assert!((retold(&reached, &seeds, &policy) - reached.score).abs() < 1e-12);
        }
    }

    #[test]
    fn the_order_in_which_edges_and_seeds_come_changes_nothing(
        (edges, shuffled) in graph(60).prop_flat_map(|edges| (Just(edges.clone()), Just(edges).prop_shuffle())),
        seeds in seeds(), policy in policy(),
    ) {
        let turned: Vec<Seed> = seeds.iter().rev().copied().collect();
        let (mut one, mut other) = (walked(&seeds, &edges, &policy), walked(&turned, &shuffled, &policy));
        prop_assert_eq!(&one, &other);
        rescore(&mut one, &seeds, &policy);
        rescore(&mut other, &turned, &policy);
        prop_assert_eq!(one, other);
    }

    #[test]
    fn a_store_is_asked_once_for_each_wave_and_never_about_a_node_twice(
        edges in graph(60), seeds in seeds(), policy in policy(),
    ) {
        let asked: RefCell<Vec<Vec<NodeId>>> = RefCell::default();
        let answer = |nodes: &[NodeId]| {
            asked.borrow_mut().push(nodes.to_vec());
            Ok::<_, Infallible>(edges_of(&edges, nodes))
        };
        let Ok(found) =
            walk(&seeds, answer, idle_days, relevance, &policy, &EdgePolicy::default());
        let asked = asked.into_inner();
        prop_assert!(asked.len() <= policy.depth_max.min(DEPTH_MAX) as usize);
        prop_assert!(asked.iter().all(|nodes| !nodes.is_empty()));
        let each: Vec<NodeId> = asked.concat();
        prop_assert_eq!(each.iter().collect::<BTreeSet<_>>().len(), each.len());
        prop_assert_eq!(found.expanded, each.len());
    }

    #[test]
    fn what_is_weak_is_walked_only_when_asked_for(edges in graph(60), seeds in seeds(), policy in policy()) {
        let found = walked(&seeds, &edges, &policy);
        let steps = found.reached.iter().flat_map(|reached| &reached.path).chain(&found.links);
        prop_assert!(policy.include_weak || !steps.into_iter().any(is_weak));
    }

    #[test]
    fn without_caps_it_finds_what_trying_every_path_finds(
        edges in graph(24), seeds in seeds(), depth_max in 0..=DEPTH_MAX,
    ) {
        let policy = FrontierPolicy { depth_max, fan_out: 99, nodes_max: 99, ..FrontierPolicy::default() };
        let found = walked_by(&seeds, &edges, |_| 1.0, &policy);
        let expected = by_trying_all(&seeds, &edges, depth_max);
        prop_assert_eq!(found.reached.len(), expected.len());
        for (node, flow) in expected {
            let score = score_of(&found, node).unwrap_or(0.0);
            prop_assert!((score - flow).abs() < 1e-12, "{} scores {}, not {}", node, score, flow);
        }
        prop_assert_eq!(found.counted, []);
    }

    #[test]
    fn a_more_fitting_node_never_scores_lower(
        edges in graph(60), seeds in seeds(), less in 0.0..=1.0_f64, more in 0.0..=1.0_f64,
    ) {
        let policy = FrontierPolicy { fan_out: 99, nodes_max: 99, ..FrontierPolicy::default() };
        let (less, more) = (less.min(more), less.max(more));
        let low = walked_by(&seeds, &edges, |_| less, &policy);
        let high = walked_by(&seeds, &edges, |_| more, &policy);
        for reached in low.reached {
            prop_assert!(score_of(&high, reached.node).is_some_and(|score| score >= reached.score));
        }
    }

    #[test]
    fn wandering_shares_out_exactly_one_whole(edges in graph(60), seeds in seeds(), policy in policy()) {
        let found = walked(&seeds, &edges, &policy);
        let mass = pagerank(&found.links, &seeds, &policy);
        let total: f64 = mass.values().sum();
        let nowhere = policy.seeds_max == 0 || best(&seeds) <= 0.0;
        prop_assert!((total - if nowhere { 0.0 } else { 1.0 }).abs() < 1e-9, "{}", total);
        prop_assert!(mass.values().all(|part| (0.0..=1.0 + 1e-9).contains(part)));
    }

    #[test]
    fn scoring_anew_keeps_the_nodes_the_best_score_and_the_order(
        edges in graph(60), seeds in seeds(), policy in policy(),
    ) {
        let before = walked(&seeds, &edges, &policy);
        let mut after = before.clone();
        rescore(&mut after, &seeds, &policy);
        if policy.pagerank_rounds == 0 {
            prop_assert_eq!(&before, &after);
        }
        let nodes = |walk: &Walk| walk.reached.iter().map(|found| found.node).collect::<BTreeSet<_>>();
        let top = |walk: &Walk| walk.reached.iter().map(|found| found.score).fold(0.0, f64::max);
        prop_assert_eq!(nodes(&before), nodes(&after));
        prop_assert!((top(&before) - top(&after)).abs() < 1e-12);
        prop_assert!(after.reached.iter().all(|found| found.score > 0.0), "all stay within reach");
        prop_assert!(after.reached.windows(2).all(|pair| pair[0].score >= pair[1].score));
    }
}

/// Memory 0 and fifty decisions, all about one entity.
fn fifty_decisions() -> Vec<Edge> {
    (0..=50).map(|number| edge(memory(number), Relation::About, entity(1))).collect()
}

#[test]
fn one_entity_with_fifty_decisions_does_not_flood() {
    let policy = FrontierPolicy::default();
    let seed = [Seed { node: memory(0), score: 1.0 }];
    let fits = |node| if node == memory(44) { 1.0 } else { 0.0 };
    let found = walked_by(&seed, &fifty_decisions(), fits, &policy);

    assert_eq!(found.reached.len(), policy.fan_out);
    assert_eq!(found.reached[0].node, memory(44), "the one that fits is among them");
    assert_eq!(found.counted.len(), 50 - policy.fan_out);
    assert!(found.counted.iter().all(|(_, hops)| *hops == 2));

    let alone = &fifty_decisions()[..2];
    let alone = from_zero(alone).reached[0].score;
    assert!(found.reached[0].score < alone / 2.0, "a crowd says less than a pair");
}

#[test]
fn seeds_around_an_entity_do_not_use_up_its_places() {
    let seeds: Vec<Seed> =
        (0..12).map(|n| Seed { node: memory(n), score: if n < 6 { 1.0 } else { 0.01 } }).collect();
    let found_already = |node| f64::from(u8::from(seeds.iter().any(|seed| seed.node == node)));
    let policy = FrontierPolicy::default();
    let found = walked_by(&seeds, &fifty_decisions(), found_already, &policy);
    assert_eq!(found.reached.len(), policy.fan_out);
    assert_eq!(found.counted.len(), 51 - seeds.len() - policy.fan_out);
}

#[test]
fn a_contradiction_is_followed_before_a_mere_relation() {
    let found = from_zero(&[
        edge(memory(0), Relation::Because, memory(9)),
        edge(memory(9), Relation::RelatesTo, memory(1)),
        Edge { last_reinforced_at: day(2_000), ..edge(memory(9), Relation::RelatesTo, memory(2)) },
        edge(memory(9), Relation::Contradicts, memory(3)),
    ]);
    let order: Vec<NodeId> = found.reached.iter().map(|reached| reached.node).collect();
    assert_eq!(order, [memory(9), memory(3), memory(2)], "one that faded is not followed at all");
    assert!(found.reached[1].score > 3.0 * found.reached[2].score);
}

#[test]
fn what_a_seed_contests_is_withheld_with_what_is_only_reached_through_it() {
    let found = from_zero(&[
        edge(memory(0), Relation::Contradicts, memory(1)),
        edge(memory(1), Relation::Because, memory(2)),
        edge(memory(0), Relation::Because, memory(3)),
        edge(memory(3), Relation::DerivedFrom, memory(1)),
    ]);
    let order: Vec<NodeId> = found.reached.iter().map(|reached| reached.node).collect();
    assert_eq!(order, [memory(3)]);
    assert_eq!(found.withheld, [(memory(1), memory(0))]);
    assert!(found.links.iter().all(|link| link.to != memory(1)), "nothing flows through it");
}

#[test]
fn the_past_leads_to_the_present_and_hardly_back() {
    let replaced = [edge(memory(2), Relation::Supersedes, memory(1))];
    let policy = FrontierPolicy::default();
    let from = |number| {
        let seed = [Seed { node: memory(number), score: 1.0 }];
        walked_by(&seed, &replaced, |_| 1.0, &policy).reached.remove(0)
    };
    let (to_head, to_past) = (from(1), from(2));
    assert_eq!((to_head.node, to_past.node), (memory(2), memory(1)));
    assert!((to_past.score / to_head.score - policy.backwards_in_time).abs() < 1e-12);
    assert!(!to_head.path[0].forward && to_past.path[0].forward);
}

#[test]
fn the_way_to_the_head_is_never_too_weak_nor_behind_the_crowd() {
    let mut edges: Vec<Edge> =
        (3..40).map(|number| edge(memory(0), Relation::Because, memory(number))).collect();
    let head = edge(memory(2), Relation::Supersedes, memory(0));
    edges.push(Edge { confidence: 0.1, ..head });
    assert!(score_of(&from_zero(&edges), memory(2)).is_some());

    let past = Edge { confidence: 0.1, ..edge(memory(0), Relation::Supersedes, memory(1)) };
    assert_eq!(from_zero(&[past]).reached, []);
}

#[test]
fn a_node_without_a_word_in_common_is_found_over_a_strong_edge() {
    let seed = [Seed { node: memory(0), score: 1.0 }];
    let because = [edge(memory(0), Relation::Because, memory(1))];
    let policy = FrontierPolicy::default();
    let reached = walked_by(&seed, &because, |_| 0.0, &policy).reached;
    assert_eq!(reached.len(), 1);
    assert!((reached[0].fit - policy.relevance_floor).abs() < 1e-12);

    let strict = FrontierPolicy { relevance_floor: 0.0, ..policy };
    assert_eq!(walked_by(&seed, &because, |_| 0.0, &strict).reached, []);
}

#[test]
fn a_circle_comes_to_an_end() {
    let ring: Vec<Edge> = (0..4)
        .map(|number| edge(memory(number), Relation::DependsOn, memory((number + 1) % 4)))
        .chain([edge(memory(0), Relation::DependsOn, memory(0))])
        .collect();
    let nodes: Vec<NodeId> = from_zero(&ring).reached.iter().map(|found| found.node).collect();
    assert_eq!(nodes, [memory(1), memory(3), memory(2)]);
}

#[test]
fn what_two_paths_lead_to_gains_by_wandering() {
    let edges = [
        edge(memory(0), Relation::Because, memory(2)),
        edge(memory(1), Relation::Because, memory(2)),
        edge(memory(1), Relation::Because, memory(3)),
        edge(memory(3), Relation::Because, memory(4)),
    ];
    let seeds = [0, 1].map(|number| Seed { node: memory(number), score: 0.9 });
    let policy = FrontierPolicy { pagerank_rounds: ROUNDS_MAX, ..FrontierPolicy::default() };
    let before = walked_by(&seeds, &edges, |_| 1.0, &policy);
    let mut after = before.clone();
    rescore(&mut after, &seeds, &policy);

    let order: Vec<NodeId> = after.reached.iter().map(|found| found.node).collect();
    assert_eq!(order, [memory(2), memory(3), memory(4)]);
    let lead = |walk: &Walk| walk.reached[0].score / walk.reached[1].score;
    assert!(lead(&after) > lead(&before));
}

#[test]
fn a_store_that_fails_ends_the_walk() {
    let seed = [Seed { node: memory(0), score: 1.0 }];
    let policy = FrontierPolicy::default();
    let fails = |_: &[NodeId]| Err("gone");
    let found = walk(&seed, fails, idle_days, relevance, &policy, &EdgePolicy::default());
    assert_eq!(found, Err("gone"));
}

#[test]
fn numbers_that_are_none_lead_nowhere() {
    let because = [Edge { confidence: f64::NAN, ..edge(memory(0), Relation::Because, memory(1)) }];
    assert_eq!(from_zero(&because).reached, []);
    let seed = [Seed { node: memory(0), score: f64::NAN }];
    assert_eq!(walked(&seed, &because, &FrontierPolicy::default()), Walk::default());
}
