//! Merging: things that go by one name are one thing.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use throughline_attention::merging::{Merging, ThingNames, mergings};

fn thing(id: u32, memories: usize, names: &[&str]) -> ThingNames<u32> {
    ThingNames { id, memories, names: names.iter().map(|name| (*name).to_owned()).collect() }
}

fn things() -> impl Strategy<Value = Vec<ThingNames<u32>>> {
    let names = vec("[a-f]{0,2}", 0..3);
    vec((names, 0..5_usize), 0..20).prop_map(|some| {
        let numbered = (0..).zip(some);
        numbered.map(|(id, (names, memories))| ThingNames { id, names, memories }).collect()
    })
}

/// The things after what was found was carried out.
fn carried_out(things: &[ThingNames<u32>], found: &[Merging<u32>]) -> Vec<ThingNames<u32>> {
    let mut held: BTreeMap<u32, ThingNames<u32>> =
        things.iter().map(|one| (one.id, one.clone())).collect();
    for merging in found {
        for id in &merging.drop {
            let gone = held.remove(id).expect("dropped once");
            let kept = held.get_mut(&merging.keep).expect("what stays is there");
            kept.names.extend(gone.names);
            kept.memories += gone.memories;
        }
    }
    held.into_values().collect()
}

#[test]
fn what_more_memories_speak_of_stays() {
    let held =
        [thing(1, 1, &["reactjs"]), thing(2, 4, &["reactjs", "react"]), thing(3, 9, &["vue"])];
    assert_eq!(mergings(&held), [Merging { keep: 2, drop: vec![1] }]);
    assert!(mergings(&[thing(1, 0, &[""]), thing(2, 0, &[""])]).is_empty());
}

proptest! {
    #[test]
    fn merging_twice_finds_nothing_more(held in things()) {
        let found = mergings(&held);
        prop_assert_eq!(mergings(&carried_out(&held, &found)), []);
    }

    #[test]
    fn the_order_of_things_makes_no_difference(held in things()) {
        let found = mergings(&held);
        let mut turned = held;
        turned.reverse();
        prop_assert_eq!(mergings(&turned), found);
    }
}
