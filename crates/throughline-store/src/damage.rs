//! Damaged rows: rows that could not be read back in this process. One damaged row must not make
//! the others unreadable: readers go on without it, and it is put on this list, so that the answer
//! can say so.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::{Error, Result};

/// Rows that are listed at most.
const LISTED_MAX: usize = 100;

static LEFT_OUT: Mutex<BTreeSet<LeftOut>> = Mutex::new(BTreeSet::new());

/// Row that was left out of an answer because it could not be read back.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// Its table and key.
    pub row: String,
    /// What is wrong with it.
    pub why: String,
}

/// Lists the rows that readers of this process had to leave out so far.
pub fn left_out() -> Vec<LeftOut> {
    let rows = LEFT_OUT.lock().unwrap_or_else(PoisonError::into_inner);
    rows.iter().cloned().collect()
}

/// What was read; `None` if the row is rotten, which is listed. Any other failure is one.
pub(crate) fn unless_rotten<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Ok(row) => Ok(Some(row)),
        Err(Error::BadRow { what, detail }) => {
            let mut rows = LEFT_OUT.lock().unwrap_or_else(PoisonError::into_inner);
            if rows.len() < LISTED_MAX {
                rows.insert(LeftOut { row: what, why: detail });
            }
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
