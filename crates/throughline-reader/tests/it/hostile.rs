//! Any text at all is read in bounded time and without a panic.

use throughline_reader::{PIECES_MAX, Speaker};

use crate::laws::check;
use crate::reader;

#[test]
fn odd_and_endless_turns_are_read() {
    let mega = 1 << 20;
    let turns = [
        "a".repeat(2 * mega),
        ".".repeat(mega),
        " ".repeat(mega),
        "\u{202e}".repeat(mega / 3),
        "\u{200b} ".repeat(mega / 4),
        "\u{301}".repeat(5_000),
        "🙂".repeat(3_000),
        "雲の上は晴れている。".repeat(2_000),
        "Über den Wolken\u{a0}ist es\u{2003}schön.\n".repeat(2_000),
        "line of a log\n".repeat(10_000),
        "\0\u{1}\u{7f}\u{fffd}PNG\r\n\u{1a}".repeat(5_000),
        "```\n".repeat(10_001),
        "```x```\n".repeat(10_000),
        format!("```\n{}", "fn main() {}\n".repeat(100_000)),
        format!("{}\n\nlast", " ".repeat(2 * mega)),
        "fn main() { let a = b::c(&d, e[0]); }\n".repeat(50),
        "a\u{b}b\u{c}c\u{85}d\u{2028}e\u{1c}f ".repeat(40),
    ];
    for turn in &turns {
        let pieces = reader().read(Speaker::Tool, Some(turn), turn);
        assert!(pieces.len() <= PIECES_MAX);
        let start: String = turn.chars().take(10).collect();
        check(turn, &pieces).unwrap_or_else(|broken| panic!("{start:?}: {broken}"));
    }
}

#[test]
fn odd_pairs_have_relations() {
    let texts = ["".to_owned(), "\0".to_owned(), "🙂".repeat(999), "a ".repeat(1 << 19)];
    for held in &texts {
        for said in &texts {
            let total: f32 = reader().relate(held, None, said).shares.iter().sum();
            assert!((total - 1.0).abs() < 1e-3, "{total}");
        }
    }
}
