//! The hot graph: its laws, and what a session sees of it.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use throughline_core::EntityId;

const POLICY: fn() -> ActivationPolicy = ActivationPolicy::default;

fn memory(number: u128) -> MemoryId {
    MemoryId(Uuid::from_u128(number))
}

fn node(number: u128) -> NodeId {
    NodeId::Memory(memory(number))
}

fn mention(hot: &mut Hot, number: u128) {
    hot.touch(node(number), &format!("node {number}"), Touch::Mention, &POLICY());
}

fn turn(hot: &mut Hot, terms: &[&str]) {
    hot.next_turn(terms, &POLICY());
}

fn presence(hot: &Hot, number: u128) -> f64 {
    let present = hot.present(None, &POLICY());
    present.iter().find(|(one, _)| *one == node(number)).map_or(0.0, |(_, value)| *value)
}

/// A session in which each of `numbers` was spoken of twice.
fn about(numbers: &[u128]) -> Hot {
    let mut hot = Hot::default();
    turn(&mut hot, &[]);
    for number in numbers.iter().chain(numbers) {
        mention(&mut hot, *number);
    }
    hot
}

#[test]
fn the_focus_moves_with_what_is_spoken_of() {
    let mut hot = about(&[1, 2, 3]);
    assert_eq!(hot.focus(&POLICY()), [node(1), node(2), node(3)]);
    for _ in 0..30 {
        turn(&mut hot, &[]);
    }
    for number in [7, 8, 7, 8] {
        mention(&mut hot, number);
    }
    assert_eq!(hot.focus(&POLICY()), [node(7), node(8)]);
    assert!(presence(&hot, 1) > 0.0, "out of focus is not forgotten");
}

#[test]
fn what_lies_further_from_the_focus_is_less_present() {
    let mut hot = about(&[1]);
    for number in [2, 3, 4] {
        mention(&mut hot, number);
    }
    let edges = [(node(1), node(2)), (node(2), node(3))];
    let present = hot.present(Some(&edges), &POLICY());
    let order: Vec<NodeId> = present.iter().map(|(node, _)| *node).collect();
    assert_eq!(order, [node(1), node(2), node(3), node(4)], "and what is not connected, the least");
    assert!(present.windows(2).all(|pair| pair[0].1 > pair[1].1), "{present:?}");
}

#[test]
fn a_touch_adds_to_what_is_left_and_not_to_what_was() {
    let mut hot = about(&[1]);
    for _ in 0..20 {
        turn(&mut hot, &[]);
    }
    mention(&mut hot, 1);
    assert!((hot.nodes[&node(1)].weight - 0.4).abs() < 1e-9, "half of .4, and .2");
}

#[test]
fn an_anchor_stays_in_mind_and_keeps_its_place_in_a_crowd() {
    let mut hot = Hot::default();
    hot.anchor(node(0), "from CLAUDE.md", &POLICY());
    for number in 1..2_000 {
        mention(&mut hot, number);
        turn(&mut hot, &[]);
    }
    assert_eq!(hot.nodes.len(), NODES_MAX);
    assert!((presence(&hot, 0) - 0.2).abs() < 1e-9);
    assert!(hot.nodes.contains_key(&node(1_999)), "the newest is there");
    assert!(!hot.nodes.contains_key(&node(1)), "the oldest went");
}

#[test]
fn what_was_shown_is_known_until_the_context_is_made_shorter() {
    let mut hot = Hot::default();
    hot.shown(&[memory(1)]);
    turn(&mut hot, &[]);
    assert!(hot.was_shown(memory(1), 1));
    assert!(!hot.was_shown(memory(1), 0), "not in this turn");
    assert!(!hot.was_shown(memory(2), 9));
    hot.compacted();
    assert!(!hot.was_shown(memory(1), 9), "the agent no longer sees it");
    assert!(hot.surfaced.contains_key(&memory(1)), "and yet it was shown: an echo stays an echo");
    hot.shown(&[memory(1)]);
    assert!(hot.was_shown(memory(1), 0));
}

#[test]
fn what_is_forgotten_leaves_no_trace() {
    let mut hot = about(&[1, 2]);
    hot.touch(node(1), "the launch code is swordfish", Touch::Mention, &POLICY());
    hot.shown(&[memory(1)]);
    turn(&mut hot, &[]);
    assert!(!hot.together.is_empty());

    hot.forget(node(1));
    let written = serde_json::to_string(&hot).unwrap();
    assert!(!written.contains("swordfish"), "{written}");
    assert!(!written.contains(&memory(1).to_string()), "{written}");
    assert!(hot.nodes.contains_key(&node(2)));
}

#[test]
fn a_session_that_goes_on_elsewhere_remembers_faintly() {
    let mut old = about(&[1, 2, 3]);
    old.shown(&[memory(1)]);
    let new = Hot::resumed(&old, 0, &POLICY());
    assert!((presence(&new, 1) - presence(&old, 1) / 2.0).abs() < 0.06, "faded, not gone");
    assert_eq!(new.nodes[&node(1)].label, "node 1");
    assert!(new.to_settle(&POLICY()).is_empty(), "what the old session used is the old one's");
    assert!(new.surfaced.is_empty());
    let later = Hot::resumed(&old, 3, &POLICY());
    assert!(presence(&later, 1) < presence(&new, 1));
    assert!(Hot::resumed(&old, 40, &POLICY()).nodes.is_empty());
}

#[test]
fn uses_are_counted_once() {
    let mut hot = about(&[2, 1]);
    hot.touch(NodeId::Entity(EntityId(Uuid::from_u128(5))), "redis", Touch::Mention, &POLICY());
    hot.touch(node(9), "beside", Touch::CoUse, &POLICY());
    let first = hot.to_settle(&POLICY());
    assert_eq!(first.used, [memory(1), memory(2)], "memories that were used, nothing else");
    assert_eq!(first.pairs, [(memory(1), memory(2))]);
    assert_eq!(hot.to_settle(&POLICY()), first, "asking changes nothing");

    hot.settled(&first);
    assert!(hot.to_settle(&POLICY()).is_empty());
    for _ in 0..3 {
        turn(&mut hot, &[]);
    }
    assert!(hot.to_settle(&POLICY()).is_empty(), "staying in focus is no further use");
    mention(&mut hot, 1);
    hot.settled(&first);
    let second = hot.to_settle(&POLICY());
    assert_eq!(
        (second.number, second.used.clone()),
        (2, vec![memory(1)]),
        "an old receipt is void"
    );
    assert_eq!(second.pairs, [(memory(1), memory(2))]);
}

#[test]
fn a_use_that_comes_while_settling_is_kept_for_the_next_time() {
    let mut hot = about(&[1]);
    let settlement = hot.to_settle(&POLICY());
    turn(&mut hot, &[]);
    mention(&mut hot, 1);
    hot.settled(&settlement);
    assert_eq!(hot.to_settle(&POLICY()).used, [memory(1)]);
}

#[test]
fn the_topic_is_what_was_said_last() {
    let mut hot = Hot::default();
    turn(&mut hot, &["postgres", "staging", "postgres"]);
    turn(&mut hot, &["redis", "staging"]);
    assert_eq!(hot.topic, ["redis", "staging", "postgres"]);
}

#[derive(Debug, Clone)]
enum Step {
    Touch(u128, u8),
    Crowd(u128),
    Turn(Vec<String>),
    Shown(Vec<u128>),
    Place(u128, String),
    Topic,
    Settle,
    Compact,
    Forget(u128),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..2_000_u128, 0..4_u8).prop_map(|(number, how)| Step::Touch(number, how)),
        2 => (0..2_000_u128).prop_map(Step::Crowd),
        3 => proptest::collection::vec("[a-zé]{0,70}", 0..8).prop_map(Step::Turn),
        2 => proptest::collection::vec(0..5_000_u128, 0..40).prop_map(Step::Shown),
        2 => (0..2_000_u128, ".{0,40}").prop_map(|(number, name)| Step::Place(number, name)),
        1 => Just(Step::Topic),
        1 => Just(Step::Settle),
        1 => Just(Step::Compact),
        1 => (0..2_000_u128).prop_map(Step::Forget),
    ];
    proptest::collection::vec(step, 0..30)
}

fn play(steps: &[Step]) -> Hot {
    let mut hot = Hot::default();
    for step in steps {
        match step {
            Step::Touch(number, 3) => hot.anchor(node(*number), "anchor", &POLICY()),
            Step::Touch(number, how) => {
                let touch = [Touch::Mention, Touch::Expand, Touch::CoUse][usize::from(*how)];
                hot.touch(node(*number), "label", touch, &POLICY());
            }
            Step::Crowd(first) => (*first..first + 200).for_each(|one| mention(&mut hot, one)),
            Step::Turn(terms) => hot.next_turn(terms, &POLICY()),
            Step::Shown(numbers) => {
                hot.shown(&numbers.iter().map(|n| memory(*n)).collect::<Vec<_>>());
            }
            Step::Place(number, domain) => hot.place(node(*number), domain),
            Step::Topic => hot.topic_changed(),
            Step::Settle => hot.settled(&hot.to_settle(&POLICY())),
            Step::Compact => hot.compacted(),
            Step::Forget(number) => hot.forget(node(*number)),
        }
    }
    hot
}

proptest! {
    #[test]
    fn whatever_happens_it_stays_small_and_survives_being_written_down(steps in steps()) {
        let hot = play(&steps);
        prop_assert!(hot.nodes.len() <= NODES_MAX);
        prop_assert!(hot.topic.len() <= TOPIC_MAX);
        prop_assert!(hot.surfaced.len() <= SHOWN_MAX);
        prop_assert!(hot.together.len() <= PAIRS_MAX);
        prop_assert!(hot.focus(&POLICY()).len() <= POLICY().focus_max);
        let written = serde_json::to_string(&hot).unwrap();
        let read: Hot = serde_json::from_str(&written).unwrap();
        prop_assert_eq!(&read, &hot);
        let mut trimmed = read;
        trimmed.trim(&POLICY());
        prop_assert_eq!(trimmed, hot, "within the limits there is nothing to trim");
    }

    #[test]
    fn looking_changes_nothing_and_fading_does_not_depend_on_how_often_one_looks(
        steps in steps(), turns in 0..10_u32,
    ) {
        let mut hot = play(&steps);
        let before = hot.clone();
        let once = hot.present(None, &POLICY());
        prop_assert_eq!(&hot.present(None, &POLICY()), &once);
        prop_assert_eq!(&hot, &before);
        prop_assert!(once.iter().all(|(_, value)| (0.0..=1.0).contains(value)));

        let mut quiet = hot.clone();
        for _ in 0..turns {
            hot.present(None, &POLICY());
            hot.to_settle(&POLICY());
            turn(&mut hot, &[]);
            turn(&mut quiet, &[]);
        }
        prop_assert_eq!(hot.present(None, &POLICY()), quiet.present(None, &POLICY()));
    }
}

#[test]
fn another_topic_frees_what_was_shown_and_what_is_shown_for_it_stays_shown() {
    let mut hot = about(&[1]);
    hot.shown(&[memory(1)]);
    hot.topic_changed();
    assert!(!hot.was_shown(memory(1), 30), "it may be shown again");
    assert!(hot.surfaced.contains_key(&memory(1)), "and yet it was told");
    assert_eq!(hot.context_from, 0, "the agent has lost nothing");
    hot.shown(&[memory(2)]);
    turn(&mut hot, &[]);
    assert!(hot.was_shown(memory(2), 30));
}

#[test]
fn what_it_has_in_mind_is_parted_by_the_ground_it_belongs_to() {
    let mut hot = about(&[1, 2, 3]);
    hot.place(node(1), "technical");
    hot.place(node(2), "personal");
    let domains = hot.by_domain(&POLICY());
    assert_eq!(domains["technical"], [node(1)]);
    assert_eq!(domains["personal"], [node(2)]);
    assert_eq!(domains[""], [node(3)]);
}

proptest! {
    #[test]
    fn distances_are_the_fewest_edges_and_only_nearness_decides_the_detail(
        edges in proptest::collection::vec((0..30_u128, 0..30_u128), 0..60), cap in 0..6_u32,
    ) {
        let focus = [node(0), node(1)];
        let edges: Vec<_> = edges.iter().map(|(a, b)| (node(*a), node(*b))).collect();
        let around = FocusSurroundings::of(&focus, &edges, cap);
        for (one, other) in edges.iter().chain(edges.iter().map(|(a, b)| (b, a)).map(|(a, b)| (*a, *b)).collect::<Vec<_>>().iter()) {
            if let Some(far) = around.hops(*one).filter(|far| *far < cap) {
                prop_assert!(around.hops(*other).is_some_and(|next| next <= far + 1));
            }
        }
        prop_assert_eq!(around.nodes(Nearness::Focus).collect::<Vec<_>>(), focus);
        for near in around.nodes(Nearness::Near) {
            let beside = |(a, b): &(NodeId, NodeId)| {
                (*a == near && focus.contains(b)) || (*b == near && focus.contains(a))
            };
            prop_assert!(edges.iter().any(beside));
        }
        prop_assert!(around.nodes(Nearness::Far).all(|far| around.hops(far) >= Some(2)));
    }

    #[test]
    fn nothing_is_measured_without_a_focus_and_never_more_than_a_few_nodes(steps in steps()) {
        let hot = play(&steps);
        let wanted = hot.to_measure(&POLICY());
        let focus = hot.focus(&POLICY());
        prop_assert_eq!(wanted.is_empty(), focus.is_empty());
        prop_assert!(wanted.len() <= around::MEASURED_MAX);
        prop_assert!(focus.iter().all(|node| wanted.contains(node)));
    }
}
