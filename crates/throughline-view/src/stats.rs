//! What is in memory, in numbers.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use throughline_core::watermark::Tally;

/// What is in memory, in numbers: counts by group, how ties to files behaved, and how often capture looked closer.
pub fn stats(counts: &BTreeMap<String, u64>, bindings: usize, tally: Tally) -> Value {
    let mut wire = json!(counts_by_group(counts));
    if bindings > 0 {
        wire["watermarks"] = json!({
            "bindings": bindings,
            "moved_and_changed": tally.hits,
            "moved_and_held": tally.false_alarms,
            "still_and_changed": tally.misses,
            "still_and_held": tally.quiet,
        });
    }
    if counts.get("capture turns").is_some_and(|turns| *turns > 0) {
        wire["gate"] = json!({
            "probes_per_60_turns": share_of_turns(counts, "capture probes", 60.0),
            "noticed_share": share_of_turns(counts, "capture noticed", 1.0).min(1.0),
        });
    }
    wire
}

/// Counts by the first word of their name.
pub fn counts_by_group(counts: &BTreeMap<String, u64>) -> BTreeMap<&str, BTreeMap<&str, u64>> {
    let mut groups: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    for (name, count) in counts {
        let (group, member) = name.split_once(' ').unwrap_or(("rows", name));
        groups.entry(group).or_default().insert(member, *count);
    }
    groups
}

/// How many of something there are for so many captured turns.
pub fn share_of_turns(counts: &BTreeMap<String, u64>, name: &str, of: f64) -> f64 {
    let count = |name: &str| counts.get(name).copied().unwrap_or(0);
    #[expect(clippy::cast_precision_loss, reason = "turns are few")]
    let share = count(name) as f64 / count("capture turns") as f64 * of;
    (share * 100.0).round() / 100.0
}
