//! What bears on a claim is read at once, where every question to the store is a round trip. Nothing is decided by it:
//! whatever is asked for and was not foreseen is read then.

use std::collections::BTreeSet;

use throughline_core::reconcile::{self, Candidate};
use throughline_core::{RowKey, meet, words};
use throughline_language::things;
use throughline_store::{ClaimAhead, Foreseen};

use crate::Result;
use crate::gaps::gaps_like;
use crate::meet::{MeetingClaim, alike};
use crate::things::words_as_names;
use crate::transaction::Transaction;

/// Says what will be asked for to decide about a candidate.
pub(crate) fn read_ahead(tx: &Transaction<'_>, candidate: &Candidate) -> Result<()> {
    if !tx.is_far() {
        return Ok(());
    }
    let (space, content) = (candidate.scope.space, candidate.content.as_str());
    let claim = MeetingClaim {
        space,
        session: candidate.scope.session.as_ref(),
        kind: candidate.kind,
        content,
    };
    let mut texts = Vec::new();
    if meet::can_meet(claim.kind, content) {
        texts.push(alike(&claim));
    }
    if !words::query_terms(content).is_empty() {
        texts.push(gaps_like(space, tx.session.clone(), content));
    }
    let marks = reconcile::burial_marks(candidate);
    let ids = tx.bearings.differences(content).into_iter();
    let rows = ids.map(|(id, _)| RowKey::memory(space, id)).collect();
    let claim = ClaimAhead { space, marks, names: names_of(tx, candidate), texts };
    Ok(tx.foresee(&[Foreseen::Claim(claim), Foreseen::Rows(rows)])?)
}

/// The names of things that a candidate may speak of, however they are written.
fn names_of(tx: &Transaction<'_>, candidate: &Candidate) -> Vec<String> {
    let said = things::things_in(&candidate.content).into_iter().map(|one| one.name);
    let about = candidate.about.iter().map(|one| one.name.clone());
    let slot = candidate.slot.iter().flat_map(|slot| [slot.subject.clone(), slot.object.clone()]);
    let written = said.chain(about).chain(slot).chain(candidate.tags.iter().cloned());
    let written = written.chain(tx.project.clone()).flat_map(|name| things::spellings(&name));
    let names: BTreeSet<String> = written.chain(words_as_names(&candidate.content)).collect();
    names.into_iter().collect()
}
