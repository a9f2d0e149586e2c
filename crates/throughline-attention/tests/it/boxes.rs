//! When a stretch of work ends, and what it goes on from.

use std::collections::BTreeSet;

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use throughline_attention::boxes::{BoxItem, BoxTopic, Seal, TOPIC_TERMS, core};
use throughline_core::policy::BoxPolicy;
use throughline_core::{EntityId, Timestamp};
use uuid::Uuid;

use crate::world::day;

const MINUTE: f64 = 1.0 / 1_440.0;

fn minute(number: f64) -> Timestamp {
    day(0).plus_days(number * MINUTE)
}

fn item(at: f64, words: &str) -> BoxItem {
    let terms = words.split_whitespace().map(|word| (word.to_owned(), word.to_owned()));
    BoxItem { at: minute(at), terms: terms.collect(), meaning: Vec::new() }
}

fn topic(items: &[BoxItem]) -> BoxTopic {
    BoxTopic::of(items).expect("there are some")
}

fn trace(number: u128) -> EntityId {
    EntityId(Uuid::from_u128(number))
}

#[test]
fn a_box_is_sealed_by_another_topic_by_silence_and_when_it_is_full() {
    let policy = BoxPolicy::default();
    let open = topic(&[item(0.0, "postgres staging sessions redis")]);
    assert_eq!(open.seals_before(&item(1.0, "postgres staging port"), &policy), None);
    assert_eq!(open.seals_before(&item(1.0, "sourdough oven flour"), &policy), Some(Seal::Topic));
    assert_eq!(open.seals_before(&item(1.0, "sourdough oven"), &policy), None, "too few to tell");
    assert_eq!(open.seals_before(&item(30.0, "postgres staging port"), &policy), None);
    let late = item(30.1, "postgres staging port");
    assert_eq!(open.seals_before(&late, &policy), Some(Seal::Quiet));
    let earlier = item(-31.0, "postgres staging port");
    assert_eq!(open.seals_before(&earlier, &policy), Some(Seal::Quiet), "another stretch of work");
    let full: Vec<BoxItem> = (0..50).map(|_| item(0.0, "postgres staging port")).collect();
    assert_eq!(topic(&full[..49]).seals_before(&full[0], &policy), None);
    assert_eq!(topic(&full).seals_before(&full[0], &policy), Some(Seal::Full));
}

#[test]
fn the_share_that_seals_is_just_below_the_threshold() {
    let policy = BoxPolicy::default();
    let words: Vec<String> = (0..20).map(|n| format!("w{n}")).collect();
    let open = topic(&[item(0.0, &words.join(" "))]);
    let said = |known: usize| {
        let new = (known..20).map(|n| format!("other{n}"));
        words[..known].iter().cloned().chain(new).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(open.seals_before(&item(1.0, &said(7)), &policy), None, "7 of 20 are .35");
    assert_eq!(open.seals_before(&item(1.0, &said(6)), &policy), Some(Seal::Topic));
}

#[test]
fn a_trace_goes_on_where_enough_is_the_same_within_a_week() {
    let policy = BoxPolicy::default();
    let week = 7.0 * 1_440.0;
    let first = topic(&[item(0.0, "postgres staging sessions redis port")]);
    let same = |at: f64| topic(&[item(at, "postgres staging index vacuum replica")]);
    assert!((first.overlap(&same(0.0)) - 0.4).abs() < 1e-9);
    let known = [(trace(1), first.clone())];
    assert_eq!(same(week).goes_on(&known, &policy), Some(trace(1)));
    assert_eq!(same(week + 1.0).goes_on(&known, &policy), None, "too long ago");
    let less = topic(&[item(1.0, "postgres oven flour salt yeast")]);
    assert_eq!(less.goes_on(&known, &policy), None);
    let nearer = topic(&[item(2.0, "postgres staging index vacuum port")]);
    let both = [(trace(1), first), (trace(2), nearer)];
    assert_eq!(same(10.0).goes_on(&both, &policy), Some(trace(2)), "the one with most in common");
}

#[test]
fn what_most_memories_hold_tells_most_about_a_box() {
    let open = topic(&[
        item(0.0, "queue kafka retries"),
        item(1.0, "kafka retries timeout"),
        item(2.0, "kafka consumer"),
    ]);
    let words: Vec<&str> = open.telling().into_iter().map(|(_, word)| word).collect();
    assert_eq!(words, ["kafka", "retries", "consumer", "timeout", "queue"]);
    assert_eq!((open.from, open.to, open.memories), (minute(0.0), minute(2.0), 3));
}

#[test]
fn what_goes_on_in_other_words_stays_in_its_box() {
    let with =
        |meaning: [f32; 2], words: &str| BoxItem { meaning: meaning.to_vec(), ..item(0.0, words) };
    let open = topic(&[with([1.0, 0.0], "kafka consumer retries orders")]);
    let policy = BoxPolicy::default();
    let same = with([0.8, 0.6], "queue worker waits twice");
    let other = with([0.0, 1.0], "oven steam sourdough bread");
    assert_eq!(open.seals_before(&same, &policy), None);
    assert_eq!(open.seals_before(&other, &policy), Some(Seal::Topic));
}

#[test]
fn what_is_said_once_in_passing_begins_no_topic_and_two_that_agree_do() {
    let open = topic(&[item(0.0, "kafka consumer retries orders")]);
    let policy = BoxPolicy::default();
    let bread = item(1.0, "oven steam sourdough bread");
    let oven = item(2.0, "oven steam sourdough tray");
    let printer = item(2.0, "printer floor paper empty");
    assert_eq!(open.seals_between(&bread, None, &policy), None);
    assert_eq!(open.seals_between(&bread, Some(&printer), &policy), None);
    assert_eq!(open.seals_between(&bread, Some(&oven), &policy), Some(Seal::Topic));
    let late = item(99.0, "kafka consumer retries orders");
    assert_eq!(open.seals_between(&late, None, &policy), Some(Seal::Quiet));
}

#[test]
fn the_core_of_a_box_tells_what_most_of_it_speaks_of_and_nothing_twice() {
    let terms = |words: &str| words.split(' ').map(str::to_owned).collect::<BTreeSet<String>>();
    let items = [
        terms("kafka consumer"),
        terms("kafka consumer retries orders"),
        terms("bread"),
        terms("orders replicas two kafka"),
    ];
    assert_eq!(core(&items, 2), [1, 3]);
    assert_eq!(core(&items, 9).len(), 4);
    assert_eq!(core(&[], 3), Vec::<usize>::new());
}

fn items() -> impl Strategy<Value = Vec<BoxItem>> {
    let terms = btree_set("[a-h]{1,2}", 0..12);
    vec((0.0..500.0_f64, terms), 1..40).prop_map(|all| {
        let item = |(at, terms): (f64, BTreeSet<String>)| BoxItem {
            at: minute(at),
            terms: terms.into_iter().map(|term| (term.clone(), term)).collect(),
            meaning: Vec::new(),
        };
        all.into_iter().map(item).collect()
    })
}

proptest! {
    #[test]
    fn a_topic_does_not_depend_on_the_order_and_keeps_within_its_bounds(items in items()) {
        let one = topic(&items);
        let mut turned = items.clone();
        turned.reverse();
        let other = topic(&turned);
        prop_assert_eq!((one.from, one.to, one.memories), (other.from, other.to, other.memories));
        prop_assert_eq!(one.telling(), other.telling());
        prop_assert!(one.telling().len() <= TOPIC_TERMS);
        prop_assert!(items.iter().all(|item| one.from <= item.at && item.at <= one.to));
    }

    #[test]
    fn overlap_is_a_share_the_same_from_both_sides_and_whole_with_itself(a in items(), b in items()) {
        let (a, b) = (topic(&a), topic(&b));
        prop_assert!((0.0..=1.0).contains(&a.overlap(&b)));
        prop_assert!((a.overlap(&b) - b.overlap(&a)).abs() < 1e-12);
        prop_assert!(a.telling().is_empty() || (a.overlap(&a) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn boxes_part_any_stretch_of_memories_and_none_is_too_large_or_too_long(items in items()) {
        let policy = BoxPolicy { memories_max: 5, ..BoxPolicy::default() };
        let mut sorted = items;
        sorted.sort_by_key(|item| item.at);
        let mut boxes: Vec<BoxTopic> = Vec::new();
        for item in &sorted {
            match boxes.last_mut() {
                Some(open) if open.seals_before(item, &policy).is_none() => open.add(item),
                _ => boxes.push(BoxTopic::begin(item)),
            }
        }
        prop_assert_eq!(boxes.iter().map(|one| one.memories).sum::<usize>(), sorted.len());
        prop_assert!(boxes.iter().all(|one| (1..=5).contains(&one.memories)));
        for pair in boxes.windows(2) {
            prop_assert!(pair[0].to <= pair[1].from, "one after the other");
        }
        let known: Vec<(EntityId, BoxTopic)> =
            boxes.iter().cloned().zip(1..).map(|(topic, n)| (trace(n), topic)).collect();
        for one in &boxes {
            if let Some(found) = one.goes_on(&known, &policy) {
                let (_, like) = known.iter().find(|(trace, _)| *trace == found).expect("a known one");
                prop_assert!(one.overlap(like) >= policy.trace_from);
            }
        }
    }
}
