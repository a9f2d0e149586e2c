//! Brief: what a session should know before the first word is said in it.

mod focus;
mod kept;

use std::collections::BTreeSet;

use throughline_core::page::{self, Detail, Page, Quote, Section};
use throughline_core::state::Flag;
use throughline_core::{
    Authority, EpisodeId, Evidence, Kind, Layer, Memory, MemoryId, NodeId, Relation, RowKey,
    SpaceId, text, tokens,
};
use throughline_language::speech;
use throughline_store::Reader;

use crate::apply::REASON_IMPORTANCE;
use crate::capture::Mind;
use crate::flows::Briefing;
use crate::verify::{QUEUED_AT_START, ToCheck};
use crate::{Because, Card, Result};

pub(crate) use focus::FocusParts;
pub use kept::KeptBrief;
pub(crate) use kept::forget_kept;

/// Tokens that a brief may take.
const BUDGET: usize = 1_200;
/// Memories of one sort that are looked at, newest first.
const LOOKED_AT: usize = 24;
/// Prompts of the last session that are quoted.
const QUOTED: usize = 3;
/// Characters of each.
const QUOTE_CHARS: usize = 200;
/// Memories that rest on what was said in a session and are looked at.
const HERE_READ: usize = 64;
/// Those of them that are told when it lost its context.
const HERE_MAX: usize = 8;

/// The parts of a brief: title, what sort of memory, how many.
pub(crate) const PARTS: [(&str, &[Kind], usize); 4] = [
    ("Rules and standing decisions", &[Kind::Principle, Kind::Preference, Kind::Decision], 8),
    ("Promised and open", &[Kind::Commitment], 4),
    ("State of play", &[Kind::Fact, Kind::Correction, Kind::Procedure, Kind::Event], 5),
    ("Tried and failed", &[Kind::Negative, Kind::Lesson], 4),
];

/// What a session is told when it begins.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Brief {
    /// In the words an agent reads; empty when there is nothing to say.
    pub text: String,
    /// What that costs.
    pub tokens: usize,
    /// The memories it speaks of.
    pub memories: Vec<(SpaceId, MemoryId)>,
    /// Those of them that are told whole, and not by a headline.
    pub whole: Vec<MemoryId>,
    /// The turns that it quotes.
    pub turns: Vec<EpisodeId>,
    /// What it asks to check.
    pub to_check: Vec<MemoryId>,
    /// Why each of them is in it.
    pub why: Vec<Because>,
    /// What was told before, and is said here to hold no longer.
    pub taken_back: Vec<MemoryId>,
    /// Those of them that never leave a session's mind altogether.
    pub anchors: Vec<MemoryId>,
}

/// What the session before was about.
#[derive(Debug, Default)]
pub(crate) struct WorkedOn {
    /// Files that tools touched.
    pub(crate) files: Vec<String>,
    /// Memories that were in focus.
    pub(crate) focus: Vec<MemoryId>,
    /// The rest of its focus, in names.
    pub(crate) about: String,
}

impl Briefing<'_> {
    /// What holds in a project, and what was asked last in the session before this one.
    pub fn brief(&self, last: Option<&Mind>, to_check: &[ToCheck]) -> Result<Brief> {
        let reader = self.engine.now_reader()?;
        let worked_on = self.worked_on(last);
        let mut anchors = Vec::new();
        let mut sections = Vec::new();
        let first = self.first_of_all(to_check);
        let said = to_check.iter().filter(|one| one.is_said()).take(first.items.len());
        let to_check = said.map(|one| one.card.memory.id);
        let to_check: Vec<MemoryId> = to_check.collect();
        sections.extend((!first.items.is_empty()).then_some(first));
        for (title, kinds, most) in PARTS {
            let cards = self.standing(&*reader, kinds, most, &worked_on)?;
            if !cards.is_empty() {
                let items = cards
                    .iter()
                    .map(|card| {
                        let focused = worked_on.focus.contains(&card.memory.id);
                        let detail = if focused { Detail::Full } else { Detail::Line };
                        self.engine.recalling(self.context).item_of(card, detail)
                    })
                    .collect();
                sections.push(Section { title: title.to_owned(), items });
                anchors.extend(cards.iter().filter(|one| is_anchor(one)).map(|one| one.memory.id));
            }
        }
        let quotes = self.quotes(&*reader, last)?;
        let parts = FocusParts { sections, about: worked_on.about, ..FocusParts::default() };
        let brief = self.write_brief(&*reader, parts, quotes)?;
        Ok(Brief { to_check, anchors, ..brief })
    }

    /// What the session before this one was about.
    fn worked_on(&self, last: Option<&Mind>) -> WorkedOn {
        let Some(last) = last else { return WorkedOn::default() };
        let focus = last.hot.focus(&self.engine.policy.activation);
        WorkedOn {
            files: last.files(),
            focus: focus.into_iter().filter_map(NodeId::memory).collect(),
            about: self.about(&last.hot).unwrap_or_default(),
        }
    }

    fn first_of_all(&self, to_check: &[ToCheck]) -> Section {
        let first = to_check.iter().filter(|one| one.is_said()).take(QUEUED_AT_START);
        let items = first
            .map(|one| self.engine.recalling(self.context).item_of(&one.card, Detail::Line))
            .collect();
        Section { title: "First of all".to_owned(), items }
    }

    /// What a session has had in mind so far, for one that lost what it was told.
    pub fn reminder(&self, mind: &Mind, to_check: &[ToCheck]) -> Result<Brief> {
        let reader = self.engine.now_reader()?;
        let policy = &self.engine.policy.activation;
        let measured = mind.hot.to_measure(policy);
        let edges = self.engine.recalling(self.context).edges_at(&*reader, &measured)?;
        let focus: Vec<MemoryId> = mind.in_mind(&edges, policy);
        let cards = self.read_cards(&*reader, &focus)?;
        let here = self.said_here(&*reader, mind)?;
        let is_here = |card: &&Card| here.iter().any(|one| one.memory.id == card.memory.id);
        let in_full = |cards: &[&Card]| -> Vec<_> {
            cards
                .iter()
                .map(|card| self.engine.recalling(self.context).item_of(card, Detail::Full))
                .collect()
        };
        let items = in_full(&here.iter().collect::<Vec<_>>());
        let used: Vec<&Card> = cards.iter().filter(|card| !is_here(card)).collect();
        if items.is_empty() && used.is_empty() {
            // One reader at a time.
            drop(reader);
            return self.brief(Some(mind), to_check);
        }
        let said = here.iter().map(|card| card.memory.id);
        let known: BTreeSet<MemoryId> = focus.into_iter().chain(said).collect();
        let unmentioned = |one: &&ToCheck| !known.contains(&one.card.memory.id);
        let unsaid: Vec<ToCheck> = to_check.iter().filter(unmentioned).cloned().collect();
        let first = self.first_of_all(&unsaid);
        let mut sections = Vec::from_iter((!first.items.is_empty()).then_some(first));
        sections.push(Section { title: "From this session so far".to_owned(), items });
        sections.retain(|section| !section.items.is_empty());
        let told: Vec<MemoryId> = known.iter().copied().collect();
        let around = mind.hot.around(&edges, policy);
        let in_use = ("Known before, and in use here", used.as_slice());
        let parts = self.by_focus(&*reader, &mind.hot, &around, in_use, &told)?;
        let beside: Vec<String> = parts.handles();
        sections.extend(parts.sections);
        let (title, kinds, most) = PARTS[0];
        let mut standing = self.standing(&*reader, kinds, most, &WorkedOn::default())?;
        standing.retain(|card| {
            !known.contains(&card.memory.id) && !beside.contains(&card.memory.id.handle())
        });
        if !standing.is_empty() {
            let items = standing
                .iter()
                .map(|card| self.engine.recalling(self.context).item_of(card, Detail::Line))
                .collect();
            sections.push(Section { title: title.to_owned(), items });
        }
        let quotes = self.quotes(&*reader, Some(mind))?;
        let parts = FocusParts { sections, ..parts };
        let brief = self.write_brief(&*reader, parts, quotes)?;
        // What is in mind and moved says so itself.
        let to_check = to_check.iter().map(|one| one.card.memory.id).collect();
        Ok(Brief { to_check, ..brief })
    }

    /// What became of what was said in a session: the memories that rest on its turns, the latest
    /// first.
    fn said_here(&self, reader: &dyn Reader, mind: &Mind) -> Result<Vec<Card>> {
        let space = self.context.project.space();
        let turns: Vec<NodeId> = mind.turns().map(NodeId::Episode).collect();
        let edges = reader.neighbours(space, &turns, &[Relation::EvidencedBy], HERE_READ)?;
        let mut ids: Vec<MemoryId> = edges.iter().filter_map(|edge| edge.from.memory()).collect();
        ids.sort();
        ids.dedup();
        let mut cards = self.read_cards(reader, &ids)?;
        // What is only repeated here, or only a reason or a gap, is not what was said.
        cards.retain(|card| {
            let here = |one: &Evidence| one.session == self.context.session && !one.echo;
            card.memory.kind != Kind::Gap
                && card.memory.importance > REASON_IMPORTANCE
                && card.evidence.iter().any(here)
        });
        cards.sort_by_key(|card| std::cmp::Reverse((card.memory.recorded_at, card.memory.id)));
        cards.truncate(HERE_MAX);
        Ok(cards)
    }

    /// Writes a brief within its budget.
    pub(crate) fn write_brief(
        &self,
        reader: &dyn Reader,
        parts: FocusParts,
        quotes: Vec<(EpisodeId, Quote)>,
    ) -> Result<Brief> {
        let FocusParts { sections, counts, about } = parts;
        if sections.is_empty() && quotes.is_empty() {
            return Ok(Brief::default());
        }
        let seed = format!("{} {:?}", self.engine.now(), self.context.session);
        let (said, quotes): (Vec<EpisodeId>, Vec<Quote>) = quotes.into_iter().unzip();
        let page = Page { about, sections, quotes, counts, seed, ..Page::default() };
        let written = page::write(&page, BUDGET, &self.engine.policy.page);
        let (mut memories, mut whole, mut why) = (Vec::new(), Vec::new(), Vec::new());
        for (handle, detail) in &written.shown {
            let found = reader.find(&self.context.reach().spaces, handle)?;
            let Some(memory) = found.first() else { continue };
            memories.push((memory.space, memory.id));
            let part = page.sections.iter().find(|one| one.holds(handle));
            let reason =
                part.map_or_else(String::new, |part| format!("in the brief: {}", part.title));
            why.push(Because::named(handle.clone(), reason, *detail));
            if self.is_whole(memory, *detail) {
                whole.push(memory.id);
            }
        }
        let turns = said.into_iter().filter(|id| written.quotes_shown.contains(&id.handle()));
        let turns: Vec<EpisodeId> = turns.collect();
        let asked = "in the brief: what was asked last";
        why.extend(
            turns.iter().map(|id| Because::named(id.handle(), asked.to_owned(), Detail::Line)),
        );
        let (text, tokens) = (written.text, written.tokens);
        Ok(Brief { text, tokens, memories, whole, turns, why, ..Brief::default() })
    }

    /// Whether a page that shows a memory in this detail leaves out nothing of it.
    fn is_whole(&self, memory: &Memory, detail: Detail) -> bool {
        let policy = &self.engine.policy.page;
        match detail {
            Detail::Full => tokens::estimate(&memory.content) <= policy.full_tokens_max,
            Detail::Line => {
                let words = memory.content.split_whitespace();
                let chars: usize = words.map(|word| word.chars().count() + 1).sum();
                chars <= policy.line_chars_max + 1
            }
        }
    }

    /// The memories of some sorts that matter most here and now, best first.
    pub(crate) fn standing(
        &self,
        reader: &dyn Reader,
        kinds: &[Kind],
        most: usize,
        worked_on: &WorkedOn,
    ) -> Result<Vec<Card>> {
        let reach = self.context.reach();
        let mut found = reader.current(&reach.spaces, kinds, LOOKED_AT)?;
        // However much agents have claimed since, what a person said is looked at.
        found.extend(reader.said(&reach.spaces, kinds, LOOKED_AT)?);
        found.sort_by_key(|memory| std::cmp::Reverse((memory.recorded_at, memory.id)));
        found.dedup_by_key(|memory| memory.id);
        let now = self.engine.now();
        found.retain(|memory| {
            let holds = memory.valid_until.is_none_or(|until| until > now);
            holds && reach.sees(memory) && memory.importance > REASON_IMPORTANCE
        });
        let mut cards = self.engine.cards(reader, &found)?;
        let failed = |card: &Card| card.memory.kind.layer(false) == Layer::Negative;
        cards.retain(|card| {
            let policy = &self.engine.policy.trust;
            // A warning may be doubtful; how things are is only told where it is asserted.
            let from = if failed(card) { policy.doubtful_below } else { policy.assert_from };
            // What a tool told of failing is said before the same command, and not to everybody.
            let by_tool = failed(card)
                && card.memory.kind == Kind::Negative
                && card.memory.authority == Authority::Observed;
            let hidden = [Flag::Dormant, Flag::Stale];
            // What is contested stands there with that mark, beside what contests it.
            let held = card.trust.support * card.trust.watermark;
            // Agents read their own files themselves.
            let by_file = card.in_file.is_some() && card.memory.authority == Authority::File;
            !by_tool
                && !by_file
                && held >= from
                && !card.flags.iter().any(|flag| hidden.contains(flag))
        });
        let weight = |card: &Card| {
            let near = speaks_of(&card.memory, &worked_on.files)
                || worked_on.focus.contains(&card.memory.id);
            let near = if near { 1.5 } else { 1.0 };
            let pinned = if card.memory.pinned { 2.0 } else { 1.0 };
            near * pinned * card.salience.value * card.trust.value()
        };
        cards.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(b.memory.id.cmp(&a.memory.id)));
        cards.truncate(most);
        Ok(cards)
    }

    /// What a person said last that no memory tells: statements, and none that was withdrawn.
    fn quotes(&self, reader: &dyn Reader, mind: Option<&Mind>) -> Result<Vec<(EpisodeId, Quote)>> {
        let mut quotes = Vec::new();
        for turn in mind.map(|mind| mind.said(self.context.project.space())).into_iter().flatten() {
            // In other languages than English a statement is not told from an order, and nobody has
            // asked for it here.
            let told = speech::told(&turn.text, true).join(" ");
            if quotes.len() < QUOTED
                && !told.is_empty()
                && self.engine.recalling(self.context).unquotable(reader, &turn)?.is_none()
            {
                let quote = Quote {
                    handle: turn.id.handle(),
                    speaker: turn.speaker.clone(),
                    on: turn.at.date(),
                    text: text::headline(&told, QUOTE_CHARS),
                };
                quotes.push((turn.id, quote));
            }
        }
        quotes.reverse();
        Ok(quotes)
    }

    /// Memories by their ids, where they can be seen and still hold.
    fn read_cards(&self, reader: &dyn Reader, ids: &[MemoryId]) -> Result<Vec<Card>> {
        let reach = self.context.reach();
        let keys: Vec<RowKey> = ids
            .iter()
            .flat_map(|id| reach.spaces.iter().map(|space| RowKey::memory(*space, *id)))
            .collect();
        let rows = reader.rows(&keys)?.into_iter().flatten();
        let memories: Vec<Memory> = rows
            .filter_map(throughline_core::Row::into_memory)
            .filter(|memory| memory.state.is_active() && reach.sees(memory))
            .collect();
        self.engine.cards(reader, &memories)
    }
}

/// Whether a memory never leaves a session's mind altogether: it stands in a flat memory file.
fn is_anchor(card: &Card) -> bool {
    card.memory.authority == Authority::File
}

/// Whether a memory speaks of one of the files.
fn speaks_of(memory: &Memory, files: &[String]) -> bool {
    files.iter().any(|file| {
        let name = file.rsplit('/').next().unwrap_or(file);
        name.len() > 3
            && (memory.content.contains(name) || memory.triggers.iter().any(|t| t.contains(name)))
    })
}
