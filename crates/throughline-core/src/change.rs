//! Changes: the only way memory is altered. Decisions as data, so that they can be shown, tested,
//! logged, replayed and undone.

use serde::{Deserialize, Serialize};

use crate::row::{Image, Injection, Session, Tombstone};
use crate::{
    BatchId, Edge, Entity, Episode, Evidence, Memory, MemoryId, NodeId, Relation, SessionId, Space,
    SpaceId, State, Timestamp, Watermark,
};

/// One change to memory. Its written form is the change log's: variants and fields may be added,
/// never renamed or removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// A space is written to for the first time.
    AddSpace(Space),
    /// New to us.
    Insert(Box<Memory>),
    /// Said again: keep the memory, add the evidence.
    Reinforce(Evidence),
    /// The same memory in other words or with other properties. Its state stays.
    Revise(Box<Memory>),
    /// A memory moves to another state.
    Move {
        /// Where it lives.
        space: SpaceId,
        /// Which memory.
        id: MemoryId,
        /// Where it goes.
        to: State,
        /// When.
        at: Timestamp,
    },
    /// The world moved on: `old` stays readable but stops being current at `at`.
    Supersede {
        /// Where both live.
        space: SpaceId,
        /// What was believed.
        old: MemoryId,
        /// What is believed now.
        new: MemoryId,
        /// Since when.
        at: Timestamp,
    },
    /// The replacement was wrong: `old` is current again.
    Unsupersede {
        /// Where it lives.
        space: SpaceId,
        /// Which memory.
        old: MemoryId,
    },
    /// Two nodes are connected, or their connection is made anew.
    Link(Edge),
    /// A connection is taken away.
    Unlink {
        /// Where it lives.
        space: SpaceId,
        /// Where it starts.
        from: NodeId,
        /// What it says.
        relation: Relation,
        /// Where it ends.
        to: NodeId,
    },
    /// A memory is bound to something observable, or looked at again.
    Watch(Watermark),
    /// A thing is met, or known better.
    Know(Entity),
    /// A thing that nothing speaks of any more is dropped, and its names with it. The store also
    /// scrubs them from the log.
    Unknow {
        /// Where it lives.
        space: SpaceId,
        /// Which thing.
        entity: crate::EntityId,
    },
    /// Something was said or done.
    Record(Episode),
    /// Memories were used.
    Use {
        /// Where they live.
        space: SpaceId,
        /// Which ones.
        memories: Vec<MemoryId>,
        /// In which session.
        session: Option<SessionId>,
        /// When.
        at: Timestamp,
    },
    /// Somebody said whether a memory helped.
    Rate {
        /// Where it lives.
        space: SpaceId,
        /// Which memory.
        memory: MemoryId,
        /// Whether it did.
        helpful: bool,
    },
    /// A session began or ended.
    Attend(Session),
    /// Memories were put in front of an agent.
    Inject(Injection),
    /// Erased for good. The store also scrubs it from the log.
    Purge(Tombstone),
    /// The same for what an undo took away, so that only the log still holds it.
    Expunge(Tombstone),
    /// An earlier batch is undone: its rows are put back as they were.
    Restore {
        /// Which batch.
        batch: BatchId,
        /// The rows as they were before it.
        rows: Vec<Image>,
    },
}

closed_set! {
    /// Who made a change.
    pub enum Actor ("actor") {
        /// A person, by hand.
        User = "user",
        /// An agent, by a tool.
        Agent = "agent",
        /// The program itself: capture, sleep, maintenance.
        System = "system",
    }
}

closed_set! {
    /// What a change was made for.
    pub enum Cause ("cause") {
        /// Something was remembered.
        Remember = "remember",
        /// A memory was edited.
        Edit = "edit",
        /// A memory was confirmed.
        Confirm = "confirm",
        /// A memory was corrected.
        Correct = "correct",
        /// A memory took another's place.
        Supersede = "supersede",
        /// That was taken back.
        Unsupersede = "unsupersede",
        /// Two memories were marked as contradicting.
        Contradict = "contradict",
        /// Two nodes were connected.
        Link = "link",
        /// They were parted.
        Unlink = "unlink",
        /// Labels changed.
        Tag = "tag",
        /// Pinned or unpinned.
        Pin = "pin",
        /// Put away.
        Archive = "archive",
        /// Taken out again.
        Unarchive = "unarchive",
        /// Retracted.
        Forget = "forget",
        /// Erased.
        Purge = "purge",
        /// Undone.
        Undo = "undo",
        /// Came with an import.
        Import = "import",
        /// Captured from an agent.
        Capture = "capture",
        /// Shown to an agent, used or rated.
        Recall = "recall",
        /// Checked against what it hangs on.
        Verify = "verify",
        /// Consolidated.
        Sleep = "sleep",
    }
}

/// Changes that belong together: applied in one transaction, logged, undone as one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Its name.
    pub id: BatchId,
    /// The space it was decided in.
    pub space: SpaceId,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: Actor,
    /// What for.
    pub cause: Cause,
    /// In which session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// In somebody's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The changes, in order.
    pub changes: Vec<Change>,
}

/// What a store says when it has kept a batch: from here on it survives a crash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Which batch.
    pub batch: BatchId,
    /// The number of its last change.
    pub seq: u64,
}

/// One change as the log keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct Logged {
    /// Its number, growing throughout the store.
    pub seq: u64,
    /// Its batch.
    pub batch: BatchId,
    /// What was changed.
    pub change: Change,
    /// The rows it touched, as they were before.
    pub before: Vec<Image>,
}

/// Takes the readable content of a memory and of entities out of a change, leaving its shape.
///
/// What is left replays to the same tables, because the purge that follows removes the rows.
pub fn scrub(
    change: &mut Change,
    space: SpaceId,
    memory: Option<MemoryId>,
    entities: &[crate::EntityId],
) {
    let ours = |at: SpaceId, id: MemoryId| at == space && Some(id) == memory;
    match change {
        Change::Insert(row) | Change::Revise(row) if ours(row.space, row.id) => scrub_memory(row),
        Change::Reinforce(row) if ours(row.space, row.memory) => scrub_evidence(row),
        Change::Watch(row) if ours(row.space, row.memory) => scrub_watermark(row),
        Change::Link(row) if row.space == space => scrub_edge(row, memory),
        Change::Know(row) if row.space == space && entities.contains(&row.id) => scrub_entity(row),
        Change::Restore { rows, .. } => scrub_images(rows, space, memory, entities),
        Change::Insert(_)
        | Change::Revise(_)
        | Change::Reinforce(_)
        | Change::Watch(_)
        | Change::Link(_)
        | Change::Know(_)
        | Change::Unknow { .. }
        | Change::AddSpace(_)
        | Change::Move { .. }
        | Change::Supersede { .. }
        | Change::Unsupersede { .. }
        | Change::Unlink { .. }
        | Change::Record(_)
        | Change::Use { .. }
        | Change::Rate { .. }
        | Change::Attend(_)
        | Change::Inject(_)
        | Change::Purge(_)
        | Change::Expunge(_) => {}
    }
}

/// The same for rows kept as they were before a change.
pub fn scrub_images(
    images: &mut [Image],
    space: SpaceId,
    memory: Option<MemoryId>,
    entities: &[crate::EntityId],
) {
    use crate::Row;
    for image in images.iter_mut().filter(|image| image.key.space == space) {
        match &mut image.row {
            Some(Row::Memory(row)) if Some(row.id) == memory => scrub_memory(row),
            Some(Row::Evidence(row)) if Some(row.memory) == memory => scrub_evidence(row),
            Some(Row::Watermark(row)) if Some(row.memory) == memory => scrub_watermark(row),
            Some(Row::Edge(row)) => scrub_edge(row, memory),
            Some(Row::Entity(row)) if entities.contains(&row.id) => scrub_entity(row),
            Some(
                Row::Memory(_)
                | Row::Evidence(_)
                | Row::Watermark(_)
                | Row::Entity(_)
                | Row::Space(_)
                | Row::Usage(_)
                | Row::Episode(_)
                | Row::Session(_)
                | Row::Injection(_)
                | Row::Tombstone(_),
            )
            | None => {}
        }
    }
}

fn scrub_memory(memory: &mut Memory) {
    memory.content.clear();
    memory.fingerprint = crate::Fingerprint::erased();
    memory.label = None;
    memory.domain = None;
    memory.slot = None;
    memory.triggers.clear();
}

fn scrub_evidence(evidence: &mut Evidence) {
    evidence.snippet = None;
    evidence.why = None;
    evidence.turn = None;
}

fn scrub_watermark(mark: &mut Watermark) {
    mark.referent = crate::watermark::Referent::Flag { name: String::new() };
    mark.stamp.clear();
}

fn scrub_edge(edge: &mut Edge, memory: Option<MemoryId>) {
    let told = memory.is_some_and(|id| [edge.from, edge.to].contains(&NodeId::Memory(id)));
    if told {
        edge.reason = None;
    }
}

fn scrub_entity(entity: &mut Entity) {
    entity.name.clear();
    entity.aliases.clear();
}
