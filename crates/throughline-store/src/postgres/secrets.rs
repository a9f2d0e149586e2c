//! Secrets that were kept before anybody recognised them, on a server: found by their traces here,
//! because the server must not be told what is looked for.

use throughline_core::trace::{clean_change, clean_header, clean_images, holds};
use throughline_core::{MemoryId, SpaceId, Table, Trace};
use tokio_postgres::Row as PgRow;
use tokio_postgres::types::Type;

use super::lease::Wire;
use super::log::{NOT_ANOTHERS, header_from, logged_from};
use super::rows::PgTables;
use super::write::Writing;
use crate::Result;
use crate::body::parse;
use crate::store::HeldSecrets;

/// Rows of the log that are read at a time.
const AT_ONCE: i64 = 1_000;

impl<L: Wire> PgTables<L> {
    /// What still holds one of the values, as far as whoever reads may see it.
    pub(super) fn secrets_held(&self, traces: &[Trace]) -> Result<HeldSecrets> {
        let mut held = HeldSecrets::default();
        for table in Table::ALL.iter().filter(|table| **table != Table::Tombstone) {
            for (wall, key, body, hash) in self.raw(*table)? {
                if held.look(self.space(wall), traces, &body) {
                    held.rows.push(parse(*table, &key, &body, &hash)?);
                }
            }
        }
        self.each_change(&mut |row| {
            for text in [2, 3] {
                held.look(self.space(row.get(5)), traces, row.get(text));
            }
            Ok(())
        })?;
        self.each_header(&mut |row| {
            held.look(self.space(row.get(5)), traces, row.get(1));
            Ok(())
        })?;
        Ok(held)
    }

    fn each_change(&self, each: &mut dyn FnMut(&PgRow) -> Result<()>) -> Result<()> {
        let sql = format!(
            "SELECT seq, batch, body, before, hash, space FROM change
             WHERE seq > $1 AND {NOT_ANOTHERS} ORDER BY seq LIMIT $2"
        );
        self.each_page(&sql, 0, each)
    }

    fn each_header(&self, each: &mut dyn FnMut(&PgRow) -> Result<()>) -> Result<()> {
        let sql = format!(
            "SELECT key, body, hash, first_seq, last_seq, space FROM batch
             WHERE last_seq > $1 AND {NOT_ANOTHERS} ORDER BY last_seq LIMIT $2"
        );
        self.each_page(&sql, 4, each)
    }

    /// Reads what a query finds page by page, by the number in one of its columns.
    fn each_page(
        &self,
        sql: &str,
        number: usize,
        each: &mut dyn FnMut(&PgRow) -> Result<()>,
    ) -> Result<()> {
        let mut after = 0_i64;
        loop {
            let page = self.link.query(sql, &[(&after, Type::INT8), (&AT_ONCE, Type::INT8)])?;
            for row in &page {
                each(row)?;
            }
            let Some(last) = page.last() else { return Ok(()) };
            after = last.get(number);
        }
    }
}

impl Writing<'_> {
    /// Takes a value out of the log, wherever it stands, and notes that something is to be erased.
    pub(super) fn scrub_secret(
        &mut self,
        space: SpaceId,
        (stone, trace): &(MemoryId, Trace),
    ) -> Result<()> {
        let traces = std::slice::from_ref(trace);
        self.buried.insert((self.tables.wall(space), stone.to_string()));
        let (mut changes, mut headers) = (Vec::new(), Vec::new());
        self.tables.each_change(&mut |row| {
            if holds(traces, row.get(2)) || holds(traces, row.get(3)) {
                changes.push(logged_from(row)?);
            }
            Ok(())
        })?;
        self.tables.each_header(&mut |row| {
            if holds(traces, row.get(1)) {
                headers.push(header_from(row)?);
            }
            Ok(())
        })?;
        for logged in changes {
            // Another secret of the same batch may have been taken out of it before.
            self.scrubbed.entry(logged.seq).or_insert(logged);
        }
        for logged in self.scrubbed.values_mut().chain(&mut self.logged) {
            clean_change(traces, &mut logged.change);
            clean_images(traces, &mut logged.before);
        }
        for stored in headers {
            if self.bare.iter().all(|one| one.batch.id != stored.batch.id) {
                self.bare.push(stored);
            }
        }
        for stored in self.bare.iter_mut().chain(&mut self.opened) {
            clean_header(traces, &mut stored.batch);
        }
        Ok(())
    }
}
