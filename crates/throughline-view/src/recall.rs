//! What a recall found, with everything that decided about it.

use serde::Serialize;
use throughline_core::page::{Detail, DomainCount};
use throughline_core::{Edge, Episode, Memory, NodeId};
use throughline_engine::{
    CandidateFate, CutReason, Expanded, Recall, RecallCandidate, Recalled, RecalledThing,
};
use utoipa::ToSchema;

use crate::memory::{WireMemory, rounded};

/// A candidate as callers see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireCandidate {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub score: f64,
    pub relevance: f64,
    pub salience: Option<f64>,
    pub trust: Option<f64>,
    pub words: f64,
    pub vector: f64,
    pub cosine: Option<f64>,
    pub session: f64,
    pub voice: f64,
    pub answer: f64,
    pub time: f64,
    pub named: f64,
    pub path: Vec<WireStep>,
    pub fate: &'static str,
    pub reason: Option<String>,
}

/// One edge of a path.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireStep {
    pub from: String,
    pub relation: &'static str,
    pub to: String,
    pub prior: f64,
    pub strength: f64,
    pub confidence: f64,
}

impl From<&RecallCandidate> for WireCandidate {
    fn from(one: &RecallCandidate) -> Self {
        let (fate, reason) = fate(one);
        let path = one.path.iter().map(|step| WireStep {
            from: bare(step.from),
            relation: step.relation.as_str(),
            to: bare(step.to),
            prior: rounded(step.prior),
            strength: rounded(step.strength),
            confidence: rounded(step.confidence),
        });
        Self {
            id: bare(one.node),
            title: None,
            score: rounded(one.score),
            relevance: rounded(one.relevance),
            salience: one.salience.map(rounded),
            trust: one.trust.map(rounded),
            words: rounded(one.parts.words),
            vector: rounded(one.parts.vector),
            cosine: one.signals.cosine.map(rounded),
            session: rounded(one.parts.session),
            voice: rounded(one.parts.voice),
            answer: rounded(one.parts.answer),
            time: rounded(one.parts.time),
            named: rounded(one.parts.named),
            path: path.collect(),
            fate,
            reason,
        }
    }
}

impl WireCandidate {
    /// The same with the beginning of its text.
    pub fn titled(one: &RecallCandidate, title: &str) -> Self {
        Self { title: Some(title.to_owned()), ..Self::from(one) }
    }
}

/// The id of a node, as callers write it.
pub fn bare(node: NodeId) -> String {
    match node {
        NodeId::Memory(id) => id.to_string(),
        NodeId::Episode(id) => id.to_string(),
        NodeId::Entity(id) => id.to_string(),
    }
}

/// What became of a candidate: one word, and why.
pub fn fate(one: &RecallCandidate) -> (&'static str, Option<String>) {
    match &one.fate {
        CandidateFate::Shown(Detail::Full) => ("shown", Some("in full".to_owned())),
        CandidateFate::Shown(Detail::Line) => ("shown", Some("as a line".to_owned())),
        CandidateFate::Considered => ("considered", Some("others fit better".to_owned())),
        CandidateFate::Counted(why) => ("counted", Some(why.to_string())),
        CandidateFate::ReplacedBy(head) => ("replaced", Some(format!("by {}", head.handle()))),
        CandidateFate::Cut(why) => ("cut", Some(why.to_string())),
    }
}

/// What came to mind.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireRecall {
    pub query: String,
    pub tokens: usize,
    pub budget: usize,
    pub items: Vec<WireRecalled>,
    pub counts: Vec<WireCount>,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<WireJudgement>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<WireCandidate>>,
}

/// What a model thought of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireJudgement {
    pub votes: usize,
    pub tokens: u64,
    pub set_aside: usize,
    /// Why it could not be asked; then nothing is set aside.
    pub failed: Option<String>,
}

/// One thing that came to mind.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireRecalled {
    pub rank: usize,
    pub detail: &'static str,
    pub score: f64,
    pub memory: Option<WireMemory>,
    pub episode: Option<WireEpisode>,
    pub history: Option<String>,
    pub why: WireCandidate,
}

/// A turn as callers see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireEpisode {
    pub id: String,
    pub session: String,
    pub turn: Option<String>,
    pub at: String,
    pub speaker: String,
    pub text: String,
}

impl From<&Episode> for WireEpisode {
    fn from(episode: &Episode) -> Self {
        Self {
            id: episode.id.to_string(),
            session: episode.session.to_string(),
            turn: episode.turn.clone(),
            at: episode.at.to_string(),
            speaker: episode.speaker.clone(),
            text: episode.text.clone(),
        }
    }
}

/// How many of an area there are beside what is shown.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireCount {
    pub domain: String,
    pub n: usize,
    pub min: f64,
    pub max: f64,
}

impl From<&DomainCount> for WireCount {
    fn from(count: &DomainCount) -> Self {
        Self {
            domain: count.domain.clone(),
            n: count.n,
            min: rounded(count.min),
            max: rounded(count.max),
        }
    }
}

fn recalled(rank: usize, item: &Recalled) -> WireRecalled {
    let (memory, episode) = match &item.what {
        RecalledThing::Memory(card) => (Some((&**card).into()), None),
        RecalledThing::Episode(episode) => (None, Some(episode.into())),
    };
    WireRecalled {
        rank,
        detail: item.detail.as_str(),
        score: rounded(item.candidate.score),
        memory,
        episode,
        history: item.history.clone(),
        why: WireCandidate::from(&item.candidate),
    }
}

/// Why a memory does or does not come up for a question.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireWhyNot {
    pub memory: WireMemory,
    pub query: String,
    pub shown: bool,
    pub rank: Option<usize>,
    pub reason: String,
    pub why: Option<WireCandidate>,
}

/// Why a memory does or does not come up, in words.
pub fn reason(memory: &Memory, found: Option<&RecallCandidate>) -> String {
    let Some(found) = found else {
        return if memory.state.is_active() {
            "it shares no word with the question and is not near in meaning".to_owned()
        } else {
            format!("it is {}; `recall` looks at what is current", memory.state)
        };
    };
    match &found.fate {
        CandidateFate::Cut(CutReason::NotInView) => {
            format!("it is {}; `recall` looks at what is current", memory.state)
        }
        CandidateFate::Shown(Detail::Full) => "it is shown in full".to_owned(),
        CandidateFate::Shown(Detail::Line) => "it is shown as a line".to_owned(),
        CandidateFate::Considered => "others fit better".to_owned(),
        CandidateFate::ReplacedBy(head) => format!("it was replaced by {}", head.handle()),
        CandidateFate::Counted(why) => format!("it is only counted: {why}"),
        CandidateFate::Cut(why) => why.to_string(),
    }
}

/// A memory with what it is connected to, or a turn with its neighbours.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireExpanded {
    pub memory: Option<WireMemory>,
    pub related: Vec<WireRelated>,
    pub turns: Vec<WireEpisode>,
}

/// A connection, as seen from a memory.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireRelated {
    pub relation: &'static str,
    pub outward: bool,
    pub id: String,
    pub label: String,
    pub state: &'static str,
}

impl WireRecall {
    /// What a recall came to. `titles` are those of its candidates, where they are wanted.
    pub fn new(
        recall: &Recall,
        titles: Option<&[String]>,
        verified: Option<WireJudgement>,
    ) -> Self {
        let items = recall.items.iter().enumerate();
        Self {
            query: recall.query.clone(),
            tokens: recall.tokens,
            budget: recall.budget,
            items: items.map(|(at, item)| recalled(at + 1, item)).collect(),
            counts: recall.counts.iter().map(WireCount::from).collect(),
            text: recall.text.clone(),
            verified,
            candidates: titles.map(|titles| {
                let titled = recall.candidates.iter().zip(titles);
                titled.map(|(one, title)| WireCandidate::titled(one, title)).collect()
            }),
        }
    }
}

impl WireRelated {
    /// A connection of a node to another memory.
    pub fn new(from: NodeId, edge: &Edge, other: &Memory) -> Self {
        Self {
            relation: edge.relation.as_str(),
            outward: edge.from == from,
            id: other.id.to_string(),
            label: other.title(),
            state: other.state.as_str(),
        }
    }
}

impl From<&Expanded> for WireExpanded {
    fn from(expanded: &Expanded) -> Self {
        match expanded {
            Expanded::Memory { card, related } => {
                let node = NodeId::Memory(card.memory.id);
                let related = related.iter();
                Self {
                    memory: Some((&**card).into()),
                    related: related
                        .map(|(edge, other)| WireRelated::new(node, edge, other))
                        .collect(),
                    turns: Vec::new(),
                }
            }
            Expanded::Turn { turns, .. } => Self {
                memory: None,
                related: Vec::new(),
                turns: turns.iter().map(WireEpisode::from).collect(),
            },
        }
    }
}
