//! What a law is tried on: anything that could come in.

use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use throughline_core::evidence::Testimony;
use throughline_core::watermark::{Reading, Referent, Tally};
use throughline_core::{
    Authority, Edge, Evidence, Kind, Memory, Relation, SessionId, State, Usage, Watermark,
};

use crate::world::{SPACE, day, fact, id, session};

pub(crate) fn authority() -> impl Strategy<Value = Authority> {
    select(Authority::ALL)
}

pub(crate) fn state() -> impl Strategy<Value = State> {
    select(State::ALL)
}

/// A few sessions, so that voices meet again.
pub(crate) fn session_name() -> impl Strategy<Value = Option<SessionId>> {
    option::of((0..4_u8).prop_map(|number| session(&format!("s{number}"))))
}

pub(crate) fn testimony() -> impl Strategy<Value = Testimony> {
    let echo = prop::bool::weighted(0.2);
    (authority(), session_name(), 0..200_u32, echo).prop_map(|(authority, session, on, echo)| {
        Testimony { session, echo, ..Testimony::new(authority, day(on)) }
    })
}

/// Reasons to believe memory 1.
pub(crate) fn evidence() -> impl Strategy<Value = Vec<Evidence>> {
    vec(testimony(), 0..8)
        .prop_map(|said| said.iter().map(|testimony| testimony.about(SPACE, id(1))).collect())
}

pub(crate) fn usage() -> impl Strategy<Value = Usage> {
    let sessions = btree_set("[a-z]{1,3}".prop_map(SessionId), 0..6);
    (0..1_000_000_u64, sessions, 0..1_000_u64, 0..1_000_u64).prop_map(
        |(uses, sessions, helpful, unhelpful)| Usage {
            uses,
            sessions,
            helpful,
            unhelpful,
            ..Usage::none(SPACE, id(1))
        },
    )
}

pub(crate) fn memory() -> impl Strategy<Value = Memory> {
    let flags = (state(), any::<bool>());
    (select(Kind::ALL), authority(), 0.0..=1.0_f64, flags).prop_map(
        |(kind, authority, importance, (state, pinned))| Memory {
            kind,
            importance,
            state,
            pinned,
            ..fact(1, "staging runs Postgres 16", authority)
        },
    )
}

pub(crate) fn watermarks() -> impl Strategy<Value = Vec<Watermark>> {
    vec(select(Reading::ALL), 0..5).prop_map(|readings| {
        let named = readings.into_iter().enumerate();
        named.map(|(at, reading)| watermark(at, reading)).collect()
    })
}

pub(crate) fn watermark(number: usize, reading: Reading) -> Watermark {
    Watermark {
        space: SPACE,
        memory: id(1),
        referent: Referent::Flag { name: format!("FLAG_{number}") },
        stamp: "on".to_owned(),
        stamped_at: day(0),
        reading,
        then: String::new(),
        now: String::new(),
        tally: Tally::default(),
    }
}

pub(crate) fn edge() -> impl Strategy<Value = Edge> {
    (select(Relation::ALL), 0.0..=1.0_f64, 0..100_u32).prop_map(
        |(relation, weight, reinforcements)| Edge {
            weight,
            reinforcements,
            ..Edge::new(SPACE, id(1).into(), relation, id(2).into(), day(0))
        },
    )
}

/// Text as it really comes in: words, any characters at all, and characters that play tricks.
pub(crate) fn text() -> impl Strategy<Value = String> {
    const TRICKY: &str = "aAé\u{301}eﬁＡİßẞΣς数库한\u{200b}\u{200d}\u{202e}\u{2066}\u{feff}\u{ad}\
        \u{1b}\u{7}\u{85}\u{2028}\u{e0041}\0\r\n\t\u{20}\u{a0}.,;!?\"“’()`*-—…。15٣½´_/:=+#";
    let tricky: Vec<char> = TRICKY.chars().collect();
    prop_oneof![
        "[a-zA-Z0-9 .,;!?_/-]{0,60}",
        any::<String>(),
        vec(select(tricky), 0..30).prop_map(String::from_iter),
    ]
}
