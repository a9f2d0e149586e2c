//! Fitting: the weights of relevance, from public development data, with the check on data that
//! they were not fitted to.

mod softmax;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use throughline_attention::relevance::{WEIGHTS, weights};
use throughline_core::policy::RelevancePolicy;
use throughline_engine::{Ask, Memo};

use crate::data::{Set, WireQuestion};
use crate::haystack::{self, Store};
use crate::metrics::{Metrics, mean, of_hits};
use softmax::{Lesson, Manner, Row, dot, fit};

/// What to fit to.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The sets: PREFIX.sessions.jsonl and PREFIX.questions.jsonl of each
    #[arg(long, value_name = "PREFIX", num_args = 1.., required = true)]
    sets: Vec<PathBuf>,
    /// Into how many parts a set is cut
    #[arg(long, default_value_t = 5)]
    folds: usize,
    /// What is added to the loss for each unit of squared weight; several to compare them
    #[arg(long, value_delimiter = ',', default_value = "0.02")]
    l2: Vec<f64>,
}

/// The best candidates of a question that are learned from, beside gold.
const LEARNED_FROM: usize = 120;

/// The weights in the order of [`weights`]. Nothing in such data is named in the sense of the last
/// one, so it stays as it is.
const NAMES: [&str; WEIGHTS] = [
    "words",
    "around",
    "cosine",
    "next_cosine",
    "session_words",
    "session_cosine",
    "named_voice",
    "asker_voice",
    "agent_voice",
    "asks",
    "asked_before",
    "tells_time",
    "tells_number",
    "in_time",
    "named",
];
const FIXED: usize = WEIGHTS - 1;

/// One question with everything that was looked at.
struct Case {
    fold: usize,
    rows: Vec<Row>,
    is_gold: Vec<bool>,
    /// Gold turns in all, found or not.
    gold: usize,
    /// What is learned from it; `None` if no gold was looked at.
    lesson: Option<Lesson>,
}

/// A set, ready to learn from.
struct Subject {
    name: String,
    cases: Vec<Case>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    anyhow::ensure!(options.folds >= 2, "a set must be cut into at least two parts");
    let memo = Arc::new(Memo::default());
    let mut subjects = Vec::new();
    for prefix in &options.sets {
        subjects.push(Subject::read(&Set::read(prefix)?, options.folds, &memo)?);
    }
    let current = weights(&RelevancePolicy::default());
    for l2 in &options.l2 {
        anyhow::ensure!(
            *l2 > 0.0,
            "{l2}: without any, weights that the data says nothing of have no value"
        );
        let mut manner = Manner { start: [0.0; WEIGHTS], free: [true; WEIGHTS], l2: *l2 };
        // From zero, so that the outcome does not depend on what is current.
        (manner.start[FIXED], manner.free[FIXED]) = (current[FIXED], false);
        report(&subjects, &current, &manner, options.folds);
    }
    Ok(())
}

fn report(subjects: &[Subject], current: &Row, manner: &Manner, folds: usize) {
    let fitted = learn(subjects, manner, |_, _| true);
    print_weights(subjects, current, &fitted, manner);
    println!();
    println!(
        "{:14} {:>5} {:>13} {:>13} {:>13} {:>13} {:>13}",
        "all@10/ndcg10", "n", "current", "in sample", "set left out", "fold left out", "own folds"
    );
    for (at, subject) in subjects.iter().enumerate() {
        let without = learn(subjects, manner, |set, _| set != at);
        let folded = |chosen: &dyn Fn(usize, bool) -> bool| -> Vec<Row> {
            let fold = |fold| learn(subjects, manner, |set, case| chosen(set, case.fold == fold));
            (0..folds).map(fold).collect()
        };
        let rest = folded(&|set, left_out| set != at || !left_out);
        let own = folded(&|set, left_out| set == at && !left_out);
        let left_out =
            if subjects.len() > 1 { subject.score(|_| &without) } else { "-".to_owned() };
        println!(
            "{:14} {:>5} {:>13} {:>13} {:>13} {:>13} {:>13}",
            subject.name,
            subject.cases.len(),
            subject.score(|_| current),
            subject.score(|_| &fitted),
            left_out,
            subject.score(|case| &rest[case.fold]),
            subject.score(|case| &own[case.fold]),
        );
    }
    println!("fold left out: fitted to all sets but for a part of this one");
    println!("own folds: fitted to this set alone, but for that part");
    println!();
}

/// Fits to the cases chosen, by the number of their set.
fn learn(subjects: &[Subject], manner: &Manner, chosen: impl Fn(usize, &Case) -> bool) -> Row {
    let groups: Vec<Vec<&Lesson>> = subjects
        .iter()
        .enumerate()
        .map(|(set, subject)| {
            let cases = subject.cases.iter().filter(|case| chosen(set, case));
            cases.filter_map(|case| case.lesson.as_ref()).collect()
        })
        .collect();
    fit(&groups, manner)
}

fn print_weights(subjects: &[Subject], current: &Row, fitted: &Row, manner: &Manner) {
    let questions: usize = subjects.iter().map(|one| one.cases.len()).sum();
    let lessons = subjects.iter().flat_map(|one| &one.cases).filter(|one| one.lesson.is_some());
    println!(
        "{questions} questions, {} with gold among the candidates; the {LEARNED_FROM} best and gold of each; L2 {}",
        lessons.count(),
        manner.l2
    );
    let alone: Vec<Row> =
        (0..subjects.len()).map(|at| learn(subjects, manner, |set, _| set == at)).collect();
    print!("{:16} {:>8} {:>8}", "weight", "current", "fitted");
    for subject in subjects {
        print!(" {:>14}", format!("{} alone", subject.name));
    }
    println!();
    for at in 0..WEIGHTS {
        print!("{:16} {:>8.2} {:>8.2}", NAMES[at], current[at], fitted[at]);
        for alone in &alone {
            print!(" {:>14.2}", alone[at]);
        }
        println!("{}", if at == FIXED { "  (kept)" } else { "" });
    }
}

impl Subject {
    fn read(set: &Set, folds: usize, memo: &Arc<Memo>) -> anyhow::Result<Self> {
        let mut stores: BTreeMap<&str, usize> = BTreeMap::new();
        for question in &set.questions {
            let next = stores.len();
            stores.entry(store_of(question)).or_insert(next);
        }
        let haystacks = haystack::haystacks(set, false);
        let cases = haystack::ask_all(set, &haystacks, memo, |store, question| {
            Case::of(store, question, stores[store_of(question)] % folds)
        })?;
        let cases = cases.into_iter().flatten().collect();
        Ok(Self { name: set.name.clone(), cases })
    }

    /// all@10 and NDCG@10 when each case is ranked by the weights given for it.
    fn score<'a>(&self, weights: impl Fn(&Case) -> &'a Row) -> String {
        let each: Vec<Metrics> = self.cases.iter().map(|case| case.score(weights(case))).collect();
        let mean = mean(&each);
        format!("{:.3}/{:.3}", mean.all[1], mean.ndcg)
    }
}

/// What a question is not parted from when folds are made.
fn store_of(question: &WireQuestion) -> &str {
    if question.store.is_empty() { &question.id } else { &question.store }
}

impl Case {
    /// Asks a question for everything that is looked at; `None` if it has no gold turn.
    fn of(store: &Store, question: &WireQuestion, fold: usize) -> anyhow::Result<Option<Self>> {
        if question.gold_turns.is_empty() {
            return Ok(None);
        }
        let recall = store.recall(&Ask { ungated: true, ..store.ask(question) })?;
        let names = store.turn_names(&recall)?;
        let (mut rows, mut is_gold) = (Vec::new(), Vec::new());
        for candidate in &recall.candidates {
            let Some(turn) = names.get(&candidate.node) else { continue };
            rows.push(candidate.features);
            is_gold.push(question.gold_turns.contains(turn));
        }
        let lesson = lesson(&rows, &is_gold);
        Ok(Some(Self { fold, rows, is_gold, gold: question.gold_turns.len(), lesson }))
    }

    fn score(&self, weights: &Row) -> Metrics {
        let mut order: Vec<(f64, bool)> = self
            .rows
            .iter()
            .map(|row| dot(row, weights))
            .zip(self.is_gold.iter().copied())
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let hits: Vec<bool> = order.into_iter().map(|(_, gold)| gold).collect();
        of_hits(&hits, self.gold)
    }
}

/// The best by the current weights, in whose order candidates come, and gold.
fn lesson(rows: &[Row], is_gold: &[bool]) -> Option<Lesson> {
    let mut lesson = Lesson { rows: Vec::new(), gold: Vec::new() };
    for (at, (row, gold)) in rows.iter().zip(is_gold).enumerate() {
        if *gold {
            lesson.gold.push(lesson.rows.len());
        }
        if *gold || at < LEARNED_FROM {
            lesson.rows.push(*row);
        }
    }
    (!lesson.gold.is_empty()).then_some(lesson)
}
