//! How long redacting takes here: `cargo run --release -p throughline-redact --example speed`.
//!
//! The first figure is that of a fresh process, so it is taken before anything else. The others
//! are of the fastest run, because whatever else the machine does only adds.
#![expect(clippy::print_stdout, reason = "a program that prints")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use throughline_redact::redact;

fn main() {
    let password = ["DB_PASSWORD=", "hunter2", "\n"].concat();
    let token = ["Authorization: Bearer ", "gh", "p_", &"a1B2c3".repeat(6), "\n"].concat();
    let plain =
        filled(4_096, "The staging cluster runs one release behind; ask before a deploy.\n");
    let code =
        filled(4_096, "let token = self.next_token()?; // the key of a secret is its name\n");
    let secrets = filled(4_096, &[password, token].concat());

    let start = Instant::now();
    black_box(redact(&secrets));
    println!("fresh process, 4 KB full of secrets: {:.1?}", start.elapsed());

    for (what, text) in [("prose", &plain), ("code about secrets", &code), ("secrets", &secrets)] {
        println!("4 KB of {what}: {:.1?}", fastest(|| drop(black_box(redact(text)))));
    }
    for unit in
        ["token=", "glpat-", "eyJ", "https://a:", "-----BEGIN PRIVATE KEY-----\n", "cookie:a="]
    {
        let hostile = unit.repeat(10_000_000 / unit.len());
        let start = Instant::now();
        black_box(redact(&hostile));
        println!("10 MB of {unit:?}: {:.1?}", start.elapsed());
    }
    let long = filled(10_000_000, &plain);
    let start = Instant::now();
    black_box(redact(&long));
    println!("10 MB of prose: {:.1?}", start.elapsed());
}

fn filled(length: usize, unit: &str) -> String {
    unit.repeat(length.div_ceil(unit.len()))
}

fn fastest(run: impl Fn()) -> Duration {
    let timed = (0..201).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed()
    });
    timed.min().expect("it ran")
}
