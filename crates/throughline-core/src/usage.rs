//! Usage: how a memory was used. Moves salience; says nothing about truth.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{MemoryId, SessionId, SpaceId, Timestamp};

/// Sessions remembered by name; further ones no longer add to the count.
const SESSIONS_MAX: usize = 64;

/// The counters of one memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// The wall it lives behind.
    pub space: SpaceId,
    /// Whose counters.
    pub memory: MemoryId,
    /// Times used.
    pub uses: u64,
    /// Sessions it was used in.
    pub sessions: BTreeSet<SessionId>,
    /// Times somebody said it helped.
    pub helpful: u64,
    /// Times somebody said it did not.
    pub unhelpful: u64,
    /// When it was last used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Timestamp>,
}

impl Usage {
    /// Never used.
    pub fn none(space: SpaceId, memory: MemoryId) -> Self {
        Self {
            space,
            memory,
            uses: 0,
            sessions: BTreeSet::new(),
            helpful: 0,
            unhelpful: 0,
            last_used_at: None,
        }
    }

    /// Counts one use.
    pub fn used(&mut self, session: Option<&SessionId>, at: Timestamp) {
        self.uses += 1;
        self.last_used_at = self.last_used_at.max(Some(at));
        if let Some(session) = session
            && self.sessions.len() < SESSIONS_MAX
        {
            self.sessions.insert(session.clone());
        }
    }

    /// How useful it proved, in 0..=1, one half when nobody said.
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    pub fn utility(&self) -> f64 {
        (self.helpful as f64 + 1.0) / (self.helpful as f64 + self.unhelpful as f64 + 2.0)
    }
}
