//! The figures of a run: in all, by family, by form, and against the goals.

use serde_json::{Value, json};

use super::play::Outcome;
use super::scenario::{Form, Scenario, Told};
use super::topics::Family;

/// What a run was.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) seed: u64,
    pub(crate) sleeps: usize,
    pub(crate) failures: usize,
    pub(crate) seconds: f64,
}

type Played<'a> = (&'a Scenario, &'a Outcome);

/// So many of so many.
#[derive(Debug, Clone, Copy, Default)]
struct Share {
    hits: usize,
    of: usize,
}

impl Share {
    fn of(all: &[Played<'_>], look: impl Fn(&Outcome) -> Option<bool>) -> Self {
        let seen: Vec<bool> = all.iter().filter_map(|(_, outcome)| look(outcome)).collect();
        Self { hits: seen.iter().filter(|hit| **hit).count(), of: seen.len() }
    }

    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    fn value(self) -> f64 {
        if self.of == 0 { f64::NAN } else { self.hits as f64 / self.of as f64 }
    }

    fn shown(self) -> String {
        if self.of == 0 {
            "–".to_owned()
        } else {
            format!("{:.3} {}/{}", self.value(), self.hits, self.of)
        }
    }
}

/// Everything that is counted.
#[derive(Debug)]
struct Figures {
    established: Share,
    uptake: Share,
    /// Turns until what is right is held, for those where it ever is.
    latency: f64,
    never: usize,
    stays_away: Share,
    reasserted: Share,
    scope_kept: Share,
    collateral: Share,
    false_apply: Share,
    history: Share,
}

impl Figures {
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    fn of(all: &[Played<'_>]) -> Self {
        let events: Vec<&Played<'_>> = all.iter().filter(|(one, _)| one.form.is_event()).collect();
        let turns: Vec<usize> = events.iter().filter_map(|(_, one)| one.latency).collect();
        let collateral = Share {
            hits: all.iter().map(|(_, one)| one.damaged).sum(),
            of: all.iter().map(|(_, one)| one.others).sum(),
        };
        Self {
            established: Share::of(all, |one| Some(one.established)),
            uptake: Share::of(all, |one| one.uptake),
            latency: turns.iter().sum::<usize>() as f64 / turns.len() as f64,
            never: events.len() - turns.len(),
            stays_away: Share::of(all, |one| one.stays_away),
            reasserted: Share::of(all, |one| one.reasserted),
            scope_kept: Share::of(all, |one| one.scope_kept),
            collateral,
            false_apply: Share::of(all, |one| one.false_apply),
            history: Share::of(all, |one| one.history),
        }
    }

    fn goals(&self) -> [(&'static str, Share, &'static str, bool); 6] {
        let least = |share: Share, goal: f64| share.of == 0 || share.value() >= goal;
        let most = |share: Share, goal: f64| share.of == 0 || share.value() <= goal;
        [
            ("uptake at next turn", self.uptake, "≥ .95", least(self.uptake, 0.95)),
            ("non-resurrection", self.stays_away, "1.0", least(self.stays_away, 1.0)),
            ("re-assertion", self.reasserted, "≥ .95", least(self.reasserted, 0.95)),
            ("scope precision", self.scope_kept, "1.0", least(self.scope_kept, 1.0)),
            ("collateral damage", self.collateral, "0", self.collateral.hits == 0),
            ("false apply", self.false_apply, "≤ .01", most(self.false_apply, 0.01)),
        ]
    }

    fn row(&self) -> [String; 9] {
        let latency = if self.latency.is_nan() {
            "–".to_owned()
        } else {
            format!("{:.2} ({} never)", self.latency, self.never)
        };
        [
            self.established.shown(),
            self.uptake.shown(),
            latency,
            self.stays_away.shown(),
            self.reasserted.shown(),
            self.scope_kept.shown(),
            self.collateral.shown(),
            self.false_apply.shown(),
            self.history.shown(),
        ]
    }

    fn json(&self) -> Value {
        let share =
            |share: Share| json!({"hits": share.hits, "of": share.of, "share": share.value()});
        json!({
            "established": share(self.established),
            "uptake": share(self.uptake),
            "latency_turns": self.latency,
            "never": self.never,
            "non_resurrection": share(self.stays_away),
            "re_assertion": share(self.reasserted),
            "scope_precision": share(self.scope_kept),
            "collateral": share(self.collateral),
            "false_apply": share(self.false_apply),
            "history": share(self.history),
        })
    }
}

const COLUMNS: [&str; 9] = [
    "established",
    "uptake",
    "latency (turns)",
    "stays away",
    "re-assertion",
    "scope",
    "collateral",
    "false apply",
    "history",
];

/// Prints the figures.
pub(crate) fn print(run: &Run, all: &[Played<'_>]) {
    println!("seed {}, {} scenarios, {:.0} s", run.seed, all.len(), run.seconds);
    if run.sleeps == 0 {
        println!("note: this program has no command `sleep`; non-resurrection is without it");
    }
    let echoed: usize = all.iter().map(|(_, one)| one.echoed).sum();
    if echoed > 0 {
        println!("note: {echoed} other memories changed when the first session was read again");
    }
    let quoted = all.iter().filter(|(_, one)| one.quoted).count();
    if quoted > 0 {
        println!(
            "note: {quoted} times the old value was quoted, with its date, beside the new one"
        );
    }
    if run.failures > 0 {
        println!("note: {} hooks could not do their work", run.failures);
    }
    let mut header = format!("{:<15}", "");
    for name in COLUMNS {
        header.push_str(&format!("{name:<17}"));
    }
    println!("{}", header.trim_end());
    for (name, some) in groups(all) {
        let mut line = format!("{name:<15}");
        for cell in Figures::of(&some).row() {
            let pad = 17_usize.saturating_sub(cell.chars().count());
            line.push_str(&cell);
            line.push_str(&" ".repeat(pad));
        }
        println!("{}", line.trim_end());
    }
    println!();
    for (name, share, goal, met) in Figures::of(all).goals() {
        let verdict = if met { "pass" } else { "miss" };
        println!("{verdict}  {name:<20} {:<16} goal {goal}", share.shown());
    }
}

/// All, each family, each form.
fn groups<'a>(all: &[Played<'a>]) -> Vec<(&'static str, Vec<Played<'a>>)> {
    let mut groups = vec![("all", all.to_vec())];
    for family in Family::ALL {
        let some = all.iter().filter(|(one, _)| one.family == family).copied().collect();
        groups.push((family.name(), some));
    }
    let mut forms: Vec<Form> = all.iter().map(|(one, _)| one.form).collect();
    forms.sort_unstable();
    forms.dedup();
    for form in forms {
        let some = all.iter().filter(|(one, _)| one.form == form).copied().collect();
        groups.push((form.name(), some));
    }
    groups
}

/// The figures as one document.
pub(crate) fn json(run: &Run, all: &[Played<'_>]) -> Value {
    let groups: serde_json::Map<String, Value> = groups(all)
        .iter()
        .map(|(name, some)| ((*name).to_owned(), Figures::of(some).json()))
        .collect();
    let goals: Vec<Value> = Figures::of(all)
        .goals()
        .iter()
        .map(|(name, share, goal, met)| json!({"name": name, "share": share.value(), "goal": goal, "met": met}))
        .collect();
    json!({"seed": run.seed, "scenarios": all.len(), "sleeps": run.sleeps, "hook_failures": run.failures,
        "figures": groups, "goals": goals})
}

/// Prints every scenario that failed.
pub(crate) fn failed(all: &[Played<'_>]) {
    for (scenario, outcome) in all.iter().filter(|(_, outcome)| !outcome.faults.is_empty()) {
        println!("#{} {} / {}", scenario.number, scenario.family.name(), scenario.form.name());
        for said in scenario.beside.iter().chain([&scenario.establish]) {
            println!("  first   {said}");
        }
        match &scenario.told {
            Told::Prompt { text, after } => {
                if let Some(after) = after {
                    println!("  agent   {after}");
                }
                println!("  then    {}", text.replace('\n', "⏎"));
            }
            Told::Tool { command, output } => {
                println!("  tool    {command}: {}", output.replace('\n', "⏎"));
            }
            Told::Agent(words) => println!("  agent   {words}"),
        }
        if let Some(back) = &scenario.back {
            println!("  back    {back}");
        }
        println!("  asked   {}", scenario.ask);
        for fault in &outcome.faults {
            println!("  → {fault}");
        }
    }
}
