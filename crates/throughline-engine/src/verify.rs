//! Verify: what moved is checked before anybody builds on it. Checking is the only thing that makes
//! a memory fresh again; reading it never does.

use std::collections::BTreeMap;

use throughline_core::event::ToolRun;
use throughline_core::evidence::Testimony;
use throughline_core::permission::{Act, Backing, Door, Verdict};
use throughline_core::state::Flag;
use throughline_core::watermark::Referent;
use throughline_core::{
    Authority, Cause, Change, Kind, Memory, MemoryId, Row, RowKey, State, Watermark, page, text,
    words,
};
use throughline_language::{collision, referent};
use throughline_store::{TextOf, TextQuery};
use throughline_watch::World;

use crate::capture::Captured;
use crate::flows::Watching;
use crate::permit::{ask, keep_waiting};
use crate::proof::ProofQuote;
use crate::transaction::Transaction;
use crate::watch::{checked, marks_of};
use crate::{Card, Error, Result};

/// Memories that a session is asked to check when it begins.
pub(crate) const QUEUED_AT_START: usize = 3;
/// Memories that a session keeps in mind to notice when they are checked.
pub(crate) const QUEUED_IN_MIND: usize = 32;
/// Characters of a claim in a message.
const CLAIM_CHARS: usize = 160;
/// Characters of evidence that are kept.
const EVIDENCE_CHARS: usize = 240;

/// Failed commands of one stretch of work that are held against claims, and claims that are read for each.
const FAILURES_MAX: usize = 8;
const CLAIMS_READ: usize = 24;

/// Lines of a tool's output within which all words of a claim must stand.
const WINDOW: usize = 4;

/// A memory to check before anybody builds on it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToCheck {
    /// The memory.
    pub card: Card,
    /// What it was tied to when it was noted.
    pub then: String,
    /// What is there now.
    pub now: String,
    /// Both, as an agent is told.
    pub message: String,
}

impl ToCheck {
    /// Whether it stands on more than an agent's word: only then does it head what a session is told.
    pub(crate) fn is_said(&self) -> bool {
        let memory = &self.card.memory;
        let known = matches!(memory.authority, Authority::Measured | Authority::File);
        memory.authority.is_user() || known || memory.state == State::Confirmed
    }
}

/// What a check showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Showed {
    /// It holds.
    Confirmed,
    /// It does not.
    Refuted,
}

/// What became of a check.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified {
    /// The memory as it stands.
    pub card: Card,
    /// Only a person can take back what a person said; it waits for them.
    pub waits: bool,
    /// What was learnt, if anything was.
    pub lesson: Option<MemoryId>,
}

impl Watching<'_> {
    /// What is worth checking, the most telling first, by what the last look showed.
    pub fn to_check(&self, most: usize) -> Result<Vec<ToCheck>> {
        let marks = self.engine.now_reader()?.watched(self.context.project.space(), true)?;
        let stale = marks.iter().filter(|mark| mark.reading.wants_check());
        let stale: Vec<MemoryId> = stale.map(|mark| mark.memory).collect();
        self.to_check_among(stale, most)
    }

    /// The same where it is known whose bindings moved.
    pub(crate) fn to_check_among(
        &self,
        mut ids: Vec<MemoryId>,
        most: usize,
    ) -> Result<Vec<ToCheck>> {
        let reader = self.engine.now_reader()?;
        let space = self.context.project.space();
        ids.extend(reader.unresolved(&[space], most)?.iter().map(|one| one.id));
        ids.sort_unstable();
        ids.dedup();
        let reach = self.context.reach();
        let keys: Vec<RowKey> = ids.iter().map(|id| RowKey::memory(space, *id)).collect();
        let memories: Vec<Memory> = reader
            .rows(&keys)?
            .into_iter()
            .filter_map(|row| row.and_then(Row::into_memory))
            .filter(|memory| memory.state.is_active() && reach.sees(memory))
            .collect();
        let mut cards = self.engine.cards(&*reader, &memories)?;
        // What a flat file says is followed there: nobody has to be asked about a line.
        let followed =
            |card: &Card| card.in_file.is_some() && card.memory.authority == Authority::File;
        let from = self.engine.policy.trust.verify_salience;
        cards.retain(|card| card.salience.value >= from && !followed(card));
        cards.sort_by(|a, b| {
            let weight = |card: &Card| card.salience.value * card.memory.importance;
            weight(b).total_cmp(&weight(a)).then(b.memory.id.cmp(&a.memory.id))
        });
        cards.truncate(most);
        Ok(cards.into_iter().filter_map(to_check).collect())
    }

    /// Takes in what a check showed.
    pub fn verify(
        &self,
        handle: &str,
        outcome: Showed,
        evidence: Option<&str>,
    ) -> Result<Verified> {
        let evidence = evidence.map(|words| self.engine.cleaned(self.context, words).0);
        let unread = if self.context.door.is_agents() {
            self.engine.keeping(self.context).unread_results()?
        } else {
            Vec::new()
        };
        let ((memory, waits, lesson), _) =
            self.engine.write(self.context, Cause::Verify, None, |tx| {
                let memory = self.engine.resolve(&**tx, self.context, handle)?;
                tx.settle(&memory);
                if !memory.state.is_active() {
                    return Err(Error::NotPossible(format!(
                        "memory {} is {}; only a current one can be checked",
                        memory.id.handle(),
                        memory.state
                    )));
                }
                let marks = marks_of(&**tx, memory.space, memory.id)?;
                let words = evidence.as_deref();
                let backing = match words.filter(|_| self.context.door.is_agents()) {
                    Some(words) => {
                        let quote = ProofQuote { kind: memory.kind, claim: &memory.content, words };
                        self.engine.keeping(self.context).backing(&**tx, &quote, &unread)?
                    }
                    None => Backing::Asserted,
                };
                let told = Checked { door: self.context.door, backing, words };
                match outcome {
                    Showed::Confirmed => {
                        self.confirm_checked(tx, &memory, &marks, &told)?;
                        Ok((memory, false, None))
                    }
                    Showed::Refuted => {
                        let (waits, lesson) = self.refute(tx, &memory, &marks, &told)?;
                        Ok((memory, waits, lesson))
                    }
                }
            })?;
        let card = self.engine.card_of(memory.space, memory.id)?;
        Ok(Verified { card, waits, lesson })
    }

    /// It holds: stamped anew, with one more source behind it.
    fn confirm_checked(
        &self,
        tx: &mut Transaction<'_>,
        memory: &Memory,
        marks: &[Watermark],
        told: &Checked<'_>,
    ) -> Result<()> {
        let Verdict::Allowed { rank } =
            ask(&**tx, told.door, Act::CheckHolds, Some(memory), told.backing)?
        else {
            return Ok(());
        };
        self.restamp(tx, &self.context.project.root, &memory.content, marks);
        let testimony = Testimony {
            session: tx.session.clone(),
            snippet: told.words.map(|words| text::headline(words, EVIDENCE_CHARS)),
            why: Some("checked: it holds".to_owned()),
            // An agent's word that it checked makes a claim fresh, and no truer.
            echo: told.is_only_said(),
            by_agent: told.is_only_said(),
            ..Testimony::new(rank, tx.now)
        };
        tx.push(Change::Reinforce(testimony.about(memory.space, memory.id)));
        tx.push(Change::Revise(Box::new(checked(memory, tx.now))));
        if memory.state == State::Staged && rank != Authority::Observed {
            let (space, id, at) = (memory.space, memory.id, tx.now);
            tx.push(Change::Move { space, id, to: State::Confirmed, at });
        }
        Ok(())
    }

    /// It does not hold: taken back, and something is learnt from it. What a person said only a
    /// person takes back.
    fn refute(
        &self,
        tx: &mut Transaction<'_>,
        memory: &Memory,
        marks: &[Watermark],
        told: &Checked<'_>,
    ) -> Result<(bool, Option<MemoryId>)> {
        let verdict = ask(&**tx, told.door, Act::CheckRefutes, Some(memory), told.backing)?;
        let Verdict::Allowed { rank } = verdict else {
            let operation = serde_json::json!({
                "op": "retract",
                "what": memory.id.handle(),
                "quote": told.words.map(|words| text::headline(words, EVIDENCE_CHARS)),
            });
            let why = format!("a check says that {} no longer holds", memory.id.handle());
            keep_waiting(tx, &operation, &why, Authority::Observed)?;
            return Ok((true, None));
        };
        Self::count_change(tx, marks);
        let (space, id, at) = (memory.space, memory.id, tx.now);
        tx.push(Change::Move { space, id, to: State::Retracted, at });
        // What a person or a tool showed is measured; an agent's word stays an agent's.
        let rank = if rank.outranks(Authority::Measured) { Authority::Measured } else { rank };
        let lesson = self.learn_from_refutation(tx, memory, marks, told.words, rank)?;
        Ok((false, lesson))
    }

    /// The claim changed: whoever saw it coming was right, and whoever did not is bound to the wrong
    /// thing.
    pub(crate) fn count_change(tx: &mut Transaction<'_>, marks: &[Watermark]) {
        for mark in marks {
            let tally = mark.tally.count(mark.reading.wants_check(), true);
            tx.push(Change::Watch(Watermark { tally, ..mark.clone() }));
        }
    }

    /// Notices that what was to be checked was looked at by a tool, and that the claim stands there:
    /// in the file itself, whatever the tool printed of it.
    pub(crate) fn confirm_by_tools(
        &self,
        tx: &mut Transaction<'_>,
        turns: &[Captured],
        to_check: &[MemoryId],
    ) -> Result<Vec<MemoryId>> {
        let space = self.context.project.space();
        let mut confirmed = Vec::new();
        if to_check.is_empty() || turns.iter().all(|turn| turn.run.is_none()) {
            return Ok(confirmed);
        }
        let keys: Vec<RowKey> = to_check.iter().map(|id| RowKey::memory(space, *id)).collect();
        for memory in tx.rows(&keys)?.into_iter().filter_map(|row| row?.into_memory()) {
            let marks = marks_of(&**tx, space, memory.id)?;
            let stale = marks.iter().any(|mark| mark.reading.wants_check());
            if !memory.state.is_active() || !stale {
                continue;
            }
            let world = World::at(&self.context.project.root);
            let words = referent::telling_words(&memory.content);
            let seen = |mark: &&Watermark| {
                mark.reading.wants_check() && turns.iter().any(|turn| shows(turn, mark, &words))
            };
            let borne_out: Vec<(Watermark, String)> = marks
                .iter()
                .filter(seen)
                .filter_map(|mark| Some((mark.clone(), bears_out(&world, mark, &words)?)))
                .collect();
            let Some((_, place)) = borne_out.first() else { continue };
            let (door, backing) = (Door::Hook, Backing::ToolResult);
            let told = Checked { door, backing, words: Some(place) };
            let marks: Vec<Watermark> = borne_out.iter().map(|(mark, _)| mark.clone()).collect();
            self.confirm_checked(tx, &memory, &marks, &told)?;
            confirmed.push(memory.id);
        }
        Ok(confirmed)
    }

    /// Notices that a command failed of which a claim says that it works: an agent's claim is taken back and leaves a
    /// lesson, a person's waits for a person.
    pub(crate) fn refute_by_tools(
        &self,
        tx: &mut Transaction<'_>,
        turns: &[Captured],
    ) -> Result<()> {
        for (command, run) in last_failures(turns) {
            let query = TextQuery {
                of: TextOf::Memories,
                terms: words::query_terms(&command),
                spaces: vec![self.context.project.space()],
                session: tx.scope.session.clone(),
                states: vec![State::Staged, State::Confirmed],
                kinds: vec![Kind::Fact],
                limit: CLAIMS_READ,
            };
            let hits = tx.text(&query)?;
            let keys: Vec<RowKey> =
                hits.iter().map(|hit| RowKey::node(hit.space, hit.node)).collect();
            for memory in tx.rows(&keys)?.into_iter().filter_map(|row| row?.into_memory()) {
                let said = collision::failed_though_it_works(&memory.content, run);
                let Some(said) = said.filter(|_| memory.state.is_active()) else { continue };
                let marks = marks_of(&**tx, memory.space, memory.id)?;
                let (door, backing) = (Door::Upkeep, Backing::ToolResult);
                let told = Checked { door, backing, words: Some(&said) };
                self.refute(tx, &memory, &marks, &told)?;
            }
        }
        Ok(())
    }
}

/// The commands whose last run failed, each with that run: what worked again by the end of a turn is nothing to tell.
fn last_failures(turns: &[Captured]) -> Vec<(String, &ToolRun)> {
    let runs = turns.iter().filter_map(|turn| turn.run.as_ref());
    let last: BTreeMap<String, &ToolRun> =
        runs.filter_map(|run| Some((collision::command_of(run)?, run))).collect();
    let failed = |run: &ToolRun| run.failed || run.exit.is_some_and(|code| code != 0);
    last.into_iter().filter(|(_, run)| failed(run)).take(FAILURES_MAX).collect()
}

/// Who checked, and what they say they saw.
struct Checked<'a> {
    door: Door,
    backing: Backing,
    words: Option<&'a str>,
}

impl Checked<'_> {
    /// Whether there is nothing but an agent's word for it.
    fn is_only_said(&self) -> bool {
        self.door.is_agents() && self.backing == Backing::Asserted
    }
}

/// Whether a tool looked at the file that a binding is about, and showed the words of a claim there.
fn shows(turn: &Captured, mark: &Watermark, words: &[String]) -> bool {
    let Some(run) = turn.run.as_ref().filter(|run| !run.failed) else { return false };
    let Referent::File { path, .. } = &mark.referent else { return false };
    let named = |file: &String| file == path || file.ends_with(&format!("/{path}"));
    let ran = run.call.command.as_ref().is_some_and(|command| text::has_token(command, path));
    if words.is_empty() || !(run.call.files.iter().any(named) || ran) {
        return false;
    }
    let lines: Vec<&str> = run.output.lines().collect();
    let holds = |window: &[&str]| {
        words.iter().all(|word| window.iter().any(|line| text::has_token(line, word)))
    };
    lines.windows(WINDOW.min(lines.len()).max(1)).any(holds)
}

/// Where in its file a claim stands word for word, if it does.
fn bears_out(world: &World, mark: &Watermark, words: &[String]) -> Option<String> {
    let Referent::File { path, .. } = &mark.referent else { return None };
    world
        .span_with(path, words)
        .map(|span| Referent::File { path: path.clone(), span: Some(span) }.place())
}

fn to_check(card: Card) -> Option<ToCheck> {
    if !card.flags.contains(&Flag::Stale) {
        return None;
    }
    let (then, now) = card.then_and_now()?;
    let claim = text::headline(&card.memory.content, CLAIM_CHARS);
    let who = page::told_by(card.memory.authority, &card.memory.recorded_at.date());
    let message =
        format!("{who} “{claim}” as of {then}; it is now {now} — check before building on it");
    Some(ToCheck { card, then, now, message })
}
