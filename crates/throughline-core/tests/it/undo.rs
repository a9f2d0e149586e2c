//! Undo: rows go back as they were, unless something later was built on them.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use throughline_core::fold::View;
use throughline_core::row::{Image, Tombstone};
use throughline_core::undo::{self, Touched, UndoRefusal};
use throughline_core::{
    Actor, Authority, Batch, BatchId, Cause, Change, Edge, EntityId, Logged, Memory, NodeId,
    Pending, PendingId, Relation, Row, RowKey, Ruling, State, Table, Write,
};
use uuid::Uuid;

use crate::arbitrary;
use crate::sample::pending;
use crate::world::{SPACE, Tables, day, fact, id, says};

/// Tables with the log that made them.
#[derive(Debug, Default)]
struct History {
    tables: Tables,
    batches: Vec<(Batch, Vec<Logged>)>,
}

impl History {
    fn starting_with(tables: Tables) -> Self {
        Self { tables, batches: Vec::new() }
    }

    /// Carries out what can be carried out, and logs it as one batch.
    fn commit(&mut self, cause: Cause, changes: Vec<Change>) -> BatchId {
        let id = BatchId(Uuid::from_u128(u128::try_from(self.batches.len()).expect("few")));
        let mut logged = Vec::new();
        for change in &changes {
            let Ok(writes) = self.tables.writes(change) else {
                continue;
            };
            let keys = writes.iter().map(Write::key);
            let before = keys.map(|key| Image { row: self.tables.0.get(&key).cloned(), key });
            logged.push(Logged {
                seq: 0,
                batch: id,
                change: change.clone(),
                before: before.collect(),
            });
            self.tables.apply(change).expect("it was just planned");
        }
        let batch = Batch {
            id,
            space: SPACE,
            at: day(0),
            actor: Actor::User,
            cause,
            session: None,
            reason: None,
            changes,
            extra: std::collections::BTreeMap::new(),
        };
        self.batches.push((batch, logged));
        id
    }

    fn touched(&self, at: usize) -> BTreeMap<RowKey, Touched> {
        let later = || self.batches[at + 1..].iter().flat_map(|(_, logged)| logged);
        let images = self.batches[at].1.iter().flat_map(|one| &one.before);
        let look = |key: &RowKey| Touched {
            now: self.tables.0.get(key).cloned(),
            next: later().find_map(|one| {
                let image = one.before.iter().find(|image| image.key == *key)?;
                Some((one.batch, image.row.clone()))
            }),
            attached: node(key).map_or_else(Vec::new, |node| {
                self.tables.attached(SPACE, node).expect("a map can be read")
            }),
        };
        images.map(|image| (image.key.clone(), look(&image.key))).collect()
    }

    fn undo(&mut self, id: BatchId) -> Result<BatchId, UndoRefusal> {
        let mut ids = self.batches.iter().map(|(batch, _)| batch.id);
        let at = ids.position(|it| it == id).expect("the test made it");
        let (batch, logged) = &self.batches[at];
        let restore = undo::plan(batch, logged, &self.touched(at))?;
        Ok(self.commit(Cause::Undo, vec![restore]))
    }
}

fn node(key: &RowKey) -> Option<NodeId> {
    let id = key.key.parse().ok().map(throughline_core::MemoryId);
    match key.table {
        Table::Memory => id.map(NodeId::Memory),
        Table::Entity => id.map(|id| NodeId::Entity(EntityId(id.0))),
        Table::Space
        | Table::Evidence
        | Table::Watermark
        | Table::Usage
        | Table::Edge
        | Table::Episode
        | Table::Session
        | Table::Injection
        | Table::Tombstone
        | Table::Leaf
        | Table::Pending => None,
    }
}

fn insert(number: u128) -> Change {
    Change::Insert(Box::new(fact(number, "x", Authority::Observed)))
}

fn move_to(number: u128, to: State) -> Change {
    Change::Move { space: SPACE, id: id(number), to, at: day(1) }
}

fn use_of(number: u128) -> Change {
    Change::Use { space: SPACE, memories: vec![id(number)], session: None, at: day(1) }
}

fn replace(old: u128, new: u128) -> Change {
    Change::Supersede { space: SPACE, old: id(old), new: id(new), at: day(1) }
}

fn waiting(number: u128) -> Pending {
    Pending { id: PendingId(Uuid::from_u128(number)), ..pending() }
}

fn decide(number: u128, ruling: Ruling) -> Change {
    Change::Decide { space: SPACE, id: waiting(number).id, ruling }
}

fn any_change() -> impl Strategy<Value = Change> {
    let one = || 1..7_u128;
    prop_oneof![
        one().prop_map(insert),
        (one(), arbitrary::state()).prop_map(|(number, to)| move_to(number, to)),
        (one(), one()).prop_map(|(old, new)| replace(old, new)),
        one().prop_map(|old| Change::Unsupersede { space: SPACE, old: id(old) }),
        one().prop_map(use_of),
        (one(), arbitrary::testimony())
            .prop_map(|(number, said)| Change::Reinforce(said.about(SPACE, id(number)))),
        (one(), one()).prop_map(|(from, to)| Change::Link(Edge::new(
            SPACE,
            id(from).into(),
            Relation::Because,
            id(to).into(),
            day(1),
        ))),
        (0..3_u128).prop_map(|number| Change::Defer(waiting(number))),
        (0..3_u128, prop::bool::ANY).prop_map(|(number, well)| {
            decide(number, if well { Ruling::Accepted } else { Ruling::Rejected })
        }),
    ]
}

proptest! {
    #[test]
    fn undoing_the_last_batch_brings_every_table_back(
        first in vec(any_change(), 0..20), second in vec(any_change(), 1..20),
    ) {
        let mut history = History::starting_with(Tables::holding([1, 2, 3].map(|n| fact(n, "x", Authority::File))));
        history.commit(Cause::Remember, first);
        let before = history.tables.clone();
        let batch = history.commit(Cause::Edit, second);
        let changed = history.tables != before;
        match history.undo(batch) {
            Ok(_) => prop_assert_eq!(&history.tables, &before),
            Err(refusal) => {
                prop_assert_eq!(refusal, UndoRefusal::Nothing(batch));
                prop_assert!(!changed);
            }
        }
    }

    #[test]
    fn undoing_an_undo_brings_the_changes_back(changes in vec(any_change(), 1..20)) {
        let mut history = History::starting_with(Tables::holding([1, 2, 3].map(|n| fact(n, "x", Authority::File))));
        let batch = history.commit(Cause::Edit, changes);
        let after = history.tables.clone();
        if let Ok(undone) = history.undo(batch) {
            let nothing = Err(UndoRefusal::Nothing(batch));
            prop_assert_eq!(history.undo(batch), nothing, "not twice");
            history.undo(undone).unwrap();
            prop_assert_eq!(&history.tables, &after);
        }
    }
}

#[test]
fn what_was_erased_cannot_be_brought_back() {
    for cause in Cause::ALL {
        let mut history = History::default();
        history.commit(Cause::Remember, vec![insert(1)]);
        let stone = Tombstone::of(&history.tables.memory(1), day(2));
        let batch = history.commit(*cause, vec![insert(2), Change::Purge(stone)]);
        let refused = Err(UndoRefusal::Erased(batch));
        assert_eq!(history.undo(batch), refused, "{cause}");
    }
}

#[test]
fn a_decision_that_is_undone_asks_again() {
    let mut history = History::default();
    history.commit(Cause::Capture, vec![Change::Defer(waiting(1))]);
    let before = history.tables.clone();
    let rejected = history.commit(Cause::Review, vec![decide(1, Ruling::Rejected)]);
    assert_eq!(history.tables.count(Table::Pending), 0);
    history.undo(rejected).unwrap();
    assert_eq!(history.tables, before);
}

#[test]
fn an_operation_that_was_erased_does_not_come_back() {
    let mut history = History::default();
    history.commit(Cause::Capture, vec![Change::Defer(waiting(1))]);
    let rejected = history.commit(Cause::Review, vec![decide(1, Ruling::Rejected)]);
    let erased = history.commit(Cause::Purge, vec![decide(1, Ruling::Erased)]);
    for logged in history.batches.iter_mut().flat_map(|(_, logged)| logged) {
        for image in &mut logged.before {
            if let Some(Row::Pending(row)) = &mut image.row {
                row.operation.clear(); // as the store does
            }
        }
    }
    for batch in [rejected, erased] {
        assert_eq!(history.undo(batch), Err(UndoRefusal::Erased(batch)));
    }
}

#[test]
fn what_was_changed_since_must_be_undone_first() {
    let mut history = History::default();
    history.commit(Cause::Remember, vec![insert(1)]);
    let confirmed = history.commit(Cause::Confirm, vec![move_to(1, State::Confirmed)]);
    let archived = history.commit(Cause::Archive, vec![move_to(1, State::Archived)]);

    let refused = history.undo(confirmed);
    assert!(
        matches!(refused, Err(UndoRefusal::ChangedSince { by, .. }) if by == archived),
        "{refused:?}"
    );
    history.undo(archived).unwrap();
    history.undo(confirmed).unwrap();
    assert_eq!(history.tables.state(1), State::Staged);
}

#[test]
fn what_was_changed_and_changed_back_stands_in_nobodys_way() {
    let mut history = History::default();
    history.commit(Cause::Remember, vec![insert(1)]);
    let confirmed = history.commit(Cause::Confirm, vec![move_to(1, State::Confirmed)]);
    history.commit(Cause::Archive, vec![move_to(1, State::Archived)]);
    history.commit(Cause::Unarchive, vec![move_to(1, State::Confirmed)]);
    history.undo(confirmed).unwrap();
    assert_eq!(history.tables.state(1), State::Staged);
}

#[test]
fn a_memory_that_something_later_hangs_on_is_not_taken_away() {
    let evidence = Change::Reinforce(says(Authority::File, "later", 2).about(SPACE, id(1)));
    let edge = Edge::new(SPACE, id(2).into(), Relation::Because, id(1).into(), day(2));
    for later in [evidence, Change::Link(edge), replace(2, 1)] {
        let mut history = History::starting_with(Tables::holding([fact(2, "y", Authority::File)]));
        let made = history.commit(Cause::Remember, vec![insert(1)]);
        history.commit(Cause::Link, vec![later.clone()]);
        let refused = history.undo(made);
        let hangs = matches!(
            refused,
            Err(UndoRefusal::BuiltUpon { .. } | UndoRefusal::ChangedSince { .. })
        );
        assert!(hangs, "{later:?}: {refused:?}");
    }
}

#[test]
fn having_been_read_does_not_keep_a_memory_from_being_undone() {
    let mut history = History::default();
    let made = history.commit(Cause::Remember, vec![insert(1)]);
    history.commit(Cause::Recall, vec![use_of(1)]);
    history.commit(Cause::Recall, vec![use_of(1)]);
    history.undo(made).unwrap();
    assert_eq!(history.tables, Tables::default(), "its counters went with it");
}

#[test]
fn undoing_a_correction_makes_the_old_memory_current_again() {
    let old = Memory { state: State::Confirmed, ..fact(1, "old", Authority::UserStated) };
    let mut history = History::starting_with(Tables::holding([old.clone()]));
    let batch = history.commit(Cause::Correct, vec![insert(2), replace(1, 2)]);
    assert_eq!(history.tables.state(1), State::Superseded);
    history.undo(batch).unwrap();
    assert_eq!(history.tables, Tables::holding([old]));
}
