//! What a person said, found behind whatever agents have said since.

use std::cmp::Reverse;

use rusqlite::{Connection, params};
use throughline_core::{Kind, Memory, SpaceId};

use super::rows::{self, distinct};
use crate::Result;

/// Current memories of a person's rank, newest first, so many of each space and kind.
pub(super) fn said(
    connection: &Connection,
    spaces: &[SpaceId],
    kinds: &[Kind],
    limit: usize,
) -> Result<Vec<Memory>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut found: Vec<Memory> = Vec::new();
    for space in distinct(spaces) {
        for kind in kinds {
            found.extend(rows::memories(
                connection,
                "SELECT key, body, hash FROM memory INDEXED BY memory_current
                 WHERE space = ?1 AND kind = ?2 AND state IN ('staged', 'confirmed')
                   AND authority IN ('user_corrected', 'user_stated')
                 ORDER BY recorded_at DESC, key DESC LIMIT ?3",
                params![space.0, kind.as_str(), limit],
            )?);
        }
    }
    found.sort_by_key(|memory| Reverse((memory.recorded_at, memory.id)));
    Ok(found)
}
