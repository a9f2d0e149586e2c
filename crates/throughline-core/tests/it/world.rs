//! A tiny world to test in: tables kept in a map, and short ways to make things.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use throughline_core::evidence::{Testimony, speakers};
use throughline_core::fold::{Refusal, Trouble, View, fold};
use throughline_core::meet::{Difference, same_thing};
use throughline_core::reconcile::{self, Blocked, Candidate, Neighbours, Plan};
use throughline_core::{
    Authority, Change, Evidence, Fingerprint, Kind, Memory, MemoryId, NodeId, Row, RowKey, Scope,
    SessionId, Slot, SpaceId, State, Table, Timestamp, Write,
};
use uuid::Uuid;

/// Where everything lives unless a test says otherwise.
pub(crate) const SPACE: SpaceId = SpaceId(1);

pub(crate) fn id(number: u128) -> MemoryId {
    MemoryId(Uuid::from_u128(number))
}

pub(crate) fn session(name: &str) -> SessionId {
    SessionId(name.to_owned())
}

/// Day `number` of the test's calendar.
pub(crate) fn day(number: u32) -> Timestamp {
    Timestamp::EPOCH.plus_days(20_000.0 + f64::from(number))
}

pub(crate) fn everywhere() -> Scope {
    Scope { space: SPACE, session: None }
}

pub(crate) fn fact(number: u128, content: &str, authority: Authority) -> Memory {
    let (scope, at) = (everywhere(), day(0));
    Memory::new(id(number), &scope, Kind::Fact, content, authority, at)
}

/// A source speaking in a session of its own.
pub(crate) fn says(authority: Authority, session_name: &str, on: u32) -> Testimony {
    Testimony { session: Some(session(session_name)), ..Testimony::new(authority, day(on)) }
}

pub(crate) fn candidate(number: u128, content: &str, testimony: Testimony) -> Candidate {
    Candidate {
        id: id(number),
        scope: everywhere(),
        kind: Kind::Fact,
        content: content.to_owned(),
        slot: None,
        tags: Vec::new(),
        label: None,
        domain: None,
        importance: None,
        confidence: 1.0,
        pinned: false,
        testimony,
        triggers: vec![],
        about: vec![],
        answers: None,
        revive: false,
    }
}

/// "Ana lives in a place", and she lives in one place only.
pub(crate) fn home(number: u128, place: &str, authority: Authority, on: u32) -> Candidate {
    let said = says(authority, &format!("session {number}"), on);
    Candidate {
        slot: Some(Slot::parse(&format!("ana|lives in|{place}|one")).expect("four parts")),
        ..candidate(number, &format!("Ana lives in {place}"), said)
    }
}

/// The same in other words.
pub(crate) fn reworded(said: Candidate) -> Candidate {
    let place = said.slot.iter().map(|slot| slot.object.as_str()).collect::<String>();
    Candidate { content: format!("{place} is where Ana has her home"), ..said }
}

pub(crate) fn echoed(mut said: Candidate) -> Candidate {
    said.testimony.echo = true;
    said
}

pub(crate) fn put_away(number: u128, to: State, on: u32) -> Change {
    Change::Move { space: SPACE, id: id(number), to, at: day(on) }
}

pub(crate) fn retired(id: MemoryId, state: State) -> Blocked {
    Blocked::Retired { id, state }
}

/// The tables of a store, without the store.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Tables(pub(crate) BTreeMap<RowKey, Row>);

impl View for Tables {
    type Error = Infallible;

    fn row(&self, key: &RowKey) -> Result<Option<Row>, Infallible> {
        Ok(self.0.get(key).cloned())
    }

    fn attached(&self, space: SpaceId, node: NodeId) -> Result<Vec<Row>, Infallible> {
        let hangs = |key: &RowKey| {
            let table = key.table;
            [Table::Evidence, Table::Watermark, Table::Usage, Table::Edge].contains(&table)
        };
        Ok(self
            .0
            .iter()
            .filter(|(key, row)| key.space == space && hangs(key) && row.nodes().contains(&node))
            .map(|(_, row)| row.clone())
            .collect())
    }

    fn replaced_by(&self, space: SpaceId, id: MemoryId) -> Result<Vec<Memory>, Infallible> {
        let mut memories = self.memories();
        memories.retain(|memory| memory.space == space && memory.superseded_by == Some(id));
        Ok(memories)
    }
}

impl Tables {
    pub(crate) fn holding(memories: impl IntoIterator<Item = Memory>) -> Self {
        let rows = memories.into_iter().map(|memory| Row::Memory(Box::new(memory)));
        Self(rows.map(|row| (row.key(), row)).collect())
    }

    /// What a change would write.
    pub(crate) fn writes(&self, change: &Change) -> Result<Vec<Write>, Refusal> {
        fold(change, self).map_err(|trouble| match trouble {
            Trouble::Refused(refusal) => refusal,
            Trouble::View(never) => match never {},
        })
    }

    pub(crate) fn apply(&mut self, change: &Change) -> Result<(), Refusal> {
        for write in self.writes(change)? {
            match write {
                Write::Put(row) => drop(self.0.insert(row.key(), row)),
                Write::Delete(key) => drop(self.0.remove(&key)),
            }
        }
        Ok(())
    }

    pub(crate) fn memories(&self) -> Vec<Memory> {
        let rows = self.0.values().cloned();
        rows.filter_map(Row::into_memory).collect()
    }

    pub(crate) fn memory(&self, number: u128) -> Memory {
        let row = self.0.get(&RowKey::memory(SPACE, id(number))).cloned();
        row.and_then(Row::into_memory).expect("the test put this memory there")
    }

    pub(crate) fn state(&self, number: u128) -> State {
        self.memory(number).state
    }

    pub(crate) fn states(&self) -> Vec<(MemoryId, State)> {
        let memories = self.memories().into_iter();
        memories.map(|memory| (memory.id, memory.state)).collect()
    }

    /// The values that hold now.
    pub(crate) fn current(&self) -> Vec<String> {
        let active = self.memories().into_iter().filter(|memory| memory.state.is_active());
        active.filter_map(|memory| memory.slot.map(|slot| slot.object)).collect()
    }

    pub(crate) fn evidence(&self) -> Vec<Evidence> {
        let rows = self.0.values();
        rows.filter_map(|row| match row {
            Row::Evidence(evidence) => Some(evidence.clone()),
            Row::Space(_)
            | Row::Memory(_)
            | Row::Watermark(_)
            | Row::Usage(_)
            | Row::Entity(_)
            | Row::Edge(_)
            | Row::Episode(_)
            | Row::Session(_)
            | Row::Injection(_)
            | Row::Tombstone(_)
            | Row::Leaf(_)
            | Row::Pending(_) => None,
        })
        .collect()
    }

    pub(crate) fn count(&self, table: Table) -> usize {
        self.0.keys().filter(|key| key.table == table).count()
    }

    /// Puts a candidate through the only door: look around, decide, write.
    pub(crate) fn remember(&mut self, candidate: &Candidate) -> Result<Plan, Blocked> {
        let mut next = 1_000_000 + u128::try_from(self.0.len()).expect("small");
        let mut mint = || {
            next += 1;
            Uuid::from_u128(next)
        };
        let plan = reconcile::plan(candidate, &self.neighbours(candidate), &mut mint)?;
        for change in &plan.changes {
            self.apply(change).unwrap_or_else(|refusal| panic!("{refusal}\n{change:?}"));
        }
        Ok(plan)
    }

    fn neighbours(&self, candidate: &Candidate) -> Neighbours {
        let here = |memory: &Memory| memory.space == candidate.scope.space;
        let fingerprint = Fingerprint::of(&candidate.content);
        let memories: Vec<_> = self.memories().into_iter().filter(here).collect();
        let mut found = Neighbours { evidence: self.evidence(), ..Neighbours::default() };
        let same_text = memories.iter().filter(|memory| memory.fingerprint == fingerprint);
        found.same_text = same_text.cloned().collect();
        let told = candidate.slot.iter();
        let held = found.same_text.iter().filter_map(|memory| memory.slot.as_ref());
        let keys: BTreeSet<_> = told.chain(held).map(Slot::key).collect();
        let in_slot = |memory: &Memory| memory.slot_key().is_some_and(|key| keys.contains(&key));
        found.same_slot = memories.into_iter().filter(in_slot).collect();
        for memory in found.same_text.iter().chain(&found.same_slot) {
            if memory.state == State::Superseded {
                found.heads.insert(memory.id, self.head(memory));
            }
        }
        // Nobody but agents has to do with what agents alone speak for.
        let agents = |memory: &&Memory| {
            let mut voices = found.evidence.iter().filter(|one| one.memory == memory.id);
            !memory.state.is_active() && voices.all(|one| one.by_agent)
        };
        let away = found.same_text.iter().chain(&found.same_slot).filter(agents);
        found.put_away_by_agent = away.map(|memory| memory.id).collect();
        found.same_thing = self.meeting(candidate);
        let me = candidate.testimony.person.as_deref();
        let others = |memory: &Memory| {
            speakers(&found.evidence, memory.id).into_iter().flatten().any(|one| Some(one) != me)
        };
        let others = self.memories().into_iter().filter(others).map(|memory| memory.id);
        found.said_by_others = others.collect();
        let marks = reconcile::burial_marks(candidate);
        for row in self.0.values() {
            if let Row::Tombstone(stone) = row {
                let slot = stone.slot.as_ref();
                if marks.contains(&stone.fingerprint) || slot.is_some_and(|it| marks.contains(it)) {
                    found.tombstones.push(stone.clone());
                }
            } else if let Row::Edge(edge) = row {
                let known = found.same_text.iter().chain(&found.same_slot);
                if known.into_iter().any(|memory| reconcile::gives_form(edge, memory)) {
                    found.set_by_others.push(edge.clone());
                }
            } else if let Row::Watermark(mark) = row {
                found.bindings.push(mark.clone());
            } else if let Row::Entity(entity) = row {
                for name in entity.names() {
                    found.values.insert(name.clone(), entity.id);
                    found.entities.insert((entity.kind, name), entity.id);
                }
            }
        }
        found
    }

    fn meeting(&self, candidate: &Candidate) -> Vec<(Memory, Difference)> {
        let claim = (candidate.kind, candidate.content.as_str());
        let here = |memory: &Memory| memory.space == candidate.scope.space;
        let current = self.memories().into_iter().filter(|one| here(one) && one.state.is_active());
        current
            .filter_map(|old| {
                let difference = same_thing(claim, (old.kind, &old.content))?;
                Some((old, difference))
            })
            .collect()
    }

    fn head(&self, memory: &Memory) -> Memory {
        let next = memory
            .superseded_by
            .and_then(|id| self.0.get(&RowKey::memory(memory.space, id)).cloned())
            .and_then(Row::into_memory);
        next.map_or_else(|| memory.clone(), |next| self.head(&next))
    }
}
