//! Following a flat file: what is new becomes a memory, what is worded otherwise replaces, what is gone is put away.

use throughline_core::evidence::Testimony;
use throughline_core::permission::{self, Act, Backing, Door, Request, Verdict};
use throughline_core::reconcile::{Blocked, Candidate};
use throughline_core::watermark::Referent;
use throughline_core::{
    Authority, Change, Leaf, LeafId, Memory, MemoryId, Row, RowKey, SpaceId, State, text,
};
use throughline_language::flat::{self, FlatFile, FlatRule, LineChange};

use super::{Author, REMOVED, SHELF, Seeded, TAKEN_OUT, WRITTEN, is_in_file};
use crate::flows::Keeping;
use crate::permit::{ask, keep_waiting};
use crate::remember::take_in;
use crate::transaction::Transaction;
use crate::{Error, Result, mint};

/// What evidence says that comes from a flat file.
const WHY: &str = "a line of";
/// The same where an agent wrote the line.
const WHY_AGENTS: &str = "a line that an agent wrote into";
/// Characters of a heading that become the label of a rule.
const LABEL_CHARS: usize = 60;

/// One thing to do about a file.
pub(super) enum FollowStep {
    /// A rule is new.
    Add(FlatRule),
    /// A rule is worded otherwise.
    Reword(Leaf, FlatRule),
    /// A rule is no longer there.
    Remove(Leaf),
    /// A rule that was put away with its line is there again.
    Return(Leaf, FlatRule),
}

/// What is to be done about a file whose lines were read before.
pub(super) fn steps(held: Vec<Leaf>, now: &FlatFile) -> Vec<FollowStep> {
    let (there, away): (Vec<Leaf>, Vec<Leaf>) = held.into_iter().partition(is_in_file);
    let old: Vec<&str> = there.iter().map(|leaf| leaf.text.as_str()).collect();
    let new: Vec<&str> = now.rules.iter().map(|rule| rule.text.as_str()).collect();
    let steps = flat::line_changes(&old, &new).into_iter().filter_map(|change| match change {
        LineChange::Kept { .. } => None,
        LineChange::Reworded { old, new } => {
            Some(FollowStep::Reword(there[old].clone(), now.rules[new].clone()))
        }
        LineChange::Removed { old } => Some(FollowStep::Remove(there[old].clone())),
        LineChange::Added { new } => {
            let rule = now.rules[new].clone();
            let back = away.iter().find(|leaf| leaf.text == rule.text);
            Some(match back {
                Some(leaf) => FollowStep::Return(leaf.clone(), rule),
                None => FollowStep::Add(rule),
            })
        }
    });
    steps.collect()
}

impl Keeping<'_> {
    pub(super) fn follow_step(
        &self,
        tx: &mut Transaction<'_>,
        (path, author): (&str, Author),
        step: &FollowStep,
        seeded: &mut Seeded,
    ) -> Result<()> {
        let from = (path, author);
        match step {
            FollowStep::Add(rule) => {
                let new = self.take_in_rule(tx, from, rule, seeded)?;
                seeded.added += usize::from(new.is_some_and(|(_, fresh)| fresh));
            }
            FollowStep::Reword(leaf, rule) => {
                let new = self.take_in_rule(tx, from, rule, seeded)?.map(|(id, _)| id);
                let (space, memory) = (leaf.space, leaf.memory);
                // What an agent writes takes the place of nothing that ranks higher: it is only put away.
                let old = from_file(tx, leaf)?.filter(|_| author == Author::Unseen);
                match (new, old) {
                    (Some(new), Some(old)) if new != old.id && is_current(tx, space, new)? => {
                        tx.push(Change::Unshelve { space, memory, leaf: leaf.id });
                        tx.supersede(space, old.id, new);
                        seeded.reworded += 1;
                    }
                    (Some(new), _) if new == memory => {
                        tx.push(Change::Unshelve { space, memory, leaf: leaf.id });
                    }
                    _ => self.put_away_line(tx, leaf, author, seeded)?,
                }
            }
            FollowStep::Remove(leaf) => self.put_away_line(tx, leaf, author, seeded)?,
            FollowStep::Return(leaf, rule) => self.bring_back_line(tx, from, leaf, rule, seeded)?,
        }
        Ok(())
    }

    /// Takes in a rule, and notes where it stands: the memory, and whether it is new. Nothing where it is kept out.
    fn take_in_rule(
        &self,
        tx: &mut Transaction<'_>,
        (path, author): (&str, Author),
        rule: &FlatRule,
        seeded: &mut Seeded,
    ) -> Result<Option<(MemoryId, bool)>> {
        if let Some(memory) = written_from(tx, rule)? {
            // A person let it in here; the file only says it again.
            shelve(tx, memory.id, path, rule, vec![WRITTEN.to_owned()]);
            return Ok(Some((memory.id, false)));
        }
        if self.check_content(&rule.text).is_err() {
            return Ok(None);
        }
        let candidate = claim_of(tx, path, author, rule);
        let before = tx.changes().len();
        let plan = match take_in(tx, &candidate) {
            Ok(plan) => plan,
            Err(Error::Walled(why)) => {
                tx.roll_back(before);
                seeded.waiting += usize::from(self.let_wait(tx, &candidate, &why.to_string())?);
                return Ok(None);
            }
            // Erased, or taken back by a person: that a file still says so changes nothing.
            Err(error) if is_kept_out(&error) => {
                tx.roll_back(before);
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        shelve(tx, plan.memory, path, rule, Vec::new());
        if !plan.deduped {
            let (path, span) = (path.to_owned(), Some((rule.first, rule.last)));
            let referent = Referent::File { path, span };
            let root = &self.context.project.root;
            // Without a tie the file is still followed.
            let watching = self.engine.watching(self.context);
            watching.watch_by_hand(tx, root, plan.memory, &[referent]).ok();
        }
        Ok(Some((plan.memory, !plan.deduped)))
    }

    /// Keeps a rule that gives orders to its reader for a person, unless it waited before.
    fn let_wait(&self, tx: &mut Transaction<'_>, candidate: &Candidate, why: &str) -> Result<bool> {
        let operation = serde_json::json!({
            "op": "remember", "kind": candidate.kind.as_str(), "content": candidate.content,
        });
        let written = operation.to_string();
        if tx.deferred(tx.scope.space)?.iter().any(|one| one.operation == written) {
            return Ok(false);
        }
        keep_waiting(tx, &operation, why, Authority::External)?;
        Ok(true)
    }

    /// A line is gone: what came from it, and from no other line, is put away.
    fn put_away_line(
        &self,
        tx: &mut Transaction<'_>,
        leaf: &Leaf,
        author: Author,
        seeded: &mut Seeded,
    ) -> Result<()> {
        let (space, id, at) = (leaf.space, leaf.memory, tx.now);
        let elsewhere = tx.leaves(space, SHELF)?.into_iter();
        let elsewhere = elsewhere.filter(|one| one.memory == id && one.id != leaf.id);
        let still_said = elsewhere.filter(is_in_file).count() > 0;
        let held = from_file(tx, leaf)?.filter(|_| !still_said);
        let Some(held) = held else {
            tx.push(Change::Unshelve { space, memory: id, leaf: leaf.id });
            if !still_said {
                untie(tx, leaf)?;
            }
            return Ok(());
        };
        let verdict = ask(&**tx, author.door(), Act::Archive, Some(&held), Backing::Asserted)?;
        if matches!(verdict, Verdict::Allowed { .. }) {
            tx.push(Change::Move { space, id, to: State::Archived, at });
            let notes = vec![REMOVED.to_owned()];
            tx.push(Change::Shelve(Leaf { notes, at, ..leaf.clone() }));
            seeded.removed += 1;
        }
        Ok(())
    }

    /// A line is there again that was gone: so is what came from it, unless a person put it away.
    fn bring_back_line(
        &self,
        tx: &mut Transaction<'_>,
        (path, author): (&str, Author),
        leaf: &Leaf,
        rule: &FlatRule,
        seeded: &mut Seeded,
    ) -> Result<()> {
        let (space, id, at) = (leaf.space, leaf.memory, tx.now);
        let row = tx.rows(&[RowKey::memory(space, id)])?.remove(0);
        let held = row.and_then(Row::into_memory);
        let away = held.filter(|one| one.state == State::Archived);
        tx.push(Change::Unshelve { space, memory: id, leaf: leaf.id });
        // What was taken out of a file does not come back because an agent wrote it there again.
        let ours = author == Author::Unseen
            && leaf.notes.iter().any(|note| note == REMOVED || note == TAKEN_OUT);
        match away.filter(|_| ours) {
            Some(held) => {
                let to = held.previous.unwrap_or(State::Staged);
                tx.push(Change::Move { space, id, to, at });
                shelve(tx, id, path, rule, Vec::new());
                seeded.added += 1;
            }
            None => {
                let added = self.take_in_rule(tx, (path, author), rule, seeded)?;
                seeded.added += usize::from(added.is_some_and(|(_, fresh)| fresh));
            }
        }
        Ok(())
    }
}

impl Author {
    /// The door by which what is in the file comes.
    fn door(self) -> Door {
        match self {
            Self::Unseen => Door::Upkeep,
            Self::Agent => Door::Tools,
        }
    }
}

/// Takes away what ties a memory to a file in which nothing says it any more: what a person vouched for besides does
/// not become doubtful by that.
fn untie(tx: &mut Transaction<'_>, leaf: &Leaf) -> Result<()> {
    let (space, memory) = (leaf.space, leaf.memory);
    let rows = tx.attached(space, &[memory.into()])?.into_iter();
    let marks = rows.filter_map(Row::into_watermark).filter(|mark| mark.memory == memory);
    let of_file = |referent: &Referent| match referent {
        Referent::File { path, .. } => *path == leaf.name,
        Referent::Git { .. } | Referent::Flag { .. } => false,
    };
    let ties: Vec<Change> = marks
        .filter(|mark| of_file(&mark.referent))
        .map(|mark| Change::Unwatch { space, memory, referent: mark.referent })
        .collect();
    tx.extend(ties);
    Ok(())
}

/// A rule as a claim of its file: it ranks as a file's word, and no higher than whoever wrote it or reads it may say.
fn claim_of(tx: &Transaction<'_>, path: &str, author: Author, rule: &FlatRule) -> Candidate {
    let (door, act, backing) = (author.door(), Act::Remember, Backing::Asserted);
    let rank = match permission::judge(Request { door, act, target: None, backing }) {
        Verdict::Allowed { rank } if Authority::File.outranks(rank) => rank,
        Verdict::Allowed { .. } => Authority::File,
        Verdict::Waits(_) | Verdict::Refused(_) => Authority::External,
    };
    let by_agent = author == Author::Agent;
    let why = if by_agent { WHY_AGENTS } else { WHY };
    let why = Some(format!("{why} {path}"));
    let testimony = Testimony { why, by_agent, ..Testimony::new(rank, tx.now) };
    // A line under a heading may mean nothing without it.
    let label = rule.heading.as_ref().map(|heading| text::headline(heading, LABEL_CHARS));
    Candidate { label, ..tx.candidate(flat::kind_of(&rule.text), &rule.text, testimony) }
}

/// Notes where a line stands.
fn shelve(
    tx: &mut Transaction<'_>,
    memory: MemoryId,
    path: &str,
    rule: &FlatRule,
    notes: Vec<String>,
) {
    let leaf = Leaf {
        id: LeafId(mint::id(tx.now)),
        space: tx.scope.space,
        memory,
        shelf: SHELF.to_owned(),
        name: path.to_owned(),
        order: u64::from(rule.first),
        text: rule.text.clone(),
        notes,
        at: tx.now,
    };
    tx.push(Change::Shelve(leaf));
}

/// The memory that a line was written from, where the line still says what it said.
fn written_from(tx: &Transaction<'_>, rule: &FlatRule) -> Result<Option<Memory>> {
    let Some(handle) = &rule.mark else { return Ok(None) };
    let found = tx.find(&[tx.scope.space], handle)?;
    let leaves = tx.leaves(tx.scope.space, SHELF)?;
    // Where a model worded the line, the leaf keeps that wording.
    let worded = |memory: &Memory| {
        let same = |leaf: &&Leaf| leaf.memory == memory.id && leaf.text == rule.text;
        leaves.iter().filter(same).any(|leaf| leaf.notes.iter().any(|note| note == WRITTEN))
    };
    let says = |memory: &&Memory| {
        let line = flat::line_of(&memory.content, handle);
        flat::read(&line).rules.first().is_some_and(|one| one.text == rule.text) || worded(memory)
    };
    Ok(found.iter().find(says).cloned())
}

/// The memory of a line, where it is current and nothing but the file's word.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named here was said elsewhere")]
fn from_file(tx: &Transaction<'_>, leaf: &Leaf) -> Result<Option<Memory>> {
    let row = tx.rows(&[RowKey::memory(leaf.space, leaf.memory)])?.remove(0);
    let Some(memory) = row.and_then(Row::into_memory) else { return Ok(None) };
    let theirs = crate::permit::standing(&**tx, &memory)?.is_persons();
    let files = match memory.authority {
        Authority::File => true,
        // What an agent wrote into the file and said nowhere else.
        Authority::Observed => {
            let rows = tx.attached(leaf.space, &[memory.id.into()])?.into_iter();
            let mut said =
                rows.filter_map(Row::into_evidence).filter(|one| one.memory == memory.id);
            said.all(|one| one.why.is_some_and(|why| why.starts_with(WHY_AGENTS)))
        }
        _ => false,
    };
    Ok(Some(memory).filter(|memory| files && memory.state.is_active() && !theirs))
}

fn is_current(tx: &Transaction<'_>, space: SpaceId, id: MemoryId) -> Result<bool> {
    let row = tx.rows(&[RowKey::memory(space, id)])?.remove(0);
    Ok(row.and_then(Row::into_memory).is_some_and(|memory| memory.state.is_active()))
}

/// Whether a rule is kept out for good.
fn is_kept_out(error: &Error) -> bool {
    matches!(error, Error::Blocked(Blocked::Erased(_) | Blocked::Retired { .. }))
}
