//! One of everything, with every field filled in.

use throughline_core::row::{Image, Injection, Session, Tombstone};
use throughline_core::watermark::{Reading, Referent, Tally};
use throughline_core::{
    Authority, BatchId, Cardinality, Change, Edge, Entity, EntityId, EntityKind, Episode,
    EpisodeId, Leaf, LeafId, Memory, Pending, PendingId, Relation, Row, RowKey, Ruling, Slot,
    Space, State, Trace, Usage, Watermark, sleep,
};
use uuid::Uuid;

use crate::world::{SPACE, day, fact, id, says, session};

pub(crate) fn full_memory() -> Memory {
    Memory {
        session: Some(session("s")),
        label: Some("database".to_owned()),
        domain: Some("technical".to_owned()),
        slot: Some(Slot {
            subject: "staging".to_owned(),
            predicate: "runs".to_owned(),
            object: "Postgres 16".to_owned(),
            cardinality: Cardinality::One,
        }),
        state: State::Superseded,
        previous: Some(State::Staged),
        since: Some(day(2)),
        valid_from: Some(day(1)),
        valid_until: Some(day(2)),
        last_verified_at: Some(day(1)),
        superseded_by: Some(id(2)),
        pinned: true,
        cold: true,
        graduated_at: Some(day(8)),
        done_at: Some(day(9)),
        triggers: vec!["psql".to_owned()],
        ..fact(1, "Staging runs Postgres 16.", Authority::UserCorrected)
    }
}

pub(crate) fn watermark(referent: Referent) -> Watermark {
    Watermark {
        space: SPACE,
        memory: id(1),
        referent,
        stamp: "9f2c".to_owned(),
        stamped_at: day(1),
        reading: Reading::ScopeTouched,
        then: "retries = 5".to_owned(),
        now: "retries = 7".to_owned(),
        tally: Tally { hits: 1, ..Tally::default() },
    }
}

pub(crate) fn edge() -> Edge {
    Edge {
        reinforcements: 2,
        reason: Some("it was measured".to_owned()),
        ..Edge::new(SPACE, id(1).into(), Relation::EvidencedBy, id(2).into(), day(1))
    }
}

pub(crate) fn entity() -> Entity {
    Entity {
        id: EntityId(Uuid::from_u128(3)),
        space: SPACE,
        kind: EntityKind::Tool,
        name: "Postgres".to_owned(),
        aliases: vec!["pg".to_owned()],
        created_at: day(1),
    }
}

pub(crate) fn episode() -> Episode {
    Episode {
        id: EpisodeId(Uuid::from_u128(4)),
        space: SPACE,
        session: session("s"),
        position: 7,
        turn: Some("t7".to_owned()),
        speaker: "user".to_owned(),
        at: day(1),
        text: "we moved".to_owned(),
        person: None,
    }
}

pub(crate) fn space() -> Space {
    Space {
        space: SPACE,
        key: "github.com/acme/app".to_owned(),
        name: "app".to_owned(),
        created_at: day(0),
        slept: None,
    }
}

pub(crate) fn attended() -> Session {
    Session { ended_at: Some(day(2)), ..Session::new(session("s"), SPACE, "claude", day(1)) }
}

pub(crate) fn injection() -> Injection {
    Injection {
        id: "i1".to_owned(),
        space: SPACE,
        session: Some(session("s")),
        at: day(1),
        memories: vec![id(1), id(2)],
        tokens: 120,
        found: Vec::new(),
        passed_over: Vec::new(),
    }
}

pub(crate) fn pending() -> Pending {
    Pending {
        id: PendingId(Uuid::from_u128(6)),
        space: SPACE,
        at: day(1),
        session: Some(session("s")),
        operation: r#"{"op":"ponder","content":"we moved"}"#.to_owned(),
        why: "unknown operation: ponder".to_owned(),
        authority: Authority::Extracted,
    }
}

pub(crate) fn leaf() -> Leaf {
    Leaf {
        id: LeafId(Uuid::from_u128(7)),
        space: SPACE,
        memory: id(1),
        shelf: "file".to_owned(),
        name: "/memories/plan.md".to_owned(),
        order: 3,
        text: "Use tabs.\n".to_owned(),
        notes: vec!["draft".to_owned()],
        at: day(1),
    }
}

pub(crate) fn evidence() -> throughline_core::Evidence {
    let mut said = says(Authority::Extracted, "s", 1);
    said.turn = Some("t7".to_owned());
    said.snippet = Some("we moved".to_owned());
    said.why = Some("stated in passing".to_owned());
    said.echo = true;
    said.about(SPACE, id(1))
}

pub(crate) fn file() -> Referent {
    Referent::File { path: "compose.yml".to_owned(), span: Some((3, 9)) }
}

/// What remains of a secret.
fn trace() -> Trace {
    Trace {
        salt: "00000000000000ff".to_owned(),
        length: 20,
        filter: 7,
        hash: "0123456789abcdef0123456789abcdef".to_owned(),
        kind: "token".to_owned(),
    }
}

/// One of every variant, in the order of their declaration.
pub(crate) fn one_of_each() -> Vec<Change> {
    let stone = Tombstone::of(&full_memory(), day(3));
    let usage = Usage {
        uses: 3,
        sessions: [session("s")].into(),
        last_used_at: Some(day(2)),
        ..Usage::none(SPACE, id(1))
    };
    let (space_id, at) = (SPACE, day(2));
    vec![
        Change::AddSpace(space()),
        Change::Insert(Box::new(fact(1, "Use tabs.", Authority::Inferred))),
        Change::Reinforce(evidence()),
        Change::Revise(Box::new(full_memory())),
        Change::Move { space: space_id, id: id(1), to: State::Archived, at },
        Change::Supersede { space: space_id, old: id(1), new: id(2), at },
        Change::Unsupersede { space: space_id, old: id(1) },
        Change::Link(edge()),
        Change::Unlink {
            space: space_id,
            from: id(1).into(),
            relation: Relation::About,
            to: entity().id.into(),
        },
        Change::Watch(watermark(file())),
        Change::Know(entity()),
        Change::Record(episode()),
        Change::Use { space: space_id, memories: vec![id(1)], session: Some(session("s")), at },
        Change::Rate { space: space_id, memory: id(1), helpful: true },
        Change::Attend(attended()),
        Change::Inject(injection()),
        Change::Purge(stone.clone()),
        Change::Expunge(stone),
        Change::Restore {
            batch: BatchId(Uuid::from_u128(5)),
            rows: vec![
                Image { key: RowKey::memory(SPACE, id(1)), row: None },
                Image { key: RowKey::usage(SPACE, id(1)), row: Some(Row::Usage(usage)) },
            ],
        },
        Change::Unknow { space: space_id, entity: entity().id },
        Change::Defer(pending()),
        Change::Decide { space: space_id, id: pending().id, ruling: Ruling::Rejected },
        Change::Silence { stone: Tombstone::of_turn(&episode(), day(3)), quoted_by: vec![id(1)] },
        Change::Unwatch { space: space_id, memory: id(1), referent: file() },
        Change::Shelve(leaf()),
        Change::Unshelve { space: space_id, memory: id(1), leaf: leaf().id },
        Change::Slept {
            space: space_id,
            key: space().key,
            mark: sleep::SleepMark { to: BatchId(Uuid::from_u128(5)), changes: Some(3), at },
        },
        Change::Redact {
            stone: trace().stone(space_id, day(3)),
            rows: vec![Image {
                key: RowKey::memory(SPACE, id(1)),
                row: Some(Row::Memory(Box::new(full_memory()))),
            }],
        },
    ]
}
