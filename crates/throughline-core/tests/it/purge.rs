//! Erasing: nothing readable stays, in the tables or in the log.

use throughline_core::change::{Erased, scrub, scrub_images};
use throughline_core::row::{Image, Tombstone};
use throughline_core::watermark::{Reading, Referent};
use throughline_core::{
    Authority, BatchId, Change, Edge, Episode, Fingerprint, Memory, NodeId, Relation, Row,
    SessionId, Slot, State, Table, Watermark,
};
use uuid::Uuid;

use crate::arbitrary;
use crate::sample::episode;
use crate::world::{SPACE, Tables, candidate, day, fact, id, says};

/// A memory that says "secret" wherever a memory can say something, and one beside it.
fn tables() -> Tables {
    let mut tables = Tables::default();
    let mut told = candidate(1, "the secret launch", says(Authority::UserStated, "s", 1));
    told.tags = vec!["secret project".to_owned(), "shared".to_owned()];
    told.slot = Some(Slot::parse("secret launch|is on|secret day").expect("three parts"));
    told.label = Some("secret".to_owned());
    told.testimony.snippet = Some("a secret was told".to_owned());
    tables.remember(&told).expect("nothing stands in its way");

    for row in tables.0.values_mut() {
        if let Row::Entity(entity) = row
            && entity.name == "secret project"
        {
            entity.aliases.push("secret alias".to_owned());
        }
    }

    let mut beside = candidate(2, "the public launch", says(Authority::UserStated, "s", 1));
    beside.tags = vec!["shared".to_owned()];
    tables.remember(&beside).expect("nothing stands in its way");

    let mut edge = Edge::new(SPACE, id(1).into(), Relation::Informs, id(2).into(), day(1));
    edge.reason = Some("secret reason".to_owned());
    tables.apply(&Change::Link(edge)).expect("nothing stands in its way");
    tables.apply(&Change::Watch(secret_mark())).expect("nothing stands in its way");
    tables
}

fn secret_mark() -> Watermark {
    Watermark {
        referent: Referent::File { path: "secret.txt".to_owned(), span: None },
        stamp: "secret stamp".to_owned(),
        ..arbitrary::watermark(0, Reading::Unchanged)
    }
}

fn bodies(tables: &Tables) -> String {
    tables.0.values().map(Row::body).collect()
}

#[test]
fn an_erased_memory_leaves_nothing_readable_and_its_neighbour_untouched() {
    let mut tables = tables();
    assert!(bodies(&tables).contains("secret"));
    let beside = tables.memory(2);
    let stone = Tombstone::of(&tables.memory(1), day(2));
    tables.apply(&Change::Purge(stone.clone())).unwrap();

    assert!(!bodies(&tables).contains("secret"), "{}", bodies(&tables));
    assert_eq!(tables.memories(), [beside]);
    assert_eq!(tables.count(Table::Entity), 1, "the shared tag stays");
    assert_eq!(tables.count(Table::Edge), 1, "and the neighbour's edge to it");
    assert_eq!(tables.0.get(&Row::Tombstone(stone.clone()).key()), Some(&Row::Tombstone(stone)));
}

#[test]
fn what_an_erased_memory_had_replaced_stays_replaced() {
    let mut tables = Tables::holding([1, 2].map(|number| fact(number, "x", Authority::UserStated)));
    let replace = Change::Supersede { space: SPACE, old: id(1), new: id(2), at: day(1) };
    tables.apply(&replace).unwrap();
    let stone = Tombstone::of(&tables.memory(2), day(2));
    tables.apply(&Change::Purge(stone)).unwrap();
    let Memory { state, superseded_by, .. } = tables.memory(1);
    assert_eq!((state, superseded_by), (State::Superseded, None));
}

#[test]
fn scrubbing_takes_every_readable_word_out_of_the_log() {
    let tables = tables();
    let rows: Vec<_> = tables.0.values().cloned().collect();
    let entities: Vec<_> =
        rows.iter().flat_map(Row::nodes).filter_map(throughline_core::NodeId::entity).collect();
    let before = |row: &Row| Image { key: row.key(), row: Some(row.clone()) };
    let mut changes: Vec<Change> = rows
        .iter()
        .filter_map(|row| match row.clone() {
            Row::Memory(row) => Some(Change::Insert(row)),
            Row::Evidence(row) => Some(Change::Reinforce(row)),
            Row::Watermark(row) => Some(Change::Watch(row)),
            Row::Entity(row) => Some(Change::Know(row)),
            Row::Edge(row) => Some(Change::Link(row)),
            Row::Leaf(row) => Some(Change::Shelve(row)),
            Row::Space(_)
            | Row::Usage(_)
            | Row::Episode(_)
            | Row::Session(_)
            | Row::Injection(_)
            | Row::Tombstone(_)
            | Row::Pending(_) => None,
        })
        .collect();
    changes.push(Change::Revise(Box::new(tables.memory(1))));
    changes.push(Change::Restore {
        batch: BatchId(Uuid::from_u128(7)),
        rows: rows.iter().map(before).collect(),
    });
    let mut images: Vec<_> = rows.iter().map(before).collect();

    let erased = Erased { memory: Some(id(1)), entities, ..Erased::nothing(SPACE) };
    for change in &mut changes {
        scrub(change, &erased);
    }
    scrub_images(&mut images, &erased);
    let left = serde_json::to_string(&(&changes, &images)).unwrap();
    assert!(!left.contains("secret"), "{left}");
    assert!(left.contains("the public launch"), "others keep their words");
}

/// Two memories that quote a turn: one is connected to it, one only names it.
fn quoted() -> (Tables, Episode) {
    let mut tables = Tables::holding([1, 2].map(|number| fact(number, "x", Authority::UserStated)));
    let turn = Episode { text: "a secret was told".to_owned(), ..episode() };
    tables.apply(&Change::Record(turn.clone())).expect("nothing stands in its way");
    let edge =
        Edge::new(SPACE, id(1).into(), Relation::EvidencedBy, NodeId::Episode(turn.id), day(1));
    tables.apply(&Change::Link(edge)).expect("nothing stands in its way");
    for number in [1, 2] {
        let mut said = says(Authority::UserStated, "s", 1);
        said.turn = Some(turn.id.to_string());
        said.snippet = Some("a secret".to_owned());
        tables
            .apply(&Change::Reinforce(said.about(SPACE, id(number))))
            .expect("nothing stands in its way");
    }
    (tables, turn)
}

#[test]
fn an_erased_turn_goes_with_its_connections_and_all_that_quotes_it() {
    let (mut tables, turn) = quoted();
    let stone = Tombstone::of_turn(&turn, day(2));
    let silence = Change::Silence { stone: stone.clone(), quoted_by: vec![id(2)] };
    tables.apply(&silence).unwrap();
    assert!(!bodies(&tables).contains("secret"), "{}", bodies(&tables));
    assert_eq!((tables.count(Table::Episode), tables.count(Table::Edge)), (0, 0));
    assert_eq!(tables.count(Table::Evidence), 2, "that somebody said so stays");
    assert_eq!(tables.memories().len(), 2);
    assert_eq!(tables.0.get(&Row::Tombstone(stone.clone()).key()), Some(&Row::Tombstone(stone)));
    let before = tables.clone();
    tables.apply(&silence).unwrap();
    assert_eq!(tables, before, "what is gone can be erased again");
}

#[test]
fn scrubbing_takes_every_word_of_a_turn_out_of_the_log() {
    let (tables, turn) = quoted();
    let before = |row: &Row| Image { key: row.key(), row: Some(row.clone()) };
    let mut images: Vec<_> = tables.0.values().map(before).collect();
    let evidence = tables.0.values().filter_map(|row| row.as_evidence().cloned());
    let mut changes: Vec<Change> = evidence.map(Change::Reinforce).collect();
    changes.push(Change::Record(turn.clone()));
    changes.push(Change::Restore { batch: BatchId(Uuid::from_u128(7)), rows: images.clone() });
    let erased = Erased { episode: Some(turn.id), ..Erased::nothing(SPACE) };
    for change in &mut changes {
        scrub(change, &erased);
    }
    scrub_images(&mut images, &erased);
    let left = serde_json::to_string(&(&changes, &images)).unwrap();
    assert!(!left.contains("secret"), "{left}");
}

#[test]
fn a_turn_is_recognised_by_what_was_said_a_short_one_also_by_whom_and_where() {
    let turn = episode();
    let again = Episode { text: format!("  {} ", turn.text.to_uppercase()), ..turn.clone() };
    assert_eq!(turn.mark(), again.mark());
    for other in [
        Episode { speaker: "assistant".to_owned(), ..turn.clone() },
        Episode { session: SessionId("another".to_owned()), ..turn.clone() },
        Episode { text: "something else".to_owned(), ..turn.clone() },
    ] {
        assert_ne!(turn.mark(), other.mark());
    }
    assert_ne!(turn.mark(), Fingerprint::of(&turn.text));
    let told = Episode { text: "We moved everything to another house.".to_owned(), ..turn };
    let elsewhere = Episode {
        session: SessionId("another".to_owned()),
        speaker: "assistant".to_owned(),
        ..told.clone()
    };
    assert_eq!(told.mark(), elsewhere.mark(), "so much is not said twice by chance");
    assert_ne!(told.mark(), Fingerprint::of(&told.text));
}
