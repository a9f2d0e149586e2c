//! Changes: the only way memory is altered. Decisions as data, so that they can be shown, tested,
//! logged, replayed and undone.

use serde::{Deserialize, Serialize};

use crate::row::{Extra, Image, Injection, Session, Tombstone};
use crate::watermark::Referent;
use crate::{
    BatchId, Edge, Entity, EntityId, Episode, EpisodeId, Evidence, Leaf, LeafId, Memory, MemoryId,
    NodeId, Pending, PendingId, Relation, Ruling, SessionId, Space, SpaceId, State, Timestamp,
    Trace, Watermark, sleep,
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
    /// A memory is no longer bound to something: it was the wrong thing.
    Unwatch {
        /// Where it lives.
        space: SpaceId,
        /// Whose binding.
        memory: MemoryId,
        /// What it was bound to.
        referent: Referent,
    },
    /// A thing is met, or known better.
    Know(Entity),
    /// A thing that nothing speaks of any more is dropped, and its names with it. The store also
    /// scrubs them from the log.
    Unknow {
        /// Where it lives.
        space: SpaceId,
        /// Which thing.
        entity: EntityId,
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
    /// What could not be applied is kept for a person. The same one twice is kept once.
    Defer(Pending),
    /// A person decided about it, and it no longer waits.
    Decide {
        /// Where it lives.
        space: SpaceId,
        /// Which one.
        id: PendingId,
        /// How.
        ruling: Ruling,
    },
    /// A turn is erased for good, also where only the log still holds it, and kept out when it
    /// comes again. The store also scrubs it from the log.
    Silence {
        /// What remains of it.
        stone: Tombstone,
        /// Memories whose evidence may quote it, besides those that are connected to it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        quoted_by: Vec<MemoryId>,
    },
    /// A secret that was kept before anybody recognised it is taken out of rows, and kept out. The
    /// store also takes it out of the log.
    Redact {
        /// What remains of it.
        stone: Tombstone,
        /// The rows without it.
        rows: Vec<Image>,
    },
    /// A text is kept word for word, or kept anew.
    Shelve(Leaf),
    /// It is no longer kept.
    Unshelve {
        /// Where it lives.
        space: SpaceId,
        /// The memory that it became.
        memory: MemoryId,
        /// Which text.
        leaf: LeafId,
    },
    /// What came in was gone over up to here. An undo leaves this as it is.
    Slept {
        /// Where.
        space: SpaceId,
        /// What identifies the space.
        key: String,
        /// Up to where.
        mark: sleep::SleepMark,
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
        /// Checked against what it is tied to.
        Verify = "verify",
        /// Consolidated.
        Sleep = "sleep",
        /// Decided by a person who was asked.
        Review = "review",
        /// Proposed by a model that read what was said.
        Model = "model",
        /// Put on a shelf by a tool, changed there or taken off.
        Shelve = "shelve",
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
    /// What another version of this program wrote here and this one does not know: kept as it is.
    #[serde(flatten)]
    pub extra: Extra,
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

/// What an erasure takes the words out of, in every change that the log has of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erased {
    /// The wall it lived behind.
    pub space: SpaceId,
    /// A memory, with what was attached to it.
    pub memory: Option<MemoryId>,
    /// Things that nothing else speaks of.
    pub entities: Vec<EntityId>,
    /// Something that waited for a person, or was decided before.
    pub pending: Option<PendingId>,
    /// A turn.
    pub episode: Option<EpisodeId>,
    /// Memories whose evidence quotes that turn.
    pub quoting: Vec<MemoryId>,
    /// A secret, wherever it stands, with the id on its tombstone.
    pub secret: Option<(MemoryId, Trace)>,
}

impl Erased {
    /// Nothing of a space, to be filled in.
    pub fn nothing(space: SpaceId) -> Self {
        let (entities, quoting) = (Vec::new(), Vec::new());
        Self { space, memory: None, entities, pending: None, episode: None, quoting, secret: None }
    }

    fn is_memory(&self, space: SpaceId, id: MemoryId) -> bool {
        space == self.space && Some(id) == self.memory
    }

    fn is_entity(&self, row: &Entity) -> bool {
        row.space == self.space && self.entities.contains(&row.id)
    }

    fn is_pending(&self, row: &Pending) -> bool {
        row.space == self.space && Some(row.id) == self.pending
    }

    fn is_episode(&self, row: &Episode) -> bool {
        row.space == self.space && Some(row.id) == self.episode
    }

    /// Whether evidence rests on the turn.
    fn is_quote(&self, row: &Evidence) -> bool {
        row.space == self.space && self.episode.is_some_and(|turn| rests_on(row, turn))
    }

    fn is_node(&self, space: SpaceId, node: NodeId) -> bool {
        match node {
            NodeId::Memory(id) => self.is_memory(space, id),
            NodeId::Episode(id) => space == self.space && Some(id) == self.episode,
            NodeId::Entity(_) => false,
        }
    }
}

/// Takes the readable content of what was erased out of a change, leaving its shape.
///
/// What is left replays to the same tables, because the erasure that follows removes the rows.
pub fn scrub(change: &mut Change, erased: &Erased) {
    match change {
        Change::Insert(row) | Change::Revise(row) if erased.is_memory(row.space, row.id) => {
            scrub_memory(row);
        }
        Change::Reinforce(row) if erased.is_memory(row.space, row.memory) => scrub_evidence(row),
        Change::Reinforce(row) if erased.is_quote(row) => scrub_quote(row),
        Change::Record(row) if erased.is_episode(row) => scrub_episode(row),
        Change::Watch(row) if erased.is_memory(row.space, row.memory) => scrub_watermark(row),
        Change::Unwatch { space, memory, referent } if erased.is_memory(*space, *memory) => {
            scrub_referent(referent);
        }
        Change::Link(row) => scrub_edge(row, erased),
        Change::Know(row) if erased.is_entity(row) => scrub_entity(row),
        Change::Defer(row) if erased.is_pending(row) => scrub_pending(row),
        Change::Shelve(row) if erased.is_memory(row.space, row.memory) => scrub_leaf(row),
        Change::Restore { rows, .. } => scrub_images(rows, erased),
        Change::Insert(_)
        | Change::Revise(_)
        | Change::Reinforce(_)
        | Change::Watch(_)
        | Change::Unwatch { .. }
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
        | Change::Expunge(_)
        | Change::Defer(_)
        | Change::Decide { .. }
        | Change::Silence { .. }
        | Change::Redact { .. }
        | Change::Shelve(_)
        | Change::Unshelve { .. }
        | Change::Slept { .. } => {}
    }
}

/// The same for rows kept as they were before a change.
pub fn scrub_images(images: &mut [Image], erased: &Erased) {
    use crate::Row;
    for row in images.iter_mut().filter_map(|image| image.row.as_mut()) {
        match row {
            Row::Memory(row) if erased.is_memory(row.space, row.id) => scrub_memory(row),
            Row::Evidence(row) if erased.is_memory(row.space, row.memory) => scrub_evidence(row),
            Row::Evidence(row) if erased.is_quote(row) => scrub_quote(row),
            Row::Episode(row) if erased.is_episode(row) => scrub_episode(row),
            Row::Watermark(row) if erased.is_memory(row.space, row.memory) => scrub_watermark(row),
            Row::Edge(row) => scrub_edge(row, erased),
            Row::Entity(row) if erased.is_entity(row) => scrub_entity(row),
            Row::Pending(row) if erased.is_pending(row) => scrub_pending(row),
            Row::Leaf(row) if erased.is_memory(row.space, row.memory) => scrub_leaf(row),
            Row::Memory(_)
            | Row::Evidence(_)
            | Row::Watermark(_)
            | Row::Entity(_)
            | Row::Space(_)
            | Row::Usage(_)
            | Row::Episode(_)
            | Row::Session(_)
            | Row::Injection(_)
            | Row::Tombstone(_)
            | Row::Leaf(_)
            | Row::Pending(_) => {}
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
    memory.unresolved = None;
    memory.extra.clear();
}

fn scrub_evidence(evidence: &mut Evidence) {
    evidence.snippet = None;
    evidence.why = None;
    evidence.turn = None;
    evidence.extra.clear();
}

fn scrub_quote(evidence: &mut Evidence) {
    evidence.snippet = None;
    evidence.extra.clear();
}

fn scrub_watermark(mark: &mut Watermark) {
    scrub_referent(&mut mark.referent);
    for words in [&mut mark.stamp, &mut mark.then, &mut mark.now] {
        words.clear();
    }
}

fn scrub_referent(referent: &mut Referent) {
    *referent = Referent::Flag { name: String::new() };
}

fn scrub_edge(edge: &mut Edge, erased: &Erased) {
    if [edge.from, edge.to].into_iter().any(|node| erased.is_node(edge.space, node)) {
        edge.reason = None;
        edge.extra.clear();
    }
}

/// Whether evidence names a turn as what it rests on.
pub fn rests_on(evidence: &Evidence, turn: EpisodeId) -> bool {
    evidence.turn.as_ref().is_some_and(|named| *named == turn.to_string())
}

fn scrub_episode(episode: &mut Episode) {
    episode.text.clear();
    episode.speaker.clear();
    episode.turn = None;
}

fn scrub_entity(entity: &mut Entity) {
    entity.name.clear();
    entity.aliases.clear();
}

fn scrub_leaf(leaf: &mut Leaf) {
    for words in [&mut leaf.name, &mut leaf.text] {
        words.clear();
    }
    leaf.notes.clear();
}

fn scrub_pending(pending: &mut Pending) {
    pending.operation.clear();
    pending.why.clear();
}
