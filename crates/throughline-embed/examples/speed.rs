//! How long embedding takes here: `cargo run --release -p throughline-embed --example speed`.
//!
//! The first figure is that of a fresh process, so it is taken before anything else. The others
//! are of the fastest run, because whatever else the machine does only adds.
#![expect(clippy::print_stdout, reason = "a program that prints")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use throughline_embed::{Embedder, Kernel};

const SHORT: &str = "We decided to keep the sessions in Postgres, because Redis lost them twice.";

fn main() {
    let start = Instant::now();
    black_box(Embedder::builtin().embed(SHORT));
    println!("fresh process, one text of 17 tokens: {:.2?}", start.elapsed());

    let long = "The staging cluster runs one release behind. ".repeat(22);
    for kernel in Kernel::available() {
        let embedder = Embedder::with_kernel(kernel).expect("it is available");
        for (text, times) in [(SHORT, 101), (long.as_str(), 11)] {
            let tokens = embedder.pieces(text).len() + 2;
            let fastest = fastest(times, || _ = black_box(embedder.embed(text)));
            println!("{kernel}: {tokens} tokens in {fastest:.2?}");
        }
    }

    let texts = vec![SHORT; 2_000];
    let start = Instant::now();
    black_box(Embedder::builtin().embed_all(&texts));
    println!("all cores: {:.0} short texts a second", 2_000.0 / start.elapsed().as_secs_f64());
}

fn fastest(times: usize, run: impl Fn()) -> Duration {
    let timed = (0..times).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed()
    });
    timed.min().unwrap_or_default()
}
