//! Samples: small things made from small numbers, always the same.

use throughline_core::evidence::Testimony;
use throughline_core::row::{Injection, Session};
use throughline_core::watermark::{Reading, Referent, Tally};
use throughline_core::{
    Actor, Authority, Batch, BatchId, Cardinality, Cause, Change, Edge, Entity, EntityId,
    EntityKind, Episode, EpisodeId, Evidence, Fingerprint, Kind, Leaf, LeafId, Memory, MemoryId,
    NodeId, Pending, PendingId, Relation, Ruling, Scope, SessionId, Slot, Space, SpaceId,
    Timestamp, Watermark,
};

/// Where most samples live.
pub const HERE: SpaceId = SpaceId(101);
/// Another space.
pub const THERE: SpaceId = SpaceId(202);
/// A third space.
pub const ELSEWHERE: SpaceId = SpaceId(303);

/// The written id with this number: the number in front, something unlike it at the end. Things
/// of different sorts have different ids.
fn id_text(sort: u64, number: u64) -> String {
    let tail = (number * 8 + sort).wrapping_mul(0x9e37_79b1) & 0xffff_ffff;
    format!("{number:08x}-000{sort}-7000-8000-0000{tail:08x}")
}

/// The memory with this number.
pub fn memory_id(number: u64) -> MemoryId {
    id_text(1, number).parse().expect("a well-formed id")
}

/// The entity with this number.
pub fn entity_id(number: u64) -> EntityId {
    id_text(2, number).parse().expect("a well-formed id")
}

/// The episode with this number.
pub fn episode_id(number: u64) -> EpisodeId {
    id_text(3, number).parse().expect("a well-formed id")
}

/// The batch with this number.
pub fn batch_id(number: u64) -> BatchId {
    id_text(4, number).parse().expect("a well-formed id")
}

/// The pending operation with this number.
pub fn pending_id(number: u64) -> PendingId {
    id_text(5, number).parse().expect("a well-formed id")
}

/// A memory as the end of an edge.
pub fn node(number: u64) -> NodeId {
    memory_id(number).into()
}

/// The beginning of a day, counted from some day in 2024.
pub fn day(number: u32) -> Timestamp {
    Timestamp::EPOCH.plus_days(20_000.0 + f64::from(number))
}

/// The session of this name.
pub fn session(name: &str) -> SessionId {
    SessionId(name.to_owned())
}

/// The project behind a space.
pub fn space(id: SpaceId) -> Space {
    Space {
        space: id,
        key: format!("example.org/project-{id}"),
        name: format!("project {id}"),
        created_at: day(0),
        slept: None,
    }
}

/// Something the user said on day 0.
pub fn fact(space: SpaceId, number: u64, content: &str) -> Memory {
    memory(space, number, Authority::UserStated, content)
}

/// Something that was only concluded, on day 0.
pub fn guess(space: SpaceId, number: u64, content: &str) -> Memory {
    memory(space, number, Authority::Inferred, content)
}

/// A fact from any source.
pub fn memory(space: SpaceId, number: u64, authority: Authority, content: &str) -> Memory {
    let scope = Scope { space, session: None };
    let id = memory_id(number);
    Memory::new(id, &scope, Kind::Fact, content, authority, day(0))
}

/// A memory with every field filled in that an active one may have.
pub fn full_memory(space: SpaceId, number: u64, content: &str) -> Memory {
    Memory {
        session: Some(session("morning")),
        label: Some("the database".to_owned()),
        domain: Some("technical".to_owned()),
        importance: 0.1 + 0.2,
        slot: Some(slot("staging", "runs", "Postgres 16")),
        confidence: 1.0 / 3.0,
        valid_from: Some(day(1)),
        valid_until: Some(day(900)),
        last_verified_at: Some(day(2)),
        pinned: true,
        triggers: vec!["psql".to_owned(), "*.sql".to_owned()],
        ..fact(space, number, content)
    }
}

/// The same memory in other words.
pub fn reworded(memory: &Memory, content: &str) -> Memory {
    Memory { content: content.to_owned(), fingerprint: Fingerprint::of(content), ..memory.clone() }
}

/// A slot that holds one value.
pub fn slot(subject: &str, predicate: &str, object: &str) -> Slot {
    Slot {
        subject: subject.to_owned(),
        predicate: predicate.to_owned(),
        object: object.to_owned(),
        cardinality: Cardinality::One,
    }
}

/// The user says a memory again, in these words.
pub fn evidence(space: SpaceId, memory: u64, snippet: &str) -> Evidence {
    let said = Testimony {
        session: Some(session("morning")),
        turn: Some("turn 7".to_owned()),
        snippet: Some(snippet.to_owned()),
        why: Some("said in passing".to_owned()),
        ..Testimony::new(Authority::UserStated, day(1))
    };
    said.about(space, memory_id(memory))
}

/// A memory is attached to a named value.
pub fn watermark(space: SpaceId, memory: u64, flag: &str) -> Watermark {
    Watermark {
        space,
        memory: memory_id(memory),
        referent: Referent::Flag { name: flag.to_owned() },
        stamp: "on".to_owned(),
        stamped_at: day(1),
        reading: Reading::Unchanged,
        then: String::new(),
        now: String::new(),
        tally: Tally::default(),
    }
}

/// An edge made on day 1.
pub fn edge(space: SpaceId, from: NodeId, relation: Relation, to: NodeId) -> Edge {
    Edge::new(space, from, relation, to, day(1))
}

/// A thing with the names it goes by: its own first.
pub fn entity(space: SpaceId, number: u64, kind: EntityKind, names: &[&str]) -> Entity {
    let (name, aliases) = names.split_first().expect("a thing has a name");
    Entity {
        id: entity_id(number),
        space,
        kind,
        name: (*name).to_owned(),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        created_at: day(1),
    }
}

/// Something the user said in the morning's session.
pub fn episode(space: SpaceId, number: u64, text: &str) -> Episode {
    Episode {
        id: episode_id(number),
        space,
        session: session("morning"),
        position: number,
        turn: Some(format!("turn {number}")),
        speaker: "user".to_owned(),
        at: day(1),
        text: text.to_owned(),
        person: None,
    }
}

/// A session that is still going on.
pub fn attended(space: SpaceId, name: &str) -> Session {
    Session::new(session(name), space, "an agent", day(1))
}

/// Memories shown to the morning's session.
pub fn injection(space: SpaceId, id: &str, at: Timestamp, memories: &[u64]) -> Injection {
    Injection {
        id: id.to_owned(),
        space,
        session: Some(session("morning")),
        at,
        memories: memories.iter().copied().map(memory_id).collect(),
        tokens: 120,
        found: Vec::new(),
        passed_over: Vec::new(),
    }
}

/// An operation of the morning's session that could not be applied.
pub fn pending(space: SpaceId, number: u64, content: &str) -> Pending {
    Pending {
        id: pending_id(number),
        space,
        at: day(1),
        session: Some(session("morning")),
        operation: format!(r#"{{"op":"ponder","content":"{content}"}}"#),
        why: format!("nobody knows how to ponder {content}"),
        authority: Authority::Extracted,
    }
}

/// Something that waits is decided.
pub fn decide(space: SpaceId, number: u64, ruling: Ruling) -> Change {
    Change::Decide { space, id: pending_id(number), ruling }
}

/// A memory is new.
pub fn insert(memory: &Memory) -> Change {
    Change::Insert(Box::new(memory.clone()))
}

/// A memory is written anew.
pub fn revise(memory: &Memory) -> Change {
    Change::Revise(Box::new(memory.clone()))
}

/// A batch that the user made.
pub fn batch(number: u64, space: SpaceId, at: Timestamp, changes: Vec<Change>) -> Batch {
    Batch {
        id: batch_id(number),
        space,
        at,
        actor: Actor::User,
        cause: Cause::Remember,
        session: None,
        reason: None,
        changes,
        extra: std::collections::BTreeMap::new(),
    }
}

/// The batch that makes spaces known, on day 0. Its number is 0.
pub fn opening(spaces: &[SpaceId]) -> Batch {
    let changes = spaces.iter().map(|id| Change::AddSpace(space(*id)));
    let first = spaces.first().copied().unwrap_or(SpaceId::GLOBAL);
    batch(0, first, day(0), changes.collect())
}

/// A text kept word for word, attached to a memory.
pub fn leaf(space: SpaceId, memory: u64, number: u64, text: &str) -> Leaf {
    Leaf {
        id: leaf_id(number),
        space,
        memory: memory_id(memory),
        shelf: "file".to_owned(),
        name: format!("/notes/{number}.md"),
        order: number,
        text: text.to_owned(),
        notes: Vec::new(),
        at: day(1),
    }
}

/// The leaf with this number.
pub fn leaf_id(number: u64) -> LeafId {
    id_text(7, number).parse().expect("a well-formed id")
}
