//! Warn: what is known to go wrong, said when a tool does it again.

use std::collections::BTreeSet;

use throughline_core::event::ToolCall;
use throughline_core::page::{self, Detail, Page, Section};
use throughline_core::{Memory, trigger, words};

use crate::{Card, Context, Engine, Result};

/// Memories with triggers that are looked at.
const LOOKED_AT: usize = 2_000;
/// Warnings before one call at most.
const SAID: usize = 2;
/// Tokens that they may take.
const BUDGET: usize = 300;

/// What is said about a call of a tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Warning {
    /// In the words an agent reads; empty when there is nothing to say.
    pub text: String,
    /// What that costs.
    pub tokens: usize,
    /// The memories it speaks of.
    pub cards: Vec<Card>,
}

impl Engine {
    /// What failed before, or how it is done, where a tool does the very thing: now, or, where the
    /// host tells us only afterwards, a moment ago (`has_run`).
    ///
    /// `heard` says which memories this session was shown a moment ago.
    pub fn warn(
        &self,
        context: &Context,
        call: &ToolCall,
        has_run: bool,
        heard: &dyn Fn(&Memory) -> bool,
    ) -> Result<Warning> {
        let reader = self.now_reader()?;
        let reach = context.reach();
        let found = reader.triggered(&reach.spaces, LOOKED_AT)?;
        let fits =
            |memory: &Memory| memory.triggers.iter().any(|pattern| trigger::matches(pattern, call));
        let told = |one: &Memory| one.state.is_active() && reach.sees(one) && !heard(one);
        let matching: Vec<Memory> =
            found.into_iter().filter(|one| fits(one) && told(one)).collect();
        if matching.is_empty() {
            return Ok(Warning::default());
        }
        let mut cards = self.cards(&*reader, &matching)?;
        let weight = |card: &Card| card.trust.value() * card.memory.importance;
        cards.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.memory.id.cmp(&b.memory.id)));
        let mut cards = without_repeats(cards);
        cards.truncate(SAID);
        // Most hosts put what we say before a call beside its result, so this must hold then too.
        let title = if has_run { "Known about what has just run" } else { "Known about this call" };
        let page = Page {
            sections: vec![Section {
                title: title.to_owned(),
                items: cards.iter().map(|card| self.item_of(card, Detail::Full)).collect(),
            }],
            seed: format!("{} {}", self.now(), call.tool),
            ..Page::default()
        };
        let written = page::write(&page, BUDGET, &self.policy.page);
        cards.retain(|card| {
            let handle = card.memory.id.handle();
            written.shown.iter().any(|(shown, _)| *shown == handle)
        });
        Ok(Warning { text: written.text, tokens: written.tokens, cards })
    }
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
