//! Compared: which pairs of memories a pass has looked at, so that it looks at each of them once.
//!
//! They are kept one by one, as a number for each. A moment up to which all was compared would not do: many come in
//! at one moment, and what is imported today may be years old. A file that is lost costs only that they are compared
//! once more.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use throughline_core::{Memory, SpaceId, text};

use crate::journal::file;
use crate::{Error, Result};

/// Bytes of one file: the pairs of half a million memories.
const BYTES_MAX: u64 = 64 << 20;

/// A memory as it is worded now, in a number.
pub(super) fn mark_of(memory: &Memory) -> u64 {
    let worded = format!("{} {}", memory.id, memory.fingerprint.0);
    u64::from_str_radix(&text::sha256_hex(worded.as_bytes())[..16], 16).unwrap_or_default()
}

/// A pair of memories in a number, whichever comes first.
pub(super) fn pair_of(one: u64, other: u64) -> u64 {
    one.min(other).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32) ^ one.max(other)
}

/// The pairs that a pass has looked at, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::sleep) struct ComparedPairs {
    pairs: Vec<u64>,
}

impl ComparedPairs {
    pub(super) fn load(home: &Path, space: SpaceId, pass: &str) -> Self {
        let mut bytes = Vec::new();
        let read = file::open_to_read(&path(home, space, pass))
            .and_then(|file| file.take(BYTES_MAX).read_to_end(&mut bytes));
        if read.is_err() {
            return Self::default();
        }
        bytes.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect()
    }

    pub(super) fn save(&self, home: &Path, space: SpaceId, pass: &str) -> Result<()> {
        let path = path(home, space, pass);
        let bytes: Vec<u8> = self.pairs.iter().flat_map(|pair| pair.to_le_bytes()).collect();
        file::replace(&path, &bytes).map_err(|source| Error::File { path, source })
    }

    pub(in crate::sleep) fn holds(&self, pair: u64) -> bool {
        self.pairs.binary_search(&pair).is_ok()
    }

    /// The same without some pairs.
    pub(super) fn without(self, some: &[u64]) -> Self {
        self.pairs.into_iter().filter(|pair| !some.contains(pair)).collect()
    }
}

impl FromIterator<u64> for ComparedPairs {
    fn from_iter<T: IntoIterator<Item = u64>>(pairs: T) -> Self {
        let mut pairs: Vec<u64> = pairs.into_iter().collect();
        pairs.sort_unstable();
        pairs.dedup();
        Self { pairs }
    }
}

fn path(home: &Path, space: SpaceId, pass: &str) -> PathBuf {
    home.join("compared").join(format!("{}-{pass}", space.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_the_same_whichever_comes_first_and_another_when_one_is_worded_anew() {
        let [one, other, anew] = ["1 a", "2 b", "1 c"]
            .map(|it| u64::from_str_radix(&text::sha256_hex(it.as_bytes())[..16], 16).unwrap());
        assert_eq!(pair_of(one, other), pair_of(other, one));
        assert_ne!(pair_of(one, other), pair_of(anew, other));
    }

    #[test]
    fn what_was_compared_is_found_again_and_a_damaged_file_only_costs_time() {
        let home = tempfile::tempdir().expect("a folder");
        let space = SpaceId(7);
        let compared: ComparedPairs = [9, 3, 3, u64::MAX].into_iter().collect();
        compared.save(home.path(), space, "pairs").expect("a write");
        let kept = ComparedPairs::load(home.path(), space, "pairs");
        assert_eq!(kept, compared);
        assert!(kept.holds(3) && !kept.holds(4));
        assert!(!kept.without(&[3]).holds(3));
        assert_eq!(ComparedPairs::load(home.path(), space, "other"), ComparedPairs::default());
        std::fs::write(path(home.path(), space, "pairs"), b"five!").expect("a write");
        assert_eq!(ComparedPairs::load(home.path(), space, "pairs"), ComparedPairs::default());
    }
}
