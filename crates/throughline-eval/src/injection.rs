//! Injection: what recall puts in front of prompts that need no memory, and of those that do.
//!
//! Both sides stand beside each other for every threshold of the gate, so that one can be chosen.

mod corpus;
mod needs;
mod report;

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;
use throughline_attention::relevance::Parts;
use throughline_core::policy::RecallPolicy;
use throughline_core::{Timestamp, text};
use throughline_engine::{Ask, Memo, NewMemory, Recall, Recalled, RecalledThing};

use crate::data::Set;
use crate::haystack::{Store, side_by_side};
use crate::retrieval::write_lines;
use corpus::{Corpus, Project, Prompt};

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Coding sessions, a message a line
    #[arg(long, value_name = "FILE")]
    sessions: PathBuf,
    /// Benchmark sets: their questions need memory, their users ask for something else
    #[arg(long, value_name = "PREFIX", num_args = 1..)]
    sets: Vec<PathBuf>,
    /// Leave out prompts with this word in them, such as the name of the code all sessions share
    #[arg(long, value_name = "WORD")]
    skip: Vec<String>,
    /// Projects that get a memory
    #[arg(long, default_value_t = 12)]
    projects: usize,
    /// Where to write everything that was asked and said
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Memories of one project.
const STATEMENTS: usize = 40;
/// Requests taken from beside, and from elsewhere, at most.
const REQUESTS: usize = 120;
/// Projects that one prompt is put to.
const STORES_A_PROMPT: usize = 4;
/// Relevance from which something is said, as it is tried.
const THRESHOLDS: [f64; 14] =
    [0.30, 0.35, 0.40, 0.45, 0.50, 0.55, 0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95];

/// What was said to one prompt that needs no memory.
struct Said {
    prompt: Prompt,
    project: String,
    /// Without what was said before, and with it.
    memories: Page,
    episodes: Page,
}

/// What is put in front of an agent.
struct Page {
    tokens: usize,
    lines: Vec<Line>,
    /// Whether anything is said, for each threshold and no hint.
    said_at: Vec<bool>,
}

/// One thing that is said.
struct Line {
    head: String,
    is_memory: bool,
    named: bool,
    relevance: f64,
    parts: Parts,
}

/// One memory that was asked for by its name.
struct Mention {
    by: &'static str,
    prompt: String,
    answered: bool,
    /// What became of it, in the engine's words.
    fate: String,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let corpus = Corpus::read(&options.sessions)?;
    let sets = options.sets.iter().map(|one| Set::read(one)).collect::<Result<Vec<_>, _>>()?;
    let projects = corpus.projects(options.projects, STATEMENTS)?;
    let prompts = corpus.prompts(&sets, &options.skip, REQUESTS);
    let memo = Arc::new(Memo::default());

    let numbered: Vec<(usize, &Project)> = projects.iter().enumerate().collect();
    let asked = side_by_side(&numbered, |(number, project)| {
        let store = store_of(project, &memo)?;
        let mine = prompts.iter().enumerate().filter(|(at, prompt)| {
            prompt.session != project.session && is_asked(*at, *number, projects.len())
        });
        let said = mine
            .map(|(_, prompt)| say(&store, project, prompt))
            .collect::<anyhow::Result<Vec<_>>>()?;
        Ok((said, mention_all(&store, project)?))
    })?;
    let (said, mentions): (Vec<_>, Vec<_>) = asked.into_iter().unzip();
    let said: Vec<Said> = said.into_iter().flatten().collect();
    let mentions: Vec<Mention> = mentions.into_iter().flatten().collect();
    let needs =
        sets.iter().map(|set| needs::measure(set, &memo)).collect::<anyhow::Result<Vec<_>>>()?;

    if let Some(path) = &options.out {
        write_lines(path, said.iter().map(Said::json))?;
    }
    report::print(&prompts, &said, &mentions, &needs);
    Ok(())
}

/// Whether this prompt is put to this project: every prompt to a few, every project alike.
fn is_asked(prompt: usize, project: usize, projects: usize) -> bool {
    let step = (projects / STORES_A_PROMPT).max(1);
    (project + prompt).is_multiple_of(step)
}

/// A project's memory: its statements, and all that was said.
fn store_of(project: &Project, memo: &Arc<Memo>) -> anyhow::Result<Store> {
    let latest = project.turns.iter().map(|turn| turn.at).max();
    let store = Store::open(latest.unwrap_or(Timestamp::EPOCH), memo)?;
    for statement in &project.statements {
        let new = NewMemory { authority: statement.authority, ..NewMemory::new(&statement.text) };
        store.engine.keeping(&store.context).remember(&new)?;
    }
    store.engine.capturing(&store.context).ingest("eval", &project.turns, &mut |_| ())?;
    Ok(store)
}

fn say(store: &Store, project: &Project, prompt: &Prompt) -> anyhow::Result<Said> {
    let page = |episodes: bool| -> anyhow::Result<Page> {
        let plain = Ask { episodes, ..Ask::new(&prompt.text, store.engine.policy().recall) };
        let recall = store.recall(&plain)?;
        let said_at = for_each_threshold(store, &plain, |recall| !recall.text.is_empty())?;
        Ok(Page { tokens: recall.tokens, lines: lines_of(&recall), said_at })
    };
    Ok(Said {
        prompt: prompt.clone(),
        project: project.session.clone(),
        memories: page(false)?,
        episodes: page(true)?,
    })
}

/// The limits with another threshold, and without hints: a hint says as much about a prompt as a
/// lower threshold does.
fn said_from(limits: RecallPolicy, threshold: f64) -> RecallPolicy {
    RecallPolicy {
        worth_saying: threshold,
        worth_saying_unasked: threshold,
        hint_share: f64::INFINITY,
        ..limits
    }
}

/// What comes of asking with each threshold. Where one leaves nothing to say, higher ones do too.
fn for_each_threshold<T: Default>(
    store: &Store,
    plain: &Ask<'_>,
    come_of: impl Fn(&Recall) -> T,
) -> anyhow::Result<Vec<T>> {
    let mut all = Vec::new();
    for threshold in THRESHOLDS {
        let ask = Ask { limits: said_from(plain.limits, threshold), ..plain.clone() };
        let recall = store.recall(&ask)?;
        if recall.text.is_empty() {
            break;
        }
        all.push(come_of(&recall));
    }
    all.resize_with(THRESHOLDS.len(), T::default);
    Ok(all)
}

fn lines_of(recall: &Recall) -> Vec<Line> {
    let line = |item: &Recalled| {
        let (content, is_memory) = match &item.what {
            RecalledThing::Memory(card) => (&card.memory.content, true),
            RecalledThing::Episode(episode) => (&episode.text, false),
        };
        Line {
            head: head(content),
            is_memory,
            named: item.candidate.signals.named,
            relevance: item.candidate.relevance,
            parts: item.candidate.parts,
        }
    };
    recall.items.iter().map(line).collect()
}

/// The beginning of a text, on one line.
fn head(content: &str) -> String {
    let line: Vec<&str> = content.split_whitespace().take(24).collect();
    text::headline(&line.join(" "), 76)
}

/// Gives names to memories in every way there is, and asks for them by it.
fn mention_all(store: &Store, project: &Project) -> anyhow::Result<Vec<Mention>> {
    let mut mentions = Vec::new();
    let ways = ["tag", "label", "identifier"];
    for (at, statement) in project.statements.iter().step_by(4).enumerate() {
        let (by, name) = (ways[at % ways.len()], coined(at));
        let mut new = NewMemory::new(&format!("As agreed on day {at}: {}", statement.text));
        let spoken = match by {
            "tag" => {
                new.tags = vec![name.to_lowercase()];
                name.to_lowercase()
            }
            "label" => {
                new.label = Some(format!("{name} handling"));
                format!("{name} handling")
            }
            _ => {
                let identifier = format!("{}_{at}", name.to_lowercase());
                new.content = format!("{} See {identifier}.", new.content);
                identifier
            }
        };
        let wanted = store.engine.keeping(&store.context).remember(&new)?.card.memory.id;
        for prompt in [format!("what about {spoken}?"), format!("tell me of {spoken} please")] {
            let recall = store.recall(&Ask::new(&prompt, store.engine.policy().recall))?;
            let is_it = |item: &Recalled| item.candidate.node.memory() == Some(wanted);
            let answered = recall.items.iter().any(is_it);
            let fate = recall.candidates.iter().find(|one| one.node.memory() == Some(wanted));
            let fate = fate.map_or("never looked at".to_owned(), |one| format!("{:?}", one.fate));
            mentions.push(Mention { by, prompt, answered, fate });
        }
    }
    Ok(mentions)
}

/// A name that nobody has: the same for the same number.
fn coined(number: usize) -> String {
    let (heads, tails) =
        (["Quill", "Tarn", "Bram", "Osk", "Vell"], ["wick", "dara", "mont", "ley"]);
    format!("{}{}", heads[number % heads.len()], tails[number / heads.len() % tails.len()])
}

impl Said {
    fn json(&self) -> serde_json::Value {
        let page = |page: &Page| {
            let lines = page.lines.iter().map(|one| {
                json!({ "text": one.head, "memory": one.is_memory, "named": one.named, "relevance": one.relevance })
            });
            json!({ "tokens": page.tokens, "lines": lines.collect::<Vec<_>>() })
        };
        json!({
            "source": self.prompt.source.name(), "small_talk": self.prompt.small_talk,
            "prompt": self.prompt.text, "project": self.project,
            "memories": page(&self.memories), "episodes": page(&self.episodes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prompt_is_put_to_a_few_projects_and_no_name_twice() {
        for prompt in 0..20 {
            let asked = (0..12).filter(|project| is_asked(prompt, *project, 12)).count();
            assert_eq!(asked, STORES_A_PROMPT);
        }
        let names: std::collections::BTreeSet<String> = (0..20).map(coined).collect();
        assert_eq!(names.len(), 20);
    }

    #[test]
    fn what_is_named_is_answered_and_thanks_are_not() {
        let memo = Arc::new(Memo::default());
        let statements = [
            "The lamp must be lit before the harbour opens each morning",
            "Gulls are counted by the pier camera only on weekdays",
        ]
        .map(|text| corpus::Statement {
            text: text.to_owned(),
            authority: throughline_core::Authority::UserStated,
        });
        let project =
            Project { session: "s".to_owned(), statements: statements.to_vec(), turns: Vec::new() };
        let store = store_of(&project, &memo).unwrap();
        let thanks = Prompt {
            source: corpus::Source::Stock,
            text: "thanks".to_owned(),
            session: String::new(),
            small_talk: true,
        };
        assert_eq!(say(&store, &project, &thanks).unwrap().episodes.tokens, 0);
        for one in mention_all(&store, &project).unwrap() {
            assert!(one.answered, "{}: {}", one.prompt, one.fate);
        }
    }
}
