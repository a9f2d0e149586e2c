//! Lease: a connection that is inside a transaction, and given back when it is over. One that only reads
//! begins anew on another connection where the first was lost before it answered anything.

use std::cell::{Cell, OnceCell};
use std::ops::Deref;

use tokio_postgres::Row as PgRow;

use super::PgStore;
use super::link::{Link, Param, Statement};
use crate::{Error, Result};

/// Wire: a connection as statements are sent over it.
pub(super) trait Wire: Deref<Target = Link> {
    /// Whether what failed may be asked again: the connection was lost before the transaction saw anything,
    /// and there is another one now.
    fn has_begun_anew(&self) -> bool {
        false
    }

    /// Notes that the server answered: from now on the transaction sees one moment, which no other
    /// connection would see.
    fn note_answer(&self) {}

    /// Runs statements in their order, in one round trip. The rows of each.
    fn all(&self, statements: &[Statement<'_>]) -> Result<Vec<Vec<PgRow>>> {
        let answer = match Link::all(self, statements) {
            Err(Error::Unreachable { .. }) if self.has_begun_anew() => Link::all(self, statements),
            answer => answer,
        };
        if answer.is_ok() {
            self.note_answer();
        }
        answer
    }

    /// Runs one statement.
    fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<PgRow>> {
        let statement = Statement { sql: sql.to_owned(), params: params.to_vec() };
        Ok(self.all(std::slice::from_ref(&statement))?.pop().unwrap_or_default())
    }
}

/// A connection that somebody else leased.
impl Wire for &Link {}

/// A connection that is inside a transaction.
pub(super) struct Lease<'s> {
    store: &'s PgStore,
    link: Option<Link>,
    /// The connection that took its place.
    instead: OnceCell<Link>,
    /// What begins the transaction, where it only reads and nothing was read yet.
    begin: Cell<Option<String>>,
}

impl<'s> Lease<'s> {
    pub(super) fn new(store: &'s PgStore, link: Link) -> Self {
        Self { store, link: Some(link), instead: OnceCell::new(), begin: Cell::default() }
    }

    /// A connection on which a transaction that only reads begins with the first statement.
    pub(super) fn reading(store: &'s PgStore, link: Link, begin: &str) -> Self {
        link.begin_with_next(begin.to_owned());
        let lease = Self::new(store, link);
        lease.begin.set(Some(begin.to_owned()));
        lease
    }

    /// Gives the connection back after its transaction ended.
    pub(super) fn give_back(mut self) {
        if let Some(link) = self.taken() {
            self.store.keep(link);
        }
    }

    fn taken(&mut self) -> Option<Link> {
        let first = self.link.take();
        self.instead.take().or(first)
    }
}

impl Wire for Lease<'_> {
    fn has_begun_anew(&self) -> bool {
        let Some(begin) = self.begin.take() else { return false };
        if !self.is_lost() {
            return false;
        }
        let Ok(link) = self.store.connect() else { return false };
        link.begin_with_next(begin);
        self.instead.set(link).is_ok()
    }

    fn note_answer(&self) {
        self.begin.take();
    }
}

impl Deref for Lease<'_> {
    type Target = Link;

    fn deref(&self) -> &Link {
        let link = self.instead.get().or(self.link.as_ref());
        link.expect("a lease has its link until it is given back")
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        // What was not committed is not wanted, also where a planner panicked.
        if let Some(link) = self.taken() {
            link.roll_back();
            self.store.keep(link);
        }
    }
}
