//! A small world for the tests: one space, numbered memories, numbered days.

use proptest::prelude::*;
use proptest::sample::select;
use throughline_core::scope::Scope;
use throughline_core::{Authority, Kind, Memory, MemoryId, SessionId, SpaceId, State, Timestamp};
use uuid::Uuid;

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

pub(crate) fn fact(number: u128, content: &str, authority: Authority) -> Memory {
    let scope = Scope { space: SPACE, session: None };
    Memory::new(id(number), &scope, Kind::Fact, content, authority, day(0))
}

/// Any memory: every kind, rank and state.
pub(crate) fn any_memory() -> impl Strategy<Value = Memory> {
    let flags = (select(State::ALL), any::<bool>());
    (select(Kind::ALL), select(Authority::ALL), 0.0..=1.0_f64, flags).prop_map(
        |(kind, authority, importance, (state, pinned))| Memory {
            kind,
            importance,
            state,
            pinned,
            ..fact(1, "anything", authority)
        },
    )
}
