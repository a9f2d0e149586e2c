//! What each change does to the tables.

use throughline_core::fold::Refusal;
use throughline_core::{
    Authority, Change, Edge, Fingerprint, Memory, Relation, Row, RowKey, State, Table, Usage, Write,
};

use crate::world::{SPACE, Tables, day, fact, id, says, session};

fn pair() -> Tables {
    Tables::holding([1, 2].map(|number| fact(number, "x", Authority::Observed)))
}

fn relates(from: u128, to: u128) -> Edge {
    Edge::new(SPACE, id(from).into(), Relation::RelatesTo, id(to).into(), day(1))
}

#[test]
fn nothing_is_silently_overwritten() {
    let again = Change::Insert(Box::new(fact(1, "something else", Authority::UserStated)));
    let refused = pair().apply(&again);
    assert!(matches!(refused, Err(Refusal::Exists(_))), "{refused:?}");
}

#[test]
fn a_better_source_lifts_a_memory_and_a_worse_one_or_an_echo_does_not() {
    for (authority, echo, expected) in [
        (Authority::UserStated, false, Authority::UserStated),
        (Authority::UserStated, true, Authority::Observed),
        (Authority::External, false, Authority::Observed),
    ] {
        let mut tables = pair();
        let mut said = says(authority, "s", 1);
        said.echo = echo;
        tables.apply(&Change::Reinforce(said.about(SPACE, id(1)))).unwrap();
        assert_eq!(tables.memory(1).authority, expected, "{authority}, echo {echo}");
        assert_eq!(tables.evidence().len(), 1, "kept in any case");
    }
}

#[test]
fn the_same_evidence_twice_is_kept_once() {
    let mut tables = pair();
    let said = Change::Reinforce(says(Authority::File, "s", 1).about(SPACE, id(1)));
    tables.apply(&said).unwrap();
    let once = tables.clone();
    tables.apply(&said).unwrap();
    assert_eq!(tables, once);
}

#[test]
fn an_edit_changes_the_words_but_neither_state_nor_history() {
    let held = Memory {
        state: State::Archived,
        previous: Some(State::Confirmed),
        since: Some(day(3)),
        ..fact(1, "old words", Authority::Observed)
    };
    let edited = Memory {
        state: State::Staged,
        previous: None,
        since: None,
        recorded_at: day(50),
        superseded_by: Some(id(2)),
        content: "new words".to_owned(),
        fingerprint: Fingerprint::of("new words"),
        ..held.clone()
    };
    let mut tables = Tables::holding([held.clone()]);
    tables.apply(&Change::Revise(Box::new(edited))).unwrap();
    let fingerprint = Fingerprint::of("new words");
    let expected = Memory { content: "new words".to_owned(), fingerprint, ..held };
    assert_eq!(tables.memory(1), expected);
}

#[test]
fn a_connection_said_again_is_strengthened_not_doubled() {
    let mut tables = pair();
    for edge in [relates(1, 2), relates(2, 1), relates(1, 2)] {
        tables.apply(&Change::Link(edge)).unwrap();
    }
    let key = RowKey::edge(SPACE, id(1).into(), Relation::RelatesTo, id(2).into());
    let Some(Row::Edge(edge)) = tables.0.get(&key) else {
        panic!("no edge in {tables:?}");
    };
    assert_eq!((edge.reinforcements, tables.count(Table::Edge)), (2, 1));
}

#[test]
fn a_connection_needs_two_different_ends_that_are_there() {
    let refused = |edge| pair().apply(&Change::Link(edge)).unwrap_err();
    assert_eq!(refused(relates(1, 1)), Refusal::SelfLink);
    assert_eq!(refused(relates(1, 9)), Refusal::NoNode(id(9).into()));
    assert_eq!(refused(relates(9, 1)), Refusal::NoNode(id(9).into()));
}

#[test]
fn parting_removes_the_connection_once() {
    let mut tables = pair();
    let before = tables.clone();
    tables.apply(&Change::Link(relates(1, 2))).unwrap();
    let part = Change::Unlink {
        space: SPACE,
        from: id(1).into(),
        relation: Relation::RelatesTo,
        to: id(2).into(),
    };
    tables.apply(&part).unwrap();
    assert_eq!(tables, before);
    assert_eq!(tables.apply(&part), Err(Refusal::NoEdge));
}

#[test]
fn a_mutual_connection_is_made_and_parted_from_either_side() {
    let turned = |edge: Edge| Edge { from: edge.to, to: edge.from, ..edge };
    let part = |relation, from, to| Change::Unlink {
        space: SPACE,
        from: id(from).into(),
        relation,
        to: id(to).into(),
    };
    for relation in Relation::ALL {
        for (from, to) in [(1, 2), (2, 1)] {
            let edge = Edge::new(SPACE, id(1).into(), *relation, id(2).into(), day(1));
            let mut tables = pair();
            tables.apply(&Change::Link(edge.clone())).unwrap();
            tables.apply(&Change::Link(turned(edge))).unwrap();
            let kept = if relation.is_symmetric() { 1 } else { 2 };
            assert_eq!(tables.count(Table::Edge), kept, "{relation}");
            tables.apply(&part(*relation, from, to)).unwrap();
            assert_eq!(tables.count(Table::Edge), kept - 1, "{relation}");
            let other_way = tables.apply(&part(*relation, to, from));
            let expected = if relation.is_symmetric() { Err(Refusal::NoEdge) } else { Ok(()) };
            assert_eq!(other_way, expected, "{relation}");
        }
    }
}

#[test]
fn a_memory_knows_since_when_it_is_out_of_view_and_forgets_it_on_return() {
    let moved = |to, on| Change::Move { space: SPACE, id: id(1), to, at: day(on) };
    for state in [State::Retracted, State::Expired, State::Archived] {
        let mut tables = pair();
        let before = tables.clone();
        tables.apply(&moved(state, 4)).unwrap();
        let memory = tables.memory(1);
        assert_eq!((memory.state, memory.since), (state, Some(day(4))));
        assert_eq!(memory.held_until(), None, "{state}: nothing took its place");
        tables.apply(&moved(State::Staged, 9)).unwrap();
        assert_eq!(tables, before, "{state}");
    }
}

#[test]
fn use_is_counted_and_late_news_does_not_turn_the_clock_back() {
    let mut tables = pair();
    for (name, on) in [("a", 5), ("b", 9), ("a", 2)] {
        let used = Change::Use {
            space: SPACE,
            memories: vec![id(1)],
            session: Some(session(name)),
            at: day(on),
        };
        tables.apply(&used).unwrap();
    }
    let expected = Usage {
        uses: 3,
        sessions: ["a", "b"].map(session).into(),
        last_used_at: Some(day(9)),
        ..Usage::none(SPACE, id(1))
    };
    let key = RowKey::usage(SPACE, id(1));
    assert_eq!(tables.0.get(&key), Some(&Row::Usage(expected)));
}

#[test]
fn a_change_to_a_memory_that_is_not_there_is_refused() {
    let used =
        Change::Use { space: SPACE, memories: vec![id(1), id(9)], session: None, at: day(1) };
    let said = says(Authority::File, "s", 1).about(SPACE, id(9));
    let other_wall = throughline_core::SpaceId(2);
    let moved = Change::Move { space: other_wall, id: id(1), to: State::Confirmed, at: day(1) };
    for (change, missing) in [
        (used, id(9)),
        (Change::Reinforce(said), id(9)),
        (Change::Revise(Box::new(fact(9, "x", Authority::File))), id(9)),
        (moved, id(1)),
    ] {
        assert_eq!(pair().apply(&change), Err(Refusal::NoMemory(missing)), "{change:?}");
    }
}

#[test]
fn replacing_writes_the_old_memory_and_its_connection_and_nothing_else() {
    let writes =
        pair().writes(&Change::Supersede { space: SPACE, old: id(1), new: id(2), at: day(1) });
    let keys: Vec<_> = writes.unwrap().iter().map(Write::key).collect();
    let edge = RowKey::edge(SPACE, id(2).into(), Relation::Supersedes, id(1).into());
    assert_eq!(keys, [RowKey::memory(SPACE, id(1)), edge]);
}
