//! Finding by the store: where it can say itself which documents may answer, only those are read, and
//! everything after that goes on as if all were here.
//!
//! The store is asked twice. First for who holds the words and who is near in meaning, with just enough
//! of each to score words. Then for the records of those that lead by one arm or another, which is what
//! a scan of everything would have looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use throughline_core::{NodeId, SpaceId, words as terms};
use throughline_embed::MODEL;
use throughline_embed::nearest::{self, Code};
use throughline_language::question::Question;
use throughline_store::{CandidateQuery, Candidates, Foreseen, Reader, RecordQuery};

use super::look::{LOOKED_AT, SORTS, Scan, WHOLE, Within};
use super::names::Mentioned;
use super::rank::Falling;
use super::vectors::{self, BEST_KEEP};
use super::words::{self, DocumentScore, IndexWords, TermWeight, best};
use super::{Ask, RecallCandidate};
use crate::Result;
use crate::flows::Recalling;
use crate::index::{SearchIndex, SparseIndex};

impl Recalling<'_> {
    /// The indexes within reach that hold something, memories first, as the store finds them; `None`
    /// where it leaves that to us.
    pub(super) fn found_by_store(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        question: &Question,
        scan: &Scan,
    ) -> Result<Option<Vec<Within>>> {
        if let Some(held) = self.held_by_process(reader, ask, question)? {
            return Ok(Some(held));
        }
        let asked_for = if ask.arms.words { terms::query_terms(ask.query) } else { Vec::new() };
        let policy = &self.engine.policy;
        let spaces = self.context.reach().spaces;
        let sorts = SORTS.into_iter().take(if ask.episodes { 2 } else { 1 });
        let queries: Vec<CandidateQuery<'_>> = sorts
            .map(|of| CandidateQuery {
                of,
                spaces: &spaces,
                terms: &asked_for,
                frequent: words::frequent(&policy.words),
                states: &LOOKED_AT,
                model: MODEL,
                nearest: BEST_KEEP,
                whole: policy.relevance.candidates * WHOLE,
            })
            .collect();
        let mut code: Option<Code> = None;
        // Asked again where a connection was lost.
        let mut codes = || {
            if code.is_none() {
                code = Some(nearest::encode(&scan.meaning.as_ref()?.recv().ok()?));
            }
            Some(code.as_ref()?.codes.to_vec())
        };
        let next = self.names_ahead(ask.query, question);
        let found = reader.candidates(&queries, &mut codes, &next)?;
        let Some(found) = found else { return Ok(None) };
        self.engine.indexes.note_asked(&self.wanted(ask), &found);
        let code = code.as_ref();
        let records =
            reader.candidate_records(&self.leading(&found, code, asked_for.len()), MODEL)?;
        let whole = found.iter().zip(&records).map(|(one, more)| {
            let index = SearchIndex::Found(Arc::new(SparseIndex::of(one, more, code)));
            (one.space, one.of, index)
        });
        Ok(Some(whole.collect()))
    }

    /// Says which memories and turns will be read: those that lead, and those that the prompt names.
    pub(super) fn read_ahead(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        candidates: &[RecallCandidate],
        mentioned: &Mentioned,
    ) -> Result<()> {
        let memories = self.worth_reading(ask, candidates, mentioned).into_iter();
        let turns = candidates.iter().filter(|one| matches!(one.node, NodeId::Episode(_)));
        let enough = ask.limits.worth_saying * ask.limits.hint_share;
        let turns = turns.filter(|one| ask.ungated || one.relevance >= enough);
        let mut turns: Vec<&RecallCandidate> = turns.collect();
        turns.sort_by_key(|one| Falling(one.relevance));
        let turns = turns.into_iter();
        let leading = memories.map(|at| &candidates[at]).chain(turns.take(ask.limits.items_max));
        let leading = leading.map(|one| (one.space, one.node));
        foresee(reader, leading.chain(mentioned.rare.iter().copied()))
    }

    /// What else has to be read of what was found: whatever leads by words, alone or with the turns
    /// beside it, or by meaning.
    fn leading(&self, found: &[Candidates], code: Option<&Code>, asked: usize) -> Vec<RecordQuery> {
        let policy = &self.engine.policy;
        let indexes: Vec<SearchIndex> = found
            .iter()
            .map(|one| SearchIndex::Found(Arc::new(SparseIndex::of(one, &[], code))))
            .collect();
        let mut queries = Vec::with_capacity(found.len());
        for sort in SORTS {
            let these = found.iter().zip(&indexes).filter(|(one, _)| one.of == sort);
            let these: Vec<_> = these
                .filter_map(|(one, index)| {
                    let occurrences = words::found_occurrences(index.found()?);
                    Some((one, (index, occurrences)))
                })
                .collect();
            let (these, heard): (Vec<&Candidates>, Vec<_>) = these.into_iter().unzip();
            let telling = TermWeight::of(asked, &heard);
            for (one, (index, occurrences)) in these.into_iter().zip(&heard) {
                let clear = self.engine.words_pool.clear_words();
                let (by, relevance) = (&policy.words, &policy.relevance);
                let words = words::score(clear, index, occurrences, &telling, by, relevance);
                queries.push(self.leading_of(one, index, &words, code));
                self.engine.words_pool.keep(words);
            }
        }
        queries
    }

    fn leading_of(
        &self,
        found: &Candidates,
        index: &SearchIndex,
        words: &IndexWords,
        code: Option<&Code>,
    ) -> RecordQuery {
        let most = self.engine.policy.relevance.candidates;
        let vectors = contenders(found, index, code);
        let (space, of) = (found.space, found.of);
        let Some(sparse) = index.found().filter(|_| !found.is_whole) else {
            return RecordQuery { space, of, whole: Vec::new(), places: Vec::new(), vectors };
        };
        let read = |number: &u32| index.is_in(*number as usize, &LOOKED_AT);
        let by = |column: fn(&DocumentScore) -> f32| -> Vec<(u32, f32)> {
            let told = words.told.iter().filter(|(number, _)| read(number));
            told.map(|(number, said)| (*number, column(said))).collect()
        };
        let around = by(|said| said.around);
        let mut whole: BTreeSet<u32> = best(around.clone(), most).collect();
        // A turn of which only the place is known may lead by what stands beside it. What is not known
        // of it can only lower its score.
        let lowest = around.iter().filter(|(number, _)| whole.contains(number)).map(|(_, s)| *s);
        let lowest = if whole.len() < most { 0.0 } else { lowest.fold(f32::INFINITY, f32::min) };
        let beside = words.told.iter().copied().filter(|(number, _)| sparse.is_place_only(*number));
        let (leads, places): (Vec<_>, Vec<_>) = beside.partition(|(_, said)| said.around >= lowest);
        whole.extend(leads.into_iter().map(|(number, _)| number));
        whole.extend(best(by(|said| said.own), most));
        whole.extend(best(sparse.nearest.clone().unwrap_or_default(), most));
        let stored = |number: u32| sparse.stored_number(number);
        RecordQuery {
            space,
            of,
            whole: whole.into_iter().filter_map(stored).collect(),
            places: places.into_iter().filter_map(|(number, _)| stored(number)).collect(),
            vectors,
        }
    }
}

/// Says which nodes will be read, with all that hangs on them.
pub(super) fn foresee(
    reader: &dyn Reader,
    nodes: impl Iterator<Item = (SpaceId, NodeId)>,
) -> Result<()> {
    let mut by_space: BTreeMap<SpaceId, Vec<NodeId>> = BTreeMap::new();
    for (space, node) in nodes {
        by_space.entry(space).or_default().push(node);
    }
    let next = by_space.into_iter().map(|(space, nodes)| Foreseen::Nodes { space, nodes });
    Ok(reader.foresee(&next.collect::<Vec<_>>())?)
}

/// The nodes whose vectors will be compared themselves, because their codes do not tell which of them
/// are the nearest. One too few costs another question.
fn contenders(found: &Candidates, index: &SearchIndex, code: Option<&Code>) -> Vec<NodeId> {
    let Some(code) = code else { return Vec::new() };
    let rows = index.rows();
    let near: Vec<(u32, f32, f32)> = match index.found().and_then(|one| one.nearest.as_ref()) {
        Some(nearest) => nearest
            .iter()
            .zip(&found.nearest)
            .map(|((number, cosine), one)| (*number, *cosine, one.residual))
            .collect(),
        None => (0..index.len())
            .filter(|at| index.is_embedded(*at) && index.is_in(*at, &LOOKED_AT))
            .filter_map(|at| {
                let cosine = nearest::cosine(code, &rows, at);
                Some((u32::try_from(at).ok()?, cosine, rows.residual(at)))
            })
            .collect(),
    };
    vectors::contending(near).into_iter().filter_map(|number| index.node(number)).collect()
}
