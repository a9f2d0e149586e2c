//! Evidence: who said it, when, where and why we believe it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::row::Extra;
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
    /// Which person, by name, where memory has several: the one who spoke, or in whose session an
    /// agent did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
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
    /// An agent said so, and no captured turn bears it out. However many of these there are, they
    /// are one agent's word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_agent: bool,
    /// What another version of this program wrote here and this one does not know: kept as it is.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What a source says, before it is attached to a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Testimony {
    /// Who says so.
    pub authority: Authority,
    /// Which person, by name, where memory has several.
    pub person: Option<String>,
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
    /// An agent said so, and no captured turn bears it out.
    pub by_agent: bool,
    /// How it came in: which signal fired, which files it was about. It tells nothing apart.
    pub extra: Extra,
}

impl Testimony {
    /// A bare statement by a source.
    pub fn new(authority: Authority, at: Timestamp) -> Self {
        let (person, session, turn, snippet, why) = (None, None, None, None, None);
        let (echo, by_agent, extra) = (false, false, Extra::new());
        Self { authority, person, session, turn, at, snippet, why, echo, by_agent, extra }
    }

    /// Attaches it to a memory.
    pub fn about(&self, space: SpaceId, memory: MemoryId) -> Evidence {
        let mut said = format!(
            "{memory}\n{}\n{:?}\n{:?}\n{}\n{:?}\n{:?}\n{}",
            self.authority, self.session, self.turn, self.at, self.snippet, self.why, self.echo
        );
        // What nobody is named for keeps the name it always had.
        said.extend(self.person.iter().map(|person| format!("\n{person}")));
        Evidence {
            id: EvidenceId(text::sha256_hex(said.as_bytes())[..16].to_owned()),
            space,
            memory,
            authority: self.authority,
            person: self.person.clone(),
            session: self.session.clone(),
            turn: self.turn.clone(),
            at: self.at,
            snippet: self.snippet.clone(),
            why: self.why.clone(),
            echo: self.echo,
            by_agent: self.by_agent,
            extra: self.extra.clone(),
        }
    }
}

/// The people who said a memory themselves, each once; `None` stands for whoever nobody named.
pub fn speakers<'a>(
    evidence: impl IntoIterator<Item = &'a Evidence>,
    memory: MemoryId,
) -> BTreeSet<Option<&'a str>> {
    let said = |one: &&Evidence| one.memory == memory && one.authority.is_user() && !one.echo;
    evidence.into_iter().filter(said).map(|one| one.person.as_deref()).collect()
}

/// The person whose words a memory holds: who said it first, or in whose session it was said. The evidence
/// comes in the order of the log, because clocks differ.
pub fn first_speaker<'a>(
    evidence: impl IntoIterator<Item = &'a Evidence>,
    memory: MemoryId,
) -> Option<&'a str> {
    let mut said = evidence.into_iter().filter(|one| one.memory == memory && !one.echo);
    said.next().and_then(|one| one.person.as_deref())
}

/// Whether evidence confirms a claim: a person said it, or two independent sources that are not both
/// an agent's.
pub fn confirms(evidence: &[Evidence]) -> bool {
    let counted = independent(evidence);
    counted.iter().any(|one| one.authority.is_user())
        || counted.len() >= 2 && !counted.iter().all(|one| one.by_agent)
}

/// Joins two bodies of evidence. Order and repetition make no difference.
pub fn merge(left: &[Evidence], right: &[Evidence]) -> Vec<Evidence> {
    let by_id: BTreeMap<_, _> =
        left.iter().chain(right).map(|evidence| (evidence.id.clone(), evidence.clone())).collect();
    by_id.into_values().collect()
}

/// The sources that count for trust, strongest first.
///
/// No echo of ours counts. Each session counts once, and so does each kind of source, except that
/// every session in which a person said it counts: everything else is the same voice heard twice.
/// Of all ways to pick sources under these rules the strongest is taken, so that one more piece of
/// evidence never lowers support, and neither order nor time decides.
pub fn independent(evidence: &[Evidence]) -> Vec<&Evidence> {
    let mut voices: BTreeMap<SourceKind<'_>, BTreeMap<Option<&SessionId>, &Evidence>> =
        BTreeMap::new();
    for one in evidence.iter().filter(|one| !one.echo) {
        let session = one.session.as_ref();
        let voice = (one.authority, one.authority.is_user().then_some(session));
        let first = voices.entry(voice).or_default().entry(session).or_insert(one);
        if (one.at, &one.id) < (first.at, &first.id) {
            *first = one;
        }
    }
    // Strongest voice first, each given a session of its own, moving earlier ones if need be.
    let mut taken: BTreeMap<Option<&SessionId>, SourceKind<'_>> = BTreeMap::new();
    for voice in voices.keys() {
        seat(*voice, &voices, &mut taken, &mut BTreeSet::new());
    }
    let mut counted: Vec<&Evidence> =
        taken.iter().map(|(session, voice)| voices[voice][session]).collect();
    counted.sort_by(|a, b| (a.authority, a.at, &a.id).cmp(&(b.authority, b.at, &b.id)));
    counted
}

/// A kind of source; a person is another voice in every session.
type SourceKind<'a> = (Authority, Option<Option<&'a SessionId>>);

/// Finds a session for a voice, asking those already seated to move.
fn seat<'a>(
    voice: SourceKind<'a>,
    voices: &BTreeMap<SourceKind<'a>, BTreeMap<Option<&'a SessionId>, &'a Evidence>>,
    taken: &mut BTreeMap<Option<&'a SessionId>, SourceKind<'a>>,
    asked: &mut BTreeSet<Option<&'a SessionId>>,
) -> bool {
    for session in voices[&voice].keys() {
        if !asked.insert(*session) {
            continue;
        }
        let free = match taken.get(session).copied() {
            None => true,
            Some(seated) => seat(seated, voices, taken, asked),
        };
        if free {
            taken.insert(*session, voice);
            return true;
        }
    }
    false
}
