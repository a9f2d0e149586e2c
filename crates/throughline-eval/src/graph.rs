//! Graph: questions whose answer lies an edge or two away, asked with parts of recall switched off.
//!
//! What adds nothing here has no business in a hook. All memories of a part lie in one project, so that
//! each writer's are among those of the others.

mod report;
mod story;

use std::collections::BTreeMap;
use std::path::PathBuf;

use tempfile::TempDir;
use throughline_core::event::{Event, What};
use throughline_core::policy::Policy;
use throughline_core::{Kind, MemoryId, Relation, SessionId, Timestamp};
use throughline_engine::{Arms, Ask, Clock, Context, Engine, NewMemory, Project, Recall};

use report::Score;
use story::{Question, Story};

/// What to ask.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Which part: open, held or all
    #[arg(long, default_value = "held")]
    part: String,
    /// The folder with the stories
    #[arg(long, value_name = "DIR", default_value = "crates/throughline-eval/graph")]
    data: PathBuf,
    /// Print every question with what was ranked and said
    #[arg(long)]
    show: bool,
    /// Figures as JSON
    #[arg(long)]
    json: bool,
}

/// When everything was said and is asked.
const NOW: &str = "2026-03-02T09:00:00Z";
/// Rounds of `PageRank` where it is switched on.
const ROUNDS: u32 = 8;

/// A way of asking.
#[derive(Debug, Clone, Copy)]
struct Variant {
    name: &'static str,
    /// Edges are followed.
    graph: bool,
    /// Rounds of the re-score.
    rounds: u32,
    /// What deep sleep did before.
    slept: Slept,
    /// Asked by a hook, after what was said before.
    after_turns: bool,
    /// The question is asked in the session in which that was said, and so with its focus.
    focus: bool,
}

/// What deep sleep did before anything was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slept {
    /// It was not run.
    Never,
    /// All of it.
    Whole,
    /// All of it but clusters: what that pass did was undone.
    WithoutClusters,
}

/// Words, vectors and edges that were told.
const PLAIN: Variant = Variant {
    name: "+ frontier",
    graph: true,
    rounds: 0,
    slept: Slept::Never,
    after_turns: false,
    focus: false,
};

const VARIANTS: [Variant; 8] = [
    Variant { name: "words + vectors", graph: false, ..PLAIN },
    PLAIN,
    Variant { name: "+ PageRank", rounds: ROUNDS, ..PLAIN },
    Variant { name: "+ deep sleep, no clusters", slept: Slept::WithoutClusters, ..PLAIN },
    Variant { name: "+ deep sleep", slept: Slept::Whole, ..PLAIN },
    Variant { name: "hook, new session", ..PLAIN },
    Variant { name: "hook, after turns, no focus", after_turns: true, ..PLAIN },
    Variant { name: "hook, after turns", after_turns: true, focus: true, ..PLAIN },
];

/// The variants from here on are asked by a hook, which shows and does not rank.
const BY_HOOK_FROM: usize = 5;

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let stories = story::read(&options.data, &options.part)?;
    let asked: usize = stories.iter().map(|one| one.questions.len()).sum();
    let lines: Vec<(&str, Score)> = VARIANTS
        .iter()
        .enumerate()
        .map(|(at, variant)| {
            let world = World::of(&stories, variant)?;
            let mut score = Score::default();
            for (story, question) in
                stories.iter().flat_map(|story| story.questions.iter().map(move |one| (story, one)))
            {
                let outcome = if at < BY_HOOK_FROM {
                    world.ask(question, variant)?
                } else {
                    world.ask_by_hook(question, variant)?
                };
                let gold = world.ids_of(&question.needs);
                if options.show {
                    report::show(
                        variant.name,
                        &story.writer,
                        question,
                        &outcome,
                        &gold,
                        &world.texts,
                    );
                }
                score.add(question, &outcome, &gold);
            }
            Ok((variant.name, score))
        })
        .collect::<anyhow::Result<_>>()?;
    if options.json {
        report::print_json(asked, &lines);
    } else {
        report::print(asked, &lines);
    }
    Ok(())
}

/// What came of a question.
#[derive(Debug, Default)]
struct Outcome {
    /// Memories by rank; empty where a hook was asked.
    ranked: Vec<MemoryId>,
    /// What the agent has before it: said now, or earlier in the session.
    said: Vec<MemoryId>,
    /// Lines that were said to this question.
    lines: usize,
    tokens: usize,
}

/// A memory with everything that the writers of a part know.
struct World {
    engine: Engine,
    context: Context,
    texts: BTreeMap<MemoryId, String>,
    names: BTreeMap<String, MemoryId>,
    _home: TempDir,
}

impl World {
    fn of(stories: &[Story], variant: &Variant) -> anyhow::Result<Self> {
        let home = tempfile::tempdir()?;
        let mut policy = Policy::default();
        policy.frontier.pagerank_rounds = variant.rounds;
        let now: Timestamp = NOW.parse().map_err(anyhow::Error::msg)?;
        let engine = Engine::open(home.path(), Clock::Fixed(now))?.with_policy(policy);
        let context = Context::user(Project::recorded("haystack", home.path()));
        let (texts, names) = Default::default();
        let mut world = Self { engine, context, texts, names, _home: home };
        for story in stories {
            world.tell(story)?;
        }
        let space = world.context.project.space();
        world.engine.vectors().embed_missing(space, usize::MAX, &mut |_| ())?;
        world.sleep(variant.slept)?;
        Ok(world)
    }

    fn sleep(&self, how: Slept) -> anyhow::Result<()> {
        if how == Slept::Never {
            return Ok(());
        }
        let slept = self.engine.sleeping(&self.context).sleep_deep(&mut |_| ())?;
        let clusters = slept.passes.iter().filter(|pass| pass.name == "clusters");
        if how == Slept::WithoutClusters {
            for batch in clusters.flat_map(|pass| &pass.batches).rev() {
                self.engine.keeping(&self.context).undo(Some(&batch.to_string()))?;
            }
        }
        Ok(())
    }

    /// Remembers and connects what a writer knows. Failures come last: they need their cause.
    fn tell(&mut self, story: &Story) -> anyhow::Result<()> {
        let first = story.memories.iter().filter(|one| one.kind != Kind::Negative);
        let last = story.memories.iter().filter(|one| one.kind == Kind::Negative);
        for told in first.chain(last) {
            let causes = story.edges.iter().filter(|one| one.from == told.name);
            let causes = causes.filter(|one| one.relation == Relation::Because);
            let known = causes.filter_map(|one| self.names.get(&one.to));
            let new = NewMemory {
                kind: told.kind,
                tags: told.tags.clone(),
                because: known.map(ToString::to_string).collect(),
                ..NewMemory::new(&told.content)
            };
            let kept = self.engine.keeping(&self.context).remember(&new)?;
            anyhow::ensure!(!kept.deduped, "{} is known already: {}", told.name, told.content);
            anyhow::ensure!(kept.superseded.is_empty(), "{} replaces something", told.name);
            self.names.insert(told.name.clone(), kept.card.memory.id);
            self.texts.insert(kept.card.memory.id, told.content.clone());
        }
        for edge in &story.edges {
            let (from, to) = (self.names[&edge.from], self.names[&edge.to]);
            let keeping = self.engine.keeping(&self.context);
            keeping.link(&from.to_string(), edge.relation, &to.to_string(), None)?;
        }
        Ok(())
    }

    fn ids_of(&self, names: &[String]) -> Vec<MemoryId> {
        names.iter().map(|name| self.names[name]).collect()
    }

    /// Asks as a tool or the command line does.
    fn ask(&self, question: &Question, variant: &Variant) -> anyhow::Result<Outcome> {
        let arms = Arms { graph: variant.graph, ..Arms::default() };
        let ask = Ask { arms, ..Ask::new(&question.text, self.engine.policy().recall) };
        let recall = self.engine.recalling(&self.context).recall(&ask)?;
        let said: Vec<MemoryId> = recall.memories().into_iter().map(|(_, id)| id).collect();
        let (lines, tokens) = (said.len(), recall.tokens);
        Ok(Outcome { ranked: ranking(&recall), said, lines, tokens })
    }

    /// Asks as an agent's hook does, in a session of its own.
    fn ask_by_hook(&self, question: &Question, variant: &Variant) -> anyhow::Result<Outcome> {
        let session = |part: &str| SessionId(format!("{}-{}{part}", variant.name, question.number));
        let prompt = |part: &str, text: &str| Event {
            session: session(part),
            folder: None,
            transcript: None,
            helper: None,
            what: What::Prompted { text: text.to_owned() },
        };
        let mut outcome = Outcome::default();
        let before = question.before.iter().filter(|_| variant.after_turns);
        for text in before {
            let reply = self.engine.listening(&self.context).listen(&prompt("", text))?;
            outcome.said.extend(reply.said.memories);
        }
        // In another session nothing is in focus, and the agent has the same before it.
        let part = if variant.focus { "" } else { "-asked" };
        let reply = self.engine.listening(&self.context).listen(&prompt(part, &question.text))?;
        outcome.lines = reply.said.memories.len();
        outcome.tokens = reply.said.tokens;
        outcome.said.extend(reply.said.memories);
        Ok(outcome)
    }
}

/// The memories that were ranked, best first, whatever the gate made of them.
fn ranking(recall: &Recall) -> Vec<MemoryId> {
    let scored = recall.candidates.iter().filter(|one| one.score > 0.0);
    scored.filter_map(|one| one.node.memory()).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// What the open writers' questions came to when this was written, less two questions.
    const SAID_AT_LEAST: f64 = 0.92;

    #[test]
    fn what_an_answer_needs_is_said_as_often_as_it_was() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("graph");
        let stories = story::read(&folder, "open").expect("the stories are there");
        let world = World::of(&stories, &PLAIN).expect("they can be told");
        let mut score = Score::default();
        for question in stories.iter().flat_map(|story| &story.questions) {
            let outcome = world.ask(question, &PLAIN).expect("it can be asked");
            score.add(question, &outcome, &world.ids_of(&question.needs));
        }
        assert!(score.said() >= SAID_AT_LEAST, "{}", score.said());
    }
}
