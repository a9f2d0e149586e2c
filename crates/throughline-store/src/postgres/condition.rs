//! How a server does, for whoever runs it: versions, indexes, bloat, replication, walls.

use tokio_postgres::types::Type;

use super::found;
use super::link::Link;
use crate::Result;
use crate::store::Condition;

/// The oldest pgvector that is tested.
const VECTOR_OLDEST: (u32, u32) = (0, 8);
/// Dead rows from which on a table is worth a vacuum, and their share.
const DEAD_ROWS: i64 = 10_000;
const DEAD_SHARE: f64 = 0.2;

/// Looks at everything.
pub(super) fn conditions(link: &Link, schema: &str) -> Result<Vec<Condition>> {
    let mut found = vec![versions(link)?, indexes(link, schema)?, bloat(link, schema)?];
    found.extend(replication(link)?);
    found.push(walls(link, schema)?);
    Ok(found)
}

fn fine(name: &'static str, detail: String) -> Condition {
    Condition { name, detail, hint: None, wrong: false }
}

fn note(name: &'static str, detail: String, hint: &'static str) -> Condition {
    Condition { name, detail, hint: Some(hint), wrong: false }
}

fn wrong(name: &'static str, detail: String, hint: &'static str) -> Condition {
    Condition { name, detail, hint: Some(hint), wrong: true }
}

fn versions(link: &Link) -> Result<Condition> {
    let rows = link.query(
        "SELECT current_setting('server_version'),
           (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
           (SELECT default_version FROM pg_available_extensions WHERE name = 'vector')",
        &[],
    )?;
    let (server, vector, offered): (&str, Option<&str>, Option<&str>) =
        (rows[0].get(0), rows[0].get(1), rows[0].get(2));
    let name = "server";
    let Some(vector) = vector else {
        let detail = format!("PostgreSQL {server}, without the extension vector");
        return Ok(wrong(name, detail, "run CREATE EXTENSION vector as an administrator"));
    };
    let detail = format!("PostgreSQL {server}, pgvector {vector}");
    let mut parts = vector.split('.').map(|part| part.parse().unwrap_or(0));
    let number = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    Ok(if number < VECTOR_OLDEST {
        let hint = "pgvector 0.8 is the oldest that is tested: install it, then run ALTER EXTENSION \
                    vector UPDATE";
        wrong(name, detail, hint)
    } else if offered.is_some_and(|offered| offered != vector) {
        let detail = format!("{detail}; {} is installed", offered.unwrap_or_default());
        note(name, detail, "ALTER EXTENSION vector UPDATE takes it over")
    } else {
        fine(name, detail)
    })
}

/// Indexes that a build which was cut short left behind. Those that are missing are found with the rows.
fn indexes(link: &Link, schema: &str) -> Result<Condition> {
    let rows = link.query(
        "SELECT i.relname::text, x.indisvalid AND x.indisready AND x.indislive
         FROM pg_class AS i JOIN pg_index AS x ON x.indexrelid = i.oid
         WHERE i.relnamespace = to_regnamespace($1) ORDER BY 1",
        &[(&schema, Type::TEXT)],
    )?;
    let broken = rows.iter().filter(|row| !row.get::<_, bool>(1));
    let broken: Vec<&str> = broken.map(|row| row.get(0)).collect();
    Ok(if broken.is_empty() {
        fine("indexes", format!("{}, all valid", rows.len()))
    } else {
        let detail = format!("not valid: {}", broken.join(", "));
        wrong("indexes", detail, "REINDEX INDEX CONCURRENTLY builds each of them anew")
    })
}

fn bloat(link: &Link, schema: &str) -> Result<Condition> {
    let rows = link.query(
        "SELECT s.relname::text, s.n_live_tup, s.n_dead_tup, pg_total_relation_size(s.relid)
         FROM pg_stat_user_tables AS s WHERE s.schemaname = $1 ORDER BY s.n_dead_tup DESC, 1",
        &[(&schema, Type::TEXT)],
    )?;
    let (mut bytes, mut dead) = (0, 0);
    let mut bloated = Vec::new();
    for row in &rows {
        let (table, lives, dies): (&str, i64, i64) = (row.get(0), row.get(1), row.get(2));
        bytes += row.get::<_, i64>(3);
        dead += dies;
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let share = dies as f64 / (lives + dies).max(1) as f64;
        if dies >= DEAD_ROWS && share > DEAD_SHARE {
            bloated.push(format!("{table} ({:.0} % of {})", share * 100.0, lives + dies));
        }
    }
    let size = format!("{} MiB, {dead} dead rows", bytes >> 20);
    Ok(if bloated.is_empty() {
        fine("bloat", size)
    } else {
        let detail = format!("{size}; mostly dead: {}", bloated.join(", "));
        note("bloat", detail, "VACUUM (ANALYZE) takes them away; see whether autovacuum keeps up")
    })
}

fn replication(link: &Link) -> Result<Vec<Condition>> {
    let rows = link.query(
        "SELECT pg_is_in_recovery(), current_setting('synchronous_standby_names'),
           (SELECT count(*) FROM pg_stat_replication),
           (SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')),
           (SELECT count(*) FROM pg_stat_replication WHERE state IS NULL),
           (SELECT coalesce(max(extract(epoch FROM replay_lag)), 0)::float8 FROM pg_stat_replication),
           CASE WHEN pg_is_in_recovery() THEN
             coalesce(extract(epoch FROM now() - pg_last_xact_replay_timestamp()), 0)::float8 END",
        &[],
    )?;
    let row = &rows[0];
    let name = "replication";
    if row.get(0) {
        let behind: Option<f64> = row.get(6);
        let detail = format!(
            "this is a standby, {:.1} s after its last change; nothing can be written here",
            behind.unwrap_or(0.0)
        );
        let hint = "name the primary too: postgresql://USER@A,B/DATABASE finds the one that takes \
                    writes";
        return Ok(vec![note(name, detail, hint)]);
    }
    let wanted: &str = row.get(1);
    let (all, sync, hidden): (i64, i64, i64) = (row.get(2), row.get(3), row.get(4));
    let standbys = format!("{all} standby{}", if all == 1 { "" } else { "s" });
    Ok(vec![if hidden > 0 {
        fine(name, format!("{standbys}; how they do is told to roles in pg_monitor"))
    } else if !wanted.is_empty() && sync == 0 {
        let detail = format!("synchronous_standby_names is {wanted:?}, and none of them is there");
        wrong(name, detail, "every write waits until one is: start it, or take the setting away")
    } else if all == 0 {
        fine(name, "no standby".to_owned())
    } else {
        let lag: f64 = row.get(5);
        fine(name, format!("{standbys}, {sync} synchronous, at most {lag:.1} s behind"))
    }])
}

fn walls(link: &Link, schema: &str) -> Result<Condition> {
    let rows = link
        .query("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user", &[])?;
    let above = rows.first().is_some_and(|row| row.get(0));
    let tables = found::walls(link, schema)?;
    let (all, walled) = (tables.len(), tables.iter().filter(|(_, walled)| *walled).count());
    let name = "walls";
    let detail = format!("row-level security is on for {walled} of {all} tables");
    Ok(if walled < all {
        let hint = "ALTER TABLE … ENABLE ROW LEVEL SECURITY, and FORCE ROW LEVEL SECURITY: until then \
                    everybody who may connect can read them";
        wrong(name, detail, hint)
    } else if above {
        let detail = format!("{detail}, and the role {} is above it", link.role);
        note(name, detail, "a role for daily work has neither SUPERUSER nor BYPASSRLS")
    } else {
        fine(name, detail)
    })
}
