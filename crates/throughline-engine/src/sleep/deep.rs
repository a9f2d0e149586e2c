//! The deep class of sleep: what costs more than a moment. It organises what is known and puts what cannot both hold
//! before a person; it never decides what is true.
//!
//! A run goes through [`PASSES`] in order. Each pass thinks over a snapshot, and writes in small batches that others
//! wait for only a moment. Which pass comes next is noted after each, so that a run that was cut off goes on there; a
//! pass that was cut off begins anew and finds less to do. What fails in one pass keeps no other from being done.

mod compared;
mod pass;
mod state;

use std::time::Instant;

use throughline_attention::due::{self, DuePolicy, DueWhy, SinceDeep};
use throughline_core::text::{self, plural};
use throughline_core::{BatchId, Kind, MemoryId, SpaceId, State};
use throughline_store::MemoryQuery;

use super::{clashes, clusters, guidelines, labels, names, profiles, related, slots, tags};
use crate::Result;
use crate::flows::Sleeping;

pub(super) use pass::{Ground, PassPlan, PassStep, PassView, StepAct};
pub(crate) use state::sleep_check;
use state::{DeepMark, DeepState};

/// A pass of the deep class.
struct DeepPass {
    name: &'static str,
    plan: fn(&PassView<'_>) -> Result<PassPlan>,
}

/// The passes, in order. A further one is a further line, and a file beside this one.
const PASSES: &[DeepPass] = &[
    DeepPass { name: "entities", plan: names::plan },
    DeepPass { name: "slots", plan: slots::plan },
    DeepPass { name: "tags", plan: tags::plan },
    DeepPass { name: "clusters", plan: clusters::plan },
    DeepPass { name: "related", plan: related::plan },
    DeepPass { name: "contradictions", plan: clashes::plan },
    DeepPass { name: "labels", plan: labels::plan },
    DeepPass { name: "profiles", plan: profiles::plan },
    DeepPass { name: "guidelines", plan: guidelines::plan },
];

/// Memories up to which the deep class is done beside other work; more need a process of their own.
pub const DEEP_BESIDE_MAX: u64 = 2_000;
/// Texts that get their vectors first, where there is time, and where there is little.
const EMBEDDED_FIRST: usize = 20_000;
const EMBEDDED_IN_TIME: usize = 64;

/// What one pass did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PassReport {
    /// Which pass.
    pub name: String,
    /// What undoes it, in order.
    pub batches: Vec<BatchId>,
    /// What it looked at.
    pub inputs: usize,
    /// What it changed.
    pub changes: usize,
    /// What it did and why, in words; or why it failed.
    pub why: Vec<String>,
    /// Whether it failed.
    pub failed: bool,
}

/// What a run of the deep class did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeepSlept {
    /// The passes, in order.
    pub passes: Vec<PassReport>,
    /// The latest change before it.
    pub seen_to: u64,
    /// Passes that still wait.
    pub left: usize,
    /// It came to the same as the last time although something new had come in.
    pub stuck: bool,
}

/// Whether the deep class is due, and what would make it so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeepDue {
    /// Why it is due now.
    pub why: Option<DueWhy>,
    /// When it is, in words.
    pub when: String,
    /// Current memories.
    pub corpus: u64,
}

impl Sleeping<'_> {
    /// Does all passes. `progress` hears each report.
    pub fn sleep_deep(&self, progress: &mut dyn FnMut(&PassReport)) -> Result<DeepSlept> {
        self.deep_passes(None, EMBEDDED_FIRST, false, progress)
    }

    /// Does the passes that wait, until a moment: at least one.
    pub fn sleep_deep_until(&self, until: Instant) -> Result<DeepSlept> {
        self.deep_passes(Some(until), EMBEDDED_IN_TIME, false, &mut |_| ())
    }

    /// What the passes would do now. Writes nothing.
    pub fn sleep_deep_dry(&self) -> Result<DeepSlept> {
        self.deep_passes(None, 0, true, &mut |_| ())
    }

    /// Whether the deep class is due. `idle` where nobody waits for anything.
    pub fn deep_due(&self, idle: bool) -> Result<DeepDue> {
        let space = self.context.project.space();
        let counts = self.counted(space)?;
        let mark = DeepState::load(&self.engine.home).of(space);
        let policy = DuePolicy::default();
        let since = SinceDeep {
            corpus: counts.corpus,
            sessions: counts.sessions.saturating_sub(mark.sessions),
            memories: counts.memories.saturating_sub(mark.memories),
            recalls: counts.recalls.saturating_sub(mark.recalls),
            idle,
            unfinished: mark.next > 0,
        };
        let why = due::due(&since, &policy);
        let when = if let Some(why) = why {
            format!("now: {}", in_words(why, &since))
        } else {
            let more = policy.sessions.saturating_sub(since.sessions).max(1);
            format!("after {} with something new", plural(more, "session"))
        };
        Ok(DeepDue { why, when, corpus: counts.corpus })
    }

    fn deep_passes(
        &self,
        until: Option<Instant>,
        embed: usize,
        dry: bool,
        progress: &mut dyn FnMut(&PassReport),
    ) -> Result<DeepSlept> {
        let space = self.context.project.space();
        if embed > 0 {
            // What has no vector yet lies nowhere; without one it is left out and waits.
            self.engine.vectors().embed_missing(space, embed, &mut |_| ()).ok();
        }
        let before = self.counted(space)?;
        let mark = DeepState::load(&self.engine.home).of(space);
        // Who asks for all of it gets all of it: what was done already finds little to do.
        let first = if until.is_some() { mark.next.min(PASSES.len() - 1) } else { 0 };
        let ground = Ground::new(space);
        let whole = first == 0;
        let mut slept = DeepSlept { seen_to: before.seen_to, ..DeepSlept::default() };
        for (place, pass) in PASSES.iter().enumerate().skip(first) {
            let report = self.do_pass(pass, &ground, until.is_none(), dry);
            progress(&report);
            slept.passes.push(report);
            let last = place + 1 == PASSES.len();
            if !dry && !last {
                DeepState::update(&self.engine.home, space, |mark| mark.next = place + 1)?;
            }
            if !last && until.is_some_and(|until| Instant::now() >= until) {
                slept.left = PASSES.len() - place - 1;
                return Ok(slept);
            }
        }
        if !dry {
            let looked = ground.looked_at();
            let told = whole.then(|| told(&slept, &looked));
            let unseen = before.to_organise > looked.len();
            slept.stuck = self.finish(space, &before, told, unseen)?;
        }
        Ok(slept)
    }

    /// Does one pass. What goes wrong in it is told, and nothing else fails by it.
    fn do_pass(&self, pass: &DeepPass, ground: &Ground, unhurried: bool, dry: bool) -> PassReport {
        let mut report = PassReport { name: pass.name.to_owned(), ..PassReport::default() };
        if let Err(error) = self.try_pass(pass, ground, unhurried, dry, &mut report) {
            report.failed = true;
            report.why.push(format!("not done: {error}"));
        }
        report
    }

    fn try_pass(
        &self,
        pass: &DeepPass,
        ground: &Ground,
        unhurried: bool,
        dry: bool,
        report: &mut PassReport,
    ) -> Result<()> {
        let space = ground.space;
        let mut plan = {
            let reader = self.engine.now_reader()?;
            let reader = &*reader;
            let view = PassView { sleeping: self, reader, ground, pass: pass.name, unhurried };
            (pass.plan)(&view)?
        };
        report.inputs = plan.inputs;
        report.why.clone_from(&plan.why);
        if dry {
            report.changes = plan.steps.iter().map(PassStep::size).sum();
            return Ok(());
        }
        let missed = self.carry_out_pass(pass.name, space, &plan, report)?;
        self.keep_derived(space, &plan)?;
        report.why.extend(self.keep_page(&plan));
        // Last, so that a run that is cut off before looks at these pairs again.
        if let Some(compared) = plan.compared.take() {
            compared.without(&missed).save(&self.engine.home, space, pass.name)?;
        }
        Ok(())
    }

    /// Notes that a run came to its end, and what it `told` where it did all passes. Returns whether it is stuck: it
    /// told the same as the last one, although something new had come in that it left `unseen`.
    fn finish(
        &self,
        space: SpaceId,
        before: &Counted,
        told: Option<String>,
        unseen: bool,
    ) -> Result<bool> {
        let after = self.counted(space)?;
        let mut stuck = false;
        DeepState::update(&self.engine.home, space, |mark| {
            let news = unseen && before.memories > mark.memories;
            // What did only the passes that were left says nothing about the others.
            stuck = told.as_ref().map_or(mark.stuck, |told| is_stuck(mark, told, unseen, news));
            *mark = DeepMark {
                next: 0,
                at: Some(self.engine.now()),
                sessions: after.sessions,
                memories: after.memories,
                recalls: after.recalls,
                told: told.unwrap_or_else(|| mark.told.clone()),
                stuck,
            };
        })?;
        Ok(stuck)
    }

    fn counted(&self, space: SpaceId) -> Result<Counted> {
        let reader = self.engine.now_reader()?;
        let counts = reader.counts(&[space])?;
        let count = |name: &str| counts.get(name).copied().unwrap_or(0);
        let organised = MemoryQuery {
            spaces: vec![space],
            states: vec![State::Staged, State::Confirmed],
            kinds: Kind::ALL.iter().copied().filter(|kind| *kind != Kind::Gap).collect(),
            limit: 0,
            ..MemoryQuery::default()
        };
        Ok(Counted {
            corpus: count("state staged") + count("state confirmed"),
            sessions: count("session"),
            memories: count("memory"),
            recalls: count("injection"),
            seen_to: self.engine.latest_change(&*reader)?,
            to_organise: reader.memories(&organised)?.total,
        })
    }
}

/// Whether a run told the same as the one before although something new had come in that it did not look at: then it no
/// longer does anything. One that was stuck stays so until it looks at what it passed over.
fn is_stuck(mark: &DeepMark, told: &str, unseen: bool, news: bool) -> bool {
    let same = !mark.told.is_empty() && mark.told == told;
    same && unseen && (news || mark.stuck)
}

/// What a run came to, in a form that can be compared: which memories it looked at, and what each pass changed. What
/// grows with the log by itself, such as its number or how many memories there are, would differ also where nothing is
/// done any more.
fn told(slept: &DeepSlept, looked_at: &[MemoryId]) -> String {
    let pass = |one: &PassReport| format!("{}:{}:{};", one.name, one.changes, one.failed);
    let passes: String = slept.passes.iter().map(pass).collect();
    let looked_at: String = looked_at.iter().map(|id| format!("{id};")).collect();
    text::sha256_hex(format!("{passes}|{looked_at}").as_bytes())
}

/// What there is of things that make the deep class due.
struct Counted {
    corpus: u64,
    sessions: u64,
    memories: u64,
    recalls: u64,
    seen_to: u64,
    /// Current memories that the passes are about.
    to_organise: usize,
}

fn in_words(why: DueWhy, since: &SinceDeep) -> String {
    match why {
        DueWhy::Unfinished => "the last one was cut off".to_owned(),
        DueWhy::Sessions => format!("{} since the last one", plural(since.sessions, "session")),
        DueWhy::Size => format!("{} came in", plural(since.memories, "memory")),
        DueWhy::Recalls => format!("something was recalled {}", plural(since.recalls, "time")),
        DueWhy::Idle => "nobody waits".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_twice_is_stuck_only_where_something_new_was_passed_over() {
        let slept = |changes| DeepSlept {
            passes: vec![PassReport { name: "tags".to_owned(), changes, ..PassReport::default() }],
            ..DeepSlept::default()
        };
        let ids: Vec<MemoryId> = (1..=3).map(|n| MemoryId(uuid::Uuid::from_u128(n))).collect();
        let last = told(&slept(0), &ids[..2]);
        let mark = DeepMark { told: last.clone(), ..DeepMark::default() };
        assert!(is_stuck(&mark, &last, true, true));
        assert!(!is_stuck(&mark, &last, true, false), "nothing came in");
        assert!(!is_stuck(&mark, &last, false, false), "nothing was passed over");
        assert!(!is_stuck(&mark, &told(&slept(0), &ids), true, true), "it looked at more");
        assert!(!is_stuck(&mark, &told(&slept(1), &ids[..2]), true, true), "it did something");
        assert!(!is_stuck(&DeepMark::default(), &last, true, true), "there was none before");
        let stuck = DeepMark { stuck: true, ..mark };
        assert!(is_stuck(&stuck, &last, true, false), "it stays so while it passes that over");
    }
}
