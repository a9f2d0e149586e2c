//! Recall: the few memories that fit a prompt, in the words an agent would read. Often none.
//!
//! The order of stages: understand the question, let every arm look, read what they found, follow
//! the graph, rank, let the gate decide what is worth saying, write the page.

mod after;
mod elsewhere;
mod find;
mod gate;
mod held;
mod look;
mod names;
mod quotable;
mod rank;
mod times;
mod vectors;
mod walk;
mod words;
mod write;

use throughline_attention::frontier::Hop;
use throughline_attention::hot::FocusSurroundings;
pub use throughline_attention::recall_gate::{CandidateFate, CutReason};
use throughline_attention::relevance::{Parts, Signals, WEIGHTS};
use throughline_core::page::{Detail, DomainCount};
use throughline_core::policy::RecallPolicy;
use throughline_core::{
    Episode, EpisodeId, MemoryId, NodeId, Row, RowKey, SpaceId, State, Timestamp, text,
};
use throughline_language::question::{self, Question};
use throughline_store::Reader;

use crate::flows::Recalling;
use crate::{Card, Result};

pub(crate) use after::clean_spool;
pub use after::{Settled, recalls_wait};
pub use elsewhere::ElsewhereHint;
pub(crate) use words::Pool as WordsPool;
pub(crate) use write::history_line;

/// Room for what is usually found, so that it need not be moved while it grows.
const CANDIDATES: usize = 1_024;

/// What is asked of recall.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask<'a> {
    /// The prompt.
    pub query: &'a str,
    /// What it was understood to ask, where that was worked out already.
    pub question: Option<Question>,
    /// When it was asked, where that is not now: "last week" is reckoned from here.
    pub asked_at: Option<Timestamp>,
    /// As memory was believed then.
    pub as_of: Option<Timestamp>,
    /// How much to say.
    pub limits: RecallPolicy,
    /// Also what was said, quoted.
    pub episodes: bool,
    /// Also memories that were replaced, as themselves.
    pub replaced: bool,
    /// Since when the session sees what it is shown: what came before left its context.
    pub shown_since: Option<Timestamp>,
    /// What this session was shown and still has before it, as far as the caller knows.
    pub already: Vec<MemoryId>,
    /// Turns that were quoted to this session and that it still has before it.
    pub quoted: Vec<EpisodeId>,
    /// Memories that were only named to it, by a headline.
    pub named: Vec<MemoryId>,
    /// Rules about a file or a command that the prompt names: they pass the gate.
    pub rules: Vec<MemoryId>,
    /// Memories whose triggers the prompt names: they pass the gate, whatever words they use.
    pub triggered: Vec<(SpaceId, MemoryId)>,
    /// How far everything lies from what the session is about: what is in focus is told in full.
    pub focus: FocusSurroundings,
    /// What somebody who looked found not to help.
    pub unfit: Vec<MemoryId>,
    /// Leave out what this session said itself: it need not be told what it has just heard.
    pub unheard: bool,
    /// Let everything through the gate, up to the limits.
    pub ungated: bool,
    /// Which arms look.
    pub arms: Arms,
}

impl<'a> Ask<'a> {
    /// A plain recall.
    pub fn new(query: &'a str, limits: RecallPolicy) -> Self {
        Self {
            query,
            question: None,
            asked_at: None,
            as_of: None,
            limits,
            episodes: false,
            replaced: false,
            shown_since: None,
            already: Vec::new(),
            quoted: Vec::new(),
            named: Vec::new(),
            rules: Vec::new(),
            triggered: Vec::new(),
            focus: FocusSurroundings::default(),
            unfit: Vec::new(),
            unheard: false,
            ungated: false,
            arms: Arms::default(),
        }
    }

    /// The relevance from which something is said: asking opens the gate wider than telling.
    pub fn enough(&self, question: &Question) -> f64 {
        let asks = question.ask != question::AskKind::Statement || question.recalls;
        if asks { self.limits.worth_saying } else { self.limits.worth_saying_unasked }
    }

    /// Whether a memory in this state may be shown.
    fn shows(&self, state: State) -> bool {
        state.is_active() || self.replaced && state == State::Superseded
    }
}

/// The arms that may look. All do, but for measuring what each is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arms {
    /// Words.
    pub words: bool,
    /// Vectors.
    pub vectors: bool,
    /// Edges.
    pub graph: bool,
    /// Times that the prompt speaks of.
    pub time: bool,
}

impl Default for Arms {
    fn default() -> Self {
        Self { words: true, vectors: true, graph: true, time: true }
    }
}

/// Something that was looked at, with everything that decided about it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallCandidate {
    /// The wall it lives behind.
    pub space: SpaceId,
    /// The memory or episode.
    pub node: NodeId,
    /// What the arms said.
    pub signals: Signals,
    /// The same on one scale, as the weights take it.
    pub features: [f64; WEIGHTS],
    /// What each arm added.
    pub parts: Parts,
    /// How fitting, in 0..=1.
    pub relevance: f64,
    /// The edges over which it was reached, if it was.
    pub path: Vec<Hop>,
    /// How retrievable; `None` if it was not read.
    pub salience: Option<f64>,
    /// How true; `None` if it was not read.
    pub trust: Option<f64>,
    /// The score it was ranked by.
    pub score: f64,
    /// What became of it.
    pub fate: CandidateFate,
}

/// One line of what was recalled.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// What it is.
    pub what: RecalledThing,
    /// How much of it is shown.
    pub detail: Detail,
    /// What it replaced, in one line.
    pub history: Option<String>,
    /// Everything that decided about it.
    pub candidate: RecallCandidate,
}

/// A memory or a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum RecalledThing {
    /// A claim.
    Memory(Box<Card>),
    /// Something said.
    Episode(Episode),
}

/// What recall came up with.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// What was asked.
    pub query: String,
    /// What is shown, best first: memories, then what was said.
    pub items: Vec<Recalled>,
    /// What is only counted, by domain.
    pub counts: Vec<DomainCount>,
    /// What would be put in front of the agent; empty when there is nothing to say.
    pub text: String,
    /// What that costs.
    pub tokens: usize,
    /// What it may cost.
    pub budget: usize,
    /// What is only named as related.
    pub hinted: Vec<(SpaceId, MemoryId)>,
    /// What linked projects know of something that the prompt names.
    pub elsewhere: Vec<ElsewhereHint>,
    /// Everything that was looked at, best first.
    pub candidates: Vec<RecallCandidate>,
    /// What the prompt was understood to ask.
    pub question: Question,
}

impl Recall {
    /// The memories that it shows.
    pub fn memories(&self) -> Vec<(SpaceId, MemoryId)> {
        let memory = |item: &Recalled| match &item.what {
            RecalledThing::Memory(card) => Some((card.memory.space, card.memory.id)),
            RecalledThing::Episode(_) => None,
        };
        self.items.iter().filter_map(memory).collect()
    }

    /// The memories that fit and are not shown again, because the session still has them before it.
    pub fn told_before(&self) -> Vec<(SpaceId, MemoryId)> {
        let told = |one: &&RecallCandidate| one.fate == CandidateFate::Cut(CutReason::AlreadyShown);
        let memory = |one: &RecallCandidate| Some((one.space, one.node.memory()?));
        self.candidates.iter().filter(told).filter_map(memory).collect()
    }

    /// The beginning of the text of every candidate, in their order.
    pub fn titles(&self, reader: &dyn Reader) -> Result<Vec<String>> {
        let keys: Vec<RowKey> =
            self.candidates.iter().map(|one| RowKey::node(one.space, one.node)).collect();
        let title = |row: Option<Row>| match row {
            Some(Row::Memory(memory)) => memory.title(),
            Some(Row::Episode(turn)) => {
                format!("{}: {}", turn.speaker, text::headline(&turn.text, 60))
            }
            _ => String::new(),
        };
        Ok(reader.rows(&keys)?.into_iter().map(title).collect())
    }

    /// The turns that it quotes.
    pub fn turns(&self) -> Vec<EpisodeId> {
        let turn = |item: &Recalled| match &item.what {
            RecalledThing::Memory(_) => None,
            RecalledThing::Episode(turn) => Some(turn.id),
        };
        self.items.iter().filter_map(turn).collect()
    }
}

impl Recalling<'_> {
    /// What fits a prompt, within a budget of tokens.
    pub fn recall(&self, ask: &Ask<'_>) -> Result<Recall> {
        // One reader at a time, and a service may take its time.
        let far = self.engine.vectors().service_vectors(self.context, ask);
        let reader = match ask.as_of {
            Some(at) => self.engine.store.as_of(at)?,
            None => self.engine.store.read_soon()?,
        };
        let asked_at = ask.asked_at.or(ask.as_of).unwrap_or_else(|| self.engine.now());
        let (question, candidates, mut known) = std::thread::scope(|scope| -> Result<_> {
            let scan = self.scan_beside(scope, ask, far);
            let question = ask.question.clone();
            let question = question.unwrap_or_else(|| question::understand(ask.query, asked_at));
            let mut heard = self.look(&*reader, ask, &question, scan)?;
            let mut candidates = Vec::with_capacity(CANDIDATES);
            self.find_memories(&*reader, ask, &question, &mut heard, &mut candidates)?;
            self.add_triggered(ask, &mut heard.mentioned, &mut candidates);
            // From a server all is read at once, with turns.
            let at_once = heard.at_once;
            if at_once {
                self.find_turns(&*reader, ask, &question, &mut heard, &mut candidates)?;
                self.read_ahead(&*reader, ask, &candidates, &heard.mentioned)?;
            }
            let named = &heard.mentioned;
            let mut known = self.read(&*reader, ask, &mut candidates, named)?;
            if ask.arms.graph {
                self.walk_on(&*reader, ask, &mut candidates, &mut known, named)?;
            }
            self.weigh(&*reader, &mut known)?;
            if !at_once {
                self.find_turns(&*reader, ask, &question, &mut heard, &mut candidates)?;
            }
            Ok((question, candidates, known))
        })?;
        let mut candidates = self.order(candidates, &known);
        self.judge(&*reader, ask, &question, &mut candidates, &known)?;
        if !ask.ungated {
            self.settle_quotes(&*reader, ask, &mut candidates, &mut known)?;
        }
        self.write_page(&*reader, ask, question, candidates, &known)
    }
}
