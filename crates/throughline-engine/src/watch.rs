//! Watch: what state facts are tied to. Bound when they come in, looked at when a session wakes.
//!
//! A claim only proposes what it is tied to; the folder decides. What cannot be found there is never
//! bound to, and under doubt nothing is.

use std::path::Path;
use std::sync::PoisonError;

use throughline_core::watermark::{BindingFate, Referent, Status, Tally};
use throughline_core::{
    Cause, Change, Kind, Memory, MemoryId, Row, RowKey, SpaceId, Timestamp, Watermark,
};
use throughline_language::instruction;
use throughline_language::referent::{self, Around, BindingProposal, NamedPlace};
use throughline_store::Reader;
use throughline_watch::{Binding, Look, Stamped, World};

use crate::capture::Captured;
use crate::clean::clean_text;
use crate::flows::Watching;

use crate::transaction::Transaction;
use crate::{Error, Result};

/// Bindings that one waking writes to at most: a session waits for it. The rest comes with the next.
const NOTED_MAX: usize = 500;

/// Bindings as they were held and as they were seen.
pub(crate) type SeenBindings = Vec<(Watermark, Watermark)>;

/// How much it matters to note what was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// It is to be checked now.
    Alarm,
    /// It reads otherwise.
    News,
    /// It only need not be read again.
    Fresher,
}

impl Weight {
    fn of(held: &Watermark, seen: &Watermark) -> Self {
        if held.reading == seen.reading && held.referent == seen.referent {
            Self::Fresher
        } else if seen.reading.wants_check() {
            Self::Alarm
        } else {
            Self::News
        }
    }
}

/// What looking at everything again showed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Woken {
    /// Bindings that were looked at.
    pub checked: usize,
    /// Those that are as they were, or moved where it does not matter.
    pub unchanged: usize,
    /// Those whose lines, values or paths are not what they were.
    pub moved: Vec<Watermark>,
    /// Those that are gone.
    pub missing: Vec<Watermark>,
    /// Those that cannot be told.
    pub unknown: Vec<Watermark>,
}

impl Woken {
    fn count(&mut self, mark: &Watermark) {
        self.checked += 1;
        match mark.reading.status() {
            Status::Moved => self.moved.push(mark.clone()),
            Status::Missing => self.missing.push(mark.clone()),
            Status::Unknown => self.unknown.push(mark.clone()),
            Status::Unchanged => self.unchanged += 1,
        }
    }

    /// The memories that are tied to something that is not as it was.
    pub fn stale(&self) -> Vec<MemoryId> {
        let marks = self.moved.iter().chain(&self.missing).chain(&self.unknown);
        marks.map(|mark| mark.memory).collect()
    }
}

impl Watching<'_> {
    /// Looks again at everything that the project's memories are tied to, and notes what it sees.
    pub fn wake(&self) -> Result<Woken> {
        let (woken, noticed) = self.look_around()?;
        if !noticed.is_empty() {
            self.note_seen(self.context.project.space(), &noticed)?;
        }
        Ok(woken)
    }

    /// The same without noting it: what was seen counts from here on, and is returned to be noted when
    /// nobody waits.
    pub(crate) fn look_without_noting(&self) -> Result<(Woken, SeenBindings)> {
        let (woken, noticed) = self.look_around()?;
        *self.engine.seen.lock().unwrap_or_else(PoisonError::into_inner) = noticed.clone();
        Ok((woken, noticed))
    }

    fn look_around(&self) -> Result<(Woken, SeenBindings)> {
        let space = self.context.project.space();
        let held = self.engine.now_reader()?.watched(space, true)?;
        if held.is_empty() {
            return Ok((Woken::default(), Vec::new()));
        }
        let looks = look_at(&self.context.project.root, &held);
        let mut woken = Woken::default();
        let mut noticed = Vec::new();
        for (mark, look) in held.into_iter().zip(looks) {
            let seen = seen(&mark, look);
            woken.count(&seen);
            if seen != mark {
                noticed.push((mark, seen));
            }
        }
        // What is only fresher can wait; what reads otherwise comes first.
        noticed.sort_by_key(|(held, seen)| Weight::of(held, seen));
        noticed.truncate(NOTED_MAX);
        Ok((woken, noticed))
    }

    /// What the last look showed, without looking again.
    pub fn last_look(&self) -> Result<Woken> {
        let held = self.engine.now_reader()?.watched(self.context.project.space(), true)?;
        let mut woken = Woken::default();
        held.iter().for_each(|mark| woken.count(mark));
        Ok(woken)
    }

    /// How many bindings the project's memories have and had, and how often these were right.
    pub fn tally(&self) -> Result<(usize, Tally)> {
        let marks = self.engine.now_reader()?.watched(self.context.project.space(), false)?;
        let tally = marks.iter().fold(Tally::default(), |sum, mark| sum.plus(mark.tally));
        Ok((marks.len(), tally))
    }

    /// Notes what was seen, where nobody has bound it anew meanwhile.
    pub(crate) fn note_seen(
        &self,
        space: SpaceId,
        noticed: &[(Watermark, Watermark)],
    ) -> Result<()> {
        self.engine
            .write(self.context, Cause::Verify, None, |tx| {
                tx.scope.space = space;
                let keys: Vec<RowKey> = noticed.iter().map(|(held, _)| key(held)).collect();
                for ((held, seen), row) in noticed.iter().zip(tx.rows(&keys)?) {
                    if row.as_ref() != Some(&Row::Watermark(held.clone())) {
                        continue;
                    }
                    if seen.referent != held.referent {
                        tx.push(unwatch(held));
                    }
                    tx.push(Change::Watch(seen.clone()));
                }
                Ok(())
            })
            .map(drop)
    }

    /// Binds a memory to what somebody named by hand. What is not there is an error.
    pub(crate) fn watch_by_hand(
        &self,
        tx: &mut Transaction<'_>,
        root: &Path,
        memory: MemoryId,
        wanted: &[Referent],
    ) -> Result<()> {
        if wanted.is_empty() {
            return Ok(());
        }
        if tx.scope.space == SpaceId::GLOBAL {
            return Err(Error::BadInput(
                "a watched file belongs to a project; a global memory cannot be tied to it"
                    .to_owned(),
            ));
        }
        let world = World::at(root);
        for referent in wanted {
            if is_private(referent) {
                return Err(Error::NotPossible(format!(
                    "{referent} cannot be watched: files that hold secrets are left alone"
                )));
            }
            let stamped = world.stamp(referent).map_err(|why| {
                Error::NotPossible(format!("{referent} cannot be watched: {why}"))
            })?;
            tx.push(Change::Watch(stamp(tx.scope.space, memory, stamped, tx.now)));
        }
        Ok(())
    }

    /// Binds a memory to what its own words name, if the folder bears them out.
    pub(crate) fn watch_by_words(
        &self,
        tx: &mut Transaction<'_>,
        root: &Path,
        claim: &Stated<'_>,
    ) -> Result<()> {
        let space = tx.scope.space;
        if space == SpaceId::GLOBAL {
            return Ok(());
        }
        let mut held = marks_of(&**tx, space, claim.memory)?;
        // Bound to the wrong thing once is enough.
        let blind =
            |mark: &Watermark| mark.tally.verdict(&self.engine.policy.trust) == BindingFate::Drop;
        let wrong: Vec<Watermark> = held.extract_if(.., |mark| blind(mark)).collect();
        tx.extend(wrong.iter().map(unwatch));
        if !held.is_empty() {
            // Said again by somebody who knows: what it is tied to is as they see it now.
            if claim.by_user && held.iter().any(|mark| mark.reading.wants_check()) {
                self.restamp(tx, root, claim.content, &held);
            }
            return Ok(());
        }
        let proposals = referent::proposals(claim.content, claim.kind, &claim.around());
        let world = World::at(root);
        let again = |found: &Stamped| wrong.iter().any(|mark| mark.referent == found.referent);
        let mut found = proposals.iter().filter_map(|one| resolve(&world, one));
        if let Some(found) = found.find(|found| !again(found)) {
            tx.push(Change::Watch(stamp(space, claim.memory, found, tx.now)));
            return Ok(());
        }
        if !claim.by_user
            && let Some(path) = named_in_vain(&world, claim.content)
        {
            note_unresolved(tx, claim.memory, &path);
        }
        Ok(())
    }

    /// Whether every file that a memory names is there by now.
    pub(crate) fn names_what_is_there(&self, memory: &Memory) -> bool {
        self.named_in_vain(memory).is_none()
    }

    /// A file that a memory of the project names and that is not there.
    pub(crate) fn named_in_vain(&self, memory: &Memory) -> Option<String> {
        let here = memory.space == self.context.project.space();
        here.then(|| named_in_vain(&World::at(&self.context.project.root), &memory.content))?
    }

    /// Stamps bindings anew after the claim was found to hold: the alarm was a false one.
    pub(crate) fn restamp(
        &self,
        tx: &mut Transaction<'_>,
        root: &Path,
        claim: &str,
        held: &[Watermark],
    ) {
        let world = World::at(root);
        for mark in held {
            let tally = mark.tally.count(mark.reading.wants_check(), false);
            let narrow = tally.verdict(&self.engine.policy.trust) == BindingFate::Narrow;
            let narrower = if narrow { narrowed(&world, &mark.referent, claim) } else { None };
            let stamped = narrower.or_else(|| world.stamp(&mark.referent).ok());
            let Some(stamped) = stamped else {
                // It holds, and what it was tied to is gone: it is tied to nothing.
                tx.push(unwatch(mark));
                continue;
            };
            let tally = if stamped.referent == mark.referent { tally } else { Default::default() };
            if stamped.referent != mark.referent {
                tx.push(unwatch(mark));
            }
            let next = stamp(mark.space, mark.memory, stamped, tx.now);
            tx.push(Change::Watch(Watermark { tally, ..next }));
        }
    }
}

/// A claim that has just come in.
pub(crate) struct Stated<'a> {
    pub(crate) memory: MemoryId,
    pub(crate) content: &'a str,
    pub(crate) kind: Kind,
    pub(crate) by_user: bool,
    /// What was said and done around it.
    pub(crate) turns: &'a [Captured],
}

impl Stated<'_> {
    fn around(&self) -> Vec<Around<'_>> {
        let runs = self.turns.iter().filter_map(|turn| turn.run.as_ref());
        runs.flat_map(|run| {
            run.call.files.iter().map(|path| Around { text: &run.output, path: Some(path) })
        })
        .collect()
    }
}

/// Looks at what some memories are tied to.
pub(crate) fn look_at(root: &Path, held: &[Watermark]) -> Vec<Look> {
    let bindings: Vec<Binding<'_>> =
        held.iter().map(|mark| Binding { referent: &mark.referent, stamp: &mark.stamp }).collect();
    World::at(root).look(&bindings)
}

/// A binding after a look.
pub(crate) fn seen(mark: &Watermark, look: Look) -> Watermark {
    let mut seen = mark.clone();
    seen.reading = look.reading;
    seen.now = plain(look.now);
    if let (Some(path), Referent::File { path: held, .. }) = (look.renamed, &mut seen.referent) {
        *held = path;
    }
    if let Some(fresher) = look.stamp {
        seen.stamp = fresher;
    }
    seen
}

fn stamp(space: SpaceId, memory: MemoryId, stamped: Stamped, at: Timestamp) -> Watermark {
    let Stamped { referent, stamp, then } = stamped;
    Watermark { stamp, then: plain(then), ..Watermark::new(space, memory, referent, at) }
}

/// A value as it is told: one that gives orders is not repeated, and one that holds a secret is not
/// even kept.
fn plain(mut value: String) -> String {
    if clean_text(&mut value) > 0 {
        return String::new();
    }
    if instruction::commands_the_reader(&value).is_some() { "a text".to_owned() } else { value }
}

fn key(mark: &Watermark) -> RowKey {
    RowKey::watermark(mark.space, mark.memory, &mark.referent)
}

fn unwatch(mark: &Watermark) -> Change {
    let Watermark { space, memory, referent, .. } = mark.clone();
    Change::Unwatch { space, memory, referent }
}

/// What a memory is tied to.
pub(crate) fn marks_of(
    reader: &dyn Reader,
    space: SpaceId,
    memory: MemoryId,
) -> Result<Vec<Watermark>> {
    let attached = reader.attached(space, &[memory.into()])?;
    Ok(attached.into_iter().filter_map(Row::into_watermark).collect())
}

/// Looks up what a claim proposes.
fn resolve(world: &World, proposal: &BindingProposal) -> Option<Stamped> {
    let referent = match &proposal.place {
        NamedPlace::File { path, lines } => {
            let span = lines.or_else(|| world.span_with(path, &proposal.words));
            if span.is_none() && proposal.needs_words {
                return None;
            }
            Referent::File { path: path.clone(), span }
        }
        NamedPlace::Folder { path } => Referent::Git { paths: vec![path.clone()] },
        NamedPlace::Flag { name } => Referent::Flag { name: name.clone() },
        // Moves with everything.
        NamedPlace::Commit { .. } => return None,
    };
    if is_private(&referent) { None } else { world.stamp(&referent).ok() }
}

/// Whether it is a file that holds secrets: not even a hash of it is kept.
fn is_private(referent: &Referent) -> bool {
    match referent {
        Referent::File { path, .. } => throughline_redact::is_secret_file(path),
        Referent::Git { paths } => {
            paths.iter().any(|path| throughline_redact::is_secret_file(path))
        }
        Referent::Flag { name } => {
            name.split_once('#').is_some_and(|(file, _)| throughline_redact::is_secret_file(file))
        }
    }
}

/// Less to bind a claim to: the lines that hold its words, instead of the file.
fn narrowed(world: &World, referent: &Referent, claim: &str) -> Option<Stamped> {
    let words = referent::telling_words(claim);
    let paths: Vec<&String> = match referent {
        Referent::File { path, .. } => vec![path],
        Referent::Git { paths } => paths.iter().collect(),
        Referent::Flag { .. } => return None,
    };
    let in_file = paths.iter().find_map(|path| {
        let span = world.span_with(path, &words)?;
        Some(Referent::File { path: (*path).clone(), span: Some(span) })
    });
    let named = || {
        let mentions = referent::mentions(claim).into_iter();
        mentions.into_iter().find_map(|one| match one.place {
            NamedPlace::File { path, .. } => Some(Referent::File { path, span: None }),
            NamedPlace::Folder { .. } | NamedPlace::Flag { .. } | NamedPlace::Commit { .. } => None,
        })
    };
    let narrower = in_file.or_else(named).filter(|found| found != referent)?;
    world.stamp(&narrower).ok()
}

/// A file that a claim names and that is not there. The files of a command are left out.
fn named_in_vain(world: &World, claim: &str) -> Option<String> {
    let mut mentions = referent::mentions(claim).into_iter();
    mentions.find_map(|one| match one.place {
        NamedPlace::File { path, .. } if !referent::is_in_command(claim, &one.range) => {
            let wanted = Referent::File { path: path.clone(), span: None };
            world.stamp(&wanted).is_err().then_some(path)
        }
        NamedPlace::File { .. }
        | NamedPlace::Folder { .. }
        | NamedPlace::Flag { .. }
        | NamedPlace::Commit { .. } => None,
    })
}

/// Marks a memory of this very batch as naming something that is not there.
fn note_unresolved(tx: &mut Transaction<'_>, memory: MemoryId, path: &str) {
    tx.rewrite(|changes| {
        for change in changes {
            if let Change::Insert(new) = change
                && new.id == memory
            {
                new.unresolved = Some(path.to_owned());
            }
        }
    });
}

/// A memory with nothing left to be checked.
pub(crate) fn checked(memory: &Memory, at: Timestamp) -> Memory {
    Memory { last_verified_at: Some(at), unresolved: None, ..memory.clone() }
}
