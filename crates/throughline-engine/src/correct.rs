//! Correct: the user says what is right. The old claim stays as history, the new one takes its place.

use throughline_core::evidence::Testimony;
use throughline_core::reconcile::Candidate;
use throughline_core::{
    Authority, Cause, Change, Edge, MemoryId, Relation, Row, Slot, State, text,
};

use crate::{Context, Engine, Error, Remembered, Result};

impl Engine {
    /// Replaces a memory by what the user says is right.
    ///
    /// The new memory keeps the old one's kind, area, labels and links to what it is about. A slot
    /// is kept only if the caller gives its new value.
    pub fn correct(
        &self,
        context: &Context,
        handle: &str,
        content: &str,
        slot: Option<&Slot>,
    ) -> Result<Remembered> {
        self.check_content(content)?;
        let ((old, plan), batch) = self.write(context, Cause::Correct, None, |reader, draft| {
            let old = self.resolve(reader, context, handle)?;
            draft.settle(&old);
            if !old.state.is_active() {
                let refusal =
                    throughline_core::fold::Refusal::NotCurrent { id: old.id, state: old.state };
                return Err(Error::Refused(refusal));
            }
            if text::normalise(content) == text::normalise(&old.content) {
                return Err(Error::BadInput(
                    "the correction says the same as the memory; `edit` changes its wording"
                        .to_owned(),
                ));
            }
            let candidate = Candidate {
                id: MemoryId(draft.mint()),
                scope: draft.scope.clone(),
                kind: old.kind,
                content: content.to_owned(),
                slot: slot.cloned(),
                tags: Vec::new(),
                label: old.label.clone(),
                domain: old.domain.clone(),
                importance: Some(old.importance),
                confidence: 1.0,
                pinned: old.pinned,
                testimony: Testimony {
                    session: draft.session.clone(),
                    why: Some(format!("corrects {}", old.id.handle())),
                    ..Testimony::new(Authority::UserCorrected, draft.now)
                },
                revive: true,
            };
            let mut plan = self.take_in(reader, draft, &candidate)?;
            if !plan.superseded.contains(&old.id) {
                let at = draft.now;
                draft.changes.push(Change::Supersede {
                    space: old.space,
                    old: old.id,
                    new: plan.memory,
                    at,
                });
                plan.superseded.push(old.id);
            }
            let attached = reader.attached(old.space, &[old.id.into()])?;
            for link in inherited(&attached, old.id, plan.memory, draft.now) {
                if !draft.changes.contains(&link) {
                    draft.changes.push(link);
                }
            }
            Ok((old, plan))
        })?;
        Ok(Remembered {
            card: self.card_of(old.space, plan.memory)?,
            deduped: plan.deduped,
            superseded: plan.superseded,
            contested: plan.contested,
            batch,
        })
    }

    /// Lets one memory take another's place.
    pub fn supersede(&self, context: &Context, old: &str, new: &str) -> Result<crate::Card> {
        let (new, _) = self.write(context, Cause::Supersede, None, |reader, draft| {
            let old = self.resolve(reader, context, old)?;
            let new = self.resolve(reader, context, new)?;
            draft.settle(&old);
            same_space(&old, &new)?;
            draft.changes.push(Change::Supersede {
                space: old.space,
                old: old.id,
                new: new.id,
                at: draft.now,
            });
            Ok(new)
        })?;
        self.card_of(new.space, new.id)
    }

    /// Makes a replaced memory current again.
    pub fn unsupersede(&self, context: &Context, handle: &str) -> Result<crate::Card> {
        let (old, _) = self.write(context, Cause::Unsupersede, None, |reader, draft| {
            let old = self.resolve(reader, context, handle)?;
            draft.settle(&old);
            if old.state != State::Superseded {
                return Err(Error::BadInput(format!(
                    "memory {} is {}; only a superseded one can be brought back so",
                    old.id.handle(),
                    old.state
                )));
            }
            draft.changes.push(Change::Unsupersede { space: old.space, old: old.id });
            Ok(old)
        })?;
        self.card_of(old.space, old.id)
    }
}

/// Links stay behind one wall.
pub(crate) fn same_space(
    one: &throughline_core::Memory,
    other: &throughline_core::Memory,
) -> Result<()> {
    if one.space == other.space {
        return Ok(());
    }
    Err(Error::BadInput(format!(
        "{} and {} live in different scopes; remember one of them in the other's scope first",
        one.id.handle(),
        other.id.handle()
    )))
}

/// What the old memory was about and labelled with, the new one is too.
fn inherited(
    attached: &[Row],
    old: MemoryId,
    new: MemoryId,
    at: throughline_core::Timestamp,
) -> Vec<Change> {
    attached
        .iter()
        .filter_map(|row| if let Row::Edge(edge) = row { Some(edge) } else { None })
        .filter(|edge| {
            edge.from == old.into() && matches!(edge.relation, Relation::Tagged | Relation::About)
        })
        .map(|edge| Change::Link(Edge::new(edge.space, new.into(), edge.relation, edge.to, at)))
        .collect()
}
