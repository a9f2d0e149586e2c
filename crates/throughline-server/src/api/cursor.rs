//! Cursors: where a list goes on. It does so after the last one that was seen, whatever comes in meanwhile and whether
//! that one is still there or not; only what is found by words is counted.

use std::fmt;

use throughline_core::{EntityId, EpisodeId, MemoryId, SessionId, Timestamp};
use throughline_engine::Begin;

use super::memories::{PAGE, PAGE_MAX};
use crate::Problem;
use crate::token::hex;

/// Cursor: the last one of a page, by what its list is ordered by.
pub(super) enum Cursor {
    /// So many were seen.
    Seen(usize),
    Memory(Timestamp, MemoryId),
    /// A telling; its id is one like that of a memory.
    Telling(Timestamp, MemoryId),
    Session(Timestamp, SessionId),
    Turn(u64, EpisodeId),
    Thing(usize, EntityId),
    /// What waits for a person: which list, its place there, and its id.
    Waiting(usize, usize, String),
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seen(seen) => write!(f, "o{seen}"),
            Self::Memory(at, id) => write!(f, "m{id}.{}", at.as_millis()),
            Self::Telling(at, id) => write!(f, "t{id}.{}", at.as_millis()),
            // Whoever names sessions may use any letter.
            Self::Session(at, id) => write!(f, "n{}.{}", hex(id.0.as_bytes()), at.as_millis()),
            Self::Turn(position, id) => write!(f, "p{id}.{position}"),
            Self::Thing(memories, id) => write!(f, "e{id}.{memories}"),
            Self::Waiting(list, place, id) => write!(f, "r{}.{list}.{place}", hex(id.as_bytes())),
        }
    }
}

impl Cursor {
    fn read(text: &str) -> Option<Self> {
        let (sort, place) = text.split_at_checked(1)?;
        if sort == "o" {
            return place.parse().ok().map(Self::Seen);
        }
        let (id, at) = place.split_once('.')?;
        let moment = || at.parse().ok().map(Timestamp::from_millis);
        Some(match sort {
            "m" => Self::Memory(moment()?, id.parse().ok()?),
            "t" => Self::Telling(moment()?, id.parse().ok()?),
            "n" => Self::Session(moment()?, SessionId(unhex(id)?)),
            "p" => Self::Turn(at.parse().ok()?, id.parse().ok()?),
            "e" => Self::Thing(at.parse().ok()?, id.parse().ok()?),
            "r" => {
                let (list, place) = at.split_once('.')?;
                Self::Waiting(list.parse().ok()?, place.parse().ok()?, unhex(id)?)
            }
            _ => return None,
        })
    }
}

/// The text that was written in hexadecimal digits.
fn unhex(text: &str) -> Option<String> {
    let digits = text.chars().map(|digit| digit.to_digit(16)).collect::<Option<Vec<u32>>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    let byte = |[high, low]: &[u32; 2]| u8::try_from(high * 16 + low).ok();
    let bytes = pairs.iter().map(byte).collect::<Option<Vec<u8>>>().filter(|_| rest.is_empty())?;
    String::from_utf8(bytes).ok()
}

/// Where a list begins: after so many, or after the one that a cursor of its own names.
pub(super) fn begin<K>(
    cursor: Option<&str>,
    offset: Option<usize>,
    own: impl FnOnce(Cursor) -> Option<K>,
) -> Result<Begin<K>, Problem> {
    let cursor = cursor.filter(|text| !text.is_empty()).map(|text| {
        let bad = "the cursor is not one of ours: leave it out to begin anew";
        Cursor::read(text).ok_or_else(|| Problem::bad_input(bad))
    });
    match (cursor.transpose()?, offset) {
        (None, offset) => Ok(Begin::Skip(offset.unwrap_or(0))),
        (Some(_), Some(offset)) => Ok(Begin::Skip(offset)),
        (Some(Cursor::Seen(seen)), None) => Ok(Begin::Skip(seen)),
        (Some(cursor), None) => own(cursor)
            .map(Begin::After)
            .ok_or_else(|| Problem::bad_input("the cursor belongs to another list")),
    }
}

/// How many of a list.
pub(super) fn limit_of(limit: Option<usize>) -> usize {
    limit.unwrap_or(PAGE).clamp(1, PAGE_MAX)
}

/// The cursor of the next page of a list that only counts, if there is one.
pub(super) fn next_of(offset: usize, shown: usize, total: usize) -> Option<String> {
    let seen = offset.saturating_add(shown);
    (shown > 0 && seen < total).then(|| Cursor::Seen(seen).to_string())
}

/// A page of what was read: `limit` of it, and the cursor of the next one if there was more.
pub(super) fn page<T>(
    mut found: Vec<T>,
    limit: usize,
    cursor: impl FnOnce(&T) -> Cursor,
) -> (Vec<T>, Option<String>) {
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).map(|last| cursor(last).to_string());
    (found, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let id: MemoryId = "01990000-0000-7000-8000-000000000001".parse().unwrap();
        let at = Timestamp::from_millis(1_772_000_000_123);
        for cursor in [
            Cursor::Seen(50),
            Cursor::Memory(at, id),
            Cursor::Telling(at, id),
            Cursor::Session(at, SessionId("s/1 ü.é".to_owned())),
            Cursor::Session(at, SessionId(String::new())),
            Cursor::Turn(7, EpisodeId(id.0)),
            Cursor::Thing(12, EntityId(id.0)),
            Cursor::Waiting(3, 20, id.to_string()),
        ] {
            let text = cursor.to_string();
            let read = Cursor::read(&text).map(|read| read.to_string());
            assert_eq!(read.as_deref(), Some(text.as_str()));
            assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte)));
        }
        for text in ["", "o", "o-1", "zz", "mx.1", "n0.1", "nzz.1", "p.1", "r61", "r61.1", "é"] {
            assert!(Cursor::read(text).is_none(), "{text}");
        }
    }
}
