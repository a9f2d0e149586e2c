//! Figures of the multi-hop questions.

use std::collections::BTreeMap;

use serde_json::json;
use throughline_core::MemoryId;

use super::Outcome;
use super::story::Question;

/// What one way of asking came to.
#[derive(Debug, Default)]
pub(super) struct Score {
    /// Questions that need memory.
    asked: usize,
    at5: f64,
    at10: f64,
    /// Share of what was needed that the agent has before it.
    said: f64,
    /// Questions for which all of it was said.
    all_said: usize,
    lines: usize,
    tokens: usize,
    /// Questions that need nothing, and lines said to them.
    idle: usize,
    idle_lines: usize,
}

impl Score {
    pub(super) fn add(&mut self, question: &Question, outcome: &Outcome, gold: &[MemoryId]) {
        if question.needs.is_empty() {
            self.idle += 1;
            self.idle_lines += outcome.lines;
            return;
        }
        self.asked += 1;
        self.at5 += share(gold, &outcome.ranked, 5);
        self.at10 += share(gold, &outcome.ranked, 10);
        let said = share(gold, &outcome.said, usize::MAX);
        self.said += said;
        self.all_said += usize::from(said >= 1.0);
        self.lines += outcome.lines;
        self.tokens += outcome.tokens;
    }

    /// The share of what was needed that the agent had before it.
    #[cfg(test)]
    pub(super) fn said(&self) -> f64 {
        self.mean(self.said)
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / count(self.asked.max(1))
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred questions")]
fn count(n: usize) -> f64 {
    n as f64
}

/// The share of what is needed that is among the first.
fn share(gold: &[MemoryId], found: &[MemoryId], first: usize) -> f64 {
    let found = &found[..found.len().min(first)];
    let there = gold.iter().filter(|id| found.contains(id)).count();
    count(there) / count(gold.len().max(1))
}

pub(super) fn print(asked: usize, lines: &[(&str, Score)]) {
    println!("{asked} questions");
    println!(
        "{:28} {:>5} {:>9} {:>10} {:>6} {:>9} {:>6} {:>7} {:>12}",
        "", "n", "recall@5", "recall@10", "said", "all said", "lines", "tokens", "lines unasked"
    );
    for (name, score) in lines {
        let ranked = |sum: f64| match sum {
            0.0 => "–".to_owned(),
            sum => format!("{:.3}", score.mean(sum)),
        };
        println!(
            "{name:28} {:>5} {:>9} {:>10} {:>6.3} {:>9.3} {:>6.2} {:>7.0} {:>12.2}",
            score.asked,
            ranked(score.at5),
            ranked(score.at10),
            score.mean(score.said),
            score.mean(count(score.all_said)),
            score.mean(count(score.lines)),
            score.mean(count(score.tokens)),
            count(score.idle_lines) / count(score.idle.max(1)),
        );
    }
}

pub(super) fn print_json(asked: usize, lines: &[(&str, Score)]) {
    let variants: Vec<_> = lines
        .iter()
        .map(|(name, score)| {
            json!({
                "parts": name,
                "n": score.asked,
                "recall@5": score.mean(score.at5),
                "recall@10": score.mean(score.at10),
                "said": score.mean(score.said),
                "all_said": score.mean(count(score.all_said)),
                "lines": score.mean(count(score.lines)),
                "tokens": score.mean(count(score.tokens)),
                "lines_unasked": count(score.idle_lines) / count(score.idle.max(1)),
            })
        })
        .collect();
    println!("{}", json!({ "questions": asked, "variants": variants }));
}

/// One question with what came of it.
pub(super) fn show(
    variant: &str,
    writer: &str,
    question: &Question,
    outcome: &Outcome,
    gold: &[MemoryId],
    texts: &BTreeMap<MemoryId, String>,
) {
    println!("{variant} · {writer}\n  {}", question.text);
    for (place, id) in outcome.ranked.iter().take(10).enumerate() {
        let mark = if gold.contains(id) { "*" } else { " " };
        println!("  {mark}{:>2} {}", place + 1, texts.get(id).map_or("?", String::as_str));
    }
    for id in &outcome.said {
        let mark = if gold.contains(id) { "*" } else { " " };
        println!("  {mark} said {}", texts.get(id).map_or("?", String::as_str));
    }
}
