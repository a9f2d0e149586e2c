//! The change log of a server: batches, changes, and which rows they touched.

use std::collections::BTreeMap;

use throughline_core::row::Image;
use throughline_core::{
    Batch, BatchId, Cause, Change, Logged, MemoryId, NodeId, Pending, RowKey, SpaceId,
};
use tokio_postgres::Row as PgRow;
use tokio_postgres::types::Type;

use super::lease::Wire;
use super::link::Param;
use super::rows::PgTables;
use crate::body::{change_checksum, checksum, node_names, row_name};
use crate::damage::unless_rotten;
use crate::query::LogQuery;
use crate::store::StoredBatch;
use crate::tables::deferred_in;
use crate::{Error, Result};

/// What becomes of a change that cannot be read back.
#[derive(Clone, Copy)]
pub(super) enum Rotten {
    /// The others are read without it.
    LeftOut,
    /// It is an error: nobody could say what is to be done with it.
    Refused,
}

/// Leaves out what lies behind the own wall of another person, which an administrator could see.
pub(super) const NOT_ANOTHERS: &str = "space NOT IN (SELECT m.space FROM member AS m WHERE m.standing = 'self' AND m.role <> current_user)";

/// The length of an id written out.
const WHOLE_ID: usize = 36;

impl<L: Wire> PgTables<L> {
    pub(super) fn list(&self, query: &LogQuery) -> Result<Vec<StoredBatch>> {
        let order = if query.latest_first { "DESC" } else { "" };
        let walls = self.walls(&query.spaces);
        let found = self.link.query(
            &format!(
                "SELECT key, body, hash, first_seq, last_seq FROM batch
                 WHERE last_seq > $1 AND ($2::bigint IS NULL OR at >= $2)
                   AND (cardinality($3::bigint[]) = 0 OR space = ANY($3))
                   AND ($5::bigint IS NULL OR last_seq < $5) AND {NOT_ANOTHERS}
                 ORDER BY last_seq {order} LIMIT $4"
            ),
            &[
                (&i64::try_from(query.after_seq).unwrap_or(i64::MAX), Type::INT8),
                (&query.since.map(|since| since.as_millis()), Type::INT8),
                (&walls, Type::INT8_ARRAY),
                (&i64::try_from(query.limit).unwrap_or(i64::MAX), Type::INT8),
                (&query.before_seq.map(|seq| i64::try_from(seq).unwrap_or(i64::MAX)), Type::INT8),
            ],
        )?;
        let mut batches = Vec::with_capacity(found.len());
        for row in &found {
            batches.extend(unless_rotten(header_from(row))?);
        }
        self.with_changes(batches, query.bare)
    }

    /// The latest batch, without reading what it changed.
    pub(super) fn latest_batch(&self) -> Result<Option<(u64, BatchId)>> {
        let sql = format!(
            "SELECT last_seq, key FROM batch WHERE {NOT_ANOTHERS} ORDER BY last_seq DESC LIMIT 1"
        );
        let found = self.link.query(&sql, &[])?;
        let Some(row) = found.first() else { return Ok(None) };
        let (seq, key): (i64, &str) = (row.get(0), row.get(1));
        let detail = "it has no id".to_owned();
        let bad = |_| Error::BadRow { what: format!("batch {key}"), detail };
        Ok(Some((seq.unsigned_abs(), key.parse().map_err(bad)?)))
    }

    pub(super) fn find_batch(&self, handle: &str) -> Result<Vec<StoredBatch>> {
        let fits = if handle.len() == WHOLE_ID {
            "key = $1"
        } else {
            "(starts_with(key, $1) OR right(key, length($1)) = $1)"
        };
        let sql = format!(
            "SELECT key, body, hash, first_seq, last_seq FROM batch
             WHERE {fits} AND {NOT_ANOTHERS} ORDER BY last_seq"
        );
        let found = self.link.query(&sql, &[(&handle, Type::TEXT)])?;
        let headers = found.iter().map(header_from).collect::<Result<_>>()?;
        self.with_changes(headers, None)
    }

    pub(super) fn headers_of(&self, ids: &[BatchId]) -> Result<Vec<StoredBatch>> {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let sql = format!(
            "SELECT key, body, hash, first_seq, last_seq FROM batch
             WHERE key = ANY($1) AND {NOT_ANOTHERS} ORDER BY first_seq"
        );
        let found = self.link.query(&sql, &[(&ids, Type::TEXT_ARRAY)])?;
        found.iter().map(header_from).collect()
    }

    pub(super) fn authors_of(&self, ids: &[BatchId]) -> Result<Vec<Option<String>>> {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let found = self.link.query(
            "SELECT b.author FROM unnest($1::text[]) WITH ORDINALITY AS w (key, at)
             LEFT JOIN batch AS b ON b.key = w.key ORDER BY w.at",
            &[(&ids, Type::TEXT_ARRAY)],
        )?;
        Ok(found.iter().map(|row| row.get(0)).collect())
    }

    /// Adds the changes of batches, without the rows as they were before; those of one cause come without any.
    fn with_changes(
        &self,
        mut batches: Vec<StoredBatch>,
        bare: Option<Cause>,
    ) -> Result<Vec<StoredBatch>> {
        let mut wanted: Vec<&mut StoredBatch> =
            batches.iter_mut().filter(|one| bare != Some(one.batch.cause)).collect();
        // What is asked for at once stays bounded.
        for some in wanted.chunks_mut(500) {
            let ids: Vec<String> = some.iter().map(|one| one.batch.id.to_string()).collect();
            let found = self.link.query(
                "SELECT seq, batch, body, before, hash FROM change WHERE batch = ANY($1) ORDER BY seq",
                &[(&ids, Type::TEXT_ARRAY)],
            )?;
            let mut changes: BTreeMap<&str, Vec<Change>> = BTreeMap::new();
            for row in &found {
                let here = changes.entry(row.get(1)).or_default();
                here.extend(unless_rotten(checked(row))?.map(|(_, change)| change));
            }
            for (stored, id) in some.iter_mut().zip(&ids) {
                stored.batch.changes = changes.remove(id.as_str()).unwrap_or_default();
            }
        }
        Ok(batches)
    }

    /// Every operation that waited for a person and that the log still tells in words.
    pub(super) fn deferred_of(&self, space: SpaceId) -> Result<Vec<Pending>> {
        // The names of the rows of a table lie together, and a `g` comes after every digit of an id.
        let logged = self.of_no_node(space, "pending ", "pending g", Rotten::LeftOut)?;
        let told = logged.iter().flat_map(deferred_in);
        let mut found: Vec<Pending> = told.filter(|one| one.space == space).cloned().collect();
        found.sort_by(|a, b| (a.id, a.at, &a.operation).cmp(&(b.id, b.at, &b.operation)));
        found.dedup();
        Ok(found)
    }

    /// The changes that touched rows of no node whose names lie between two names, in order.
    pub(super) fn of_no_node(
        &self,
        space: SpaceId,
        first: &str,
        last: &str,
        rotten: Rotten,
    ) -> Result<Vec<Logged>> {
        self.changes(
            "SELECT seq, batch, body, before, hash FROM change
             WHERE seq IN (SELECT seq FROM touch WHERE space = $1 AND node = ''
                             AND touched >= $2 AND touched <= $3) ORDER BY seq",
            &[(&self.wall(space), Type::INT8), (&first, Type::TEXT), (&last, Type::TEXT)],
            rotten,
        )
    }

    pub(super) fn changes_in(&self, space: SpaceId, batch: BatchId) -> Result<Vec<Logged>> {
        self.changes(
            "SELECT seq, batch, body, before, hash FROM change
             WHERE batch = $2 AND EXISTS (SELECT 1 FROM batch AS b WHERE b.space = $1 AND b.key = $2)
             ORDER BY seq",
            &[(&self.wall(space), Type::INT8), (&batch.to_string(), Type::TEXT)],
            Rotten::LeftOut,
        )
    }

    /// The changes that touched a node or a row that belongs to it, in order.
    pub(super) fn touching(
        &self,
        space: SpaceId,
        nodes: &[NodeId],
        rotten: Rotten,
    ) -> Result<Vec<Logged>> {
        let nodes: Vec<String> = nodes.iter().map(ToString::to_string).collect();
        self.changes(
            "SELECT seq, batch, body, before, hash FROM change
             WHERE seq IN (SELECT seq FROM touch WHERE space = $1 AND node = ANY($2)) ORDER BY seq",
            &[(&self.wall(space), Type::INT8), (&nodes, Type::TEXT_ARRAY)],
            rotten,
        )
    }

    pub(super) fn touched(
        &self,
        spaces: &[SpaceId],
        handle: &str,
    ) -> Result<Vec<(SpaceId, MemoryId)>> {
        let found = self.link.query(
            "SELECT DISTINCT space, node FROM touch
             WHERE space = ANY($1) AND node >= 'm:' AND node < 'm;'
               AND (starts_with(substr(node, 3), $2) OR right(node, length($2)) = $2)",
            &[(&self.walls(spaces), Type::INT8_ARRAY), (&handle, Type::TEXT)],
        )?;
        let mut touched: Vec<(SpaceId, MemoryId)> = found
            .iter()
            .filter_map(|row| {
                let node: NodeId = row.get::<_, &str>(1).parse().ok()?;
                Some((self.space(row.get(0)), node.memory()?))
            })
            .collect();
        touched.sort_unstable();
        Ok(touched)
    }

    pub(super) fn next_touch_of(
        &self,
        row: &RowKey,
        nodes: &[NodeId],
        seq: u64,
    ) -> Result<Option<Logged>> {
        let node = node_names(nodes).into_iter().next().unwrap_or_default();
        let found = self.changes(
            "SELECT seq, batch, body, before, hash FROM change
             WHERE seq = (SELECT min(seq) FROM touch
                          WHERE space = $1 AND node = $2 AND touched = $3 AND seq > $4)",
            &[
                (&self.wall(row.space), Type::INT8),
                (&node, Type::TEXT),
                (&row_name(row), Type::TEXT),
                (&seq.cast_signed(), Type::INT8),
            ],
            Rotten::LeftOut,
        )?;
        Ok(found.into_iter().next())
    }

    /// What is wrong with batches and changes: every one is read back against its hash.
    pub(super) fn rotten(&self) -> Result<Vec<String>> {
        let mut bad = Vec::new();
        let sql = "SELECT key, body, hash, first_seq, last_seq FROM batch";
        for row in self.link.query(sql, &[])? {
            bad.extend(header_from(&row).err().map(|error| error.to_string()));
        }
        for row in self.link.query("SELECT seq, batch, body, before, hash FROM change", &[])? {
            bad.extend(logged_from(&row).err().map(|error| error.to_string()));
        }
        Ok(bad)
    }

    fn changes(&self, sql: &str, params: &[Param<'_>], rotten: Rotten) -> Result<Vec<Logged>> {
        let found = self.link.query(sql, params)?;
        let mut changes = Vec::with_capacity(found.len());
        for row in &found {
            let read = logged_from(row);
            changes.extend(match rotten {
                Rotten::LeftOut => unless_rotten(read)?,
                Rotten::Refused => Some(read?),
            });
        }
        Ok(changes)
    }
}

pub(super) fn header_from(row: &PgRow) -> Result<StoredBatch> {
    let (key, body, hash): (&str, &str, &str) = (row.get(0), row.get(1), row.get(2));
    let bad =
        |detail: &str| Error::BadRow { what: format!("batch {key}"), detail: detail.to_owned() };
    if checksum(body) != hash {
        return Err(bad("its content does not match its hash"));
    }
    let batch: Batch = serde_json::from_str(body).map_err(|error| bad(&error.to_string()))?;
    let (first_seq, last_seq): (i64, i64) = (row.get(3), row.get(4));
    Ok(StoredBatch {
        first_seq: first_seq.unsigned_abs(),
        last_seq: last_seq.unsigned_abs(),
        batch,
    })
}

pub(super) fn logged_from(row: &PgRow) -> Result<Logged> {
    let (seq, change) = checked(row)?;
    let bad = |detail: String| Error::BadRow { what: format!("change {seq}"), detail };
    let before: Vec<Image> =
        serde_json::from_str(row.get(3)).map_err(|error| bad(error.to_string()))?;
    let batch: &str = row.get(1);
    let batch = batch.parse().map_err(|_| bad("its batch has no id".to_owned()))?;
    Ok(Logged { seq, batch, change, before })
}

/// The number and the change of a row of the log, after comparing its hash.
fn checked(row: &PgRow) -> Result<(u64, Change)> {
    let seq: i64 = row.get(0);
    let bad = |detail: String| Error::BadRow { what: format!("change {seq}"), detail };
    let (body, before): (&str, &str) = (row.get(2), row.get(3));
    if change_checksum(body, before) != row.get::<_, &str>(4) {
        return Err(bad("its content does not match its hash".to_owned()));
    }
    let change = serde_json::from_str(body).map_err(|error| bad(error.to_string()))?;
    Ok((seq.unsigned_abs(), change))
}
