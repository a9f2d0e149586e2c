//! What each arm is worth: the same questions without it, and with nothing else.

use serde_json::{Value, json};
use throughline_engine::Arms;

use super::Answer;
use super::report::{Figures, rounded};
use crate::data::Set;
use crate::metrics::Metrics;

/// Nobody looks.
pub(super) const NONE: Arms = Arms { words: false, vectors: false, graph: false, time: false };
const ALL: Arms = Arms { words: true, vectors: true, graph: true, time: true };

/// What is asked again, by name.
pub(super) const VARIANTS: [(&str, Arms); 9] = [
    ("all arms", ALL),
    ("without words", Arms { words: false, ..ALL }),
    ("without vectors", Arms { vectors: false, ..ALL }),
    ("without time", Arms { time: false, ..ALL }),
    ("without graph", Arms { graph: false, ..ALL }),
    ("words alone", Arms { words: true, ..NONE }),
    ("vectors alone", Arms { vectors: true, ..NONE }),
    ("time alone", Arms { time: true, ..NONE }),
    ("graph alone", Arms { graph: true, ..NONE }),
];

/// One line of the table.
struct Line {
    name: String,
    n: usize,
    /// all@10 and NDCG@10 of turns, all@10 of sessions.
    figures: [f64; 3],
}

fn table(set: &Set, answers: &[Answer]) -> Vec<Line> {
    let (mut lines, mut multi) = (Vec::new(), Vec::new());
    for (at, (name, arms)) in VARIANTS.iter().enumerate() {
        // The first ranking is the one asked for; variants come after it.
        let figures = Figures::of(set, answers.iter().map(|one| &one.ranked[at + 1]));
        lines.push(line((*name).to_owned(), figures.mean(set, |_| true)));
        let all_but_graph = Arms { graph: arms.graph, ..ALL };
        if *arms == all_but_graph {
            let figures = figures.mean(set, |one| one.kind.contains("multi"));
            multi.push(line(format!("{name}, multi"), figures));
        }
    }
    lines.append(&mut multi);
    lines.retain(|line| line.n > 0);
    lines
}

fn line(name: String, (n, turn, session): (usize, Metrics, Metrics)) -> Line {
    Line { name, n, figures: [turn.all[1], turn.ndcg, session.all[1]] }
}

pub(super) fn print(set: &Set, answers: &[Answer]) {
    println!();
    println!("{:28} {:>7} {:>8} {:>8} {:>15}", "arms", "n", "all@10", "ndcg10", "session all@10");
    for Line { name, n, figures: [all, ndcg, session] } in table(set, answers) {
        println!("{name:28} {n:>7} {all:>8.3} {ndcg:>8.3} {session:>15.3}");
    }
}

pub(super) fn json(set: &Set, answers: &[Answer]) -> Value {
    table(set, answers)
        .into_iter()
        .map(|Line { name, n, figures: [all, ndcg, session] }| {
            json!({
                "arms": name, "n": n, "all@10": rounded(all), "ndcg10": rounded(ndcg),
                "session_all@10": rounded(session),
            })
        })
        .collect()
}
