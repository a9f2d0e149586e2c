//! Distilling: several memories come to one claim that rests on them, and a text is kept word for word. Nothing is
//! replaced by either.

use throughline_core::patch::{
    Artifact, Grounds, Remember, Summarize, fit_to_keep_whole, fit_to_sum_up,
};
use throughline_core::{Kind, Memory, Relation, Row, RowKey};

use super::rank::speaker_of;
use super::{Applied, PatchGround, as_event, rest_on};
use crate::flows::Keeping;
use crate::remember::take_in;
use crate::transaction::Transaction;
use crate::{Error, Result};

impl Keeping<'_> {
    /// Takes in what several memories come to, and ties it to them.
    pub(super) fn sum_up(
        &self,
        tx: &mut Transaction<'_>,
        summary: &Summarize,
        ground: &PatchGround<'_>,
        applied: &mut Applied,
    ) -> Result<()> {
        let mut of: Vec<Memory> = Vec::new();
        for named in &summary.of {
            let unknown =
                || Error::NotPossible("it sums up something that is not known".to_owned());
            let id = self.memory_meant(tx, named)?.ok_or_else(unknown)?;
            let row = tx.rows(&[RowKey::memory(tx.scope.space, id)])?.remove(0);
            of.push(row.and_then(Row::into_memory).ok_or_else(unknown)?);
        }
        let speaker = speaker_of(summary.turn, ground);
        let grounds = Grounds { confidence: summary.confidence, speaker, of: &of };
        fit_to_sum_up(&grounds).map_err(|why| Error::NotPossible(why.to_owned()))?;
        // What is of one sort stays of that sort.
        let kinds = of.iter().map(|one| one.kind).collect::<std::collections::BTreeSet<_>>();
        let kind = if kinds.len() == 1 { of[0].kind } else { Kind::Fact };
        let claim = claim_of(kind, &summary.content, summary.confidence, summary.turn);
        let Some(new) = self.claim(tx, &claim, false, ground, applied)? else { return Ok(()) };
        for one in of.iter().filter(|one| one.id != new) {
            tx.link(new, Relation::DerivedFrom, one.id);
        }
        Ok(())
    }

    /// Takes in a text as it stands. It is kept as something that happened, so that nothing rewrites it.
    pub(super) fn keep_whole(
        &self,
        tx: &mut Transaction<'_>,
        artifact: &Artifact,
        ground: &PatchGround<'_>,
        applied: &mut Applied,
    ) -> Result<()> {
        let speaker = speaker_of(artifact.turn, ground);
        let grounds = Grounds { confidence: artifact.confidence, speaker, of: &[] };
        fit_to_keep_whole(&grounds).map_err(|why| Error::NotPossible(why.to_owned()))?;
        self.check_content(&artifact.content)?;
        let claim = claim_of(Kind::Event, &artifact.content, artifact.confidence, artifact.turn);
        let claim = Remember { label: Some(artifact.label.clone()), ..claim };
        let candidate = self.candidate_of(tx, &claim, false, ground);
        let label = candidate.label.clone();
        let whole = as_event(tx, &candidate);
        let plan = take_in(tx, &throughline_core::reconcile::Candidate { label, ..whole })?;
        rest_on(tx, plan.memory, artifact.turn, ground)?;
        let list = if plan.deduped { &mut applied.reinforced } else { &mut applied.memories };
        list.push(plan.memory);
        Ok(())
    }
}

fn claim_of(kind: Kind, content: &str, confidence: f64, turn: Option<usize>) -> Remember {
    Remember {
        kind,
        content: content.to_owned(),
        label: None,
        domain: None,
        slot: None,
        because: Vec::new(),
        triggers: Vec::new(),
        entities: Vec::new(),
        confidence,
        quote: None,
        turn,
    }
}
