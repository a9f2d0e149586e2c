//! What the gate of recall lets through, and why it leaves out the rest.

use proptest::prelude::*;
use throughline_attention::frontier::Hop;
use throughline_attention::hot::FocusSurroundings;
use throughline_attention::recall_gate::{
    CandidateFate, CutReason, GateAsk, GateCandidate, GateMemory, judge, may_be_shown,
};
use throughline_core::page::Detail;
use throughline_core::policy::RecallPolicy;
use throughline_core::{NodeId, Relation};

use crate::world::id;

const SHOWN: CandidateFate = CandidateFate::Shown(Detail::Full);
const LINE: CandidateFate = CandidateFate::Shown(Detail::Line);

fn cut(reason: CutReason) -> CandidateFate {
    CandidateFate::Cut(reason)
}

/// A memory that a person said, and that fits this well.
fn memory(number: u128, relevance: f64) -> GateCandidate<'static> {
    let by_person = GateMemory { in_view: true, by_person: true, ..GateMemory::default() };
    GateCandidate {
        node: NodeId::from(id(number)),
        named: false,
        covers: 0.0,
        relevance,
        by_itself: relevance,
        score: relevance,
        path: &[],
        memory: Some(by_person),
        heard: None,
    }
}

/// The same as a claim of an agent.
fn claim(number: u128, relevance: f64) -> GateCandidate<'static> {
    let claimed = GateMemory { in_view: true, is_claim: true, ..GateMemory::default() };
    GateCandidate { memory: Some(claimed), ..memory(number, relevance) }
}

fn fates(candidates: &[GateCandidate<'_>]) -> Vec<CandidateFate> {
    fates_around(&FocusSurroundings::default(), candidates)
}

fn fates_around(focus: &FocusSurroundings, candidates: &[GateCandidate<'_>]) -> Vec<CandidateFate> {
    let limits = RecallPolicy::default();
    judge(&GateAsk { focus, ..ask(&limits, focus) }, candidates)
}

fn ask<'a>(limits: &'a RecallPolicy, focus: &'a FocusSurroundings) -> GateAsk<'a> {
    GateAsk { limits, enough: limits.worth_saying, small_talk: false, ungated: false, focus }
}

fn step(from: u128, to: u128) -> Hop {
    Hop {
        from: id(from).into(),
        relation: Relation::Because,
        to: id(to).into(),
        forward: true,
        prior: 1.0,
        strength: 1.0,
        confidence: 1.0,
        damping: 1.0,
    }
}

#[test]
fn what_fits_is_shown_and_what_does_not_fit_is_not() {
    let found = fates(&[memory(1, 0.9), memory(2, 0.1)]);
    assert_eq!(found, [SHOWN, cut(CutReason::DoesNotFit)]);
}

#[test]
fn what_the_prompt_names_is_answered_however_little_it_fits() {
    let named = GateCandidate { named: true, ..memory(2, 0.01) };
    assert_eq!(fates(&[memory(1, 0.9), named]), [SHOWN, SHOWN]);
}

#[test]
fn small_talk_gets_nothing_unless_everything_is_let_through() {
    let (limits, focus) = (RecallPolicy::default(), FocusSurroundings::default());
    let small_talk = GateAsk { small_talk: true, ..ask(&limits, &focus) };
    assert_eq!(judge(&small_talk, &[memory(1, 0.9)]), [cut(CutReason::SmallTalk)]);
    let ungated = GateAsk { ungated: true, ..small_talk };
    assert_eq!(judge(&ungated, &[memory(1, 0.9)]), [SHOWN]);
}

#[test]
fn what_lies_far_behind_the_best_is_left_out() {
    let behind = GateCandidate { score: 0.01, ..memory(2, 0.9) };
    assert_eq!(fates(&[memory(1, 0.9), behind]), [SHOWN, cut(CutReason::FarBehind)]);
}

#[test]
fn claims_of_agents_leave_room_for_what_a_person_said() {
    let most = RecallPolicy::default().items_max;
    let mut all: Vec<_> = (0..10).map(|number| claim(number, 0.9)).collect();
    all.push(memory(10, 0.9));
    let found = fates(&all);
    let shown = found.iter().filter(|fate| matches!(fate, CandidateFate::Shown(_))).count();
    assert_eq!((shown, found.last()), (most - 1, Some(&SHOWN)));
    assert_eq!(found[9], CandidateFate::Counted(CutReason::TooMany));
}

#[test]
fn claims_are_not_shown_alone_where_a_person_said_something_near() {
    let found = fates(&[claim(1, 0.9), memory(2, 0.3), memory(3, 0.2)]);
    assert_eq!(found, [SHOWN, LINE, cut(CutReason::DoesNotFit)]);
}

#[test]
fn what_was_reached_is_told_only_beside_what_it_was_reached_from() {
    let path = [step(1, 2)];
    let reached = GateCandidate { path: &path, by_itself: 0.1, ..memory(2, 0.6) };
    assert_eq!(fates(&[memory(1, 0.9), reached]), [SHOWN, LINE]);
    let untold = GateCandidate { heard: Some(CutReason::AlreadyShown), ..memory(1, 0.9) };
    let left_out = [cut(CutReason::AlreadyShown), cut(CutReason::OnlyReached)];
    assert_eq!(fates(&[untold, reached]), left_out);
}

#[test]
fn what_was_not_used_for_long_is_counted_until_the_prompt_names_it() {
    let dormant = GateMemory { in_view: true, dormant: true, ..GateMemory::default() };
    let old = GateCandidate { memory: Some(dormant), ..memory(2, 0.8) };
    let found = fates(&[memory(1, 0.9), old]);
    assert_eq!(found, [SHOWN, CandidateFate::Counted(CutReason::Dormant)]);
    let named = GateCandidate { named: true, ..old };
    assert_eq!(fates(&[memory(1, 0.9), named]), [SHOWN, SHOWN]);
}

#[test]
fn what_lies_near_the_focus_is_told_in_a_line_and_what_lies_far_is_counted() {
    let edges = [(1_u128, 2_u128), (2, 3)].map(|(a, b)| (id(a).into(), id(b).into()));
    let focus = FocusSurroundings::of(&[id(1).into()], &edges, 3);
    let found = fates_around(&focus, &[memory(2, 0.45), memory(3, 0.45)]);
    assert_eq!(found, [LINE, CandidateFate::Counted(CutReason::FarFromFocus)]);
}

fn any_candidate(number: u128) -> impl Strategy<Value = GateCandidate<'static>> {
    let memory_of = (any::<[bool; 5]>(), any::<bool>()).prop_map(|(is, turn)| {
        let [in_view, dormant, is_claim, by_person, told_by_other] = is;
        (!turn).then_some(GateMemory { in_view, dormant, is_claim, by_person, told_by_other })
    });
    let path = prop::option::of((0..number.max(1)).prop_map(move |from| {
        let path: &'static [Hop] = Box::leak(Box::new([step(from, number)]));
        path
    }));
    let figures = (0.0..1.0_f64, 0.0..1.0_f64, 0.0..1.0_f64, 0.0..1.0_f64, any::<bool>());
    (memory_of, path, figures).prop_map(move |(memory_of, path, figures)| {
        let (covers, relevance, by_itself, score, named) = figures;
        GateCandidate {
            named,
            covers,
            by_itself,
            score,
            path: path.unwrap_or_default(),
            memory: memory_of,
            ..memory(number, relevance)
        }
    })
}

fn any_candidates() -> impl Strategy<Value = Vec<GateCandidate<'static>>> {
    (0..12_u128).map(any_candidate).collect::<Vec<_>>()
}

proptest! {
    /// What was heard is read only of those that [`may_be_shown`]: of the others it must not matter.
    #[test]
    fn it_matters_only_of_what_may_be_shown_whether_it_was_heard(
        candidates in any_candidates(),
        heard in prop::collection::vec(any::<bool>(), 12),
    ) {
        let first = fates(&candidates);
        let told = |only: bool| {
            let mut told = candidates.clone();
            for (at, one) in told.iter_mut().enumerate() {
                let read = !only || may_be_shown(&first[at]);
                one.heard = (heard[at] && read).then_some(CutReason::AlreadyShown);
            }
            fates(&told)
        };
        prop_assert_eq!(told(true), told(false));
    }
}
