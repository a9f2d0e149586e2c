//! Promote: what holds everywhere for a person is said in their project too, where others who work on it learn it. Nothing else
//! brings it there.

use throughline_core::permission::Act;
use throughline_core::scope::Level;
use throughline_core::{Authority, Cause, Change, Memory, Row, RowKey, SpaceId};

use crate::flows::Keeping;
use crate::permit::demand;
use crate::remember::{candidate, take_in};
use crate::watch::Stated;
use crate::{Card, Context, Error, NewMemory, Remembered, Result};

impl Keeping<'_> {
    /// Says what holds everywhere for a person in the project too: in the same words, with its kind, title, area, slot,
    /// labels, triggers and dates. It is theirs there as well, and the original stays.
    pub fn promote(&self, handle: &str) -> Result<Remembered> {
        let card = self.to_promote(handle)?;
        let original = &card.memory;
        let there = Context { level: Level::Project, ..self.context.clone() };
        let keeping = self.engine.keeping(&there);
        let new = as_said(&card);
        let bearings = self.engine.capturing(&there).bearings_by_hand(&new)?;
        let why = format!("promoted from {}, which holds everywhere", original.id.handle());
        let (plan, batch) = self.engine.write(&there, Cause::Remember, Some(&why), |tx| {
            tx.bearings = bearings.clone();
            let mut said = candidate(&new, tx);
            said.testimony.why = Some(why.clone());
            let plan = take_in(tx, &said)?;
            let key = RowKey::memory(tx.scope.space, plan.memory);
            if let Some(memory) = tx.rows(&[key])?.remove(0).and_then(Row::into_memory)
                && !plan.deduped
                && original.valid_from.or(original.valid_until).is_some()
            {
                let Memory { valid_from, valid_until, .. } = *original;
                tx.push(Change::Revise(Box::new(Memory { valid_from, valid_until, ..memory })));
            }
            if !plan.deduped {
                let (memory, content) = (plan.memory, said.content.as_str());
                let stated = Stated { memory, content, kind: said.kind, by_user: true, turns: &[] };
                let root = &there.project.root;
                self.engine.watching(&there).watch_by_words(tx, root, &stated)?;
            }
            Ok(plan)
        })?;
        keeping.remembered(there.scope().space, plan, 0, batch)
    }

    /// The memory that is meant, if whoever asks may say it in the project.
    fn to_promote(&self, handle: &str) -> Result<Card> {
        let reader = self.engine.now_reader()?;
        let memory = self.engine.resolve(&*reader, self.context, handle)?;
        let short = memory.id.handle();
        let by_hand = || format!("throughline promote {short}");
        demand(&*reader, self.context.door, Act::Promote, Some(&memory), by_hand)?;
        drop(reader);
        if memory.space != SpaceId::GLOBAL {
            let why = format!(
                "{short} belongs to this project already; what holds everywhere is promoted"
            );
            return Err(Error::NotPossible(why));
        }
        if !memory.state.is_active() {
            let why = format!("{short} is {}, and only what holds now is promoted", memory.state);
            return Err(Error::NotPossible(why));
        }
        let card = self.engine.card_of(memory.space, memory.id)?;
        let me = self.engine.person();
        let mut people = card.evidence.iter().map(|one| one.person.as_deref());
        if people.any(|person| person != me.as_deref()) {
            let why = format!("another person said {short}, so it is theirs to promote");
            return Err(Error::NotPossible(why));
        }
        Ok(card)
    }
}

/// The same claim as its owner says it now.
fn as_said(card: &Card) -> NewMemory {
    let memory = &card.memory;
    let given = |tag: &&String| !card.inferred_tags.contains(tag);
    NewMemory {
        kind: memory.kind,
        slot: memory.slot.clone(),
        tags: card.tags.iter().filter(given).cloned().collect(),
        label: memory.label.clone(),
        domain: memory.domain.clone(),
        importance: Some(memory.importance),
        confidence: memory.confidence,
        authority: Authority::UserStated,
        triggers: memory.triggers.clone(),
        ..NewMemory::new(&memory.content)
    }
}
