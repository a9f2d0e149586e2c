//! Documents as stores keep them: records of one length, side by side in blocks, so that a process
//! that has just started can look at all of them in milliseconds.

use throughline_core::document::{self, SpeakerCode, Traits};
use throughline_core::{
    Episode, EpisodeId, Kind, Memory, MemoryId, NodeId, State, Timestamp, words,
};
use uuid::Uuid;

use crate::query::TextOf;

/// Bytes of one record.
pub const RECORD: usize = 448;
/// Records in one block.
pub const BLOCK: usize = 256;
/// Offset of the packed vector in a record: its scale, its residual, then one byte a dimension.
pub const PACKED_AT: usize = 56;
/// The most bytes of a packed vector.
pub const PACKED_MAX: usize = RECORD - PACKED_AT;

/// Document: what search knows of one text without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document {
    /// The id of the memory or episode.
    pub id: Uuid,
    /// When it was recorded or said.
    pub at: Timestamp,
    /// Number of the session, shared by its turns.
    pub session: u32,
    /// The number of the turn before it in the session.
    pub before: Option<u32>,
    /// Who spoke.
    pub speaker: SpeakerCode,
    /// Number of terms that count for search.
    pub length: u16,
    /// Properties of the text.
    pub traits: Traits,
    /// The state of a memory; `None` for an episode.
    pub state: Option<State>,
    /// The kind of a memory; `None` for an episode.
    pub kind: Option<Kind>,
    /// Whether it is bound to one session, so that the finder has to check whether it may be seen.
    pub bound: bool,
    /// Whether it is in the cold tier: a scan of vectors passes over it.
    pub cold: bool,
    /// Number of the model that made its vector; 0 if it has none.
    pub model: u8,
}

const PRESENT: u8 = 1;
const ASKS: u8 = 2;
const TIME: u8 = 4;
const NUMBER: u8 = 8;
const BOUND: u8 = 16;
const COLD: u8 = 32;

impl Document {
    /// Makes the document of a memory.
    pub fn of_memory(memory: &Memory, number: u32) -> Self {
        Self {
            id: memory.id.0,
            at: memory.valid_from.unwrap_or(memory.recorded_at),
            session: number,
            before: None,
            speaker: SpeakerCode::NOBODY,
            length: document::length(&words::terms(&document::searchable_memory(memory))),
            traits: document::traits(&memory.content, memory.recorded_at),
            state: Some(memory.state),
            kind: Some(memory.kind),
            bound: memory.session.is_some(),
            cold: memory.cold,
            model: 0,
        }
    }

    /// Makes the document of an episode that follows `before` in its session.
    pub fn of_episode(episode: &Episode, session: u32, before: Option<u32>) -> Self {
        Self {
            id: episode.id.0,
            at: episode.at,
            session,
            before,
            speaker: SpeakerCode::of(&episode.speaker),
            length: document::length(&words::terms(&document::searchable(episode))),
            traits: document::traits(&episode.text, episode.at),
            state: None,
            kind: None,
            bound: false,
            cold: false,
            model: 0,
        }
    }

    /// The node that the document stands for.
    pub fn node(&self, of: TextOf) -> NodeId {
        match of {
            TextOf::Memories => NodeId::Memory(MemoryId(self.id)),
            TextOf::Episodes => NodeId::Episode(EpisodeId(self.id)),
        }
    }

    /// Writes everything but the vector to a record.
    pub fn write(&self, record: &mut [u8]) {
        let flag = |bit: u8, set: bool| if set { bit } else { 0 };
        record[0..16].copy_from_slice(self.id.as_bytes());
        record[16..24].copy_from_slice(&self.at.as_millis().to_le_bytes());
        record[24..28].copy_from_slice(&self.session.to_le_bytes());
        let before = self.before.map_or(0, |before| before + 1);
        record[28..32].copy_from_slice(&before.to_le_bytes());
        record[32..36].copy_from_slice(&self.speaker.0.to_le_bytes());
        record[36..38].copy_from_slice(&self.length.to_le_bytes());
        record[38] = PRESENT
            | flag(ASKS, self.traits.asks)
            | flag(TIME, self.traits.tells_time)
            | flag(NUMBER, self.traits.tells_number)
            | flag(BOUND, self.bound)
            | flag(COLD, self.cold);
        record[39] = state_number(self.state);
        record[40] = number_of(Kind::ALL, self.kind);
        record[41] = self.model;
    }

    /// Reads a record; `None` where there is no document.
    pub fn read(record: &[u8]) -> Option<Self> {
        let flags = record[38];
        if flags & PRESENT == 0 {
            return None;
        }
        let four = |at: usize| {
            u32::from_le_bytes(record[at..at + 4].try_into().expect("four bytes are four bytes"))
        };
        let millis = i64::from_le_bytes(record[16..24].try_into().expect("eight bytes are eight"));
        Some(Self {
            id: Uuid::from_slice(&record[0..16]).expect("sixteen bytes are an id"),
            at: Timestamp::from_millis(millis),
            session: four(24),
            before: four(28).checked_sub(1),
            speaker: SpeakerCode(four(32)),
            length: u16::from_le_bytes([record[36], record[37]]),
            traits: Traits {
                asks: flags & ASKS != 0,
                tells_time: flags & TIME != 0,
                tells_number: flags & NUMBER != 0,
            },
            state: of_number(State::ALL, record[39]),
            kind: of_number(Kind::ALL, record[40]),
            bound: flags & BOUND != 0,
            cold: flags & COLD != 0,
            model: record[41],
        })
    }
}

/// The number of a state in records; 0 for a turn, which has none.
pub(crate) fn state_number(state: Option<State>) -> u8 {
    number_of(State::ALL, state)
}

/// The place of a value in its closed set, from one; 0 for none.
fn number_of<T: PartialEq>(all: &[T], value: Option<T>) -> u8 {
    let place = value.and_then(|value| all.iter().position(|one| *one == value));
    place.map_or(0, |place| u8::try_from(place + 1).expect("closed sets are small"))
}

fn of_number<T: Copy>(all: &[T], number: u8) -> Option<T> {
    all.get(usize::from(number).checked_sub(1)?).copied()
}

/// Shelf: how far a reader has read the documents of a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shelf {
    /// Stamp to hand to the next call of [`Reader::documents`](crate::Reader::documents).
    pub stamp: u64,
    /// Number by which records name the model that was asked for; `None` if the store has no vector
    /// of it.
    pub model: Option<u8>,
    /// Where the stamp was counted: another number where it means nothing any more, because the server
    /// was started again or replaced, or the space can no longer be seen. A file has one for all times.
    pub origin: i64,
}

/// Postings: the documents that hold a term, by number, ascending.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Postings {
    /// Numbers of the documents.
    pub documents: Vec<u32>,
    /// Whether there are more documents than were asked for: the term is too frequent to
    /// distinguish texts.
    pub cut: bool,
}
