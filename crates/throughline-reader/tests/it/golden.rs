//! The reference: readings of the same weights in real numbers, before activations were quantised.

use throughline_reader::{Judged, Piece, Speaker, name_of};

use crate::reader;

/// How far a probability may be from the reference, which is computed in real numbers: whole-number
/// activations move one that is nearly even the most.
const TOLERANCE: f32 = 0.12;

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
        before: Option<String>,
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
    roles: Vec<f32>,
    guards: Vec<f32>,
}

fn golden() -> Vec<Golden> {
    serde_json::from_str(include_str!("../golden/readings.json")).expect("the reference is JSON")
}

fn speaker(name: &str) -> Speaker {
    Speaker::ALL.iter().copied().find(|it| name_of(*it) == name).expect("a known speaker")
}

fn is_near(found: f32, expected: f32) -> bool {
    (found - expected).abs() <= TOLERANCE
}

fn assert_near(found: &[f32], expected: &[f32], of: &str) {
    assert_eq!(found.len(), expected.len());
    let near = found.iter().zip(expected).all(|(found, expected)| is_near(*found, *expected));
    assert!(near, "{of}: {found:?} is not {expected:?}");
}

#[test]
fn the_reference_has_turns_of_every_speaker_and_pairs() {
    let golden = golden();
    let pairs = golden.iter().filter(|it| matches!(it, Golden::Pair { .. })).count();
    assert!(pairs > 0, "no pair");
    for wanted in Speaker::ALL {
        let found = |it: &Golden| matches!(it, Golden::Turn { speaker, .. } if *speaker == name_of(*wanted));
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
            Golden::Pair { held, before, said, ids, .. } => {
                assert_eq!(
                    reader().pair_ids(&held, before.as_deref(), &said),
                    ids,
                    "{held:?}, {said:?}"
                );
            }
        }
    }
}

#[test]
fn turns_are_read_as_in_the_reference() {
    for golden in golden() {
        let Golden::Turn { speaker: name, before, turn, pieces, .. } = golden else { continue };
        let found = reader().read(speaker(&name), before.as_deref(), &turn);
        let ranges: Vec<_> = found.iter().map(|it| (it.span.start, it.span.end)).collect();
        let expected: Vec<_> = pieces.iter().map(|it| (it.start, it.end)).collect();
        assert_eq!(ranges, expected, "{turn:?}");
        for (found, expected) in found.iter().zip(&pieces) {
            assert_piece(found, expected, &turn[found.span.clone()]);
        }
    }
}

fn assert_piece(found: &Piece, expected: &Expected, text: &str) {
    assert_near(&[found.lasting], &[expected.lasting], text);
    assert_near(&found.roles, &expected.roles, text);
    assert_near(&found.cautions, &expected.guards, text);
}

#[test]
fn relations_are_those_of_the_reference() {
    for golden in golden() {
        let Golden::Pair { held, before, said, relations, .. } = golden else { continue };
        let Judged { shares } = reader().relate(&held, before.as_deref(), &said);
        assert_near(&shares, &relations, &format!("{held:?}, {said:?}"));
    }
}
