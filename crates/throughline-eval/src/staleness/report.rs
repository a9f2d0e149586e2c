//! The confusion matrix: in all, by what happened, by what a fact was bound to, and against the goals.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::claim::Sort;
use super::judge::{Class, Fact, Mark, Row, Seen};
use super::play::Played;

/// What a run was.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) seed: u64,
    pub(crate) seconds: f64,
    pub(crate) projects: Vec<Played>,
}

/// False alarms may be so many of all looks at what did not change.
const FALSE_ALARMS_MAX: f64 = 0.05;

/// The confusion matrix of some looks.
#[derive(Debug, Clone, Copy, Default)]
struct Matrix {
    hits: usize,
    missed: usize,
    false_alarms: usize,
    quiet: usize,
}

impl Matrix {
    fn of<'a>(seen: impl Iterator<Item = &'a Seen>) -> Self {
        let mut matrix = Self::default();
        for one in seen.filter(|one| one.class == Class::Headline) {
            let cell = match (one.changed, one.alarm.is_some()) {
                (true, true) => &mut matrix.hits,
                (true, false) => &mut matrix.missed,
                (false, true) => &mut matrix.false_alarms,
                (false, false) => &mut matrix.quiet,
            };
            *cell += 1;
        }
        matrix
    }

    fn is_empty(self) -> bool {
        self.hits + self.missed + self.false_alarms + self.quiet == 0
    }

    /// False alarms among what did not change.
    fn false_share(self) -> f64 {
        share(self.false_alarms, self.false_alarms + self.quiet)
    }

    fn row(self, name: &str) -> String {
        let percent = match self.false_alarms + self.quiet {
            0 => "–".to_owned(),
            _ => format!("{:.1} %", 100.0 * self.false_share()),
        };
        let Self { hits, missed, false_alarms, quiet } = self;
        format!("{name:<40} {hits:>7} {missed:>7} {false_alarms:>7} {quiet:>7} {percent:>8}")
    }

    fn json(self) -> Value {
        let Self { hits, missed, false_alarms, quiet } = self;
        json!({"hits": hits, "missed": missed, "false_alarms": false_alarms, "quiet": quiet,
            "false_alarm_share": self.false_share()})
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few ten thousand")]
fn share(some: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { some as f64 / all as f64 }
}

impl Run {
    fn seen(&self) -> impl Iterator<Item = &Seen> {
        self.projects.iter().flat_map(|project| &project.seen)
    }

    fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.projects.iter().flat_map(|project| &project.facts)
    }

    fn fact(&self, seen: &Seen) -> &Fact {
        &self.projects[seen.project].facts[seen.fact]
    }

    fn by_row(&self) -> Vec<(Row, Matrix)> {
        let rows: BTreeSet<Row> = self.seen().map(|one| one.row).collect();
        let of = |row: Row| Matrix::of(self.seen().filter(move |one| one.row == row));
        rows.into_iter().map(|row| (row, of(row))).filter(|(_, all)| !all.is_empty()).collect()
    }

    fn by_mark(&self) -> Vec<(String, Matrix)> {
        let mut marks = Vec::new();
        for by_hand in [false, true] {
            for mark in Mark::ALL {
                let ours = |one: &&Seen| {
                    let fact = self.fact(one);
                    fact.mark == Some(mark) && fact.is_by_hand() == by_hand
                };
                let how = if by_hand { "by hand" } else { "by words" };
                marks.push((
                    format!("{}, {how}", mark.name()),
                    Matrix::of(self.seen().filter(ours)),
                ));
            }
        }
        marks.retain(|(_, matrix)| !matrix.is_empty());
        marks
    }

    /// Of a class: alarms, and all.
    fn class(&self, class: Class, suits: impl Fn(&Seen) -> bool) -> (usize, usize) {
        let ours: Vec<&Seen> = self.seen().filter(|one| one.class == class && suits(one)).collect();
        (ours.iter().filter(|one| one.alarm.is_some()).count(), ours.len())
    }

    fn missed(&self) -> usize {
        self.seen().filter(|one| one.is_missed()).count()
    }

    /// Facts with at least one such look.
    fn facts_with(&self, suits: impl Fn(&Seen) -> bool) -> usize {
        let ours = self.seen().filter(|one| suits(one));
        ours.map(|one| (one.project, one.fact)).collect::<BTreeSet<_>>().len()
    }

    fn missed_by_hint(&self) -> BTreeMap<&'static str, usize> {
        let mut hints = BTreeMap::new();
        for one in self.seen().filter(|one| one.is_missed()) {
            *hints.entry(one.hint.unwrap_or("nothing special about it")).or_insert(0) += 1;
        }
        hints
    }

    /// Claims by sort: told, bound, and to what.
    fn bound(&self) -> Vec<(Sort, usize, BTreeMap<Mark, usize>)> {
        let sorts = Sort::ALL.into_iter().map(|sort| {
            let ours: Vec<&Fact> = self.facts().filter(|fact| fact.claim.sort == sort).collect();
            let mut marks = BTreeMap::new();
            for mark in ours.iter().filter_map(|fact| fact.mark) {
                *marks.entry(mark).or_insert(0) += 1;
            }
            (sort, ours.len(), marks)
        });
        sorts.filter(|(_, told, _)| *told > 0).collect()
    }

    fn should_be_bound(&self) -> (usize, usize) {
        let ours: Vec<&Fact> =
            self.facts().filter(|fact| fact.claim.sort != Sort::Nothing).collect();
        (ours.iter().filter(|fact| fact.mark.is_some()).count(), ours.len())
    }

    fn wrongly_bound(&self) -> (usize, usize) {
        let ours: Vec<&Fact> =
            self.facts().filter(|fact| fact.claim.sort == Sort::Nothing).collect();
        (ours.iter().filter(|fact| fact.mark.is_some()).count(), ours.len())
    }
}

const HEADER: &str = "   hits  missed   false   quiet  false %";

/// Prints the figures.
pub(crate) fn print(run: &Run) {
    let files: usize = run.projects.iter().map(|project| project.files).sum();
    println!(
        "seed {}, {} facts about {} repositories of {files} files, {} looks, {:.0} s",
        run.seed,
        run.facts().count(),
        run.projects.len(),
        run.seen().count(),
        run.seconds
    );
    let late: usize = run.projects.iter().map(|project| project.late).sum();
    if late > 0 {
        println!("note: asked again {late} times, as a look ran out of time");
    }
    print_bound(run);
    println!("\n{:<40} {HEADER}", "what happened, seen from the fact");
    for (row, matrix) in run.by_row() {
        println!("{}", matrix.row(row.name()));
    }
    println!("\n{:<40} {HEADER}", "bound to");
    for (name, matrix) in run.by_mark() {
        println!("{}", matrix.row(&name));
    }
    let all = Matrix::of(run.seen());
    println!("{}", all.row("all"));
    print_beside(run);
    let near = Matrix::of(run.seen().filter(|one| one.near));
    println!("\n{:<24} {:>10} {:>10}", "", "changed", "unchanged");
    println!("{:<24} {:>10} {:>10}", "alarm", all.hits, all.false_alarms);
    println!("{:<24} {:>10} {:>10}", "silence", all.missed, all.quiet);
    println!(
        "of all alarms {:.1} % were false; where its own file was touched, {:.1} % of what had not changed",
        100.0 * share(all.false_alarms, all.false_alarms + all.hits),
        100.0 * near.false_share()
    );
    for (hint, count) in run.missed_by_hint() {
        println!("{count} of the missed: {hint}");
    }
    println!();
    for (name, value, goal, met) in goals(run) {
        let verdict = if met { "pass" } else { "miss" };
        println!("{verdict}  {name:<16} {value:<20} goal {goal}");
    }
}

fn print_bound(run: &Run) {
    println!("\n{:<40} {:>7} {:>7}  to", "claims", "told", "bound");
    for (sort, told, marks) in run.bound() {
        let bound: usize = marks.values().sum();
        let to: Vec<String> =
            marks.iter().map(|(mark, count)| format!("{} {count}", mark.name())).collect();
        println!("{:<40} {told:>7} {bound:>7}  {}", sort.name(), to.join(", "));
    }
    let ((bound, told), (wrong, nothing)) = (run.should_be_bound(), run.wrongly_bound());
    let unbound = 100.0 * share(told - bound, told);
    println!("could not be bound: {} of {told} ({unbound:.1} %)", told - bound);
    println!("bound although they hang on nothing: {wrong} of {nothing}");
    let unresolved: usize = run.projects.iter().map(|project| project.unresolved).sum();
    println!("claims of agents that name a missing file, marked to be checked: {unresolved}");
}

/// What is not in the matrix.
fn print_beside(run: &Run) {
    println!("\n{:<56} {:>7} {:>7}", "beside the matrix: the value stayed, but", "alarms", "looks");
    let line = |name: &str, (alarms, all): (usize, usize)| {
        if all > 0 {
            println!("{name:<56} {alarms:>7} {all:>7}");
        }
    };
    let is_key = |one: &Seen| run.fact(one).mark == Some(Mark::Key);
    line("something within the scope moved (an alarm is right)", run.class(Class::Broad, |_| true));
    line(
        "its line is written otherwise, bound to lines or files",
        run.class(Class::Restyled, |one| !is_key(one)),
    );
    line("its line is written otherwise, bound to a key", run.class(Class::Restyled, is_key));
    line("the variable is not set", run.class(Class::Unset, |_| true));
}

fn goals(run: &Run) -> [(&'static str, String, &'static str, bool); 2] {
    let (missed, false_share) = (run.missed(), Matrix::of(run.seen()).false_share());
    [
        (
            "missed moves",
            format!("{missed} ({} facts)", run.facts_with(Seen::is_missed)),
            "0",
            missed == 0,
        ),
        (
            "false alarms",
            format!(
                "{:.1} % ({} facts)",
                100.0 * false_share,
                run.facts_with(Seen::is_false_alarm)
            ),
            "≤ 5 %",
            false_share <= FALSE_ALARMS_MAX,
        ),
    ]
}

/// The figures as one document.
pub(crate) fn json(run: &Run) -> Value {
    let class = |class: Class| {
        let (alarms, looks) = run.class(class, |_| true);
        json!({"alarms": alarms, "looks": looks})
    };
    let ((bound, told), (wrong, nothing)) = (run.should_be_bound(), run.wrongly_bound());
    let rows: serde_json::Map<String, Value> =
        run.by_row().into_iter().map(|(row, all)| (row.name().to_owned(), all.json())).collect();
    let marks: serde_json::Map<String, Value> =
        run.by_mark().into_iter().map(|(name, all)| (name, all.json())).collect();
    let claims: serde_json::Map<String, Value> = run
        .bound()
        .into_iter()
        .map(|(sort, told, marks)| {
            let to: serde_json::Map<String, Value> = marks
                .into_iter()
                .map(|(mark, count)| (mark.name().to_owned(), count.into()))
                .collect();
            (sort.name().to_owned(), json!({"told": told, "bound": to}))
        })
        .collect();
    let goals: Vec<Value> = goals(run)
        .into_iter()
        .map(|(name, value, goal, met)| json!({"name": name, "value": value, "goal": goal, "met": met}))
        .collect();
    json!({
        "seed": run.seed,
        "facts": run.facts().count(),
        "repositories": run.projects.len(),
        "looks": run.seen().count(),
        "late": run.projects.iter().map(|project| project.late).sum::<usize>(),
        "bound": {"told": told, "bound": bound, "nothing": nothing, "wrongly": wrong},
        "claims": claims,
        "matrix": Matrix::of(run.seen()).json(),
        "by_event": rows,
        "by_binding": marks,
        "missed": run.missed(),
        "missed_by_hint": run.missed_by_hint(),
        "broad": class(Class::Broad),
        "restyled": class(Class::Restyled),
        "unset": class(Class::Unset),
        "goals": goals,
    })
}

/// Prints every miss and every false alarm, and what was bound without reason or not at all.
pub(crate) fn faults(run: &Run) {
    for one in run.seen().filter(|one| one.is_missed() || one.is_false_alarm()) {
        let fact = run.fact(one);
        let verdict = if one.is_missed() { "missed" } else { "false alarm" };
        let hint = one.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        println!("{verdict}: {} ({}){hint}", one.row.name(), fact.claim.sort.name());
        println!("  claim  {}", fact.claim.text);
        println!("  bound  {}", fact.bound_to);
        println!("  told   {}", one.alarm.as_deref().unwrap_or("nothing"));
        println!("{}", one.diff.trim_end());
    }
    for fact in run.facts() {
        let hangs = fact.claim.sort != Sort::Nothing;
        match (hangs, fact.mark) {
            (true, None) => println!("unbound: {} ({})", fact.claim.text, fact.claim.sort.name()),
            (false, Some(_)) => {
                println!("bound without reason: {} → {}", fact.claim.text, fact.bound_to);
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
}
