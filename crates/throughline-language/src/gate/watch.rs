//! Watch: what the gate remembers within a session. Small whatever comes, and free of anybody's
//! words: names and terms are kept as hashes.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::truth::{Checks, NumberClaim};
use super::{Domain, Due};
use throughline_core::Timestamp;

/// The gate's memory between two turns, kept beside the session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Watch {
    /// Prompts and answers seen.
    pub turns: u64,
    /// Probes made.
    pub probes: u64,
    /// Prompts and answers that something was found in.
    pub fired: u64,
    /// Prompts and answers since the last probe.
    pub silent_turns: u32,
    /// Of those, how many something was found in and that wait to be probed. The tool runs between
    /// two of them count as one.
    pub waiting: u32,
    /// When the first of those came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_since: Option<Timestamp>,
    /// Why a probe is due that nobody made yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<Due>,
    /// When the last probe was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probed_at: Option<Timestamp>,
    /// The ground that the session is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<Domain>,
    /// A tool run since the last turn waits already.
    pub(super) tools_wait: bool,
    /// What the assistant last said went well, and in which turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) success_claimed: Option<(u64, Checks)>,
    /// Names met, the latest last.
    names: VecDeque<u32>,
    /// Telling terms said lately, the latest last.
    terms: VecDeque<u32>,
    /// Numbers claimed lately, the latest last.
    claims: VecDeque<NumberClaim>,
}

const NAMES_MAX: usize = 256;
const TERMS_MAX: usize = 192;
const CLAIMS_MAX: usize = 32;

impl Watch {
    pub(super) fn knows(&self, name: u32) -> bool {
        self.names.contains(&name)
    }

    pub(super) fn meet(&mut self, names: impl IntoIterator<Item = u32>) {
        push(&mut self.names, names, NAMES_MAX);
    }

    pub(super) fn lately(&self) -> &VecDeque<u32> {
        &self.terms
    }

    pub(super) fn say(&mut self, terms: impl IntoIterator<Item = u32>) {
        push(&mut self.terms, terms, TERMS_MAX);
    }

    pub(super) fn claims(&self) -> &VecDeque<NumberClaim> {
        &self.claims
    }

    pub(super) fn claim(&mut self, claims: impl IntoIterator<Item = NumberClaim>) {
        push(&mut self.claims, claims, CLAIMS_MAX);
    }
}

/// Adds each at the end, once, and forgets the oldest.
fn push<T: PartialEq>(kept: &mut VecDeque<T>, new: impl IntoIterator<Item = T>, max: usize) {
    for one in new {
        if let Some(at) = kept.iter().position(|known| *known == one) {
            kept.remove(at);
        }
        kept.push_back(one);
    }
    while kept.len() > max {
        kept.pop_front();
    }
}

/// FNV-1a over 32 bits: small, stable across builds, and enough to tell hundreds of names apart.
pub(super) fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
