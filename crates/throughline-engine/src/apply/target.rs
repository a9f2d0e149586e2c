//! Targets: which memory somebody means who says that something is wrong.
//!
//! Nothing is taken back on a guess. The memory must hold what is said to be wrong, word for word
//! where it tells, must be about the same thing, and must be the only one.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use throughline_core::{Memory, RowKey, SessionId, SpaceId, State, words};
use throughline_embed::MODEL;
use throughline_language::{near, probe};
use throughline_store::{Reader, TextOf, TextQuery};

use crate::Result;
use crate::engine::is_handle;
use crate::flows::Keeping;
use crate::neighbours::head_of;
use crate::transaction::Transaction;

/// How near in meaning is near enough to be what was replaced, said again.
const SAME_AGAIN: f64 = 0.82;
/// Memories that may say the same and are looked at.
const TWINS: usize = 4;
/// Memories that are looked at.
const LOOKED_AT: usize = 16;
/// How near in meaning a memory must be to what is said to be right.
const NEAR: f64 = 0.45;
/// The same for one that holds the wrong value word for word.
const NEAR_NAMED: f64 = 0.3;
/// The same for one that is about the same thing and does not name the property.
const NEAR_ELSE: f64 = 0.65;
/// How near in meaning what is said must be to what held before, to say it again.
const SAID_AGAIN: f64 = 0.4;
/// How much nearer than the next it must be.
const AHEAD: f64 = 0.05;
/// The share of the wrong words that it must hold.
const HOLDS: f64 = 0.75;

impl Keeping<'_> {
    /// Active memories of the same space that are near in meaning to one, and may be told of the
    /// same thing differently; the nearest first.
    pub(crate) fn near_to(
        &self,
        reader: &dyn Reader,
        memory: &Memory,
        most: usize,
    ) -> Result<Vec<Memory>> {
        let terms = telling(&memory.content);
        if terms.is_empty() || !memory.kind.can_be_replaced() {
            return Ok(Vec::new());
        }
        let query = TextQuery {
            states: vec![State::Staged, State::Confirmed],
            limit: LOOKED_AT,
            ..asking(memory.space, memory.session.as_ref(), &terms)
        };
        let meaning = self.meaning_of(reader, memory)?;
        let mut near: Vec<(f64, Memory)> = Vec::new();
        for other in memories(reader, &query)? {
            if other.id == memory.id
                || other.session != memory.session
                || !other.kind.can_be_replaced()
            {
                continue;
            }
            let cosine = f64::from(dot(&meaning, &self.meaning_of(reader, &other)?));
            if cosine >= NEAR {
                near.push((cosine, other));
            }
        }
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.id.cmp(&b.1.id)));
        near.truncate(most);
        Ok(near.into_iter().map(|(_, memory)| memory).collect())
    }

    /// The active memory that holds what is wrong, if there is exactly one.
    pub(super) fn target(
        &self,
        tx: &Transaction<'_>,
        wrong: &str,
        right: &str,
    ) -> Result<Option<Memory>> {
        let space = tx.scope.space;
        if is_handle(wrong) {
            let mut found = tx.find(&[space], wrong)?;
            found.retain(|one| one.state.is_active());
            return Ok(if found.len() == 1 { found.pop() } else { None });
        }
        let wanted: BTreeSet<String> = telling(wrong);
        if wanted.is_empty() {
            return Ok(None);
        }
        let states = vec![State::Staged, State::Confirmed];
        let query = TextQuery {
            states,
            limit: LOOKED_AT,
            ..asking(space, tx.session.as_ref(), &spelt(wrong))
        };
        let whose = owner(wrong);
        let mut held = memories(&**tx, &query)?;
        held.retain(|memory| {
            let holds = |wanted: &BTreeSet<String>| holds(memory, wanted);
            let of_it = || whose.as_ref().is_some_and(holds) && of_a_kind(&memory.content, right);
            memory.kind.can_be_replaced() && (says(memory, wrong) || holds(&wanted) || of_it())
        });
        // What says the new value already is not what is wrong.
        let now = holding(right);
        let new: BTreeSet<String> = telling(&now).difference(&wanted).cloned().collect();
        if wanted.is_subset(&telling(&now)) && !new.is_empty() {
            held.retain(|memory| !new.is_subset(&telling(&holding(&memory.content))));
        }
        // Where one speaks of nothing but what was said, the others are about something else.
        let said: BTreeSet<String> = telling(&now).union(&wanted).cloned().collect();
        let of_that = |memory: &Memory| telling(&holding(&memory.content)).is_subset(&said);
        if held.iter().any(of_that) {
            held.retain(of_that);
        }
        self.nearest_in_meaning(&**tx, held, wrong, &now)
    }

    /// A memory that was replaced or taken back and says this, or nearly this, while none that is
    /// held does.
    pub(super) fn gone_saying(
        &self,
        reader: &dyn Reader,
        space: SpaceId,
        session: Option<&SessionId>,
        said: &str,
    ) -> Result<Option<Memory>> {
        let terms = telling(said);
        let states =
            [vec![State::Superseded, State::Retracted], vec![State::Staged, State::Confirmed]];
        let meaning = self.engine.meaning.of_query(said);
        let mut alike = states.into_iter().map(|states| -> Result<Option<Memory>> {
            let query = TextQuery { states, limit: TWINS, ..asking(space, session, &terms) };
            for memory in memories(reader, &query)? {
                let apart = near::veto(&memory.content, said).is_some();
                if !apart
                    && f64::from(dot(&meaning, &self.meaning_of(reader, &memory)?)) >= SAME_AGAIN
                {
                    return Ok(Some(memory));
                }
            }
            Ok(None)
        });
        let gone = alike.next().transpose()?.flatten();
        let held = alike.next().transpose()?.flatten();
        Ok(gone.filter(|_| held.is_none()))
    }

    /// The vector of a memory, as it was kept or made anew.
    fn meaning_of(&self, reader: &dyn Reader, memory: &Memory) -> Result<Vec<f32>> {
        let kept = reader.vectors_of(memory.space, MODEL, &[memory.id.into()])?.remove(0);
        Ok(kept.unwrap_or_else(|| {
            let text = throughline_core::document::searchable_memory(memory);
            self.engine.meaning.of_query(&text).to_vec()
        }))
    }

    /// What stands where something stood that is said again: "we went back to npm" takes back
    /// whatever replaced it. Only where one memory can be meant.
    pub(super) fn in_place_of(&self, tx: &Transaction<'_>, right: &str) -> Result<Option<Memory>> {
        let space = tx.scope.space;
        let right = &holding(right);
        let wanted = telling(right);
        if wanted.is_empty() {
            return Ok(None);
        }
        let states = vec![State::Superseded];
        let query =
            TextQuery { states, limit: LOOKED_AT, ..asking(space, tx.session.as_ref(), &wanted) };
        let meaning = self.engine.meaning.of_query(right);
        let mut heads: Vec<Memory> = Vec::new();
        for retired in memories(&**tx, &query)? {
            let Some(head) = head_of(&**tx, &retired)? else { continue };
            let (old, new) =
                (telling(&holding(&retired.content)), telling(&holding(&head.content)));
            // What told the two apart is said again, of the same thing or of nothing else.
            let again = wanted.iter().any(|term| old.contains(term) && !new.contains(term));
            let of_it = wanted.iter().any(|term| new.contains(term));
            let only = wanted.iter().all(|term| old.contains(term));
            let again = again
                && (of_it
                    || only
                    || f64::from(dot(&meaning, &self.meaning_of(&**tx, &retired)?)) >= SAID_AGAIN);
            if again && head.state.is_active() && heads.iter().all(|one| one.id != head.id) {
                heads.push(head);
            }
        }
        Ok(if heads.len() == 1 { heads.pop() } else { None })
    }

    fn nearest_in_meaning(
        &self,
        reader: &dyn Reader,
        held: Vec<Memory>,
        wrong: &str,
        right: &str,
    ) -> Result<Option<Memory>> {
        let said = if right.is_empty() { wrong } else { right };
        // What is right does not say it: it is what was wrong, and not what is spoken of.
        let is_value = !right.is_empty() && !telling(wrong).is_subset(&telling(right));
        let topic: BTreeSet<String> = telling(right).difference(&telling(wrong)).cloned().collect();
        let meaning = self.engine.meaning.of_query(said);
        let mut near: Vec<(f64, Memory)> = Vec::new();
        for memory in held {
            let cosine = f64::from(dot(&meaning, &self.meaning_of(reader, &memory)?));
            let named = is_value && says(&memory, wrong);
            // The wrong value, of something that what is right speaks of too.
            let plain = named && !topic.is_disjoint(&telling(&memory.content));
            let needed = if named {
                NEAR_NAMED
            } else if says(&memory, wrong) || holds(&memory, &telling(wrong)) {
                NEAR
            } else {
                NEAR_ELSE
            };
            if plain || cosine >= needed {
                near.push((cosine, memory));
            }
        }
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.id.cmp(&b.1.id)));
        let clear = match near.as_slice() {
            [] => false,
            [_] => true,
            [first, second, ..] => first.0 - second.0 >= AHEAD,
        };
        Ok(clear.then(|| near.swap_remove(0).1))
    }
}

/// A search for memories that hold some of these words; what state and sort, the caller says.
fn asking(space: SpaceId, session: Option<&SessionId>, terms: &BTreeSet<String>) -> TextQuery {
    TextQuery {
        spaces: vec![space],
        session: session.cloned(),
        terms: terms.iter().cloned().collect(),
        of: TextOf::Memories,
        states: Vec::new(),
        kinds: Vec::new(),
        limit: 0,
    }
}

/// The memories that a search finds, best first.
fn memories(reader: &dyn Reader, query: &TextQuery) -> Result<Vec<Memory>> {
    let hits = reader.text(query)?.into_iter();
    let keys: Vec<RowKey> = hits.map(|hit| RowKey::node(hit.space, hit.node)).collect();
    Ok(reader.rows(&keys)?.into_iter().filter_map(|row| row?.into_memory()).collect())
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// The words that tell what is meant. That something is used, wanted or was decided is said of
/// everything.
fn telling(text: &str) -> BTreeSet<String> {
    static OF_ALL: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let plain = "use user want like prefer decided decision chose settled agreed picked go team \
            run live kept written sent work";
        words::terms(plain).into_iter().collect()
    });
    let plain = |term: &String| words::is_common(term) || OF_ALL.contains(term);
    words::query_terms(text).into_iter().filter(|term| !plain(term)).collect()
}

/// What a text says to hold: one that tells of a change names what no longer does as well.
fn holding(text: &str) -> String {
    probe::what_holds(text).unwrap_or_else(|| text.to_owned())
}

/// The words to look for, however they are written: `PascalCase` is "pascalcase" too.
fn spelt(text: &str) -> BTreeSet<String> {
    telling(text).into_iter().chain(telling(&text.to_lowercase())).collect()
}

/// What has a property, of "the lifetime of the login cookie".
fn owner(text: &str) -> Option<BTreeSet<String>> {
    let (_, owner) = text.split_once(" of ").or_else(|| text.split_once(" for "))?;
    Some(telling(owner)).filter(|owner| !owner.is_empty())
}

/// Whether two statements give values that can stand in each other's place: two names, or two
/// amounts of the same.
fn of_a_kind(one: &str, other: &str) -> bool {
    let number = |text: &str| text.contains(|c: char| c.is_ascii_digit());
    let counted = |text: &str| -> BTreeSet<String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let after = |pair: &[&str]| number(pair[0]).then(|| telling(pair[1]));
        words.windows(2).filter_map(after).flatten().collect()
    };
    match (number(one), number(other)) {
        (false, false) => true,
        (true, true) => !counted(one).is_disjoint(&counted(other)),
        (true, false) | (false, true) => false,
    }
}

/// Whether a memory holds these words as they stand, whatever their case.
fn says(memory: &Memory, value: &str) -> bool {
    let (content, value) = (holding(&memory.content).to_lowercase(), value.to_lowercase());
    let bound = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    content.match_indices(&value).any(|(at, found)| {
        bound(content[..at].chars().next_back())
            && bound(content[at + found.len()..].chars().next())
    })
}

/// Whether a memory holds most of the words, and all that have a digit in them.
#[expect(clippy::cast_precision_loss, reason = "a handful of words")]
fn holds(memory: &Memory, wanted: &BTreeSet<String>) -> bool {
    let has: BTreeSet<String> = words::query_terms(&holding(&memory.content)).into_iter().collect();
    let found = wanted.iter().filter(|term| has.contains(*term)).count();
    let exact = |term: &&String| term.chars().any(|c| c.is_ascii_digit());
    found as f64 / wanted.len() as f64 >= HOLDS
        && wanted.iter().filter(exact).all(|t| has.contains(t))
}
