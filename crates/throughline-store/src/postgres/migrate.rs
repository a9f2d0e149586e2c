//! Migrations of a server: the numbers of SQLite's, each in one transaction, one migrator at a time. A
//! step that only a server needs has a number that SQLite leaves out.

use std::sync::LazyLock;

use throughline_core::text::sha256_hex;
use tokio_postgres::types::Type;

use super::found::FoundServer;
use super::link::Link;
use crate::{Error, Result};

/// One step of the schema.
struct PgMigration {
    number: u32,
    name: &'static str,
    sql: &'static str,
}

/// Every step there ever was. A released step is never edited: its checksum is kept in the database.
const MIGRATIONS: &[PgMigration] = &[
    PgMigration {
        number: 1,
        name: "foundation",
        sql: include_str!("../../migrations/postgres/0001_foundation.sql"),
    },
    PgMigration {
        number: 2,
        name: "documents",
        sql: include_str!("../../migrations/postgres/0002_documents.sql"),
    },
    PgMigration {
        number: 3,
        name: "review",
        sql: include_str!("../../migrations/postgres/0003_review.sql"),
    },
    PgMigration {
        number: 4,
        name: "watch",
        sql: include_str!("../../migrations/postgres/0004_watch.sql"),
    },
    PgMigration {
        number: 5,
        name: "leaves",
        sql: include_str!("../../migrations/postgres/0005_leaves.sql"),
    },
    PgMigration {
        number: 6,
        name: "nearest",
        sql: include_str!("../../migrations/postgres/0006_nearest.sql"),
    },
    PgMigration {
        number: 7,
        name: "turns",
        sql: include_str!("../../migrations/postgres/0007_turns.sql"),
    },
    PgMigration {
        number: 8,
        name: "listing",
        sql: include_str!("../../migrations/postgres/0008_listing.sql"),
    },
];

/// The oldest server that is tested.
const OLDEST: u32 = 15;

/// The number of the lock that migrators hold.
const LOCK: i64 = 0x7468_726f_7567_6801;

fn newest() -> u32 {
    MIGRATIONS.last().map_or(0, |migration| migration.number)
}

/// The names of the indexes that the steps make, and that no later step drops.
pub(super) fn indexes() -> impl Iterator<Item = &'static str> {
    let mut made = Vec::new();
    for line in MIGRATIONS.iter().flat_map(|step| step.sql.lines().map(str::trim_start)) {
        if let Some(name) = line.strip_prefix("DROP INDEX IF EXISTS ") {
            made.retain(|one| *one != name.trim_end_matches(';'));
        } else if let Some(rest) = line.strip_prefix("CREATE ") {
            let rest = rest.strip_prefix("UNIQUE ").unwrap_or(rest).strip_prefix("INDEX ");
            made.extend(rest.and_then(|rest| rest.split_whitespace().next()));
        }
    }
    made.into_iter()
}

/// Brings the schema to the newest version, unless the link found it there.
pub(super) fn prepare(link: &Link, schema: &str) -> Result<()> {
    let FoundServer { version, has_vectors, ref steps, .. } = link.found;
    let unfit = |lacks: String| Error::Unfit { server: link.server().to_owned(), lacks };
    if version < OLDEST {
        return Err(unfit(format!(
            "is PostgreSQL {version}, which is too old: {OLDEST} or newer is needed"
        )));
    }
    if let Some(steps) = steps {
        let last = steps.iter().map(|(number, _)| *number).max().unwrap_or(0);
        let last = not_newer(link, last)?;
        // A table of another form than the program thinks would be read and written wrongly.
        if let Some(strange) = strange(steps).next() {
            return Err(unfit(format!(
                "has another step {strange} of its schema than this program: it was changed by hand, or made by another \
                 build; nothing is read or written. Use the build that made it, and copy the memory to another schema \
                 with `store copy --to`"
            )));
        }
        if last == newest() {
            return Ok(());
        }
    }
    if !has_vectors && let Err(error) = link.simple("CREATE EXTENSION IF NOT EXISTS vector") {
        return Err(unfit(format!(
            "has no pgvector, and it cannot be added ({error}); install the package \
             (postgresql-{version}-pgvector) and run CREATE EXTENSION vector as an administrator"
        )));
    }
    migrate(link, schema)
}

/// The number of the last step that was done.
fn number(link: &Link) -> Result<u32> {
    let found = link.query("SELECT coalesce(max(number), 0) FROM migration", &[])?;
    let number: i32 = found[0].get(0);
    not_newer(link, number.unsigned_abs())
}

/// The number of a step, unless this program does not know it.
fn not_newer(link: &Link, found: u32) -> Result<u32> {
    let known = newest();
    if found > known {
        return Err(Error::Newer { path: link.server().into(), found, known });
    }
    Ok(found)
}

fn migrate(link: &Link, schema: &str) -> Result<()> {
    link.simple(&format!("SELECT pg_advisory_lock({LOCK})"))?;
    let done = steps(link, schema);
    link.simple(&format!("SELECT pg_advisory_unlock({LOCK})")).ok();
    done
}

fn steps(link: &Link, schema: &str) -> Result<()> {
    // Whoever held the lock before may have done it all.
    let known =
        link.query("SELECT to_regclass($1 || '.migration') IS NOT NULL", &[(&schema, Type::TEXT)])?;
    let from = if known[0].get(0) { number(link)? } else { 0 };
    if from == 0 {
        link.simple(&format!(
            "CREATE SCHEMA IF NOT EXISTS {schema}; GRANT USAGE ON SCHEMA {schema} TO PUBLIC"
        ))?;
    }
    for step in MIGRATIONS.iter().filter(|step| step.number > from) {
        let checksum = sha256_hex(step.sql.as_bytes());
        let done = link.simple(&format!(
            "BEGIN; {}; INSERT INTO migration (number, name, checksum) VALUES ({}, '{}', '{checksum}');
             COMMIT",
            step.sql, step.number, step.name,
        ));
        if done.is_err() {
            link.roll_back();
        }
        done?;
    }
    Ok(())
}

/// The steps recorded in a database that are not those this program knows.
fn strange(steps: &[(u32, String)]) -> impl Iterator<Item = u32> {
    static KNOWN: LazyLock<Vec<(u32, String)>> = LazyLock::new(|| {
        let step = |step: &PgMigration| (step.number, sha256_hex(step.sql.as_bytes()));
        MIGRATIONS.iter().map(step).collect()
    });
    steps.iter().filter(|step| !KNOWN.contains(step)).map(|(number, _)| *number)
}

/// Compares the steps recorded in the database with the steps this program knows.
pub(super) fn check(link: &Link) -> Result<Vec<String>> {
    let rows = link.query("SELECT number, checksum FROM migration ORDER BY number", &[])?;
    let rows = rows.iter().map(|row| (row.get::<_, i32>(0).unsigned_abs(), row.get(1)));
    let steps: Vec<(u32, String)> = rows.collect();
    let strange = strange(&steps);
    Ok(strange
        .map(|number| format!("migration {number} is not the one this program knows"))
        .collect())
}
