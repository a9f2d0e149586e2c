//! About: what is known of one person, project, thing or topic, told as a page. Only stored words are used.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use throughline_core::state::Flag;
use throughline_core::text::plural;
use throughline_core::{
    Entity, EntityKind, Kind, Memory, MemoryId, Relation, Row, RowKey, State, text, words,
};
use throughline_store::{Reader, TextOf, TextQuery};

use super::fold::{Folded, fold};
use super::listed::{beside, unknown_thing};
use crate::flows::Looking;
use crate::{Card, Error, Result};

/// Lines of one section, and characters of one line.
const SECTION_LINES: usize = 12;
const LINE_CHARS: usize = 240;
/// Memories of each kind that a page about a project or the user reads.
const EACH_KIND: usize = 40;
/// Rules and preferences that a page about the user reads.
const OF_USER: usize = 320;

/// A page about somebody or something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AboutPage {
    /// Who or what.
    pub name: String,
    /// What sort of thing; `None` for the user.
    pub kind: Option<EntityKind>,
    /// The page.
    pub text: String,
    /// The memories that it tells, in its order.
    pub memories: Vec<MemoryId>,
}

/// A heading and the kinds of claims below it.
const SECTIONS: [(&str, &[Kind]); 8] = [
    ("How things are", &[Kind::Fact, Kind::Correction]),
    ("Decided", &[Kind::Decision]),
    ("Rules and preferences", &[Kind::Principle, Kind::Preference]),
    ("What failed", &[Kind::Negative]),
    ("Learnt", &[Kind::Lesson]),
    ("How it is done", &[Kind::Procedure]),
    ("Promised", &[Kind::Commitment]),
    ("What happened", &[Kind::Event]),
];

/// Who or what a page is about.
enum AboutWhat {
    User,
    Project,
    Thing(Entity),
    /// What goes by no name of its own, and stands in these memories.
    Words(String, Vec<Memory>),
}

impl Looking<'_> {
    /// What is known of a person, a project, a thing or a topic, by any of its names; of the user as `me`, and of
    /// the project at hand as `my project`.
    pub fn about(&self, name: &str) -> Result<AboutPage> {
        let reader = self.engine.now_reader()?;
        let what = self.about_what(&*reader, name)?;
        let memories = match &what {
            AboutWhat::User => self.of_user(&*reader)?,
            AboutWhat::Project => self.of_project(&*reader)?,
            AboutWhat::Thing(entity) => self.current_of(&*reader, entity)?,
            AboutWhat::Words(_, memories) => memories.clone(),
        };
        let (title, kind) = match &what {
            AboutWhat::User => ("you".to_owned(), None),
            AboutWhat::Project => (self.context.project.name.clone(), Some(EntityKind::Project)),
            AboutWhat::Thing(entity) => (entity.name.clone(), Some(entity.kind)),
            AboutWhat::Words(name, _) => (name.clone(), None),
        };
        let cards = self.engine.cards(&*reader, &memories)?;
        let all = cards.len();
        let Folded { cards, stands_for } = match &what {
            AboutWhat::User => fold(&*reader, cards)?,
            AboutWhat::Project | AboutWhat::Thing(_) | AboutWhat::Words(..) => {
                Folded { cards, stands_for: BTreeMap::new() }
            }
        };
        let mut page = format!("# {title}");
        if let Some(kind) = kind {
            write!(page, " ({kind})").expect("a String takes text");
        }
        page.push('\n');
        if let AboutWhat::Thing(entity) = &what
            && !entity.aliases.is_empty()
        {
            writeln!(page, "also called: {}", entity.aliases.join(", ")).expect("a String");
        }
        writeln!(page, "{}{}", plural(all, "memory"), since(&memories)).expect("a String");
        let mut told = Vec::new();
        for (heading, kinds) in SECTIONS {
            let here = cards.iter().filter(|card| kinds.contains(&card.memory.kind)).collect();
            self.section(&*reader, &mut page, heading, here, &stands_for, &mut told)?;
        }
        self.before(&*reader, &mut page, &memories)?;
        if let AboutWhat::Thing(entity) = &what {
            let near: Vec<String> = beside(&*reader, entity, &memories)?
                .into_iter()
                .map(|(other, count)| format!("{} ({count})", other.name))
                .collect();
            if !near.is_empty() {
                write!(page, "\n## Spoken of together with\n- {}\n", near.join(", "))
                    .expect("a String takes text");
            }
        }
        Ok(AboutPage { name: title, kind, text: page, memories: told })
    }

    fn about_what(&self, reader: &dyn Reader, name: &str) -> Result<AboutWhat> {
        let spoken = text::normalise(name);
        if matches!(spoken.as_str(), "me" | "myself" | "user" | "the user" | "you") {
            return Ok(AboutWhat::User);
        }
        let here = text::normalise(&self.context.project.name);
        let points = ["my project", "this project", "our project", "the project", "project"];
        if points.contains(&spoken.as_str()) || spoken == here {
            return Ok(AboutWhat::Project);
        }
        match self.resolve_thing(reader, name) {
            // Words that stand in memories come before a thing that is only near in meaning.
            Err(Error::NoSuch(_)) => match self.holding_words(reader, name)? {
                memories if !memories.is_empty() => {
                    Ok(AboutWhat::Words(name.trim().to_owned(), memories))
                }
                _ => {
                    let near = self.nearest_thing(reader, name)?;
                    near.map(AboutWhat::Thing).ok_or_else(|| unknown_thing(name))
                }
            },
            found => found.map(AboutWhat::Thing),
        }
    }

    /// The current memories that hold every telling word of a name, the newest first.
    fn holding_words(&self, reader: &dyn Reader, name: &str) -> Result<Vec<Memory>> {
        let terms = words::terms(name);
        if terms.is_empty() || terms.iter().all(|term| words::is_common(term)) {
            return Ok(Vec::new());
        }
        let reach = self.context.reach();
        let query = TextQuery {
            of: TextOf::Memories,
            terms: terms.clone(),
            spaces: reach.spaces,
            session: reach.session,
            states: vec![State::Staged, State::Confirmed],
            kinds: Vec::new(),
            limit: EACH_KIND,
        };
        let hits = reader.text(&query)?;
        let keys: Vec<RowKey> = hits.iter().map(|hit| RowKey::node(hit.space, hit.node)).collect();
        let found = reader.rows(&keys)?.into_iter().flatten().filter_map(Row::into_memory);
        let holds = |memory: &Memory| {
            let held = words::terms(&memory.content);
            memory.kind != Kind::Gap && terms.iter().all(|term| held.contains(term))
        };
        let mut found: Vec<Memory> = found.filter(holds).collect();
        found.sort_by_key(|memory| (std::cmp::Reverse(memory.recorded_at), memory.id));
        Ok(found)
    }

    /// What the user said of themselves: how they like things, and facts about them.
    fn of_user(&self, reader: &dyn Reader) -> Result<Vec<Memory>> {
        let spaces = self.context.reach().spaces;
        let rules = [Kind::Preference, Kind::Principle];
        let mut found = reader.said(&spaces, &rules, OF_USER)?;
        let personal = |memory: &Memory| memory.domain.as_deref() == Some("personal");
        let rest = reader.current(&spaces, &[Kind::Fact, Kind::Commitment], EACH_KIND * 4)?;
        found.extend(rest.into_iter().filter(personal));
        let reach = self.context.reach();
        found.retain(|memory| reach.sees(memory));
        Ok(found)
    }

    /// What is known of the project at hand, the newest of each kind.
    fn of_project(&self, reader: &dyn Reader) -> Result<Vec<Memory>> {
        let kinds: Vec<Kind> =
            SECTIONS.iter().flat_map(|(_, kinds)| kinds.iter().copied()).collect();
        let mut found = reader.current(&[self.context.scope().space], &kinds, EACH_KIND)?;
        let reach = self.context.reach();
        found.retain(|memory| reach.sees(memory));
        Ok(found)
    }

    fn section(
        &self,
        reader: &dyn Reader,
        page: &mut String,
        heading: &str,
        mut here: Vec<&Card>,
        stands_for: &BTreeMap<MemoryId, usize>,
        told: &mut Vec<MemoryId>,
    ) -> Result<()> {
        here.sort_by(|a, b| {
            b.salience.value.total_cmp(&a.salience.value).then(a.memory.id.cmp(&b.memory.id))
        });
        if here.is_empty() {
            return Ok(());
        }
        write!(page, "\n## {heading}\n").expect("a String takes text");
        for card in here.iter().take(SECTION_LINES) {
            let line = text::headline(&card.memory.content, LINE_CHARS);
            let because = self.because(reader, &card.memory)?;
            let date = card.memory.recorded_at.date();
            let others = stands_for.get(&card.memory.id);
            let others = others.map(|count| format!(", and {count} like it")).unwrap_or_default();
            writeln!(page, "- {line}{because} ({date}{}{others})", doubts(card)).expect("a String");
            told.push(card.memory.id);
        }
        if here.len() > SECTION_LINES {
            writeln!(page, "- … and {} more", here.len() - SECTION_LINES).expect("a String");
        }
        Ok(())
    }

    /// The reason of a claim, in a few words.
    fn because(&self, reader: &dyn Reader, memory: &Memory) -> Result<String> {
        let node = memory.id.into();
        let edges = reader.neighbours(memory.space, &[node], &[Relation::Because], 4)?;
        let reason = edges.iter().find(|edge| edge.from == node).and_then(|edge| edge.to.memory());
        let Some(reason) = reason else { return Ok(String::new()) };
        let row = reader.rows(&[RowKey::memory(memory.space, reason)])?.remove(0);
        let reason = row.and_then(Row::into_memory).filter(|one| one.state.is_active());
        Ok(reason.map_or(String::new(), |one| {
            format!(", because {}", text::headline(&one.content, LINE_CHARS / 2))
        }))
    }

    /// What held before and was replaced.
    fn before(&self, reader: &dyn Reader, page: &mut String, memories: &[Memory]) -> Result<()> {
        let mut lines = Vec::new();
        for memory in memories {
            for old in reader.replaced_by(memory.space, memory.id)? {
                let until = old.held_until().map(|at| format!(" (until {})", at.date()));
                let line = text::headline(&old.content, LINE_CHARS / 2);
                lines.push(format!("- {line}{}", until.unwrap_or_default()));
            }
        }
        if !lines.is_empty() {
            lines.truncate(SECTION_LINES);
            write!(page, "\n## Before\n{}\n", lines.join("\n")).expect("a String takes text");
        }
        Ok(())
    }
}

fn since(memories: &[Memory]) -> String {
    let dates = || memories.iter().map(|memory| memory.recorded_at);
    match (dates().min(), dates().max()) {
        (Some(first), Some(last)) if first.date() != last.date() => {
            format!(", {} to {}", first.date(), last.date())
        }
        (Some(first), _) => format!(", {}", first.date()),
        (None, _) => String::new(),
    }
}

/// What speaks against a claim, in words.
fn doubts(card: &Card) -> &'static str {
    if card.flags.contains(&Flag::Contested) {
        ", contested"
    } else if card.flags.contains(&Flag::Stale) {
        ", to be checked"
    } else {
        ""
    }
}
