//! A transaction: memory as a plan sees it, and the changes that the plan decides on.
//!
//! What is read through it holds the changes made so far, so that nobody has to look for them. Search (words,
//! vectors), the log and listings show what was written before; [`Transaction::made`] has the memories that are new.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::ops::Deref;

use throughline_core::evidence::Testimony;
use throughline_core::permission::Door;
use throughline_core::reconcile::Candidate;
use throughline_core::scope::{Level, Scope};
use throughline_core::{
    Change, Edge, Fingerprint, Kind, Memory, MemoryId, NodeId, Relation, SessionId, SpaceId,
    Timestamp, meet,
};
use throughline_store::{Overlay, Reader};
use uuid::Uuid;

use crate::reading::Bearings;
use crate::{Context, mint};

/// What a plan works on: the moment, the scope, the session and the door of the batch, what memory holds, and the
/// changes so far.
pub(crate) struct Transaction<'a> {
    pub(crate) now: Timestamp,
    pub(crate) scope: Scope,
    pub(crate) session: Option<SessionId>,
    /// The way by which the caller came.
    pub(crate) door: Door,
    /// The person in whose name something is said, where memory has several.
    pub(crate) person: Option<String>,
    /// What people call the project at hand, unless the batch is global.
    pub(crate) project: Option<String>,
    /// How what is about to be claimed bears on what is held, as the reader judged.
    pub(crate) bearings: Bearings,
    seen: Overlay<'a>,
    made_by_key: RefCell<MadeByKey>,
}

/// The memories of a transaction by what a claim that gives one of them another value has in common with it
/// ([`meet::meeting_keys`]). An import makes thousands, and each would have to be compared with all before it.
#[derive(Default)]
struct MadeByKey {
    /// Changes that were looked at.
    looked_at: usize,
    /// The places of changes, which may have been taken back since.
    places: HashMap<u64, Vec<(usize, MemoryId)>>,
}

impl<'a> Transaction<'a> {
    /// A transaction without changes for whoever asks.
    pub(crate) fn new(reader: &'a dyn Reader, now: Timestamp, context: &Context) -> Self {
        Self {
            now,
            scope: context.scope(),
            session: context.session.clone(),
            door: context.door,
            person: None,
            project: (context.level != Level::Global).then(|| context.project.name.clone()),
            bearings: Bearings::default(),
            seen: Overlay::new(reader),
            made_by_key: RefCell::default(),
        }
    }

    /// The same for a person, who also says what is said where `speaks`.
    pub(crate) fn of_person(self, person: Option<String>, speaks: bool) -> Self {
        let seen = self.seen.with_person(person.clone());
        Self { person: person.filter(|_| speaks), seen, ..self }
    }

    /// A transaction to see what would be decided about a memory. Nothing of it is written.
    pub(crate) fn aside(reader: &'a dyn Reader, now: Timestamp, memory: &Memory) -> Self {
        Self {
            now,
            scope: Scope { space: memory.space, session: memory.session.clone() },
            session: None,
            door: Door::Upkeep,
            person: None,
            project: None,
            bearings: Bearings::default(),
            seen: Overlay::new(reader),
            made_by_key: RefCell::default(),
        }
    }

    /// The changes so far, in order.
    pub(crate) fn changes(&self) -> &[Change] {
        self.seen.changes()
    }

    /// The changes, to be written, each testimony and turn with the name of its person.
    pub(crate) fn into_changes(self) -> Vec<Change> {
        let mut changes = self.seen.into_changes();
        for change in changes.iter_mut().filter(|_| self.person.is_some()) {
            let named = if let Change::Reinforce(said) = change {
                Some(&mut said.person)
            } else if let Change::Record(turn) = change {
                Some(&mut turn.person)
            } else {
                None
            };
            if let Some(person) = named.filter(|person| person.is_none()) {
                person.clone_from(&self.person);
            }
        }
        changes
    }

    /// One more change.
    pub(crate) fn push(&mut self, change: Change) {
        self.seen.push(change);
    }

    /// More changes.
    pub(crate) fn extend(&mut self, changes: impl IntoIterator<Item = Change>) {
        changes.into_iter().for_each(|change| self.seen.push(change));
    }

    /// Takes the changes back that came after the first `count`.
    pub(crate) fn roll_back(&mut self, count: usize) {
        self.seen.truncate(count);
        let index = self.made_by_key.get_mut();
        index.looked_at = index.looked_at.min(count);
    }

    /// Lets the changes be rewritten.
    pub(crate) fn rewrite<T>(&mut self, how: impl FnOnce(&mut Vec<Change>) -> T) -> T {
        *self.made_by_key.get_mut() = MadeByKey::default();
        self.seen.rewrite(how)
    }

    /// The memories that are new, as they came in.
    pub(crate) fn made(&self) -> impl Iterator<Item = &Memory> {
        self.changes().iter().filter_map(|change| {
            if let Change::Insert(memory) = change { Some(&**memory) } else { None }
        })
    }

    /// The new memories that a claim may give another value, the latest `most` for each place of a value.
    pub(crate) fn made_to_meet(&self, content: &str, most: usize) -> BTreeSet<MemoryId> {
        let changes = self.changes();
        let mut index = self.made_by_key.borrow_mut();
        for (place, change) in changes.iter().enumerate().skip(index.looked_at) {
            if let Change::Insert(memory) = change {
                for key in meet::meeting_keys(&memory.content) {
                    index.places.entry(key).or_default().push((place, memory.id));
                }
            }
        }
        index.looked_at = changes.len();
        let still_made = |(place, id): &&(usize, MemoryId)| matches!(changes.get(*place), Some(Change::Insert(memory)) if memory.id == *id);
        let keys = meet::meeting_keys(content).into_iter();
        keys.filter_map(|key| index.places.get(&key))
            .flat_map(|places| places.iter().rev().filter(still_made).take(most))
            .map(|(_, id)| *id)
            .collect()
    }

    /// The memory of this very batch that says the same.
    pub(crate) fn made_saying(&self, content: &str) -> Option<MemoryId> {
        let wanted = Fingerprint::of(content);
        self.made().find(|memory| memory.fingerprint == wanted).map(|memory| memory.id)
    }

    /// A new id.
    pub(crate) fn mint(&self) -> Uuid {
        mint::id(self.now)
    }

    /// A plain claim that may become a memory of this batch's scope.
    pub(crate) fn candidate(&self, kind: Kind, content: &str, testimony: Testimony) -> Candidate {
        Candidate::new(MemoryId(self.mint()), self.scope.clone(), kind, content, testimony)
    }

    /// Connects two nodes of this batch's space.
    pub(crate) fn link(
        &mut self,
        from: impl Into<NodeId>,
        relation: Relation,
        to: impl Into<NodeId>,
    ) {
        let edge = Edge::new(self.scope.space, from.into(), relation, to.into(), self.now);
        self.push(Change::Link(edge));
    }

    /// Lets one memory take the place of another.
    pub(crate) fn supersede(&mut self, space: SpaceId, old: MemoryId, new: MemoryId) {
        let at = self.now;
        self.push(Change::Supersede { space, old, new, at });
    }

    /// Makes the batch one of the memory's own space: what is global is changed as global.
    pub(crate) fn settle(&mut self, memory: &Memory) {
        self.scope = Scope { space: memory.space, session: memory.session.clone() };
    }
}

/// Reading, with the changes so far.
impl<'a> Deref for Transaction<'a> {
    type Target = dyn Reader + 'a;

    fn deref(&self) -> &Self::Target {
        &self.seen
    }
}
