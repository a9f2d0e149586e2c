//! Files that nobody can open as a database any more, and that may still hold what is erased: its
//! words are overwritten where they stand.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use throughline_core::Trace;
use throughline_store::{Error as StoreError, SqliteStore};

use crate::backup;

/// Words of fewer bytes say nothing by themselves.
const WORD_BYTES_MIN: usize = 4;
/// Bytes that are looked through at a time.
const WINDOW: usize = 1 << 20;
/// Where something stands, each with its length.
type ByteRanges = Vec<(usize, usize)>;

/// What a word is overwritten with.
const NOTHING: u8 = b'x';

/// The words by which a text could be recognised.
pub(super) fn telling_words(said: &str) -> impl Iterator<Item = String> {
    let words = said.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.len() >= WORD_BYTES_MIN).map(str::to_lowercase)
}

/// Overwrites words in every copy under the home that is damaged, and in what belongs to it. Returns
/// the files in which there were any, and those that could not be written.
pub(super) fn scrub_damaged(home: &Path, words: &BTreeSet<String>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut scrubbed, mut left) = (Vec::new(), Vec::new());
    for path in backup::damaged_files(home, &is_sound) {
        match scrub_words(&path, words) {
            Ok(0) => {}
            Ok(_) => scrubbed.push(path),
            Err(_) => left.push(path),
        }
    }
    (scrubbed, left)
}

/// The same for secrets.
pub(super) fn scrub_secrets(home: &Path, traces: &[Trace]) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut scrubbed, mut left) = (Vec::new(), Vec::new());
    for path in backup::damaged_files(home, &is_sound) {
        match scrub_secrets_in(&path, traces) {
            Ok(0) => {}
            Ok(_) => scrubbed.push(path),
            Err(_) => left.push(path),
        }
    }
    (scrubbed, left)
}

/// Overwrites every place of a file where one of the secrets stands. Returns how many there were.
pub(super) fn scrub_secrets_in(path: &Path, traces: &[Trace]) -> io::Result<usize> {
    let longest = traces.iter().map(|trace| usize::from(trace.length)).max().unwrap_or(0);
    let find = |bytes: &[u8]| {
        let places = traces.iter().flat_map(|trace| trace.places(bytes));
        places.map(|(from, to)| (from, to - from)).collect()
    };
    scrub(path, longest, &find)
}

/// Whether a copy can be cleaned through SQLite.
fn is_sound(copy: &Path) -> bool {
    // A copy was sound when it was made, so a look is enough; what was set aside was not.
    let looked_at =
        if backup::is_aside(copy) { SqliteStore::inspect(copy) } else { SqliteStore::glance(copy) };
    match looked_at {
        Ok(()) => !backup::is_aside(copy) || backup::can_be_written(copy),
        Err(StoreError::Damaged { .. } | StoreError::NotOurs { .. }) => false,
        // A header that SQLite has no word for.
        Err(StoreError::Database(_)) => !backup::is_aside(copy),
        // A disk or a lock that fails now says nothing about the file.
        Err(_) => copy.exists(),
    }
}

/// Overwrites every place of a file where one of the words stands, whatever its case. Returns how
/// many there were.
fn scrub_words(path: &Path, words: &BTreeSet<String>) -> io::Result<usize> {
    let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
    let longest = words.iter().map(|word| word.len()).max().unwrap_or(0);
    scrub(path, longest, &|bytes| places(bytes, &words))
}

/// Overwrites the places of a file that `find` names, each with its length. What it looks for is at most
/// `longest` bytes long. Returns how many there were.
fn scrub(path: &Path, longest: usize, find: &dyn Fn(&[u8]) -> ByteRanges) -> io::Result<usize> {
    if longest == 0 {
        return Ok(0);
    }
    let mut file = File::open(path)?;
    let (mut at, mut found) = (0, 0);
    let mut window = vec![0; WINDOW + longest];
    loop {
        let filled = fill(&mut file, at, &mut window)?;
        let places = find(&window[..filled]);
        for (place, length) in &places {
            window[*place..place + length].fill(NOTHING);
        }
        if !places.is_empty() {
            if found == 0 {
                file = OpenOptions::new().read(true).write(true).open(path)?;
            }
            file.seek(SeekFrom::Start(at))?;
            file.write_all(&window[..filled])?;
            found += places.len();
        }
        if filled < window.len() {
            break;
        }
        at += WINDOW as u64;
    }
    if found > 0 {
        file.sync_all()?;
    }
    Ok(found)
}

fn fill(file: &mut File, at: u64, window: &mut [u8]) -> io::Result<usize> {
    file.seek(SeekFrom::Start(at))?;
    let mut filled = 0;
    while filled < window.len() {
        match file.read(&mut window[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}

/// Where words stand, and how long they are.
fn places(bytes: &[u8], words: &[&[u8]]) -> ByteRanges {
    let mut begins = [false; 256];
    for first in words.iter().filter_map(|word| word.first()) {
        begins[usize::from(*first)] = true;
        begins[usize::from(first.to_ascii_uppercase())] = true;
    }
    let mut found = Vec::new();
    for at in (0..bytes.len()).filter(|at| begins[usize::from(bytes[*at])]) {
        let stands = |word: &&&[u8]| {
            bytes.get(at..at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word))
        };
        found.extend(words.iter().filter(stands).map(|word| (at, word.len())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_overwritten_also_where_two_windows_meet() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("damaged.db-wal");
        let mut bytes = vec![b'.'; 2 * WINDOW + 77];
        for at in [0, WINDOW - 3, WINDOW, 2 * WINDOW + 72] {
            bytes[at..at + 5].copy_from_slice(b"zEBra");
        }
        bytes[WINDOW + 2] = b'b';
        std::fs::write(&path, &bytes).unwrap();
        let words = telling_words("A Zebra, is it").collect();
        assert!(scrub_words(&path, &words).unwrap() >= 3);
        let after = std::fs::read(&path).unwrap();
        assert_eq!(after.len(), bytes.len());
        let left = after.windows(5).filter(|part| part.eq_ignore_ascii_case(b"zebra")).count();
        assert_eq!(left, 0);
        assert_eq!(scrub_words(&path, &words).unwrap(), 0, "once is enough");
    }
}
