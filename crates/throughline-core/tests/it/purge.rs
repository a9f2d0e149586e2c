//! Erasing: nothing readable stays, in the tables or in the log.

use throughline_core::change::{scrub, scrub_images};
use throughline_core::row::{Image, Tombstone};
use throughline_core::watermark::{Reading, Referent};
use throughline_core::{
    Authority, BatchId, Change, Edge, Memory, Relation, Row, Slot, State, Table, Watermark,
};
use uuid::Uuid;

use crate::arbitrary;
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
            Row::Space(_)
            | Row::Usage(_)
            | Row::Episode(_)
            | Row::Session(_)
            | Row::Injection(_)
            | Row::Tombstone(_) => None,
        })
        .collect();
    changes.push(Change::Revise(Box::new(tables.memory(1))));
    changes.push(Change::Restore {
        batch: BatchId(Uuid::from_u128(7)),
        rows: rows.iter().map(before).collect(),
    });
    let mut images: Vec<_> = rows.iter().map(before).collect();

    for change in &mut changes {
        scrub(change, SPACE, Some(id(1)), &entities);
    }
    scrub_images(&mut images, SPACE, Some(id(1)), &entities);
    let left = serde_json::to_string(&(&changes, &images)).unwrap();
    assert!(!left.contains("secret"), "{left}");
    assert!(left.contains("the public launch"), "others keep their words");
}
