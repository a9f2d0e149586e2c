//! Contradictions: the trained reader holds memories against those near them. What it is sure cannot both hold is
//! marked as contested, for a person to decide; what it is sure says the same becomes one.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::permission::Act;
use throughline_core::{Change, Edge, Memory, MemoryId, Relation, sleep, words};
use throughline_language::near;

use super::deep::{PassPlan, PassStep, PassView, StepAct};
use super::plan::{contradiction, may_replace};
use crate::Result;
use crate::reading::{PairJudgement, judge_pair};

/// How near two must be to be compared.
const COMPARED_FROM: f32 = 0.5;
/// Telling words that two must share for one to deny the other.
const SHARED_MIN: usize = 2;
/// Pairs of one run: each takes the reader milliseconds. More where nobody waits for it.
const PAIRS_MAX: usize = 32;
const PAIRS_UNHURRIED_MAX: usize = 128;

pub(super) fn plan(view: &PassView<'_>) -> Result<PassPlan> {
    view.may(Act::Contradict)?;
    let memories = view.memories()?;
    let before = view.compared();
    let mut near: BTreeMap<(usize, usize), f32> = BTreeMap::new();
    for (one, some) in view.near()? {
        let replaceable = |at: usize| memories[at].kind.can_be_replaced();
        for (other, score) in some.iter().filter(|(_, score)| *score >= COMPARED_FROM) {
            if replaceable(*one) && replaceable(*other) {
                near.insert((*one.min(other), *one.max(other)), *score);
            }
        }
    }
    let pair = |(one, other): (usize, usize)| memories[one].pair(&memories[other]);
    let mut waiting: Vec<((usize, usize), f32)> = Vec::new();
    let mut compared: Vec<u64> = Vec::new();
    for (places, score) in near {
        if before.holds(pair(places)) {
            compared.push(pair(places));
        } else {
            waiting.push((places, score));
        }
    }
    // The nearest first: those say the same or the contrary. However many wait, what came in last has its turn.
    waiting.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let most = if view.unhurried { PAIRS_UNHURRIED_MAX } else { PAIRS_MAX };
    let rest = waiting.len().saturating_sub(most);
    waiting.truncate(most);
    let age = |place: usize| (memories[place].recorded_at, memories[place].id);
    let mut plan = PassPlan::of(waiting.len());
    let mut gone: BTreeSet<MemoryId> = BTreeSet::new();
    for ((one, other), _) in waiting {
        let (older, newer) = if age(one) <= age(other) { (one, other) } else { (other, one) };
        let both = view.whole(&[memories[older].id, memories[newer].id])?;
        let [older, newer] = both.as_slice() else { continue };
        if gone.contains(&older.id) || gone.contains(&newer.id) {
            continue;
        }
        compare(view, older, newer, &mut gone, &mut plan)?;
        compared.push(pair((one, other)));
    }
    plan.compared = Some(compared.into_iter().collect()).filter(|now| *now != before);
    if rest > 0 {
        // However much there is to tell, this is told.
        plan.why.push(format!("{rest} more pairs are compared the next time"));
    }
    Ok(plan)
}

fn compare(
    view: &PassView<'_>,
    older: &Memory,
    newer: &Memory,
    gone: &mut BTreeSet<MemoryId>,
    plan: &mut PassPlan,
) -> Result<()> {
    let same_slot = older.slot_key().is_some() && older.slot_key() == newer.slot_key();
    if same_slot || decided(view, older, newer)? {
        return Ok(());
    }
    let seen = vec![older.clone(), newer.clone()];
    let denied = denies(&older.content, &newer.content);
    let judgement = if denied { PairJudgement::Contradict } else { judge_pair(older, newer) };
    match judgement {
        PairJudgement::Contradict => {
            let (old, new) = (older.id.into(), newer.id.into());
            let mut edge = Edge::new(older.space, new, Relation::Contradicts, old, view.now());
            let why = if denied { "one denies the other" } else { "as the reader judges" };
            edge.reason = Some(format!("both cannot hold: {why}"));
            plan.tell(format!("{:?} and {:?} cannot both hold", older.title(), newer.title()));
            let act = StepAct::Change(vec![Change::Link(edge)]);
            plan.steps.push(PassStep { seen, there: Vec::new(), act });
        }
        PairJudgement::Same if may_be_one(&older.content, &newer.content) => {
            let Some((kept, dropped)) = kept_of(older, newer) else { return Ok(()) };
            if !may_replace(view.reader, dropped, kept)? {
                return Ok(());
            }
            plan.tell(format!("{:?} says what {:?} says", dropped.title(), kept.title()));
            gone.insert(dropped.id);
            let (kept, dropped) = (Box::new(kept.clone()), Box::new(dropped.clone()));
            let act = StepAct::Merge { kept, dropped };
            plan.steps.push(PassStep { seen, there: Vec::new(), act });
        }
        PairJudgement::Same | PairJudgement::Neither => {}
    }
    Ok(())
}

/// Whether two may be merged on the reader's word: not where a number, a denial, a name or the place of a
/// word speaks against it. Opposites are alike, so the reader's word is not enough for those.
fn may_be_one(one: &str, other: &str) -> bool {
    near::veto(one, other).is_none() && !near::exchanges_words(one, other)
}

/// Whether one says of the same things, in nearly the same words, that they are not so.
fn denies(one: &str, other: &str) -> bool {
    if near::veto(one, other) != Some(near::Veto::Negation) {
        return false;
    }
    let terms = |text: &str| -> BTreeSet<String> {
        let all = words::terms(text).into_iter();
        all.filter(|term| !words::is_common(term) && !near::denies(term)).collect()
    };
    let (one, other) = (terms(one), terms(other));
    let shared = one.intersection(&other).count();
    shared >= SHARED_MIN && shared * 5 >= one.union(&other).count() * 3
}

/// Which of two that say the same is kept: as for those that say the same words.
fn kept_of<'a>(one: &'a Memory, other: &'a Memory) -> Option<(&'a Memory, &'a Memory)> {
    let alike = |of: &Memory, like: &Memory| Memory {
        fingerprint: like.fingerprint.clone(),
        slot: like.slot.clone(),
        kind: like.kind,
        ..of.clone()
    };
    let differ = one.slot.is_some() && other.slot.is_some() || one.kind != other.kind;
    let renamed = alike(other, one);
    let (kept, _) = sleep::same(one, &renamed).filter(|_| !differ)?;
    Some(if kept.id == one.id { (one, other) } else { (other, one) })
}

/// Whether somebody decided about two already: they are connected, or were set against each other once.
fn decided(view: &PassView<'_>, one: &Memory, other: &Memory) -> Result<bool> {
    let loose = [Relation::CoUsed, Relation::RelatesTo];
    let edges = view.reader.neighbours(view.space(), &[one.id.into()], &[], 64)?;
    let node = other.id.into();
    let tied = |edge: &Edge| edge.other(one.id.into()) == node && !loose.contains(&edge.relation);
    if edges.iter().any(tied) {
        return Ok(true);
    }
    view.was_there(&contradiction(one, other))
}
