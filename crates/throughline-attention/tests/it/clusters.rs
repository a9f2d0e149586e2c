//! Clusters: what lies close together, and which cluster of before it is.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use throughline_attention::clusters::{ClusterPolicy, clusters, identities};

type Pairs = Vec<(u32, u32, f64)>;

/// Groups of numbers in which everybody is near everybody, and far from the others.
fn groups(sizes: &[u32]) -> (Vec<u32>, Pairs) {
    let (mut nodes, mut pairs, mut next) = (Vec::new(), Vec::new(), 0);
    for size in sizes {
        let members: Vec<u32> = (next..next + size).collect();
        for (at, one) in members.iter().enumerate() {
            pairs.extend(members[at + 1..].iter().map(|other| (*one, *other, 0.7)));
        }
        nodes.extend(members);
        next += size;
    }
    (nodes, pairs)
}

fn graph() -> impl Strategy<Value = (Vec<u32>, Pairs)> {
    (1..40_u32).prop_flat_map(|count| {
        let weight = (1..=10_u32).prop_map(|tenths| f64::from(tenths) / 10.0);
        let pairs = vec((0..count, 0..count, weight), 0..120);
        (Just((0..count).collect()), pairs)
    })
}

#[test]
fn what_lies_together_is_a_cluster_and_what_lies_alone_is_none() {
    let (mut nodes, mut pairs) = groups(&[5, 4, 2]);
    // A weak tie between the two large groups joins nothing.
    pairs.push((0, 5, 0.1));
    nodes.push(99);
    let found = clusters(&nodes, &pairs, &ClusterPolicy::default());
    assert_eq!(found, [vec![0, 1, 2, 3, 4], vec![5, 6, 7, 8]]);
    assert!(clusters::<u32>(&[], &[], &ClusterPolicy::default()).is_empty());
}

#[test]
fn a_cluster_stays_itself_while_most_of_its_members_do() {
    let policy = ClusterPolicy::default();
    let before = BTreeMap::from([
        ('a', BTreeSet::from([1, 2, 3, 4])),
        ('b', BTreeSet::from([5, 6, 7])),
        ('c', BTreeSet::from([20, 21, 22])),
    ]);
    let found = [vec![1, 2, 3, 9], vec![5, 6, 7, 8], vec![30, 31, 32]];
    assert_eq!(identities(&before, &found, &policy), [Some('a'), Some('b'), None]);
    // Of two halves the greater one keeps the name, and only it.
    let halves = [vec![1], vec![2, 3, 4]];
    assert_eq!(identities(&before, &halves, &policy), [None, Some('a')]);
}

proptest! {
    #[test]
    fn the_order_of_nodes_and_pairs_makes_no_difference(
        (nodes, pairs) in graph(), turn in any::<usize>(),
    ) {
        let policy = ClusterPolicy::default();
        let found = clusters(&nodes, &pairs, &policy);
        let (mut nodes, mut pairs) = (nodes, pairs);
        nodes.reverse();
        let middle = turn % (pairs.len() + 1);
        pairs.rotate_left(middle);
        for pair in &mut pairs {
            *pair = (pair.1, pair.0, pair.2);
        }
        prop_assert_eq!(clusters(&nodes, &pairs, &policy), found);
    }

    #[test]
    fn every_node_is_in_one_cluster_at_most((nodes, pairs) in graph()) {
        let found = clusters(&nodes, &pairs, &ClusterPolicy::default());
        let all: Vec<u32> = found.iter().flatten().copied().collect();
        prop_assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        prop_assert!(found.iter().all(|members| members.len() >= 3));
        prop_assert!(found.iter().all(|members| members.is_sorted()));
    }

    #[test]
    fn found_again_every_cluster_is_itself((nodes, pairs) in graph()) {
        let policy = ClusterPolicy::default();
        let found = clusters(&nodes, &pairs, &policy);
        let before: BTreeMap<usize, BTreeSet<u32>> =
            found.iter().map(|members| members.iter().copied().collect()).enumerate().collect();
        let same: Vec<Option<usize>> = (0..found.len()).map(Some).collect();
        prop_assert_eq!(identities(&before, &found, &policy), same);
    }
}
