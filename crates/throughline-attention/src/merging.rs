//! Merging: which things are one and the same, by the names they go by.
//!
//! Two things that share a comparable name are one. The one that more memories speak of stays; of equals, the older.

use std::collections::BTreeMap;

/// A thing with what decides whether it is another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThingNames<K> {
    /// Which thing.
    pub id: K,
    /// Its names in a form in which equal means the same.
    pub names: Vec<String>,
    /// How many memories speak of it.
    pub memories: usize,
}

/// A thing and those that become part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merging<K> {
    /// What stays.
    pub keep: K,
    /// What goes into it, sorted.
    pub drop: Vec<K>,
}

/// Finds the things that are one, by what stays. Ids grow with age, so that the smaller one is the older.
///
/// A thing without a name is never merged. The order of the things makes no difference, and where what was found is
/// carried out, nothing more is found.
pub fn mergings<K: Ord + Copy>(things: &[ThingNames<K>]) -> Vec<Merging<K>> {
    let mut sorted: Vec<&ThingNames<K>> = things.iter().collect();
    sorted.sort_by_key(|one| one.id);
    let mut root: Vec<usize> = (0..sorted.len()).collect();
    let mut first_with: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, thing) in sorted.iter().enumerate() {
        for name in thing.names.iter().filter(|name| !name.is_empty()) {
            let first = *first_with.entry(name).or_insert(place);
            let (one, other) = (root_of(&mut root, first), root_of(&mut root, place));
            root[one.max(other)] = one.min(other);
        }
    }
    let mut groups: BTreeMap<usize, Vec<&ThingNames<K>>> = BTreeMap::new();
    for (place, thing) in sorted.iter().enumerate() {
        groups.entry(root_of(&mut root, place)).or_default().push(thing);
    }
    let mut found: Vec<Merging<K>> =
        groups.into_values().filter_map(|group| one_of(&group)).collect();
    found.sort_by_key(|merging| merging.keep);
    found
}

fn root_of(root: &mut [usize], place: usize) -> usize {
    let mut at = place;
    while root[at] != at {
        root[at] = root[root[at]];
        at = root[at];
    }
    at
}

fn one_of<K: Ord + Copy>(group: &[&ThingNames<K>]) -> Option<Merging<K>> {
    let mut order: Vec<&&ThingNames<K>> = group.iter().collect();
    order.sort_by_key(|thing| (std::cmp::Reverse(thing.memories), thing.id));
    let (keep, others) = order.split_first()?;
    let mut drop: Vec<K> = others.iter().map(|thing| thing.id).collect();
    drop.sort_unstable();
    (!drop.is_empty()).then_some(Merging { keep: keep.id, drop })
}
