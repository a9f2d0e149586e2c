//! Secrets that were recognised too late: gone from the tables, the indexes and the log, while what
//! was said around them stays, and the log still replays.

use throughline_core::evidence::Testimony;
use throughline_core::trace::images;
use throughline_core::undo::UndoRefusal;
use throughline_core::watermark::Referent;
use throughline_core::{
    Authority, Batch, Change, Edge, Fingerprint, NodeId, Relation, Row, RowKey, Trace, Watermark,
    words,
};
use throughline_store::{Erasure, HeldSecrets, TextOf, Vector};

use super::Factory;
use super::world::{EVERYTHING, World};
use crate::sample::{
    HERE, THERE, day, edge, episode, fact, insert, memory_id, node, revise, reworded,
};

/// A value that is put together here.
fn value() -> String {
    ["kV9xQ2m", "Tz7Lw4R", "bN8sYp"].concat()
}

fn trace() -> Trace {
    Trace::of(&value(), "token", 0x00C0_FFEE_1234_5677).expect("it is short enough")
}

/// A store that holds the value in every way: said, claimed, quoted, reworded, tied to and given as a
/// reason, in two spaces.
fn told(factory: &dyn Factory) -> World {
    let (world, value) = (World::new(factory), value());
    let quote = Testimony {
        snippet: Some(format!("use {value}")),
        ..Testimony::new(Authority::UserStated, day(1))
    };
    let tied = Referent::Flag { name: format!("KEY_{value}") };
    let changes = vec![
        Change::Record(episode(HERE, 1, &format!("use {value} for the deploy"))),
        Change::Record(episode(HERE, 2, "stays here")),
        insert(&fact(HERE, 1, &format!("the deploy takes {value}"))),
        insert(&fact(HERE, 2, "because of sugar")),
        Change::Reinforce(quote.about(HERE, memory_id(1))),
        Change::Link(Edge {
            reason: Some(format!("both need {value}")),
            ..edge(HERE, node(1), Relation::Because, node(2))
        }),
        Change::Watch(Watermark::new(HERE, memory_id(1), tied, day(1))),
    ];
    let batch = world.draft(changes);
    let told = world.keep(&Batch { reason: Some(format!("about {value}")), ..batch });
    let undone = world.undo(told.batch).expect("it is the latest");
    world.undo(undone.batch).expect("it is the latest");
    // Only the log still has this wording.
    let said = reworded(&fact(HERE, 2, "because of sugar"), &format!("because of {value}"));
    world.write(vec![revise(&said)]);
    world.write(vec![revise(&reworded(&said, "because of sugar"))]);
    world.write(vec![insert(&fact(THERE, 3, &format!("there it is {}", value.to_lowercase())))]);
    world
}

fn held(world: &World) -> HeldSecrets {
    world.read().holding_secrets(&[trace()]).expect("everything can be read")
}

/// Takes the value out, as whoever recognises it does.
fn redact(world: &World) -> throughline_core::Commit {
    let held = held(world);
    let changes = held.spaces.iter().map(|space| {
        let rows = held.rows.iter().filter(|row| row.key().space == *space);
        let rows = rows.flat_map(|row| images(&[trace()], row)).collect();
        Change::Redact { stone: trace().stone(*space, day(9)), rows }
    });
    world.write(changes.collect())
}

/// Everything that the log and the tables tell, in small letters.
fn everything(world: &World) -> String {
    let reader = world.read();
    let mut told = reader.dump().expect("a dump");
    for stored in reader.log(&EVERYTHING).expect("the log") {
        told.push(format!("{stored:?}"));
        let changes = reader.changes_of(stored.batch.space, stored.batch.id);
        told.push(format!("{:?}", changes.expect("changes")));
    }
    told.join("\n").to_lowercase()
}

pub(super) fn no_log_or_table_holds_a_secret_that_was_recognised_too_late(factory: &dyn Factory) {
    let (world, value) = (told(factory), value().to_lowercase());
    assert!(everything(&world).contains(&value), "it is there before");
    let found = held(&world);
    assert_eq!(found.spaces, [HERE, THERE].into());
    assert_eq!(found.rows.len(), 6, "{:?}", found.rows);
    let redacted = redact(&world);
    let after = everything(&world);
    assert!(!after.contains(&value), "it is still there");
    for rest in ["stays here", "because of sugar", "the deploy takes [redacted:token]"] {
        assert!(after.contains(rest), "{rest} is gone");
    }
    assert_eq!(held(&world), HeldSecrets::default());
    let row = world.read().rows(&[RowKey::memory(HERE, memory_id(1))]).expect("rows").remove(0);
    let Some(Row::Memory(memory)) = row else { panic!("{row:?}") };
    assert_eq!(memory.fingerprint, Fingerprint::of("the deploy takes [redacted:token]"));
    let marks = [trace().stone(HERE, day(9)).fingerprint];
    assert_eq!(world.read().tombstones(HERE, &marks).expect("tombstones").len(), 1);
    assert_eq!(world.undo(redacted.batch), Err(UndoRefusal::Erased(redacted.batch)));
    assert_eq!(world.store.finish_erasure().expect("erasure"), Erasure::Done);
    world.assert_sound();
}

pub(super) fn a_secret_that_was_recognised_too_late_is_found_by_no_words(factory: &dyn Factory) {
    let world = told(factory);
    let first = NodeId::Memory(memory_id(1));
    let vector = Vector { node: first, seq: 3, values: vec![0.5, 0.25], packed: vec![7; 20] };
    world.store.put_vectors(HERE, "model", &[vector]).expect("vectors are kept");
    let postings = |said: &str| {
        let (reader, terms) = (world.read(), words::terms(said));
        let found = reader.postings(HERE, TextOf::Memories, &terms, 10).expect("postings");
        found.iter().map(|one| one.documents.len()).sum::<usize>()
    };
    assert!(postings(&value()) > 0, "it is found before");
    redact(&world);
    assert_eq!((postings(&value()), postings("deploy")), (0, 1));
    let vectors = world.read().vectors_of(HERE, "model", &[first]).expect("vectors");
    assert_eq!(vectors, [None], "a vector goes with its text");
}
