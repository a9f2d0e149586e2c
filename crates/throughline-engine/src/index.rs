//! The index: the documents of a space as they lie in memory, for one process.
//!
//! Derived from the store and never a source of truth. A process that stays keeps it and reads again
//! only the blocks that changed; one that has just started reads all of them once.

mod sparse;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use throughline_core::{NodeId, SpaceId, State};
use throughline_embed::MODEL;
use throughline_embed::nearest::{Bits, CODES, Rows};
use throughline_store::{BLOCK, Document, PACKED_AT, RECORD, Reader, Shelf, TextOf};

use crate::Result;
pub(crate) use sparse::SparseIndex;

/// Rows beyond which sign bits are scanned before bytes.
const BITS_FROM: usize = 32_768;
/// Stands for "no document".
pub(crate) const NONE: u32 = u32::MAX;

/// Where a document stands. Together, because looking at one of very many is waiting for memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DocumentPlace {
    /// The document before it in its session.
    pub(crate) before: u32,
    /// The one after it.
    pub(crate) next: u32,
    /// The number of its session.
    pub(crate) session: u32,
    /// Its telling terms.
    pub(crate) length: u16,
}

impl DocumentPlace {
    const ALONE: Self = Self { before: NONE, next: NONE, session: 0, length: 0 };
}

/// The documents of one index of one space.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    of: TextOf,
    shelf: Shelf,
    records: Vec<u8>,
    /// How many documents there are.
    pub(crate) documents: usize,
    /// Telling terms of a document, on average.
    pub(crate) mean_length: f64,
    /// How many sessions there are.
    pub(crate) sessions: usize,
    /// Telling terms of a session, on average.
    pub(crate) mean_session_length: f64,
    /// For each document, where it stands.
    standing: Vec<DocumentPlace>,
    /// For each session number, its telling terms.
    session_length: Vec<u32>,
    /// For each document, whether it is there, and the state of a memory.
    states: Vec<Option<Option<State>>>,
    /// For each document, whether it has a vector of our model that is scanned.
    embedded: Vec<bool>,
    /// For each document, whether it is in the cold tier, which no scan of vectors looks at.
    cold: Vec<bool>,
    /// Made when it is first asked for.
    bits: OnceLock<Bits>,
}

impl Index {
    fn new(of: TextOf) -> Self {
        Self {
            of,
            shelf: Shelf::default(),
            records: Vec::new(),
            documents: 0,
            mean_length: 1.0,
            sessions: 0,
            mean_session_length: 1.0,
            standing: Vec::new(),
            session_length: Vec::new(),
            states: Vec::new(),
            embedded: Vec::new(),
            cold: Vec::new(),
            bits: OnceLock::new(),
        }
    }

    /// Whether its documents were said in sessions; memories were not.
    pub(crate) fn has_sessions(&self) -> bool {
        self.of == TextOf::Episodes
    }

    /// Numbers run up to this.
    pub(crate) fn len(&self) -> usize {
        self.records.len() / RECORD
    }

    /// What is known of a document.
    pub(crate) fn document(&self, number: u32) -> Option<Document> {
        let at = number as usize * RECORD;
        Document::read(self.records.get(at..at + RECORD)?)
    }

    /// The node that a document stands for.
    pub(crate) fn node(&self, number: u32) -> Option<NodeId> {
        Some(self.document(number)?.node(self.of))
    }

    /// The nodes of all documents, oldest first.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        let numbers = 0..u32::try_from(self.len()).unwrap_or(NONE);
        let there = numbers.filter(|number| self.states[*number as usize].is_some());
        there.filter_map(|number| self.node(number))
    }

    /// Where a document stands; nowhere where there is no document.
    pub(crate) fn place(&self, number: u32) -> DocumentPlace {
        self.standing.get(number as usize).copied().unwrap_or(DocumentPlace::ALONE)
    }

    /// The telling terms of a session.
    pub(crate) fn session_length(&self, session: u32) -> u32 {
        self.session_length.get(session as usize).copied().unwrap_or(0)
    }

    /// Whether a document is there and in one of the states; episodes have none.
    pub(crate) fn is_in(&self, number: usize, states: &[State]) -> bool {
        match self.states.get(number).copied().flatten() {
            None => false,
            Some(None) => true,
            Some(Some(state)) => states.contains(&state),
        }
    }

    /// Whether a document is in the cold tier.
    pub(crate) fn is_cold(&self, number: usize) -> bool {
        self.cold.get(number).copied().unwrap_or(false)
    }

    /// Whether a document has a vector of our model, and one that is scanned.
    pub(crate) fn is_embedded(&self, number: usize) -> bool {
        self.embedded.get(number).copied().unwrap_or(false)
    }

    /// Documents without a vector of our model, newest first.
    pub(crate) fn unembedded(&self) -> impl Iterator<Item = u32> {
        let missing = |n: &u32| {
            let at = *n as usize;
            self.states[at].is_some() && !self.embedded[at] && !self.cold[at]
        };
        (0..u32::try_from(self.len()).unwrap_or(NONE)).rev().filter(missing)
    }

    /// The packed vectors, as a scan reads them.
    pub(crate) fn rows(&self) -> Rows<'_> {
        packed_rows(&self.records)
    }

    /// Sign bits of the vectors, where there are very many.
    pub(crate) fn bits(&self) -> Option<&Bits> {
        (self.len() > BITS_FROM).then(|| self.bits.get_or_init(|| Bits::of(&self.rows())))
    }

    /// Reads what changed since the last time; what is the newest now.
    fn refresh(&mut self, reader: &dyn Reader, space: SpaceId) -> Result<Shelf> {
        let mut changed = false;
        let records = &mut self.records;
        let shelf =
            reader.documents(space, self.of, MODEL, self.shelf.stamp, &mut |no, body| {
                let at = no as usize * BLOCK * RECORD;
                changed = true;
                // Mostly they come one after the other, into memory that nobody has touched yet.
                if records.len() == at {
                    records.extend_from_slice(body);
                    return;
                }
                if records.len() < at + body.len() {
                    records.resize(at + body.len(), 0);
                }
                records[at..at + body.len()].copy_from_slice(body);
            })?;
        changed |= shelf.model != self.shelf.model;
        self.shelf = shelf;
        if changed {
            self.derive();
        }
        Ok(shelf)
    }

    /// Computes the columns from the records.
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    fn derive(&mut self) {
        const { assert!(PACKED_AT + 8 + CODES == RECORD, "a record ends with its vector") }
        let count = self.len();
        self.standing = vec![DocumentPlace::ALONE; count];
        self.session_length = vec![0; count];
        self.states = vec![None; count];
        self.embedded = vec![false; count];
        self.cold = vec![false; count];
        (self.documents, self.sessions) = (0, 0);
        let mut terms = 0_u64;
        for (at, record) in self.records.chunks_exact(RECORD).enumerate() {
            let Some(document) = Document::read(record) else { continue };
            let before = document.before.filter(|before| (*before as usize) < count);
            self.documents += 1;
            let number = document.session.min(u32::try_from(count - 1).unwrap_or(NONE));
            // The one after it may have been met already.
            let standing = &mut self.standing[at];
            standing.before = before.unwrap_or(NONE);
            standing.session = number;
            standing.length = document.length;
            if let Some(before) = before {
                self.standing[before as usize].next = u32::try_from(at).unwrap_or(NONE);
            }
            let session = number as usize;
            self.sessions += usize::from(self.session_length[session] == 0);
            self.session_length[session] += u32::from(document.length).max(1);
            terms += u64::from(document.length);
            self.states[at] = Some(document.state);
            self.cold[at] = document.cold;
            let ours = document.model > 0 && Some(document.model) == self.shelf.model;
            self.embedded[at] = ours && !document.cold;
        }
        self.mean_length = (terms as f64 / self.documents.max(1) as f64).max(1.0);
        self.mean_session_length = (terms as f64 / self.sessions.max(1) as f64).max(1.0);
        self.bits = OnceLock::new();
    }
}

/// The packed vectors of records that lie side by side.
fn packed_rows(records: &[u8]) -> Rows<'_> {
    Rows {
        bytes: records,
        stride: RECORD,
        codes_at: PACKED_AT + 8,
        scale_at: PACKED_AT,
        residual_at: PACKED_AT + 4,
    }
}

/// What recall looks at: all documents of an index, or those that the store found in it.
#[derive(Debug, Clone)]
pub(crate) enum SearchIndex {
    /// All documents.
    All(Arc<Index>),
    /// Those that were found.
    Found(Arc<SparseIndex>),
}

/// Asks whichever index it is.
macro_rules! of_either {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) -> $answer:ty;)+) => {
        impl SearchIndex {
            $($(#[$doc])* pub(crate) fn $name(&self $(, $arg: $type)*) -> $answer {
                match self {
                    Self::All(index) => index.$name($($arg),*),
                    Self::Found(index) => index.$name($($arg),*),
                }
            })+
        }
    };
}

of_either! {
    /// Whether its documents were said in sessions; memories were not.
    has_sessions() -> bool;
    /// Numbers run up to this.
    len() -> usize;
    /// What is known of a document.
    document(number: u32) -> Option<Document>;
    /// The node that a document stands for.
    node(number: u32) -> Option<NodeId>;
    /// Where a document stands; nowhere where there is no document.
    place(number: u32) -> DocumentPlace;
    /// The telling terms of a session.
    session_length(session: u32) -> u32;
    /// Whether a document is there and in one of the states; episodes have none.
    is_in(number: usize, states: &[State]) -> bool;
    /// Whether a document is in the cold tier.
    is_cold(number: usize) -> bool;
    /// Whether a document has a vector of our model that can be compared.
    is_embedded(number: usize) -> bool;
    /// The packed vectors, as a scan reads them.
    rows() -> Rows<'_>;
}

/// A size of the whole index, whoever holds it.
macro_rules! size_of_either {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)+) => {
        impl SearchIndex {
            $($(#[$doc])* pub(crate) fn $name(&self) -> $type {
                match self {
                    Self::All(index) => index.$name,
                    Self::Found(index) => index.$name,
                }
            })+
        }
    };
}

size_of_either! {
    /// How many documents there are.
    documents: usize;
    /// Telling terms of a document, on average.
    mean_length: f64;
    /// How many sessions there are.
    sessions: usize;
    /// Telling terms of a session, on average.
    mean_session_length: f64;
}

impl SearchIndex {
    /// The telling terms of a document; none where there is no document.
    pub(crate) fn length(&self, number: u32) -> f32 {
        f32::from(self.place(number).length)
    }

    /// Sign bits of the vectors, where there are very many to scan.
    pub(crate) fn bits(&self) -> Option<&Bits> {
        match self {
            Self::All(index) => index.bits(),
            Self::Found(_) => None,
        }
    }

    /// What the store found, if it did the finding.
    pub(crate) fn found(&self) -> Option<&SparseIndex> {
        match self {
            Self::All(_) => None,
            Self::Found(index) => Some(index),
        }
    }
}

/// The indexes that a process holds.
#[derive(Debug, Default)]
pub(crate) struct Indexes {
    held: Mutex<BTreeMap<(SpaceId, TextOf), Arc<Index>>>,
}

impl Indexes {
    /// The index of a space as a reader of the present sees it.
    pub(crate) fn present(
        &self,
        reader: &dyn Reader,
        space: SpaceId,
        of: TextOf,
    ) -> Result<Arc<Index>> {
        Ok(self.all_present(reader, &[(space, of)])?.remove(0))
    }

    /// Indexes as one reader of the present sees them. Where nothing was written since, it is asked
    /// once.
    pub(crate) fn all_present(
        &self,
        reader: &dyn Reader,
        wanted: &[(SpaceId, TextOf)],
    ) -> Result<Vec<Arc<Index>>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let mut newest = None;
        let mut indexes = Vec::with_capacity(wanted.len());
        for (space, of) in wanted {
            let index = held.entry((*space, *of)).or_insert_with(|| Arc::new(Index::new(*of)));
            if newest != Some(index.shelf) {
                newest = Some(Arc::make_mut(index).refresh(reader, *space)?);
            }
            indexes.push(Arc::clone(index));
        }
        Ok(indexes)
    }

    /// Whether an index of the space that is held has texts without vectors.
    pub(crate) fn lacks_vectors(&self, space: SpaceId) -> bool {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.iter().any(|((at, _), index)| *at == space && index.unembedded().next().is_some())
    }

    /// The index of a space as it was at some moment: read whole, and not kept.
    pub(crate) fn past(reader: &dyn Reader, space: SpaceId, of: TextOf) -> Result<Arc<Index>> {
        let mut index = Index::new(of);
        index.refresh(reader, space)?;
        Ok(Arc::new(index))
    }
}
