//! What could not be applied: kept once, taken off the list by a decision, erased with what it tells.

use throughline_core::change::{Erased, scrub};
use throughline_core::fold::Refusal;
use throughline_core::pending::erasures;
use throughline_core::row::Tombstone;
use throughline_core::{Authority, Change, Memory, Pending, Row, Ruling, Slot, Table};

use crate::sample::pending;
use crate::world::{SPACE, Tables, day, fact};

fn decide(ruling: Ruling) -> Change {
    Change::Decide { space: SPACE, id: pending().id, ruling }
}

fn told(operation: &str) -> Pending {
    Pending { operation: operation.to_owned(), ..pending() }
}

fn heron() -> Memory {
    let slot = Slot::parse("mascot|is|heron|one").expect("three parts");
    Memory { slot: Some(slot), ..fact(1, "The mascot is a heron.", Authority::UserStated) }
}

fn tells(operation: &str) -> bool {
    told(operation).tells(&Tombstone::of(&heron(), day(2)), &[heron().content])
}

#[test]
fn what_could_not_be_applied_is_kept_once_as_it_first_came() {
    let mut tables = Tables::default();
    let again = Pending { at: day(9), why: "said again".to_owned(), ..pending() };
    for one in [pending(), again] {
        tables.apply(&Change::Defer(one)).unwrap();
        let held: Vec<_> = tables.0.values().filter_map(Row::as_pending).collect();
        assert_eq!(held, [&pending()]);
    }
}

#[test]
fn a_decision_takes_it_off_the_list_and_can_be_made_once() {
    for ruling in [Ruling::Accepted, Ruling::Rejected] {
        let mut tables = Tables::default();
        tables.apply(&Change::Defer(pending())).unwrap();
        tables.apply(&decide(ruling)).unwrap();
        assert_eq!(tables.count(Table::Pending), 0, "{ruling}");
        assert_eq!(tables.apply(&decide(ruling)), Err(Refusal::NoPending(pending().id)));
        tables.apply(&decide(Ruling::Erased)).expect("the log may still have its words");
    }
}

#[test]
fn an_operation_tells_what_was_erased_however_it_is_written() {
    for operation in [
        r#"{"op":"add","content":"the MASCOT is a heron"}"#,
        r#"{"op":"add","content":"By the way, the mascot is a heron: it was voted for."}"#,
        r#"{"op":"add","items":[{"text":"the mascot\nis a heron"}]}"#,
        r#"{"op":"add","content":"a bird","slot":"Mascot|is|Heron"}"#,
        r#"{"op":"add","content":"a bird","slot":{"subject":"mascot","predicate":"is","object":"heron"}}"#,
        r#"{"op":"add","content":"the mascot\nis a \u0068eron","cut of"#,
        "the mascot is a heron",
    ] {
        assert!(tells(operation), "{operation}");
    }
}

#[test]
fn an_operation_about_something_else_stays() {
    for operation in [
        r#"{"op":"add","content":"the mascot is a heronry"}"#,
        r#"{"op":"add","content":"the mascot is not a heron"}"#,
        r#"{"op":"add","content":"a bird","slot":"mascot|is|crane"}"#,
        r#"{"op":"ponder"}"#,
        "",
    ] {
        assert!(!tells(operation), "{operation}");
    }
    let elsewhere =
        Tombstone { space: throughline_core::SpaceId(99), ..Tombstone::of(&heron(), day(2)) };
    assert!(!told("the mascot is a heron").tells(&elsewhere, &[heron().content]));
}

#[test]
fn without_its_wording_the_erased_is_known_by_its_fingerprint() {
    let stone = Tombstone::of(&heron(), day(2));
    let alone = told(r#"{"content":"the mascot is a heron"}"#);
    let within = told(r#"{"content":"I think the mascot is a heron"}"#);
    assert!(alone.tells(&stone, &[]));
    assert!(!within.tells(&stone, &[]));
}

#[test]
fn erasing_takes_it_off_the_list_and_its_words_out_of_the_log() {
    let secret = told(r#"{"content":"the mascot is a heron"}"#);
    let other = Pending { id: throughline_core::PendingId(uuid::Uuid::from_u128(7)), ..pending() };
    let mut tables = Tables::default();
    for one in [&secret, &other] {
        tables.apply(&Change::Defer(one.clone())).unwrap();
    }
    let erased = [(Tombstone::of(&heron(), day(2)), vec![heron().content])];
    let changes = erasures(&[secret.clone(), other.clone(), secret.clone()], &erased);
    for change in &changes {
        tables.apply(change).unwrap();
    }
    let held: Vec<_> = tables.0.values().filter_map(Row::as_pending).collect();
    assert_eq!(held, [&other]);
    let stones: Vec<_> = tables.0.values().filter_map(Row::as_tombstone).collect();
    assert_eq!(stones.len(), 1, "a copy of it is recognised by its id");
    assert!(secret.tells(stones[0], &[]));
    assert!(told("in quite other words").tells(stones[0], &[]));

    let gone = Erased { pending: Some(secret.id), ..Erased::nothing(SPACE) };
    let [mut scrubbed, mut untouched] = [secret, other.clone()].map(Change::Defer);
    scrub(&mut scrubbed, &gone);
    scrub(&mut untouched, &gone);
    assert_eq!(untouched, Change::Defer(other));
    let left = serde_json::to_string(&scrubbed).unwrap();
    assert!(!left.contains("heron") && !left.contains("ponder"), "{left}");
}
