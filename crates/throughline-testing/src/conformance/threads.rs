//! Several at once: nothing is lost, nothing is half seen.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use throughline_core::{Row, RowKey, SpaceId};
use throughline_store::{LogQuery, MemoryQuery, Reader, Store};

use super::Factory;
use super::world::{World, assert_sound};
use crate::sample::{HERE, THERE, batch, day, fact, insert, memory_id, revise};

const WRITERS: u64 = 4;
const BATCHES: u64 = 25;

/// A number for one batch of one writer.
fn number(writer: u64, turn: u64) -> u64 {
    writer * 1_000 + turn
}

pub(super) fn four_writers_at_once_lose_nothing(factory: &dyn Factory) {
    let world = World::new(factory);
    let start = world.log().last().expect("the opening").last_seq;
    thread::scope(|scope| {
        for writer in 1..=WRITERS {
            let store = world.place.open();
            scope.spawn(move || {
                for turn in 0..BATCHES {
                    let number = number(writer, turn);
                    let told = insert(&fact(HERE, number, &format!("memory {number}")));
                    let batch = batch(number, HERE, day(1), vec![told]);
                    store.apply(&batch).expect("the batch is accepted");
                }
            });
        }
    });
    let log = world.log();
    let seqs: Vec<u64> = log.iter().skip(1).map(|stored| stored.last_seq).collect();
    assert_eq!(seqs, (start + 1..=start + WRITERS * BATCHES).collect::<Vec<_>>());
    let ids: BTreeSet<_> = log.iter().map(|stored| stored.batch.id).collect();
    assert_eq!(ids.len(), log.len());
    let counts = world.read().counts(&[HERE]).expect("counts");
    assert_eq!(counts["memory"], WRITERS * BATCHES);
    assert_sound(&*world.place.open());
}

/// Follows the log from number to number until so many batches came, and takes note of each.
fn follow(store: &dyn Store, expected: usize) -> Vec<(u64, u64)> {
    let (mut seen, mut after_seq) = (Vec::new(), 0);
    while seen.len() < expected {
        let query = LogQuery { after_seq, limit: 7, ..LogQuery::default() };
        for stored in store.read().expect("a reader").log(&query).expect("a page") {
            after_seq = stored.last_seq;
            seen.push((stored.first_seq, stored.last_seq));
        }
    }
    seen
}

pub(super) fn who_follows_the_log_misses_nothing_of_several_spaces(factory: &dyn Factory) {
    let world = World::new(factory);
    let expected = 1 + usize::try_from(WRITERS * BATCHES).expect("not many");
    let seen = thread::scope(|scope| {
        let followers = [0, 1].map(|_| {
            let store = world.place.open();
            scope.spawn(move || follow(&*store, expected))
        });
        for writer in 1..=WRITERS {
            let store = world.place.open();
            let space = if writer % 2 == 0 { HERE } else { THERE };
            scope.spawn(move || {
                for turn in 0..BATCHES {
                    let number = number(writer, turn);
                    // Long and short ones, so that one overtakes another.
                    let told = (0..1 + number % 5).map(|part| {
                        insert(&fact(space, number * 10 + part, &format!("memory {number} {part}")))
                    });
                    let batch = batch(number, space, day(1), told.collect());
                    store.apply(&batch).expect("the batch is accepted");
                }
            });
        }
        followers.map(|follower| follower.join().expect("a reader that saw nothing odd"))
    });
    let log: Vec<(u64, u64)> =
        world.log().iter().map(|stored| (stored.first_seq, stored.last_seq)).collect();
    assert_eq!(log.len(), expected);
    assert!(
        log.windows(2).all(|two| two[0].1 + 1 == two[1].0),
        "numbers follow each other: {log:?}"
    );
    for one in seen {
        assert_eq!(one, log, "a batch came after one with a greater number");
    }
    assert_sound(&*world.place.open());
}

pub(super) fn who_writes_to_one_space_never_loses_an_update_of_another(factory: &dyn Factory) {
    let world = World::new(factory);
    for (number, space) in [(1, HERE), (2, THERE)] {
        let counter = vec![insert(&fact(space, number, "0"))];
        world.store.apply(&batch(number, space, day(1), counter)).expect("the batch is accepted");
    }
    thread::scope(|scope| {
        for writer in 1..=WRITERS {
            let store = world.place.open();
            let (counter, space) = if writer % 2 == 0 { (1, HERE) } else { (2, THERE) };
            scope.spawn(move || {
                for turn in 0..BATCHES {
                    let commit = store.transact_in(space, &mut |reader| {
                        let next = (counted_in(reader, space, counter) + 1).to_string();
                        let changes = vec![revise(&fact(space, counter, &next))];
                        Ok(batch(number(writer, turn), space, day(1), changes))
                    });
                    commit.expect("the batch is accepted");
                }
            });
        }
    });
    let reader = world.read();
    for (counter, space) in [(1, HERE), (2, THERE)] {
        assert_eq!(counted_in(&*reader, space, counter), WRITERS / 2 * BATCHES);
    }
    assert_sound(&*world.place.open());
}

/// The number written in the memory that is counted in.
fn counted(reader: &dyn Reader) -> u64 {
    counted_in(reader, HERE, 1)
}

fn counted_in(reader: &dyn Reader, space: SpaceId, counter: u64) -> u64 {
    let key = RowKey::memory(space, memory_id(counter));
    let row = reader.rows(&[key]).expect("rows").remove(0);
    let memory = row.and_then(Row::into_memory).expect("it is there");
    memory.content.parse().expect("a number")
}

pub(super) fn who_reads_and_then_writes_never_loses_an_update(factory: &dyn Factory) {
    let world = World::new(factory);
    world.write(vec![insert(&fact(HERE, 1, "0"))]);
    thread::scope(|scope| {
        for writer in 1..=WRITERS {
            let store = world.place.open();
            scope.spawn(move || {
                for turn in 0..BATCHES {
                    let commit = store.transact(&mut |reader| {
                        let next = (counted(reader) + 1).to_string();
                        let changes = vec![revise(&fact(HERE, 1, &next))];
                        Ok(batch(number(writer, turn), HERE, day(1), changes))
                    });
                    commit.expect("the batch is accepted");
                }
            });
        }
    });
    assert_eq!(counted(&*world.read()), WRITERS * BATCHES);
    assert_sound(&*world.place.open());
}

pub(super) fn readers_during_writes_see_whole_batches_of_one_moment(factory: &dyn Factory) {
    let world = World::new(factory);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                let store = world.place.open();
                scope.spawn(|| {
                    let store = store;
                    let mut looks = 0;
                    while looks == 0 || !done.load(Ordering::Acquire) {
                        look_twice(&*store.read().expect("a reader"));
                        looks += 1;
                    }
                })
            })
            .collect();
        let store = world.place.open();
        for turn in 1..=40 {
            let pair =
                [2 * turn, 2 * turn + 1].map(|n| insert(&fact(HERE, n, &format!("half {n}"))));
            let batch = batch(turn, HERE, day(1), pair.to_vec());
            store.apply(&batch).expect("the batch is accepted");
        }
        done.store(true, Ordering::Release);
        for reader in readers {
            reader.join().expect("a reader that saw nothing odd");
        }
    });
    assert_eq!(world.read().counts(&[HERE]).expect("counts")["memory"], 80);
    assert_sound(&*world.place.open());
}

/// Everything one reader is told belongs to one moment, between two batches.
fn look_twice(reader: &dyn Reader) {
    let dump = reader.dump().expect("a dump");
    let query = MemoryQuery { spaces: vec![HERE], limit: 1_000, ..MemoryQuery::default() };
    let page = reader.memories(&query).expect("a listing");
    assert_eq!(page.total % 2, 0, "half a batch");
    assert_eq!(page.items.len(), page.total);
    let log = reader.log(&super::world::EVERYTHING).expect("the log");
    let logged: usize = log.iter().skip(1).map(|stored| stored.batch.changes.len()).sum();
    assert_eq!(logged, page.total, "the log and the tables are of one moment");
    assert_eq!(reader.dump().expect("a dump"), dump, "a reader stays where it is");
}

pub(super) fn a_reader_stays_where_it_is_while_another_writes(factory: &dyn Factory) {
    let world = World::new(factory);
    let reader = world.read();
    let before = reader.dump().expect("a dump");
    let other = world.place.open();
    thread::scope(|scope| {
        scope.spawn(|| {
            let told = batch(1, HERE, day(1), vec![insert(&fact(HERE, 1, "news"))]);
            other.apply(&told).expect("writers do not wait for readers");
        });
    });
    assert_eq!(reader.dump().expect("a dump"), before);
    drop(reader);
    assert_eq!(world.dump().len(), before.len() + 1);
}

pub(super) fn readers_of_one_handle_need_not_wait_for_each_other(factory: &dyn Factory) {
    let world = World::new(factory);
    world.write(vec![insert(&fact(HERE, 1, "held"))]);
    let store = world.place.open();
    // Each holds its reader until all have one.
    let all_read = Barrier::new(3);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let reader = store.read().expect("a reader");
                all_read.wait();
                assert_eq!(reader.counts(&[HERE]).expect("counts")["memory"], 1);
            });
        }
    });
    let more = batch(2, HERE, day(1), vec![insert(&fact(HERE, 2, "more"))]);
    store.apply(&more).expect("the batch is accepted");
    assert_eq!(store.read().expect("a reader").counts(&[HERE]).expect("counts")["memory"], 2);
}
