//! The demo: a recorded session goes through the hooks, and nothing is left behind.

use crate::harness::Home;

/// The lines of the demo, without what differs from run to run.
fn lines() -> Vec<String> {
    let home = Home::new();
    let run = home.run(&["demo"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(!home.path().exists(), "the demo has a home of its own");
    home.tidy(&run.stdout).lines().map(|line| line.trim().to_owned()).collect()
}

/// The lines from one that begins so up to the next event.
fn after<'a>(lines: &'a [String], beginning: &str) -> &'a [String] {
    let at = lines.iter().position(|line| line.starts_with(beginning));
    let at = at.unwrap_or_else(|| panic!("no line begins with {beginning}: {lines:#?}"));
    let is_event = |line: &String| line.get(2..3) == Some(":") && line.get(5..7) == Some("  ");
    let length = lines[at + 1..].iter().position(is_event).unwrap_or(lines.len() - at - 1);
    &lines[at..=at + length]
}

fn has(lines: &[String], beginning: &str, words: &str) -> bool {
    lines.iter().any(|line| line.starts_with(beginning) && line.contains(words))
}

#[test]
fn the_demo_shows_what_is_noticed_kept_and_told_turn_by_turn() {
    let lines = lines();
    let first = after(&lines, "09:01");
    assert!(has(first, "noticed:", "decision"), "{first:#?}");
    assert!(has(first, "kept:", "The staging database runs on Postgres 14"), "{first:#?}");
    assert!(has(first, "kept:", "keep sessions in Postgres instead of Redis"), "{first:#?}");
    assert!(has(first, "told the agent:", "nothing"), "it was just said: {first:#?}");
    let kept = first.iter().filter(|line| line.starts_with("kept:"));
    assert_eq!(kept.count(), 2, "no reason is a fact of its own: {first:#?}");

    let rule = after(&lines, "09:10");
    assert!(has(rule, "kept:", "always run cargo fmt before you commit"), "{rule:#?}");

    let failed = after(&lines, "09:20");
    assert!(has(failed, "kept:", "cargo test --all-features"), "{failed:#?}");

    let brief = after(&lines, "10:00");
    for known in ["instead of Redis", "Postgres 14"] {
        assert!(has(brief, "- [[ID]]", known), "{known}: {brief:#?}");
    }
    assert!(has(brief, "- [[ID]]", "cargo fmt before"), "a rule is told at once: {brief:#?}");

    let corrected = after(&lines, "10:01");
    assert!(has(corrected, "noticed:", "correction"), "{corrected:#?}");
    assert!(has(corrected, "kept:", "Postgres 16"), "{corrected:#?}");
    assert!(has(corrected, "no longer holds:", "Postgres 14"), "{corrected:#?}");

    let asked = after(&lines, "07:30");
    assert!(has(asked, "- [[ID]]", "Postgres 16 now, not 14 (until 2026-05-11"), "{asked:#?}");

    let warned = after(&lines, "10:07");
    assert!(has(warned, "- [[ID]]", "requires the nightly compiler"), "{warned:#?}");

    let thanked = after(&lines, "10:09");
    assert!(has(thanked, "told the agent:", "nothing"), "{thanked:#?}");
}

#[test]
fn after_the_demo_memory_can_be_looked_into() {
    let lines = lines();
    assert!(lines.iter().any(|line| line.contains("superseded") && line.contains("Postgres 14")));
    assert!(lines.iter().any(|line| line.contains("the log replays to exactly what is stored")));
    assert!(lines.iter().any(|line| line.contains("throughline init")));
}
