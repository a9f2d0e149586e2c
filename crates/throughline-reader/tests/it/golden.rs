//! The reference: readings of the same weights in real numbers, before activations were quantised.

use throughline_reader::{Guard, Judged, Piece, Role, Speaker};

use crate::reader;

/// How far a probability may be from the reference, which is computed in real numbers.
const TOLERANCE: f32 = 0.03;

/// One line of the reference.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Golden {
    Turn {
        speaker: String,
        before: Option<String>,
        turn: String,
        ids: Vec<u16>,
        pieces: Vec<Expected>,
    },
    Pair {
        held: String,
        said: String,
        ids: Vec<u16>,
        relations: Vec<f32>,
    },
}

#[derive(serde::Deserialize)]
struct Expected {
    start: usize,
    end: usize,
    lasting: f32,
    role: String,
    guard: String,
}

fn golden() -> Vec<Golden> {
    serde_json::from_str(include_str!("../golden/readings.json")).expect("the reference is JSON")
}

fn speaker(name: &str) -> Speaker {
    Speaker::ALL.into_iter().find(|it| it.name() == name).expect("a known speaker")
}

fn is_near(found: f32, expected: f32) -> bool {
    (found - expected).abs() <= TOLERANCE
}

/// Whether the named one of some outputs is the likeliest, or as likely within the tolerance.
fn is_likeliest<T: Copy>(
    all: &[T],
    name: impl Fn(T) -> &'static str,
    shares: &[f32],
    expected: &str,
) -> bool {
    let at = all.iter().position(|it| name(*it) == expected).expect("a known name");
    let highest = shares.iter().copied().fold(0.0, f32::max);
    is_near(shares[at], highest)
}

#[test]
fn the_reference_has_turns_of_every_speaker_and_pairs() {
    let golden = golden();
    let pairs = golden.iter().filter(|it| matches!(it, Golden::Pair { .. })).count();
    assert!(pairs > 0, "no pair");
    for wanted in Speaker::ALL {
        let found =
            |it: &Golden| matches!(it, Golden::Turn { speaker, .. } if *speaker == wanted.name());
        assert!(golden.iter().any(found), "no turn of {wanted}");
    }
}

#[test]
fn the_model_is_given_the_ids_of_the_reference() {
    for golden in golden() {
        match golden {
            Golden::Turn { speaker: name, before, turn, ids, .. } => {
                let found = reader().turn_ids(speaker(&name), before.as_deref(), &turn);
                assert_eq!(found.concat(), ids, "{turn:?}");
            }
            Golden::Pair { held, said, ids, .. } => {
                assert_eq!(reader().pair_ids(&held, &said), ids, "{held:?}, {said:?}");
            }
        }
    }
}

#[test]
fn turns_are_read_as_in_the_reference() {
    for golden in golden() {
        let Golden::Turn { speaker: name, before, turn, pieces, .. } = golden else { continue };
        let found = reader().read(speaker(&name), before.as_deref(), &turn);
        let ranges: Vec<_> = found.iter().map(|it| (it.range.start, it.range.end)).collect();
        let expected: Vec<_> = pieces.iter().map(|it| (it.start, it.end)).collect();
        assert_eq!(ranges, expected, "{turn:?}");
        for (found, expected) in found.iter().zip(&pieces) {
            assert_piece(found, expected, &turn[found.range.clone()]);
        }
    }
}

fn assert_piece(found: &Piece, expected: &Expected, text: &str) {
    let Expected { lasting, role, guard, .. } = expected;
    assert!(is_near(found.lasting, *lasting), "{text:?}: {} is not {lasting}", found.lasting);
    let as_role = is_likeliest(&Role::ALL, Role::name, &found.roles, role);
    assert!(as_role, "{text:?} is {}, not {role}", found.role());
    let as_guard = is_likeliest(&Guard::ALL, Guard::name, &found.guards, guard);
    assert!(as_guard, "{text:?} is {}, not {guard}", found.guard());
}

#[test]
fn relations_are_those_of_the_reference() {
    for golden in golden() {
        let Golden::Pair { held, said, relations, .. } = golden else { continue };
        let Judged { relations: found } = reader().relate(&held, &said);
        assert_eq!(found.len(), relations.len());
        for (found, expected) in found.into_iter().zip(relations) {
            assert!(is_near(found, expected), "{held:?}, {said:?}: {found} is not {expected}");
        }
    }
}
