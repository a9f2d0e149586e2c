//! Conversations: what one is told when it begins, goes on, or was made shorter.
//!
//! What it was told and still holds is not told again. When it goes on, it hears only what changed
//! since: above all that something it was told no longer holds.

use std::collections::BTreeSet;

use throughline_attention::hot::Hot;
use throughline_core::event::Start;
use throughline_core::page::{Detail, PageItem, Section};
use throughline_core::{Memory, MemoryId, NodeId, Row, RowKey, SessionId, State};
use throughline_store::Reader;

use crate::brief::{Brief, FocusParts, PARTS, WorkedOn};
use crate::capture::{Briefed, Mind};
use crate::flows::Listening;
use crate::history::chain;
use crate::recall::history_line;
use crate::verify::{QUEUED_AT_START, ToCheck};
use crate::{Card, Result};

/// Rules and decisions of other sessions that a conversation hears about when it goes on.
const NEW_MAX: usize = 4;

impl Listening<'_> {
    /// What a conversation is told when its host says that it begins or goes on.
    pub(crate) fn open_conversation(
        &self,
        start: Start,
        mind: &mut Mind,
        last: Option<&Mind>,
        to_check: &[ToCheck],
    ) -> Result<Brief> {
        let now = self.engine.now();
        if start == Start::Reload {
            mind.lose_start();
        }
        let goes_on = mind.lately.holds.brief.is_some();
        let told = match start {
            Start::Compact => {
                mind.lose_context(now);
                self.pull_branches(mind)?;
                self.engine.briefing(self.context).reminder(mind, to_check)?
            }
            Start::Startup | Start::Clear => {
                mind.lose_context(now);
                if let Some(last) = last.filter(|_| mind.hot.nodes.is_empty()) {
                    mind.hot = Hot::resumed(&last.hot, 0, &self.engine.policy.activation);
                }
                self.pull_branches(mind)?;
                self.engine.briefing(self.context).brief(last, to_check)?
            }
            Start::Resume | Start::Reload if goes_on => {
                self.pull_branches(mind)?;
                self.news(mind, to_check)?
            }
            Start::Resume => {
                self.pull_branches(mind)?;
                self.engine.briefing(self.context).brief(Some(mind), to_check)?
            }
            // It comes with the next prompt: what is said now would be dropped again.
            Start::Reload => {
                mind.lately.holds.due = true;
                return Ok(Brief::default());
            }
            // It holds what the conversation was told that it comes from.
            Start::Fork => Brief::default(),
        };
        self.briefed(mind, &told, false);
        Ok(told)
    }

    /// What is due with a prompt, because the conversation lost what it was told when it began.
    pub(crate) fn brief_with_prompt(&self, mind: &mut Mind) -> Result<Brief> {
        if !mind.lately.holds.due {
            return Ok(Brief::default());
        }
        let told = self.engine.briefing(self.context).reminder(mind, &[])?;
        self.briefed(mind, &told, true);
        Ok(told)
    }

    fn briefed(&self, mind: &mut Mind, told: &Brief, with_prompt: bool) {
        // What was only named by a headline may still be told in full.
        self.present(mind, &told.whole);
        for id in &told.anchors {
            mind.hot.anchor((*id).into(), "", &self.engine.policy.activation);
        }
        mind.hold(told);
        let holds = &mut mind.lately.holds;
        holds.due = false;
        let brief = Briefed {
            at: self.engine.now(),
            with_prompt,
            memories: told.memories.iter().map(|(_, id)| *id).collect(),
            turns: told.turns.clone(),
        };
        match &mut holds.brief {
            Some(earlier) => earlier.at = brief.at,
            None => holds.brief = Some(brief),
        }
    }

    /// What changed since a conversation was told: what it was told and no longer holds, what moved,
    /// and what others decided.
    fn news(&self, mind: &Mind, to_check: &[ToCheck]) -> Result<Brief> {
        let holds = &mind.lately.holds;
        let Some(brief) = &holds.brief else { return Ok(Brief::default()) };
        let reader = self.engine.now_reader()?;
        let reader = &*reader;
        let mut sections = Vec::new();
        let (changed, taken_back) = self.taken_back(reader, mind)?;
        let told_as_change: BTreeSet<String> =
            changed.iter().map(|item| item.handle.clone()).collect();
        sections.push(Section { title: "Changed since you were told".to_owned(), items: changed });
        let moved = to_check
            .iter()
            .filter(|one| one.is_said() && !holds.to_check.contains(&one.card.memory.id))
            .take(QUEUED_AT_START);
        let to_check: Vec<MemoryId> = moved.clone().map(|one| one.card.memory.id).collect();
        let items = moved
            .map(|one| self.engine.recalling(self.context).item_of(&one.card, Detail::Line))
            .collect();
        sections.push(Section { title: "To check first".to_owned(), items });
        let held: BTreeSet<MemoryId> = mind.held().into_iter().collect();
        let (title, kinds, most) = PARTS[0];
        let mut new = self.engine.briefing(self.context).standing(
            reader,
            kinds,
            most,
            &WorkedOn::default(),
        )?;
        new.retain(|card| {
            card.memory.recorded_at > brief.at
                && !held.contains(&card.memory.id)
                && !told_as_change.contains(&card.memory.id.handle())
                && !is_said_only_by(card, self.context.session.as_ref())
        });
        new.truncate(NEW_MAX);
        let items = new
            .iter()
            .map(|card| self.engine.recalling(self.context).item_of(card, Detail::Line))
            .collect();
        sections.push(Section { title: format!("New: {}", title.to_lowercase()), items });
        sections.retain(|section| !section.items.is_empty());
        let parts = FocusParts::plain(sections);
        let told = self.engine.briefing(self.context).write_brief(reader, parts, Vec::new())?;
        Ok(Brief { to_check, taken_back, ..told })
    }

    /// What a conversation was told and no longer holds: what stands in its place, or that nothing
    /// does. What was replaced by a word of its own it knows.
    fn taken_back(
        &self,
        reader: &dyn Reader,
        mind: &Mind,
    ) -> Result<(Vec<PageItem>, Vec<MemoryId>)> {
        let told: Vec<MemoryId> = mind.held();
        let reach = self.context.reach();
        let keys: Vec<RowKey> = told
            .iter()
            .filter(|id| !mind.lately.holds.taken_back.contains(id))
            .flat_map(|id| reach.spaces.iter().map(|space| RowKey::memory(*space, *id)))
            .collect();
        let (mut items, mut gone) = (Vec::new(), Vec::new());
        let mut heads: BTreeSet<MemoryId> = told.iter().copied().collect();
        for memory in reader.rows(&keys)?.into_iter().flatten().filter_map(Row::into_memory) {
            if memory.state.is_active() || !reach.sees(&memory) {
                continue;
            }
            gone.push(memory.id);
            let head = head_of(reader, &memory)?.filter(|head| reach.sees(head));
            let card = self.engine.card(reader, head.as_ref().unwrap_or(&memory))?;
            if is_said_only_by(&card, self.context.session.as_ref()) && head.is_some() {
                continue;
            }
            match head {
                // Two that were told may lead to the same one.
                Some(head) if heads.insert(head.id) => {
                    let history = history_line(reader, &reach, &card)?;
                    items.push(PageItem {
                        history,
                        ..self.engine.recalling(self.context).item_of(&card, Detail::Line)
                    });
                }
                Some(_) => {}
                None => {
                    let how = ended(memory.state).to_owned();
                    let content = format!("{how}: {}", memory.title());
                    items.push(PageItem {
                        content,
                        ..self.engine.recalling(self.context).item_of(&card, Detail::Line)
                    });
                }
            }
        }
        Ok((items, gone))
    }
}

/// How a claim ended that nothing stands in the place of.
fn ended(state: State) -> &'static str {
    match state {
        State::Expired => "no longer valid",
        State::Archived => "archived",
        State::Superseded | State::Retracted | State::Draft | State::Staged | State::Confirmed => {
            "withdrawn"
        }
    }
}

/// What stands now in the place of a memory that was replaced.
fn head_of(reader: &dyn Reader, memory: &Memory) -> Result<Option<Memory>> {
    if memory.state != State::Superseded {
        return Ok(None);
    }
    let keys: Vec<RowKey> = chain(reader, memory)?
        .into_iter()
        .map(|id| RowKey::node(memory.space, NodeId::Memory(id)))
        .collect();
    let rows = reader.rows(&keys)?.into_iter().flatten();
    Ok(rows.filter_map(Row::into_memory).find(|one| one.state.is_active()))
}

/// Whether a memory rests on nothing but what one session said.
fn is_said_only_by(card: &Card, session: Option<&SessionId>) -> bool {
    let here = |said: Option<&SessionId>| said.is_some() && said == session;
    !card.evidence.is_empty() && card.evidence.iter().all(|one| here(one.session.as_ref()))
}
