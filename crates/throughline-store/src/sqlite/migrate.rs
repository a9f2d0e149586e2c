//! Migrations: numbered, append-only, each in one transaction, never without a copy of what was.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior, params};
use throughline_core::text::sha256_hex;

use super::copy;
use crate::{Error, Result};

/// One step of the schema.
pub(super) struct Migration {
    number: u32,
    name: &'static str,
    sql: &'static str,
    /// What SQL alone cannot do, in the same transaction.
    then: fn(&Connection) -> Result<()>,
}

fn nothing(_: &Connection) -> Result<()> {
    Ok(())
}

/// Every step there ever was. A released step is never edited: its checksum is kept in the file.
pub(super) const MIGRATIONS: &[Migration] = &[
    Migration {
        number: 1,
        name: "foundation",
        sql: include_str!("../../migrations/sqlite/0001_foundation.sql"),
        then: nothing,
    },
    Migration {
        number: 2,
        name: "documents",
        sql: include_str!("../../migrations/sqlite/0002_documents.sql"),
        then: super::documents::rebuild,
    },
    Migration {
        number: 3,
        name: "review",
        sql: include_str!("../../migrations/sqlite/0003_review.sql"),
        then: nothing,
    },
    Migration {
        number: 4,
        name: "watch",
        sql: include_str!("../../migrations/sqlite/0004_watch.sql"),
        then: nothing,
    },
    Migration {
        number: 5,
        name: "leaves",
        sql: include_str!("../../migrations/sqlite/0005_leaves.sql"),
        then: nothing,
    },
    // Six and seven are steps that only a server needs.
    Migration {
        number: 8,
        name: "listing",
        sql: include_str!("../../migrations/sqlite/0008_listing.sql"),
        then: nothing,
    },
];

/// What to keep of a file before it is migrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeptCopy {
    /// A copy beside it.
    Copy,
    /// Nothing: it is a copy itself.
    Nothing,
}

/// The schema that these steps lead to.
pub(super) fn newest(migrations: &[Migration]) -> u32 {
    migrations.last().map_or(0, |migration| migration.number)
}

/// Brings the file to the newest schema. The caller holds the writer lock.
pub(super) fn migrate(
    connection: &mut Connection,
    path: &Path,
    migrations: &[Migration],
    keep: KeptCopy,
) -> Result<()> {
    // Another process may have migrated while we waited for the lock.
    let from: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if from == newest(migrations) {
        return Ok(());
    }
    if from > 0 && keep == KeptCopy::Copy {
        copy::copy(connection, &backup_path(path, from)?)?;
    }
    for migration in migrations.iter().filter(|migration| migration.number > from) {
        let step = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
        step.execute_batch(migration.sql)?;
        (migration.then)(&step)?;
        step.execute(
            "INSERT INTO migration (number, name, checksum) VALUES (?1, ?2, ?3)",
            params![migration.number, migration.name, sha256_hex(migration.sql.as_bytes())],
        )?;
        step.pragma_update(None, "user_version", migration.number)?;
        step.commit()?;
    }
    Ok(())
}

/// A free name for the copy made before migrating, in the `backups` folder beside the file.
fn backup_path(path: &Path, from: u32) -> Result<PathBuf> {
    let folder = path.with_file_name("backups");
    crate::folder::private_folder(&folder)
        .map_err(|source| Error::Io { path: folder.clone(), source })?;
    let free = (0..)
        .map(|n| folder.join(format!("before-migration-from-{from}.{n}.db")))
        .find(|candidate| !candidate.exists());
    Ok(free.expect("one of endlessly many names is free"))
}

/// Compares the steps recorded in the file with the steps this program knows.
pub(super) fn check(connection: &Connection) -> Result<Vec<String>> {
    let mut recorded = connection.prepare("SELECT number, checksum FROM migration")?;
    let rows = recorded
        .query_map([], |row| Ok((row.get::<_, u32>(0)?, row.get::<_, String>(1)?)))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(rows
        .iter()
        .filter(|(number, checksum)| {
            !MIGRATIONS
                .iter()
                .any(|step| step.number == *number && sha256_hex(step.sql.as_bytes()) == *checksum)
        })
        .map(|(number, _)| format!("migration {number} is not the one this program knows"))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEXT: Migration = Migration {
        number: 9,
        name: "next",
        sql: "CREATE TABLE next (a INTEGER) STRICT;",
        then: nothing,
    };
    const BROKEN: Migration = Migration {
        number: 9,
        name: "broken",
        sql: "CREATE TABLE half (a); CREATE NONSENSE;",
        then: nothing,
    };

    fn with(extra: Migration) -> Vec<Migration> {
        let copy = |step: &Migration| Migration { ..*step };
        MIGRATIONS.iter().map(copy).chain([extra]).collect()
    }

    fn fresh(folder: &Path) -> (PathBuf, Connection) {
        let path = folder.join("a.db");
        drop(crate::SqliteStore::open(&path).unwrap());
        let connection = Connection::open(&path).unwrap();
        (path, connection)
    }

    #[test]
    fn a_file_is_copied_aside_before_it_is_migrated() {
        let folder = tempfile::tempdir().unwrap();
        let (path, mut connection) = fresh(folder.path());
        migrate(&mut connection, &path, &with(NEXT), KeptCopy::Copy).unwrap();

        let version: u32 =
            connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
        assert_eq!(version, 9);
        let copy = folder.path().join("backups/before-migration-from-8.0.db");
        super::super::SqliteStore::inspect(&copy).unwrap();
        let newer = crate::SqliteStore::open(&path).unwrap_err();
        assert!(matches!(newer, Error::Newer { found: 9, known: 8, .. }), "{newer}");
    }

    #[test]
    fn a_migration_that_fails_leaves_the_file_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let (path, mut connection) = fresh(folder.path());
        migrate(&mut connection, &path, &with(BROKEN), KeptCopy::Copy).unwrap_err();

        let half: u32 = connection
            .query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'half'", [], |r| r.get(0))
            .unwrap();
        assert_eq!(half, 0);
        drop(connection);
        crate::SqliteStore::open(&path).unwrap();
    }
}
