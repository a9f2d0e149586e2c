//! The gate of recall: what of the ranked candidates is worth saying. Nothing, quite often.
//!
//! What the prompt names is always answered. The rest must fit by itself, and must not lie far behind the best or behind a
//! gap; how many that are depends on the prompt. Memories and turns are held against their own kind.

use std::collections::BTreeSet;

use throughline_core::page::Detail;
use throughline_core::policy::RecallPolicy;
use throughline_core::{MemoryId, NodeId};

use crate::frontier::Hop;
use crate::hot::{FocusSurroundings, Nearness};

/// Places that claims which nobody has vouched for leave to what stands: an agent could fill all of them
/// with variations of one claim.
const KEPT_FREE: usize = 2;

/// The share of what is otherwise asked of relevance from which a person's word is shown beside claims.
const BESIDE_CLAIMS: f64 = 0.5;

/// The share of what is otherwise asked of relevance from which something near the focus is told.
const NEAR_FOCUS: f64 = 0.8;
/// Memories that are told because they lie near the focus.
const BESIDE_MAX: usize = 2;

/// What became of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum CandidateFate {
    /// Looked at, and not read: others fit better.
    Considered,
    /// It is on the page.
    Shown(Detail),
    /// It is only counted, and why.
    Counted(CutReason),
    /// It was replaced; what replaced it stands in its place.
    ReplacedBy(MemoryId),
    /// It is not shown, and why.
    Cut(CutReason),
}

/// Why a candidate is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutReason {
    /// It holds only in another session.
    OtherSession,
    /// It says that nothing is known.
    Gap,
    /// What replaced it cannot be seen.
    HeadGone,
    /// Its state keeps it out of view.
    NotInView,
    /// The prompt asks nothing of memory.
    SmallTalk,
    /// It overlaps, but too little.
    Overlaps,
    /// It does not fit.
    DoesNotFit,
    /// Only an edge leads to it, from something that is not shown.
    OnlyReached,
    /// Its score is far from the best.
    FarBehind,
    /// Its score falls off from the one before.
    BehindGap,
    /// There are better ones, and no more are shown.
    TooMany,
    /// It has not been used for long.
    Dormant,
    /// Only weak edges lead to it.
    WeakEdges,
    /// It overlaps, and lies far from what the session is about.
    FarFromFocus,
    /// It says otherwise than what was found, and stands beside that or nowhere.
    ContestedBySeed,
    /// This session has just seen it.
    AlreadyShown,
    /// This session said it itself.
    SaidHere,
    /// Somebody looked, and it does not help.
    Unfit,
    /// It asks or orders something, and tells nothing.
    OnlyAsks,
    /// What it says no longer holds.
    NoLongerHolds,
    /// A memory on the page tells it.
    ToldByMemory,
    /// The page is full.
    NoRoom,
}

impl std::fmt::Display for CutReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::OtherSession => "belongs to another session",
            Self::Gap => "a gap: nothing is known there",
            Self::HeadGone => "it was replaced, and what replaced it is gone",
            Self::NotInView => "not in view",
            Self::SmallTalk => "the prompt asks nothing that memory could answer",
            Self::Overlaps => "overlaps, but not enough to be shown",
            Self::DoesNotFit => "does not fit",
            Self::OnlyReached => "only connected to something that is not shown",
            Self::FarBehind => "far behind the best",
            Self::BehindGap => "behind a gap",
            Self::TooMany => "more than can be shown",
            Self::Dormant => "dormant until it is named",
            Self::WeakEdges => "reached over weak connections only",
            Self::FarFromFocus => "overlaps, and is far from what the session is about",
            Self::ContestedBySeed => "contradicts a memory that was found",
            Self::AlreadyShown => "shown in this session already",
            Self::SaidHere => "it was said in this session",
            Self::Unfit => "a model found that it does not help",
            Self::OnlyAsks => "a question or an order, not a statement",
            Self::NoLongerHolds => "what it says no longer holds",
            Self::ToldByMemory => "a memory on the page says it already",
            Self::NoRoom => "no room within the budget",
        })
    }
}

/// What a prompt asks of the gate.
#[derive(Debug, Clone, Copy)]
pub struct GateAsk<'a> {
    /// The numbers in force.
    pub limits: &'a RecallPolicy,
    /// The relevance from which something is said.
    pub enough: f64,
    /// The prompt asks nothing of memory.
    pub small_talk: bool,
    /// Everything passes, up to the limits.
    pub ungated: bool,
    /// How far everything lies from what the session is about.
    pub focus: &'a FocusSurroundings,
}

/// What the gate knows of one candidate.
#[derive(Debug, Clone, Copy)]
pub struct GateCandidate<'a> {
    /// The memory or turn.
    pub node: NodeId,
    /// The prompt names it.
    pub named: bool,
    /// What share of what the prompt's words tell it holds, in 0..=1.
    pub covers: f64,
    /// How fitting, in 0..=1.
    pub relevance: f64,
    /// The same without what it was reached from.
    pub by_itself: f64,
    /// The score it was ranked by.
    pub score: f64,
    /// The edges over which it was reached, if it was.
    pub path: &'a [Hop],
    /// What is known of a memory; `None` for a turn.
    pub memory: Option<GateMemory>,
    /// Why the session need not be told, if it would be.
    pub heard: Option<CutReason>,
}

/// What the gate knows of a memory.
#[derive(Debug, Clone, Copy, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "answers that have nothing to do with each other"
)]
pub struct GateMemory {
    /// Its state may be shown.
    pub in_view: bool,
    /// It has not been used for long.
    pub dormant: bool,
    /// Nobody has confirmed it.
    pub is_claim: bool,
    /// A person said it, and it stands.
    pub by_person: bool,
    /// It only tells that something was settled, and what stands since was found as well.
    pub told_by_other: bool,
}

/// The scores that the next candidate is held against.
#[derive(Clone, Copy, Default)]
struct GateMeasure {
    best: f64,
    last: f64,
}

impl GateMeasure {
    fn note(&mut self, score: f64) {
        *self = Self { best: self.best.max(score), last: score };
    }
}

/// What the gate remembers while it goes down the ranking.
#[derive(Default)]
struct RecallGate {
    /// By everything that passed.
    all: GateMeasure,
    /// By what stands: mere claims do not put it behind them.
    standing: GateMeasure,
    passed: usize,
    /// How many of those are mere claims.
    claims: usize,
    reached: usize,
    /// Shown because they lie beside the focus.
    beside: usize,
    shown: BTreeSet<NodeId>,
}

/// Decides about every candidate, best first.
pub fn judge(ask: &GateAsk<'_>, candidates: &[GateCandidate<'_>]) -> Vec<CandidateFate> {
    let (mut memories, mut turns) = (RecallGate::default(), RecallGate::default());
    // The memory that fits best, of those that may be shown.
    let in_view = candidates.iter().filter(|one| one.memory.is_some_and(|it| it.in_view));
    let best = in_view.map(|one| one.relevance).fold(0.0, f64::max);
    let mut fates = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let gate = if candidate.memory.is_some() { &mut memories } else { &mut turns };
        let away = candidate.memory.and_then(|memory| left_out(ask, candidate, memory, best));
        let fate = away.unwrap_or_else(|| gate.pass(ask, candidate));
        // What is left out here still sets the measure for what comes behind it.
        fates.push(match (fate, candidate.heard) {
            (CandidateFate::Shown(_), Some(reason)) => {
                gate.shown.remove(&candidate.node);
                CandidateFate::Cut(reason)
            }
            (fate, _) => fate,
        });
    }
    if memories.claims > 0 && memories.claims == memories.passed {
        put_beside(ask, candidates, &mut fates);
    }
    fates
}

/// Whether a candidate with this fate would be shown, or would be if another that leads to it is not. Only of these it
/// matters what the session has heard.
pub fn may_be_shown(fate: &CandidateFate) -> bool {
    matches!(fate, CandidateFate::Shown(_) | CandidateFate::Counted(CutReason::WeakEdges))
}

impl RecallGate {
    /// Whether a candidate is worth saying.
    fn pass(&mut self, ask: &GateAsk<'_>, candidate: &GateCandidate<'_>) -> CandidateFate {
        let limits = ask.limits;
        let is_claim = candidate.memory.is_some_and(|memory| memory.is_claim);
        if ask.small_talk && !ask.ungated {
            return CandidateFate::Cut(CutReason::SmallTalk);
        }
        let only_reached = !candidate.path.is_empty()
            && !candidate.named
            && candidate.by_itself < limits.worth_saying;
        if only_reached && !ask.ungated {
            let strong = candidate.path.iter().all(|step| step.prior >= limits.reached_prior);
            // What a walk came to is said only beside what it came from.
            let from = candidate.path.first().is_some_and(|step| self.shown.contains(&step.from));
            if !from {
                return CandidateFate::Cut(CutReason::OnlyReached);
            }
            if !strong || self.reached >= limits.reached_max {
                return CandidateFate::Counted(CutReason::WeakEdges);
            }
            self.reached += 1;
            return CandidateFate::Shown(Detail::Line);
        }
        if !(candidate.named || ask.ungated) {
            let covers = candidate.covers >= limits.covers_enough;
            if candidate.relevance < ask.enough && !covers {
                return self.beside_focus(ask, candidate);
            }
            let measure = if is_claim { self.all } else { self.standing };
            if candidate.score < measure.best * limits.gap_to_best {
                return CandidateFate::Cut(CutReason::FarBehind);
            }
            if candidate.score < measure.last * limits.gap_to_last {
                return CandidateFate::Cut(CutReason::BehindGap);
            }
        }
        let claims_max = limits.items_max.saturating_sub(KEPT_FREE).max(1);
        let crowds = is_claim && self.claims >= claims_max && !ask.ungated;
        if self.passed >= limits.items_max || crowds {
            return CandidateFate::Counted(CutReason::TooMany);
        }
        self.all.note(candidate.score);
        if is_claim {
            self.claims += 1;
        } else {
            self.standing.note(candidate.score);
        }
        self.passed += 1;
        self.shown.insert(candidate.node);
        CandidateFate::Shown(detail(ask, candidate, self.passed == 1))
    }

    /// What becomes of something that does not fit well enough by itself: near the focus of the session it is
    /// told in a line, further away it is counted.
    fn beside_focus(&mut self, ask: &GateAsk<'_>, candidate: &GateCandidate<'_>) -> CandidateFate {
        let fits = |share: f64| candidate.relevance >= ask.enough * share;
        let overlaps = fits(ask.limits.hint_share);
        match ask.focus.nearness(candidate.node) {
            Some(Nearness::Focus | Nearness::Near)
                if fits(NEAR_FOCUS) && self.beside < BESIDE_MAX =>
            {
                self.beside += 1;
                CandidateFate::Shown(Detail::Line)
            }
            Some(Nearness::Far) if overlaps => CandidateFate::Counted(CutReason::FarFromFocus),
            _ if overlaps => CandidateFate::Cut(CutReason::Overlaps),
            _ => CandidateFate::Cut(CutReason::DoesNotFit),
        }
    }
}

/// How much is told of what passed: all of what the prompt names, of the best, and of what is in focus; of
/// the rest a line. Without a focus, all of everything.
fn detail(ask: &GateAsk<'_>, candidate: &GateCandidate<'_>, is_best: bool) -> Detail {
    let focused = ask.focus.nearness(candidate.node) == Some(Nearness::Focus);
    if ask.focus.is_empty() || ask.ungated || is_best || candidate.named || focused {
        Detail::Full
    } else {
        Detail::Line
    }
}

/// Mere claims are not shown alone where a person said something near: many claims of the same words make
/// those words common, and what a person said with them seems to fit less.
fn put_beside(ask: &GateAsk<'_>, candidates: &[GateCandidate<'_>], fates: &mut [CandidateFate]) {
    let unfit = [
        CutReason::DoesNotFit,
        CutReason::OnlyReached,
        CutReason::Overlaps,
        CutReason::FarBehind,
        CutReason::BehindGap,
    ];
    let by_person = |(candidate, fate): &(&GateCandidate<'_>, &mut CandidateFate)| {
        unfit.iter().any(|reason| **fate == CandidateFate::Cut(*reason))
            && candidate.relevance >= ask.enough * BESIDE_CLAIMS
            && candidate.memory.is_some_and(|memory| memory.by_person)
    };
    let nearest = candidates
        .iter()
        .zip(fates)
        .filter(by_person)
        .max_by(|(one, _), (other, _)| one.relevance.total_cmp(&other.relevance));
    if let Some((_, fate)) = nearest {
        *fate = CandidateFate::Shown(Detail::Line);
    }
}

/// What is not in view, what another memory tells, and what was not used for long. The last is only counted,
/// unless the prompt names it, holds its words, or nothing fits the prompt better.
fn left_out(
    ask: &GateAsk<'_>,
    candidate: &GateCandidate<'_>,
    memory: GateMemory,
    best: f64,
) -> Option<CandidateFate> {
    if memory.told_by_other && !ask.ungated {
        return Some(CandidateFate::Cut(CutReason::ToldByMemory));
    }
    if !memory.in_view {
        return Some(CandidateFate::Cut(CutReason::NotInView));
    }
    let called = candidate.named
        || candidate.covers >= ask.limits.covers_enough
        || candidate.relevance >= best;
    let dormant = memory.dormant && !called && candidate.relevance >= ask.limits.worth_saying;
    (dormant && !ask.ungated).then_some(CandidateFate::Counted(CutReason::Dormant))
}
