//! How true: evidence, watermarks and contradiction move it; time and reading never do.

use proptest::prelude::*;
use throughline_core::policy::TrustPolicy;
use throughline_core::trust::{Presentation, presentation, trust};
use throughline_core::watermark::Reading;
use throughline_core::{Authority, Change, Evidence};

use crate::arbitrary;
use crate::world::{SPACE, Tables, candidate, day, id, says, session};

fn support(evidence: &[Evidence]) -> f64 {
    trust(evidence, &[], false, &TrustPolicy::default()).support
}

fn said_by(sources: &[(Authority, &str)]) -> Vec<Evidence> {
    let voices = sources.iter();
    voices.map(|(authority, session)| says(*authority, session, 0).about(SPACE, id(1))).collect()
}

proptest! {
    #[test]
    fn trust_and_its_parts_stay_between_nothing_and_certainty(
        evidence in arbitrary::evidence(),
        marks in arbitrary::watermarks(),
        contested in any::<bool>(),
    ) {
        let found = trust(&evidence, &marks, contested, &TrustPolicy::default());
        for part in [found.support, found.watermark, found.contest, found.value()] {
            prop_assert!((0.0..=1.0).contains(&part), "{found:?}");
        }
    }

    #[test]
    fn years_of_silence_leave_trust_identical_to_the_bit(
        evidence in arbitrary::evidence(),
        marks in arbitrary::watermarks(),
        days in 0.0..5_000.0_f64,
    ) {
        let mut older = evidence.clone();
        for one in &mut older {
            one.at = one.at.plus_days(-days);
        }
        let mut marked_earlier = marks.clone();
        for mark in &mut marked_earlier {
            mark.stamped_at = mark.stamped_at.plus_days(-days);
        }
        let policy = TrustPolicy::default();
        let (now, then) = (
            trust(&evidence, &marks, false, &policy),
            trust(&older, &marked_earlier, false, &policy),
        );
        prop_assert_eq!(now.value().to_bits(), then.value().to_bits());
    }

    #[test]
    fn the_order_of_evidence_makes_no_difference(
        (evidence, shuffled) in arbitrary::evidence()
            .prop_flat_map(|evidence| (Just(evidence.clone()), Just(evidence).prop_shuffle())),
    ) {
        prop_assert_eq!(support(&evidence).to_bits(), support(&shuffled).to_bits());
    }

    #[test]
    fn one_more_piece_of_evidence_never_lowers_support(
        evidence in arbitrary::evidence(),
        said in arbitrary::testimony(),
    ) {
        let mut more = evidence.clone();
        more.push(said.about(SPACE, id(1)));
        prop_assert!(support(&more) >= support(&evidence) - 1e-12);
        if !said.echo {
            prop_assert!(support(&more) >= said.authority.support() - 1e-12);
        }
    }

    #[test]
    fn an_echo_of_our_own_words_adds_nothing(
        evidence in arbitrary::evidence(),
        mut echo in arbitrary::testimony(),
    ) {
        echo.echo = true;
        let mut more = evidence.clone();
        more.push(echo.about(SPACE, id(1)));
        prop_assert_eq!(support(&more).to_bits(), support(&evidence).to_bits());
    }

    #[test]
    fn the_same_session_saying_it_again_adds_nothing(
        mut first in arbitrary::testimony(),
        again in prop::collection::vec(arbitrary::testimony(), 1..6),
    ) {
        first.echo = false;
        let alone = [first.about(SPACE, id(1))];
        let mut repeated = alone.to_vec();
        for mut one in again.into_iter().filter(|one| !one.authority.outranks(first.authority)) {
            one.session.clone_from(&first.session);
            repeated.push(one.about(SPACE, id(1)));
        }
        prop_assert_eq!(support(&repeated).to_bits(), support(&alone).to_bits());
    }
}

#[test]
fn each_further_source_removes_half_its_weight_of_the_doubt() {
    use Authority::{External, File, Inferred, Measured, UserCorrected, UserStated};
    for (sources, expected) in [
        (vec![], 0.0),
        (vec![(Inferred, "a")], 0.40),
        (vec![(UserStated, "a")], 0.95),
        (vec![(UserCorrected, "a")], 1.0),
        (vec![(File, "a"), (Measured, "b")], 1.0 - 0.1 * 0.6),
        (vec![(UserStated, "a"), (UserStated, "b")], 1.0 - 0.05 * 0.525),
        (vec![(External, "a"), (External, "b")], 0.20),
        (vec![(Measured, "a"), (File, "a")], 0.90),
    ] {
        let found = support(&said_by(&sources));
        assert!((found - expected).abs() < 1e-9, "{sources:?}: {found}");
    }
}

#[test]
fn the_worst_watermark_decides_what_is_left_of_trust() {
    use Reading::{FileChanged, Missing, Moved, OutsideScope, ScopeTouched, Unchanged, Unknown};
    let stated = said_by(&[(Authority::UserCorrected, "a")]);
    for (readings, expected) in [
        (vec![], 1.0),
        (vec![Unchanged, OutsideScope, Unknown], 1.0),
        (vec![Unchanged, ScopeTouched], 0.95),
        (vec![FileChanged, ScopeTouched], 0.9),
        (vec![Moved, FileChanged], 0.4),
        (vec![Unchanged, Missing, Moved], 0.2),
    ] {
        let marks: Vec<_> = readings
            .iter()
            .enumerate()
            .map(|(at, reading)| arbitrary::watermark(at, *reading))
            .collect();
        let found = trust(&stated, &marks, false, &TrustPolicy::default()).value();
        assert!((found - expected).abs() < 1e-12, "{readings:?}: {found}");
    }
}

#[test]
fn what_moved_or_is_gone_or_unreadable_wants_a_check_first() {
    let wanting: Vec<_> = Reading::ALL.iter().filter(|reading| reading.wants_check()).collect();
    assert_eq!(wanting, [&Reading::Moved, &Reading::Missing, &Reading::Unknown]);
}

#[test]
fn a_contradiction_of_equal_rank_halves_trust() {
    let stated = said_by(&[(Authority::Measured, "a")]);
    let policy = TrustPolicy::default();
    let alone = trust(&stated, &[], false, &policy).value();
    let contested = trust(&stated, &[], true, &policy).value();
    assert!((contested - alone / 2.0).abs() < 1e-12, "{contested}");
}

#[test]
fn a_thousand_reads_make_nothing_truer() {
    let mut tables = Tables::default();
    let said = says(Authority::File, "a", 0);
    tables.remember(&candidate(1, "staging runs Postgres 16", said)).unwrap();
    let (memory, before) = (tables.memory(1), support(&tables.evidence()));

    for number in 0..1_000 {
        let read = Change::Use {
            space: SPACE,
            memories: vec![id(1)],
            session: Some(session(&format!("reader {}", number % 7))),
            at: day(number),
        };
        let rated = Change::Rate { space: SPACE, memory: id(1), helpful: number % 2 == 0 };
        tables.apply(&read).unwrap();
        tables.apply(&rated).unwrap();
    }
    assert_eq!(support(&tables.evidence()).to_bits(), before.to_bits());
    assert_eq!(tables.memory(1), memory, "not even when it was last checked");
}

#[test]
fn doubt_and_worth_decide_how_a_memory_is_put() {
    use Presentation::{AsOf, Assert, Hint, VerifyFirst};
    for (trust, salience, stale, expected) in [
        (1.0, 0.0, false, Assert),
        (0.75, 0.0, false, Assert),
        (0.749, 1.0, false, AsOf),
        (0.4, 1.0, false, AsOf),
        (0.399, 0.5, false, VerifyFirst),
        (0.399, 0.499, false, Hint),
        (1.0, 0.5, true, VerifyFirst),
        (1.0, 0.499, true, Hint),
        (0.0, 0.0, true, Hint),
    ] {
        let found = presentation(trust, salience, stale, &TrustPolicy::default());
        assert_eq!(found, expected, "trust {trust}, salience {salience}, stale {stale}");
    }
}
