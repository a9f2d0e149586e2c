//! What a session is about, in a brief: its focus in full, what lies one edge away in a line each, what
//! lies further only counted, and one sentence that says it all in names.

use std::collections::BTreeMap;

use throughline_attention::hot::{FocusSurroundings, Hot, Nearness};
use throughline_core::page::{Detail, DomainCount, Section};
use throughline_core::{MemoryId, NodeId, Row, RowKey};
use throughline_store::Reader;

use crate::flows::{Briefing, Recalling};
use crate::{Card, Result};

/// Memories that are told because they lie beside the focus.
const NEAR_MAX: usize = 4;
/// Memories that lie further and are counted, at most.
const FAR_MAX: usize = 64;
/// Names in the sentence that says what a session is about.
const NAMED_MAX: usize = 5;

/// What stands in a brief because of what a session has in mind.
#[derive(Default)]
pub(crate) struct FocusParts {
    /// What it has in mind, and then what lies beside that.
    pub(super) sections: Vec<Section>,
    /// What lies further.
    pub(super) counts: Vec<DomainCount>,
    /// What it is about, in names.
    pub(super) about: String,
}

impl FocusParts {
    /// The parts of a brief that has nothing to do with a focus.
    pub(crate) fn plain(sections: Vec<Section>) -> Self {
        Self { sections, ..Self::default() }
    }

    /// The handles of what it tells.
    pub(super) fn handles(&self) -> Vec<String> {
        let items = self.sections.iter().flat_map(|section| &section.items);
        items.map(|item| item.handle.clone()).collect()
    }
}

impl Briefing<'_> {
    /// What is told of what a session has in mind. `cards` are the memories among it that are told under
    /// `title`, the most present first; `told` are told elsewhere.
    pub(super) fn by_focus(
        &self,
        reader: &dyn Reader,
        hot: &Hot,
        around: &FocusSurroundings,
        (title, cards): (&str, &[&Card]),
        told: &[MemoryId],
    ) -> Result<FocusParts> {
        let recalling = self.engine.recalling(self.context);
        let item = |card: &Card, detail: Detail| recalling.item_of(card, detail);
        let items =
            cards.iter().map(|card| item(card, detail_of(around, card.memory.id.into()))).collect();
        let mut sections = vec![Section { title: title.to_owned(), items }];
        let is_told =
            |id: MemoryId| told.contains(&id) || cards.iter().any(|card| card.memory.id == id);
        let near: Vec<MemoryId> = around
            .nodes(Nearness::Near)
            .filter_map(NodeId::memory)
            .filter(|id| !is_told(*id))
            .take(NEAR_MAX)
            .collect();
        let near = self.read_cards(reader, &near)?;
        let items = near.iter().map(|card| item(card, Detail::Line)).collect();
        sections.push(Section { title: "Connected with it".to_owned(), items });
        sections.retain(|section| !section.items.is_empty());
        let further = recalling.further(reader, around)?.into_iter();
        let counts = further
            .map(|(domain, n)| DomainCount { domain, n, min: f64::NAN, max: f64::NAN })
            .collect();
        let about = self.about(hot).unwrap_or_default();
        Ok(FocusParts { sections, counts, about })
    }

    /// What a session is about, by the names in its focus.
    pub(super) fn about(&self, hot: &Hot) -> Option<String> {
        let focus = hot.focus(&self.engine.policy.activation);
        let named = focus.iter().filter(|node| node.entity().is_some());
        let labels: Vec<&str> = named
            .filter_map(|node| hot.nodes.get(node))
            .map(|warmth| warmth.label.as_str())
            .filter(|label| !label.is_empty())
            .take(NAMED_MAX)
            .collect();
        (!labels.is_empty()).then(|| labels.join(", "))
    }
}

impl Recalling<'_> {
    /// How many memories lie further from the focus than one edge, by domain.
    pub(crate) fn further(
        &self,
        reader: &dyn Reader,
        around: &FocusSurroundings,
    ) -> Result<BTreeMap<String, usize>> {
        let reach = self.context.reach();
        let keys: Vec<RowKey> = around
            .nodes(Nearness::Far)
            .filter_map(NodeId::memory)
            .take(FAR_MAX)
            .flat_map(|id| reach.spaces.iter().map(move |space| RowKey::memory(*space, id)))
            .collect();
        let mut counts = BTreeMap::new();
        for memory in reader.rows(&keys)?.into_iter().flatten().filter_map(Row::into_memory) {
            if memory.state.is_active() && reach.sees(&memory) {
                *counts.entry(memory.domain.unwrap_or_default()).or_default() += 1;
            }
        }
        Ok(counts)
    }
}

/// How much is told of something that a session has in mind: without a focus, all of it.
fn detail_of(around: &FocusSurroundings, node: NodeId) -> Detail {
    let focused = around.is_empty() || around.nearness(node) == Some(Nearness::Focus);
    if focused { Detail::Full } else { Detail::Line }
}
