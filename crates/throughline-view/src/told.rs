//! What was said, and what agents were told.

use serde::Serialize;
use throughline_core::{Episode, Memory};
use throughline_engine::{Because, Telling};
use utoipa::ToSchema;

use crate::history::WireNode;
use crate::memory::rounded;
use crate::recall::WireEpisode;

/// A turn, and the memories that rest on it.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireTurn {
    #[serde(flatten)]
    pub episode: WireEpisode,
    pub memories: Vec<String>,
}

/// What rests on a turn, and to whom it was quoted.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireWhyTurn {
    pub episode: WireEpisode,
    pub supports: Vec<WireNode>,
    pub told: Vec<WireQuoted>,
}

/// A telling that quoted a turn.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireQuoted {
    pub id: String,
    pub at: String,
    pub session: Option<String>,
    pub agent: String,
    pub event: String,
}

impl From<&Telling> for WireQuoted {
    fn from(telling: &Telling) -> Self {
        Self {
            id: telling.id.to_string(),
            at: telling.at.to_string(),
            session: telling.session.as_ref().map(ToString::to_string),
            agent: telling.agent.clone(),
            event: telling.event.clone(),
        }
    }
}

/// What agents were told.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireTold {
    pub items: Vec<WireTelling>,
    pub total: usize,
}

/// Something that was put before an agent.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireTelling {
    pub id: String,
    pub at: String,
    pub session: Option<String>,
    pub agent: String,
    /// A helper of the agent that was told, and not the agent itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub helper: Option<String>,
    pub event: String,
    pub tokens: usize,
    pub text: String,
    pub memories: Vec<String>,
    pub turns: Vec<String>,
    pub why: Vec<WireBecause>,
    /// Something in it was erased since, and the text with it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub erased: bool,
}

/// Why something was told.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireBecause {
    pub id: String,
    pub reason: String,
    pub detail: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub salience: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<f64>,
}

impl From<&Telling> for WireTelling {
    fn from(telling: &Telling) -> Self {
        Self {
            id: telling.id.to_string(),
            at: telling.at.to_string(),
            session: telling.session.as_ref().map(ToString::to_string),
            agent: telling.agent.clone(),
            helper: telling.helper.clone(),
            event: telling.event.clone(),
            tokens: telling.tokens,
            text: telling.text.clone(),
            memories: telling.memories.iter().map(ToString::to_string).collect(),
            turns: telling.turns.iter().map(ToString::to_string).collect(),
            why: telling.why.iter().map(|one| WireBecause::of(one, telling)).collect(),
            erased: telling.erased,
        }
    }
}

impl WireBecause {
    /// Why something of a telling was told. The record has short ids; callers get whole ones.
    fn of(because: &Because, telling: &Telling) -> Self {
        let memories = telling.memories.iter().map(|id| (id.handle(), id.to_string()));
        let turns = telling.turns.iter().map(|id| (id.handle(), id.to_string()));
        let whole = memories.chain(turns).find(|(handle, _)| *handle == because.id);
        Self {
            id: whole.map_or_else(|| because.id.clone(), |(_, id)| id),
            reason: because.reason.clone(),
            detail: because.detail.as_str(),
            score: because.score.map(rounded),
            relevance: because.relevance.map(rounded),
            salience: because.salience.map(rounded),
            trust: because.trust.map(rounded),
        }
    }
}

impl WireTurn {
    /// A turn, and the memories that rest on it.
    pub fn new(turn: &Episode, memories: &[Memory]) -> Self {
        let memories = memories.iter().map(|memory| memory.id.to_string()).collect();
        Self { episode: turn.into(), memories }
    }
}
