//! A sparse index: the documents that a store found for one prompt, numbered among themselves in the
//! order of their own numbers, with the sizes of the whole index that they were found in.

use std::collections::{BTreeMap, HashMap};

use throughline_core::{NodeId, State};
use throughline_embed::nearest::{Code, Rows, cosine_of};
use throughline_store::{
    BesideTurn, CandidateRecord, Candidates, Document, PACKED_AT, Postings, RECORD, TermDocuments,
    TextOf,
};

use super::{DocumentPlace, NONE, packed_rows};

/// The documents that a store found in one index of one space.
#[derive(Debug, Clone)]
pub(crate) struct SparseIndex {
    of: TextOf,
    /// How many documents the whole index has.
    documents: usize,
    pub(super) mean_length: f64,
    sessions: usize,
    pub(super) mean_session_length: f64,
    /// For each document the number that the store knows it by.
    numbers: Vec<u32>,
    records: Vec<u8>,
    places: Vec<DocumentPlace>,
    session_lengths: Vec<u32>,
    details: Vec<DocumentDetail>,
    /// For each term of the prompt, who holds it.
    pub(crate) terms: Vec<TermDocuments>,
    /// The nearest documents and their cosines; `None` where all documents are here.
    pub(crate) nearest: Option<Vec<(u32, f32)>>,
}

/// How much is known of a document.
#[derive(Debug, Clone, Copy, Default)]
struct DocumentDetail {
    /// Its state, where more than its place is known.
    state: Option<Option<State>>,
    cold: bool,
    /// It has a vector of our model, which is here.
    embedded: bool,
}

impl SparseIndex {
    /// The index of what was found, and of more that was read since. `prompt` is what it is compared
    /// with in meaning.
    pub(crate) fn of(found: &Candidates, more: &[CandidateRecord], prompt: Option<&Code>) -> Self {
        let known = merged(&found.records, more);
        let beside = known.values().flat_map(|one| [one.before, one.next]).flatten();
        let mut numbers: Vec<u32> =
            known.keys().copied().chain(beside.map(|turn| turn.number)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut index = Self {
            of: found.of,
            documents: found.documents,
            mean_length: mean(found.telling, found.documents),
            sessions: found.sessions,
            mean_session_length: mean(found.telling, found.sessions),
            records: vec![0; numbers.len() * RECORD],
            places: vec![DocumentPlace::ALONE; numbers.len()],
            session_lengths: vec![0; numbers.len()],
            details: vec![DocumentDetail::default(); numbers.len()],
            numbers,
            terms: Vec::new(),
            nearest: None,
        };
        let mut sessions = HashMap::new();
        for one in known.values() {
            index.place_one(one, &known);
            index.describe(one, found.model, &mut sessions);
        }
        index.measure_sessions(found, &sessions);
        index.terms = found.terms.iter().map(|term| index.numbered(term)).collect();
        if !found.is_whole {
            let near = found.nearest.iter().filter_map(|one| {
                let cosine = prompt.map(|prompt| cosine_of(prompt, one.dot, one.scale))?;
                Some((index.local(one.number)?, cosine))
            });
            index.nearest = Some(near.collect());
        }
        index
    }

    /// How many documents the whole index has.
    pub(crate) fn documents(&self) -> usize {
        self.documents
    }

    /// How many sessions the whole index has.
    pub(crate) fn sessions(&self) -> usize {
        self.sessions
    }

    fn local(&self, number: u32) -> Option<u32> {
        let at = self.numbers.binary_search(&number).ok()?;
        u32::try_from(at).ok()
    }

    /// Puts a document where it stands, and beside it what is known of its neighbours.
    fn place_one(&mut self, one: &CandidateRecord, known: &BTreeMap<u32, &CandidateRecord>) {
        let Some(here) = self.local(one.number) else { return };
        let find = |turn: Option<BesideTurn>| turn.and_then(|turn| self.local(turn.number));
        let (before, next) = (find(one.before).unwrap_or(NONE), find(one.next).unwrap_or(NONE));
        let place = &mut self.places[here as usize];
        (place.before, place.next, place.length) = (before, next, one.length);
        // Of a neighbour that was not read itself its length is known, and one of its own neighbours.
        if let Some(turn) = one.before.filter(|turn| !known.contains_key(&turn.number)) {
            let place = &mut self.places[before as usize];
            (place.next, place.length) = (here, turn.length);
        }
        if let Some(turn) = one.next.filter(|turn| !known.contains_key(&turn.number)) {
            let place = &mut self.places[next as usize];
            (place.before, place.length) = (here, turn.length);
        }
    }

    /// Takes over the record of a document. Sessions are numbered as they are met.
    fn describe(
        &mut self,
        one: &CandidateRecord,
        model: Option<u8>,
        sessions: &mut HashMap<u32, u32>,
    ) {
        let Some(at) = self.local(one.number).map(|at| at as usize) else { return };
        if one.record.len() < PACKED_AT || one.record.len() > RECORD {
            return;
        }
        let Some(document) = Document::read(&one.record) else { return };
        self.records[at * RECORD..at * RECORD + one.record.len()].copy_from_slice(&one.record);
        let ours = document.model > 0 && Some(document.model) == model;
        let embedded = ours && !document.cold && one.record.len() == RECORD;
        self.details[at] =
            DocumentDetail { state: Some(document.state), cold: document.cold, embedded };
        let new = u32::try_from(sessions.len()).unwrap_or(NONE);
        self.places[at].session = *sessions.entry(document.session).or_insert(new);
    }

    /// Sets how long sessions are: as the store says, or by all their documents where these are here.
    fn measure_sessions(&mut self, found: &Candidates, sessions: &HashMap<u32, u32>) {
        let adds_up = found.is_whole || self.of == TextOf::Memories;
        if adds_up {
            for (at, detail) in self.details.iter().enumerate() {
                if detail.state.is_some() {
                    let DocumentPlace { session, length, .. } = self.places[at];
                    self.session_lengths[session as usize] += u32::from(length).max(1);
                }
            }
            return;
        }
        for one in found.records.iter().filter(|one| one.record.len() >= PACKED_AT) {
            let session = Document::read(&one.record).and_then(|it| sessions.get(&it.session));
            if let (Some(session), Some(length)) = (session, one.session_length) {
                self.session_lengths[*session as usize] = length;
            }
        }
    }

    /// The documents that hold a term, by our numbers.
    fn numbered(&self, term: &TermDocuments) -> TermDocuments {
        let held = term.postings.documents.iter();
        let documents = held.filter_map(|number| self.local(*number)).collect();
        TermDocuments {
            holding: term.holding,
            postings: Postings { documents, cut: term.postings.cut },
        }
    }

    /// The number that the store knows a document by.
    pub(crate) fn stored_number(&self, number: u32) -> Option<u32> {
        self.numbers.get(number as usize).copied()
    }

    /// Whether only the place of a document is known.
    pub(crate) fn is_place_only(&self, number: u32) -> bool {
        self.details.get(number as usize).is_some_and(|one| one.state.is_none())
    }

    pub(super) fn has_sessions(&self) -> bool {
        self.of == TextOf::Episodes
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(super) fn document(&self, number: u32) -> Option<Document> {
        let at = number as usize * RECORD;
        Document::read(self.records.get(at..at + RECORD)?)
    }

    pub(super) fn node(&self, number: u32) -> Option<NodeId> {
        Some(self.document(number)?.node(self.of))
    }

    pub(super) fn place(&self, number: u32) -> DocumentPlace {
        self.places.get(number as usize).copied().unwrap_or(DocumentPlace::ALONE)
    }

    pub(super) fn session_length(&self, session: u32) -> u32 {
        self.session_lengths.get(session as usize).copied().unwrap_or(0)
    }

    pub(super) fn is_in(&self, number: usize, states: &[State]) -> bool {
        match self.details.get(number).and_then(|one| one.state) {
            None => false,
            Some(None) => true,
            Some(Some(state)) => states.contains(&state),
        }
    }

    pub(super) fn is_cold(&self, number: usize) -> bool {
        self.details.get(number).is_some_and(|one| one.cold)
    }

    pub(super) fn is_embedded(&self, number: usize) -> bool {
        self.details.get(number).is_some_and(|one| one.embedded)
    }

    pub(super) fn rows(&self) -> Rows<'_> {
        packed_rows(&self.records)
    }
}

/// Every document once, with the most that was read of it.
fn merged<'r>(
    found: &'r [CandidateRecord],
    more: &'r [CandidateRecord],
) -> BTreeMap<u32, &'r CandidateRecord> {
    let mut known: BTreeMap<u32, &CandidateRecord> = BTreeMap::new();
    for one in found.iter().chain(more) {
        let held = known.entry(one.number).or_insert(one);
        if held.record.len() < one.record.len() {
            *held = one;
        }
    }
    known
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn mean(terms: u64, count: usize) -> f64 {
    (terms as f64 / count.max(1) as f64).max(1.0)
}
