//! Words that arrive late, from weak voices or from ourselves move nothing they should not.

use throughline_core::reconcile::Candidate;
use throughline_core::{Authority, Slot, State};

use crate::world::{Tables, day, echoed, home, id};

#[test]
fn two_values_of_one_moment_read_again_do_not_take_turns() {
    let mut tables = Tables::default();
    let said = [("NYC", 1), ("SF", 2)].map(|(at, n)| home(n, at, Authority::UserStated, 1));
    for one in &said {
        tables.remember(one).unwrap();
    }
    let before = tables.states();
    for (number, one) in (10..).zip(said) {
        drop(tables.remember(&Candidate { id: id(number), ..one }));
        assert_eq!(tables.states(), before);
    }
}

#[test]
fn a_weak_source_repeating_what_the_user_once_said_does_not_replace_what_the_user_said_since() {
    for (first, slotless) in [(9, false), (2, true)] {
        let mut tables = Tables::default();
        let mut old = home(2, "SF", Authority::UserStated, 1);
        if slotless {
            old.slot = None;
            tables.remember(&old).unwrap();
        }
        tables.remember(&home(1, "NYC", Authority::UserStated, first)).unwrap();
        if !slotless {
            tables.remember(&old).unwrap();
        }
        tables.remember(&home(3, "SF", Authority::External, 10)).unwrap();
        assert!(tables.state(1).is_active(), "slotless {slotless}");
    }
}

#[test]
fn an_old_statement_read_again_settles_no_later_conflict() {
    use Authority::{UserCorrected, UserStated};
    let mut tables = Tables::default();
    for (number, place, authority) in [
        (1, "SF", UserCorrected),
        (2, "Rome", UserStated),
        (3, "SF", UserCorrected),
        (4, "Rome", UserCorrected),
        (5, "NYC", UserStated),
    ] {
        let on = u32::try_from(number).unwrap();
        tables.remember(&home(number, place, authority, on)).unwrap();
    }
    let before = tables.states();
    drop(tables.remember(&Candidate { id: id(9), ..home(2, "Rome", UserStated, 2) }));
    assert_eq!(tables.states(), before);
}

#[test]
fn a_stronger_but_earlier_word_ends_nothing_before_it_was_learnt() {
    let mut tables = Tables::default();
    tables.remember(&home(1, "NYC", Authority::External, 9)).unwrap();
    tables.remember(&home(2, "SF", Authority::UserCorrected, 1)).unwrap();
    assert!(tables.memory(1).held_until().is_none_or(|until| until >= day(9)));
}

#[test]
fn an_echo_lends_its_rank_to_nobody_who_repeats_it() {
    let mut tables = Tables::default();
    tables.remember(&home(1, "NYC", Authority::File, 1)).unwrap();
    tables.remember(&echoed(home(2, "SF", Authority::UserStated, 2))).unwrap();
    tables.remember(&home(3, "SF", Authority::External, 3)).unwrap();
    assert_ne!(tables.state(1), State::Superseded);
}

#[test]
fn a_backslash_before_a_bar_does_not_make_two_things_one() {
    let key = |subject: &str, predicate: &str| {
        let (subject, predicate) = (subject.to_owned(), predicate.to_owned());
        Slot { subject, predicate, ..Slot::parse("a|b|c").unwrap() }.key()
    };
    assert_ne!(key("a\\", "b|c"), key("a|b\\", "c"));
}
