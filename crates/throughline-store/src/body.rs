//! Bodies: rows, batches and changes as stores keep them, each as text with a hash beside it.

use throughline_core::text::sha256_hex;
use throughline_core::{Batch, NodeId, Row, RowKey, Table};

use crate::{Error, Result};

/// The hash kept beside a text: enough to notice a flipped bit.
pub(crate) fn checksum(text: &str) -> String {
    sha256_hex(text.as_bytes())[..16].to_owned()
}

/// The hash kept beside a change and the rows as they were before it.
pub(crate) fn change_checksum(body: &str, before: &str) -> String {
    checksum(&[body, "\n", before].concat())
}

/// Reads a row back and makes sure that it is what was written.
pub(crate) fn parse(table: Table, key: &str, body: &str, hash: &str) -> Result<Row> {
    let bad = |detail: String| Error::BadRow { what: format!("{table} {key}"), detail };
    if checksum(body) != hash {
        return Err(bad("its content does not match its hash".to_owned()));
    }
    let row = Row::from_body(table, body).map_err(|error| bad(error.to_string()))?;
    if row.key().key != key {
        return Err(bad("its content belongs to another key".to_owned()));
    }
    Ok(row)
}

/// A batch without its changes, which have rows of their own.
pub(crate) fn header(batch: &Batch) -> String {
    let bare = Batch { changes: Vec::new(), ..batch.clone() };
    serde_json::to_string(&bare).expect("plain data serialises")
}

/// The nodes a row is filed under; rows that belong to none are filed under the empty name.
pub(crate) fn node_names(nodes: &[NodeId]) -> Vec<String> {
    if nodes.is_empty() {
        return vec![String::new()];
    }
    nodes.iter().map(ToString::to_string).collect()
}

/// The name that a row is filed under.
pub(crate) fn row_name(key: &RowKey) -> String {
    format!("{} {}", key.table, key.key)
}
