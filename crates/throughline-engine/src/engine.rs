//! The engine: a store, a clock, the policies, and the one door through which every flow writes.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use throughline_core::row::Extra;
use throughline_core::scope::Space;
use throughline_core::{
    Batch, BatchId, Cause, Change, Memory, NodeId, Policy, RowKey, SpaceId, Timestamp,
};
use throughline_store::{Backend, Error as StoreError, Foreseen, PERSON, Reader};

use crate::card::{self, Card};
use crate::index::{Indexes, KeptFolder};
use crate::journal::note::{Damage, note_failure};
use crate::meaning::{self, Meaning, NewText};
use crate::purge::has_late_secrets;
use crate::recall::WordsPool;
use crate::reconfirm::ReconfirmKept;
use crate::today::ReadLately;
use crate::transaction::Transaction;
use crate::watch::SeenBindings;
use crate::{Clock, Context, Error, Result, Roots, backup, mint};

/// Says that the memory of a home is kept on a server, or in its own file. Only the user's own
/// settings may say so; every engine that is opened later in this process follows.
pub fn keep_memory_at(home: &Path, address: Option<&str>) {
    Backend::keep_at(&home.join(DATABASE), address);
}

/// Whether a home has a memory that can be opened: nothing is made to look.
pub fn has_memory(home: &Path) -> bool {
    Backend::is_there(&home.join(DATABASE))
}

/// Memory, ready to be used.
#[derive(Debug)]
pub struct Engine {
    pub(crate) home: PathBuf,
    pub(crate) store: Backend,
    pub(crate) clock: Clock,
    pub(crate) policy: Policy,
    pub(crate) indexes: Indexes,
    pub(crate) meaning: Meaning,
    pub(crate) words_pool: WordsPool,
    /// What a look at bindings showed, as long as it is not noted in the store.
    pub(crate) seen: Mutex<SeenBindings>,
    /// What was read of the log for the last days.
    pub(crate) lately: ReadLately,
    /// What was found to need confirming again.
    pub(crate) reconfirm: ReconfirmKept,
    /// When whoever waits for us had told everything.
    pub(crate) told: Option<Instant>,
    /// When whoever asked no longer waits.
    pub(crate) until: Option<Instant>,
    /// Set while somebody waits for an answer: what can be done later is left.
    pub(crate) waited_for: AtomicBool,
    /// The person it was opened for, where the store itself does not know them.
    pub(crate) person: Option<String>,
}

/// Names the person who writes, where the store itself does not.
fn signature(author: Option<&str>) -> Extra {
    author.map(|person| (PERSON.to_owned(), person.into())).into_iter().collect()
}

/// The folder with what is told, heard and kept in mind. On a server each person has one of their own,
/// because walls stand between people also beside the database.
fn home_of(home: &Path, person: Option<&str>) -> Result<PathBuf> {
    let Some(person) = person else { return Ok(home.to_owned()) };
    let name = throughline_core::text::sha256_hex(person.as_bytes());
    let own = home.join("people").join(&name[..16]);
    let failed = |source| Error::File { path: own.clone(), source };
    throughline_store::private_folder(&own).map_err(failed)?;
    Ok(own)
}

/// A database of so many bytes is looked through and written anew in less time than somebody notices.
pub const QUICKLY_REWRITTEN: u64 = 8 << 20;

/// The name of the database within its home.
pub(crate) const DATABASE: &str = "throughline.db";
/// The name of the folder with kept indexes within its home.
pub(crate) const INDEXES: &str = "index";

impl Engine {
    /// Opens the memory in a folder, creating it if there is none.
    pub fn open(home: &Path, clock: Clock) -> Result<Self> {
        Self::open_as(home, clock, None)
    }

    /// The same for a person: on a server their role decides what is seen, in a file they are the author of what they say.
    pub fn open_as(home: &Path, clock: Clock, person: Option<&str>) -> Result<Self> {
        let opened = Backend::open_as(&home.join(DATABASE), person);
        // Also where it does not open: what was left over may hold erased text.
        backup::sweep_if_idle(home);
        let store = opened?;
        let home = home_of(home, person.filter(|_| store.server().is_some()))?;
        let folder = home.join(INDEXES);
        let kept = match (store.server(), store.person()) {
            // Who acts for others stays, and needs no copy; nobody would remove it from a folder of theirs.
            (Some(_), _) if person.is_some() => None,
            (Some(server), Some(role)) => Some(KeptFolder::of_server(folder, server, role)),
            _ => Some(KeptFolder::new(folder)),
        };
        let indexes = Indexes::new(kept);
        Ok(Self {
            home,
            store,
            clock,
            policy: Policy::default(),
            indexes,
            meaning: Meaning::default(),
            words_pool: WordsPool::default(),
            seen: Mutex::default(),
            lately: ReadLately::default(),
            reconfirm: ReconfirmKept::default(),
            told: None,
            until: None,
            waited_for: AtomicBool::new(false),
            person: person.map(str::to_owned),
        })
    }

    /// The same engine with other numbers.
    pub fn with_policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// The same engine for somebody who has told everything at that moment, and waits so long and no
    /// longer.
    pub fn in_time(self, told: Instant, most: Duration) -> Self {
        self.store.answer_until(Some(told + most));
        Self { told: Some(told), until: Some(told + most), ..self }
    }

    /// The numbers in force.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Where it lives.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The person who reads and writes by it, where memory has several.
    pub(crate) fn person(&self) -> Option<String> {
        self.person.clone().or_else(|| self.store.person().map(str::to_owned))
    }

    /// The present moment, by the engine's clock.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A view of the present.
    pub fn now_reader(&self) -> Result<Box<dyn Reader + '_>> {
        Ok(self.store.read_soon()?)
    }

    /// A view of what was believed at a moment, or of the present if none is given.
    pub fn reader(&self, as_of: Option<Timestamp>) -> Result<Box<dyn Reader + '_>> {
        match as_of {
            Some(at) => Ok(self.store.as_of(at)?),
            None => self.now_reader(),
        }
    }

    /// The memory a handle means: an id, the beginning of one (six characters or more), or its
    /// last eight characters.
    pub fn resolve(&self, reader: &dyn Reader, context: &Context, handle: &str) -> Result<Memory> {
        let reach = context.reach();
        let wanted = handle.trim().trim_start_matches('#').to_ascii_lowercase();
        if !is_handle(&wanted) {
            return Err(not_an_id(handle));
        }
        let mut found = reader.find(&reach.spaces, &wanted)?;
        found.retain(|memory| reach.sees(memory));
        match found.len() {
            0 => Err(Error::NotFound { what: "memory", handle: handle.to_owned() }),
            1 => Ok(found.remove(0)),
            _ => Err(Error::Ambiguous {
                what: "memory",
                handle: handle.to_owned(),
                found: found.len(),
                candidates: found.iter().take(5).map(|memory| memory.id.handle()).collect(),
            }),
        }
    }

    pub(crate) fn card(&self, reader: &dyn Reader, memory: &Memory) -> Result<Card> {
        let mut cards = self.cards(reader, std::slice::from_ref(memory))?;
        Ok(cards.remove(0))
    }

    pub(crate) fn cards(&self, reader: &dyn Reader, memories: &[Memory]) -> Result<Vec<Card>> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        card::describe(reader, memories, self.now(), &self.policy, &seen)
    }

    /// The number of the latest change.
    pub fn latest_change(&self, reader: &dyn Reader) -> Result<u64> {
        Ok(reader.latest()?.map_or(0, |(seq, _)| seq))
    }

    /// The latest batch that a reader sees: while it is the same, nothing was written, by whichever process. Nothing on a
    /// server, where a batch may become visible after a later one.
    pub fn latest_batch(&self, reader: &dyn Reader) -> Result<Option<(u64, BatchId)>> {
        let in_file = self.store.file().is_ok();
        Ok(if in_file { reader.latest()? } else { None })
    }

    /// Reads a memory again after a write.
    pub(crate) fn card_of(&self, space: SpaceId, id: throughline_core::MemoryId) -> Result<Card> {
        let reader = self.now_reader()?;
        let nodes = Foreseen::Nodes { space, nodes: vec![NodeId::Memory(id)] };
        reader.foresee(&[nodes, Foreseen::Names { space, names: Vec::new() }])?;
        let row = reader.rows(&[RowKey::memory(space, id)])?.remove(0);
        let memory = row
            .and_then(throughline_core::Row::into_memory)
            .ok_or_else(|| Error::NotFound { what: "memory", handle: id.to_string() })?;
        self.card(&*reader, &memory)
    }

    /// The one door: lets `plan` read and decide, and writes its changes as one batch.
    ///
    /// Nobody else writes in between. A plan without changes writes nothing.
    pub(crate) fn write<T>(
        &self,
        context: &Context,
        cause: Cause,
        reason: Option<&str>,
        mut plan: impl FnMut(&mut Transaction<'_>) -> Result<T>,
    ) -> Result<(T, BatchId)> {
        let mut came = None;
        let id = self.write_batch(context, cause, reason, &mut |tx| {
            came = Some(plan(tx)?);
            Ok(())
        })?;
        let Some(came) = came else { unreachable!("a store cannot apply what was not planned") };
        Ok((came, id))
    }

    /// The same for a plan that keeps what it comes to. Not generic, so that it is compiled once.
    fn write_batch(
        &self,
        context: &Context,
        cause: Cause,
        reason: Option<&str>,
        plan: &mut dyn FnMut(&mut Transaction<'_>) -> Result<()>,
    ) -> Result<BatchId> {
        Roots::new(&self.home).check(context)?;
        let reason = reason.map(|reason| self.cleaned(context, reason).0);
        let mut outcome: Option<(Result<()>, BatchId)> = None;
        let (mut new_texts, mut written_in) = (Vec::new(), context.scope().space);
        let author = self.person.as_deref().filter(|_| self.store.server().is_none());
        let mut plan_batch = |reader: &dyn Reader| {
            // Read when it is our turn, so that what is written later also says so.
            let now = self.now();
            let id = BatchId(mint::id(now));
            let mut tx =
                Transaction::new(reader, now, context).of_person(self.person(), follows_up(cause));
            let planned = self.planned(&mut tx, context, cause, plan);
            let go_on = planned.is_ok() && !tx.changes().is_empty();
            let (scope, mut changes) = (tx.scope.clone(), tx.into_changes());
            outcome = Some((planned, id));
            if !go_on {
                return Err(StoreError::Abandoned);
            }
            let named = changes.iter().any(|change| matches!(change, Change::AddSpace(_)));
            if !named && let Some(space) = unknown_space(reader, context, scope.space, now)? {
                changes.insert(0, Change::AddSpace(space));
            }
            new_texts = meaning::new_texts(&changes);
            written_in = scope.space;
            Ok(Batch {
                id,
                space: scope.space,
                at: now,
                actor: context.actor(),
                cause,
                session: context.session.clone(),
                reason: reason.clone(),
                changes,
                extra: signature(author),
            })
        };
        // What is erased is looked for in every space.
        let applied = if cause == Cause::Purge {
            self.store.transact(&mut plan_batch)
        } else {
            self.store.transact_in(context.scope().space, &mut plan_batch)
        };
        if let Ok(commit) = &applied {
            if let (Some(only_if), Some((_, id))) = (&context.only_if, &outcome) {
                only_if.note(self, written_in, *id);
            }
            self.after_write(context, cause, commit.seq, &new_texts);
        }
        match (outcome, applied) {
            (Some((outcome, id)), Ok(_) | Err(StoreError::Abandoned)) => outcome.map(|()| id),
            (_, Err(error)) => Err(error.into()),
            (None, Ok(_)) => unreachable!("a store cannot apply what was not planned"),
        }
    }
}

impl Engine {
    /// Lets `plan` read and decide as [`Engine::write`] does, and writes nothing. What it came to, and
    /// the changes that would have been written.
    pub(crate) fn try_out<T>(
        &self,
        context: &Context,
        cause: Cause,
        mut plan: impl FnMut(&mut Transaction<'_>) -> Result<T>,
    ) -> Result<(T, Vec<Change>)> {
        Roots::new(&self.home).check(context)?;
        let reader = self.now_reader()?;
        let mut tx = Transaction::new(&*reader, self.now(), context)
            .of_person(self.person(), follows_up(cause));
        let mut came = None;
        self.planned(&mut tx, context, cause, &mut |tx| {
            came = Some(plan(tx)?);
            Ok(())
        })?;
        let Some(came) = came else { unreachable!("a plan that did not fail came to something") };
        Ok((came, tx.into_changes()))
    }

    /// What a plan comes to, with what follows from it.
    fn planned(
        &self,
        tx: &mut Transaction<'_>,
        context: &Context,
        cause: Cause,
        plan: &mut dyn FnMut(&mut Transaction<'_>) -> Result<()>,
    ) -> Result<()> {
        if let Some(only_if) = &context.only_if {
            only_if.check(self, &**tx)?;
        }
        plan(tx)?;
        if follows_up(cause) {
            self.watching(context).follow_up(tx)?;
            self.reviewing(context).close_answered(tx)?;
        }
        Ok(())
    }

    /// What follows a batch that is on disk. It cannot take the batch back: what fails is noted for `doctor`, and whoever
    /// writes next tries again.
    fn after_write(&self, context: &Context, cause: Cause, seq: u64, new_texts: &[NewText]) {
        let mut done = vec![(
            "keep the folder of a project",
            Roots::new(&self.home).keep_of(context, self.now()),
        )];
        // An erasure that was interrupted is finished by whoever writes next; a purge does so itself.
        if cause != Cause::Purge {
            let late = has_late_secrets(&self.home);
            if late && self.erasing().takes_out_at_once(context.door) {
                let taken = self.erasing().take_out_late(context).map(drop);
                done.push(("take out a secret that was told before", taken));
            } else if !late {
                done.push(("finish an erasure", self.erasing().finish_due()));
            }
        }
        // What cannot be embedded now is found by its words.
        if !self.waited_for.load(Ordering::Relaxed) {
            done.push(("embed what is new", self.vectors().embed_new(seq, new_texts)));
        }
        for (what, outcome) in done {
            if let Err(error) = outcome {
                note_failure(&self.home, self.now(), what, &error.to_string(), Damage::None);
            }
        }
    }
}

/// Whether what a batch replaces is followed up: not where it is only put back or brought along, nor
/// by sleep, which does so itself.
fn follows_up(cause: Cause) -> bool {
    !matches!(cause, Cause::Undo | Cause::Import | Cause::Sleep | Cause::Purge | Cause::Unsupersede)
}

/// Whether a word can mean a memory: six or more letters a-f, digits and dashes.
pub(crate) fn is_handle(word: &str) -> bool {
    let word = word.trim().trim_start_matches('#');
    word.len() >= 6 && word.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

/// What is said of a word that cannot mean anything.
pub(crate) fn not_an_id(handle: &str) -> Error {
    let message = format!("{handle:?} is not an id: an id has at least six letters a-f or digits");
    Error::BadInput(message)
}

/// The space of the batch, if this is the first time it is written to.
fn unknown_space(
    reader: &dyn Reader,
    context: &Context,
    space: SpaceId,
    now: Timestamp,
) -> std::result::Result<Option<Space>, StoreError> {
    if reader.spaces()?.iter().any(|known| known.space == space) {
        return Ok(None);
    }
    let (key, name) = if space == SpaceId::GLOBAL {
        ("global".to_owned(), "global".to_owned())
    } else {
        (context.project.key.as_str().to_owned(), context.project.name.clone())
    };
    Ok(Some(Space { space, key, name, created_at: now, slept: None }))
}
