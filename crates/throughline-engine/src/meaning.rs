//! Meaning: texts become vectors here, after they were kept and never before.
//!
//! A vector is derived: a memory without one is found by its words, and gets one the next time
//! somebody writes or recalls.

mod elsewhere;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use throughline_core::{Change, Memory, NodeId, Row, RowKey, SpaceId, document};
use throughline_embed::nearest::encode;
use throughline_embed::{Embedder, Embedding, MODEL};
use throughline_store::{Reader, TextOf, Vector};

use crate::flows::Vectors;
use crate::{Engine, Result};

/// Texts that are turned into vectors in one go.
const AT_ONCE: usize = 256;
/// Vectors that are written in one go, so that others may write in between.
const WRITTEN_AT_ONCE: usize = 64;

/// Texts that are looked up in one go: every time, the index is read again.
const LOOKED_UP: usize = 64 * AT_ONCE;

/// New memories of one batch that are embedded at once.
const NEW_MAX: usize = 64;
/// Queries whose vectors are kept for when they are asked for again.
const ASKED_MAX: usize = 16;
/// Texts embedded after an answer.
const CATCH_UP: usize = 64;
/// Texts embedded at a time by whoever has nothing else to do.
const SLICE: usize = 32;

/// A query, and its vector once it is made.
type AskedQuery = (String, Arc<OnceLock<Embedding>>);

/// The model, made when it is first needed.
#[derive(Debug, Default)]
pub(crate) struct Meaning {
    embedder: OnceLock<Embedder>,
    pub(crate) memo: Option<Arc<Memo>>,
    /// The vectors of what was asked last: a prompt is asked for when it comes in, when it is taken in and when it
    /// is answered.
    asked: Mutex<VecDeque<AskedQuery>>,
    /// A service that makes vectors too, for whoever has the time to ask it.
    elsewhere: Option<throughline_llm::Client>,
}

pub(crate) use elsewhere::Far;

/// Vectors of texts that came before. For whoever gives the same texts to many memories.
#[derive(Debug, Default)]
pub struct Memo {
    known: Mutex<HashMap<String, Embedding>>,
}

impl Memo {
    /// Makes the vector of a text known, whoever made it.
    pub fn know(&self, text: &str, vector: Embedding) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(text.to_owned(), vector);
    }
}

impl Meaning {
    pub(crate) fn embedder(&self) -> &Embedder {
        self.embedder.get_or_init(Embedder::builtin)
    }

    /// The vectors of texts, in their order.
    fn of_texts(&self, texts: &[&str]) -> Vec<Embedding> {
        let Some(memo) = &self.memo else { return self.embedder().embed_each(texts) };
        let mut known = memo.known.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<&str> =
            texts.iter().copied().filter(|one| !known.contains_key(*one)).collect();
        for (text, vector) in new.iter().zip(self.embedder().embed_each(&new)) {
            known.insert((*text).to_owned(), vector);
        }
        texts.iter().map(|text| known[*text]).collect()
    }

    /// The vector of a query. Whoever asks for one that is being made waits for it.
    pub(crate) fn of_query(&self, query: &str) -> Embedding {
        let made = {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            match asked.iter().find(|(known, _)| known == query) {
                Some((_, made)) => Arc::clone(made),
                None => {
                    if asked.len() == ASKED_MAX {
                        asked.pop_front();
                    }
                    let made = Arc::default();
                    asked.push_back((query.to_owned(), Arc::clone(&made)));
                    made
                }
            }
        };
        *made.get_or_init(|| self.embedder().embed(query))
    }
}

/// For as long as it is held, what is written gets its vectors later.
pub(crate) struct VectorsLater<'e> {
    engine: &'e Engine,
    before: bool,
}

impl Drop for VectorsLater<'_> {
    fn drop(&mut self) {
        self.engine.waited_for.store(self.before, Ordering::Relaxed);
    }
}

impl<'a> VectorsLater<'a> {
    /// Leaves the vectors of what is written to whoever has time, until this is dropped.
    pub(crate) fn begin(engine: &'a Engine) -> Self {
        Self { engine, before: engine.waited_for.swap(true, Ordering::Relaxed) }
    }
}

impl Engine {
    /// The same engine, with vectors shared between several.
    pub fn with_memo(mut self, memo: Arc<Memo>) -> Self {
        self.meaning.memo = Some(memo);
        self
    }
}

impl Vectors<'_> {
    /// Gives vectors to memories that were just written, up to a change, unless they are very many: whoever brings
    /// those calls [`Self::embed_missing`] with a bar to watch.
    pub(crate) fn embed_new(&self, seq: u64, texts: &[NewText]) -> Result<()> {
        if texts.is_empty() || texts.len() > NEW_MAX {
            return Ok(());
        }
        let mut by_space: BTreeMap<SpaceId, Vec<&NewText>> = BTreeMap::new();
        for one in texts {
            by_space.entry(one.space).or_default().push(one);
        }
        for (space, new) in by_space {
            // A memory whose text did not change has its vector.
            let known = new.iter().filter(|one| !one.is_new);
            let nodes: Vec<NodeId> = known.map(|one| one.node).collect();
            let held = match nodes.is_empty() {
                true => Vec::new(),
                false => self.engine.store.read_soon()?.vectors_of(space, MODEL, &nodes)?,
            };
            let held = nodes.iter().zip(held).filter(|(_, held)| held.is_some());
            let held: BTreeSet<NodeId> = held.map(|(node, _)| *node).collect();
            let texts = new.iter().filter(|one| !held.contains(&one.node));
            let texts: Vec<(NodeId, String)> =
                texts.map(|one| (one.node, one.text.clone())).collect();
            if texts.is_empty() {
                continue;
            }
            self.engine.store.put_vectors(space, MODEL, &self.vectors_of(seq, &texts))?;
        }
        Ok(())
    }

    /// Gives vectors to what has none yet within reach, a little at a time: called after an answer
    /// was given.
    pub fn catch_up(&self, context: &crate::Context) -> Result<usize> {
        let mut made = 0;
        for space in context.reach().spaces {
            // Only what was looked at anyway: reading an index costs more than it is worth here. A
            // server knows what lacks a vector.
            if self.engine.indexes.lacks_vectors(space) || self.engine.store.server().is_some() {
                made += self.embed_missing(space, CATCH_UP, &mut |_| ())?;
            }
        }
        // What this process holds of a server spares a hook the search there. Agents without hooks start no session
        // in which what others erased would be forgotten.
        if self.engine.store.server().is_some() {
            self.engine.erasing().forget_erased_elsewhere()?;
            self.engine.indexes.keep(self.engine)?;
        }
        Ok(made)
    }

    /// Texts of all projects that have no vector yet: they are found by their words.
    pub fn waiting(&self) -> Result<usize> {
        let spaces = self.engine.now_reader()?.spaces()?;
        spaces.iter().map(|space| self.waiting_in(space.space)).sum()
    }

    /// The same of one space.
    pub fn waiting_in(&self, space: SpaceId) -> Result<usize> {
        let reader = self.engine.now_reader()?;
        let mut missing = 0;
        for of in [TextOf::Memories, TextOf::Episodes] {
            let index = self.engine.indexes.present(&*reader, space, of)?;
            missing += index.unembedded().count();
        }
        Ok(missing)
    }

    /// Gives vectors to a few texts that have none, for whoever has a moment. Returns whether more wait.
    pub fn embed_a_slice(&self, context: &crate::Context) -> Result<bool> {
        let mut made = 0;
        for space in context.reach().spaces {
            made += self.embed_missing(space, SLICE, &mut |_| ())?;
        }
        Ok(made > 0)
    }

    /// Gives vectors to texts of a space that have none, at most `most` of each sort, newest first.
    /// Returns how many it made.
    pub fn embed_missing(
        &self,
        space: SpaceId,
        most: usize,
        progress: &mut dyn FnMut(usize),
    ) -> Result<usize> {
        let mut made = 0;
        for of in [TextOf::Memories, TextOf::Episodes] {
            let mut left = most;
            while left > 0 {
                let (seq, texts) = {
                    let reader = self.engine.now_reader()?;
                    self.texts_without_vectors(&*reader, space, of, left.min(LOOKED_UP))?
                };
                if texts.is_empty() {
                    break;
                }
                left -= texts.len().min(left);
                for some in texts.chunks(AT_ONCE) {
                    let vectors = self.vectors_of(seq, some);
                    for few in vectors.chunks(WRITTEN_AT_ONCE) {
                        self.engine.store.put_vectors(space, MODEL, few)?;
                    }
                    made += some.len();
                    progress(made);
                }
            }
        }
        Ok(made)
    }

    /// Texts of a space that have no vector yet, and the number of the latest change.
    fn texts_without_vectors(
        &self,
        reader: &dyn Reader,
        space: SpaceId,
        of: TextOf,
        most: usize,
    ) -> Result<(u64, Vec<(NodeId, String)>)> {
        let nodes = match reader.unembedded(space, of, MODEL, most)? {
            Some(nodes) => nodes,
            None => {
                let index = self.engine.indexes.present(reader, space, of)?;
                index.unembedded().filter_map(|number| index.node(number)).take(most).collect()
            }
        };
        if nodes.is_empty() {
            return Ok((0, Vec::new()));
        }
        let keys: Vec<RowKey> = nodes.iter().map(|node| RowKey::node(space, *node)).collect();
        let texts = nodes
            .into_iter()
            .zip(reader.rows(&keys)?)
            .filter_map(|(node, row)| Some((node, text_of(row?)?)))
            .collect();
        Ok((self.engine.latest_change(reader)?, texts))
    }

    fn vectors_of(&self, seq: u64, texts: &[(NodeId, String)]) -> Vec<Vector> {
        let plain: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
        let embedded = self.engine.meaning.of_texts(&plain);
        texts.iter().zip(embedded).map(|((node, _), one)| vector(*node, seq, &one)).collect()
    }
}

/// A vector of our model made ready to be scanned; `None` if it is another's.
pub(crate) fn packed(one: Vector) -> Option<Vector> {
    let values: Embedding = one.values.try_into().ok()?;
    Some(vector(one.node, one.seq, &values))
}

/// A text that changes bring in.
pub(crate) struct NewText {
    pub(crate) space: SpaceId,
    pub(crate) node: NodeId,
    pub(crate) text: String,
    /// The memory itself is new, and not only its words.
    pub(crate) is_new: bool,
}

/// The texts of memories that changes bring in.
pub(crate) fn new_texts(changes: &[Change]) -> Vec<NewText> {
    let mut texts = Vec::new();
    let mut add = |memory: &Memory, is_new: bool| {
        // What is cold has no place in the index of vectors.
        if memory.cold {
            return;
        }
        let text = document::searchable_memory(memory);
        texts.push(NewText { space: memory.space, node: NodeId::Memory(memory.id), text, is_new });
    };
    for change in changes {
        if let Change::Insert(memory) | Change::Revise(memory) = change {
            add(memory, matches!(change, Change::Insert(_)));
        } else if let Change::Restore { rows, .. } | Change::Redact { rows, .. } = change {
            rows.iter()
                .filter_map(|image| image.row.as_ref()?.as_memory())
                .for_each(|one| add(one, false));
        }
    }
    texts
}

fn text_of(row: Row) -> Option<String> {
    match row {
        Row::Memory(memory) => Some(document::searchable_memory(&memory)),
        Row::Episode(episode) => Some(document::searchable(&episode)),
        Row::Space(_)
        | Row::Evidence(_)
        | Row::Watermark(_)
        | Row::Usage(_)
        | Row::Entity(_)
        | Row::Edge(_)
        | Row::Session(_)
        | Row::Injection(_)
        | Row::Tombstone(_)
        | Row::Leaf(_)
        | Row::Pending(_) => None,
    }
}

/// A vector with its packed form: scale and residual, then a byte a dimension.
fn vector(node: NodeId, seq: u64, values: &Embedding) -> Vector {
    let code = encode(values);
    let mut packed = Vec::with_capacity(8 + code.codes.len());
    packed.extend(code.scale.to_le_bytes());
    packed.extend(code.residual.to_le_bytes());
    packed.extend(code.codes.iter().map(|code| code.cast_unsigned()));
    Vector { node, seq, values: values.to_vec(), packed }
}
