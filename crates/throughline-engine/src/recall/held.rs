//! Held: recall from indexes of a server that this process holds. The server is asked once for what changed in
//! them and who holds the words, and then for the vectors that are compared themselves; everything else goes on
//! as with a file.

use throughline_core::{SpaceId, words as terms};
use throughline_embed::MODEL;
use throughline_language::question::Question;
use throughline_store::{Foreseen, IndexAhead, Reader, RecordQuery, TextOf};

use super::look::{ArmReports, SORTS, Within};
use super::{Ask, words};
use crate::Result;
use crate::flows::Recalling;
use crate::index::SearchIndex;

impl Recalling<'_> {
    /// The indexes that a recall looks at, memories first.
    pub(super) fn wanted(&self, ask: &Ask<'_>) -> Vec<(SpaceId, TextOf)> {
        let sorts = SORTS.into_iter().filter(|of| *of == TextOf::Memories || ask.episodes);
        let spaces = self.context.reach().spaces;
        sorts.flat_map(|of| spaces.iter().map(move |space| (*space, of))).collect()
    }

    /// The indexes of a server that this process holds, or that are kept in the home, as the reader sees them; `None`
    /// where the server is to find what is in them. Whoever has a deadline has no time to read whole ones.
    pub(super) fn held_by_process(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        question: &Question,
    ) -> Result<Option<Vec<Within>>> {
        let engine = self.engine;
        let Some(most) = engine.store.hold_max().filter(|most| *most > 0) else { return Ok(None) };
        let wanted = self.wanted(ask);
        let indexes = &engine.indexes;
        let kept = indexes.stamps_of_kept(&wanted);
        let short = kept.is_some();
        let whole = || indexes.stamps(&wanted, most).filter(|_| engine.until.is_none());
        let Some(stamps) = kept.or_else(whole) else { return Ok(None) };
        let terms = if ask.arms.words { terms::query_terms(ask.query) } else { Vec::new() };
        let ahead = wanted.iter().zip(stamps).map(|((space, of), after)| {
            Foreseen::Index(IndexAhead {
                space: *space,
                of: *of,
                model: MODEL.to_owned(),
                after,
                short,
                terms: terms.clone(),
                frequent: words::frequent(&engine.policy.words),
            })
        });
        let ahead: Vec<Foreseen> =
            self.names_ahead(ask.query, question).into_iter().chain(ahead).collect();
        reader.foresee(&ahead)?;
        let indexes = match short {
            true => indexes.followed(reader, &wanted)?,
            false => Some(indexes.all_present(reader, &wanted)?),
        };
        let Some(indexes) = indexes else { return Ok(None) };
        let all = wanted
            .into_iter()
            .zip(indexes)
            .map(|((space, of), index)| (space, of, SearchIndex::All(index)));
        Ok(Some(all.filter(|(_, _, index)| index.documents() > 0).collect()))
    }

    /// Reads the vectors that will be compared themselves, of all indexes at once.
    pub(super) fn vectors_ahead(&self, reader: &dyn Reader, heard: &mut ArmReports) -> Result<()> {
        let vectors: Vec<RecordQuery> = heard
            .scanned()
            .map(|((space, of, index), cosines)| RecordQuery {
                space: *space,
                of: *of,
                whole: Vec::new(),
                places: Vec::new(),
                vectors: cosines.contenders(index),
            })
            .filter(|one| !one.vectors.is_empty())
            .collect();
        if !vectors.is_empty() {
            reader.candidate_records(&vectors, MODEL)?;
        }
        Ok(())
    }
}
