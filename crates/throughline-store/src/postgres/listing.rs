//! Listings on a server: memories, sessions, turns and entities, page by page.

use std::collections::BTreeMap;

use throughline_core::{Entity, EntityKind, Row, SessionId, SpaceId, Table};
use tokio_postgres::types::Type;

use super::lease::Wire;
use super::link::{Param, Statement};
use super::read::{names, newest_first};
use super::rows::{PgTables, read};
use crate::Result;
use crate::damage::unless_rotten;
use crate::query::{FromSession, FromTurn, MemoryPage, MemoryQuery, SessionPage, TurnPage};

fn counted(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

const NARROWED: &str = "m.space = ANY($1) AND (m.session IS NULL OR m.session = $2 OR $8)
    AND (cardinality($3::text[]) = 0 OR m.state = ANY($3))
    AND (cardinality($4::text[]) = 0 OR m.kind = ANY($4))
    AND ($5::text IS NULL OR m.domain = $5)
    AND ($6::text IS NULL OR EXISTS (
          SELECT 1 FROM alias AS a JOIN edge AS e
            ON e.space = a.space AND e.src = 'm:' || m.key
           AND e.relation = 'tagged' AND e.dst = 'n:' || a.entity
          WHERE a.space = m.space AND md5(a.name) = md5($6) AND a.name = $6))";

impl<L: Wire> PgTables<L> {
    /// Memories that fit, the newest first.
    pub(super) fn memory_page(&self, query: &MemoryQuery) -> Result<MemoryPage> {
        let walls = self.walls(&query.spaces);
        let session = query.session.as_ref().map(ToString::to_string);
        let (states, kinds) = (names(&query.states), names(&query.kinds));
        let (taken, skipped) = (counted(query.limit), counted(query.offset));
        let after_at = query.after.map(|(at, _)| at.as_millis());
        let after_id = query.after.map(|(_, id)| id.to_string());
        let params = || -> Vec<Param<'_>> {
            vec![
                (&walls, Type::INT8_ARRAY),
                (&session, Type::TEXT),
                (&states, Type::TEXT_ARRAY),
                (&kinds, Type::TEXT_ARRAY),
                (&query.domain, Type::TEXT),
                (&query.tag, Type::TEXT),
                (&taken, Type::INT8),
                (&query.any_session, Type::BOOL),
                (&after_at, Type::INT8),
                (&after_id, Type::TEXT),
                (&skipped, Type::INT8),
            ]
        };
        let found = self.link.all(&[
            Statement {
                sql: format!(
                    "SELECT one.key, one.body, one.hash FROM memory AS one JOIN
                       (SELECT m.space, m.key FROM memory AS m WHERE {NARROWED}
                          AND ($9::bigint IS NULL OR (m.recorded_at, m.key) < ($9, $10))
                        ORDER BY m.recorded_at DESC, m.key DESC LIMIT $7 OFFSET $11) AS page
                     ON one.space = page.space AND one.key = page.key"
                ),
                params: params(),
            },
            Statement {
                sql: format!(
                    "SELECT count(*) FROM memory AS m WHERE {NARROWED} AND $7 IS NOT NULL AND $11 IS NOT NULL
                       AND ($9::bigint IS NULL OR $10::text IS NOT NULL)"
                ),
                params: params(),
            },
        ])?;
        let mut memories = Vec::new();
        for row in &found[0] {
            memories.extend(unless_rotten(read(Table::Memory, row))?.and_then(Row::into_memory));
        }
        let total: i64 = found[1][0].get(0);
        let total = usize::try_from(total).unwrap_or(0);
        Ok(MemoryPage { items: newest_first(memories), total })
    }

    /// Sessions of some spaces, the latest first.
    pub(super) fn session_page(
        &self,
        spaces: &[SpaceId],
        from: &FromSession,
        limit: usize,
    ) -> Result<SessionPage> {
        let walls = self.walls(spaces);
        let (taken, skipped) = (counted(limit), counted(from.skipped()));
        let (at, id) = from.after().map(|(at, id)| (at.to_string(), id.0.clone())).unzip();
        let found = self.link.all(&[
            Statement {
                sql: "SELECT key, body, hash FROM session WHERE space = ANY($1)
                      AND ($4::text IS NULL
                           OR (body::jsonb ->> 'started_at' COLLATE \"C\", key) < ($4, $5))
                      ORDER BY body::jsonb ->> 'started_at' COLLATE \"C\" DESC, key DESC
                      LIMIT $2 OFFSET $3"
                    .to_owned(),
                params: vec![
                    (&walls, Type::INT8_ARRAY),
                    (&taken, Type::INT8),
                    (&skipped, Type::INT8),
                    (&at, Type::TEXT),
                    (&id, Type::TEXT),
                ],
            },
            Statement {
                sql: "SELECT count(*) FROM session WHERE space = ANY($1)".to_owned(),
                params: vec![(&walls, Type::INT8_ARRAY)],
            },
        ])?;
        let mut items = Vec::with_capacity(found[0].len());
        for row in &found[0] {
            if let Some(Row::Session(session)) = unless_rotten(read(Table::Session, row))? {
                items.push(session);
            }
        }
        let total: i64 = found[1][0].get(0);
        Ok(SessionPage { items, total: usize::try_from(total).unwrap_or(0) })
    }

    /// Turns of one session, in order.
    pub(super) fn turn_page(
        &self,
        space: SpaceId,
        session: &SessionId,
        from: &FromTurn,
        limit: usize,
    ) -> Result<TurnPage> {
        let wall = self.wall(space);
        let (taken, skipped) = (counted(limit), counted(from.skipped()));
        let position = |position: u64| i64::try_from(position).unwrap_or(i64::MAX);
        let seen = from.after().map(|(at, id)| (position(*at), id.to_string()));
        let (position, id): (Option<i64>, Option<String>) = seen.unzip();
        let found = self.link.all(&[
            Statement {
                sql: "SELECT key, body, hash FROM episode WHERE space = $1 AND session = $2
                      AND ($5::int8 IS NULL OR (position, key) > ($5, $6))
                      ORDER BY position, key LIMIT $3 OFFSET $4"
                    .to_owned(),
                params: vec![
                    (&wall, Type::INT8),
                    (&session.0, Type::TEXT),
                    (&taken, Type::INT8),
                    (&skipped, Type::INT8),
                    (&position, Type::INT8),
                    (&id, Type::TEXT),
                ],
            },
            Statement {
                sql: "SELECT count(*) FROM episode WHERE space = $1 AND session = $2".to_owned(),
                params: vec![(&wall, Type::INT8), (&session.0, Type::TEXT)],
            },
        ])?;
        let mut items = Vec::with_capacity(found[0].len());
        for row in &found[0] {
            if let Some(Row::Episode(turn)) = unless_rotten(read(Table::Episode, row))? {
                items.push(turn);
            }
        }
        let total: i64 = found[1][0].get(0);
        Ok(TurnPage { items, total: usize::try_from(total).unwrap_or(0) })
    }

    /// Entities of some kinds (none given: all), by id, each with the number of edges that lead to it.
    pub(super) fn counted_entities(
        &self,
        space: SpaceId,
        kinds: &[EntityKind],
    ) -> Result<Vec<(Entity, usize)>> {
        let wall = self.wall(space);
        let kinds: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        let found = self.link.all(&[
            Statement {
                sql: "SELECT key, body, hash FROM entity WHERE space = $1
                      AND (cardinality($2::text[]) = 0 OR kind = ANY($2)) ORDER BY key"
                    .to_owned(),
                params: vec![(&wall, Type::INT8), (&kinds, Type::TEXT_ARRAY)],
            },
            Statement {
                sql: "SELECT dst, count(*) FROM edge
                      WHERE space = $1 AND dst >= 'n:' AND dst < 'n;' GROUP BY dst"
                    .to_owned(),
                params: vec![(&wall, Type::INT8)],
            },
        ])?;
        let counts: BTreeMap<String, i64> =
            found[1].iter().map(|row| (row.get(0), row.get(1))).collect();
        let mut entities = Vec::with_capacity(found[0].len());
        for row in &found[0] {
            let row = unless_rotten(read(Table::Entity, row))?;
            if let Some(entity) = row.and_then(Row::into_entity) {
                let count = counts.get(&format!("n:{}", entity.id)).copied().unwrap_or(0);
                entities.push((entity, usize::try_from(count).unwrap_or(0)));
            }
        }
        Ok(entities)
    }

    /// Entities of one kind, the newest first.
    pub(super) fn newest_entities(
        &self,
        space: SpaceId,
        kind: EntityKind,
        limit: usize,
    ) -> Result<Vec<Entity>> {
        let rows = self.collect(
            Table::Entity,
            "SELECT key, body, hash FROM entity
             WHERE space = $1 AND kind = $2 ORDER BY key DESC LIMIT $3",
            &[
                (&self.wall(space), Type::INT8),
                (&kind.as_str(), Type::TEXT),
                (&counted(limit), Type::INT8),
            ],
        )?;
        Ok(rows.into_iter().filter_map(Row::into_entity).collect())
    }
}
