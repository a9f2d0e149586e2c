//! The index: the documents of a space as they lie in memory, for one process.
//!
//! Derived from the store and never a source of truth. A process that stays keeps it and reads again
//! only the blocks that changed; one that has just started maps what was kept in a file, or reads all
//! of them once.

mod asked;
mod column;
mod dense;
mod kept;
mod place;
mod sparse;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use throughline_core::{NodeId, SpaceId, State};
use throughline_embed::nearest::{BitsIn, Rows};
use throughline_store::{Candidates, Document, PACKED_AT, RECORD, Reader, TextOf};

use crate::{Engine, Result};
use asked::AskedOften;
pub(crate) use dense::Index;
pub(crate) use kept::KeptFolder;
pub(crate) use place::{DocumentPlace, NONE};
pub(crate) use sparse::SparseIndex;

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
    /// How many documents there are.
    documents() -> usize;
    /// How many sessions there are.
    sessions() -> usize;
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
    /// Telling terms of a document, on average.
    mean_length: f64;
    /// Telling terms of a session, on average.
    mean_session_length: f64;
}

impl SearchIndex {
    /// The telling terms of a document; none where there is no document.
    pub(crate) fn length(&self, number: u32) -> f32 {
        // Most memories and some turns have none beside them.
        if number == NONE { 0.0 } else { f32::from(self.place(number).length) }
    }

    /// Sign bits of the vectors, where there are very many to scan.
    pub(crate) fn bits(&self) -> Option<BitsIn<'_>> {
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

/// For how long whoever brings an index up to date waits for those who read it, before it makes a copy.
const FREE_WITHIN: Duration = Duration::from_millis(200);

/// An index to be changed: as soon as nobody reads it, which is soon, for nobody new gets it meanwhile. An index of
/// many texts takes a hundred megabytes, so that a copy is made only where somebody holds it for long.
fn when_free(index: &mut Arc<Index>) -> &mut Index {
    let began = Instant::now();
    while Arc::strong_count(index) > 1 && began.elapsed() < FREE_WITHIN {
        std::thread::sleep(Duration::from_micros(200));
    }
    Arc::make_mut(index)
}

/// The indexes that a process holds.
#[derive(Debug)]
pub(crate) struct Indexes {
    held: Mutex<BTreeMap<(SpaceId, TextOf), Arc<Index>>>,
    /// What a server was asked about, by this process.
    asked: Mutex<AskedOften>,
    /// Where copies are kept; `None` where none are.
    kept: Option<KeptFolder>,
}

impl Indexes {
    /// Indexes of which a copy is kept in a folder.
    pub(crate) fn new(kept: Option<KeptFolder>) -> Self {
        Self { held: Mutex::default(), asked: Mutex::default(), kept }
    }

    /// Keeps a copy of the indexes that this process holds, where that spares others much reading.
    pub(crate) fn keep(&self, engine: &Engine) -> Result<()> {
        let Some(kept) = &self.kept else { return Ok(()) };
        let outdated: Vec<(SpaceId, TextOf)> = {
            let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            let wanted = held.iter().filter(|((space, _), index)| kept.wants(*space, index));
            wanted.map(|(at, _)| *at).collect()
        };
        for (space, of) in outdated {
            kept::save(kept, space, of, || {
                let reader = engine.now_reader()?;
                let index = self.present(&*reader, space, of)?;
                Ok((index, kept::written_after(kept, &*reader)?))
            })?;
            let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            held.entry((space, of)).and_modify(|index| when_free(index).read_blocks = 0);
        }
        Ok(())
    }

    /// Copies indexes of a server to the home that are not there yet, unless they are more than `most` documents
    /// together: whoever has just started then asks the server only what changed.
    pub(crate) fn copy(&self, engine: &Engine, spaces: &[SpaceId], most: usize) -> Result<()> {
        let Some(kept) = self.kept.as_ref().filter(|kept| kept.is_of_server()) else {
            return Ok(());
        };
        let all = spaces
            .iter()
            .flat_map(|space| [TextOf::Memories, TextOf::Episodes].map(|of| (*space, of)));
        let lacking: Vec<(SpaceId, TextOf)> =
            all.filter(|(space, of)| !kept.has(*space, *of)).collect();
        let reader = engine.now_reader()?;
        if reader.sizes(&lacking)?.is_none_or(|documents| documents > most) {
            return Ok(());
        }
        self.all_present(&*reader, &lacking)?;
        drop(reader);
        self.keep(engine)
    }

    /// Removes the copies: something that they hold is being erased. Says what could not be removed.
    pub(crate) fn forget_kept(&self) -> Vec<PathBuf> {
        self.kept.as_ref().map(KeptFolder::forget).unwrap_or_default()
    }

    /// Notes how many documents a server found to be in indexes that it was asked about.
    pub(crate) fn note_asked(&self, wanted: &[(SpaceId, TextOf)], found: &[Candidates]) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.note(wanted, found);
    }

    /// The stamps of indexes that this process holds, or is about to because a server was asked about them
    /// often and they are no more than `most` documents together; `None` where the server is to find what
    /// is in them.
    pub(crate) fn stamps(&self, wanted: &[(SpaceId, TextOf)], most: usize) -> Option<Vec<u64>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if !wanted.iter().all(|one| held.contains_key(one)) {
            let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            let more = asked.worth_holding(wanted)?;
            let others = |held: &BTreeMap<_, Arc<Index>>| -> usize {
                let others = held.iter().filter(|(at, _)| !wanted.contains(at));
                others.map(|(_, index)| index.documents()).sum()
            };
            if more > most {
                return None;
            }
            if more + others(&held) > most {
                held.retain(|at, _| wanted.contains(at));
            }
        }
        let stamp = |one| held.get(one).map_or(0, |index: &Arc<Index>| index.shelf.stamp);
        Some(wanted.iter().map(stamp).collect())
    }

    /// The stamps of indexes of a server that this process holds or that are kept in the home; `None` where one is
    /// neither.
    pub(crate) fn stamps_of_kept(&self, wanted: &[(SpaceId, TextOf)]) -> Option<Vec<u64>> {
        let kept = self.kept.as_ref()?;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stamps = Vec::with_capacity(wanted.len());
        for (space, of) in wanted {
            let index = match held.entry((*space, *of)) {
                Entry::Occupied(held) => held.into_mut(),
                Entry::Vacant(lacking) => {
                    lacking.insert(Arc::new(kept::load_unasked(kept, *space, *of)?))
                }
            };
            stamps.push(index.shelf.stamp);
        }
        Some(stamps)
    }

    fn first(&self, reader: &dyn Reader, space: SpaceId, of: TextOf) -> Index {
        let kept = self.kept.as_ref();
        let kept = kept.and_then(|kept| kept::load(kept, reader, space, of));
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
                // Who only reads on does not have to wait for others who read.
                let current = Arc::strong_count(index) > 1 && index.is_current(reader, *space)?;
                newest = Some(if current {
                    index.shelf
                } else {
                    when_free(index).refresh(reader, *space)?
                });
            }
            indexes.push(Arc::clone(index));
        }
        Ok(indexes)
    }

    /// Indexes of a server, brought up to date by what has changed and by nothing else. `None` where one of them is
    /// not known to hold any longer: the server was started again, the space can no longer be seen, or too much
    /// has changed. What was kept of their spaces is removed.
    pub(crate) fn followed(
        &self,
        reader: &dyn Reader,
        wanted: &[(SpaceId, TextOf)],
    ) -> Result<Option<Vec<Arc<Index>>>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let mut indexes = Vec::with_capacity(wanted.len());
        for (space, of) in wanted {
            let Some(index) = held.get_mut(&(*space, *of)) else { return Ok(None) };
            let current = Arc::strong_count(index) > 1 && index.is_current(reader, *space)?;
            if !current && when_free(index).follow(reader, *space, true)?.is_none() {
                for (space, _) in wanted {
                    for of in [TextOf::Memories, TextOf::Episodes] {
                        held.remove(&(*space, of));
                        self.kept.iter().for_each(|kept| kept.remove(*space, of));
                    }
                }
                return Ok(None);
            }
            indexes.push(Arc::clone(index));
        }
        Ok(Some(indexes))
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
