//! How strong a connection is, and how much a hub lets through.

use proptest::prelude::*;
use throughline_core::edge::{hub_damping, strength};
use throughline_core::policy::EdgePolicy;
use throughline_core::{Edge, Relation};

use crate::arbitrary;
use crate::world::{SPACE, day, id};

fn after(edge: &Edge, idle: f64) -> f64 {
    strength(edge, idle, &EdgePolicy::default())
}

proptest! {
    #[test]
    fn strength_stays_between_its_floor_and_one(edge in arbitrary::edge(), idle in 0.0..100_000.0_f64) {
        prop_assert!((0.1..=1.0).contains(&after(&edge, idle)));
    }

    #[test]
    fn a_connection_never_strengthens_by_waiting(
        edge in arbitrary::edge(), idle in 0.0..5_000.0_f64, more in 0.0..5_000.0_f64,
    ) {
        prop_assert!(after(&edge, idle + more) <= after(&edge, idle));
    }

    #[test]
    fn only_loose_relations_fade(edge in arbitrary::edge(), idle in 0.0..100_000.0_f64) {
        let loose = matches!(
            edge.relation,
            Relation::RelatesTo | Relation::CoUsed | Relation::InCluster | Relation::InBox
        );
        prop_assert_eq!(edge.relation.fades(), loose);
        if !loose {
            prop_assert_eq!(after(&edge, idle).to_bits(), after(&edge, 0.0).to_bits());
        }
    }

    #[test]
    fn proving_itself_again_never_weakens_a_connection(edge in arbitrary::edge(), idle in 0.0..5_000.0_f64) {
        let again = Edge { reinforcements: edge.reinforcements + 1, ..edge.clone() };
        prop_assert!(after(&again, idle) >= after(&edge, idle));
    }

    #[test]
    fn the_bigger_the_hub_the_less_it_lets_through_but_never_nothing(
        degree in 0..1_000_000_usize, more in 0..1_000_000_usize,
    ) {
        let policy = EdgePolicy::default();
        let (here, bigger) = (hub_damping(degree, &policy), hub_damping(degree + more, &policy));
        prop_assert!(0.0 < bigger && bigger <= here && here <= 1.0);
    }

    #[test]
    fn a_mutual_relation_said_from_either_side_is_one_connection(
        relation in prop::sample::select(Relation::ALL), a in 0..9_u128, apart in 1..9_u128,
    ) {
        let b = a + apart;
        let says = |from, to| Edge::new(SPACE, id(from).into(), relation, id(to).into(), day(0));
        prop_assert_eq!(says(a, b) == says(b, a), relation.is_symmetric());
    }
}

#[test]
fn only_a_mutual_relation_may_be_turned_round() {
    let (one, two) = (id(1).into(), id(2).into());
    for relation in Relation::ALL {
        assert_eq!(relation.in_order(one, two), (one, two), "{relation}");
        let turned = relation.in_order(two, one) == (one, two);
        assert_eq!(turned, relation.is_symmetric(), "{relation}");
    }
}

#[test]
fn a_loose_connection_loses_a_tenth_for_every_whole_ninety_days() {
    let edge = Edge::new(SPACE, id(1).into(), Relation::CoUsed, id(2).into(), day(0));
    for (idle, expected) in
        [(0.0, 1.0), (89.9, 1.0), (90.0, 0.9), (179.9, 0.9), (180.0, 0.8), (90_000.0, 0.1)]
    {
        let found = after(&edge, idle);
        assert!((found - expected).abs() < 1e-12, "after {idle} days: {found}");
    }
}

#[test]
fn reasons_and_replacements_lead_farther_than_company() {
    use Relation::{
        About, Because, CoUsed, Contradicts, DependsOn, InCluster, RelatesTo, Supersedes, Tagged,
    };
    let ordered =
        [Supersedes, Contradicts, Because, DependsOn, About, Tagged, CoUsed, RelatesTo, InCluster];
    for pair in ordered.windows(2) {
        assert!(pair[0].prior() > pair[1].prior(), "{} before {}", pair[0], pair[1]);
    }
    for relation in Relation::ALL {
        assert!((0.0..=1.0).contains(&relation.prior()), "{relation}");
    }
}
