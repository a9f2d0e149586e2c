//! What the trained reader is sure of about two memories that are held.

use throughline_core::Memory;
use throughline_core::meet;
use throughline_core::reading::{Bearing, Judged};
use throughline_language::parallel::{Parallel, parallel};
use throughline_reader::{TrainedReader as Trained, is_english};

use super::bearings::SURE_FROM;
use super::{Held, NOTICES_FROM, NearestMemories, judged};

/// From this likelihood on, two memories say the same.
const SAME_FROM: f32 = 0.9;

/// From this likelihood on, one of two memories leaves the other not as it is.
const CONTRADICTS_FROM: f32 = 0.9;

/// What the reader is sure of about two memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PairJudgement {
    /// Both cannot hold.
    Contradict,
    /// They say the same.
    Same,
    /// Neither, as far as it is sure.
    Neither,
}

/// Judges two memories, each said as if after the other: what holds one way round only is not sure.
pub(crate) fn judge_pair(older: &Memory, newer: &Memory) -> PairJudgement {
    let Ok(trained) = Trained::builtin() else { return PairJudgement::Neither };
    if !is_english(&older.content) || !is_english(&newer.content) {
        return PairJudgement::Neither;
    }
    let there = judged(trained, &older.content, None, &newer.content);
    let sure = there.touches() >= CONTRADICTS_FROM || there.share(Bearing::Same) >= SAME_FROM;
    if !sure {
        return PairJudgement::Neither;
    }
    let back = judged(trained, &newer.content, None, &older.content);
    let touches = there.touches().min(back.touches());
    let same = there.share(Bearing::Same) >= SAME_FROM && back.share(Bearing::Same) >= NOTICES_FROM;
    let beside = meet::stands_beside(&older.content, &newer.content).is_some()
        || parallel(&older.content, &newer.content).is_some();
    if touches >= NOTICES_FROM && !beside {
        PairJudgement::Contradict
    } else if same {
        PairJudgement::Same
    } else {
        PairJudgement::Neither
    }
}

/// How sure it is that a claim tells of another matter than a memory of the same build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OtherMatter {
    /// It leaves the memory alone.
    Sure,
    /// It may: a person decides.
    Likely,
}

/// Whether a claim tells of another matter than a memory of the same build ("the cart is written in Go", "the cart is owned by
/// Ana"), though the reader takes it for another value. A change that is told as one is none of these; a change that is not
/// would have been one the other way round as well.
pub(super) fn tells_other_matter(
    trained: &Trained,
    held: &str,
    claim: &str,
    told_as_change: bool,
) -> Option<OtherMatter> {
    let how = parallel(held, claim)?;
    if told_as_change {
        return (how == Parallel::OtherUse).then_some(OtherMatter::Likely);
    }
    let is_sure = match how {
        Parallel::OtherThing => true,
        Parallel::OtherMatter => judged(trained, claim, None, held).touches() < SURE_FROM,
        Parallel::OtherUse => false,
    };
    Some(if is_sure { OtherMatter::Sure } else { OtherMatter::Likely })
}

/// Words that take the place of one memory leave the others alone, unless those say the same as it.
pub(super) fn only_one_changes(trained: &Trained, held: &[NearestMemories], judged: &mut [Held]) {
    let touches = |at: &usize| judged[*at].judged.touches();
    let holding = (0..judged.len()).filter(|at| judged[*at].holds);
    let Some(best) = holding.max_by(|a, b| touches(a).total_cmp(&touches(b))) else { return };
    if touches(&best) < SURE_FROM {
        return;
    }
    for at in (0..judged.len()).filter(|at| *at != best) {
        if judged[at].holds && judged[at].is_touched() {
            let alike = trained.relate(&held[best].memory.content, None, &held[at].memory.content);
            if alike.share(Bearing::Same) < NOTICES_FROM {
                judged[at].judged = Judged::other();
            }
        }
    }
}
