//! Column: bytes of one length for each document, made in memory or mapped from a file.

use std::fs::File;
use std::io;

use memmap2::{MmapMut, MmapOptions};

/// Column: the bytes themselves. Writing to a mapped column changes this process' memory only.
#[derive(Debug)]
pub(super) enum Column {
    Made(Vec<u8>),
    Mapped(MmapMut),
}

impl Column {
    /// Maps a part of a file.
    #[expect(
        unsafe_code,
        reason = "mapping a file is unsafe, because somebody may cut it meanwhile"
    )]
    pub(super) fn map(file: &File, at: u64, length: usize) -> io::Result<Self> {
        if length == 0 {
            return Ok(Self::default());
        }
        // SAFETY: the mapping is private, and the file is ours alone to write: it is made under another
        // name, renamed when it is complete, and never changed or shortened afterwards, only removed.
        unsafe { MmapOptions::new().offset(at).len(length).map_copy(file).map(Self::Mapped) }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Made(bytes) => bytes,
            Self::Mapped(bytes) => bytes,
        }
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Made(bytes) => bytes,
            Self::Mapped(bytes) => bytes,
        }
    }

    /// Makes room, filled with zeros.
    pub(super) fn grow(&mut self, length: usize) {
        if self.bytes().len() >= length {
            return;
        }
        if let Self::Mapped(bytes) = self {
            *self = Self::Made(bytes.to_vec());
        }
        if let Self::Made(bytes) = self {
            bytes.resize(length, 0);
        }
    }

    /// Gives back room that was made and is not used.
    pub(super) fn settle(&mut self) {
        if let Self::Made(bytes) = self {
            bytes.shrink_to_fit();
        }
    }

    /// Sets all bytes to zero.
    pub(super) fn clear(&mut self) {
        self.bytes_mut().fill(0);
    }
}

impl Default for Column {
    fn default() -> Self {
        Self::Made(Vec::new())
    }
}

impl Clone for Column {
    fn clone(&self) -> Self {
        Self::Made(self.bytes().to_vec())
    }
}
