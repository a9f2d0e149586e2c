//! All documents of one index of one space, as they lie in memory.

use std::sync::OnceLock;

use throughline_core::{NodeId, SpaceId, State};
use throughline_embed::MODEL;
use throughline_embed::nearest::{Bits, BitsIn, CODES, Rows};
use throughline_store::{BLOCK, Document, IndexAhead, PACKED_AT, RECORD, Reader, Shelf, TextOf};

use super::column::Column;
use super::kept::KeptSigns;
use super::packed_rows;
use super::place::{DocumentPlace, NONE, PLACE};
use crate::Result;

/// Documents beyond which sign bits are scanned before bytes.
const BITS_FROM: usize = 32_768;
/// Bytes of a session's length.
pub(super) const SESSION: usize = 4;

/// What the documents of an index come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts {
    pub(super) documents: usize,
    pub(super) sessions: usize,
    /// Telling terms of all documents.
    pub(super) terms: u64,
}

/// The documents of one index of one space.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    pub(super) of: TextOf,
    pub(super) shelf: Shelf,
    pub(super) records: Column,
    /// For each document, where it stands.
    pub(super) places: Column,
    /// For each session number, its telling terms.
    pub(super) session_lengths: Column,
    pub(super) counts: Counts,
    /// Telling terms of a document, on average.
    pub(crate) mean_length: f64,
    /// Telling terms of a session, on average.
    pub(crate) mean_session_length: f64,
    /// Sign bits as they were kept, with what changed since.
    pub(super) signs: Option<KeptSigns>,
    /// Sign bits where none were kept, made when they are first asked for.
    pub(super) bits: OnceLock<Bits>,
    /// Blocks that were read from the store, and are not in the kept file.
    pub(super) read_blocks: usize,
}

impl Index {
    pub(super) fn new(of: TextOf) -> Self {
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

    #[inline]
    fn place_at(&self, at: usize) -> DocumentPlace {
        let places = self.places.bytes().as_chunks::<PLACE>().0;
        places.get(at).map_or(DocumentPlace::ALONE, DocumentPlace::read)
    }

    /// The telling terms of a session.
    pub(crate) fn session_length(&self, number: u32) -> u32 {
        let lengths = self.session_lengths.bytes().as_chunks::<SESSION>().0;
        lengths.get(number as usize).map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    /// Whether a document is there and in one of the states; episodes have none.
    #[inline]
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
        packed_rows(self.records.bytes())
    }

    /// Sign bits of the vectors, where there are very many.
    pub(crate) fn bits(&self) -> Option<BitsIn<'_>> {
        if self.documents() <= BITS_FROM {
            return None;
        }
        let kept = self.signs.as_ref().and_then(KeptSigns::bits);
        Some(kept.unwrap_or_else(|| self.bits.get_or_init(|| Bits::of(&self.rows())).view()))
    }

    /// Whether nothing changed since the last time.
    pub(super) fn is_current(&self, reader: &dyn Reader, space: SpaceId) -> Result<bool> {
        let mut changed = false;
        let after = self.shelf.stamp;
        let shelf = reader.documents(space, self.of, MODEL, after, &mut |_, _| changed = true)?;
        Ok(!changed && shelf == self.shelf)
    }

    /// Reads what changed since the last time; what is the newest now. What was counted elsewhere is read anew.
    pub(super) fn refresh(&mut self, reader: &dyn Reader, space: SpaceId) -> Result<Shelf> {
        match self.follow(reader, space, false)? {
            Some(shelf) => Ok(shelf),
            None => {
                *self = Self::new(self.of);
                self.refresh(reader, space)
            }
        }
    }

    /// The same where nothing is read anew: `None` where what was taken in before was counted elsewhere, so that
    /// nothing of it is known to hold, and for whoever is `short` of time also where too much has changed.
    pub(super) fn follow(
        &mut self,
        reader: &dyn Reader,
        space: SpaceId,
        short: bool,
    ) -> Result<Option<Shelf>> {
        let of = self.of;
        let (after, all_new) = (self.shelf, self.len() == 0);
        let (mut changed, mut blocks) = (Vec::new(), 0);
        let read = reader.documents(space, of, MODEL, after.stamp, &mut |number, body| {
            blocks += 1;
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
        if after.origin != shelf.origin && after != Shelf::default() {
            return Ok(None);
        }
        if short && IndexAhead::is_too_much(after.stamp, shelf.stamp, blocks) {
            return Ok(None);
        }
        self.read_blocks += blocks;
        if shelf.origin != 0 && shelf.stamp < after.stamp {
            // The reader sees an earlier moment of a server. What is held is newer, and stays.
            return Ok(Some(after));
        }
        let other_model = shelf.model != self.shelf.model;
        self.shelf = shelf;
        if all_new {
            self.records.settle();
        }
        if all_new || other_model {
            self.derive();
        } else {
            for at in &changed {
                self.enter(*at);
            }
        }
        self.average();
        self.note_changed(&changed);
        Ok(Some(shelf))
    }

    /// Puts the records of a block in their place. Those that differ from what was there are noted, and no
    /// longer counted.
    pub(super) fn take_block(
        &mut self,
        first: usize,
        body: &[u8],
        all_new: bool,
        changed: &mut Vec<usize>,
    ) {
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
    pub(super) fn derive(&mut self) {
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
    pub(super) fn enter(&mut self, at: usize) {
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
    pub(super) fn leave(&mut self, at: usize) {
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
    pub(super) fn average(&mut self) {
        let Counts { documents, sessions, terms } = self.counts;
        self.mean_length = (terms as f64 / documents.max(1) as f64).max(1.0);
        self.mean_session_length = (terms as f64 / sessions.max(1) as f64).max(1.0);
    }

    /// Brings the sign bits up to date.
    fn note_changed(&mut self, changed: &[usize]) {
        let many = self.documents() > BITS_FROM;
        let rows = packed_rows(self.records.bytes());
        // Where there are few documents nobody asks for bits.
        let mut made = match self.signs.take().filter(|_| many) {
            Some(mut signs) if signs.bits().is_some_and(|bits| bits.len() >= rows.len()) => {
                signs.refresh(&rows, changed);
                self.signs = Some(signs);
                return;
            }
            // There are more documents than the file has room for.
            Some(signs) => signs.bits().map(|bits| bits.to_bits()),
            None => self.bits.take(),
        };
        // With twice as many documents the mean that bits are relative to is another.
        made = made.filter(|bits| bits.len() * 2 > rows.len());
        if let Some(mut bits) = made {
            let known = bits.len();
            for row in changed.iter().filter(|row| **row < known) {
                bits.refresh(&rows, *row);
            }
            bits.extend(&rows);
            self.bits = OnceLock::from(bits);
        }
    }
}
