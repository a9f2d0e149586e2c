//! Candidates: the documents that may answer a prompt, where the store finds them itself.
//!
//! A file is scanned whole by whoever asks; a server across a network finds the few documents that hold
//! the words or lie near in meaning, and sends what scoring needs of them and nothing of the others.

use throughline_core::{Fingerprint, NodeId, RowKey, SpaceId, State};

use crate::document::Postings;
use crate::query::{EntityName, TextOf, TextQuery};

/// Candidate query: which documents of one sort of texts may answer a prompt.
#[derive(Debug, Clone)]
pub struct CandidateQuery<'q> {
    /// What to look at.
    pub of: TextOf,
    /// The spaces to look in.
    pub spaces: &'q [SpaceId],
    /// The terms of the prompt.
    pub terms: &'q [String],
    /// How many documents may hold a term before it is too frequent to be followed.
    pub frequent: FrequentTerms,
    /// States of memories that are looked at; turns have none.
    pub states: &'q [State],
    /// The model whose vectors are compared.
    pub model: &'q str,
    /// How many of the nearest documents of each space to find.
    pub nearest: usize,
    /// A space with no more documents than this is sent whole.
    pub whole: usize,
}

/// Frequent terms: how many documents of an index may hold a term that is followed: one in
/// `share`, but at least `least` and at most `most`.
#[derive(Debug, Clone, Copy)]
pub struct FrequentTerms {
    /// One document in so many.
    pub share: usize,
    /// Whatever the size of the index.
    pub least: usize,
    /// Whatever the size of the index.
    pub most: usize,
}

impl FrequentTerms {
    /// The most documents that may hold a term in an index of so many.
    pub fn most_of(&self, documents: usize) -> usize {
        (documents / self.share.max(1)).clamp(self.least, self.most)
    }
}

/// The meaning of a prompt, one byte a dimension; `None` where meaning is not asked for. Asked when
/// it is needed, because it takes a while to work out.
pub type PromptCodes<'a> = &'a mut dyn FnMut() -> Option<Vec<i8>>;

/// Candidates: what a store found in one index of one space.
#[derive(Debug, Clone)]
pub struct Candidates {
    /// The space.
    pub space: SpaceId,
    /// Which index.
    pub of: TextOf,
    /// Number of documents of the index.
    pub documents: usize,
    /// Telling terms of all of them.
    pub telling: u64,
    /// Number of sessions that they were said in.
    pub sessions: usize,
    /// Number by which records name the model that was asked for.
    pub model: Option<u8>,
    /// Whether all documents of the index are among the records; then `nearest` is empty.
    pub is_whole: bool,
    /// For each term, the documents that hold it.
    pub terms: Vec<TermDocuments>,
    /// The documents nearest in meaning, the nearest first.
    pub nearest: Vec<NearDocument>,
    /// What is known of the documents that were found, and of no others.
    pub records: Vec<CandidateRecord>,
}

/// Term documents: who holds a term.
#[derive(Debug, Clone, Default)]
pub struct TermDocuments {
    /// Number of documents that hold it, counted no further than it may be followed.
    pub holding: usize,
    /// Which ones; empty where the term is too frequent and others are not.
    pub postings: Postings,
}

/// Near document: one of the nearest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearDocument {
    /// Its number.
    pub number: u32,
    /// Dot product of its codes with those of the prompt.
    pub dot: i32,
    /// What one step of its codes is worth.
    pub scale: f32,
    /// How far its code lies from its vector.
    pub residual: f32,
}

/// Candidate record: what a store sends of one document.
#[derive(Debug, Clone, Default)]
pub struct CandidateRecord {
    /// Its number.
    pub number: u32,
    /// Its telling terms.
    pub length: u16,
    /// Its record: whole, or without the packed vector; empty where only its place was asked for.
    pub record: Vec<u8>,
    /// The turn before it in its session.
    pub before: Option<BesideTurn>,
    /// The turn after it.
    pub next: Option<BesideTurn>,
    /// Telling terms of its session, where that was asked for.
    pub session_length: Option<u32>,
}

/// Beside turn: a turn that stands before or after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BesideTurn {
    /// Its number.
    pub number: u32,
    /// Its telling terms.
    pub length: u16,
}

/// Record query: what else is wanted of the documents of one index.
#[derive(Debug, Clone)]
pub struct RecordQuery {
    /// The space.
    pub space: SpaceId,
    /// Which index.
    pub of: TextOf,
    /// Documents whose whole records are wanted, and those of the turns beside them.
    pub whole: Vec<u32>,
    /// Documents of which only the place and the length are wanted.
    pub places: Vec<u32>,
    /// Nodes whose vectors will be asked for next.
    pub vectors: Vec<NodeId>,
}

/// Foreseen: something that will be asked for next.
#[derive(Debug, Clone)]
pub enum Foreseen {
    /// Entities by name in a space, the edges at them, the days on which there was work, and every space.
    Names {
        /// The space.
        space: SpaceId,
        /// The names.
        names: Vec<EntityName>,
    },
    /// Nodes of a space and what replaced them, what they are connected with, and what hangs on all of
    /// these.
    Nodes {
        /// The space.
        space: SpaceId,
        /// Memories and turns.
        nodes: Vec<NodeId>,
    },
    /// Searches for texts, and the rows that they find.
    Texts(Vec<TextQuery>),
    /// An index that whoever asks holds already, and every space.
    Index(IndexAhead),
    /// What bears on a claim.
    Claim(ClaimAhead),
    /// Rows, and everything that hangs on those that are memories.
    Rows(Vec<RowKey>),
}

/// Claim ahead: what is read before it is decided what becomes of a claim.
#[derive(Debug, Clone)]
pub struct ClaimAhead {
    /// The space.
    pub space: SpaceId,
    /// The marks by which tombstones recognise it, that of its words first: memories with the same words count too.
    pub marks: Vec<Fingerprint>,
    /// Names of things that it may speak of.
    pub names: Vec<String>,
    /// What it is searched by.
    pub texts: Vec<TextQuery>,
}

#[cfg(feature = "postgres")]
impl Foreseen {
    /// The searches among it.
    pub(crate) fn texts(&self) -> &[TextQuery] {
        match self {
            Self::Texts(texts) | Self::Claim(ClaimAhead { texts, .. }) => texts,
            Self::Names { .. } | Self::Nodes { .. } | Self::Index(_) | Self::Rows(_) => &[],
        }
    }
}

/// The most that whoever is short of time reads of what changed in an index.
pub(crate) const SHORT_STAMPS: u64 = 4_096;
pub(crate) const SHORT_BLOCKS: usize = 32;

impl IndexAhead {
    /// Whether what changed between two stamps, in so many blocks as were read, is too much for whoever is short of
    /// time.
    pub fn is_too_much(after: u64, stamp: u64, blocks: usize) -> bool {
        stamp.saturating_sub(after) > SHORT_STAMPS || blocks >= SHORT_BLOCKS
    }
}

/// Index ahead: what changed in an index since it was read last, and who holds the terms of a prompt.
#[derive(Debug, Clone)]
pub struct IndexAhead {
    /// The space.
    pub space: SpaceId,
    /// Which index.
    pub of: TextOf,
    /// The model whose vectors are compared.
    pub model: String,
    /// The stamp up to which it was read.
    pub after: u64,
    /// Whether there is no time to read much: where [`Self::is_too_much`], what is read is not all that changed.
    pub short: bool,
    /// The terms of the prompt.
    pub terms: Vec<String>,
    /// How many documents may hold a term before it is too frequent to be followed.
    pub frequent: FrequentTerms,
}
