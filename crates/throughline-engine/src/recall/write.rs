//! Writing what passed the gate: items in their level of detail, quotes, counts, one hint.

use std::collections::BTreeMap;

use throughline_core::page::{self, Detail, DomainCount, Page, PageItem, Quote, Section};
use throughline_core::scope::Reach;
use throughline_core::state::Flag;
use throughline_core::trust::{self, Presentation};
use throughline_core::{
    Episode, Kind, Memory, MemoryId, NodeId, Row, RowKey, State, Timestamp, document, text, words,
};
use throughline_language::procedure;
use throughline_language::question::{AskKind, Question};
use throughline_store::{Reader, TextOf, TextQuery};

use super::elsewhere::ElsewhereHint;
use super::rank::ReadCandidates;
use super::{Ask, CandidateFate, CutReason, Recall, RecallCandidate, Recalled, RecalledThing};
use crate::card::Later;
use crate::flows::Recalling;
use crate::{Card, Result};

/// Characters of what held before.
const HISTORY_CHARS: usize = 80;
/// Archived memories that are looked at where nothing else fits.
const ARCHIVED_READ: usize = 8;

impl Recalling<'_> {
    /// Puts the page together and writes it within the budget.
    pub(super) fn write_page(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        question: Question,
        mut candidates: Vec<RecallCandidate>,
        known: &ReadCandidates,
    ) -> Result<Recall> {
        let mut items = self.shown(reader, &candidates, known)?;
        self.bring_rivals(reader, &mut candidates, known, &mut items)?;
        let counts = counts(&candidates, known);
        let near = near(ask, &items, &candidates, known);
        let alone = items.is_empty() && near.is_empty();
        let archived = if alone { self.archived_matches(reader, ask, &question)? } else { 0 };
        let elsewhere = self.known_elsewhere(reader, ask, &question)?;
        let page = Page {
            about: String::new(),
            sections: vec![Section {
                title: String::new(),
                items: items.iter().filter_map(|item| self.item(item, known)).collect(),
            }],
            quotes: items.iter().filter_map(quote).collect(),
            counts: if items.is_empty() { Vec::new() } else { counts.clone() },
            hint: hint(&near, &elsewhere),
            archived,
            seed: format!("{} {}", self.engine.now(), ask.query),
        };
        let written = page::write(&page, ask.limits.budget_tokens, &self.engine.policy.page);

        let fits = |item: &Recalled| {
            let handle = handle_of(&item.what);
            match &item.what {
                RecalledThing::Memory(_) => {
                    written.shown.iter().find(|(shown, _)| *shown == handle).map(|(_, d)| *d)
                }
                RecalledThing::Episode(_) => {
                    written.quotes_shown.contains(&handle).then_some(Detail::Line)
                }
            }
        };
        items.retain_mut(|item| {
            let detail = if ask.ungated { fits(item).or(Some(item.detail)) } else { fits(item) };
            if let Some(detail) = detail {
                item.detail = detail;
                item.candidate.fate = CandidateFate::Shown(detail);
            }
            let fate = if detail.is_some() {
                item.candidate.fate.clone()
            } else {
                CandidateFate::Cut(CutReason::NoRoom)
            };
            if let Some(one) = candidates.iter_mut().find(|one| one.node == item.candidate.node) {
                one.fate = fate;
            }
            detail.is_some()
        });
        let hinted = near.iter().map(|one| (one.space, one.id));
        let hinted = if written.text.is_empty() { Vec::new() } else { hinted.collect() };
        Ok(Recall {
            query: ask.query.to_owned(),
            items,
            counts,
            text: written.text,
            tokens: written.tokens,
            budget: ask.limits.budget_tokens,
            hinted,
            elsewhere,
            candidates,
            question,
        })
    }

    /// How many memories were put away that hold what was asked for, where a question finds nothing else: the asker
    /// learns that there is something, and a person can look.
    fn archived_matches(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        question: &Question,
    ) -> Result<usize> {
        let asks = question.recalls || question.ask != AskKind::Statement;
        let mut terms = words::query_terms(ask.query);
        terms.retain(|term| !words::is_common(term));
        if !asks || question.small_talk || terms.is_empty() || ask.as_of.is_some() {
            return Ok(0);
        }
        let reach = self.context.reach();
        let (spaces, session) = (reach.spaces.clone(), reach.session.clone());
        let states = vec![State::Archived, State::Expired];
        let (of, kinds, limit) = (TextOf::Memories, Vec::new(), ARCHIVED_READ);
        let query = TextQuery { of, terms: terms.clone(), spaces, session, states, kinds, limit };
        let hits = reader.text(&query)?;
        let keys: Vec<RowKey> = hits.iter().map(|hit| RowKey::node(hit.space, hit.node)).collect();
        let memories = reader.rows(&keys)?.into_iter().flatten().filter_map(Row::into_memory);
        let fits = |memory: &Memory| {
            let held = words::terms(&document::searchable_memory(memory));
            let found = terms.iter().filter(|term| held.contains(term)).count();
            #[expect(clippy::cast_precision_loss, reason = "a prompt has few words")]
            let share = found as f64 / terms.len() as f64;
            // A question that was closed is no answer.
            memory.kind != Kind::Gap && reach.sees(memory) && share >= ask.limits.covers_enough
        };
        Ok(memories.filter(fits).count())
    }

    /// What passed, read in full.
    fn shown(
        &self,
        reader: &dyn Reader,
        candidates: &[RecallCandidate],
        known: &ReadCandidates,
    ) -> Result<Vec<Recalled>> {
        let (mut memories, mut turns) = (Vec::new(), Vec::new());
        for candidate in candidates {
            let CandidateFate::Shown(detail) = candidate.fate else { continue };
            match candidate.node.memory().and_then(|id| known.cards.get(&id)) {
                Some(card) => memories.push(Recalled {
                    history: history_line(reader, &self.context.reach(), card)?,
                    what: RecalledThing::Memory(Box::new(card.clone())),
                    detail,
                    candidate: candidate.clone(),
                }),
                None => turns.push(candidate),
            }
        }
        let keys: Vec<RowKey> = turns.iter().map(|one| RowKey::node(one.space, one.node)).collect();
        for (candidate, row) in turns.into_iter().zip(reader.rows(&keys)?) {
            if let Some(Row::Episode(episode)) = row {
                memories.push(Recalled {
                    what: RecalledThing::Episode(episode),
                    detail: Detail::Line,
                    history: None,
                    candidate: candidate.clone(),
                });
            }
        }
        Ok(memories)
    }

    /// What says otherwise than something shown comes along beside it: both, flagged.
    fn bring_rivals(
        &self,
        reader: &dyn Reader,
        candidates: &mut Vec<RecallCandidate>,
        known: &ReadCandidates,
        items: &mut Vec<Recalled>,
    ) -> Result<()> {
        let mut at = 0;
        while at < items.len() {
            let RecalledThing::Memory(card) = &items[at].what else { break };
            let shown: Vec<NodeId> = items.iter().map(|item| item.candidate.node).collect();
            let missing: Option<MemoryId> =
                card.contested_by.iter().copied().find(|id| !shown.contains(&(*id).into()));
            let space = card.memory.space;
            at += 1;
            let Some(rival) = missing else { continue };
            let card = match known.cards.get(&rival) {
                Some(card) => card.clone(),
                None => {
                    let row = reader.rows(&[RowKey::memory(space, rival)])?.remove(0);
                    let Some(memory) = row.and_then(Row::into_memory) else { continue };
                    self.engine.card(reader, &memory)?
                }
            };
            if !self.context.reach().sees(&card.memory) || !card.memory.state.is_active() {
                continue;
            }
            let beside = items[at - 1].candidate.clone();
            let detail = items[at - 1].detail;
            let candidate = RecallCandidate {
                node: rival.into(),
                salience: Some(card.salience.value),
                trust: Some(card.trust.value()),
                fate: CandidateFate::Shown(detail),
                ..beside
            };
            match candidates.iter_mut().find(|one| one.node == candidate.node) {
                Some(one) => one.fate = CandidateFate::Shown(detail),
                None => candidates.push(candidate.clone()),
            }
            let history = history_line(reader, &self.context.reach(), &card)?;
            items.insert(
                at,
                Recalled {
                    what: RecalledThing::Memory(Box::new(card)),
                    detail,
                    history,
                    candidate,
                },
            );
            at += 1;
        }
        Ok(())
    }

    fn item(&self, item: &Recalled, known: &ReadCandidates) -> Option<PageItem> {
        let RecalledThing::Memory(card) = &item.what else { return None };
        let history = replaced(&card.memory).or_else(|| item.history.clone());
        let via = via(&item.candidate, known);
        Some(PageItem { history, via, ..self.item_of(card, item.detail) })
    }

    /// A memory as a page shows it.
    pub(crate) fn item_of(&self, card: &Card, detail: Detail) -> PageItem {
        let memory = &card.memory;
        PageItem {
            handle: memory.id.handle(),
            detail,
            content: told_in_steps(memory),
            headline_hint: memory.label.clone(),
            kind: memory.kind,
            on: memory.recorded_at.date(),
            authority: memory.authority,
            presentation: self.presentation(card),
            moved: card.then_and_now(),
            reopen: card.reopened_by.first().map(|one| format!("“{}” {}", one.title, one.how)),
            history: None,
            standing: standing(card, self.engine.now()),
            later: card.later.as_ref().map(said_later),
            questioned: card.later.as_ref().is_some_and(|later| later.questions),
            against: card.contested_by.first().map(MemoryId::handle),
            against_by: card.contested_by.first().and_then(|id| card.contesting(*id)),
            said_by: self.said_by(card),
            domain: memory.domain.clone(),
            via: None,
        }
    }

    /// Who said a memory, by name, where that is not whoever asks.
    fn said_by(&self, card: &Card) -> Option<String> {
        let names = card.said_by();
        let own = || self.engine.person().is_some_and(|me| names.contains(&me));
        (!names.is_empty() && !own()).then(|| names.join(", "))
    }

    fn presentation(&self, card: &Card) -> Presentation {
        let stale = card.flags.contains(&Flag::Stale);
        let policy = &self.engine.policy.trust;
        trust::presentation(card.trust.value(), card.salience.value, stale, policy)
    }
}

/// What overlaps but was not worth saying, when nothing else is said. What the session was told is
/// not named again.
fn near<'a>(
    ask: &Ask<'_>,
    items: &[Recalled],
    candidates: &[RecallCandidate],
    known: &'a ReadCandidates,
) -> Vec<&'a Memory> {
    if !items.is_empty() || ask.ungated {
        return Vec::new();
    }
    candidates
        .iter()
        .filter(|one| matches!(one.fate, CandidateFate::Cut(CutReason::Overlaps)))
        .filter_map(|one| known.memories.get(&one.node.memory()?))
        .filter(|one| !ask.already.contains(&one.id) && !ask.named.contains(&one.id))
        .take(2)
        .collect()
}

/// The same in one line.
fn hint(near: &[&Memory], elsewhere: &[ElsewhereHint]) -> Option<String> {
    let titles = near.iter().map(|one| format!("{} [{}]", one.title(), one.id.handle()));
    let titles: Vec<String> = titles.chain(elsewhere.iter().map(ElsewhereHint::in_words)).collect();
    (!titles.is_empty()).then(|| titles.join("; "))
}

/// What a memory says; a procedure with its steps numbered.
fn told_in_steps(memory: &Memory) -> String {
    let steps =
        (memory.kind == Kind::Procedure).then(|| procedure::read(&memory.content)).flatten();
    steps.map_or_else(|| memory.content.clone(), |procedure| procedure.in_one_line())
}

/// Since when a memory is no longer current, if it was replaced.
fn replaced(memory: &Memory) -> Option<String> {
    let until = memory.held_until().filter(|_| memory.state == State::Superseded)?;
    Some(format!("replaced {}", until.date()))
}

/// What is only counted, by domain.
fn counts(candidates: &[RecallCandidate], known: &ReadCandidates) -> Vec<DomainCount> {
    let mut counts: BTreeMap<String, DomainCount> = BTreeMap::new();
    for candidate in candidates {
        let CandidateFate::Counted(_) = candidate.fate else { continue };
        let Some(memory) = candidate.node.memory().and_then(|id| known.memories.get(&id)) else {
            continue;
        };
        let domain = memory.domain.clone().unwrap_or_default();
        let relevance = candidate.relevance;
        let count = counts.entry(domain.clone()).or_insert(DomainCount {
            domain,
            n: 0,
            min: relevance,
            max: relevance,
        });
        count.n += 1;
        count.min = count.min.min(relevance);
        count.max = count.max.max(relevance);
    }
    counts.into_values().collect()
}

fn quote(item: &Recalled) -> Option<Quote> {
    let RecalledThing::Episode(episode) = &item.what else { return None };
    Some(Quote {
        handle: handle_of(&item.what),
        speaker: episode.speaker.clone(),
        on: episode.at.date(),
        text: episode.text.clone(),
    })
}

/// What people call it by.
fn handle_of(found: &RecalledThing) -> String {
    match found {
        RecalledThing::Memory(card) => card.memory.id.handle(),
        RecalledThing::Episode(Episode { id, .. }) => id.handle(),
    }
}

/// How a memory was reached that only the graph came to, in words.
fn via(candidate: &RecallCandidate, known: &ReadCandidates) -> Option<String> {
    let step = candidate.path.last()?;
    let from = step.from.memory().or_else(|| candidate.path.first()?.from.memory());
    let title = from.and_then(|id| known.memories.get(&id)).map(Memory::title);
    // It is said of the memory that the step arrived at.
    let relation = step.relation;
    let relation = if step.forward { relation.in_words_backwards() } else { relation.in_words() };
    Some(match title {
        Some(title) => format!("{relation}: {title}"),
        None => relation,
    })
}

/// How a memory stands, and what it answers where its words do not tell.
fn standing(card: &Card, now: Timestamp) -> Option<String> {
    let answers = card.memory.answers.as_ref();
    let answers = answers.map(|asked| format!("answers “{}”", asked.replace(['“', '”'], "\"")));
    let all: Vec<String> = card.in_few_words(now).into_iter().chain(answers).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// What was said later, as it is told with what it bears on.
fn said_later(later: &Later) -> Quote {
    Quote {
        handle: later.node.handle(),
        speaker: String::new(),
        on: later.at.date(),
        text: one_line(&later.words),
    }
}

fn one_line(content: &str) -> String {
    text::printable(content).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// "until D: X", for the latest memory that this one replaced.
pub(crate) fn history_line(
    reader: &dyn Reader,
    reach: &Reach,
    card: &Card,
) -> Result<Option<String>> {
    let keys: Vec<RowKey> =
        card.supersedes.iter().map(|id| RowKey::memory(card.memory.space, *id)).collect();
    let mut replaced: Vec<Memory> = reader
        .rows(&keys)?
        .into_iter()
        .filter_map(|row| row.and_then(Row::into_memory))
        .filter(|memory| reach.sees(memory))
        .collect();
    replaced.sort_by_key(|memory| (memory.held_until(), memory.id));
    Ok(replaced.last().map(|memory| {
        let until = memory.held_until().unwrap_or(Timestamp::EPOCH).date();
        format!("until {until}: {}", text::headline(&one_line(&memory.content), HISTORY_CHARS))
    }))
}
