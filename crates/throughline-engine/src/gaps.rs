//! Gaps: what was asked and is not known. A gap is closed when something new answers it, when the question is
//! answered the next time it is asked, or by a person; at the end of a session what was said since is looked through
//! for an answer, which then waits for a person.

use throughline_core::patch::{self, Operation};
use throughline_core::{
    Authority, Cause, Change, Edge, Fingerprint, Kind, Memory, MemoryId, Relation, RowKey,
    SessionId, SpaceId, Speaker, State, Timestamp, words,
};
use throughline_language::gap;
use throughline_store::{Reader, TextOf, TextQuery};

use crate::capture::Mind;
use crate::flows::{Listening, Reviewing};
use crate::remember::{NewMemory, candidate, take_in};
use crate::review::may_decide;
use crate::transaction::Transaction;
use crate::{Card, Error, Result, kind_of};

/// Gaps that are looked at for one new memory, the nearest by their words.
const LOOKED_AT: usize = 16;
/// Answers that one session leaves for a person at most.
const DRAFTS_MAX: usize = 8;
/// How sure a sentence is that a person takes as the answer: it counts as stated only then.
const DRAFTED: f64 = 0.9;
/// What the link says that leads from an answer to its gap.
const ANSWERS: &str = "answers it";

/// The search for gaps with the words of a text.
pub(crate) fn gaps_like(space: SpaceId, session: Option<SessionId>, text: &str) -> TextQuery {
    TextQuery {
        of: TextOf::Memories,
        terms: words::query_terms(text),
        spaces: vec![space],
        session,
        states: vec![State::Staged, State::Confirmed],
        kinds: vec![Kind::Gap],
        limit: LOOKED_AT,
    }
}

impl Reviewing<'_> {
    /// Closes the gaps that the new memories of a transaction answer.
    pub(crate) fn close_answered(&self, tx: &mut Transaction<'_>) -> Result<()> {
        let new: Vec<(SpaceId, MemoryId, String)> = tx
            .changes()
            .iter()
            .filter_map(|change| {
                let Change::Insert(memory) = change else { return None };
                let claims = memory.kind != Kind::Gap && memory.state.is_active();
                claims.then(|| (memory.space, memory.id, memory.content.clone()))
            })
            .collect();
        for (space, answer, content) in new {
            for gap in self.gaps_near(&**tx, space, &content)? {
                if gap::is_answered_by(&gap.content, &content) {
                    close(tx, &gap, answer)?;
                }
            }
        }
        Ok(())
    }

    /// Whether something that was learnt since then answers a gap that is about to be noted.
    pub(crate) fn is_answered_since(&self, gap: &str, since: Timestamp) -> Result<bool> {
        let Some(about) = gap::about(gap) else { return Ok(false) };
        let reader = self.engine.now_reader()?;
        let hits = reader.text(&TextQuery {
            of: TextOf::Memories,
            terms: words::query_terms(about),
            spaces: vec![self.context.scope().space],
            session: self.context.reach().session,
            states: vec![State::Staged, State::Confirmed],
            kinds: Vec::new(),
            limit: LOOKED_AT,
        })?;
        let keys: Vec<RowKey> = hits.iter().map(|hit| RowKey::node(hit.space, hit.node)).collect();
        let mut held = reader.rows(&keys)?.into_iter().filter_map(|row| row?.into_memory());
        Ok(held.any(|one| {
            one.kind != Kind::Gap
                && one.recorded_at >= since
                && gap::is_answered_by(gap, &one.content)
        }))
    }

    /// Open gaps that share words with a text.
    fn gaps_near(&self, reader: &dyn Reader, space: SpaceId, text: &str) -> Result<Vec<Memory>> {
        let query = gaps_like(space, self.context.reach().session, text);
        if query.terms.is_empty() {
            return Ok(Vec::new());
        }
        let hits = reader.text(&query)?;
        let keys: Vec<RowKey> = hits.iter().map(|hit| RowKey::node(hit.space, hit.node)).collect();
        let rows = reader.rows(&keys)?.into_iter();
        Ok(rows.filter_map(|row| row?.into_memory()).collect())
    }

    /// Closes the gap of a question that was answered by a memory this time.
    pub(crate) fn close_asked_again(&self, about: &str, answer: MemoryId) -> Result<()> {
        let reader = self.engine.now_reader()?;
        let space = self.context.scope().space;
        let Some(gap) = open_gap(&*reader, space, about)? else { return Ok(()) };
        drop(reader);
        self.engine.write(
            self.context,
            Cause::Recall,
            Some("the question was answered"),
            |tx| {
                // What answered it may lie elsewhere, or be gone by now.
                if tx.rows(&[RowKey::memory(space, answer)])?[0].is_some() {
                    close(tx, &gap, answer)?;
                }
                Ok(())
            },
        )?;
        Ok(())
    }

    /// A person answers a gap: what they say is remembered, and the gap is closed.
    pub fn answer_gap(&self, handle: &str, text: &str) -> Result<Card> {
        may_decide(self.context)?;
        let (text, _) = self.engine.cleaned(self.context, text);
        self.engine.keeping(self.context).check_content(&text)?;
        let kind = kind_of(&text).unwrap_or(Kind::Fact);
        let new = NewMemory { kind, ..NewMemory::new(&text) };
        let ((space, id), _) = self.engine.write(self.context, Cause::Review, None, |tx| {
            let gap = self.gap(&**tx, handle)?;
            tx.scope.space = gap.space;
            let said = candidate(&new, tx);
            let plan = take_in(tx, &said)?;
            close(tx, &gap, plan.memory)?;
            Ok((gap.space, plan.memory))
        })?;
        self.engine.card_of(space, id)
    }

    /// A person says that a gap need not be filled. The same question leaves none again.
    pub fn dismiss_gap(&self, handle: &str, reason: Option<&str>) -> Result<Card> {
        may_decide(self.context)?;
        if let Some(reason) = reason {
            self.engine.keeping(self.context).check_field(reason)?;
        }
        let (gap, _) = self.engine.write(self.context, Cause::Review, reason, |tx| {
            let gap = self.gap(&**tx, handle)?;
            tx.settle(&gap);
            let (space, id, at) = (gap.space, gap.id, tx.now);
            tx.push(Change::Move { space, id, to: State::Retracted, at });
            Ok(gap)
        })?;
        self.engine.card_of(gap.space, gap.id)
    }

    /// Whether a handle means an open gap.
    pub fn is_gap(&self, handle: &str) -> bool {
        let Ok(reader) = self.engine.now_reader() else { return false };
        self.gap(&*reader, handle).is_ok()
    }

    fn gap(&self, reader: &dyn Reader, handle: &str) -> Result<Memory> {
        let memory = self.engine.resolve(reader, self.context, handle)?;
        if memory.kind == Kind::Gap && memory.state.is_active() {
            return Ok(memory);
        }
        Err(Error::NotFound { what: "open question", handle: handle.to_owned() })
    }
}

impl Listening<'_> {
    /// Looks through what was said after questions that nobody could answer. What answers one and was not kept
    /// waits for a person. Returns how many that are.
    pub(crate) fn draft_answers(&self, mind: &Mind) -> Result<usize> {
        let space = self.context.project.space();
        let heard: Vec<(Speaker, &str)> = mind.heard_words().collect();
        let mut drafts = Vec::new();
        for (at, (_, asked)) in heard.iter().enumerate().filter(|(_, one)| one.0 == Speaker::User) {
            let about = gap::words_of(asked).join(" ");
            let open = match about.as_str() {
                "" => None,
                about => open_gap(&*self.engine.now_reader()?, space, about)?,
            };
            let Some(open) = open else { continue };
            let answer = heard[at + 1..].iter().find_map(|(speaker, said)| {
                let sentence = match speaker {
                    Speaker::User | Speaker::Assistant => gap::answer_in(&open.content, said),
                    Speaker::Tool => None,
                };
                Some((*speaker, sentence?))
            });
            if let Some((speaker, sentence)) = answer {
                drafts.push((about, speaker, sentence.to_owned()));
            }
        }
        drafts.truncate(DRAFTS_MAX);
        for (about, speaker, sentence) in &drafts {
            let why = format!("it answers what was asked and not known: {about}");
            let authority = match speaker {
                Speaker::User => Authority::Extracted,
                Speaker::Assistant | Speaker::Tool => Authority::Inferred,
            };
            self.engine.reviewing(self.context).defer(&as_operation(sentence), &why, authority)?;
        }
        Ok(drafts.len())
    }
}

/// The open gap about some words.
fn open_gap(reader: &dyn Reader, space: SpaceId, about: &str) -> Result<Option<Memory>> {
    let known = reader.with_fingerprint(space, &Fingerprint::of(&gap::content(about)))?;
    Ok(known.into_iter().find(|one| one.kind == Kind::Gap && one.state.is_active()))
}

/// Takes a gap out of view, with a link from what answers it. Asked in vain once more, it comes back.
fn close(tx: &mut Transaction<'_>, gap: &Memory, answer: MemoryId) -> Result<()> {
    let (space, id, at) = (gap.space, gap.id, tx.now);
    let held = tx.rows(&[RowKey::memory(space, id)])?.remove(0);
    let open = held.and_then(|row| row.into_memory()).is_some_and(|one| one.state.is_active());
    if !open || id == answer {
        return Ok(());
    }
    tx.push(Change::Move { space, id, to: State::Expired, at });
    let mut edge = Edge::new(space, answer.into(), Relation::Informs, id.into(), at);
    edge.reason = Some(ANSWERS.to_owned());
    tx.push(Change::Link(edge));
    Ok(())
}

/// A sentence that waits to be kept.
fn as_operation(sentence: &str) -> String {
    let operation = Operation::Remember(patch::Remember {
        kind: kind_of(sentence).unwrap_or(Kind::Fact),
        content: sentence.to_owned(),
        label: None,
        domain: None,
        slot: None,
        because: Vec::new(),
        triggers: Vec::new(),
        entities: Vec::new(),
        confidence: DRAFTED,
        quote: None,
        turn: None,
    });
    serde_json::to_string(&operation).expect("plain data serialises")
}
