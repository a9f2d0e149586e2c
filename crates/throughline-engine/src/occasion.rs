//! Rules where they act: the memories that speak of what is about to be done, found by the words of it.

use std::collections::BTreeMap;

use throughline_core::scope::Reach;
use throughline_core::{Authority, Kind, Memory, MemoryId, Row, RowKey, SpaceId, State};
use throughline_language::occasion::{self, Doing, Fit};
use throughline_language::trigger;
use throughline_store::{Reader, TextOf, TextQuery};

use crate::Result;
use crate::flows::Recalling;

/// Memories of rules, and of statements, that hold a word of what is about to be done and are looked
/// at, best first.
const LOOKED_AT: usize = 48;
/// Memories with triggers that are held against a prompt, and how many of them may be brought up by it.
const TRIGGERED_READ: usize = 500;
const TRIGGERED_MAX: usize = 3;
/// Bytes of a prompt that triggers are looked for in.
const PROMPT_BYTES: usize = 4_096;
/// A word that more rules share than this says nothing by itself.
const SHARED_MAX: usize = 12;

impl Recalling<'_> {
    /// What persons said that is about what is about to be done, the most fitting first. It is looked
    /// for among kinds of memories, set by set, so that many facts about a thing do not crowd out the
    /// one rule about it.
    pub(crate) fn rules_about(
        &self,
        reader: &dyn Reader,
        reach: &Reach,
        doing: &Doing,
        among: &[&[Kind]],
    ) -> Result<Vec<(Memory, Fit)>> {
        let terms = doing.terms();
        if doing.is_nothing() || terms.is_empty() {
            return Ok(Vec::new());
        }
        let mut keys: Vec<RowKey> = Vec::new();
        for kinds in among {
            let hits = reader.text(&TextQuery {
                of: TextOf::Memories,
                terms: terms.clone(),
                spaces: reach.spaces.clone(),
                session: reach.session.clone(),
                states: vec![State::Staged, State::Confirmed],
                kinds: kinds.to_vec(),
                limit: LOOKED_AT,
            })?;
            keys.extend(hits.iter().map(|hit| RowKey::node(hit.space, hit.node)));
        }
        let rows = reader.rows(&keys)?.into_iter().flatten();
        let said = rows.filter_map(Row::into_memory).filter(|one| is_said(one) && reach.sees(one));
        let mut found: Vec<(Memory, Fit)> = said
            .filter_map(|memory| {
                let fit = occasion::fit(memory.kind, &memory.content, doing)?;
                Some((memory, fit))
            })
            .collect();
        let mut shared: BTreeMap<String, usize> = BTreeMap::new();
        for word in found.iter().filter_map(|(_, fit)| fit.alone.clone()) {
            *shared.entry(word).or_default() += 1;
        }
        let tells = |fit: &Fit| fit.alone.as_ref().is_none_or(|word| shared[word] <= SHARED_MAX);
        found.retain(|(_, fit)| tells(fit));
        found.sort_by(|(a, fit), (b, other)| {
            other.strength.cmp(&fit.strength).then(b.recorded_at.cmp(&a.recorded_at))
        });
        Ok(found)
    }

    /// The memories whose triggers a prompt names: what failed before is said before it is tried again.
    pub(crate) fn triggered_by(&self, prompt: &str) -> Result<Vec<(SpaceId, MemoryId)>> {
        let reach = self.context.reach();
        let prompt = &prompt[..prompt.floor_char_boundary(PROMPT_BYTES)];
        let found = self.engine.now_reader()?.triggered(&reach.spaces, TRIGGERED_READ)?;
        let named = |memory: &Memory| {
            let mut triggers = memory.triggers.iter();
            triggers.any(|pattern| trigger::is_named_in(pattern, prompt))
        };
        let mut found: Vec<Memory> = found
            .into_iter()
            .filter(|one| one.state.is_active() && !one.is_outlived())
            .filter(|one| reach.sees(one) && named(one))
            .collect();
        found.truncate(TRIGGERED_MAX);
        Ok(found.into_iter().map(|memory| (memory.space, memory.id)).collect())
    }

    /// The rules about the files and commands that a prompt names, looked up at once: somebody waits.
    pub(crate) fn rules_for(&self, prompt: &str) -> Result<Vec<MemoryId>> {
        let doing = Doing::by_prompt(prompt);
        if doing.is_nothing() {
            return Ok(Vec::new());
        }
        let kinds = [occasion::RULES, occasion::STATEMENTS].concat();
        let reader = self.engine.now_reader()?;
        let found = self.rules_about(&*reader, &self.context.reach(), &doing, &[&kinds])?;
        Ok(found.into_iter().map(|(memory, _)| memory.id).collect())
    }
}

/// Whether it is a person's word: stated, or taken out of what they said.
fn is_said(memory: &Memory) -> bool {
    memory.authority.is_user() || memory.authority == Authority::Extracted
}
