//! The gate, judged by tables, laws and a script of sixty turns. Real sessions: `throughline-eval capture`.

mod fixtures;
mod laws;
mod script;

use super::*;

const START: i64 = 1_790_000_000_000;

fn at(minute: i64) -> Timestamp {
    Timestamp::from_millis(START + minute * 60_000)
}

fn said(speaker: Speaker, text: &str) -> Turn<'_> {
    Turn { speaker, text, run: None, at: at(0), pieces: None }
}

/// What a turn fires in a session that has just begun.
fn fires(speaker: Speaker, text: &str) -> Vec<(Signal, Strength)> {
    let (verdict, _) = judge(&Watch::default(), &said(speaker, text), &GatePolicy::default());
    verdict.fired.iter().map(|one| (one.signal, one.strength)).collect()
}
