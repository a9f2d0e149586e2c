//! What a conversation was told and still holds: said once, and anew when its context was made
//! shorter.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use throughline_attention::activation::Touch;
use throughline_core::policy::ActivationPolicy;
use throughline_core::{EpisodeId, MemoryId, NodeId, SessionId, Timestamp, text};

use super::Mind;
use crate::brief::Brief;
use crate::purge::Gone;

/// Ids of one sort that are kept; the oldest go first.
const HELD_MAX: usize = 256;

/// What was said to a conversation beside the memories that it was shown whole, which its hot graph
/// knows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Holds {
    /// How it was briefed; `None` when it was not, or lost that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) brief: Option<Briefed>,
    /// It lost its brief, and gets one with the next prompt that asks for something.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) due: bool,
    /// Turns that were quoted to it.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) quoted: BTreeSet<EpisodeId>,
    /// Memories that were only named to it, by a headline.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) named: BTreeSet<MemoryId>,
    /// What it was asked to check.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) to_check: BTreeSet<MemoryId>,
    /// What it was told, and told later that it no longer holds.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) taken_back: BTreeSet<MemoryId>,
}

/// A brief that a conversation was given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Briefed {
    /// When it was last told what is new.
    pub(crate) at: Timestamp,
    /// It came with a prompt, and not when the session began.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) with_prompt: bool,
    /// The memories in it.
    #[serde(default)]
    pub(crate) memories: Vec<MemoryId>,
    /// The turns that it quoted.
    #[serde(default)]
    pub(crate) turns: Vec<EpisodeId>,
}

/// A kept brief that a conversation was told when it began, by somebody who could not wait for its
/// mind. It is kept beside the mind until the next one who changes the mind takes it in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToldApart {
    pub(crate) session: SessionId,
    /// When it was told.
    pub(crate) at: Timestamp,
    /// When the brief was written.
    pub(crate) as_of: Timestamp,
    pub(crate) memories: Vec<MemoryId>,
    pub(crate) whole: Vec<MemoryId>,
    pub(crate) turns: Vec<EpisodeId>,
    pub(crate) to_check: Vec<MemoryId>,
}

impl Holds {
    /// Drops what is erased.
    pub(super) fn forget(&mut self, gone: &Gone) {
        for kept in [&mut self.named, &mut self.to_check, &mut self.taken_back] {
            kept.retain(|id| !gone.is_node((*id).into()));
        }
        self.quoted.retain(|id| !gone.is_node(NodeId::Episode(*id)));
        if let Some(brief) = &mut self.brief {
            brief.memories.retain(|id| !gone.is_node((*id).into()));
            brief.turns.retain(|id| !gone.is_node(NodeId::Episode(*id)));
        }
    }
}

impl Mind {
    /// Whether a prompt names something that is in focus.
    pub(crate) fn speaks_of_focus(&self, said: &str, policy: &ActivationPolicy) -> bool {
        let said = format!(" {} ", text::normalise(said));
        let labels =
            self.hot.focus(policy).into_iter().filter_map(|node| self.hot.nodes.get(&node));
        labels
            .map(|warmth| text::normalise(&warmth.label))
            .any(|label| !label.is_empty() && said.contains(&format!(" {label} ")))
    }

    /// The conversation no longer holds anything that it was told.
    pub(crate) fn lose_context(&mut self, now: Timestamp) {
        if !self.hot.surfaced.is_empty() {
            self.hot.compacted();
        }
        self.lately.sees_since = Some(now);
        self.lately.warned.clear();
        self.lately.holds = Holds::default();
    }

    /// The host has dropped what was said when the session began. What came with prompts is still
    /// there.
    pub(crate) fn lose_start(&mut self) {
        let holds = &mut self.lately.holds;
        let Some(brief) = holds.brief.take_if(|brief| !brief.with_prompt) else { return };
        for id in &brief.memories {
            self.hot.surfaced.remove(id);
            holds.named.remove(id);
            holds.to_check.remove(id);
        }
        for turn in &brief.turns {
            holds.quoted.remove(turn);
        }
    }

    /// The conversation was told this.
    pub(crate) fn hold(&mut self, told: &Brief) {
        let holds = &mut self.lately.holds;
        let ids = told.memories.iter().map(|(_, id)| *id);
        holds.named.extend(ids.filter(|id| !told.whole.contains(id)));
        holds.quoted.extend(&told.turns);
        holds.to_check.extend(&told.to_check);
        holds.taken_back.extend(&told.taken_back);
        for kept in [&mut holds.named, &mut holds.to_check, &mut holds.taken_back] {
            trim(kept);
        }
        trim(&mut holds.quoted);
    }

    /// The conversation began with this, whatever else was prepared for it.
    pub(super) fn take_apart(&mut self, told: ToldApart) {
        self.lose_context(told.at);
        for id in &told.whole {
            self.hot.touch((*id).into(), "", Touch::CoUse, &ActivationPolicy::default());
        }
        self.hot.shown(&told.whole);
        let holds = &mut self.lately.holds;
        let named = told.memories.iter().filter(|id| !told.whole.contains(id));
        holds.named.extend(named);
        holds.quoted.extend(&told.turns);
        holds.to_check.extend(&told.to_check);
        holds.brief = Some(Briefed {
            at: told.as_of,
            with_prompt: false,
            memories: told.memories,
            turns: told.turns,
        });
    }

    /// Every memory that the conversation was shown and has not lost.
    pub(crate) fn held(&self) -> Vec<MemoryId> {
        let from = self.hot.context_from;
        let shown = self.hot.surfaced.iter().filter(|(_, turn)| **turn >= from);
        let named = self.lately.holds.named.iter().copied();
        let held: BTreeSet<MemoryId> = shown.map(|(id, _)| *id).chain(named).collect();
        held.into_iter().collect()
    }
}

/// Ids sort by the time at which they were made, so the first are the oldest.
fn trim<T: Ord>(kept: &mut BTreeSet<T>) {
    while kept.len() > HELD_MAX {
        kept.pop_first();
    }
}
