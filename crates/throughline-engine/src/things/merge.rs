//! Merging by hand: two things become one, or one goes by another name too. Both can be undone.

use throughline_core::permission::{self, Act, Backing, Request, Standing, Verdict};
use throughline_core::{BatchId, Cause, Change, Edge, Entity, EntityKind, NodeId, RowKey, text};
use throughline_store::Reader;

use super::listed::Thing;
use super::{NAMED, memories_of};
use crate::flows::Keeping;
use crate::permit::{not_yours, standing};
use crate::transaction::Transaction;
use crate::{Error, Result};

/// Connections of one thing that are carried over at most.
const EDGES_MAX: usize = 10_000;
/// Names of one thing at most.
const NAMES_MAX: usize = 64;

/// What became of two things, or of one with another name.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// The thing as it is now.
    pub thing: Thing,
    /// Connections that were carried over.
    pub moved: usize,
    /// The batch that undoes it.
    pub batch: BatchId,
}

impl Keeping<'_> {
    /// Makes two things one: the first keeps its name, and goes by those of the second too.
    pub fn merge_things(&self, keep: &str, other: &str) -> Result<Merged> {
        let typed = || format!("throughline entity merge {keep:?} {other:?}");
        let ((kept, moved), batch) = self.engine.write(self.context, Cause::Edit, None, |tx| {
            let kept = self.found(tx, keep)?;
            let dropped = self.found(tx, other)?;
            if kept.id == dropped.id {
                return Err(Error::NotPossible(format!("{keep:?} and {other:?} are one already")));
            }
            if kept.space != dropped.space {
                return Err(Error::NotPossible(
                    "one is global and one is of this project; they cannot become one".to_owned(),
                ));
            }
            check_kinds(&kept, &dropped)?;
            tx.scope.space = kept.space;
            for thing in [&kept, &dropped] {
                self.may_name(&**tx, thing, typed)?;
            }
            let changes = merge_changes(&**tx, &kept, &dropped)?;
            let moved = changes.iter().filter(|one| matches!(one, Change::Unlink { .. })).count();
            tx.extend(changes);
            Ok((kept, moved))
        })?;
        Ok(Merged { thing: self.engine.looking(self.context).thing_as_is(&kept)?, moved, batch })
    }

    /// Lets a thing go by another name too.
    pub fn alias_thing(&self, name: &str, alias: &str) -> Result<Merged> {
        self.check_field(alias)?;
        let alias = self.engine.cleaned(self.context, alias).0;
        let typed = || format!("throughline entity alias {name:?} {alias:?}");
        let (thing, batch) = self.engine.write(self.context, Cause::Edit, None, |tx| {
            let thing = self.found(tx, name)?;
            tx.scope.space = thing.space;
            self.may_name(&**tx, &thing, typed)?;
            let wanted = text::normalise(&alias);
            if thing.names().contains(&wanted) {
                return Err(Error::NotPossible(format!(
                    "{:?} goes by that name already",
                    thing.name
                )));
            }
            let other = super::thing_named(&**tx, thing.space, thing.kind, &alias)?;
            if let Some(other) = other.filter(|other| other.id != thing.id) {
                return Err(Error::NotPossible(format!(
                    "{:?} is another thing; write `entity merge {:?} {:?}`",
                    other.name, thing.name, other.name
                )));
            }
            if thing.aliases.len() >= NAMES_MAX {
                return Err(Error::NotPossible(format!("a thing has {NAMES_MAX} names at most")));
            }
            let mut named = thing.clone();
            named.aliases.push(alias.clone());
            tx.push(Change::Know(named));
            Ok(thing)
        })?;
        let thing = self.engine.looking(self.context).thing_as_is(&thing)?;
        Ok(Merged { thing, moved: 0, batch })
    }

    fn found(&self, tx: &Transaction<'_>, name: &str) -> Result<Entity> {
        self.engine.looking(self.context).resolve_thing(&**tx, name)
    }

    /// Goes on only where the caller may name the thing: what a person speaks of is theirs to name.
    fn may_name(
        &self,
        reader: &dyn Reader,
        thing: &Entity,
        by_hand: impl Fn() -> String,
    ) -> Result<()> {
        let door = self.context.door;
        let mut target = None;
        if door.is_agents() {
            let node = NodeId::Entity(thing.id);
            for memory in memories_of(reader, thing.space, node, &[], EDGES_MAX)? {
                target = Some(standing(reader, &memory)?);
                if target.is_some_and(Standing::is_persons) {
                    break;
                }
            }
        }
        let request = Request { door, act: Act::Name, target, backing: Backing::Asserted };
        match permission::judge(request) {
            Verdict::Allowed { .. } => Ok(()),
            Verdict::Waits(why) | Verdict::Refused(why) => Err(not_yours(why, by_hand())),
        }
    }
}

fn check_kinds(one: &Entity, other: &Entity) -> Result<()> {
    let named = |kind: EntityKind| NAMED.contains(&kind);
    if one.kind == other.kind || named(one.kind) && named(other.kind) {
        return Ok(());
    }
    Err(Error::NotPossible(format!(
        "{:?} is a {} and {:?} is a {}; they cannot become one",
        one.name, one.kind, other.name, other.kind
    )))
}

/// The changes that make two things one. What led to the second leads to the first; the second stays behind without a
/// name, so that an undo can bring it back.
pub(crate) fn merge_changes(
    reader: &dyn Reader,
    kept: &Entity,
    dropped: &Entity,
) -> Result<Vec<Change>> {
    let (space, old, new) = (kept.space, NodeId::Entity(dropped.id), NodeId::Entity(kept.id));
    let mut changes = Vec::new();
    for edge in reader.neighbours(space, &[old], &[], EDGES_MAX)? {
        let moved = |end: NodeId| if end == old { new } else { end };
        let next = Edge { from: moved(edge.from), to: moved(edge.to), ..edge.clone() };
        let key = RowKey::edge(space, next.from, next.relation, next.to);
        if next.from != next.to && reader.rows(&[key])?[0].is_none() {
            changes.push(Change::Link(next));
        }
        let Edge { from, relation, to, .. } = edge;
        changes.push(Change::Unlink { space, from, relation, to });
    }
    changes.push(Change::Know(with_names(kept, dropped)));
    changes.push(Change::Know(hollow(dropped)));
    Ok(changes)
}

/// A thing that goes by the names of another too.
fn with_names(kept: &Entity, other: &Entity) -> Entity {
    let mut named = kept.clone();
    for name in std::iter::once(&other.name).chain(&other.aliases) {
        let known = named.names().contains(&text::normalise(name));
        if !known && named.aliases.len() < NAMES_MAX {
            named.aliases.push(name.clone());
        }
    }
    named
}

/// What stays of a thing that became part of another, or that nothing speaks of: a row without a name.
pub(crate) fn hollow(entity: &Entity) -> Entity {
    Entity { name: String::new(), aliases: Vec::new(), ..entity.clone() }
}
