//! Warn: what is known to go wrong and what is asked for, said when a tool does the very thing.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::event::ToolCall;
use throughline_core::page::{self, Detail, Page, Section};
use throughline_core::{Kind, Memory, MemoryId, Row, RowKey, SessionId, Timestamp, words};
use throughline_language::occasion::{self, Doing, Fit};
use throughline_language::trigger;
use throughline_store::Reader;

use crate::capture::Mind;
use crate::flows::Listening;
use crate::helper::helper_session;
use crate::listen::Reply;
use crate::{Because, Card, Context, Result, Said};

/// Memories with triggers that are looked at.
const LOOKED_AT: usize = 2_000;
/// Warnings before one call at most.
const SAID: usize = 2;
/// Tokens that they may take.
const BUDGET: usize = 300;
/// Turns within which the same failure is not told again. A rule is told once.
const WARNED_TURNS: u32 = 6;
/// Warnings that a conversation is known to have heard; the oldest go first.
const WARNED_MAX: usize = 256;
/// How well a memory fits that was given this very trigger.
const TRIGGERED: usize = 9;

/// What is said about a call of a tool.
#[derive(Debug, Default)]
struct Warning {
    /// In the words an agent reads; empty when there is nothing to say.
    text: String,
    /// What that costs.
    tokens: usize,
    /// The memories it speaks of.
    cards: Vec<Card>,
}

/// What somebody who is about to be warned has heard.
struct AlreadyHeard<'a> {
    /// By triggers: a short while ago. By what they say: ever, as long as it is held.
    lately: &'a dyn Fn(&Memory) -> bool,
    ever: &'a dyn Fn(&Memory) -> bool,
    /// The session, and since when its last prompt stands.
    prompt: Option<(&'a SessionId, Timestamp)>,
}

impl Listening<'_> {
    /// A tool is about to run, or has run where the host did not say so before.
    pub(crate) fn warn_of(
        &self,
        helper: Option<&str>,
        call: &ToolCall,
        has_run: bool,
        mind: &mut Mind,
    ) -> Result<Reply> {
        let turn = mind.hot.turn;
        let lately = &mind.lately;
        let warned_here = |memory: &Memory| lately.warned.get(&memory.id).copied();
        let to_helper =
            |helper: &str, memory: &Memory| lately.helpers.warned_of(helper).contains(&memory.id);
        let short_ago = |memory: &Memory| match helper {
            Some(helper) => to_helper(helper, memory),
            None => warned_here(memory).is_some_and(|at| turn.saturating_sub(at) < WARNED_TURNS),
        };
        let ever = |memory: &Memory| match helper {
            Some(helper) => to_helper(helper, memory),
            None => warned_here(memory).is_some() || mind.was_told_with_prompt(memory.id),
        };
        let prompt = self.context.session.as_ref().zip(mind.last_prompt_at());
        let heard = AlreadyHeard { lately: &short_ago, ever: &ever, prompt };
        let warning = self.warn(call, has_run, &heard)?;
        let noted: Vec<_> =
            warning.cards.iter().map(|card| (card.memory.space, card.memory.id)).collect();
        let mut reply = Reply::default();
        let shown: Vec<MemoryId> = noted.iter().map(|(_, id)| *id).collect();
        if let Some(helper) = helper {
            // Its agent has not seen it.
            let session =
                self.context.session.as_ref().map(|one| helper_session(one, Some(helper)));
            let apart = Context { session, ..self.context.clone() };
            reply.note(self.engine.recalling(&apart).note_shown(&noted, warning.tokens, false));
            mind.lately.helpers.warn(helper, &shown);
        } else {
            reply.note(self.engine.recalling(self.context).note_shown(
                &noted,
                warning.tokens,
                false,
            ));
            mind.lately.warned.extend(shown.iter().map(|id| (*id, turn)));
            while mind.lately.warned.len() > WARNED_MAX {
                mind.lately.warned.pop_first();
            }
            self.present(mind, &shown);
        }
        let reason = if has_run { "the tool has just done this" } else { "the tool does this" };
        let why = warning.cards.iter().map(|card| Because::of_card(card, reason, Detail::Full));
        let said = Said {
            why: why.collect(),
            text: warning.text,
            tokens: warning.tokens,
            memories: shown,
            turns: Vec::new(),
        };
        Ok(Reply { said, ..reply })
    }

    /// What failed before, how it is done, or what somebody asks for, where a tool does the very thing:
    /// now, or, where the host tells us only afterwards, a moment ago (`has_run`).
    fn warn(&self, call: &ToolCall, has_run: bool, heard: &AlreadyHeard<'_>) -> Result<Warning> {
        let reader = self.engine.now_reader()?;
        let mut cards = self.known_about(&*reader, call, heard)?;
        if cards.is_empty() {
            return Ok(Warning::default());
        }
        cards.truncate(SAID);
        self.bring_rival(&*reader, &mut cards)?;
        // Most hosts put what we say before a call beside its result, so this must hold then too.
        let title = if has_run { "Known about what has just run" } else { "Known about this call" };
        let page = Page {
            sections: vec![Section {
                title: title.to_owned(),
                items: cards
                    .iter()
                    .map(|card| self.engine.recalling(self.context).item_of(card, Detail::Full))
                    .collect(),
            }],
            seed: format!("{} {}", self.engine.now(), call.tool),
            ..Page::default()
        };
        let written = page::write(&page, BUDGET, &self.engine.policy.page);
        cards.retain(|card| {
            let handle = card.memory.id.handle();
            written.shown.iter().any(|(shown, _)| *shown == handle)
        });
        Ok(Warning { text: written.text, tokens: written.tokens, cards })
    }

    /// What is known about a call and was not heard, the most fitting first.
    fn known_about(
        &self,
        reader: &dyn Reader,
        call: &ToolCall,
        heard: &AlreadyHeard<'_>,
    ) -> Result<Vec<Card>> {
        let reach = self.context.reach();
        let triggered =
            |memory: &Memory| memory.triggers.iter().any(|pattern| trigger::matches(pattern, call));
        let mut found: Vec<Memory> = reader.triggered(&reach.spaces, LOOKED_AT)?;
        found.retain(|one| {
            let stands = one.state.is_active() && !one.is_outlived();
            stands && triggered(one) && reach.sees(one) && !(heard.lately)(one)
        });
        let mut fits: BTreeMap<MemoryId, Fit> = BTreeMap::new();
        let doing = Doing::by_call(call, self.context.project.root.to_str());
        for (memory, fit) in self.engine.recalling(self.context).rules_about(
            reader,
            &reach,
            &doing,
            &[occasion::RULES, occasion::STATEMENTS],
        )? {
            let wanted = !memory.is_outlived() && !(heard.ever)(&memory);
            if wanted && !found.iter().any(|known| known.id == memory.id) {
                fits.insert(memory.id, fit);
                found.push(memory);
            }
        }
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let mut cards = self.engine.cards(reader, &found)?;
        // What the prompt has just said need not be said again, unless it is about to be broken.
        cards.retain(|card| {
            let keeps = fits.get(&card.memory.id).is_some_and(|fit| !fit.denied);
            !(keeps && heard.has_just_been_told(card))
        });
        let strength = |card: &Card| match fits.get(&card.memory.id) {
            Some(fit) => fit.strength,
            None if is_an_agents_rule(&card.memory) => 0,
            None => TRIGGERED,
        };
        let weight = |card: &Card| card.trust.value() * card.memory.importance;
        cards.sort_by(|a, b| {
            let fitting = strength(b).cmp(&strength(a));
            fitting.then(weight(b).total_cmp(&weight(a))).then(a.memory.id.cmp(&b.memory.id))
        });
        Ok(without_repeats(cards))
    }

    /// What is contested is said beside what contests it.
    fn bring_rival(&self, reader: &dyn Reader, cards: &mut Vec<Card>) -> Result<()> {
        let known: Vec<MemoryId> = cards.iter().map(|card| card.memory.id).collect();
        let Some(first) = cards.iter().position(|card| !card.contested_by.is_empty()) else {
            return Ok(());
        };
        let rivals = &cards[first].contested_by;
        if rivals.iter().any(|rival| known.contains(rival)) {
            return Ok(());
        }
        let key = RowKey::memory(cards[first].memory.space, rivals[0]);
        let rival = reader.rows(&[key])?.remove(0).and_then(Row::into_memory);
        let Some(rival) = rival.filter(|rival| self.context.reach().sees(rival)) else {
            return Ok(());
        };
        let rival = self.engine.cards(reader, &[rival])?;
        cards.truncate(first + 1);
        cards.extend(rival);
        Ok(())
    }
}

impl AlreadyHeard<'_> {
    /// Whether all that stands behind a memory is the prompt that the agent works on.
    fn has_just_been_told(&self, card: &Card) -> bool {
        self.prompt.is_some_and(|(session, since)| {
            let just = card
                .evidence
                .iter()
                .all(|one| one.session.as_ref() == Some(session) && one.at >= since);
            just && !card.evidence.is_empty()
        })
    }
}

/// Whether an agent made the rule, and gave it its trigger: what a person asked for comes first.
fn is_an_agents_rule(memory: &Memory) -> bool {
    !memory.authority.is_user() && memory.kind != Kind::Negative
}

/// The cards, best first, without those that say in other words only what a better one says: what a
/// tool reported, and what its agent then wrote about it.
fn without_repeats(cards: Vec<Card>) -> Vec<Card> {
    let told = |card: &Card| {
        let terms = words::query_terms(&card.memory.content).into_iter();
        terms.filter(|term| !words::is_common(term)).collect::<BTreeSet<String>>()
    };
    let mut kept: Vec<Card> = Vec::new();
    for card in cards {
        let says = told(&card);
        let repeats =
            |better: &Card| better.memory.kind == card.memory.kind && says.is_subset(&told(better));
        if says.is_empty() || !kept.iter().any(repeats) {
            kept.push(card);
        }
    }
    kept
}
