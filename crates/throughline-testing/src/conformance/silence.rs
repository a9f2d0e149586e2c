//! Erased turns: gone from the tables, the indexes and the log, and the log still replays.

use throughline_core::evidence::Testimony;
use throughline_core::row::Tombstone;
use throughline_core::undo::UndoRefusal;
use throughline_core::{Authority, Batch, Change, Edge, Episode, NodeId, Relation, RowKey, words};
use throughline_store::{
    Erasure, TextOf, Vector, find_turns, quoted_by, told_turn, turns_holding, turns_under, wordings,
};

use super::Factory;
use super::world::{EVERYTHING, World};
use crate::sample::{
    HERE, THERE, day, edge, episode, episode_id, fact, insert, memory_id, node, revise, reworded,
};

/// Words that occur nowhere but in what is erased.
const SECRETS: [&str; 6] =
    ["xylophone", "marzipan", "speakerword", "turnword", "edgeword", "reasonword"];

fn secret() -> Episode {
    Episode {
        speaker: "speakerword".to_owned(),
        turn: Some("turnword".to_owned()),
        ..episode(HERE, 1, "the xylophone is full of marzipan")
    }
}

fn turn_node() -> NodeId {
    NodeId::Episode(episode_id(1))
}

/// A turn that two memories rest on, one of them without a connection, beside a turn that stays. It
/// was taken away and came back.
fn with_secret(factory: &dyn Factory) -> World {
    let world = World::new(factory);
    let rests = |number: u64| {
        let said = Testimony {
            turn: Some(episode_id(1).to_string()),
            snippet: Some("full of marzipan".to_owned()),
            ..Testimony::new(Authority::UserStated, day(1))
        };
        Change::Reinforce(said.about(HERE, memory_id(number)))
    };
    let told = world.draft(vec![
        Change::Record(secret()),
        Change::Record(episode(HERE, 2, "stays here")),
        insert(&fact(HERE, 1, "instruments are sweet")),
        insert(&fact(HERE, 2, "because of sugar")),
        rests(1),
        rests(2),
        Change::Link(Edge {
            reason: Some("edgeword".to_owned()),
            ..edge(HERE, node(1), Relation::EvidencedBy, turn_node())
        }),
        Change::Link(edge(HERE, node(1), Relation::Because, node(2))),
    ]);
    let told = world.keep(&Batch { reason: Some("reasonword".to_owned()), ..told });
    let undone = world.undo(told.batch).expect("it is the latest");
    world.undo(undone.batch).expect("it is the latest");
    world
}

fn silence(world: &World) -> Change {
    let quoted_by = quoted_by(&*world.read(), HERE, episode_id(1)).expect("memories");
    Change::Silence { stone: Tombstone::of_turn(&secret(), day(9)), quoted_by }
}

/// Everything that the log and the tables tell.
fn everything(world: &World) -> String {
    let reader = world.read();
    let mut told = reader.dump().expect("a dump");
    for stored in reader.log(&EVERYTHING).expect("the log") {
        told.push(format!("{stored:?}"));
        let changes = reader.changes_of(stored.batch.space, stored.batch.id);
        told.push(format!("{:?}", changes.expect("changes")));
    }
    told.join("\n")
}

pub(super) fn no_word_of_an_erased_turn_is_left_in_any_log_or_table(factory: &dyn Factory) {
    let world = with_secret(factory);
    let before = everything(&world);
    for word in SECRETS {
        assert!(before.contains(word), "{word} is not there to be erased");
    }
    let erased = world.write(vec![silence(&world)]);
    let after = everything(&world);
    for word in SECRETS {
        assert!(!after.contains(word), "{word} is still there");
    }
    assert!(after.contains("stays here") && after.contains("because of sugar"), "too much");
    let reader = world.read();
    assert_eq!(reader.rows(&[RowKey::node(HERE, turn_node())]).expect("rows"), [None]);
    assert_eq!(reader.attached(HERE, &[turn_node()]).expect("rows"), []);
    assert_eq!(told_turn(&*reader, HERE, episode_id(1)).expect("a turn"), None);
    let stones = reader.tombstones(HERE, &[secret().mark()]).expect("tombstones");
    assert_eq!(stones, [Tombstone::of_turn(&secret(), day(9))]);
    drop(reader);
    assert_eq!(world.undo(erased.batch), Err(UndoRefusal::Erased(erased.batch)));
    assert_eq!(world.store.finish_erasure().expect("erasure"), Erasure::Done);
    world.assert_sound();
}

pub(super) fn an_erased_turn_is_found_by_neither_words_nor_vectors(factory: &dyn Factory) {
    let world = with_secret(factory);
    let vector = Vector { node: turn_node(), seq: 3, values: vec![0.5, 0.25], packed: vec![7; 20] };
    world.store.put_vectors(HERE, "model", &[vector]).expect("vectors are kept");
    let found = || {
        let (reader, terms) = (world.read(), words::terms("xylophone"));
        let holding = reader.postings(HERE, TextOf::Episodes, &terms, 9).expect("postings");
        let vectors = reader.vectors(HERE, "model", 0).expect("vectors").len();
        let mut blocks = Vec::new();
        let mut keep = |_, block: &[u8]| blocks.extend_from_slice(block);
        reader.documents(HERE, TextOf::Episodes, "model", 0, &mut keep).expect("documents");
        let id = episode_id(1).0;
        let there = blocks.windows(16).any(|bytes| bytes == id.as_bytes());
        (holding[0].documents.len(), vectors, there)
    };
    assert_eq!(found(), (1, 1, true));
    world.write(vec![silence(&world)]);
    assert_eq!(found(), (0, 0, false));
    world.assert_sound();
}

pub(super) fn the_past_no_longer_shows_an_erased_turn(factory: &dyn Factory) {
    let world = with_secret(factory);
    world.write(vec![silence(&world)]);
    let past = world.store.as_of(day(1)).expect("the past").dump().expect("a dump").join("\n");
    for word in SECRETS {
        assert!(!past.contains(word), "{word} is still there");
    }
    let turns = past.lines().filter(|line| line.starts_with("episode"));
    assert_eq!(turns.count(), 1, "the other turn stays");
}

pub(super) fn a_turn_that_only_the_log_tells_can_be_erased(factory: &dyn Factory) {
    let world = World::new(factory);
    let told = world.write(vec![Change::Record(secret())]);
    world.undo(told.batch).expect("it is the latest");
    assert_eq!(told_turn(&*world.read(), HERE, episode_id(1)).expect("a turn"), Some(secret()));
    let undone = world.log().pop().expect("the undoing").batch.id;
    world.write(vec![silence(&world)]);
    assert!(!everything(&world).contains("xylophone"));
    assert!(world.undo(undone).is_err(), "nor does an undo bring back its shape");
    world.assert_sound();
}

pub(super) fn an_erased_turn_stays_in_other_spaces(factory: &dyn Factory) {
    let world = with_secret(factory);
    let there = Episode { space: THERE, ..secret() };
    world.write(vec![Change::Record(there.clone())]);
    world.write(vec![silence(&world)]);
    assert_eq!(told_turn(&*world.read(), THERE, there.id).expect("a turn"), Some(there));
    world.assert_sound();
}

pub(super) fn the_turns_of_a_memory_are_found_by_what_it_rests_on_and_says(factory: &dyn Factory) {
    let world = with_secret(factory);
    let sweet = fact(HERE, 1, "instruments are sweet");
    let loud = reworded(&sweet, "The Instruments, too, are LOUD");
    world.write(vec![revise(&loud)]);
    world.write(vec![
        Change::Record(episode(HERE, 3, "She said: Instruments are sweet! Really.")),
        Change::Record(episode(HERE, 4, "the instruments too are loud")),
        Change::Record(episode(HERE, 5, "are instruments sweet")),
        Change::Record(episode(HERE, 6, "instruments are sweeter")),
        Change::Record(episode(THERE, 7, "instruments are sweet")),
    ]);
    let reader = world.read();
    let said = wordings(&*reader, &loud).expect("wordings");
    assert_eq!(said, ["The Instruments, too, are LOUD", "instruments are sweet"]);
    let ids = |turns: Vec<Episode>| turns.iter().map(|turn| turn.id).collect::<Vec<_>>();
    let holding = turns_holding(&*reader, HERE, &said).expect("turns");
    assert_eq!(ids(holding), [episode_id(3), episode_id(4)]);
    assert_eq!(turns_holding(&*reader, HERE, &["...".to_owned()]).expect("turns"), []);
    for number in [1, 2] {
        let memory = fact(HERE, number, "");
        assert_eq!(ids(turns_under(&*reader, &memory).expect("turns")), [episode_id(1)]);
    }
    assert_eq!(quoted_by(&*reader, HERE, episode_id(1)).expect("memories").len(), 2);
    let handle = episode_id(4).to_string();
    for part in [&handle[..], &handle[handle.len() - 8..]] {
        let found = find_turns(&*reader, &[THERE, HERE], part).expect("turns");
        assert_eq!(ids(found), [episode_id(4)]);
    }
}
