//! Guidelines: what was kept of each kind and what became of it, in numbers, in a small file for whoever decides what
//! to keep. It holds no words of any memory. Where it cannot be written, nothing else is kept from being done.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use throughline_core::Kind;

use super::deep::{PassPlan, PassView};
use crate::Result;

/// The file in the home.
const FILE: &str = "guidelines.md";
/// Claims of a kind from which their fate says something.
const ENOUGH: u64 = 5;

pub(super) fn plan(view: &PassView<'_>) -> Result<PassPlan> {
    let spaces: Vec<_> = view.reader.spaces()?.iter().map(|one| one.space).collect();
    let counts = view.reader.counts(&spaces)?;
    let fates = fates(view, &spaces)?;
    let mut plan = PassPlan::of(usize::try_from(count(&counts, "memory")).unwrap_or(usize::MAX));
    let page = page(&counts, &fates);
    let path = view.engine().home().join(FILE);
    let same = std::fs::read_to_string(&path).is_ok_and(|held| held == page);
    if same {
        plan.tell(format!("{FILE} says it already"));
    } else {
        plan.tell(format!("{FILE} tells what was kept and what became of it"));
        plan.page = Some((FILE, page));
    }
    Ok(plan)
}

/// What became of the claims of one kind.
#[derive(Default)]
struct Fate {
    kept: u64,
    current: u64,
    replaced: u64,
    taken_back: u64,
}

fn fates(
    view: &PassView<'_>,
    spaces: &[throughline_core::SpaceId],
) -> Result<BTreeMap<Kind, Fate>> {
    use throughline_core::State;
    use throughline_store::MemoryQuery;
    let mut fates: BTreeMap<Kind, Fate> = BTreeMap::new();
    for kind in Kind::ALL {
        let total = |states: &[State]| -> Result<u64> {
            let query = MemoryQuery {
                spaces: spaces.to_vec(),
                any_session: true,
                states: states.to_vec(),
                kinds: vec![*kind],
                limit: 0,
                ..MemoryQuery::default()
            };
            Ok(view.reader.memories(&query)?.total as u64)
        };
        let fate = Fate {
            kept: total(&[])?,
            current: total(&[State::Staged, State::Confirmed])?,
            replaced: total(&[State::Superseded])?,
            taken_back: total(&[State::Retracted])?,
        };
        if fate.kept > 0 {
            fates.insert(*kind, fate);
        }
    }
    Ok(fates)
}

fn count(counts: &BTreeMap<String, u64>, name: &str) -> u64 {
    counts.get(name).copied().unwrap_or(0)
}

fn page(counts: &BTreeMap<String, u64>, fates: &BTreeMap<Kind, Fate>) -> String {
    let mut page = "# What was kept, and what became of it\n\n\
        Written by deep sleep; numbers only.\n\n\
        | kind | kept | current | replaced | taken back |\n|---|---|---|---|---|\n"
        .to_owned();
    for (kind, fate) in fates {
        let Fate { kept, current, replaced, taken_back } = fate;
        writeln!(page, "| {kind} | {kept} | {current} | {replaced} | {taken_back} |")
            .expect("a String takes text");
    }
    let shown = count(counts, "injection");
    let used = count(counts, "usage");
    writeln!(page, "\nMemories were put before an agent {shown} times; {used} were used.\n")
        .expect("a String takes text");
    for (kind, fate) in fates.iter().filter(|(_, fate)| fate.kept >= ENOUGH) {
        if fate.taken_back * 3 > fate.kept {
            writeln!(
                page,
                "- Be slower to keep a {kind}: {} of {} were taken back.",
                fate.taken_back, fate.kept
            )
            .expect("a String takes text");
        } else if fate.replaced * 2 > fate.kept {
            writeln!(
                page,
                "- A {kind} changes often: say what it is tied to, so that it is checked."
            )
            .expect("a String takes text");
        }
    }
    page
}
