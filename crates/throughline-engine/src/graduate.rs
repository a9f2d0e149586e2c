//! Graduation: what proved itself is proposed as one line of a flat memory file, and what nobody needs any more is
//! proposed for leaving one. A person sees the exact difference and decides; nothing else writes to these files.

pub(crate) mod edit;

use serde::{Deserialize, Serialize};
use throughline_attention::lifecycle;
use throughline_core::state::Flag;
use throughline_core::{
    Authority, Cause, Change, Kind, Leaf, LeafId, Memory, MemoryId, Pending, PendingId, Row,
    RowKey, Ruling, State, text,
};
use throughline_language::{flat, instruction};
use throughline_store::Reader;

use crate::flows::Reviewing;
use crate::permit::keep_waiting;
use crate::review::{decided, may_decide};
use crate::seed::{SHELF, TAKEN_OUT, WRITTEN, is_in_file};
use crate::transaction::Transaction;
use crate::{Card, Error, Result, mint};
pub(crate) use edit::{FlatEdit, LineEdit, undo_lines};

/// Proposals that wait at one time.
const OPEN_MAX: usize = 5;
/// Days in a week of work.
const WEEK: f64 = 7.0;

/// A line that is proposed for a flat file, or for leaving one: as it waits in `review`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Proposal {
    op: ProposalKind,
    memory: String,
    file: String,
    /// The line as it is to stand in the file, or stands there.
    line: String,
    /// The hash of the file that the proposal was made for; empty where there is none yet.
    seen: String,
    /// What the memory says, where a model worded the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    worded_from: Option<String>,
    /// Whether a model was asked to word the line.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    asked: bool,
}

/// What is proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ProposalKind {
    /// A memory becomes a line of the file.
    Graduate,
    /// A line leaves the file.
    TakeOut,
}

/// A proposal as a person sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Graduation {
    /// Its name, to accept or reject it by.
    pub id: PendingId,
    /// The memory.
    pub card: Card,
    /// The file, from the project's root.
    pub file: String,
    /// What would change in it.
    pub diff: String,
    /// Whether the line leaves the file.
    pub takes_out: bool,
    /// Whether a model worded the line; the memory keeps its own words.
    pub worded: bool,
    /// Why it was proposed.
    pub why: String,
    /// What keeps it from being accepted as it stands.
    pub stuck: Option<String>,
}

/// What became of a proposal that was accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct Graduated {
    /// The memory.
    pub card: Card,
    /// The file that was written.
    pub file: String,
    /// What changed in it.
    pub diff: String,
}

impl Proposal {
    /// Reads what waits, if it is a proposal.
    pub(crate) fn read(pending: &Pending) -> Option<Self> {
        serde_json::from_str(&pending.operation).ok()
    }

    /// Lets it wait for a person.
    pub(crate) fn defer(&self, tx: &mut Transaction<'_>) -> Result<()> {
        let operation = serde_json::to_value(self).expect("plain data serialises");
        let why = match self.op {
            ProposalKind::Graduate => "used in several sessions: it may become a line of a file",
            ProposalKind::TakeOut => "not needed for weeks: its line may leave the file",
        };
        keep_waiting(tx, &operation, why, Authority::Inferred)
    }

    /// The memory that it would bring into a file.
    pub(crate) fn for_file(&self) -> Option<MemoryId> {
        if self.op == ProposalKind::Graduate { self.memory.parse().ok() } else { None }
    }

    /// Whether a model may still be asked to word the line.
    pub(crate) fn wants_wording(&self) -> bool {
        self.op == ProposalKind::Graduate && !self.asked
    }

    /// The same with a line that a model worded, or only with a note that it was asked.
    pub(crate) fn worded(&self, memory: &Memory, said: Option<&str>) -> Self {
        let line = said.map(|said| flat::line_of(said, &memory.id.handle()));
        Self {
            worded_from: line.is_some().then(|| memory.content.clone()),
            line: line.unwrap_or_else(|| self.line.clone()),
            asked: true,
            ..self.clone()
        }
    }

    fn edit(&self) -> FlatEdit<'_> {
        let line = self.line.as_str();
        let edit = match self.op {
            ProposalKind::Graduate => LineEdit::Append { line },
            ProposalKind::TakeOut => LineEdit::Remove { line },
        };
        FlatEdit { file: &self.file, edit }
    }
}

impl Reviewing<'_> {
    /// What a memory is worth proposing for, if anything that was not proposed before.
    pub(crate) fn to_propose(&self, reader: &dyn Reader, card: &Card) -> Result<Option<Proposal>> {
        let policy = &self.engine.policy.lifecycle;
        let facts = card.lifecycle_facts();
        let wanted = match &card.in_file {
            None => lifecycle::may_graduate(&card.usage, &facts, policy) && may_stand_in_file(card),
            Some(_) => {
                let raw = card.salience.raw;
                let days = lifecycle::dormant_days(&card.memory, raw, card.idle_days, policy);
                card.memory.authority == Authority::File
                    && lifecycle::should_review_anchor(raw, days / WEEK, policy)
            }
        };
        if !wanted || self.was_proposed(reader, &card.memory)? {
            return Ok(None);
        }
        let proposal = match &card.in_file {
            None => self.line_for(&card.memory),
            Some(file) => self.line_to_take_out(reader, &card.memory, file)?,
        };
        // What would not change the file, or cannot, is not worth a person's time.
        Ok(proposal.filter(|one| one.edit().apply(&self.context.project.root).is_ok()))
    }

    /// Whether a proposal about a memory waits or was decided, or enough others wait.
    fn was_proposed(&self, reader: &dyn Reader, memory: &Memory) -> Result<bool> {
        let id = memory.id.to_string();
        let about = |one: &Pending| Proposal::read(one).is_some_and(|one| one.memory == id);
        if reader.deferred(memory.space)?.iter().any(about) {
            return Ok(true);
        }
        let waiting = reader.pending(&[memory.space], usize::MAX)?;
        let open = waiting.iter().filter(|one| Proposal::read(one).is_some()).count();
        Ok(open >= OPEN_MAX)
    }

    fn line_for(&self, memory: &Memory) -> Option<Proposal> {
        let root = &self.context.project.root;
        let file = edit::right_file(root);
        let seen = edit::seen(root, &file).ok()?;
        let line = flat::line_of(&memory.content, &memory.id.handle());
        let op = ProposalKind::Graduate;
        let memory = memory.id.to_string();
        Some(Proposal { op, memory, file, line, seen, worded_from: None, asked: false })
    }

    fn line_to_take_out(
        &self,
        reader: &dyn Reader,
        memory: &Memory,
        file: &str,
    ) -> Result<Option<Proposal>> {
        let leaf = leaf_of(reader, memory, file)?;
        let Ok(seen) = edit::seen(&self.context.project.root, file) else { return Ok(None) };
        Ok(leaf.map(|leaf| Proposal {
            op: ProposalKind::TakeOut,
            memory: memory.id.to_string(),
            file: file.to_owned(),
            line: leaf.text,
            seen,
            worded_from: None,
            asked: false,
        }))
    }

    /// The proposals among what waits, with what each would change now.
    pub(crate) fn graduations(
        &self,
        reader: &dyn Reader,
        pending: &[Pending],
    ) -> Result<Vec<Graduation>> {
        let mut found = Vec::new();
        for waits in pending {
            let Some(proposal) = Proposal::read(waits) else { continue };
            let Some(memory) = memory_of(reader, waits, &proposal)? else { continue };
            let card = self.engine.card(reader, &memory)?;
            let root = &self.context.project.root;
            let (diff, stuck) = match proposal.edit().apply(root) {
                Ok(done) => (done.diff, None),
                // Accepting it only notes so.
                Err(_) if proposal.edit().is_done(root) => (String::new(), None),
                Err(why) => (String::new(), Some(why)),
            };
            let takes_out = proposal.op == ProposalKind::TakeOut;
            let (id, why, worded) = (waits.id, waits.why.clone(), proposal.worded_from.is_some());
            let file = proposal.file;
            found.push(Graduation { id, card, file, diff, takes_out, worded, why, stuck });
        }
        Ok(found)
    }

    /// Makes proposals whose file has changed since anew, so that what a person is shown is what they decide about.
    pub fn refresh_graduations(&self) -> Result<()> {
        if self.context.door.is_agents() {
            return Ok(());
        }
        let spaces = self.context.reach().spaces;
        let waiting = self.engine.now_reader()?.pending(&spaces, usize::MAX)?;
        let root = &self.context.project.root;
        for proposal in waiting.iter().filter_map(Proposal::read) {
            edit::clear_working(&root.join(&proposal.file));
        }
        let stale: Vec<(Pending, Proposal)> = waiting
            .into_iter()
            .filter_map(|waits| {
                let proposal = Proposal::read(&waits)?;
                let seen = edit::seen(root, &proposal.file).ok()?;
                (seen != proposal.seen).then_some((waits, Proposal { seen, ..proposal }))
            })
            .collect();
        if stale.is_empty() {
            return Ok(());
        }
        self.engine
            .write(self.context, Cause::Review, Some("the file has changed"), |tx| {
                for (waits, next) in &stale {
                    tx.scope.space = waits.space;
                    if tx.rows(&[RowKey::pending(waits.space, waits.id)])?[0].is_some() {
                        tx.push(decided(waits, Ruling::Rejected));
                        next.defer(tx)?;
                    }
                }
                Ok(())
            })
            .map(drop)
    }

    /// Whether a handle names a proposal for a flat file.
    pub fn is_graduation(&self, handle: &str) -> Result<bool> {
        may_decide(self.context)?;
        let reader = self.engine.now_reader()?;
        Ok(Proposal::read(&self.take_pending(&*reader, handle)?).is_some())
    }

    /// Carries out a proposal, because a person says so: one line is written into its file, or taken out. Where the
    /// file is not what it was when it was proposed, nothing is written, and it is proposed anew.
    pub fn accept_graduation(&self, handle: &str) -> Result<Graduated> {
        may_decide(self.context)?;
        let root = &self.context.project.root;
        let mut written: Option<edit::WrittenFile> = None;
        let outcome = self.engine.write(self.context, Cause::Review, None, |tx| {
            let waits = self.take_pending(&**tx, handle)?;
            tx.scope.space = waits.space;
            let not_one = || Error::NotPossible("this is no line for a file".to_owned());
            let proposal = Proposal::read(&waits).ok_or_else(not_one)?;
            let memory = current(&**tx, &waits, &proposal)?;
            if proposal.op == ProposalKind::Graduate {
                check_it_still_stands(&self.engine.card(&**tx, &memory)?)?;
            }
            let edited = proposal.edit();
            if let Some(written) = written.take() {
                // Another writer was busy; what this very call wrote is not a change by somebody else.
                written.take_back();
            }
            let seen = edit::seen(root, &proposal.file).map_err(Error::NotPossible)?;
            tx.push(decided(&waits, Ruling::Accepted));
            if edited.is_done(root) {
                // Somebody was cut off after the file was written: what is left is to note it.
                carry_out(tx, &proposal, &memory)?;
                return Ok(Ok((memory, proposal.file.clone(), String::new())));
            }
            if seen != proposal.seen {
                Proposal { seen, ..proposal.clone() }.defer(tx)?;
                return Ok(Err(proposal.file));
            }
            let done = edited.apply(root).map_err(Error::NotPossible)?;
            carry_out(tx, &proposal, &memory)?;
            written = Some(done.write().map_err(Error::NotPossible)?);
            Ok(Ok((memory, proposal.file.clone(), done.diff)))
        });
        let outcome = match outcome {
            Ok((outcome, _)) => outcome,
            Err(error) => {
                if let Some(written) = written {
                    written.take_back();
                }
                return Err(error);
            }
        };
        match outcome {
            Ok((memory, file, diff)) => {
                let card = self.engine.card_of(memory.space, memory.id)?;
                Ok(Graduated { card, file, diff })
            }
            Err(file) => Err(Error::NotPossible(format!(
                "{file} was changed since this was proposed, so nothing was written; `throughline \
                 review` shows what would change now"
            ))),
        }
    }
}

/// What the store keeps of a proposal that is carried out.
fn carry_out(tx: &mut Transaction<'_>, proposal: &Proposal, memory: &Memory) -> Result<()> {
    let (space, id, at) = (memory.space, memory.id, tx.now);
    match proposal.op {
        ProposalKind::Graduate => {
            let text = flat::read(&proposal.line).rules.into_iter().next();
            let leaf = Leaf {
                id: LeafId(mint::id(at)),
                space,
                memory: id,
                shelf: SHELF.to_owned(),
                name: proposal.file.clone(),
                order: u64::MAX >> 12,
                text: text.map(|rule| rule.text).unwrap_or_default(),
                notes: vec![WRITTEN.to_owned()],
                at,
            };
            if leaf_of(&**tx, memory, &proposal.file)?.is_none_or(|held| held.text != leaf.text) {
                tx.push(Change::Shelve(leaf));
            }
            let graduated = Memory { graduated_at: Some(at), ..memory.clone() };
            tx.push(Change::Revise(Box::new(graduated)));
        }
        ProposalKind::TakeOut => {
            if let Some(leaf) = leaf_of(&**tx, memory, &proposal.file)? {
                let notes = vec![TAKEN_OUT.to_owned()];
                tx.push(Change::Shelve(Leaf { notes, at, ..leaf }));
            }
            tx.push(Change::Move { space, id, to: State::Archived, at });
        }
    }
    Ok(())
}

/// The line of a memory in a file.
fn leaf_of(reader: &dyn Reader, memory: &Memory, file: &str) -> Result<Option<Leaf>> {
    let leaves = reader.leaves(memory.space, SHELF)?.into_iter();
    let here = |leaf: &Leaf| leaf.memory == memory.id && leaf.name == file && is_in_file(leaf);
    Ok(leaves.filter(here).min_by_key(|leaf| leaf.order))
}

pub(crate) fn memory_of(
    reader: &dyn Reader,
    waits: &Pending,
    proposal: &Proposal,
) -> Result<Option<Memory>> {
    let Ok(id) = proposal.memory.parse::<MemoryId>() else { return Ok(None) };
    Ok(reader.rows(&[RowKey::memory(waits.space, id)])?.remove(0).and_then(Row::into_memory))
}

/// The memory of a proposal, where it still says what was proposed.
pub(crate) fn current(reader: &dyn Reader, waits: &Pending, proposal: &Proposal) -> Result<Memory> {
    let memory = memory_of(reader, waits, proposal)?.filter(|memory| {
        let says = match &proposal.worded_from {
            Some(from) => *from == memory.content,
            None => flat::line_of(&memory.content, &memory.id.handle()) == proposal.line,
        };
        memory.state.is_active() && (proposal.op == ProposalKind::TakeOut || says)
    });
    let why = "the memory was changed since this was proposed: reject it, and a later sleep may \
        propose it as it is now";
    memory.ok_or_else(|| Error::NotPossible(why.to_owned()))
}

/// With one of these flags a memory becomes no line of a file.
const DOUBTFUL: [Flag; 4] = [Flag::Contested, Flag::Stale, Flag::Speculative, Flag::Reopen];

/// Refuses what became doubtful since it was proposed.
fn check_it_still_stands(card: &Card) -> Result<()> {
    match card.flags.iter().find(|flag| DOUBTFUL.contains(flag)) {
        Some(doubt) => Err(Error::NotPossible(format!(
            "this memory is {doubt} by now, so nothing was written; `throughline verify` and \
             `throughline review` show why"
        ))),
        None => Ok(()),
    }
}

/// Whether nothing was said later that may bear on a memory, or it was used since as it stands.
fn stands_since_later(card: &Card) -> bool {
    let used_at = card.usage.last_used_at;
    card.later.as_ref().is_none_or(|later| used_at.is_some_and(|at| at > later.at))
}

/// Whether a memory is something that may stand in a file for everybody to follow.
fn may_stand_in_file(card: &Card) -> bool {
    let memory = &card.memory;
    // What happened, what is open and what only explains something else is no rule.
    let passing = matches!(memory.kind, Kind::Event | Kind::Gap | Kind::Commitment)
        || card.is_reason && memory.kind == Kind::Fact;
    memory.state == State::Confirmed
        && memory.session.is_none()
        && memory.graduated_at.is_none()
        && !passing
        && memory.authority != Authority::External
        && stands_since_later(card)
        && !card.flags.iter().any(|flag| DOUBTFUL.contains(flag))
        && !text::normalise(&memory.content).is_empty()
        && flat::unfit_for_line(&memory.content).is_none()
        && instruction::commands_the_reader(&memory.content).is_none()
}
