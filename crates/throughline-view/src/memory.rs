//! A memory as callers see it.

use std::collections::BTreeMap;

use serde::Serialize;
use throughline_core::watermark::Referent;
use throughline_core::{Evidence, Kind, Memory, NodeId, Timestamp, Watermark};
use throughline_engine::{Card, Later, Listing, Shaken};
use throughline_language::procedure::{self, Procedure};
use utoipa::ToSchema;

/// What was said after a memory was kept, and may bear on it: the memory that it became, or the turn.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireLater {
    /// The turn it was said in, or the memory that was kept of it.
    pub turn: String,
    pub at: String,
    pub text: String,
    /// The same as `turn`, by an older name.
    pub id: String,
    /// The same as `text`, by an older name.
    pub words: String,
}

impl From<&Later> for WireLater {
    fn from(later: &Later) -> Self {
        let id = match later.node {
            NodeId::Memory(id) => id.to_string(),
            NodeId::Episode(id) => id.to_string(),
            NodeId::Entity(id) => id.to_string(),
        };
        let words = later.words.clone();
        Self { turn: id.clone(), at: later.at.to_string(), text: words.clone(), id, words }
    }
}

/// A memory as callers see it. Fields may be added, never renamed or removed.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireMemory {
    pub id: String,
    pub kind: &'static str,
    pub layer: &'static str,
    pub form: &'static str,
    pub content: String,
    pub label: String,
    pub state: &'static str,
    pub flags: Vec<&'static str>,
    pub trust: f64,
    pub salience: f64,
    pub authority: &'static str,
    pub confidence: f64,
    pub importance: f64,
    pub scope: &'static str,
    pub project: Option<String>,
    pub domain: Option<String>,
    pub tags: Vec<String>,
    /// Those of them that sleep inferred.
    pub inferred_tags: Vec<String>,
    pub slot: Option<WireSlot>,
    pub valid_from: Option<String>,
    pub valid_until: Option<String>,
    pub recorded_at: String,
    pub last_verified_at: Option<String>,
    /// By when what it promises is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    /// What an agent said that it answers, where its own words do not tell what they speak of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
    /// When what it promises was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done_at: Option<String>,
    /// The tier of its vector, where it is not the usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<&'static str>,
    /// The file for agents that it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    pub superseded_by: Option<String>,
    pub supersedes: Vec<String>,
    pub contested_by: Vec<String>,
    /// The people who said those that contest it, by the id of the memory.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub contested_people: BTreeMap<String, Vec<String>>,
    /// The people who said it; empty where memory has one person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said_by: Vec<String>,
    /// What was said later and may bear on it; where that most likely changed it, it is flagged as questioned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<WireLater>,
    pub reopened_by: Vec<WireShaken>,
    pub watermarks: Vec<WireWatermark>,
    pub evidence: Vec<WireEvidence>,
    pub triggers: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub procedure: Option<WireProcedure>,
    pub pinned: bool,
    pub uses: u64,
    pub sessions: usize,
    pub helpful: u64,
    pub unhelpful: u64,
}

/// What a claim says in parts.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireSlot {
    pub subject: String,
    pub predicate: String,
    pub object: String,
    pub cardinality: &'static str,
}

/// Why a memory is believed.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireEvidence {
    pub authority: &'static str,
    /// Who said it, or in whose session an agent did; null where memory has one person.
    pub person: Option<String>,
    pub session: Option<String>,
    pub turn: Option<String>,
    pub at: String,
    pub snippet: Option<String>,
    pub why: Option<String>,
    /// Which signal fired, of what was captured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// The files that were at hand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The first and the last turn that it rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<serde_json::Value>,
}

/// The parts of a procedure.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireProcedure {
    pub name: String,
    pub trigger: Option<String>,
    pub steps: Vec<String>,
    pub prerequisites: Vec<String>,
    pub warnings: Vec<String>,
}

impl From<Procedure> for WireProcedure {
    fn from(told: Procedure) -> Self {
        let Procedure { name, trigger, prerequisites, steps, warnings } = told;
        Self { name, trigger, steps, prerequisites, warnings }
    }
}

/// The procedure that a memory tells, if it is one and has steps.
pub fn procedure_told(memory: &Memory) -> Option<Procedure> {
    (memory.kind == Kind::Procedure).then(|| procedure::read(&memory.content)).flatten()
}

/// What a memory is tied to, and what became of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireWatermark {
    pub r#type: &'static str,
    pub target: String,
    pub span: Option<String>,
    pub status: &'static str,
    pub then: String,
    pub now: String,
    pub stamped_at: String,
}

/// A reason of a decision that no longer holds as it did.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireShaken {
    pub id: String,
    pub reason: String,
    pub how: String,
}

/// A number as callers see it: six digits are more than anything here is worth.
pub fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

impl From<&Card> for WireMemory {
    fn from(card: &Card) -> Self {
        let memory = &card.memory;
        let time = |at: Option<Timestamp>| at.map(|at| at.to_string());
        Self {
            id: memory.id.to_string(),
            kind: memory.kind.as_str(),
            layer: memory.layer().as_str(),
            form: card.form.as_str(),
            content: memory.content.clone(),
            label: memory.title(),
            state: memory.state.as_str(),
            flags: card.flags.iter().map(|flag| flag.as_str()).collect(),
            trust: rounded(card.trust.value()),
            salience: rounded(card.salience.value),
            authority: memory.authority.as_str(),
            confidence: memory.confidence,
            importance: memory.importance,
            scope: card.level.as_str(),
            project: card.project.clone(),
            domain: memory.domain.clone(),
            tags: card.tags.clone(),
            inferred_tags: card.inferred_tags.clone(),
            slot: memory.slot.as_ref().map(|slot| WireSlot {
                subject: slot.subject.clone(),
                predicate: slot.predicate.clone(),
                object: slot.object.clone(),
                cardinality: slot.cardinality.as_str(),
            }),
            valid_from: time(memory.valid_from),
            valid_until: time(memory.held_until()),
            recorded_at: memory.recorded_at.to_string(),
            last_verified_at: time(memory.last_verified_at),
            due: card.due.map(|at| at.date()),
            answers: memory.answers.clone(),
            done_at: time(memory.done_at),
            tier: memory.cold.then_some("cold"),
            file: card.in_file.clone(),
            superseded_by: memory.superseded_by.map(|id| id.to_string()),
            supersedes: card.supersedes.iter().map(ToString::to_string).collect(),
            contested_by: card.contested_by.iter().map(ToString::to_string).collect(),
            contested_people: card
                .contested_names
                .iter()
                .filter(|(_, names)| !names.is_empty())
                .map(|(id, names)| (id.to_string(), names.clone()))
                .collect(),
            said_by: card.said_by(),
            later: card.later.iter().map(WireLater::from).collect(),
            reopened_by: card.reopened_by.iter().map(wire_shaken).collect(),
            watermarks: card.watermarks.iter().map(wire_watermark).collect(),
            evidence: card.evidence.iter().map(WireEvidence::from).collect(),
            triggers: memory.triggers.clone(),
            procedure: procedure_told(memory).map(WireProcedure::from),
            pinned: memory.pinned,
            uses: card.usage.uses,
            sessions: card.usage.sessions.len(),
            helpful: card.usage.helpful,
            unhelpful: card.usage.unhelpful,
        }
    }
}

impl From<&Evidence> for WireEvidence {
    fn from(one: &Evidence) -> Self {
        Self {
            authority: one.authority.as_str(),
            person: one.person.clone(),
            session: one.session.as_ref().map(ToString::to_string),
            turn: one.turn.clone(),
            at: one.at.to_string(),
            snippet: one.snippet.clone(),
            why: one.why.clone(),
            signal: signal_of(one).map(str::to_owned),
            files: files_of(one).into_iter().map(str::to_owned).collect(),
            range: one.extra.get("range").cloned(),
        }
    }
}

/// Which signal fired when it was captured.
pub fn signal_of(one: &Evidence) -> Option<&str> {
    one.extra.get("signal").and_then(serde_json::Value::as_str)
}

/// The files that were at hand when it was captured.
pub fn files_of(one: &Evidence) -> Vec<&str> {
    let files = one.extra.get("files").and_then(serde_json::Value::as_array);
    files.into_iter().flatten().filter_map(serde_json::Value::as_str).collect()
}

fn wire_shaken(one: &Shaken) -> WireShaken {
    WireShaken { id: one.reason.to_string(), reason: one.title.clone(), how: one.how.to_string() }
}

fn wire_watermark(mark: &Watermark) -> WireWatermark {
    let (r#type, target, span) = match &mark.referent {
        Referent::File { path, span } => {
            ("file", path.clone(), span.map(|(first, last)| format!("L{first}-L{last}")))
        }
        Referent::Git { paths } => ("git", paths.join(" "), None),
        Referent::Flag { name } => ("flag", name.clone(), None),
    };
    let status = mark.reading.status().as_str();
    let (then, now) = (mark.then.clone(), mark.now.clone());
    WireWatermark {
        r#type,
        target,
        span,
        status,
        then,
        now,
        stamped_at: mark.stamped_at.to_string(),
    }
}

/// Memories that were found, and how many there are.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireListing {
    pub items: Vec<WireMemory>,
    pub total: usize,
}

impl From<&Listing> for WireListing {
    fn from(found: &Listing) -> Self {
        Self { items: found.items.iter().map(WireMemory::from).collect(), total: found.total }
    }
}
