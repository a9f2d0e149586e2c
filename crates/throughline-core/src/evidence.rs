//! Evidence: who said it, when, where and why we believe it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Authority, EvidenceId, MemoryId, SessionId, SpaceId, Timestamp, text};

/// One reason to believe a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Named by what it says.
    pub id: EvidenceId,
    /// The wall it lives behind.
    pub space: SpaceId,
    /// What it supports.
    pub memory: MemoryId,
    /// Who says so.
    pub authority: Authority,
    /// In which session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Which turn or message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// When.
    pub at: Timestamp,
    /// The words it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// Why it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Repeats what we put there ourselves: kept, never counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub echo: bool,
}

/// What a source says, before it is attached to a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Testimony {
    /// Who says so.
    pub authority: Authority,
    /// In which session.
    pub session: Option<SessionId>,
    /// Which turn or message.
    pub turn: Option<String>,
    /// When.
    pub at: Timestamp,
    /// The words it rests on.
    pub snippet: Option<String>,
    /// Why it counts.
    pub why: Option<String>,
    /// Repeats what we put there ourselves.
    pub echo: bool,
}

impl Testimony {
    /// A bare statement by a source.
    pub fn new(authority: Authority, at: Timestamp) -> Self {
        Self {
            authority,
            session: None,
            turn: None,
            at,
            snippet: None,
            why: None,
            echo: false,
        }
    }

    /// Attaches it to a memory.
    pub fn about(&self, space: SpaceId, memory: MemoryId) -> Evidence {
        let said = format!(
            "{memory}\n{}\n{:?}\n{:?}\n{}\n{:?}\n{:?}\n{}",
            self.authority, self.session, self.turn, self.at, self.snippet, self.why, self.echo
        );
        Evidence {
            id: EvidenceId(text::sha256_hex(said.as_bytes())[..16].to_owned()),
            space,
            memory,
            authority: self.authority,
            session: self.session.clone(),
            turn: self.turn.clone(),
            at: self.at,
            snippet: self.snippet.clone(),
            why: self.why.clone(),
            echo: self.echo,
        }
    }
}

/// Joins two bodies of evidence. Order and repetition make no difference.
pub fn merge(left: &[Evidence], right: &[Evidence]) -> Vec<Evidence> {
    let by_id: BTreeMap<_, _> = left
        .iter()
        .chain(right)
        .map(|evidence| (evidence.id.clone(), evidence.clone()))
        .collect();
    by_id.into_values().collect()
}

/// The sources that count for trust, strongest first.
///
/// A source counts if it is no echo of ours and comes from another session than those already
/// counted, and from another kind of source unless it is a person. Everything else is the same
/// voice heard twice.
pub fn independent(evidence: &[Evidence]) -> Vec<&Evidence> {
    let mut sorted: Vec<&Evidence> = evidence.iter().filter(|one| !one.echo).collect();
    sorted.sort_by(|a, b| (a.authority, a.at, &a.id).cmp(&(b.authority, b.at, &b.id)));

    let mut counted: Vec<&Evidence> = Vec::new();
    for one in sorted {
        let new_voice = counted.iter().all(|other| {
            one.session != other.session
                && (one.authority != other.authority || one.authority.is_user())
        });
        if new_voice {
            counted.push(one);
        }
    }
    counted
}
