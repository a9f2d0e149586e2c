//! How long reading takes here: `cargo run --release -p throughline-reader --example reader_speed`.
//!
//! The first figure is that of a fresh process, so it is taken before anything else. The others
//! are of the fastest run, because whatever else the machine does only adds. One core is used.
#![expect(clippy::print_stdout, reason = "a program that prints")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use throughline_reader::{Kernel, Speaker, TrainedReader, Unusable};

const PROMPT: &str = "Please have a look at why the nightly job failed again, the log is in the usual \
    place. We decided to keep the sessions in Postgres from now on, because Redis lost them twice \
    this month. Never push to the release branch without asking me first, even when all of the \
    tests are green.";

const HELD: &str = "The sessions are kept in Redis.";

fn main() -> Result<(), Unusable> {
    let start = Instant::now();
    let builtin = TrainedReader::builtin()?;
    black_box(builtin.read(Speaker::User, None, PROMPT));
    println!("fresh process, the prompt below: {:.2?}", start.elapsed());

    let long = format!("{PROMPT}\n\n").repeat(40);
    for kernel in Kernel::available() {
        let reader = builtin.with_kernel(kernel).expect("it is available");
        for (name, turn, times) in [("a prompt", PROMPT, 51), ("the longest turn", &long, 5)] {
            let windows = reader.turn_ids(Speaker::User, None, turn);
            let tokens: usize = windows.iter().map(Vec::len).sum();
            let pieces = reader.read(Speaker::User, None, turn).len();
            let fastest =
                fastest(times, || drop(black_box(reader.read(Speaker::User, None, turn))));
            println!("{kernel}: {name}, {tokens} tokens, {pieces} pieces: {fastest:.2?}");
        }
        for said in PROMPT.split_inclusive(". ").skip(1) {
            let tokens = reader.pair_ids(HELD, None, said).len();
            let pairs = || {
                for _ in 0..5 {
                    black_box(reader.relate(HELD, None, said));
                }
            };
            println!("{kernel}: five pairs of {tokens} tokens: {:.2?}", fastest(21, pairs));
        }
    }
    Ok(())
}

fn fastest(times: usize, run: impl Fn()) -> Duration {
    let timed = (0..times).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed()
    });
    timed.min().unwrap_or_default()
}
