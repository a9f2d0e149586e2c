//! Relate: links between memories, and labels on them.

use throughline_core::permission::{Act, Door};
use throughline_core::reconcile;
use throughline_core::{
    Cause, Change, Edge, EntityId, EntityKind, Memory, NodeId, Relation, RowKey, text,
};
use throughline_store::{EntityName, Reader};

use crate::correct::same_space;
use crate::flows::Keeping;
use crate::permit::{demand, standing};
use crate::transaction::Transaction;
use crate::{Card, Error, Result};

/// How strong a connection is that an agent makes: it is followed, and what a person made comes
/// first.
const AGENT_WEIGHT: f64 = 0.5;

impl Keeping<'_> {
    /// Connects two memories.
    pub fn link(
        &self,
        from: &str,
        relation: Relation,
        to: &str,
        reason: Option<&str>,
    ) -> Result<Card> {
        if relation == Relation::Supersedes {
            return Err(Error::BadInput(format!(
                "a link cannot replace a memory; write `supersede {to} {from}`"
            )));
        }
        if !Relation::BY_HAND.contains(&relation) {
            let names: Vec<&str> = Relation::BY_HAND.iter().map(|one| one.as_str()).collect();
            let names = names.join(", ");
            return Err(Error::BadInput(format!(
                "only the program itself links with {relation}; you can link with {names}"
            )));
        }
        if let Some(reason) = reason {
            self.check_field(reason)?;
        }
        let reason = reason.map(|reason| self.engine.cleaned(self.context, reason).0);
        let cause = if relation == Relation::Contradicts { Cause::Contradict } else { Cause::Link };
        let (from, _) = self.engine.write(self.context, cause, None, |tx| {
            let (from, to) = self.resolved_pair(tx, from, to)?;
            if relation == Relation::Contradicts && from.session != to.session {
                return Err(Error::NotPossible(
                    "a memory of one session cannot contradict one of the project or a global one"
                        .to_owned(),
                ));
            }
            may_connect(&**tx, self.context.door, &from, relation, &to)?;
            let mut edge = Edge::new(from.space, from.id.into(), relation, to.id.into(), tx.now);
            edge.reason = reason.clone();
            if self.context.door.is_agents() {
                edge.weight = AGENT_WEIGHT;
            }
            tx.push(Change::Link(edge));
            Ok(from)
        })?;
        self.engine.card_of(from.space, from.id)
    }

    /// Takes a connection away.
    pub fn unlink(
        &self,
        from: &str,
        relation: Relation,
        to: &str,
        reason: Option<&str>,
    ) -> Result<Card> {
        if relation == Relation::Supersedes {
            return Err(Error::BadInput(format!("write `unsupersede {to}`")));
        }
        let (from, _) = self.engine.write(self.context, Cause::Unlink, reason, |tx| {
            let (from, to) = self.resolved_pair(tx, from, to)?;
            let by_hand = || {
                let (from, to) = (from.id.handle(), to.id.handle());
                format!("throughline unlink {from} {relation} {to}")
            };
            if relation == Relation::Contradicts && !self.context.door.is_agents() {
                self.engine.reviewing(self.context).may_settle(&**tx, &from, &to)?;
            } else {
                demand(&**tx, self.context.door, Act::Unlink, Some(&from), by_hand)?;
            }
            let edge = Edge::new(from.space, from.id.into(), relation, to.id.into(), tx.now);
            tx.push(Change::Unlink { space: edge.space, from: edge.from, relation, to: edge.to });
            Ok(from)
        })?;
        self.engine.card_of(from.space, from.id)
    }

    /// Puts labels on a memory and takes others off.
    pub fn tag(&self, handle: &str, add: &[String], remove: &[String]) -> Result<Card> {
        let mut add = add.to_vec();
        self.engine.clean_texts(self.context, &mut add);
        for tag in add.iter().chain(remove) {
            self.check_field(tag)?;
        }
        let (memory, _) = self.engine.write(self.context, Cause::Tag, None, |tx| {
            let memory = self.engine.resolve(&**tx, self.context, handle)?;
            let by_hand = || {
                let added = add.iter().map(|tag| format!(" '{tag}'"));
                let removed = remove.iter().map(|tag| format!(" --remove '{tag}'"));
                let labels: String = added.chain(removed).collect();
                format!("throughline tag {}{labels}", memory.id.handle())
            };
            demand(&**tx, self.context.door, Act::Tag, Some(&memory), by_hand)?;
            tx.settle(&memory);
            for tag in remove {
                remove_tag(tx, &memory, tag)?;
            }
            let mut named: Vec<String> = Vec::new();
            for tag in &add {
                let name = text::normalise(tag);
                if !named.contains(&name) {
                    add_tag(tx, &memory, tag)?;
                    named.push(name);
                }
            }
            Ok(memory)
        })?;
        self.engine.card_of(memory.space, memory.id)
    }

    fn resolved_pair(
        &self,
        tx: &mut Transaction<'_>,
        from: &str,
        to: &str,
    ) -> Result<(Memory, Memory)> {
        let from = self.engine.resolve(&**tx, self.context, from)?;
        let to = self.engine.resolve(&**tx, self.context, to)?;
        same_space(&from, &to)?;
        tx.settle(&from);
        Ok((from, to))
    }
}

/// Whether the caller may connect two memories: reasons of what a person said are theirs to give,
/// and so is doubt between two things that they said.
pub(crate) fn may_connect(
    reader: &dyn Reader,
    door: Door,
    from: &Memory,
    relation: Relation,
    to: &Memory,
) -> Result<()> {
    let (act, asked) = if relation == Relation::Contradicts {
        let weaker = if standing(reader, from)?.is_persons() { to } else { from };
        (Act::Contradict, Some(weaker))
    } else {
        (Act::Link, Some(from).filter(|_| relation.is_reason()))
    };
    let by_hand = || {
        let (from, to) = (from.id.handle(), to.id.handle());
        if act == Act::Contradict {
            return format!("throughline contradict {from} {to}");
        }
        format!("throughline link {from} {relation} {to}")
    };
    demand(reader, door, act, asked, by_hand)?;
    Ok(())
}

fn tag_entity(reader: &dyn Reader, memory: &Memory, tag: &str) -> Result<Option<EntityId>> {
    let wanted = EntityName { kind: Some(EntityKind::Tag), name: text::normalise(tag) };
    Ok(reader.entities(memory.space, &[wanted])?.first().map(|entity| entity.id))
}

fn add_tag(tx: &mut Transaction<'_>, memory: &Memory, tag: &str) -> Result<()> {
    let entity = match tag_entity(&**tx, memory, tag)? {
        Some(entity) => entity,
        None => {
            let id = EntityId(tx.mint());
            let entity = reconcile::entity(id, memory.space, EntityKind::Tag, tag, tx.now);
            tx.push(Change::Know(entity));
            id
        }
    };
    let key = RowKey::edge(memory.space, memory.id.into(), Relation::Tagged, entity.into());
    if tx.rows(&[key])?[0].is_none() {
        let edge =
            Edge::new(memory.space, memory.id.into(), Relation::Tagged, entity.into(), tx.now);
        tx.push(Change::Link(edge));
    }
    Ok(())
}

fn remove_tag(tx: &mut Transaction<'_>, memory: &Memory, tag: &str) -> Result<()> {
    let not_there = || Error::NoSuch(format!("memory {} has no tag {tag:?}", memory.id.handle()));
    let entity = tag_entity(&**tx, memory, tag)?.ok_or_else(not_there)?;
    let (from, to): (NodeId, NodeId) = (memory.id.into(), entity.into());
    let key = RowKey::edge(memory.space, from, Relation::Tagged, to);
    if tx.rows(&[key])?[0].is_none() {
        return Err(not_there());
    }
    tx.push(Change::Unlink { space: memory.space, from, relation: Relation::Tagged, to });
    Ok(())
}
