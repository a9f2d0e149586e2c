//! What a server is found to be by the first question of every connection: its version, the steps of its schema, and
//! whether its walls stand.

use tokio_postgres::types::Type;

use super::link::Link;
use crate::{Error, Result};

/// The tables that have walls around them. That of members lets its owner pass, who looks members up for everybody.
pub(super) const WALLED: [&str; 27] = [
    "activity",
    "alias",
    "batch",
    "change",
    "document",
    "edge",
    "embedding",
    "entity",
    "episode",
    "erasure_due",
    "evidence",
    "injection",
    "leaf",
    "member",
    "memory",
    "near",
    "pending",
    "posting",
    "session",
    "session_size",
    "shelf",
    "slot",
    "space",
    "tombstone",
    "touch",
    "usage",
    "watermark",
];

/// What a server is found to be.
#[derive(Debug, Clone, Default)]
pub(super) struct FoundServer {
    /// Its version.
    pub(super) version: u32,
    /// Whether it has the extension.
    pub(super) has_vectors: bool,
    /// The steps of the schema that were done, each with its checksum; `None` where there is no schema, or none to be
    /// seen.
    pub(super) steps: Option<Vec<(u32, String)>>,
    /// The tables whose walls are down for this role.
    pub(super) open: Vec<String>,
}

impl FoundServer {
    /// Asks for the tables whose walls are down for whoever asks: of those that are there, where the server does not apply
    /// row-level security to this role, although it stands below it.
    pub(super) fn open_sql(schema: &str) -> String {
        let names = WALLED.map(|name| format!("'{name}'")).join(", ");
        format!(
            "SELECT coalesce(string_agg(t.name, ' ' ORDER BY t.name), '') AS open
             FROM unnest(ARRAY[{names}]) AS t (name)
             JOIN pg_class AS c ON c.oid = to_regclass('{schema}.' || t.name)
             WHERE NOT row_security_active(c.oid) AND NOT (c.relname = 'member' AND c.relrowsecurity)
               AND NOT (SELECT r.rolsuper OR r.rolbypassrls FROM pg_roles AS r WHERE r.rolname = current_user)"
        )
    }

    /// Asks for the steps of the schema, and for what the other question asks for. Fails where there is no schema.
    pub(super) fn steps_sql(schema: &str) -> String {
        format!(
            "SELECT (SELECT coalesce(string_agg(m.number || ':' || m.checksum, ' ' ORDER BY m.number), '')
               FROM {schema}.migration AS m), w.open FROM ({}) AS w",
            Self::open_sql(schema)
        )
    }

    /// Takes in the answer to the question for the steps, if there was one.
    pub(super) fn take_steps(&mut self, told: Option<(&str, &str)>) {
        let Some((steps, open)) = told else { return };
        let step = |one: &str| {
            let (number, checksum) = one.split_once(':')?;
            Some((number.parse().ok()?, checksum.to_owned()))
        };
        self.steps = Some(steps.split_whitespace().filter_map(step).collect());
        self.open = open.split_whitespace().map(str::to_owned).collect();
    }
}

/// Refuses a server that would show this role what is others'. The program asks only for spaces that somebody named, but
/// whoever has the same project names the same space.
pub(super) fn refuse_open<'a>(
    server: &str,
    schema: &str,
    open: impl IntoIterator<Item = &'a str>,
) -> Result<()> {
    let open: Vec<&str> = open.into_iter().collect();
    let Some(first) = open.first() else { return Ok(()) };
    let tables = if open.len() == 1 { "table" } else { "tables" };
    Err(Error::Unfit {
        server: server.to_owned(),
        lacks: format!(
            "has no walls around the {tables} {}: row-level security is off, so that anybody could read there what \
             others keep, and nothing is read or written until it is on; the owner of the schema runs ALTER TABLE \
             {schema}.{first} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY for each of them",
            open.join(", ")
        ),
    })
}

/// Asks a connection that has been open for a while whether walls still stand.
pub(super) fn look_again(link: &Link, schema: &str) -> Result<()> {
    let told = link.simple(&FoundServer::open_sql(schema))?;
    let open = told.first().and_then(|row| row.get(0)).unwrap_or_default();
    refuse_open(link.server(), schema, open.split_whitespace())
}

/// The walled tables of a schema, each with whether everybody but the owner of that of members is behind its wall.
pub(super) fn walls(link: &Link, schema: &str) -> Result<Vec<(String, bool)>> {
    let rows = link.query(
        "SELECT c.relname::text, c.relrowsecurity AND (c.relforcerowsecurity OR c.relname = 'member')
         FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'space'
         WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p') ORDER BY 1",
        &[(&schema, Type::TEXT)],
    )?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}
