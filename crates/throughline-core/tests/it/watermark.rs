//! Bindings: how they are written, and what becomes of those that were wrong.

use proptest::prelude::*;
use throughline_core::policy::TrustPolicy;
use throughline_core::watermark::{BindingFate, Reading, Referent, Tally};

fn verdict(events: &[(bool, bool)]) -> BindingFate {
    let tally =
        events.iter().fold(Tally::default(), |sum, (moved, changed)| sum.count(*moved, *changed));
    tally.verdict(&TrustPolicy::default())
}

#[test]
fn what_to_watch_is_read_as_it_is_written() {
    for written in [
        "file:src/http.rs",
        "file:src/http.rs#L12",
        "file:src/http.rs#L3-L9",
        "file:odd#name.md",
        "git:src",
        "git:src,docs/a.md",
        "flag:DATABASE_URL",
        "flag:Cargo.toml#package.version",
    ] {
        let referent: Referent = written.parse().unwrap();
        assert_eq!(referent.to_string(), written);
        assert!(written.ends_with(&referent.place()));
    }
    let same: Referent = "file:a.rs#L3-9".parse().unwrap();
    assert_eq!(same.to_string(), "file:a.rs#L3-L9");
}

#[test]
fn what_cannot_be_watched_says_how_to_write_it() {
    for written in [
        "",
        "src/http.rs",
        "file:",
        "git: ",
        "flag:",
        "head:main",
        "file:a#L0",
        "file:a#L9-L3",
        "git:a,,b",
    ] {
        let refused = written.parse::<Referent>().unwrap_err();
        assert!(refused.contains("file:PATH"), "{written:?}: {refused}");
    }
}

#[test]
fn one_change_that_went_unseen_drops_a_binding_whatever_it_got_right() {
    assert_eq!(verdict(&[(true, true), (false, false), (false, true)]), BindingFate::Drop);
}

#[test]
fn needless_alarms_narrow_a_binding_only_where_it_was_never_right() {
    let false_alarm = (true, false);
    assert_eq!(verdict(&[false_alarm; 2]), BindingFate::Keep);
    assert_eq!(verdict(&[false_alarm; 3]), BindingFate::Narrow);
    assert_eq!(verdict(&[false_alarm, false_alarm, false_alarm, (true, true)]), BindingFate::Keep);
    assert_eq!(verdict(&[(false, false); 9]), BindingFate::Keep);
}

#[test]
fn the_nearer_a_change_comes_the_less_is_left_of_trust() {
    let nearer = [
        Reading::Unchanged,
        Reading::OutsideScope,
        Reading::ScopeTouched,
        Reading::FileChanged,
        Reading::Moved,
        Reading::Missing,
    ];
    assert!(nearer.windows(2).all(|pair| pair[0].factor() >= pair[1].factor()));
    // What cannot be told is asked about, and not held against anybody.
    assert!(Reading::Unknown.factor() >= 1.0);
    assert!(Reading::Unknown.wants_check());
    assert!(!Reading::FileChanged.wants_check());
}

proptest! {
    #[test]
    fn counting_together_is_adding(events in prop::collection::vec(any::<(bool, bool)>(), 0..40), at in 0..40_usize) {
        let count = |events: &[(bool, bool)]| {
            events.iter().fold(Tally::default(), |sum, (moved, changed)| sum.count(*moved, *changed))
        };
        let at = at.min(events.len());
        prop_assert_eq!(count(&events[..at]).plus(count(&events[at..])), count(&events));
    }

    #[test]
    fn anything_may_be_asked_to_be_watched(written in ".{0,40}") {
        if let Ok(referent) = written.parse::<Referent>() {
            prop_assert_eq!(referent.to_string().parse::<Referent>().unwrap(), referent);
        }
    }
}
