//! Link: one connection to a server, with every statement one round trip and none without a limit.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::future::{join, maybe_done, try_join, try_join_all};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{
    Client, NoTls, Row as PgRow, SimpleQueryMessage, SimpleQueryRow, Statement as Prepared,
};

use super::address::Address;
use super::found::{self, FoundServer};
use crate::{Error, Result};

/// The longest that anything may take of one statement.
const STATEMENT_LIMIT: Duration = Duration::from_secs(120);
/// The longest that a server may take to let somebody in: one that accepts connections and says nothing is not
/// waited for as long as for a statement.
const LOGIN_LIMIT: Duration = Duration::from_secs(10);
/// So long a connection is used before it is asked again whether walls stand.
const WALLS_LIMIT: Duration = Duration::from_secs(300);
/// A client that vanished inside a transaction gives the turn back after this.
const IDLE_LIMIT_MS: u64 = 30_000;

/// How the index of vectors is searched: on and on until there are enough that fit, in their true
/// order. Not compiled to machine code first, and not spread over several processes, which takes longer to
/// begin than any of our statements takes: they were started even for a part of a plan that reads nothing.
const NEAREST: &str = "SET hnsw.iterative_scan = strict_order; SET hnsw.ef_search = 512;
    SET hnsw.max_scan_tuples = 200000; SET jit = off; SET max_parallel_workers_per_gather = 0;";

/// So many statements are sent in their order; of more, the library would send some before others.
const TOGETHER: usize = 25;

/// A parameter of a statement and its type.
pub(super) type Param<'p> = (&'p (dyn ToSql + Sync), Type);

/// A statement with its parameters.
pub(super) struct Statement<'p> {
    pub(super) sql: String,
    pub(super) params: Vec<Param<'p>>,
}

/// Connection to a server.
pub(super) struct Link {
    runtime: Driver,
    client: Client,
    server: String,
    /// When whoever waits for the answer is gone.
    until: Mutex<Option<Instant>>,
    /// The role that the server knows us by.
    pub(super) role: String,
    /// Documents of a space up to which the nearest are searched one by one.
    scan_max: i64,
    /// What begins a transaction, sent with the first statement of it.
    begin: Mutex<Option<String>>,
    /// How often the server was asked and waited for, by all links of the store.
    trips: Arc<AtomicU64>,
    /// Statements that came more than once, as the server keeps them; `None` where one came once.
    prepared: Mutex<HashMap<String, Option<Prepared>>>,
    /// What the server was found to be when the link was opened.
    pub(super) found: FoundServer,
    /// When it was last seen that walls stand.
    walled_at: Mutex<Instant>,
}

/// Driver: what makes the connection go on. Whoever drops it may be a task of another one, which must not
/// wait for it.
struct Driver(Option<Runtime>);

impl Driver {
    fn new() -> std::io::Result<Self> {
        Builder::new_current_thread().enable_all().build().map(|runtime| Self(Some(runtime)))
    }

    fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.0.as_ref().expect("it is there until it is dropped").block_on(work)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Link {
    /// Connects, and makes every statement see our schema.
    pub(super) fn open(address: &Address, until: Option<Instant>) -> Result<Self> {
        let runtime = Driver::new().map_err(|error| Error::Unreachable {
            server: address.name.clone(),
            why: error.to_string(),
        })?;
        let connecting = async {
            if let Some(tls) = &address.tls {
                let (client, connection) = address.config.connect(tls.clone()).await?;
                tokio::spawn(connection);
                return Ok(client);
            }
            let (client, connection) = address.config.connect(NoTls).await?;
            tokio::spawn(connection);
            Ok(client)
        };
        let limit = limit(until).min(LOGIN_LIMIT);
        let connected = runtime.block_on(async { tokio::time::timeout(limit, connecting).await });
        let client = match connected {
            Ok(client) => client.map_err(|error| translate(&address.name, &error))?,
            Err(_) => return Err(late(&address.name, limit)),
        };
        let link = Self {
            runtime,
            client,
            server: address.name.clone(),
            until: Mutex::new(until),
            role: String::new(),
            scan_max: address.scan_max,
            begin: Mutex::default(),
            trips: Arc::clone(&address.trips),
            prepared: Mutex::default(),
            found: FoundServer::default(),
            walled_at: Mutex::new(Instant::now()),
        };
        if let Some(person) = &address.person {
            link.simple(&format!("SET ROLE \"{}\"", person.replace('"', "\"\"")))
                .map_err(|error| not_granted(&address.name, person, error))?;
        }
        let schema = &address.schema;
        let settings = format!(
            "SET search_path = {schema}, public, extensions; SET client_min_messages = warning;
             SET idle_in_transaction_session_timeout = {IDLE_LIMIT_MS}; {NEAREST}
             SET statement_timeout = {};
             SELECT current_user, current_setting('server_version_num'),
               EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'vector')",
            STATEMENT_LIMIT.as_millis()
        );
        // Sent with the settings. Where there is no schema yet, only this fails.
        let steps = FoundServer::steps_sql(schema);
        let (told, steps) = link.run(async {
            let steps = link.client.query_typed(&steps, &[]);
            let (told, steps) = join(link.client.simple_query(&settings), steps).await;
            Ok((told?, steps.ok()))
        })?;
        let told = told.into_iter().find_map(row_of);
        let told = |at: usize| told.as_ref().and_then(|row| row.get(at)).unwrap_or_default();
        let mut found = FoundServer {
            version: told(1).parse().unwrap_or(0) / 10_000,
            has_vectors: told(2) == "t",
            ..FoundServer::default()
        };
        let steps = steps.as_ref().and_then(|rows| rows.first());
        found.take_steps(steps.map(|row| (row.get(0), row.get(1))));
        found::refuse_open(&address.name, schema, found.open.iter().map(String::as_str))?;
        let role = told(0).to_owned();
        Ok(Self { role, found, ..link })
    }

    /// Asks again whether walls stand, where that was seen too long ago. A hook is over long before that.
    pub(super) fn look_at_walls(&self, schema: &str) -> Result<()> {
        let kept = || self.walled_at.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if kept().elapsed() < WALLS_LIMIT {
            return Ok(());
        }
        found::look_again(self, schema)?;
        *kept() = Instant::now();
        Ok(())
    }

    /// Sets when whoever waits for answers is gone.
    pub(super) fn answer_until(&self, until: Option<Instant>) {
        *self.until.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = until;
    }

    /// Whether it cannot be used any more.
    pub(super) fn is_broken(&self) -> bool {
        self.client.is_closed()
    }

    /// Documents of a space up to which the nearest are searched one by one.
    pub(super) fn exact_max(&self) -> &i64 {
        &self.scan_max
    }

    /// The server's name for people.
    pub(super) fn server(&self) -> &str {
        &self.server
    }

    /// Runs statements without parameters, one after the other, in one round trip. The rows of all of
    /// them.
    pub(super) fn simple(&self, sql: &str) -> Result<Vec<SimpleQueryRow>> {
        let messages = self.run(self.client.simple_query(sql))?;
        Ok(messages.into_iter().filter_map(row_of).collect())
    }

    /// Runs one statement.
    pub(super) fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<PgRow>> {
        let statement = Statement { sql: sql.to_owned(), params: params.to_vec() };
        Ok(self.all(std::slice::from_ref(&statement))?.pop().unwrap_or_default())
    }

    /// Runs a statement, as the server keeps it if it does.
    async fn send(
        &self,
        statement: &Statement<'_>,
        prepared: Option<Prepared>,
    ) -> std::result::Result<Vec<PgRow>, tokio_postgres::Error> {
        let Some(prepared) = prepared else {
            return self.client.query_typed(&statement.sql, &statement.params).await;
        };
        let values: Vec<&(dyn ToSql + Sync)> =
            statement.params.iter().map(|(value, _)| *value).collect();
        self.client.query(&prepared, &values).await
    }

    /// Statements as the server keeps them. One that comes with a second question is given to it to keep, so
    /// that it is not read and planned every time; what comes with one question only is not, however often:
    /// giving it costs a round trip, which a process that asks once never earns back.
    async fn prepared(
        &self,
        statements: &[Statement<'_>],
    ) -> std::result::Result<Vec<Option<Prepared>>, tokio_postgres::Error> {
        let kept = || self.prepared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut again: Vec<&Statement<'_>> = Vec::new();
        {
            let mut kept = kept();
            for one in statements {
                if matches!(kept.get(&one.sql), Some(None))
                    && again.iter().all(|other| other.sql != one.sql)
                {
                    again.push(one);
                }
            }
            for one in statements {
                kept.entry(one.sql.clone()).or_default();
            }
        }
        if !again.is_empty() {
            self.trips.fetch_add(1, Ordering::Relaxed);
            for some in again.chunks(TOGETHER) {
                let types: Vec<Vec<Type>> = some
                    .iter()
                    .map(|one| one.params.iter().map(|it| it.1.clone()).collect())
                    .collect();
                let sent = some.iter().zip(&types);
                let sent = sent.map(|(one, types)| self.client.prepare_typed(&one.sql, types));
                for (one, prepared) in some.iter().zip(try_join_all(sent).await?) {
                    kept().insert(one.sql.clone(), Some(prepared));
                }
            }
        }
        let kept = kept();
        Ok(statements.iter().map(|one| kept.get(&one.sql).cloned().flatten()).collect())
    }

    /// Begins a transaction together with the next statement, so that nobody waits for it.
    pub(super) fn begin_with_next(&self, begin: String) {
        *self.begin.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(begin);
    }

    fn taken_begin(&self) -> Option<String> {
        self.begin.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take()
    }

    /// Whether the server has closed the connection, as far as that has come through.
    pub(super) fn has_gone(&self) -> bool {
        self.runtime.block_on(async {
            for _ in 0..2 {
                tokio::task::yield_now().await;
            }
        });
        self.is_broken()
    }

    /// Whether the connection is lost, after a statement failed. A server that shuts down says so before it
    /// closes the connection.
    pub(super) fn is_lost(&self) -> bool {
        (0..20).any(|_| {
            let gone = self.has_gone();
            if !gone {
                std::thread::sleep(Duration::from_millis(1));
            }
            gone
        })
    }

    /// Runs statements in their order, in one round trip. The rows of each.
    pub(super) fn all(&self, statements: &[Statement<'_>]) -> Result<Vec<Vec<PgRow>>> {
        let mut rows = Vec::with_capacity(statements.len());
        for some in statements.chunks(TOGETHER) {
            let begin = self.taken_begin();
            rows.extend(self.run(async {
                let prepared = self.prepared(some).await?;
                let sent = some.iter().zip(prepared).map(|(one, kept)| self.send(one, kept));
                let sent = try_join_all(sent);
                match begin {
                    None => sent.await,
                    Some(begin) => Ok(try_join(self.client.simple_query(&begin), sent).await?.1),
                }
            })?);
        }
        Ok(rows)
    }

    /// Runs statements in one round trip, of which the second part is made while the server works on the
    /// first.
    pub(super) fn all_meanwhile<'s, T>(
        &self,
        first: &[Statement<'_>],
        more: &'s mut T,
        second: impl FnOnce(&'s mut T) -> Vec<Statement<'s>>,
    ) -> Result<Vec<Vec<PgRow>>> {
        let begin = self.taken_begin();
        self.run(async move {
            let prepared = self.prepared(first).await?;
            let sent = first.iter().zip(prepared).map(|(one, kept)| self.send(one, kept));
            let sent = try_join_all(sent);
            let sent = async {
                match begin {
                    None => sent.await,
                    Some(begin) => Ok(try_join(self.client.simple_query(&begin), sent).await?.1),
                }
            };
            let mut sent = std::pin::pin!(maybe_done(sent));
            tokio::time::timeout(Duration::ZERO, &mut sent).await.ok();
            for _ in 0..2 {
                tokio::task::yield_now().await;
            }
            let second = second(more);
            // Sent before the first answers are waited for, unless the server is to keep them.
            let rest = async {
                let prepared = self.prepared(&second).await?;
                let rest = second.iter().zip(prepared).map(|(one, kept)| self.send(one, kept));
                try_join_all(rest).await
            };
            let (rest, ()) = join(rest, &mut sent).await;
            let mut rows = sent.take_output().unwrap_or_else(|| Ok(Vec::new()))?;
            rows.extend(rest?);
            Ok(rows)
        })
    }

    /// Gives up what a transaction has done so far.
    pub(super) fn roll_back(&self) {
        if self.taken_begin().is_some() {
            return;
        }
        // Sent, and not waited for: whatever comes next on this connection comes after it. Where the
        // link is broken, the server does so itself.
        self.runtime.block_on(async {
            let sent = self.client.simple_query("ROLLBACK");
            tokio::time::timeout(Duration::ZERO, sent).await.ok();
            for _ in 0..2 {
                tokio::task::yield_now().await;
            }
        });
    }

    fn run<T>(
        &self,
        work: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        let until = *self.until.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let limit = limit(until);
        self.trips.fetch_add(1, Ordering::Relaxed);
        let done = self.runtime.block_on(async { tokio::time::timeout(limit, work).await });
        match done {
            Ok(done) => done.map_err(|error| translate(&self.server, &error)),
            Err(_) => Err(late(&self.server, limit)),
        }
    }
}

/// The row that a message of the server holds, if it does.
fn row_of(message: SimpleQueryMessage) -> Option<SimpleQueryRow> {
    if let SimpleQueryMessage::Row(row) = message { Some(row) } else { None }
}

/// A role that cannot be taken on, with what to do about it.
fn not_granted(server: &str, person: &str, error: Error) -> Error {
    let (Error::Denied { why, .. } | Error::Server { why, .. }) = error else { return error };
    let why = format!(
        "{why}; a server acts for {person:?} only where GRANT \"{person}\" TO its own role was run"
    );
    Error::Denied { server: server.to_owned(), why }
}

/// How long there is until a moment.
fn limit(until: Option<Instant>) -> Duration {
    until.map_or(STATEMENT_LIMIT, |until| until.saturating_duration_since(Instant::now()))
}

fn late(server: &str, limit: Duration) -> Error {
    let why = format!("it did not answer within {} ms", limit.as_millis());
    Error::Unreachable { server: server.to_owned(), why }
}

/// An error of the server, by what can be done about it.
pub(super) fn translate(server: &str, error: &tokio_postgres::Error) -> Error {
    let name = server.to_owned();
    let Some(told) = error.as_db_error() else {
        let why =
            std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
        return match why.as_str() {
            // The client's own words, without what to do.
            "password missing" => {
                let why = "it asks for a password, and none was found: in ~/.pgpass (or PGPASSFILE), which only you may be \
                           able to read, in PGPASSWORD, or in a service"
                    .to_owned();
                Error::Denied { server: name, why }
            }
            "server does not support TLS" => {
                let why = "it does not speak TLS: it needs `ssl = on` and a certificate, or, where the network is trusted, \
                           ?sslmode=disable in the address"
                    .to_owned();
                Error::Unreachable { server: name, why }
            }
            _ => Error::Unreachable { server: name, why },
        };
    };
    let mut why = told.message().to_owned();
    if why.ends_with("no encryption") {
        why.push_str("; ?sslmode=require in the address encrypts also on this machine");
    }
    let code = told.code();
    let denied = [
        SqlState::INVALID_PASSWORD,
        SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
        SqlState::INSUFFICIENT_PRIVILEGE,
        SqlState::INVALID_CATALOG_NAME,
    ];
    let gone = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        SqlState::QUERY_CANCELED,
    ];
    if *code == SqlState::LOCK_NOT_AVAILABLE {
        Error::Busy { waited_ms: 0 }
    } else if *code == SqlState::DISK_FULL {
        Error::Full
    } else if *code == SqlState::READ_ONLY_SQL_TRANSACTION {
        Error::NotWritable { path: name.into() }
    } else if denied.contains(code) {
        Error::Denied { server: name, why }
    } else if gone.contains(code) {
        Error::Unreachable { server: name, why }
    } else {
        let again = [SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE];
        Error::Server { server: name, why, again: again.contains(code) }
    }
}
