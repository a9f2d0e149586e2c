//! What comes back: something was replaced, and then an older transcript is read in which somebody
//! says the old value in other words.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::data::Pair;
use super::kept::{Kept, Told};
use super::pairs::{pages, remember, worst};
use crate::correction::player::{Agent, Home};

/// A memory, what replaced it, and the same in other words.
#[derive(Debug)]
pub(super) struct Story {
    pub(super) replaces: Pair,
    same: Pair,
}

/// The memories of one writer that somebody replaced and somebody said in other words.
pub(super) fn stories(pairs: &[Pair]) -> Vec<Story> {
    let mut by_held: BTreeMap<(&str, &str), Vec<&Pair>> = BTreeMap::new();
    for pair in pairs {
        by_held.entry((pair.writer(), &pair.held)).or_default().push(pair);
    }
    let story = |pairs: &Vec<&Pair>| {
        let first = |relation: &str| pairs.iter().find(|pair| pair.relation == relation);
        let (replaces, same) = (first("replaces")?, first("same")?);
        Some(Story { replaces: (*replaces).clone(), same: (*same).clone() })
    };
    by_held.values().filter_map(story).collect()
}

/// What became of a story.
#[derive(Debug)]
pub(super) struct Returned<'a> {
    pub(super) story: &'a Story,
    /// What was held was no longer active once it was replaced.
    pub(super) gone: bool,
    /// It was no longer told alone.
    pub(super) quiet: bool,
    /// The old value is active, in the old words or in others.
    pub(super) active: bool,
    /// It is told alone.
    pub(super) alone: bool,
    /// It is told beside what replaced it, and nothing says which of the two holds.
    pub(super) beside: bool,
    all: Vec<Kept>,
    page: String,
}

impl Returned<'_> {
    /// It had been given up, and is told alone again.
    pub(super) fn came_back(&self) -> bool {
        self.quiet && self.active && self.alone
    }

    /// What went wrong, for whoever wants to look.
    pub(super) fn miss(&self) -> Option<Value> {
        let what = if self.came_back() {
            "came back"
        } else if self.gone && self.beside {
            "active again, told beside the new value"
        } else {
            return None;
        };
        let Story { replaces, same } = self.story;
        Some(json!({"part": "back", "what": what, "id": replaces.id, "held": replaces.held,
            "replaced by": replaces.said, "said in the older transcript": same.said,
            "kept": self.all.iter().map(Kept::told).collect::<Vec<_>>(), "told": self.page}))
    }
}

/// A story while it is played.
struct Stage<'a> {
    story: &'a Story,
    home: &'a Home,
    project: PathBuf,
    id: String,
    /// The older session, as its agent wrote it down.
    transcript: String,
}

/// Plays stories, each in a project of its own.
pub(super) fn play<'a>(home: &Home, stories: &'a [Story]) -> anyhow::Result<Vec<Returned<'a>>> {
    let mut stages = Vec::new();
    for story in stories {
        let project = home.project(&story.replaces.id)?;
        let id = remember(home, &project, &story.replaces.held)?;
        stages.push(Stage { story, home, project, id, transcript: String::new() });
    }
    home.wait_days(1);
    stages.iter_mut().for_each(Stage::write_down);
    home.wait_days(4);
    stages.iter().try_for_each(Stage::replace)?;
    home.wait_days(1);
    let before: Vec<Looked> =
        stages.iter().map(|one| one.look("before")).collect::<Result<_, _>>()?;
    home.wait_days(1);
    stages.iter().try_for_each(Stage::read_again)?;
    home.wait_days(1);
    let after: Vec<Looked> =
        stages.iter().map(|one| one.look("after")).collect::<Result<_, _>>()?;
    let outcome = |((story, before), after): ((&'a Story, Looked), Looked)| Returned {
        story,
        gone: !before.active,
        quiet: !before.alone,
        active: after.active,
        alone: after.alone,
        beside: after.beside,
        all: after.all,
        page: after.page,
    };
    Ok(stories.iter().zip(before).zip(after).map(outcome).collect())
}

/// What somebody finds who looks.
struct Looked {
    active: bool,
    alone: bool,
    beside: bool,
    all: Vec<Kept>,
    page: String,
}

impl Stage<'_> {
    fn session(&self, name: &str) -> String {
        format!("{}-{name}", self.story.replaces.id)
    }

    /// A session that no hook hears of.
    fn write_down(&mut self) {
        let mut agent = Agent::new(self.home, &self.project, self.session("older"));
        let same = &self.story.same;
        if let Some(before) = &same.before {
            agent.noted("assistant", before);
        }
        agent.noted("user", &same.said);
        agent.noted("assistant", "All right.");
        self.transcript = agent.transcript(&agent.session);
    }

    fn replace(&self) -> anyhow::Result<()> {
        let mut agent = Agent::new(self.home, &self.project, self.session("later"));
        if let Some(before) = &self.story.replaces.before {
            agent.answers(before)?;
        }
        agent.hears(&self.story.replaces.said)?;
        agent.ends()
    }

    fn read_again(&self) -> anyhow::Result<()> {
        let file = self.home.file(&format!("{}-older.jsonl", self.story.replaces.id));
        std::fs::write(&file, &self.transcript)?;
        self.home.run(&self.project, &["ingest", &file.to_string_lossy()]).map(drop)
    }

    /// Looks for the old value: what was held, and what the older transcript made of it. Nothing is
    /// said to the program, so that memory stays as it is.
    fn look(&self, session: &str) -> anyhow::Result<Looked> {
        let listing = self.home.json(&self.project, &["list", "--all"])?;
        let all = Kept::all(&listing, &self.story.replaces.id)?;
        let (older, later) = (self.session("older"), self.session("later"));
        let held = all.iter().find(|one| one.id == self.id).context("what was held is listed")?;
        let said_again = |one: &&Kept| one.id != self.id && one.is_from(&older);
        let new: Vec<&Kept> = all
            .iter()
            .filter(|one| one.id != self.id && one.is_active() && one.is_users())
            .filter(|one| one.is_from(&later) && !one.is_from(&older))
            .collect();
        let old: Vec<&Kept> = [held]
            .into_iter()
            .chain(all.iter().filter(said_again))
            .filter(|one| one.is_active())
            .collect();
        let Story { replaces, .. } = self.story;
        let agent = Agent::new(self.home, &self.project, self.session(session));
        let pages = pages(&agent, &replaces.held)?;
        let told = old.iter().map(|one| worst(&pages, one, &new, &replaces.said));
        let told = told.max().unwrap_or(Told::Nothing);
        let (active, page) = (!old.is_empty(), pages.concat());
        Ok(Looked { active, alone: told == Told::Alone, beside: told == Told::Beside, page, all })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_needs_one_who_replaces_and_one_who_says_the_same_by_one_writer() {
        let pair = |id: &str, held: &str, relation: &str| Pair {
            id: id.to_owned(),
            before: None,
            held: held.to_owned(),
            said: String::new(),
            relation: relation.to_owned(),
            ..Pair::default()
        };
        let pairs = [
            pair("w1-1", "a", "replaces"),
            pair("w1-2", "a", "same"),
            pair("w1-3", "a", "replaces"),
            pair("w1-4", "b", "same"),
            pair("w2-1", "b", "replaces"),
            pair("w2-2", "c", "other"),
        ];
        let found = stories(&pairs);
        let ids: Vec<_> = found.iter().map(|it| (&*it.replaces.id, &*it.same.id)).collect();
        assert_eq!(ids, [("w1-1", "w1-2")]);
    }
}
