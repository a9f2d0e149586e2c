//! Documents: one for every memory and episode, that tells what its row tells, and no others.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::document::{SpeakerCode, Traits};
use throughline_core::row::Tombstone;
use throughline_core::{
    Change, Episode, EpisodeId, Kind, Memory, NodeId, Row, RowKey, SessionId, SpaceId, State,
};
use throughline_store::{
    BLOCK, Document, MemoryQuery, PACKED_AT, RECORD, Reader, Shelf, TextOf, Vector,
};

use super::Factory;
use super::world::World;
use crate::sample::{
    ELSEWHERE, HERE, THERE, batch, day, episode, episode_id, fact, full_memory, guess, insert,
    memory_id, node, opening, revise, session,
};

/// The documents of one index with their numbers, by the node they stand for.
pub(super) type Documents = BTreeMap<NodeId, (u32, Document)>;

/// The blocks that are handed over after a stamp, by number.
pub(super) fn blocks_after(
    reader: &dyn Reader,
    space: SpaceId,
    of: TextOf,
    after: u64,
) -> (Shelf, BTreeMap<u32, Vec<u8>>) {
    let mut blocks = BTreeMap::new();
    let shelf = reader.documents(space, of, "small", after, &mut |number, body| {
        assert_eq!(body.len(), BLOCK * RECORD, "blocks are whole");
        assert_eq!(blocks.insert(number, body.to_vec()), None, "block {number} comes twice");
    });
    (shelf.expect("documents"), blocks)
}

/// The documents in blocks. Where there is none, nothing is left of what was there.
fn read(blocks: &BTreeMap<u32, Vec<u8>>, of: TextOf) -> Documents {
    let in_a_block = u32::try_from(BLOCK).expect("a small number");
    let mut found = Documents::new();
    for (number, body) in blocks {
        for (at, record) in (0..).zip(body.chunks_exact(RECORD)) {
            if let Some(document) = Document::read(record) {
                let twice = found.insert(document.node(of), (number * in_a_block + at, document));
                assert_eq!(twice, None, "one text, one document");
            } else {
                assert!(record.iter().all(|byte| *byte == 0), "something is left of a document");
            }
        }
    }
    found
}

/// Every document of one index of a space.
pub(super) fn documents(reader: &dyn Reader, space: SpaceId, of: TextOf) -> Documents {
    read(&blocks_after(reader, space, of, 0).1, of)
}

fn memories(reader: &dyn Reader, space: SpaceId) -> Vec<Memory> {
    let all = MemoryQuery {
        spaces: vec![space],
        any_session: true,
        limit: 10_000,
        ..MemoryQuery::default()
    };
    reader.memories(&all).expect("a listing").items
}

pub(super) fn episodes(reader: &dyn Reader, space: SpaceId, ids: &[EpisodeId]) -> Vec<Episode> {
    let keys: Vec<RowKey> =
        ids.iter().map(|id| RowKey::node(space, NodeId::Episode(*id))).collect();
    let rows = reader.rows(&keys).expect("rows").into_iter().flatten();
    rows.filter_map(|row| if let Row::Episode(episode) = row { Some(episode) } else { None })
        .collect()
}

/// The documents of a space are those of its memories and of these episodes, as their rows are.
pub(super) fn assert_told(reader: &dyn Reader, space: SpaceId, turns: &[EpisodeId]) {
    let found = documents(reader, space, TextOf::Memories);
    let told = found.iter().map(|(node, (number, document))| (*node, (*number, *document)));
    let rows = memories(reader, space).into_iter().map(|memory| {
        let node = NodeId::Memory(memory.id);
        let (number, document) = *found.get(&node).expect("a memory has a document");
        let expected = Document::of_memory(&memory, number);
        (node, (number, Document { model: document.model, ..expected }))
    });
    assert_eq!(told.collect::<Documents>(), rows.collect::<Documents>());

    let found = documents(reader, space, TextOf::Episodes);
    let mut turns = episodes(reader, space, turns);
    turns.sort_by_key(|turn| (turn.session.clone(), turn.position, turn.id));
    let mut last: Option<(SessionId, u32, u32)> = None;
    let mut sessions = BTreeSet::new();
    let mut rows = Documents::new();
    for turn in turns {
        let node = NodeId::Episode(turn.id);
        let (number, document) = *found.get(&node).expect("an episode has a document");
        let (session, before) = match &last {
            Some((name, session, before)) if *name == turn.session => (*session, Some(*before)),
            _ => {
                assert!(sessions.insert(document.session), "two sessions share a number");
                (document.session, None)
            }
        };
        let expected = Document::of_episode(&turn, session, before);
        rows.insert(node, (number, Document { model: document.model, ..expected }));
        last = Some((turn.session, session, number));
    }
    assert_eq!(found, rows);
}

/// The document of a memory here.
fn of_memory(world: &World, number: u64) -> Document {
    documents(&*world.read(), HERE, TextOf::Memories)[&node(number)].1
}

pub(super) fn every_memory_and_episode_has_one_document(factory: &dyn Factory) {
    let world = World::new(factory);
    let said = Episode { speaker: "assistant".to_owned(), ..episode(HERE, 7, "Shall I? Twice?") };
    world.write(vec![
        insert(&fact(HERE, 1, "Staging runs Postgres sixteen")),
        insert(&guess(HERE, 2, "Did Anna move to Basel on 3 May?")),
        insert(&Memory { kind: Kind::Decision, ..full_memory(HERE, 3, "we ship daily") }),
        Change::Record(said),
    ]);
    let plain = Document {
        id: memory_id(1).0,
        at: day(0),
        session: 0,
        before: None,
        speaker: SpeakerCode::NOBODY,
        length: 4,
        traits: Traits::default(),
        state: Some(State::Confirmed),
        kind: Some(Kind::Fact),
        bound: false,
        cold: false,
        model: 0,
    };
    let own_number = |number: u64| {
        let reader = world.read();
        let (at, found) = documents(&*reader, HERE, TextOf::Memories)[&node(number)];
        assert_eq!(found.session, at, "a memory is a session of its own");
        Document { session: 0, ..found }
    };
    assert_eq!(own_number(1), plain);
    let asking = Traits { asks: true, tells_time: true, tells_number: true };
    let guessed = Document {
        id: memory_id(2).0,
        length: 5,
        traits: asking,
        state: Some(State::Staged),
        ..plain
    };
    assert_eq!(own_number(2), guessed);
    let kind = Some(Kind::Decision);
    // Its title counts: it is searched with the text.
    let decided =
        Document { id: memory_id(3).0, at: day(1), length: 3, kind, bound: true, ..plain };
    assert_eq!(own_number(3), Document { traits: own_number(3).traits, ..decided });

    let turns = documents(&*world.read(), HERE, TextOf::Episodes);
    let (number, turn) = turns[&NodeId::Episode(episode_id(7))];
    let expected = Document {
        id: episode_id(7).0,
        at: day(1),
        session: number,
        speaker: SpeakerCode::ASSISTANT,
        length: 1,
        traits: Traits { tells_time: false, ..asking },
        state: None,
        kind: None,
        ..plain
    };
    assert_eq!(turn, expected);
    assert_told(&*world.read(), HERE, &[episode_id(7)]);
    assert_told(&*world.read(), THERE, &[]);
}

pub(super) fn a_document_follows_its_memory(factory: &dyn Factory) {
    let world = World::new(factory);
    let first = fact(HERE, 1, "tabs, not spaces");
    world.write(vec![insert(&first), insert(&fact(HERE, 2, "spaces, not tabs"))]);

    let to = State::Archived;
    let away = Change::Move { space: HERE, id: memory_id(1), to, at: day(2) };
    let archived = world.write(vec![away]).batch;
    assert_eq!(of_memory(&world, 1).state, Some(State::Archived));
    world.undo(archived).expect("it is the latest");
    assert_eq!(of_memory(&world, 1).state, Some(State::Confirmed));

    let (old, new) = (memory_id(1), memory_id(2));
    let replaced = world.write(vec![Change::Supersede { space: HERE, old, new, at: day(3) }]);
    assert_eq!(of_memory(&world, 1).state, Some(State::Superseded));
    world.undo(replaced.batch).expect("it is the latest");

    let kept = of_memory(&world, 1);
    let other = Memory {
        kind: Kind::Preference,
        session: Some(session("morning")),
        valid_from: Some(day(9)),
        ..first
    };
    world.write(vec![revise(&other)]);
    let (kind, at) = (Some(Kind::Preference), day(9));
    assert_eq!(of_memory(&world, 1), Document { kind, at, bound: true, ..kept });

    let edit = world.write(vec![revise(&fact(HERE, 1, "Is it four spaces now?"))]).batch;
    let edited = of_memory(&world, 1);
    let traits = Traits { asks: true, tells_number: true, ..edited.traits };
    assert_eq!(edited.traits, traits);
    assert_eq!(edited.length, 2);
    assert_told(&*world.read(), HERE, &[]);
    world.undo(edit).expect("it is the latest");
    assert_eq!(of_memory(&world, 1).length, kept.length);
    assert_told(&*world.read(), HERE, &[]);
    world.assert_sound();
}

pub(super) fn nothing_of_a_document_stays_in_its_block(factory: &dyn Factory) {
    let world = World::new(factory);
    world.write(vec![insert(&fact(HERE, 1, "stays"))]);
    let undone = world.write(vec![insert(&fact(HERE, 2, "undone")), insert(&fact(HERE, 3, "too"))]);
    world.write(vec![insert(&fact(HERE, 4, "erased"))]);
    let packed = vec![0xa7; 40];
    let vector = |number| Vector {
        node: node(number),
        seq: 1,
        values: vec![0.5; 4],
        packed: packed.clone(),
    };
    let all = [2, 3, 4].map(vector);
    world.store.put_vectors(HERE, "small", &all).expect("vectors are kept");
    world.undo(undone.batch).expect("nothing was built upon it");
    world.write(vec![Change::Purge(Tombstone::of(&fact(HERE, 4, "erased"), day(4)))]);

    let (_, blocks) = blocks_after(&*world.read(), HERE, TextOf::Memories, 0);
    for body in blocks.values() {
        let holds = |needle: &[u8]| body.windows(needle.len()).any(|window| window == needle);
        assert!(holds(memory_id(1).0.as_bytes()));
        for number in [2, 3, 4] {
            assert!(!holds(memory_id(number).0.as_bytes()), "memory {number} is still there");
        }
        assert!(!holds(&packed), "a vector is still there");
    }
    assert_told(&*world.read(), HERE, &[]);
}

pub(super) fn a_space_has_documents_of_its_own(factory: &dyn Factory) {
    let place = factory.fresh();
    let store = place.open();
    let spaces = [HERE, THERE, ELSEWHERE];
    store.apply(&opening(&spaces)).expect("spaces are welcome");
    for number in 1..=9_u64 {
        let space = spaces[usize::try_from(number % 3).expect("small")];
        let changes = vec![
            insert(&fact(space, number, &format!("staging {number}"))),
            Change::Record(episode(space, number, "is staging green?")),
        ];
        let told = batch(number, space, day(1), changes);
        store.apply(&told).expect("the batch is accepted");
    }
    let reader = store.read().expect("a reader");
    let all: Vec<EpisodeId> = (1..=9).map(episode_id).collect();
    for (at, space) in (0..).zip(spaces) {
        assert_told(&*reader, space, &all);
        let own = (1..=9_u64).filter(|number| number % 3 == at).map(node).collect::<BTreeSet<_>>();
        let found = documents(&*reader, space, TextOf::Memories);
        assert_eq!(found.into_keys().collect::<BTreeSet<_>>(), own);
    }
}

/// What is in many blocks is found under its number, in whichever block.
pub(super) fn documents_go_on_in_the_next_block(factory: &dyn Factory) {
    let world = World::new(factory);
    let many = u64::try_from(BLOCK).expect("a small number") + 20;
    let texts = (1..=many).map(|number| insert(&fact(HERE, number, &format!("word{number} x"))));
    world.write(texts.collect());
    let reader = world.read();
    assert_told(&*reader, HERE, &[]);
    let (_, blocks) = blocks_after(&*reader, HERE, TextOf::Memories, 0);
    assert_eq!(blocks.keys().copied().collect::<Vec<_>>(), [0, 1]);
    let found = documents(&*reader, HERE, TextOf::Memories);
    for number in [1, 256, 257, many] {
        let terms = [format!("word{number}")];
        let list = reader.postings(HERE, TextOf::Memories, &terms, 10).expect("postings").remove(0);
        assert_eq!(list.documents, [found[&node(number)].0]);
    }
}

/// A reader that reads again what changed since its last stamp.
#[derive(Default)]
struct Follower {
    shelf: Shelf,
    blocks: BTreeMap<u32, Vec<u8>>,
}

impl Follower {
    /// Catches up, and holds what somebody who reads everything holds.
    fn assert_up_to_date(&mut self, world: &World) {
        let reader = world.read();
        let (shelf, changed) = blocks_after(&*reader, HERE, TextOf::Memories, self.shelf.stamp);
        self.shelf = shelf;
        self.blocks.extend(changed);
        let (_, whole) = blocks_after(&*reader, HERE, TextOf::Memories, 0);
        assert_eq!(read(&self.blocks, TextOf::Memories), read(&whole, TextOf::Memories));
    }
}

fn moved(number: u64, to: State) -> Change {
    Change::Move { space: HERE, id: memory_id(number), to, at: day(5) }
}

pub(super) fn who_reads_what_changed_misses_nothing(factory: &dyn Factory) {
    let world = World::new(factory);
    let mut follower = Follower::default();
    world.write(vec![insert(&fact(HERE, 1, "one")), insert(&fact(HERE, 2, "two"))]);
    follower.assert_up_to_date(&world);
    follower.assert_up_to_date(&world);
    let batch = world.write(vec![moved(1, State::Archived)]).batch;
    follower.assert_up_to_date(&world);
    world.undo(batch).expect("it is the latest");
    follower.assert_up_to_date(&world);
    world.write(vec![revise(&fact(HERE, 1, "uno"))]);
    world.write(vec![insert(&fact(THERE, 3, "elsewhere"))]);
    follower.assert_up_to_date(&world);
    let vector = Vector { node: node(2), seq: 1, values: vec![1.0], packed: vec![1, 2, 3] };
    world.store.put_vectors(HERE, "small", &[vector]).expect("vectors are kept");
    follower.assert_up_to_date(&world);
    world.write(vec![Change::Purge(Tombstone::of(&fact(HERE, 2, "two"), day(6)))]);
    follower.assert_up_to_date(&world);
}

pub(super) fn who_reads_what_changed_misses_nothing_after_a_reindex(factory: &dyn Factory) {
    let world = World::new(factory);
    world.write(vec![insert(&fact(HERE, 1, "one"))]);
    for _ in 0..5 {
        world.write(vec![moved(1, State::Archived), moved(1, State::Confirmed)]);
    }
    let mut follower = Follower::default();
    follower.assert_up_to_date(&world);
    world.store.reindex().expect("documents are built anew");
    follower.assert_up_to_date(&world);
    world.write(vec![insert(&fact(HERE, 2, "two"))]);
    follower.assert_up_to_date(&world);
}

pub(super) fn building_documents_anew_changes_none(factory: &dyn Factory) {
    let world = World::new(factory);
    let turns: Vec<EpisodeId> = (1..=5).map(episode_id).collect();
    let mut changes: Vec<Change> =
        (1..=4).map(|number| insert(&fact(HERE, number, &format!("claim {number}")))).collect();
    changes.extend((1..=5).map(|number| Change::Record(episode(HERE, number, "said"))));
    world.write(changes);
    world.write(vec![moved(2, State::Archived), revise(&fact(HERE, 1, "claim 1, reworded"))]);
    world.write(vec![Change::Purge(Tombstone::of(&fact(HERE, 3, "claim 3"), day(6)))]);
    let vector = |node| Vector { node, seq: 1, values: vec![0.5; 4], packed: vec![7; 60] };
    let nodes = [node(1), NodeId::Episode(episode_id(2))];
    world.store.put_vectors(HERE, "small", &nodes.map(vector)).expect("vectors are kept");
    let all = || {
        let reader = world.read();
        let of = |of| blocks_after(&*reader, HERE, of, 0).1;
        (of(TextOf::Memories), of(TextOf::Episodes))
    };
    let before = all();
    world.store.reindex().expect("documents are built anew");
    assert!(all() == before, "records differ");
    let marked = |body: &Vec<u8>| body[PACKED_AT..].windows(60).any(|window| window == [7; 60]);
    assert!(before.0.values().any(marked) && before.1.values().any(marked));
    assert_told(&*world.read(), HERE, &turns);
    world.assert_sound();
}

pub(super) fn a_vector_that_is_only_kept_leaves_what_is_scanned(factory: &dyn Factory) {
    let world = World::new(factory);
    world.write(vec![insert(&fact(HERE, 1, "one"))]);
    let vector = |packed| Vector { node: node(1), seq: 1, values: vec![0.5; 4], packed };
    world.store.put_vectors(HERE, "small", &[vector(vec![7; 60])]).expect("vectors are kept");
    let scanned = || blocks_after(&*world.read(), HERE, TextOf::Memories, 0).1;
    let before = scanned();
    world.store.put_vectors(HERE, "service/large", &[vector(Vec::new())]).expect("they are kept");
    assert!(scanned() == before, "what is scanned is another model's now");
    for model in ["small", "service/large"] {
        let kept = world.read().vectors_of(HERE, model, &[node(1)]).expect("vectors");
        assert_eq!(kept, [Some(vec![0.5; 4])], "{model}");
    }
    // Other words have another meaning, whoever tells it.
    world.write(vec![revise(&fact(HERE, 1, "uno"))]);
    for model in ["small", "service/large"] {
        let kept = world.read().vectors_of(HERE, model, &[node(1)]).expect("vectors");
        assert_eq!(kept, [None], "{model}");
    }
    world.assert_sound();
}

pub(super) fn the_past_has_the_documents_of_its_time(factory: &dyn Factory) {
    let world = World::new(factory);
    world.write(vec![insert(&fact(HERE, 1, "one")), Change::Record(episode(HERE, 1, "said"))]);
    world.write(vec![moved(1, State::Archived), insert(&fact(HERE, 2, "two"))]);
    for (at, state, count) in [(day(1), State::Confirmed, 1), (day(2), State::Archived, 2)] {
        let past = world.store.as_of(at).expect("the past");
        assert_told(&*past, HERE, &[episode_id(1)]);
        let found = documents(&*past, HERE, TextOf::Memories);
        assert_eq!(found.len(), count);
        assert_eq!(found[&node(1)].1.state, Some(state));
    }
}
