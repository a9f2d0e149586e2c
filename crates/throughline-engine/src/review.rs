//! Review: what waits for a person's word, and the word. Nothing that could not be applied is
//! dropped, and nobody but the user decides.

mod later;

use std::collections::BTreeMap;

use throughline_core::evidence::speakers;
use throughline_core::patch::{self, Amendment, Operation};
use throughline_core::permission::{Act, Denial, Door};
use throughline_core::policy::Limits;
use throughline_core::scope::Scope;
use throughline_core::{
    Authority, Cause, Change, Edge, Evidence, Kind, Memory, MemoryId, Pending, PendingId, Relation,
    Row, RowKey, Ruling, SpaceId, State, Timestamp, text,
};
use throughline_store::Reader;

pub(crate) use later::is_questioned;

use crate::engine::{is_handle, not_an_id};
use crate::flows::Reviewing;
use crate::graduate::{Graduation, Proposal};
use crate::permit::{demand_act, not_yours, owns};
use crate::transaction::Transaction;
use crate::{Card, Context, Error, Filter, Result, ToCheck};

/// Memories to confirm again that are listed at most: a nudge, and no list of chores.
const RECONFIRM: usize = 10;

/// Memories with later words that are listed at most, and for how many days.
const QUESTIONED: usize = 10;
const QUESTIONED_DAYS: u32 = 30;

/// What waits for a person's word.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    /// Operations that could not be applied, oldest first.
    pub pending: Vec<Undecided>,
    /// Current memories that contradict each other, the older one first.
    pub contested: Vec<(Card, Card)>,
    /// Current memories with later words that may bear on them, the latest first.
    pub questioned: Vec<Card>,
    /// What is tied to something that has moved, the most telling first.
    pub to_check: Vec<ToCheck>,
    /// What was asked for and is not known, newest first.
    pub gaps: Vec<Card>,
    /// Lines that are proposed for a flat file, or for leaving one.
    pub graduation: Vec<Graduation>,
    /// What hangs on nothing observable and has not been confirmed for long, the most telling first.
    pub reconfirm: Vec<Card>,
}

/// An operation that waits for a person's word.
#[derive(Debug, Clone, PartialEq)]
pub struct Undecided {
    /// As it was put off. Why, in words of a person, also where the operation cannot be read.
    pub pending: Pending,
    /// What it would do, in a sentence.
    pub says: String,
    /// What keeps it from being accepted as it stands, if something does.
    pub stuck: Option<Stuck>,
}

/// What a person has to add before an operation can be accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stuck {
    /// What is in the way.
    pub why: String,
    /// Whether it is enough to name the memory that is meant.
    pub needs_memory: bool,
}

impl Review {
    /// Whether nobody has to decide anything.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
            && self.contested.is_empty()
            && self.questioned.is_empty()
            && self.to_check.is_empty()
            && self.gaps.is_empty()
            && self.graduation.is_empty()
            && self.reconfirm.is_empty()
    }
}

/// Which of two memories that contradict each other holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The older one: it takes the newer one's place.
    A,
    /// The newer one: it takes the older one's place.
    B,
    /// Both: they do not contradict each other.
    Both,
}

impl Reviewing<'_> {
    /// Everything within reach that waits for a person.
    pub fn review(&self) -> Result<Review> {
        // One reader at a time.
        let to_check =
            self.engine.watching(self.context).to_check(self.engine.policy.limits.list_max)?;
        let reader = self.engine.now_reader()?;
        let spaces = self.context.reach().spaces;
        let pending = reader.pending(&spaces, self.engine.policy.limits.list_max)?;
        let graduation = self.graduations(&*reader, &pending)?;
        let pending = pending.into_iter().filter(|one| Proposal::read(one).is_none());
        let pending = pending.map(|one| self.waiting(&*reader, one));
        let pending = pending.collect::<Result<_>>()?;
        let mut contested = Vec::new();
        for (a, b) in self.contests(&*reader)? {
            let mut cards = self.engine.cards(&*reader, &[a, b])?;
            let b = cards.remove(1);
            contested.push((cards.remove(0), b));
        }
        let gaps = Filter { kinds: vec![Kind::Gap], ..Filter::default() };
        let gaps = self.engine.looking(self.context).list(&*reader, &gaps)?.items;
        let reconfirm = self.engine.watching(self.context).to_reconfirm(&*reader, RECONFIRM)?;
        let mut questioned =
            self.engine.looking(self.context).questioned(&*reader, QUESTIONED_DAYS)?;
        questioned.truncate(QUESTIONED);
        Ok(Review { pending, questioned, contested, to_check, gaps, graduation, reconfirm })
    }

    /// What an operation that waits would do, tried on a transaction that is thrown away.
    fn waiting(&self, reader: &dyn Reader, mut pending: Pending) -> Result<Undecided> {
        let read = patch::read_one(&pending.operation);
        if let Err(of_the_format) = &read
            && pending.why.contains(of_the_format)
        {
            patch::NOT_UNDERSTOOD.clone_into(&mut pending.why);
        }
        let read = read.ok();
        let about = match read.as_ref().and_then(Operation::speaks_of).filter(|it| is_handle(it)) {
            Some(handle) => reader.find(&[pending.space], handle)?.into_iter().next(),
            None => None,
        };
        let says = match (&read, &about) {
            (Some(operation), Some(memory)) => {
                let by = Amendment { memory: Some(&memory.content), text: None };
                operation.clone().amended(by).in_words()
            }
            (Some(operation), None) => operation.in_words(),
            (None, _) => format!("not understood: {}", patch::texts_of(&pending.operation)),
        };
        let mut tx = Transaction::new(reader, self.engine.now(), self.context)
            .of_person(self.engine.person(), true);
        // Tried as the user, who would let it through.
        tx.door = Door::Terminal;
        let tried =
            self.engine.keeping(self.context).let_through(&mut tx, &pending, Amendment::default());
        let stuck = tried.err().map(|error| Stuck {
            why: error.to_string(),
            needs_memory: read.is_some_and(|operation| operation.speaks_of().is_some()),
        });
        Ok(Undecided { pending, says, stuck })
    }

    /// Keeps an operation for a person, and says why it was not applied. It is redacted already.
    pub fn defer(&self, operation: &str, why: &str, authority: Authority) -> Result<PendingId> {
        if operation.trim().is_empty() {
            return Err(Error::BadInput("there is nothing to decide in an empty text".to_owned()));
        }
        let (id, _) = self.engine.write(self.context, Cause::Capture, None, |tx| {
            let pending = pending(tx, operation, why, authority);
            let key = RowKey::pending(pending.space, pending.id);
            let id = pending.id;
            if tx.rows(&[key])?[0].is_none() {
                tx.push(Change::Defer(pending));
            }
            Ok(id)
        })?;
        Ok(id)
    }

    /// The pending operation that a handle means: an id, the beginning of one (six characters or
    /// more), or its last eight characters.
    pub fn take_pending(&self, reader: &dyn Reader, handle: &str) -> Result<Pending> {
        let wanted = handle.trim().trim_start_matches('#').to_ascii_lowercase();
        if !is_handle(&wanted) {
            return Err(not_an_id(handle));
        }
        let mut found = reader.pending(&self.context.reach().spaces, usize::MAX)?;
        found.retain(|one| {
            let id = one.id.to_string();
            id.starts_with(&wanted) || wanted.len() >= 8 && id.ends_with(&wanted)
        });
        match found.len() {
            0 => Err(Error::NotFound { what: "pending operation", handle: handle.to_owned() }),
            1 => Ok(found.remove(0)),
            _ => Err(Error::Ambiguous {
                what: "pending operation",
                handle: handle.to_owned(),
                found: found.len(),
                candidates: found.iter().take(5).map(|one| one.id.handle()).collect(),
            }),
        }
    }

    /// Turns a pending operation down. It stays in the log, and undo asks again.
    pub fn reject_pending(&self, handle: &str, reason: Option<&str>) -> Result<Pending> {
        may_decide(self.context)?;
        if let Some(reason) = reason {
            self.engine.keeping(self.context).check_field(reason)?;
        }
        let (pending, _) = self.engine.write(self.context, Cause::Review, reason, |tx| {
            let pending = self.take_pending(&**tx, handle)?;
            tx.scope = Scope { space: pending.space, session: None };
            tx.push(decided(&pending, Ruling::Rejected));
            Ok(pending)
        })?;
        Ok(pending)
    }

    /// Settles a contradiction: one memory takes the other's place, or both hold. The handle is
    /// that of either memory, or of both with a slash between them. Returns what holds now.
    pub fn resolve_contest(&self, handle: &str, keep: Keep) -> Result<Vec<Card>> {
        may_decide(self.context)?;
        if let Some(held) = self.questioned_by_turn(handle)? {
            return self.settle_later(&held, keep);
        }
        let (a, b) = {
            let reader = self.engine.now_reader()?;
            let (a, b) = self.contest(&*reader, handle)?;
            self.may_settle(&*reader, &a, &b)?;
            (a.id.to_string(), b.id.to_string())
        };
        match keep {
            Keep::A => self.settle_contest(&b, &a),
            Keep::B => self.settle_contest(&a, &b),
            Keep::Both => self.let_both_hold(handle),
        }
    }

    /// Lets one of two take the other's place. What was put away stays away if it loses, and comes
    /// back if it wins.
    fn settle_contest(&self, old: &str, new: &str) -> Result<Vec<Card>> {
        let (loser, winner) = {
            let reader = self.engine.now_reader()?;
            (
                self.engine.resolve(&*reader, self.context, old)?,
                self.engine.resolve(&*reader, self.context, new)?,
            )
        };
        if !loser.state.is_active() {
            self.engine.keeping(self.context).unlink(old, Relation::Contradicts, new, None)?;
            return self.engine.cards(&*self.engine.now_reader()?, &[winner]);
        }
        if !winner.state.is_active() {
            self.engine.keeping(self.context).unarchive(new)?;
        }
        Ok(vec![self.engine.keeping(self.context).put_before(old, new, true)?.card])
    }

    /// Whether whoever asks may settle a contradiction: they said what is contested, or own the place. What
    /// came in first is contested by what came in later, whatever the clocks said.
    pub(crate) fn may_settle(
        &self,
        reader: &dyn Reader,
        one: &Memory,
        other: &Memory,
    ) -> Result<()> {
        let came_in = |memory: &Memory| -> Result<Option<u64>> {
            let history = reader.history(memory.space, memory.id.into())?;
            Ok(history.first().map(|logged| logged.seq))
        };
        let contested = if came_in(one)? <= came_in(other)? { one } else { other };
        let me = self.engine.person();
        let attached = reader.attached(contested.space, &[contested.id.into()])?;
        let evidence: Vec<Evidence> = attached.into_iter().filter_map(Row::into_evidence).collect();
        let said = speakers(&evidence, contested.id);
        let tx =
            Transaction::new(reader, self.engine.now(), self.context).of_person(me.clone(), true);
        if said.is_empty() || said.contains(&me.as_deref()) || owns(&*tx, contested.space)? {
            return Ok(());
        }
        let by_hand = format!("throughline review --keep {}", contested.id.handle());
        Err(not_yours(Denial::AnotherSaid, by_hand))
    }

    /// Both hold: they contradict no longer, and that they stand beside each other is on record, so
    /// that neither is held against the other again.
    fn let_both_hold(&self, handle: &str) -> Result<Vec<Card>> {
        let ((a, b), _) =
            self.engine.write(self.context, Cause::Review, Some("both hold"), |tx| {
                let (a, b) = self.contest(&**tx, handle)?;
                tx.settle(&a);
                let space = a.space;
                let (one, other) = (a.id.into(), b.id.into());
                for (from, to) in [(one, other), (other, one)] {
                    let relation = Relation::Contradicts;
                    let key = RowKey::edge(space, from, relation, to);
                    if tx.rows(&[key])?[0].is_some() {
                        tx.push(Change::Unlink { space, from, relation, to });
                    }
                }
                tx.link(one, Relation::BothHold, other);
                Ok((a, b))
            })?;
        self.engine.cards(&*self.engine.now_reader()?, &[a, b])
    }

    /// Says what holds instead of either: it takes the place of both.
    pub fn merge_contest(&self, handle: &str, content: &str) -> Result<Card> {
        may_decide(self.context)?;
        let (a, b) = self.contest(&*self.engine.now_reader()?, handle)?;
        self.may_settle(&*self.engine.now_reader()?, &a, &b)?;
        let (a, b) = if a.state.is_active() { (a, b) } else { (b, a) };
        let (content, _) = &self.engine.cleaned(self.context, content);
        self.engine.keeping(self.context).check_content(content)?;
        let (merged, _) = self.engine.write(self.context, Cause::Review, None, |tx| {
            let mut plan = self.engine.keeping(self.context).put_in_place(tx, &a, content, None)?;
            if b.state.is_active() && !plan.superseded.contains(&b.id) {
                let (space, old, new, at) = (b.space, b.id, plan.memory, tx.now);
                tx.push(Change::Supersede { space, old, new, at });
                plan.superseded.push(b.id);
            }
            Ok(plan.memory)
        })?;
        self.engine.card_of(a.space, merged)
    }

    /// Puts a contradiction off: the others come first.
    pub fn postpone_contest(&self, handle: &str) -> Result<Vec<Card>> {
        may_decide(self.context)?;
        let (a, b) = self.contest(&*self.engine.now_reader()?, handle)?;
        self.engine.write(self.context, Cause::Review, Some("later"), |tx| {
            tx.settle(&a);
            let (from, to) = Relation::Contradicts.in_order(a.id.into(), b.id.into());
            let key = RowKey::edge(a.space, from, Relation::Contradicts, to);
            if let Some(Row::Edge(edge)) = tx.rows(&[key])?.remove(0) {
                let edge = Edge { last_reinforced_at: tx.now, ..edge };
                tx.push(Change::Link(edge));
            }
            Ok(())
        })?;
        self.engine.cards(&*self.engine.now_reader()?, &[a, b])
    }

    /// The contradiction that a handle means.
    fn contest(&self, reader: &dyn Reader, handle: &str) -> Result<(Memory, Memory)> {
        let named: Vec<MemoryId> = handle
            .splitn(2, '/')
            .map(|part| Ok(self.engine.resolve(reader, self.context, part)?.id))
            .collect::<Result<_>>()?;
        let mut found = self.contests(reader)?;
        found.retain(|(a, b)| named.iter().all(|id| [a.id, b.id].contains(id)));
        match found.len() {
            0 => Err(Error::NotFound { what: "contested pair", handle: handle.to_owned() }),
            1 => Ok(found.remove(0)),
            _ => Err(Error::Ambiguous {
                what: "contested pair",
                handle: handle.to_owned(),
                found: found.len(),
                candidates: found
                    .iter()
                    .take(5)
                    .map(|(a, b)| format!("{}/{}", a.id.handle(), b.id.handle()))
                    .collect(),
            }),
        }
    }

    /// The pairs of current memories within reach that contradict each other, the older one first,
    /// what was put off last.
    pub(crate) fn contests(&self, reader: &dyn Reader) -> Result<Vec<(Memory, Memory)>> {
        let (reach, now) = (self.context.reach(), self.engine.now());
        let edges = reader.contradictions(&reach.spaces, self.engine.policy.limits.list_max)?;
        let keys: Vec<RowKey> = edges
            .iter()
            .flat_map(|edge| [edge.from, edge.to].map(|end| RowKey::node(edge.space, end)))
            .collect();
        let held: BTreeMap<(SpaceId, MemoryId), Memory> = reader
            .rows(&keys)?
            .into_iter()
            .filter_map(|row| row.and_then(Row::into_memory))
            .filter(|memory| memory.state.is_active() || memory.state == State::Archived)
            .filter(|memory| reach.sees(memory))
            .map(|memory| ((memory.space, memory.id), memory))
            .collect();
        let mut pairs: Vec<(Timestamp, Memory, Memory)> = edges
            .iter()
            .filter_map(|edge| {
                let end = |node: throughline_core::NodeId| {
                    held.get(&(edge.space, node.memory()?)).cloned()
                };
                let (one, other) = (end(edge.from)?, end(edge.to)?);
                let announced = one.begins_after(now) || other.begins_after(now);
                if announced || !speaks_against(&one, &other) {
                    return None;
                }
                let age = |memory: &Memory| (memory.recorded_at, memory.id);
                let noted = edge.last_reinforced_at;
                Some(if age(&one) <= age(&other) {
                    (noted, one, other)
                } else {
                    (noted, other, one)
                })
            })
            .collect();
        pairs.sort_by_key(|(noted, a, b)| (*noted, a.recorded_at, a.id, b.recorded_at, b.id));
        Ok(pairs.into_iter().map(|(_, a, b)| (a, b)).collect())
    }
}

/// Whether two memories still contradict each other: both are current, or the one that was put away
/// ranks higher.
fn speaks_against(one: &Memory, other: &Memory) -> bool {
    let (current, away) = if one.state.is_active() { (one, other) } else { (other, one) };
    current.state.is_active()
        && (away.state.is_active() || away.authority.outranks(current.authority))
}

/// The change that takes a pending operation off the list.
pub(crate) fn decided(pending: &Pending, ruling: Ruling) -> Change {
    Change::Decide { space: pending.space, id: pending.id, ruling }
}

pub(crate) fn may_decide(context: &Context) -> Result<()> {
    demand_act(context.door, Act::Decide, || "throughline review".to_owned())
}

/// An operation as it waits: named by what it says, so that saying it again changes nothing.
pub(crate) fn pending(
    tx: &Transaction<'_>,
    operation: &str,
    why: &str,
    authority: Authority,
) -> Pending {
    let limits = Limits::default();
    let kept = &operation[..operation.floor_char_boundary(limits.operation_bytes_max)];
    let cut = if kept.len() < operation.len() {
        format!(" (cut off: it had {} bytes)", operation.len())
    } else {
        String::new()
    };
    let space = tx.scope.space;
    Pending {
        id: PendingId::of(space, kept),
        space,
        at: tx.now,
        session: tx.session.clone(),
        operation: kept.to_owned(),
        why: format!("{}{cut}", text::headline(why, limits.field_bytes_max / 4)),
        authority,
    }
}
