//! Pairs: what becomes of a memory when somebody says something later.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::data::Pair;
use super::kept::{Kept, Told, told};
use super::wording::holds;
use crate::correction::player::{Agent, Home};

/// What became of a pair.
#[derive(Debug)]
pub(super) struct Met<'a> {
    pub(super) pair: &'a Pair,
    pub(super) end: End,
    /// It is contested, whether active or not.
    pub(super) contested: bool,
    /// Where it is told with the later word, it is marked everywhere.
    pub(super) marked: bool,
    /// `recall` tells it alone; the brief of a session or the answer to a prompt may as well.
    pub(super) alone_by_recall: bool,
    /// Something of the later word is active.
    pub(super) later_kept: bool,
    /// The later word is told to whoever asks.
    pub(super) later_told: bool,
    /// What was asked about was kept as if it had been stated.
    pub(super) asked_back: bool,
    /// And something of the later word was given up for it.
    pub(super) undone: bool,
    /// What became of each memory that was held beside it and that nothing was said about.
    pub(super) bystanders: Vec<Bystander>,
    held: Kept,
    made: Vec<Kept>,
    page: String,
}

/// What became of a memory that nothing was said about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bystander {
    /// It is no longer active.
    pub(super) gone: bool,
    /// It is told with a later word, or as contested.
    pub(super) marked: bool,
}

/// What whoever asks one session later is told of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// It is no longer active.
    Gone,
    /// It is active, and told with the later word or as contested.
    Questioned,
    /// It is active, and told as if nothing had been said.
    Alone,
    /// It is active, and not told.
    Untold,
}

/// A pair while it is played.
pub(super) struct Stage<'a> {
    pair: &'a Pair,
    home: &'a Home,
    project: PathBuf,
    id: String,
    /// The memories that are held beside it.
    beside: Vec<String>,
}

/// Plays pairs, each in a project of its own.
pub(super) fn play<'a>(home: &Home, pairs: &'a [Pair]) -> anyhow::Result<Vec<Met<'a>>> {
    let stages: Vec<Stage<'_>> =
        pairs.iter().map(|pair| Stage::hold(home, pair)).collect::<anyhow::Result<_>>()?;
    home.wait_days(2);
    stages.iter().try_for_each(Stage::say)?;
    home.wait_days(1);
    pairs.iter().zip(&stages).map(|(pair, stage)| stage.ask(pair)).collect()
}

/// Tells the program something by hand. Returns the memory's id.
pub(super) fn remember(home: &Home, project: &Path, held: &str) -> anyhow::Result<String> {
    let answer = home.json(project, &["remember", held])?;
    let memory = &answer["memory"];
    // In an agent's shell it would be the agent's word, which nothing of this is about.
    ensure!(memory["authority"] == "user_stated", "not kept as the user's word: {answer}");
    memory["id"].as_str().map(str::to_owned).context("a memory has an id")
}

/// What is put before whoever asks by `recall`, and before a session that begins.
pub(super) fn pages(agent: &Agent<'_>, held: &str) -> anyhow::Result<[String; 2]> {
    let answer = agent.home.json(&agent.project, &["recall", &question(held)])?;
    Ok([answer["text"].as_str().unwrap_or_default().to_owned(), agent.starts()?])
}

fn question(held: &str) -> String {
    format!("What do we know about this: {held}")
}

/// What is worst of what pages say about a memory.
pub(super) fn worst(pages: &[String], first: &Kept, later: &[&Kept], said: &str) -> Told {
    let all = pages.iter().map(|page| told(page, first, later, said));
    all.max().unwrap_or(Told::Nothing)
}

impl<'a> Stage<'a> {
    fn hold(home: &'a Home, pair: &'a Pair) -> anyhow::Result<Self> {
        let project = home.project(&pair.id)?;
        let id = remember(home, &project, &pair.held)?;
        let beside = pair.beside.iter().map(|held| remember(home, &project, held));
        let beside = beside.collect::<anyhow::Result<_>>()?;
        Ok(Self { pair, home, project, id, beside })
    }

    fn session(&self, name: &str) -> String {
        format!("{}-{name}", self.pair.id)
    }

    fn say(&self) -> anyhow::Result<()> {
        let mut agent = Agent::new(self.home, &self.project, self.session("later"));
        if let Some(before) = &self.pair.before {
            agent.answers(before)?;
        }
        agent.hears(&self.pair.said)?;
        agent.ends()
    }

    fn listed(&self) -> anyhow::Result<Vec<Kept>> {
        Kept::all(&self.home.json(&self.project, &["list", "--all"])?, &self.pair.id)
    }

    /// What is told of the memories that nothing was said about, each asked for by itself.
    fn bystanders(&self, now: &[Kept]) -> anyhow::Result<Vec<Bystander>> {
        let seen = |id: &String| {
            let one = now.iter().find(|one| one.id == *id).context("what was held is listed")?;
            let answer = self.home.json(&self.project, &["recall", &question(&one.content)])?;
            let page = answer["text"].as_str().unwrap_or_default();
            let marked = one.line(page).is_some_and(|line| {
                line.contains("later said") || line.contains(", contested by [")
            });
            Ok(Bystander { gone: !one.is_active(), marked })
        };
        self.beside.iter().map(seen).collect()
    }

    /// One session later somebody asks.
    fn ask<'p>(&self, pair: &'p Pair) -> anyhow::Result<Met<'p>> {
        let now = self.listed()?;
        let held = now.iter().find(|one| one.id == self.id).context("what was held is listed")?;
        let later = self.session("later");
        let made: Vec<&Kept> = now
            .iter()
            .filter(|one| one.id != self.id && one.is_active() && one.is_users())
            .filter(|one| one.is_from(&later))
            .collect();
        let mut agent = Agent::new(self.home, &self.project, self.session("asks"));
        let [recalled, brief] = pages(&agent, &pair.held)?;
        let page = agent.hears(&question(&pair.held))?;
        agent.ends()?;
        let bystanders = self.bystanders(&now)?;
        // A session is told everything once: by its brief, or by the prompt that it is asked in.
        let pages = [recalled, format!("{brief}\n{page}")];
        let told = worst(&pages, held, &made, &pair.said);
        let end = match (held.is_active(), told) {
            (false, _) => End::Gone,
            (true, Told::Alone) => End::Alone,
            (true, Told::Marked | Told::Beside) => End::Questioned,
            (true, Told::Nothing) => End::Untold,
        };
        let stated = |one: &Kept| {
            let is_new = one.id != self.id
                && one.kind != "gap"
                && one.is_active()
                && one.is_from(&agent.session)
                && one.is_users();
            is_new && holds(&one.content, &pair.held)
        };
        let after = self.listed()?;
        let asked_back = after.iter().any(stated);
        let is_gone = |one: &&Kept| !after.iter().any(|now| now.id == one.id && now.is_active());
        let undone = asked_back && made.iter().any(is_gone);
        let told_later = made.iter().any(|one| pages.iter().any(|page| one.line(page).is_some()));
        Ok(Met {
            pair,
            end,
            marked: told == Told::Marked,
            alone_by_recall: worst(&pages[..1], held, &made, &pair.said) == Told::Alone,
            contested: held.is_contested(),
            later_kept: !made.is_empty(),
            later_told: told_later,
            asked_back,
            undone,
            bystanders,
            made: made.into_iter().cloned().collect(),
            page: pages.concat(),
            held: held.clone(),
        })
    }
}

impl Met<'_> {
    /// What went wrong, for whoever wants to look.
    pub(super) fn miss(&self) -> Option<Value> {
        let what = match (self.pair.touches(), self.end) {
            (true, End::Gone) => return None,
            (true, End::Questioned) => "only questioned",
            (true, End::Alone) => "old value asserted alone",
            (true, End::Untold) => "neither taken up nor told",
            (false, End::Gone) => "applied falsely",
            (false, _) if self.contested => "questioned falsely",
            (false, _) => return None,
        };
        Some(json!({"part": "pairs", "what": what, "id": self.pair.id,
            "relation": self.pair.relation, "held": self.pair.held, "before": self.pair.before,
            "said": self.pair.said, "is": self.held.told(),
            "kept": self.made.iter().map(Kept::told).collect::<Vec<_>>(), "told": self.page}))
    }
}
