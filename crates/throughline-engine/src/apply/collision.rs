//! Collisions while something is taken in: what was measured refutes what an agent had claimed, and what a person
//! corrects in a conversation leaves a lesson though nobody had kept what was wrong.

use throughline_core::evidence::Testimony;
use throughline_core::patch::Remember;
use throughline_core::permission::{Act, Backing, Door, Verdict};
use throughline_core::reconcile::{Candidate, Plan};
use throughline_core::{
    Authority, Change, Edge, Kind, Memory, MemoryId, Relation, RowKey, Speaker, State, words,
};
use throughline_language::collision;
use throughline_language::gate::{self, GatePolicy, Signal, Watch};
use throughline_language::lesson::{self, MistakeCause};
use throughline_store::{Reader, TextOf, TextQuery};

use super::origin::files_in;
use super::{Applied, PatchGround, replace};
use crate::flows::Keeping;
use crate::permit::ask;
use crate::remember::take_in;
use crate::transaction::Transaction;
use crate::{Error, Result};

/// Memories with the same words that a measurement is held against.
const LOOKED_AT: usize = 24;

impl Keeping<'_> {
    /// Lets what was measured take the place of claims that it refutes, where it may.
    pub(super) fn refute(
        &self,
        tx: &mut Transaction<'_>,
        plan: &Plan,
        measured: &Candidate,
        applied: &mut Applied,
    ) -> Result<()> {
        if measured.testimony.authority != Authority::Measured || measured.testimony.echo {
            return Ok(());
        }
        let query = TextQuery {
            of: TextOf::Memories,
            terms: words::query_terms(&measured.content),
            spaces: vec![tx.scope.space],
            session: tx.scope.session.clone(),
            states: vec![State::Staged, State::Confirmed],
            kinds: vec![Kind::Fact],
            limit: LOOKED_AT,
        };
        let hits = tx.text(&query)?;
        let keys: Vec<RowKey> = hits.iter().map(|hit| RowKey::node(hit.space, hit.node)).collect();
        let held: Vec<Memory> =
            tx.rows(&keys)?.into_iter().filter_map(|row| row?.into_memory()).collect();
        for old in held.iter().filter(|one| one.id != plan.memory && one.state.is_active()) {
            let weaker = Authority::Measured.outranks(old.authority);
            if weaker
                && collision::is_refuted_by(&old.content, &measured.content)
                && may_refute(&**tx, old)?
            {
                replace(tx, old, plan.memory, applied)?;
            }
        }
        Ok(())
    }

    /// What an agent said in this conversation and a person puts right leaves a lesson, derived from what is right.
    pub(super) fn learn_from_correction(
        &self,
        tx: &mut Transaction<'_>,
        right: MemoryId,
        claim: &Remember,
        ground: &PatchGround<'_>,
    ) -> Result<()> {
        let Some(collision) = corrected(claim, ground) else { return Ok(()) };
        let collision = lesson::Collision {
            wrong: &collision.wrong,
            right: Some(&collision.right),
            cause: MistakeCause::UserCorrected,
            place: collision.place.as_deref(),
        };
        let Some(content) = lesson::draft(&collision) else { return Ok(()) };
        let testimony = Testimony {
            session: tx.session.clone(),
            why: Some("the user corrected what was said in this session".to_owned()),
            ..Testimony::new(Authority::Extracted, tx.now)
        };
        let candidate = tx.candidate(Kind::Lesson, &content, testimony);
        let plan = match take_in(tx, &candidate) {
            Ok(plan) => plan,
            // It was told to forget this lesson.
            Err(Error::Blocked(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        let (space, at) = (tx.scope.space, tx.now);
        let edge = Edge::new(space, plan.memory.into(), Relation::DerivedFrom, right.into(), at);
        tx.push(Change::Link(edge));
        Ok(())
    }
}

/// Whether a measurement may take a memory's place while nobody looks: never that of what a person said.
fn may_refute(reader: &dyn Reader, old: &Memory) -> Result<bool> {
    let verdict = ask(reader, Door::Upkeep, Act::Replace, Some(old), Backing::ToolResult)?;
    Ok(matches!(verdict, Verdict::Allowed { .. }))
}

/// What was said wrongly a moment ago, and what is right.
struct Corrected {
    wrong: String,
    right: String,
    /// A file that the person points to.
    place: Option<String>,
}

/// What a person's turn puts right of what the agent said before it.
fn corrected(claim: &Remember, ground: &PatchGround<'_>) -> Option<Corrected> {
    let turn = claim.turn?;
    let said = ground.turns.get(turn).filter(|said| said.speaker == Speaker::User)?;
    let (verdict, _) = gate::judge(&Watch::default(), &said.as_turn(), &GatePolicy::default());
    if !verdict.fired.iter().any(|one| one.signal == Signal::Correction) {
        return None;
    }
    let earlier = ground.turns[..turn].iter().rev();
    let answer = earlier.take_while(|one| one.speaker != Speaker::User);
    let answer = answer.into_iter().find(|one| one.speaker == Speaker::Assistant)?;
    let quote = claim.quote.as_deref().unwrap_or(&claim.content);
    let (wrong, right) = collision::corrected_in(&answer.text, quote)?;
    let place = files_in(&said.text).into_iter().next();
    Some(Corrected { wrong: wrong.to_owned(), right: right.to_owned(), place })
}
