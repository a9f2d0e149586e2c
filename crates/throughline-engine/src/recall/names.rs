//! Names: what a prompt mentions openly, so that it is answered whatever the gate thinks.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::{
    Entity, EntityKind, Memory, MemoryId, NodeId, Relation, SpaceId, text, words,
};
use throughline_language::question::{AskKind, Question, Reference};
use throughline_language::things;
use throughline_store::{EntityName, Foreseen, Reader};

use super::{Ask, RecallCandidate};
use crate::Result;
use crate::flows::Recalling;

/// Words of a name at most.
const NAME_WORDS_MAX: usize = 3;
/// Names looked up for one prompt at most.
const NAMES_MAX: usize = 96;
/// Names that are looked up in other spellings too.
const RESPELLED_MAX: usize = 6;
/// Memories taken from one thing that is named.
const PER_ENTITY: usize = 64;
/// Memories that speak of a thing that is rarely spoken of, at most: all of them are read ahead.
const RARE: usize = 24;
/// Memories that "my project" names; where more speak of it, the words of the prompt decide.
const OF_PROJECT_MAX: usize = 8;
/// Words after which a label is what is meant.
const ABOUT: [&str; 7] = ["about", "of", "on", "for", "regarding", "under", "concerning"];
/// Shorter titles and identifiers stand in too many prompts by chance.
const TELLING_LETTERS: usize = 4;

/// What a prompt mentions openly.
#[derive(Debug, Default)]
pub(super) struct Mentioned {
    /// Where there are memories at all.
    pub(super) spaces: Vec<SpaceId>,
    /// The things named.
    pub(super) entities: Vec<NodeId>,
    /// Those of them that few memories speak of, and where.
    pub(super) rare: Vec<(SpaceId, NodeId)>,
    /// Memories about them.
    pub(super) memories: BTreeSet<MemoryId>,
    /// The prompt in comparable form, between spaces.
    spoken: String,
    identifiers: Vec<String>,
}

impl Mentioned {
    /// Whether the prompt names this memory: through a thing it is about, by its title, by the
    /// subject of its slot, by an identifier that stands in it, or by its handle.
    pub(super) fn names(&self, memory: &Memory) -> bool {
        let says = |phrase: &str| {
            let phrase = text::normalise(phrase);
            phrase.chars().count() >= TELLING_LETTERS
                && !phrase
                    .split(' ')
                    .all(|word| words::query_terms(word).iter().all(|term| words::is_common(term)))
                && self.spoken.contains(&format!(" {phrase} "))
        };
        let content = memory.content.to_lowercase();
        self.memories.contains(&memory.id)
            || memory.label.as_deref().is_some_and(says)
            || memory.slot.as_ref().is_some_and(|slot| says(&slot.subject))
            || self.identifiers.iter().any(|one| content.contains(one))
            || self.spoken.contains(&memory.id.handle())
    }
}

impl Recalling<'_> {
    /// Adds the memories whose triggers the prompt names, also where no word of theirs stands in it.
    pub(super) fn add_triggered(
        &self,
        ask: &Ask<'_>,
        mentioned: &mut Mentioned,
        candidates: &mut Vec<RecallCandidate>,
    ) {
        for (space, id) in &ask.triggered {
            mentioned.memories.insert(*id);
            let node = NodeId::Memory(*id);
            if !candidates.iter().any(|one| one.node == node) {
                candidates.push(RecallCandidate::reached(*space, node));
            }
        }
    }

    /// The beginning of a prompt.
    fn beginning<'q>(&self, query: &'q str) -> &'q str {
        &query[..query.floor_char_boundary(self.engine.policy.limits.field_bytes_max * 4)]
    }

    /// The names that will be looked up for a prompt, in every space within reach.
    pub(super) fn names_ahead(&self, query: &str, question: &Question) -> Vec<Foreseen> {
        let head = self.beginning(query);
        let names = names_in(&normal_form(head), &marked_in(head), question);
        let spaces = self.context.reach().spaces.into_iter();
        spaces.map(|space| Foreseen::Names { space, names: names.clone() }).collect()
    }

    /// Looks up what the prompt may name.
    pub(super) fn mentioned(
        &self,
        reader: &dyn Reader,
        spaces: Vec<SpaceId>,
        question: &Question,
        query: &str,
    ) -> Result<Mentioned> {
        let head = self.beginning(query);
        let normal = normal_form(head);
        let long = |one: &&String| one.chars().count() >= TELLING_LETTERS;
        let mut mentioned = Mentioned {
            spoken: format!(" {normal} "),
            identifiers: question
                .identifiers
                .iter()
                .filter(long)
                .map(|one| one.to_lowercase())
                .collect(),
            spaces,
            ..Mentioned::default()
        };
        let marked = marked_in(head);
        let names = names_in(&normal, &marked, question);
        for space in mentioned.spaces.clone() {
            let found = reader.entities(space, &names)?;
            let entities: Vec<NodeId> = found.iter().map(|one| one.id.into()).collect();
            if entities.is_empty() {
                continue;
            }
            let about = [Relation::About, Relation::Tagged];
            // A label is an everyday word more often than a name: whoever orders something need not mean it.
            let asks = question.ask != AskKind::Statement || question.recalls;
            let labelled: BTreeSet<NodeId> = found
                .iter()
                .filter(|one| {
                    one.kind == EntityKind::Tag && !asks && !is_meant(&marked, &normal, one)
                })
                .map(|one| one.id.into())
                .collect();
            let mut spoken_of: BTreeMap<MemoryId, usize> = BTreeMap::new();
            let edges = reader.neighbours(space, &entities, &about, PER_ENTITY)?;
            let speak_of = |node: &NodeId| edges.iter().filter(|edge| edge.to == *node).count();
            let rare = entities.iter().filter(|node| speak_of(node) <= RARE);
            mentioned.rare.extend(rare.map(|node| (space, *node)));
            for edge in edges {
                if let Some(memory) = edge.from.memory().filter(|_| !labelled.contains(&edge.to)) {
                    *spoken_of.entry(memory).or_default() += 1;
                }
            }
            // Who names two things means what is about both, where there is such a memory.
            let most = spoken_of.values().copied().max().unwrap_or(0);
            let meant = spoken_of.into_iter().filter(|(_, count)| *count == most);
            mentioned.memories.extend(meant.map(|(memory, _)| memory));
            mentioned.entities.extend(entities);
        }
        if question.references.contains(&Reference::Project) {
            self.mention_project(reader, &mut mentioned)?;
        }
        Ok(mentioned)
    }
}

impl Recalling<'_> {
    /// "My project" is the one at hand: what speaks of it is named, unless nearly everything does.
    fn mention_project(&self, reader: &dyn Reader, mentioned: &mut Mentioned) -> Result<()> {
        let name = text::normalise(&self.context.project.name);
        let space = self.context.project.space();
        let wanted = [EntityName { kind: Some(EntityKind::Project), name }];
        for project in reader.entities(space, &wanted)? {
            let node = NodeId::Entity(project.id);
            let about = reader.neighbours(space, &[node], &[Relation::About], PER_ENTITY)?;
            let found: BTreeSet<MemoryId> =
                about.iter().filter_map(|edge| edge.from.memory()).collect();
            if found.len() <= OF_PROJECT_MAX {
                mentioned.memories.extend(found);
            }
            mentioned.entities.push(node);
        }
        Ok(())
    }
}

/// A text in comparable form.
fn normal_form(text: &str) -> String {
    text::normalise(&text.replace(['?', '!'], " "))
}

/// The names that are looked up: those that may be spoken of, and labels.
fn names_in(normal: &str, marked: &[String], question: &Question) -> Vec<EntityName> {
    let mut names = spoken_names(normal, question);
    names.extend(marked.iter().map(|name| EntityName { kind: None, name: name.clone() }));
    names
}

/// The words that are written as labels: "#deploy".
fn marked_in(query: &str) -> Vec<String> {
    let ends = |c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '/'));
    let rests = query.split('#').skip(1);
    let names = rests.map(|rest| text::normalise(rest.split(ends).next().unwrap_or_default()));
    names.filter(|name| !name.is_empty()).collect()
}

/// Whether an order means a label: it is written as one, it is all that was said, or something is wanted about it.
fn is_meant(marked: &[String], normal: &str, label: &Entity) -> bool {
    let spoken = format!(" {normal} ");
    label.names().iter().any(|name| {
        let about = |word: &&str| spoken.contains(&format!(" {word} {name} "));
        marked.contains(name) || normal == name || ABOUT.iter().any(about)
    })
}

/// Every run of up to three words that may be a name: those found by their form first.
pub(super) fn spoken_names(normal: &str, question: &Question) -> Vec<EntityName> {
    let mut names: Vec<String> = question
        .names
        .iter()
        .chain(&question.identifiers)
        .map(|name| text::normalise(name))
        .collect();
    let respelled = question.names.iter().take(RESPELLED_MAX);
    names.extend(respelled.flat_map(|name| things::spellings(name)));
    let spoken: Vec<&str> = normal.split(' ').collect();
    let telling = |word: &&str| {
        let terms = words::terms(word);
        !terms.is_empty() && !terms.iter().all(|term| words::is_common(term))
    };
    for length in 1..=NAME_WORDS_MAX {
        for run in spoken.windows(length) {
            if run.iter().any(telling) {
                names.push(run.join(" "));
            }
        }
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| !name.is_empty() && seen.insert(name.clone()));
    names.truncate(NAMES_MAX);
    names.into_iter().map(|name| EntityName { kind: None, name }).collect()
}
