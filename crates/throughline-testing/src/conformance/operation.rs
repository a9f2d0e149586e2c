//! Random operations: what may happen to a store, sensible or not, from small numbers.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use throughline_core::evidence::Testimony;
use throughline_core::row::Tombstone;
use throughline_core::{
    Authority, Change, EntityKind, Kind, Memory, NodeId, Pending, Relation, Row, RowKey, Ruling,
    SpaceId, State,
};
use throughline_store::Reader;

use crate::sample::{
    ELSEWHERE, HERE, THERE, attended, day, decide, edge, entity, entity_id, episode, episode_id,
    injection, insert, memory, memory_id, node, pending, revise, session, slot, watermark,
};

/// The spaces that operations happen in.
pub(super) const SPACES: [SpaceId; 3] = [HERE, THERE, ELSEWHERE];

/// Few words, so that texts share them.
const WORDS: [&str; 8] =
    ["staging", "deploys", "deployed", "Postgres", "parseHttpHeader", "naïve", "数据库", "the"];

/// What is tried next.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// A batch in a space.
    Write(SpaceId, Vec<Operation>),
    /// The batch this many steps ago is undone.
    Undo(usize),
}

/// One change, named by small numbers. Many name what is not there, and are refused.
#[derive(Debug, Clone)]
pub(super) enum Operation {
    Insert(u64, Authority, Kind, Vec<usize>),
    Reinforce(u64, Authority, bool),
    Revise(u64, Vec<usize>, bool),
    Move(u64, State),
    Supersede(u64, u64),
    Unsupersede(u64),
    Link(End, Relation, End),
    Unlink(End, Relation, End),
    Watch(u64, u8),
    Know(u64, usize, usize),
    Record(u64, Vec<usize>),
    Use(Vec<u64>, Option<u8>),
    Rate(u64, bool),
    Attend(u8),
    Inject(u64, Vec<u64>),
    Purge(u64),
    Silence(u64),
    Defer(u64, u32),
    Decide(u64, Ruling),
    /// Names a memory of another space.
    Trespass(u64),
}

/// The end of an edge.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    Memory(u64),
    Entity(u64),
    Episode(u64),
}

/// Sequences of steps.
pub(super) fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let write =
        (select(&SPACES[..]), vec(operation(), 1..5)).prop_map(|(space, mut operations)| {
            // What comes after an erasure in one batch must not bring the erased id back.
            let erases =
                |one: &Operation| matches!(one, Operation::Purge(_) | Operation::Silence(_));
            if let Some(at) = operations.iter().position(erases) {
                operations.truncate(at + 1);
            }
            Step::Write(space, operations)
        });
    vec(prop_oneof![6 => write, 1 => (0..6_usize).prop_map(Step::Undo)], 1..=most)
}

fn operation() -> impl Strategy<Value = Operation> {
    use Operation as O;
    let id = || 0..5_u64;
    let words = || vec(0..WORDS.len(), 1..6);
    let authority = || select(Authority::ALL);
    let ends = || (end(), relation(), end());
    prop_oneof![
        8 => (id(), authority(), select(Kind::ALL), words())
            .prop_map(|(id, who, kind, words)| O::Insert(id, who, kind, words)),
        3 => (id(), authority(), any::<bool>()).prop_map(|(id, who, echo)| O::Reinforce(id, who, echo)),
        3 => (id(), words(), any::<bool>()).prop_map(|(id, words, slot)| O::Revise(id, words, slot)),
        3 => (id(), select(State::ALL)).prop_map(|(id, to)| O::Move(id, to)),
        3 => (id(), id()).prop_map(|(old, new)| O::Supersede(old, new)),
        2 => id().prop_map(O::Unsupersede),
        5 => ends().prop_map(|(from, relation, to)| O::Link(from, relation, to)),
        2 => ends().prop_map(|(from, relation, to)| O::Unlink(from, relation, to)),
        2 => (id(), 0..3_u8).prop_map(|(id, flag)| O::Watch(id, flag)),
        4 => (0..3_u64, 0..WORDS.len(), 0..WORDS.len()).prop_map(|(id, name, alias)| O::Know(id, name, alias)),
        2 => (0..4_u64, words()).prop_map(|(id, words)| O::Record(id, words)),
        2 => (vec(id(), 1..3), proptest::option::of(0..3_u8)).prop_map(|(ids, at)| O::Use(ids, at)),
        2 => (id(), any::<bool>()).prop_map(|(id, helpful)| O::Rate(id, helpful)),
        1 => (0..3_u8).prop_map(O::Attend),
        1 => (0..9_u64, vec(id(), 1..4)).prop_map(|(id, shown)| O::Inject(id, shown)),
        2 => id().prop_map(O::Purge),
        2 => (0..4_u64).prop_map(O::Silence),
        2 => (0..4_u64, 0..4_u32).prop_map(|(id, on)| O::Defer(id, on)),
        2 => (0..4_u64, select(Ruling::ALL)).prop_map(|(id, ruling)| O::Decide(id, ruling)),
        1 => id().prop_map(O::Trespass),
    ]
}

fn end() -> impl Strategy<Value = End> {
    prop_oneof![
        3 => (0..5_u64).prop_map(End::Memory),
        2 => (0..3_u64).prop_map(End::Entity),
        1 => (0..4_u64).prop_map(End::Episode),
    ]
}

fn relation() -> impl Strategy<Value = Relation> {
    select(vec![
        Relation::About,
        Relation::Tagged,
        Relation::Because,
        Relation::Contradicts,
        Relation::RelatesTo,
    ])
}

/// Ids are of one space only: the number of a thing in this space.
pub(super) fn own(space: SpaceId, number: u64) -> u64 {
    space.0.unsigned_abs() * 100 + number
}

/// What a text says: some words, and one that no other text has.
fn text(words: &[usize], unique: &str) -> String {
    let mut said: Vec<&str> = words.iter().map(|at| WORDS[*at]).collect();
    said.push(unique);
    said.join(" ")
}

/// Makes changes of operations, as of what a store holds. `unique` occurs in no other text.
pub(super) fn changes(
    operations: &[Operation],
    space: SpaceId,
    unique: usize,
    reader: &dyn Reader,
) -> Vec<Change> {
    let numbered = operations.iter().enumerate();
    numbered
        .map(|(at, operation)| change(operation, space, &format!("note{unique}x{at}"), reader))
        .collect()
}

fn change(operation: &Operation, space: SpaceId, unique: &str, reader: &dyn Reader) -> Change {
    let id = |number: u64| memory_id(own(space, number));
    let node_of = |end: End| end.node(space);
    let at = day(7);
    match operation {
        Operation::Insert(number, authority, kind, words) => insert(&Memory {
            kind: *kind,
            ..memory(space, own(space, *number), *authority, &text(words, unique))
        }),
        Operation::Reinforce(number, authority, echo) => {
            let said = Testimony {
                snippet: Some(unique.to_owned()),
                echo: *echo,
                ..Testimony::new(*authority, at)
            };
            Change::Reinforce(said.about(space, id(*number)))
        }
        Operation::Revise(number, words, with_slot) => revise(&Memory {
            slot: with_slot.then(|| slot("staging", WORDS[words[0]], unique)),
            ..memory(space, own(space, *number), Authority::UserCorrected, &text(words, unique))
        }),
        Operation::Move(number, to) => Change::Move { space, id: id(*number), to: *to, at },
        Operation::Supersede(old, new) => {
            Change::Supersede { space, old: id(*old), new: id(*new), at }
        }
        Operation::Unsupersede(old) => Change::Unsupersede { space, old: id(*old) },
        Operation::Link(from, relation, to) => {
            let mut link = edge(space, node_of(*from), *relation, node_of(*to));
            link.reason = Some(unique.to_owned());
            Change::Link(link)
        }
        Operation::Unlink(from, relation, to) => {
            let (from, to, relation) = (node_of(*from), node_of(*to), *relation);
            Change::Unlink { space, from, relation, to }
        }
        Operation::Watch(number, flag) => {
            Change::Watch(watermark(space, own(space, *number), &format!("FLAG_{flag}")))
        }
        Operation::Know(number, name, alias) => {
            let names = [WORDS[*name], WORDS[*alias]];
            Change::Know(entity(space, own(space, *number), EntityKind::Concept, &names))
        }
        Operation::Record(number, words) => {
            Change::Record(episode(space, own(space, *number), &text(words, unique)))
        }
        Operation::Use(numbers, in_session) => Change::Use {
            space,
            memories: numbers.iter().map(|number| id(*number)).collect(),
            session: in_session.map(|name| session(&format!("session {name}"))),
            at,
        },
        Operation::Rate(number, helpful) => {
            Change::Rate { space, memory: id(*number), helpful: *helpful }
        }
        Operation::Attend(name) => Change::Attend(attended(space, &format!("session {name}"))),
        Operation::Inject(number, shown) => {
            let shown: Vec<u64> = shown.iter().map(|number| own(space, *number)).collect();
            Change::Inject(injection(space, &format!("shown {number}"), at, &shown))
        }
        Operation::Purge(number) => Change::Purge(stone(space, *number, reader)),
        Operation::Silence(number) => silence(space, own(space, *number)),
        Operation::Defer(number, on) => {
            Change::Defer(Pending { at: day(*on), ..pending(space, own(space, *number), unique) })
        }
        Operation::Decide(number, ruling) => decide(space, own(space, *number), *ruling),
        Operation::Trespass(number) => {
            let other = if space == HERE { THERE } else { HERE };
            Change::Rate { space, memory: memory_id(own(other, *number)), helpful: true }
        }
    }
}

impl End {
    fn node(self, space: SpaceId) -> NodeId {
        match self {
            Self::Memory(number) => node(own(space, number)),
            Self::Entity(number) => entity_id(own(space, number)).into(),
            Self::Episode(number) => NodeId::Episode(episode_id(own(space, number))),
        }
    }
}

/// Erases a turn, whatever it says and whether it is there or not.
fn silence(space: SpaceId, number: u64) -> Change {
    let turn = episode(space, number, "not told any more");
    Change::Silence { stone: Tombstone::of_turn(&turn, day(8)), quoted_by: Vec::new() }
}

/// The tombstone of a memory, or of one that is not there.
fn stone(space: SpaceId, number: u64, reader: &dyn Reader) -> Tombstone {
    let number = own(space, number);
    let key = RowKey::memory(space, memory_id(number));
    let held = reader.rows(&[key]).expect("rows").remove(0);
    let held = held.and_then(Row::into_memory);
    let held = held.unwrap_or_else(|| memory(space, number, Authority::File, "not there"));
    Tombstone::of(&held, day(8))
}
