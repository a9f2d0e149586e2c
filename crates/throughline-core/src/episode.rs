//! Episodes: what was said and done, kept as a source and never asserted as truth.

use serde::{Deserialize, Serialize};

use crate::text::{self, Fingerprint};
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
    /// In whose session, by name, where memory has several people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
}

impl Episode {
    /// What recognises the turn when it comes again, by whichever way, once it was erased.
    pub fn mark(&self) -> Fingerprint {
        mark(&self.session, &self.speaker, &self.text)
    }

    /// Whether its words were erased and only its shape is left.
    pub fn is_erased(&self) -> bool {
        self.text.is_empty()
    }
}

/// Words from which on two turns that say the same are the same wherever they are said.
const TELLING_WORDS: usize = 6;

/// Whether words tell enough to be the same turn in any session: an agent that goes on from a session
/// may tell all of it again under another name. "Yes, please" is said by everybody.
pub fn is_telling(said: &str) -> bool {
    text::normalise(said).split(' ').filter(|word| !word.is_empty()).count() >= TELLING_WORDS
}

/// The unreadable form of a turn: what was said; where that is little, also by whom and in which
/// session. It is no claim's fingerprint, so that the same words may still be claimed.
pub fn mark(session: &SessionId, speaker: &str, said: &str) -> Fingerprint {
    let words = text::normalise(said);
    let turn = if is_telling(said) {
        format!("turn:{words}")
    } else {
        format!("turn:{session}\n{speaker}\n{words}")
    };
    Fingerprint(text::sha256_hex(turn.as_bytes()))
}
