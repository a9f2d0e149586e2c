//! Postings: the documents that hold a term, just those, and never a neighbour's.

use std::collections::BTreeSet;

use throughline_core::row::Tombstone;
use throughline_core::{Change, Episode, NodeId, SpaceId, State, words};
use throughline_store::{Postings, Reader, TextOf};

use super::Factory;
use super::documents::documents;
use super::world::World;
use crate::sample::{HERE, THERE, day, episode, episode_id, fact, insert, memory_id, node, revise};

const MANY: usize = 1_000;

fn postings(reader: &dyn Reader, space: SpaceId, of: TextOf, term: &str, most: usize) -> Postings {
    let lists = reader.postings(space, of, &[term.to_owned()], most).expect("postings");
    let [list] = lists.try_into().expect("one list for one term");
    assert!(list.documents.is_sorted_by(|a, b| a < b), "ascending: {list:?}");
    list
}

/// The nodes behind the postings of a term.
fn holding(world: &World, space: SpaceId, of: TextOf, term: &str) -> BTreeSet<NodeId> {
    let reader = world.read();
    let list = postings(&*reader, space, of, term, MANY);
    assert!(!list.cut);
    let found = documents(&*reader, space, of);
    let node = |number: u32| {
        let there = found.iter().find(|(_, (at, _))| *at == number);
        *there.expect("a posting names a document").0
    };
    list.documents.into_iter().map(node).collect()
}

/// Postings are told by the texts themselves.
fn assert_postings(reader: &dyn Reader, space: SpaceId, of: TextOf, texts: &[(NodeId, &str)]) {
    let found = documents(reader, space, of);
    let said: Vec<(u32, Vec<String>)> =
        texts.iter().map(|(node, text)| (found[node].0, words::terms(text))).collect();
    let mut every: BTreeSet<String> = said.iter().flat_map(|(_, terms)| terms.clone()).collect();
    every.insert("unheard".to_owned());
    let asked: Vec<String> = every.into_iter().collect();
    let lists = reader.postings(space, of, &asked, MANY).expect("postings");
    assert_eq!(lists.len(), asked.len(), "a list for each term, in their order");
    for (term, list) in asked.iter().zip(lists) {
        let mut documents: Vec<u32> =
            said.iter().filter(|(_, terms)| terms.contains(term)).map(|(at, _)| *at).collect();
        documents.sort_unstable();
        assert_eq!(list, Postings { documents, cut: false }, "{term}");
    }
}

pub(super) fn postings_are_the_texts_that_hold_the_term(factory: &dyn Factory) {
    let world = World::new(factory);
    let texts = [
        "We deployed the migrations to staging",
        "call parseHttpHeader first, then deploy",
        "数据库在东京",
        "the naïve café, and staging staging staging",
        "?!",
        "v1.22.3 runs on x86_64",
    ];
    let numbered: Vec<(NodeId, &str)> = (1..).map(node).zip(texts).collect();
    world.write((1..).zip(texts).map(|(n, text)| insert(&fact(HERE, n, text))).collect());
    let turns: Vec<(NodeId, &str)> =
        (1..).map(|n| NodeId::Episode(episode_id(n))).zip(texts).collect();
    world.write((1..).zip(texts).map(|(n, text)| Change::Record(episode(HERE, n, text))).collect());
    let reader = world.read();
    assert_postings(&*reader, HERE, TextOf::Memories, &numbered);
    assert_postings(&*reader, HERE, TextOf::Episodes, &turns);
    assert_eq!(reader.postings(HERE, TextOf::Memories, &[], MANY).expect("none asked"), []);
}

pub(super) fn of_too_many_the_newest_are_kept_and_it_is_said(factory: &dyn Factory) {
    let world = World::new(factory);
    for number in 1..=7 {
        world.write(vec![
            insert(&fact(HERE, number, &format!("staging {number}"))),
            Change::Record(episode(HERE, number, "is staging green")),
        ]);
    }
    let reader = world.read();
    for of in [TextOf::Memories, TextOf::Episodes] {
        let all = postings(&*reader, HERE, of, "stage", MANY).documents;
        assert_eq!(all.len(), 7);
        for most in 0..=8 {
            let list = postings(&*reader, HERE, of, "stage", most);
            assert_eq!(list.cut, most < 7, "{most}");
            assert_eq!(list.documents, all[7_usize.saturating_sub(most)..], "{most}");
        }
    }
}

pub(super) fn postings_follow_every_change_of_the_text(factory: &dyn Factory) {
    let world = World::new(factory);
    world.write(vec![insert(&fact(HERE, 1, "green")), insert(&fact(HERE, 2, "green too"))]);
    let held = |term: &str| holding(&world, HERE, TextOf::Memories, term);
    world.write(vec![revise(&fact(HERE, 1, "red"))]);
    assert_eq!(held("green"), BTreeSet::from([node(2)]));
    assert_eq!(held("red"), BTreeSet::from([node(1)]));
    let (to, at) = (State::Archived, day(3));
    world.write(vec![Change::Move { space: HERE, id: memory_id(1), to, at }]);
    assert_eq!(held("red"), BTreeSet::from([node(1)]), "what to make of its state is not ours");
    let batch = world.write(vec![insert(&fact(HERE, 3, "red again"))]).batch;
    assert_eq!(held("red"), BTreeSet::from([1, 3].map(node)));
    world.undo(batch).expect("it is the latest");
    world.write(vec![Change::Purge(Tombstone::of(&fact(HERE, 1, "red"), day(4)))]);
    assert_eq!(held("red"), BTreeSet::new());
    world.store.reindex().expect("documents are built anew");
    assert_eq!(held("green"), BTreeSet::from([node(2)]));
}

pub(super) fn postings_of_a_space_name_nothing_of_another(factory: &dyn Factory) {
    let world = World::new(factory);
    for number in 1..=6 {
        let space = if number % 2 == 0 { HERE } else { THERE };
        world.write(vec![
            insert(&fact(space, number, &format!("staging {number}"))),
            Change::Record(episode(space, number, "is staging green")),
        ]);
    }
    for (space, own) in [(HERE, [2, 4, 6]), (THERE, [1, 3, 5])] {
        let memories = BTreeSet::from(own.map(node));
        assert_eq!(holding(&world, space, TextOf::Memories, "stage"), memories);
        let turns = BTreeSet::from(own.map(|number| NodeId::Episode(episode_id(number))));
        assert_eq!(holding(&world, space, TextOf::Episodes, "stage"), turns);
        let first = if space == HERE { "1" } else { "2" };
        assert_eq!(holding(&world, space, TextOf::Memories, first), BTreeSet::new());
    }
    let reader = world.read();
    let nowhere = SpaceId(999);
    let terms = ["stage".to_owned(), "green".to_owned()];
    let found = reader.postings(nowhere, TextOf::Memories, &terms, MANY).expect("postings");
    assert_eq!(found, vec![Postings::default(); 2]);
    assert!(documents(&*reader, nowhere, TextOf::Memories).is_empty());
}

pub(super) fn a_person_is_found_by_name_and_a_role_is_not(factory: &dyn Factory) {
    let world = World::new(factory);
    let said_by = |number, speaker: &str| {
        Change::Record(Episode {
            speaker: speaker.to_owned(),
            ..episode(HERE, number, "I moved to Basel")
        })
    };
    world.write(vec![
        said_by(1, "Caroline"),
        said_by(2, "user"),
        said_by(3, "Assistant"),
        said_by(4, "tool"),
        said_by(5, "caroline"),
        said_by(6, "Mel Brooks"),
    ]);
    let by = |word: &str| {
        let terms = words::terms(word);
        holding(&world, HERE, TextOf::Episodes, &terms[0])
    };
    let turns = |numbers: &[u64]| -> BTreeSet<NodeId> {
        numbers.iter().map(|number| NodeId::Episode(episode_id(*number))).collect()
    };
    assert_eq!(by("Caroline"), turns(&[1, 5]));
    assert_eq!(by("Brooks"), turns(&[6]));
    for role in ["user", "assistant", "tool"] {
        assert_eq!(by(role), turns(&[]), "{role}");
    }
    assert_eq!(by("Basel"), turns(&[1, 2, 3, 4, 5, 6]));
    let found = documents(&*world.read(), HERE, TextOf::Episodes);
    let document = |number| found[&NodeId::Episode(episode_id(number))].1;
    assert_eq!(document(1).speaker, document(5).speaker);
    assert_eq!(document(1).length, document(2).length + 1, "the name is one word more");
    world.assert_sound();
}
