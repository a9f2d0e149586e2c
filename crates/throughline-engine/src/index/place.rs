//! Place: where a document stands among the others, in as few bytes as possible.

use throughline_core::State;

/// Stands for "no document".
pub(crate) const NONE: u32 = u32::MAX;
/// Bytes of a document's place.
pub(super) const PLACE: usize = 16;

/// Where a document stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DocumentPlace {
    /// The document before it in its session.
    pub(crate) before: u32,
    /// The one after it.
    pub(crate) next: u32,
    /// The number of its session.
    pub(crate) session: u32,
    /// Its telling terms.
    pub(crate) length: u16,
    /// Whether there is one, and the state of a memory.
    pub(super) state: Option<Option<State>>,
    /// Whether it has a vector of our model that is scanned.
    pub(super) embedded: bool,
    /// Whether it is in the cold tier, which no scan of vectors looks at.
    pub(super) cold: bool,
}

impl DocumentPlace {
    pub(super) const ALONE: Self = Self {
        before: NONE,
        next: NONE,
        session: 0,
        length: 0,
        state: None,
        embedded: false,
        cold: false,
    };

    /// Zeros are the place of no document. A scan reads that of every document.
    #[inline]
    pub(super) fn read(bytes: &[u8; PLACE]) -> Self {
        let four = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        Self {
            before: four(0).wrapping_sub(1),
            next: four(4).wrapping_sub(1),
            session: four(8),
            length: u16::from_le_bytes([bytes[12], bytes[13]]),
            state: match bytes[14] {
                0 => None,
                1 => Some(None),
                state => State::ALL.get(usize::from(state) - 2).map(|state| Some(*state)),
            },
            embedded: bytes[15] & 1 != 0,
            cold: bytes[15] & 2 != 0,
        }
    }

    pub(super) fn bytes(self) -> [u8; PLACE] {
        let number = |state: State| State::ALL.iter().position(|one| *one == state).unwrap_or(0);
        let state = match self.state {
            None => 0,
            Some(None) => 1,
            Some(Some(state)) => u8::try_from(number(state) + 2).unwrap_or(0),
        };
        let mut bytes = [0; PLACE];
        bytes[0..4].copy_from_slice(&self.before.wrapping_add(1).to_le_bytes());
        bytes[4..8].copy_from_slice(&self.next.wrapping_add(1).to_le_bytes());
        bytes[8..12].copy_from_slice(&self.session.to_le_bytes());
        bytes[12..14].copy_from_slice(&self.length.to_le_bytes());
        bytes[14] = state;
        bytes[15] = u8::from(self.embedded) | u8::from(self.cold) << 1;
        bytes
    }
}
