//! `numbers(n)`: the numbers of all rows of a query, as one value.
//!
//! Stepping through a statement costs twice what FTS5 takes to find a row; a query may find
//! thousands, and wants nothing of them but their numbers.

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};

struct Numbers;

impl Aggregate<Vec<u8>, Option<Vec<u8>>> for Numbers {
    fn init(&self, _: &mut Context<'_>) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn step(&self, row: &mut Context<'_>, bytes: &mut Vec<u8>) -> Result<()> {
        // What is no number of a document is none of ours.
        if let Some(number) = row.get_raw(0).as_i64().ok().and_then(|it| u32::try_from(it).ok()) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, bytes: Option<Vec<u8>>) -> Result<Option<Vec<u8>>> {
        Ok(bytes)
    }
}

/// Teaches a connection the function.
pub(super) fn teach(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_aggregate_function("numbers", 1, flags, Numbers)
}

/// The numbers in a value that the function made.
pub(super) fn read(value: ValueRef<'_>) -> Vec<u32> {
    let bytes = value.as_blob().unwrap_or_default();
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().map(|number| u32::from_le_bytes(*number)).collect()
}
