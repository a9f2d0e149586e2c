//! A claim without the form that somebody gave it.

use super::Candidate;

impl Candidate {
    /// The claim in its words alone: no slot, no labels, nothing that brings it up.
    pub(super) fn in_words_alone(&self) -> Self {
        Self {
            slot: None,
            tags: Vec::new(),
            label: None,
            domain: None,
            importance: None,
            pinned: false,
            triggers: Vec::new(),
            about: Vec::new(),
            ..self.clone()
        }
    }
}
