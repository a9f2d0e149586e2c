//! The figures of one run beside those of the baseline.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::Answer;
use crate::data::{Set, WireQuestion};
use crate::metrics::{Metrics, average, float, mean, metrics, percentile, share};
use crate::significance::{Difference, paired};

/// Everything that is told about a run.
pub(super) struct Report<'a> {
    set: &'a Set,
    ours: Figures,
    plain: Figures,
    page: PageFigures,
    latency_ms: [f64; 2],
}

/// The figures of every question, in the order of the set.
pub(super) struct Figures {
    /// None for a question without gold turns.
    pub(super) turn: Vec<Option<Metrics>>,
    pub(super) session: Vec<Metrics>,
}

/// What a plain recall puts in front of an agent.
struct PageFigures {
    /// The share of questions for which something is said.
    said: f64,
    tokens: f64,
    tokens_most: usize,
    /// The share of questions with some gold, all gold, among what is quoted.
    any_gold: f64,
    all_gold: f64,
}

impl Figures {
    /// The figures of rankings, one for each question of the set. Sessions rank by their best turn.
    pub(super) fn of<'a>(set: &Set, rankings: impl Iterator<Item = &'a Vec<String>>) -> Self {
        let session_of = set.session_of();
        let mut figures = Self { turn: Vec::new(), session: Vec::new() };
        for (question, ranking) in set.questions.iter().zip(rankings) {
            let turns: Vec<&str> = ranking.iter().map(String::as_str).collect();
            let gold = &question.gold_turns;
            figures.turn.push((!gold.is_empty()).then(|| metrics(&turns, gold)));
            let mut seen = BTreeSet::new();
            let sessions: Vec<&str> = turns
                .iter()
                .map(|turn| session_of[turn])
                .filter(|session| seen.insert(*session))
                .collect();
            figures.session.push(metrics(&sessions, &question.gold_sessions));
        }
        figures
    }

    /// The means over the questions chosen, on the level of turns and of sessions.
    pub(super) fn mean(
        &self,
        set: &Set,
        chosen: impl Fn(&WireQuestion) -> bool,
    ) -> (usize, Metrics, Metrics) {
        let places: Vec<usize> =
            (0..set.questions.len()).filter(|at| chosen(&set.questions[*at])).collect();
        let turn: Vec<Metrics> = places.iter().filter_map(|at| self.turn[*at]).collect();
        let session: Vec<Metrics> = places.iter().map(|at| self.session[*at]).collect();
        (places.len(), mean(&turn), mean(&session))
    }

    fn values(&self, of: impl Fn(&Metrics) -> f64) -> Vec<f64> {
        self.turn.iter().flatten().map(of).collect()
    }
}

impl<'a> Report<'a> {
    pub(super) fn of(set: &'a Set, answers: &[Answer], plain: &[Vec<String>]) -> Self {
        let mut took: Vec<f64> = answers.iter().map(|one| one.took.as_secs_f64() * 1e3).collect();
        Self {
            set,
            ours: Figures::of(set, answers.iter().map(|one| &one.ranked[0])),
            plain: Figures::of(set, plain.iter()),
            page: PageFigures::of(set, answers),
            latency_ms: [0.5, 0.95].map(|at| percentile(&mut took, at)),
        }
    }

    pub(super) fn print(&self, by_type: bool) {
        self.lines(&self.ours, "", by_type);
        self.lines(&self.plain, "bm25 ", by_type);
        for (name, one) in self.differences() {
            println!(
                "against bm25, turn {name:7} {:+.3}  95% {:+.3} … {:+.3}  p {:.4}",
                one.mean, one.low, one.high, one.p
            );
        }
        let page = &self.page;
        println!(
            "page: said {:.3}  tokens {:.0} (most {})  any gold {:.3}  all gold {:.3}",
            page.said, page.tokens, page.tokens_most, page.any_gold, page.all_gold
        );
        let [p50, p95] = self.latency_ms;
        println!("latency ms: p50 {p50:.2}  p95 {p95:.2}");
    }

    fn lines(&self, figures: &Figures, prefix: &str, by_type: bool) {
        for name in self.names(by_type) {
            let (n, turn, session) =
                figures.mean(self.set, |one| name == "all" || one.kind == name);
            for (level, figures) in [("turn", turn), ("session", session)] {
                let columns: Vec<String> = figures
                    .columns()
                    .iter()
                    .map(|(column, value)| format!("{column} {value:.3}"))
                    .collect();
                let name = format!("{prefix}{name}");
                println!("{name:28} n={n:<5} {level:8} {}", columns.join("  "));
            }
        }
    }

    pub(super) fn json(&self, by_type: bool) -> Value {
        let mut all = self.figures_json(&self.ours, by_type);
        all.insert("bm25".to_owned(), Value::Object(self.figures_json(&self.plain, by_type)));
        let differences: BTreeMap<&str, Value> = self
            .differences()
            .into_iter()
            .map(|(name, one)| {
                let interval = [rounded(one.low), rounded(one.high)];
                let mean = rounded(one.mean);
                (name, json!({ "difference": mean, "interval": interval, "p": rounded(one.p) }))
            })
            .collect();
        all.insert("against_bm25".to_owned(), json!(differences));
        let page = &self.page;
        let shown = json!({
            "said": rounded(page.said), "tokens": rounded(page.tokens), "tokens_most": page.tokens_most,
            "any_gold": rounded(page.any_gold), "all_gold": rounded(page.all_gold),
        });
        all.insert("page".to_owned(), shown);
        let [p50, p95] = self.latency_ms.map(rounded);
        all.insert("latency_ms".to_owned(), json!({ "p50": p50, "p95": p95 }));
        Value::Object(all)
    }

    fn figures_json(&self, figures: &Figures, by_type: bool) -> Map<String, Value> {
        let level = |one: Metrics| -> BTreeMap<&str, f64> {
            one.columns().into_iter().map(|(name, value)| (name, rounded(value))).collect()
        };
        self.names(by_type)
            .into_iter()
            .map(|name| {
                let (n, turn, session) =
                    figures.mean(self.set, |one| name == "all" || one.kind == name);
                let value = json!({ "n": n, "turn": level(turn), "session": level(session) });
                (name.to_owned(), value)
            })
            .collect()
    }

    fn names(&self, by_type: bool) -> Vec<&str> {
        let types: BTreeSet<&str> =
            self.set.questions.iter().map(|one| one.kind.as_str()).filter(|_| by_type).collect();
        std::iter::once("all").chain(types).collect()
    }

    fn differences(&self) -> [(&'static str, Difference); 2] {
        let differ =
            |of: fn(&Metrics) -> f64| paired(&self.ours.values(of), &self.plain.values(of));
        [("all@10", differ(|one| one.all[1])), ("ndcg10", differ(|one| one.ndcg))]
    }
}

impl PageFigures {
    fn of(set: &Set, answers: &[Answer]) -> Self {
        let tokens: Vec<f64> = answers.iter().map(|one| float(one.page.tokens)).collect();
        let both =
            || set.questions.iter().zip(answers).filter(|(one, _)| !one.gold_turns.is_empty());
        Self {
            said: share(answers.iter().map(|one| one.page.tokens > 0)),
            tokens: average(&tokens),
            tokens_most: answers.iter().map(|one| one.page.tokens).max().unwrap_or(0),
            any_gold: share(both().map(|(question, answer)| {
                question.gold_turns.iter().any(|gold| answer.page.turns.contains(gold))
            })),
            all_gold: share(both().map(|(question, answer)| {
                question.gold_turns.iter().all(|gold| answer.page.turns.contains(gold))
            })),
        }
    }
}

/// Four digits are all that such figures can tell.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
