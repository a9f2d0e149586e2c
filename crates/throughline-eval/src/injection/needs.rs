//! Prompts that do need memory: the questions of a benchmark, asked as hooks ask.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use throughline_core::{MemoryId, Timestamp};
use throughline_engine::{Ask, Memo, NewMemory, Recall};

use super::corpus::spread;
use super::{STATEMENTS, for_each_threshold};
use crate::data::{Set, WireQuestion};
use crate::haystack::{self, Store, side_by_side, turns_of};

/// Questions whose gold becomes memories of one store.
const QUESTIONS_A_STORE: usize = 8;
/// A turn up to this long could be a memory as it is.
const MEMORY_CHARS: usize = 600;
/// Gold turns of a question that is asked of memories.
const GOLD_MAX: usize = 3;
/// Stores of memories made of one set.
const STORES_MAX: usize = 15;

/// What is said to the questions of a set.
pub(super) struct Needs {
    pub(super) name: String,
    /// The gold lies among all that was said in the haystack.
    pub(super) episodes: Vec<Need>,
    /// The gold lies among a few memories that are turns of the haystack.
    pub(super) memories: Vec<Need>,
}

/// What is said to one question, for each threshold.
pub(super) struct Need {
    pub(super) at: Vec<Told>,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Told {
    /// Something is said.
    pub(super) said: bool,
    /// Some gold is.
    pub(super) gold: bool,
    pub(super) tokens: usize,
}

pub(super) fn measure(set: &Set, memo: &Arc<Memo>) -> anyhow::Result<Needs> {
    let haystacks = haystack::haystacks(set, false);
    let episodes = haystack::ask_all(set, &haystacks, memo, |store, question| {
        let at = for_each_threshold(store, &store.ask(question), |recall| {
            let gold = |turn: &String| question.gold_turns.contains(turn);
            told(recall, turns_of(recall).iter().any(gold))
        })?;
        Ok(Need { at })
    })?;
    let groups = groups(set);
    let memories = side_by_side(&groups, |group| of_memories(set, group, memo))?;
    let memories = memories.into_iter().flatten().collect();
    Ok(Needs { name: set.name.clone(), episodes, memories })
}

/// What was told, if this is gold.
fn told(recall: &Recall, gold: bool) -> Told {
    Told { said: true, gold, tokens: recall.tokens }
}

/// Questions of one store whose gold could be memories, a few at a time.
fn groups(set: &Set) -> Vec<Vec<&WireQuestion>> {
    let texts = texts_of(set);
    let fits = |turn: &String| {
        texts.get(turn.as_str()).is_some_and(|(_, text)| text.chars().count() <= MEMORY_CHARS)
    };
    let could = |one: &&WireQuestion| {
        (1..=GOLD_MAX).contains(&one.gold_turns.len()) && one.gold_turns.iter().all(fits)
    };
    // Where every question has a haystack of its own, the first one's stands for the few.
    let own = set.questions.iter().map(|one| &one.store).collect::<BTreeSet<_>>().len();
    let apart = own == set.questions.len();
    let mut stores: BTreeMap<&str, Vec<&WireQuestion>> = BTreeMap::new();
    for question in set.questions.iter().filter(could) {
        stores.entry(if apart { "" } else { &question.store }).or_default().push(question);
    }
    let all = stores.values().flat_map(|some| some.chunks(QUESTIONS_A_STORE));
    spread(all.map(<[_]>::to_vec).collect(), STORES_MAX)
}

/// Who said what in every turn.
fn texts_of(set: &Set) -> BTreeMap<&str, (&str, &str)> {
    let turns = set.sessions.values().flat_map(|one| &one.turns);
    turns.map(|turn| (turn.id.as_str(), (turn.speaker.as_str(), turn.text.as_str()))).collect()
}

/// Remembers the gold of a few questions among other turns of the haystack, and asks.
fn of_memories(
    set: &Set,
    questions: &[&WireQuestion],
    memo: &Arc<Memo>,
) -> anyhow::Result<Vec<Need>> {
    let texts = texts_of(set);
    let gold: BTreeSet<&str> =
        questions.iter().flat_map(|one| &one.gold_turns).map(String::as_str).collect();
    let others: Vec<&str> = questions[0]
        .haystack
        .iter()
        .flat_map(|session| &set.sessions[session].turns)
        .map(|turn| turn.id.as_str())
        .filter(|id| !gold.contains(id))
        .filter(|id| (40..=MEMORY_CHARS).contains(&texts[id].1.chars().count()))
        .collect();
    let others = spread(others, STATEMENTS.saturating_sub(gold.len()));
    let now = questions.iter().filter_map(|one| one.asked_at).max();
    let store = Store::open(now.unwrap_or(Timestamp::EPOCH), memo)?;
    let mut kept: BTreeMap<&str, MemoryId> = BTreeMap::new();
    for id in gold.into_iter().chain(others) {
        let (speaker, text) = texts[id];
        let content = if matches!(speaker, "user" | "assistant") {
            text.to_owned()
        } else {
            format!("{speaker}: {text}")
        };
        let new = NewMemory::new(&content);
        kept.insert(id, store.engine.keeping(&store.context).remember(&new)?.card.memory.id);
    }
    let ask_one = |question: &&WireQuestion| {
        let wanted: Vec<MemoryId> =
            question.gold_turns.iter().map(|turn| kept[turn.as_str()]).collect();
        let ask = Ask { episodes: false, ..store.ask(question) };
        let at = for_each_threshold(&store, &ask, |recall| {
            let mut shown = recall.items.iter().filter_map(|item| item.candidate.node.memory());
            told(recall, shown.any(|id| wanted.contains(&id)))
        })?;
        Ok(Need { at })
    };
    questions.iter().map(ask_one).collect()
}
