//! Where things come from, and the way back.

use serde::Serialize;
use serde_json::Value;
use throughline_core::{Change, Memory};
use throughline_engine::{Noticed, Reason, Reverted, StoredBatch, Undone, Version, Why};
use utoipa::ToSchema;

use crate::memory::{WireEvidence, WireMemory, rounded};

/// Why a memory is believed.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireWhy {
    pub memory: WireMemory,
    pub because: Vec<WireReason>,
    pub evidence: Vec<WireEvidence>,
    pub supports: Vec<WireNode>,
    pub trust: WireTrust,
    /// How the words are read that it rests on, where the turn is still there.
    pub noticed: Option<WireNoticed>,
    pub injected: Vec<WireInjection>,
}

/// How true a memory is, in its parts.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireTrust {
    pub support: f64,
    pub watermark: f64,
    pub contest: f64,
    pub value: f64,
}

/// A memory as a reason.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireNode {
    pub id: String,
    pub kind: &'static str,
    pub state: &'static str,
    pub content: String,
}

/// A reason, with its own reasons.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireReason {
    pub relation: &'static str,
    #[serde(flatten)]
    pub node: WireNode,
    pub repeated: bool,
    #[schema(no_recursion)]
    pub because: Vec<Self>,
}

/// A time at which a memory was put before an agent.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireInjection {
    pub session: Option<String>,
    pub at: String,
    pub tokens: usize,
    /// What was found first, before anything was followed or cut, the best first.
    pub found: Vec<String>,
    /// What was found and did not fit.
    pub passed_over: Vec<String>,
}

impl From<&Memory> for WireNode {
    fn from(memory: &Memory) -> Self {
        Self {
            id: memory.id.to_string(),
            kind: memory.kind.as_str(),
            state: memory.state.as_str(),
            content: memory.content.clone(),
        }
    }
}

impl From<&Reason> for WireReason {
    fn from(reason: &Reason) -> Self {
        Self {
            relation: reason.relation.as_str(),
            node: (&reason.memory).into(),
            repeated: reason.repeated,
            because: reason.because.iter().map(Self::from).collect(),
        }
    }
}

/// How a memory came to be what it is.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireHistory {
    pub versions: Vec<WireVersion>,
}

/// One step of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireVersion {
    pub change: &'static str,
    pub at: String,
    pub actor: &'static str,
    pub cause: &'static str,
    pub batch: String,
    pub memory: Option<String>,
    #[schema(value_type = Option<Object>)]
    pub before: Option<Value>,
    #[schema(value_type = Option<Object>)]
    pub after: Option<Value>,
    pub reason: Option<String>,
}

impl From<&Version> for WireVersion {
    fn from(version: &Version) -> Self {
        let batch = &version.batch.batch;
        let plain = |memory: &Option<Memory>| {
            memory.as_ref().map(|memory| serde_json::to_value(memory).unwrap_or(Value::Null))
        };
        let subject = version.after.as_ref().or(version.before.as_ref());
        Self {
            change: change_name(&version.change),
            at: version.at.to_string(),
            actor: batch.actor.as_str(),
            cause: batch.cause.as_str(),
            batch: batch.id.to_string(),
            memory: subject.map(|memory| memory.id.to_string()),
            before: plain(&version.before),
            after: plain(&version.after),
            reason: batch.reason.clone(),
        }
    }
}

/// What happened.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireLog {
    pub batches: Vec<WireBatch>,
}

/// One batch of changes.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireBatch {
    pub id: String,
    pub at: String,
    pub actor: &'static str,
    /// Who wrote it, where people share a server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    pub cause: &'static str,
    pub session: Option<String>,
    pub reason: Option<String>,
    #[schema(value_type = Vec<Object>)]
    pub changes: Vec<Change>,
}

impl From<&StoredBatch> for WireBatch {
    fn from(stored: &StoredBatch) -> Self {
        Self::by(stored, None)
    }
}

impl WireBatch {
    /// A batch, and who wrote it where people share a server.
    pub fn by(stored: &StoredBatch, person: Option<&String>) -> Self {
        let batch = &stored.batch;
        Self {
            id: batch.id.to_string(),
            at: batch.at.to_string(),
            actor: batch.actor.as_str(),
            person: person.cloned(),
            cause: batch.cause.as_str(),
            session: batch.session.as_ref().map(ToString::to_string),
            reason: batch.reason.clone(),
            changes: batch.changes.clone(),
        }
    }
}

/// What an undo took back.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireUndone {
    pub undone: String,
    pub batch: String,
    pub cause: &'static str,
    pub changes: Vec<WireReverted>,
    /// What it did to files for agents, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// What an undo did to a memory.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireReverted {
    pub id: String,
    pub before: Option<WireStood>,
    pub after: Option<WireStood>,
}

/// What a memory said, and how it stood.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireStood {
    pub content: String,
    pub state: &'static str,
}

impl From<&Reverted> for WireReverted {
    fn from(one: &Reverted) -> Self {
        let stood = |memory: &Memory| WireStood {
            content: memory.content.clone(),
            state: memory.state.as_str(),
        };
        let either = one.before.as_ref().or(one.after.as_ref());
        Self {
            id: either.map(|memory| memory.id.to_string()).unwrap_or_default(),
            before: one.before.as_ref().map(stood),
            after: one.after.as_ref().map(stood),
        }
    }
}

/// The words that a memory rests on, and what the reader makes of them.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireNoticed {
    pub turn: String,
    pub words: String,
    pub role: &'static str,
    pub role_share: f64,
    pub lasting: f64,
    pub caution: &'static str,
}

impl From<&Noticed> for WireNoticed {
    fn from(noticed: &Noticed) -> Self {
        let piece = &noticed.piece;
        Self {
            turn: noticed.turn.id.to_string(),
            words: noticed.words().to_owned(),
            role: piece.role().as_str(),
            role_share: rounded(f64::from(piece.share(piece.role()))),
            lasting: rounded(f64::from(piece.lasting)),
            caution: piece.caution().as_str(),
        }
    }
}

/// The written name of a change: the tag of its JSON.
pub fn change_name(change: &Change) -> &'static str {
    match change {
        Change::AddSpace(_) => "add_space",
        Change::Insert(_) => "insert",
        Change::Reinforce(_) => "reinforce",
        Change::Revise(_) => "revise",
        Change::Move { .. } => "move",
        Change::Supersede { .. } => "supersede",
        Change::Unsupersede { .. } => "unsupersede",
        Change::Link(_) => "link",
        Change::Unlink { .. } => "unlink",
        Change::Watch(_) => "watch",
        Change::Unwatch { .. } => "unwatch",
        Change::Know(_) => "know",
        Change::Unknow { .. } => "unknow",
        Change::Record(_) => "record",
        Change::Use { .. } => "use",
        Change::Rate { .. } => "rate",
        Change::Attend(_) => "attend",
        Change::Inject(_) => "inject",
        Change::Purge(_) => "purge",
        Change::Expunge(_) => "expunge",
        Change::Restore { .. } => "restore",
        Change::Defer(_) => "defer",
        Change::Decide { .. } => "decide",
        Change::Silence { .. } => "silence",
        Change::Redact { .. } => "redact",
        Change::Shelve(_) => "shelve",
        Change::Unshelve { .. } => "unshelve",
        Change::Slept { .. } => "slept",
    }
}

impl From<&Why> for WireWhy {
    fn from(why: &Why) -> Self {
        let trust = why.card.trust;
        let injected = why.injected.iter().map(|one| WireInjection {
            session: one.session.as_ref().map(ToString::to_string),
            at: one.at.to_string(),
            tokens: one.tokens,
            found: one.found.iter().map(ToString::to_string).collect(),
            passed_over: one.passed_over.iter().map(ToString::to_string).collect(),
        });
        Self {
            memory: (&why.card).into(),
            because: why.because.iter().map(WireReason::from).collect(),
            evidence: why.card.evidence.iter().map(WireEvidence::from).collect(),
            supports: why.supports.iter().map(WireNode::from).collect(),
            trust: WireTrust {
                support: rounded(trust.support),
                watermark: rounded(trust.watermark),
                contest: rounded(trust.contest),
                value: rounded(trust.value()),
            },
            noticed: why.noticed.as_ref().map(WireNoticed::from),
            injected: injected.collect(),
        }
    }
}

impl From<&Undone> for WireUndone {
    fn from(undone: &Undone) -> Self {
        Self {
            undone: undone.undone.batch.id.to_string(),
            batch: undone.batch.to_string(),
            cause: undone.undone.batch.cause.as_str(),
            changes: undone.reverted.iter().map(WireReverted::from).collect(),
            files: undone.files.clone(),
        }
    }
}
