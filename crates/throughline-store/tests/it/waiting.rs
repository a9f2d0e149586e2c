//! Waiting: somebody else who holds the file only delays us.

use std::time::{Duration, Instant};

use throughline_store::Store;
use throughline_testing::sample::{HERE, batch, day, fact, insert, opening};

use crate::home::Home;

#[test]
fn a_program_that_is_writing_only_delays_us() {
    let home = Home::new();
    let store = home.store();
    store.apply(&opening(&[HERE])).expect("spaces are welcome");
    let other = home.foreign_connection();
    other.execute_batch("BEGIN IMMEDIATE").expect("the other writes first");
    let held = Duration::from_millis(300);
    let began = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(held);
            other.execute_batch("COMMIT").expect("the other is done");
        });
        let told = vec![insert(&fact(HERE, 1, "one"))];
        store.apply(&batch(1, HERE, day(1), told)).expect("it waits its turn");
    });
    assert!(began.elapsed() >= held, "it did not wait");
    assert_eq!(store.verify().expect("verify runs"), []);
}

#[test]
fn a_program_that_is_writing_does_not_delay_readers() {
    let home = Home::lived_in();
    let store = home.store();
    let other = home.foreign_connection();
    other.execute_batch("BEGIN IMMEDIATE; DELETE FROM slot").expect("the other writes");
    let counts = store.read().expect("a reader").counts(&[HERE]).expect("counts");
    assert_eq!(counts["memory"], 2);
}

#[test]
fn readers_who_wait_for_each_other_get_their_connections_in_the_end() {
    let home = Home::lived_in();
    let store = home.store();
    // More than there are connections for, and each holds its reader until all have one.
    let all_read = std::sync::Barrier::new(7);
    std::thread::scope(|scope| {
        for _ in 0..7 {
            scope.spawn(|| {
                let reader = store.read().expect("a reader");
                all_read.wait();
                assert_eq!(reader.counts(&[HERE]).expect("counts")["memory"], 2);
            });
        }
    });
}
