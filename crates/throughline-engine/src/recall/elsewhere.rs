//! Elsewhere: that a linked project knows something of what a prompt names. A count and the name, and no words of it.

use throughline_core::{NodeId, Relation, text};
use throughline_language::question::Question;
use throughline_store::Reader;

use super::Ask;
use super::names::spoken_names;
use crate::Result;
use crate::flows::Recalling;
use crate::project::ProjectLinks;
use crate::things::NAMED;

/// Hints of one prompt.
const HINTS_MAX: usize = 3;
/// Memories that are counted.
const COUNTED: usize = 99;

/// What a linked project knows of something that the prompt names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElsewhereHint {
    /// What people call the project.
    pub project: String,
    /// The name, as the prompt says it.
    pub label: String,
    /// How many memories speak of it there.
    pub memories: usize,
}

impl Recalling<'_> {
    /// What the projects that a person linked with this one know of what the prompt names.
    pub(super) fn known_elsewhere(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        question: &Question,
    ) -> Result<Vec<ElsewhereHint>> {
        let linked = ProjectLinks::new(&self.engine.home).of(&self.context.project.key);
        if linked.is_empty() || ask.as_of.is_some() || question.small_talk {
            return Ok(Vec::new());
        }
        let normal = text::normalise(&ask.query.replace(['?', '!'], " "));
        let names = spoken_names(&normal, question);
        let mut hints = Vec::new();
        for other in linked {
            let space = other.space();
            let mut best: Option<ElsewhereHint> = None;
            for entity in reader.entities(space, &names)? {
                let known = entity.names();
                let said = names.iter().find(|one| known.contains(&one.name));
                let Some(said) = said.filter(|_| NAMED.contains(&entity.kind)) else { continue };
                let node = NodeId::Entity(entity.id);
                let edges = reader.neighbours(space, &[node], &[Relation::About], COUNTED)?;
                let memories = edges.len();
                if memories > best.as_ref().map_or(0, |held| held.memories) {
                    let (project, label) = (other.name().to_owned(), said.name.clone());
                    best = Some(ElsewhereHint { project, label, memories });
                }
            }
            hints.extend(best);
        }
        hints.sort_by(|a, b| b.memories.cmp(&a.memories).then(a.project.cmp(&b.project)));
        hints.truncate(HINTS_MAX);
        Ok(hints)
    }
}

impl ElsewhereHint {
    /// In a few words, for a page.
    pub(super) fn in_words(&self) -> String {
        let Self { project, label, memories } = self;
        let counted = throughline_core::text::plural(*memories, "memory");
        format!("{counted} about {label} in the linked project {project}")
    }
}
