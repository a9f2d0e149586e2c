//! Shelves: what tools keep word for word, to get it back as they gave it. Each text also becomes a
//! claim of the agent's, so that recall finds it, and is attached to that memory: it is erased with it.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::evidence::Testimony;
use throughline_core::patch::Named;
use throughline_core::permission::{Act, Backing, Door, Verdict};
use throughline_core::reconcile::Candidate;
use throughline_core::{
    Authority, Cause, Change, EntityKind, Evidence, Fingerprint, Kind, Leaf, LeafId, Memory,
    MemoryId, Row, RowKey, SpaceId, State, Timestamp, text,
};
use throughline_store::Reader;

use crate::flows::Keeping;
use crate::permit::ask;
use crate::remember::take_in;
use crate::transaction::Transaction;
use crate::{Context, Engine, Error, Result, mint};

/// What evidence says that comes from a shelf.
const WHY: &str = "kept word for word for a tool";
/// Texts on one shelf at most.
const ENTRIES_MAX: usize = 100_000;

/// A text on a shelf, as a tool sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShelfEntry {
    /// Its name in the store.
    pub id: LeafId,
    /// The tool's name for it.
    pub name: String,
    /// The text.
    pub text: String,
    /// What else the tool says of it.
    pub notes: Vec<String>,
}

/// What a text on a shelf claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShelfClaim {
    /// In words.
    pub content: String,
    /// What it is about.
    pub about: Option<(EntityKind, String)>,
}

/// Shelves as a tool works on them: it changes the entries, and what changed is kept.
#[derive(Debug)]
pub struct Shelves {
    now: Timestamp,
    held: BTreeMap<&'static str, Vec<ShelfEntry>>,
}

impl Shelves {
    /// The entries of a shelf, in order. A shelf that was not asked for is empty.
    pub fn on(&mut self, shelf: &'static str) -> &mut Vec<ShelfEntry> {
        self.held.entry(shelf).or_default()
    }

    /// A new entry, to be put on a shelf.
    pub fn entry(&self, name: &str, text: &str) -> ShelfEntry {
        let id = LeafId(mint::id(self.now));
        ShelfEntry { id, name: name.to_owned(), text: text.to_owned(), notes: Vec::new() }
    }

    fn clean(&mut self, engine: &Engine, context: &Context) -> usize {
        let entries = self.held.values_mut().flatten();
        let texts = entries
            .flat_map(|one| [&mut one.name, &mut one.text].into_iter().chain(&mut one.notes));
        engine.clean_texts(context, texts)
    }
}

/// What was done to shelves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shelved<T> {
    /// What the work came to.
    pub outcome: T,
    /// Secrets that were taken out.
    pub redacted: usize,
}

/// How a tool's texts are kept.
#[derive(Clone, Copy)]
pub struct ShelfRules<'a> {
    /// The shelves it works on.
    pub shelves: &'a [&'static str],
    /// What an entry of a shelf claims.
    pub claims: &'a dyn Fn(&str, &ShelfEntry) -> ShelfClaim,
    /// Who says so.
    pub authority: Authority,
}

impl std::fmt::Debug for ShelfRules<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShelfRules").field("shelves", &self.shelves).finish_non_exhaustive()
    }
}

impl Keeping<'_> {
    /// What is on some shelves.
    pub fn shelves(&self, shelves: &[&'static str]) -> Result<Shelves> {
        let reader = self.engine.now_reader()?;
        let leaves = leaves(&*reader, self.context.scope().space, shelves)?;
        Ok(shelves_of(self.engine.now(), shelves, &leaves))
    }

    /// Lets `work` read and change shelves, with nobody else writing in between, and keeps what it
    /// changed. Nothing is kept where it fails.
    pub fn reshelve<T>(
        &self,
        keeping: ShelfRules<'_>,
        mut work: impl FnMut(&mut Shelves) -> Result<T>,
    ) -> Result<Shelved<T>> {
        let (shelved, _) = self.engine.write(self.context, Cause::Shelve, None, |tx| {
            let before = leaves(&**tx, tx.scope.space, keeping.shelves)?;
            let mut shelves = shelves_of(tx.now, keeping.shelves, &before);
            let outcome = work(&mut shelves)?;
            let redacted = shelves.clean(self.engine, self.context);
            let mut keeper = Keeper { engine: self.engine, tx, keeping };
            keeper.keep(&before, &shelves)?;
            Ok(Shelved { outcome, redacted })
        })?;
        Ok(shelved)
    }
}

/// The leaves of some shelves, by shelf, in order.
fn leaves(reader: &dyn Reader, space: SpaceId, shelves: &[&'static str]) -> Result<Vec<Leaf>> {
    let mut found = Vec::new();
    for shelf in shelves {
        found.extend(reader.leaves(space, shelf)?);
    }
    Ok(found)
}

fn shelves_of(now: Timestamp, shelves: &[&'static str], leaves: &[Leaf]) -> Shelves {
    let entry = |leaf: &Leaf| ShelfEntry {
        id: leaf.id,
        name: leaf.name.clone(),
        text: leaf.text.clone(),
        notes: leaf.notes.clone(),
    };
    let of = |shelf: &&'static str| {
        let here = leaves.iter().filter(|leaf| leaf.shelf == *shelf);
        (*shelf, here.map(entry).collect())
    };
    Shelves { now, held: shelves.iter().map(of).collect() }
}

/// Turns what a tool did into changes.
struct Keeper<'a, 'b> {
    engine: &'a Engine,
    tx: &'a mut Transaction<'b>,
    keeping: ShelfRules<'a>,
}

impl Keeper<'_, '_> {
    fn keep(&mut self, before: &[Leaf], after: &Shelves) -> Result<()> {
        let held: BTreeMap<LeafId, &Leaf> = before.iter().map(|leaf| (leaf.id, leaf)).collect();
        let mut left: BTreeSet<MemoryId> = BTreeSet::new();
        let stays: BTreeSet<LeafId> = after.held.values().flatten().map(|one| one.id).collect();
        for leaf in before.iter().filter(|leaf| !stays.contains(&leaf.id)) {
            self.take_off(leaf);
            left.insert(leaf.memory);
        }
        for (shelf, entries) in &after.held {
            if entries.len() > ENTRIES_MAX {
                let why = format!("the shelf {shelf} holds {ENTRIES_MAX} texts at most");
                return Err(Error::BadInput(why));
            }
            let here = before.iter().filter(|leaf| leaf.shelf == *shelf);
            let mut order = here.map(|leaf| leaf.order).max().unwrap_or(0);
            for entry in entries {
                match held.get(&entry.id) {
                    Some(leaf) if is_same(leaf, entry) => {}
                    Some(leaf) => left.extend(self.change(shelf, leaf, entry)?),
                    None => {
                        order += 1;
                        self.put(shelf, entry, order)?;
                    }
                }
            }
        }
        for memory in left {
            self.put_away(memory)?;
        }
        Ok(())
    }

    fn put(&mut self, shelf: &str, entry: &ShelfEntry, order: u64) -> Result<()> {
        self.check(entry)?;
        let claimed = self.claim(shelf, entry);
        let memory = self.become_memory(&claimed)?;
        let leaf = self.leaf(shelf, entry, memory, order);
        self.tx.push(Change::Shelve(leaf));
        Ok(())
    }

    /// Keeps an entry that says something else now. Returns the memory that it left, if it did.
    fn change(&mut self, shelf: &str, held: &Leaf, entry: &ShelfEntry) -> Result<Option<MemoryId>> {
        self.check(entry)?;
        let claimed = self.claim(shelf, entry);
        let row = self.tx.rows(&[RowKey::memory(held.space, held.memory)])?.remove(0);
        let memory = row.and_then(Row::into_memory).filter(|one| one.state.is_active());
        let wanted = Fingerprint::of(&claimed.content);
        let revised = match memory {
            Some(memory) if memory.fingerprint == wanted => Some(None),
            Some(memory) if self.is_free(&memory, &claimed.content)? => Some(Some(memory)),
            _ => None,
        };
        let leaf = match revised {
            Some(memory) => {
                if let Some(memory) = memory {
                    let next = Memory { content: claimed.content, fingerprint: wanted, ..memory };
                    self.tx.push(Change::Revise(Box::new(next)));
                }
                self.leaf(shelf, entry, held.memory, held.order)
            }
            None => {
                self.take_off(held);
                let memory = self.become_memory(&claimed)?;
                self.leaf(shelf, entry, memory, held.order)
            }
        };
        let moved = (leaf.memory != held.memory).then_some(held.memory);
        self.tx.push(Change::Shelve(leaf));
        Ok(moved)
    }

    /// Whether a memory may say something else: it rests on this shelf alone, and nothing says that
    /// already or was erased for saying it.
    fn is_free(&self, memory: &Memory, content: &str) -> Result<bool> {
        let (space, wanted) = (memory.space, &Fingerprint::of(content));
        let attached = self.tx.attached(space, &[memory.id.into()])?;
        let alone = attached.iter().filter(|row| matches!(row, Row::Leaf(_))).count() == 1;
        Ok(alone
            && self.may(Act::Edit, memory)?
            && rests_on_shelf(memory, &attached)
            && self.tx.with_fingerprint(space, wanted)?.is_empty()
            && self.tx.tombstones(space, std::slice::from_ref(wanted))?.is_empty()
            && throughline_language::instruction::commands_the_reader(content).is_none())
    }

    /// Whether the tool may do something to the memory that a text of its own became.
    fn may(&self, act: Act, memory: &Memory) -> Result<bool> {
        // By hand, a file is read in or a tool's command is carried out.
        let by_hand = [Door::Terminal, Door::AgentShell].contains(&self.tx.door);
        let door = if by_hand { Door::MemoryTool } else { self.tx.door };
        let verdict = ask(&**self.tx, door, act, Some(memory), Backing::Asserted)?;
        Ok(matches!(verdict, Verdict::Allowed { .. }))
    }

    fn take_off(&mut self, leaf: &Leaf) {
        let (space, memory, leaf) = (leaf.space, leaf.memory, leaf.id);
        self.tx.push(Change::Unshelve { space, memory, leaf });
    }

    /// Archives a memory of which no text is kept any more, if nobody else says it.
    fn put_away(&mut self, id: MemoryId) -> Result<()> {
        let space = self.tx.scope.space;
        let attached = self.tx.attached(space, &[id.into()])?;
        let kept = attached.iter().any(|row| row.as_leaf().is_some());
        let row = self.tx.rows(&[RowKey::memory(space, id)])?.remove(0);
        let Some(memory) = row.and_then(Row::into_memory) else { return Ok(()) };
        let leaves = !kept && memory.state.is_active();
        if leaves && rests_on_shelf(&memory, &attached) && self.may(Act::Archive, &memory)? {
            let at = self.tx.now;
            self.tx.push(Change::Move { space, id, to: State::Archived, at });
        }
        Ok(())
    }

    /// The memory that holds a claim: known, new, or kept out of view.
    fn become_memory(&mut self, claimed: &ShelfClaim) -> Result<MemoryId> {
        if let Some(id) = self.tx.made_saying(&claimed.content) {
            return Ok(id);
        }
        // What is too long to be the name of a thing is only a text.
        let longest = self.engine.policy.limits.field_bytes_max;
        let is_name = |name: &String| name.len() <= longest && !text::normalise(name).is_empty();
        let about = claimed.about.as_ref().filter(|(_, name)| is_name(name));
        let candidate = Candidate {
            about: about
                .map(|(kind, name)| Named { kind: *kind, name: name.clone(), aliases: vec![] })
                .into_iter()
                .collect(),
            ..self.candidate(&claimed.content)
        };
        match take_in(self.tx, &candidate) {
            Ok(plan) => {
                self.bring_back(plan.memory)?;
                Ok(plan.memory)
            }
            // A person took it back: it is kept as asked, and stays out of view.
            Err(Error::Blocked(throughline_core::reconcile::Blocked::Retired { id, .. })) => Ok(id),
            Err(Error::Walled(_)) => self.keep_out_of_view(&candidate),
            Err(error) => Err(error),
        }
    }

    fn candidate(&self, content: &str) -> Candidate {
        let testimony = Testimony {
            session: self.tx.session.clone(),
            why: Some(WHY.to_owned()),
            by_agent: true,
            ..Testimony::new(self.keeping.authority, self.tx.now)
        };
        self.tx.candidate(Kind::Fact, content, testimony)
    }

    /// What was put away because its text was taken off comes back with it. What a person put away
    /// stays there.
    fn bring_back(&mut self, id: MemoryId) -> Result<()> {
        let space = self.tx.scope.space;
        let row = self.tx.rows(&[RowKey::memory(space, id)])?.remove(0);
        let Some(memory) = row.and_then(Row::into_memory) else { return Ok(()) };
        let moved = |change: &Change| matches!(change, Change::Move { id: one, .. } if *one == id);
        if memory.state != State::Archived {
            return Ok(());
        }
        let history = self.tx.history(space, id.into())?;
        let last = history.iter().rev().find(|logged| moved(&logged.change));
        let Some(last) = last else { return Ok(()) };
        let by = self.tx.headers(&[last.batch])?;
        let by_shelf = by.iter().any(|stored| stored.batch.cause == Cause::Shelve);
        if by_shelf && self.may(Act::BringBack, &memory)? {
            let (to, at) = (memory.previous.unwrap_or(State::Staged), self.tx.now);
            self.tx.push(Change::Move { space, id, to, at });
        }
        Ok(())
    }

    /// A text that gives orders is kept for its tool, and never put in front of anybody by itself.
    fn keep_out_of_view(&mut self, candidate: &Candidate) -> Result<MemoryId> {
        let space = self.tx.scope.space;
        let wanted = Fingerprint::of(&candidate.content);
        if let Some(stone) = self.tx.tombstones(space, std::slice::from_ref(&wanted))?.first() {
            return Err(throughline_core::reconcile::Blocked::Erased(stone.at).into());
        }
        if let Some(known) = self.tx.with_fingerprint(space, &wanted)?.first() {
            return Ok(known.id);
        }
        let testimony = &candidate.testimony;
        let mut memory = Memory::new(
            candidate.id,
            &candidate.scope,
            candidate.kind,
            &candidate.content,
            testimony.authority,
            testimony.at,
        );
        memory.state = State::Archived;
        memory.previous = Some(State::Staged);
        memory.since = Some(testimony.at);
        self.tx.push(Change::Insert(Box::new(memory)));
        self.tx.push(Change::Reinforce(testimony.about(space, candidate.id)));
        Ok(candidate.id)
    }

    /// What an entry claims, in words that fit a memory.
    fn claim(&self, shelf: &str, entry: &ShelfEntry) -> ShelfClaim {
        let mut claimed = (self.keeping.claims)(shelf, entry);
        if text::normalise(&claimed.content).is_empty() {
            claimed.content = format!("something without words ({shelf} {})", entry.id);
        }
        let most = self.engine.policy.limits.content_bytes_max;
        claimed.content = text::cut(&claimed.content, most).to_owned();
        claimed
    }

    fn check(&self, entry: &ShelfEntry) -> Result<()> {
        let max = self.engine.policy.limits.turn_bytes_max;
        let mut texts = [&entry.name, &entry.text].into_iter().chain(&entry.notes);
        if texts.any(|text| text.len() > max) {
            return Err(Error::BadInput(format!("a name or a text has {max} bytes at most")));
        }
        Ok(())
    }

    fn leaf(&self, shelf: &str, entry: &ShelfEntry, memory: MemoryId, order: u64) -> Leaf {
        Leaf {
            id: entry.id,
            space: self.tx.scope.space,
            memory,
            shelf: shelf.to_owned(),
            name: entry.name.clone(),
            order,
            text: entry.text.clone(),
            notes: entry.notes.clone(),
            at: self.tx.now,
        }
    }
}

fn is_same(leaf: &Leaf, entry: &ShelfEntry) -> bool {
    leaf.name == entry.name && leaf.text == entry.text && leaf.notes == entry.notes
}

/// Whether nothing but shelves speaks for a memory, and nobody keeps it in front.
fn rests_on_shelf(memory: &Memory, attached: &[Row]) -> bool {
    let mut evidence = attached.iter().filter_map(Row::as_evidence);
    let on_shelf = |one: &Evidence| one.why.as_deref() == Some(WHY);
    !memory.pinned && evidence.all(on_shelf)
}
