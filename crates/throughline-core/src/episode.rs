//! Episodes: what was said and done, kept as a source and never asserted as truth.

use serde::{Deserialize, Serialize};

use crate::{EpisodeId, SessionId, SpaceId, Timestamp};

/// One captured turn or tool result, already redacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Episode {
    /// Its name.
    pub id: EpisodeId,
    /// The wall it lives behind.
    pub space: SpaceId,
    /// The session it belongs to.
    pub session: SessionId,
    /// Its place in the session.
    pub position: u64,
    /// The caller's own name for the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// Who spoke: user, assistant, tool or a name.
    pub speaker: String,
    /// When.
    pub at: Timestamp,
    /// What.
    pub text: String,
}
