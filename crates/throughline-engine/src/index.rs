//! The index: the documents of a space as they lie in memory, for one process.
//!
//! Derived from the store and never a source of truth. A process that stays keeps it and reads again
//! only the blocks that changed; one that has just started maps what was kept in a file, or reads all
//! of them once.

mod column;
mod kept;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use throughline_core::{NodeId, SpaceId, State};
use throughline_embed::MODEL;
use throughline_embed::nearest::{Bits, CODES, Rows};
use throughline_store::{BLOCK, Document, PACKED_AT, RECORD, Reader, Shelf, TextOf};

use crate::{Engine, Result};
use column::Column;
use kept::KeptSigns;

/// Documents beyond which sign bits are scanned before bytes.
const BITS_FROM: usize = 32_768;
/// Stands for "no document".
pub(crate) const NONE: u32 = u32::MAX;
/// Bytes of a document's place, and of a session's length.
const PLACE: usize = 16;
const SESSION: usize = 4;

/// Where a document stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DocumentPlace {
    /// The document before it in its session.
    pub(crate) before: u32,
    /// The one after it.
    pub(crate) next: u32,
    /// The number of its session.
    pub(crate) session: u32,
    /// Its telling terms.
    pub(crate) length: u16,
    /// Whether there is one, and the state of a memory.
    state: Option<Option<State>>,
    /// Whether it has a vector of our model that is scanned.
    embedded: bool,
    /// Whether it is in the cold tier, which no scan of vectors looks at.
    cold: bool,
}

impl DocumentPlace {
    const ALONE: Self = Self {
        before: NONE,
        next: NONE,
        session: 0,
        length: 0,
        state: None,
        embedded: false,
        cold: false,
    };

    /// Zeros are the place of no document.
    fn read(bytes: &[u8; PLACE]) -> Self {
        let four = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        Self {
            before: four(0).wrapping_sub(1),
            next: four(4).wrapping_sub(1),
            session: four(8),
            length: u16::from_le_bytes([bytes[12], bytes[13]]),
            state: match bytes[14] {
                0 => None,
                1 => Some(None),
                state => State::ALL.get(usize::from(state) - 2).map(|state| Some(*state)),
            },
            embedded: bytes[15] & 1 != 0,
            cold: bytes[15] & 2 != 0,
        }
    }

    fn bytes(self) -> [u8; PLACE] {
        let number = |state: State| State::ALL.iter().position(|one| *one == state).unwrap_or(0);
        let state = match self.state {
            None => 0,
            Some(None) => 1,
            Some(Some(state)) => u8::try_from(number(state) + 2).unwrap_or(0),
        };
        let mut bytes = [0; PLACE];
        bytes[0..4].copy_from_slice(&self.before.wrapping_add(1).to_le_bytes());
        bytes[4..8].copy_from_slice(&self.next.wrapping_add(1).to_le_bytes());
        bytes[8..12].copy_from_slice(&self.session.to_le_bytes());
        bytes[12..14].copy_from_slice(&self.length.to_le_bytes());
        bytes[14] = state;
        bytes[15] = u8::from(self.embedded) | u8::from(self.cold) << 1;
        bytes
    }
}

/// What the documents of an index come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Counts {
    documents: usize,
    sessions: usize,
    /// Telling terms of all documents.
    terms: u64,
}

/// The documents of one index of one space.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    of: TextOf,
    shelf: Shelf,
    records: Column,
    /// For each document, where it stands.
    places: Column,
    /// For each session number, its telling terms.
    session_lengths: Column,
    counts: Counts,
    /// Telling terms of a document, on average.
    pub(crate) mean_length: f64,
    /// Telling terms of a session, on average.
    pub(crate) mean_session_length: f64,
    /// Sign bits as they were kept, and the documents that changed since.
    signs: Option<KeptSigns>,
    changed: Vec<usize>,
    /// Made when it is first asked for.
    bits: OnceLock<Bits>,
    /// Blocks that were read from the store, and are not in the kept file.
    read_blocks: usize,
}

impl Index {
    fn new(of: TextOf) -> Self {
        Self {
            of,
            shelf: Shelf::default(),
            records: Column::default(),
            places: Column::default(),
            session_lengths: Column::default(),
            counts: Counts::default(),
            mean_length: 1.0,
            mean_session_length: 1.0,
            signs: None,
            changed: Vec::new(),
            bits: OnceLock::new(),
            read_blocks: 0,
        }
    }

    /// Whether its documents were said in sessions; memories were not.
    pub(crate) fn has_sessions(&self) -> bool {
        self.of == TextOf::Episodes
    }

    /// How many documents there are.
    pub(crate) fn documents(&self) -> usize {
        self.counts.documents
    }

    /// How many sessions there are.
    pub(crate) fn sessions(&self) -> usize {
        self.counts.sessions
    }

    /// Numbers run up to this.
    pub(crate) fn len(&self) -> usize {
        self.records.bytes().len() / RECORD
    }

    /// What is known of a document.
    pub(crate) fn document(&self, number: u32) -> Option<Document> {
        let at = number as usize * RECORD;
        Document::read(self.records.bytes().get(at..at + RECORD)?)
    }

    /// The node that a document stands for.
    pub(crate) fn node(&self, number: u32) -> Option<NodeId> {
        Some(self.document(number)?.node(self.of))
    }

    /// The nodes of all documents, oldest first.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        (0..self.last()).filter_map(|number| self.node(number))
    }

    /// Where a document stands. Numbers that it names are those of documents, whatever a damaged file says.
    pub(crate) fn place(&self, number: u32) -> DocumentPlace {
        let place = self.place_at(number as usize);
        let last = self.last();
        let within = |number: u32| if number < last { number } else { NONE };
        DocumentPlace {
            before: within(place.before),
            next: within(place.next),
            session: place.session.min(last.saturating_sub(1)),
            ..place
        }
    }

    fn last(&self) -> u32 {
        u32::try_from(self.len()).unwrap_or(NONE)
    }

    fn place_at(&self, at: usize) -> DocumentPlace {
        let places = self.places.bytes().as_chunks::<PLACE>().0;
        places.get(at).map_or(DocumentPlace::ALONE, DocumentPlace::read)
    }

    /// The telling terms of a document; none where there is no document.
    pub(crate) fn length(&self, number: u32) -> f32 {
        f32::from(self.place_at(number as usize).length)
    }

    /// The telling terms of a session.
    pub(crate) fn session_length(&self, number: u32) -> u32 {
        let lengths = self.session_lengths.bytes().as_chunks::<SESSION>().0;
        lengths.get(number as usize).map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    /// Whether a document is there and in one of the states; episodes have none.
    pub(crate) fn is_in(&self, number: usize, states: &[State]) -> bool {
        match self.place_at(number).state {
            None => false,
            Some(None) => true,
            Some(Some(state)) => states.contains(&state),
        }
    }

    /// Whether a document is in the cold tier.
    pub(crate) fn is_cold(&self, number: usize) -> bool {
        self.place_at(number).cold
    }

    /// Whether a document has a vector of our model, and one that is scanned.
    pub(crate) fn is_embedded(&self, number: usize) -> bool {
        self.place_at(number).embedded
    }

    /// Documents without a vector of our model, newest first.
    pub(crate) fn unembedded(&self) -> impl Iterator<Item = u32> {
        let missing = |number: &u32| {
            let place = self.place_at(*number as usize);
            place.state.is_some() && !place.embedded && !place.cold
        };
        (0..self.last()).rev().filter(missing)
    }

    /// The packed vectors, as a scan reads them.
    pub(crate) fn rows(&self) -> Rows<'_> {
        Rows {
            bytes: self.records.bytes(),
            stride: RECORD,
            codes_at: PACKED_AT + 8,
            scale_at: PACKED_AT,
            residual_at: PACKED_AT + 4,
        }
    }

    /// Sign bits of the vectors, where there are very many.
    pub(crate) fn bits(&self) -> Option<&Bits> {
        (self.documents() > BITS_FROM).then(|| self.bits.get_or_init(|| self.make_bits()))
    }

    fn make_bits(&self) -> Bits {
        let Some(mut bits) = self.signs.as_ref().and_then(KeptSigns::bits) else {
            return Bits::of(&self.rows());
        };
        self.follow(&mut bits);
        bits
    }

    /// Brings bits up to date with what changed.
    fn follow(&self, bits: &mut Bits) {
        let rows = self.rows();
        let known = bits.len();
        for row in self.changed.iter().filter(|row| **row < known) {
            bits.refresh(&rows, *row);
        }
        bits.extend(&rows);
    }

    /// Reads what changed since the last time; what is the newest now.
    fn refresh(&mut self, reader: &dyn Reader, space: SpaceId) -> Result<Shelf> {
        let of = self.of;
        let (after, all_new) = (self.shelf.stamp, self.len() == 0);
        let mut changed = Vec::new();
        let read = reader.documents(space, of, MODEL, after, &mut |number, body| {
            self.read_blocks += 1;
            self.take_block(number as usize * BLOCK, body, all_new, &mut changed);
        });
        let shelf = match read {
            Ok(shelf) => shelf,
            Err(error) => {
                // What was taken in so far does not belong together.
                *self = Self::new(of);
                return Err(error.into());
            }
        };
        let other_model = shelf.model != self.shelf.model;
        self.shelf = shelf;
        if all_new || other_model {
            self.derive();
        } else {
            for at in &changed {
                self.enter(*at);
            }
        }
        self.average();
        self.note_changed(changed);
        Ok(shelf)
    }

    /// Puts the records of a block in their place. Those that differ from what was there are noted, and no
    /// longer counted.
    fn take_block(&mut self, first: usize, body: &[u8], all_new: bool, changed: &mut Vec<usize>) {
        self.records.grow(first * RECORD + body.len());
        let old = &mut self.records.bytes_mut()[first * RECORD..][..body.len()];
        if all_new {
            old.copy_from_slice(body);
            return;
        }
        self.places.grow(self.len() * PLACE);
        self.session_lengths.grow(self.len() * SESSION);
        for (row, new) in body.chunks_exact(RECORD).enumerate() {
            let at = first + row;
            if self.records.bytes()[at * RECORD..][..RECORD] != *new {
                self.leave(at);
                self.records.bytes_mut()[at * RECORD..][..RECORD].copy_from_slice(new);
                changed.push(at);
            }
        }
    }

    /// Computes everything from the records.
    fn derive(&mut self) {
        const { assert!(PACKED_AT + 8 + CODES == RECORD, "a record ends with its vector") }
        let count = self.len();
        for (column, stride) in [(&mut self.places, PLACE), (&mut self.session_lengths, SESSION)] {
            column.grow(count * stride);
            column.clear();
        }
        self.counts = Counts::default();
        for at in 0..count {
            self.enter(at);
        }
    }

    /// Counts a document in. The one after it may have been met already.
    fn enter(&mut self, at: usize) {
        let Some(number) = u32::try_from(at).ok().filter(|number| *number < self.last()) else {
            return;
        };
        let Some(document) = self.document(number) else { return };
        let ours = document.model > 0 && Some(document.model) == self.shelf.model;
        let place = DocumentPlace {
            before: document.before.unwrap_or(NONE),
            session: document.session.min(self.last() - 1),
            length: document.length,
            state: Some(document.state),
            embedded: ours && !document.cold,
            cold: document.cold,
            next: self.place_at(at).next,
        };
        self.put(at, place);
        if let Some(before) = document.before.filter(|before| *before < self.last()) {
            let before = before as usize;
            self.put(before, DocumentPlace { next: number, ..self.place_at(before) });
        }
        self.counts.documents += 1;
        self.counts.terms += u64::from(place.length);
        let known = self.session_length(place.session);
        self.counts.sessions += usize::from(known == 0);
        self.put_session(place.session, known + u32::from(place.length).max(1));
    }

    /// Counts a document out, as it was entered. What follows it still does.
    fn leave(&mut self, at: usize) {
        let place = self.place_at(at);
        if place.state.is_none() {
            return;
        }
        self.put(at, DocumentPlace { next: place.next, ..DocumentPlace::ALONE });
        let before = place.before as usize;
        if place.before < self.last() && self.place_at(before).next as usize == at {
            self.put(before, DocumentPlace { next: NONE, ..self.place_at(before) });
        }
        self.counts.documents -= 1;
        self.counts.terms -= u64::from(place.length);
        let left =
            self.session_length(place.session).saturating_sub(u32::from(place.length).max(1));
        self.counts.sessions -= usize::from(left == 0);
        self.put_session(place.session, left);
    }

    fn put(&mut self, at: usize, place: DocumentPlace) {
        if let Some(bytes) = self.places.bytes_mut().as_chunks_mut::<PLACE>().0.get_mut(at) {
            *bytes = place.bytes();
        }
    }

    fn put_session(&mut self, number: u32, length: u32) {
        let lengths = self.session_lengths.bytes_mut().as_chunks_mut::<SESSION>().0;
        if let Some(bytes) = lengths.get_mut(number as usize) {
            *bytes = length.to_le_bytes();
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    fn average(&mut self) {
        let Counts { documents, sessions, terms } = self.counts;
        self.mean_length = (terms as f64 / documents.max(1) as f64).max(1.0);
        self.mean_session_length = (terms as f64 / sessions.max(1) as f64).max(1.0);
    }

    /// Brings the sign bits up to date, or notes what is to be done when they are first asked for.
    fn note_changed(&mut self, changed: Vec<usize>) {
        let made = self.bits.take();
        // With twice as many documents the mean that bits are relative to is another.
        let made = made.filter(|bits| bits.len() * 2 > self.len());
        self.changed.extend(changed);
        if let Some(mut bits) = made {
            self.follow(&mut bits);
            self.changed.clear();
            self.bits = OnceLock::from(bits);
            self.signs = None;
        }
    }
}

/// The indexes that a process holds.
#[derive(Debug)]
pub(crate) struct Indexes {
    held: Mutex<BTreeMap<(SpaceId, TextOf), Arc<Index>>>,
    /// The folder with what was kept; `None` where nothing is.
    kept: Option<PathBuf>,
}

impl Indexes {
    /// Indexes of which a copy is kept in a folder.
    pub(crate) fn new(kept: Option<PathBuf>) -> Self {
        Self { held: Mutex::default(), kept }
    }

    /// Keeps a copy of the indexes that this process holds, where that spares others much reading.
    pub(crate) fn keep(&self, engine: &Engine) -> Result<()> {
        let Some(folder) = &self.kept else { return Ok(()) };
        let outdated: Vec<(SpaceId, TextOf)> = {
            let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            held.iter().filter(|(_, index)| kept::is_worth_it(index)).map(|(at, _)| *at).collect()
        };
        for (space, of) in outdated {
            kept::save(folder, space, of, || {
                let reader = engine.now_reader()?;
                Ok((self.present(&*reader, space, of)?, kept::latest(&*reader)?))
            })?;
            let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            held.entry((space, of)).and_modify(|index| Arc::make_mut(index).read_blocks = 0);
        }
        Ok(())
    }

    /// Removes the copies: something that they hold is being erased. Says what could not be removed.
    pub(crate) fn forget_kept(&self) -> Vec<PathBuf> {
        self.kept.as_deref().map(kept::forget).unwrap_or_default()
    }

    fn first(&self, reader: &dyn Reader, space: SpaceId, of: TextOf) -> Index {
        let kept = self.kept.as_ref().and_then(|folder| kept::load(folder, reader, space, of));
        kept.unwrap_or_else(|| Index::new(of))
    }

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
            let first = || Arc::new(self.first(reader, *space, *of));
            let index = held.entry((*space, *of)).or_insert_with(first);
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
