//! Flushing: what a batch came to, as the few statements that write it.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::{Change, Logged, Row, RowKey, SpaceId, Table};
use tokio_postgres::types::Type;

use super::documents::{Rewrite, searched_in};
use super::link::{Param, Statement};
use super::rows::{Columns, Keys, slot_cells};
use super::write::{Writing, claim};
use crate::Result;
use crate::body::{change_checksum, checksum, header, node_names, row_name};
use crate::tables::{nodes_of_key, text_of, touched_rows};

/// Changes of the log as parameters.
#[derive(Default)]
struct LogColumns {
    walls: Vec<i64>,
    seqs: Vec<i64>,
    batches: Vec<String>,
    bodies: Vec<String>,
    befores: Vec<String>,
    hashes: Vec<String>,
    turns: Vec<bool>,
}

impl LogColumns {
    fn push(&mut self, wall: i64, logged: &Logged) {
        let body = serde_json::to_string(&logged.change).expect("plain data serialises");
        let before = serde_json::to_string(&logged.before).expect("plain data serialises");
        self.walls.push(wall);
        self.seqs.push(logged.seq.cast_signed());
        self.batches.push(logged.batch.to_string());
        self.hashes.push(change_checksum(&body, &before));
        self.bodies.push(body);
        self.befores.push(before);
        self.turns.push(matches!(logged.change, Change::Record(_)));
    }
}

/// Which change touched which row, as parameters.
#[derive(Default)]
struct TouchColumns {
    walls: Vec<i64>,
    nodes: Vec<String>,
    rows: Vec<String>,
    seqs: Vec<i64>,
}

/// What is kept beside rows and told by them alone, as parameters.
#[derive(Default)]
struct SideColumns {
    slot_gone: Keys2,
    slots: SlotColumns,
    alias_gone: Keys2,
    aliases: AliasColumns,
    vectors_gone: Keys2,
}

/// Walls, memories, slots, values, and whether there is only one.
type SlotColumns = (Vec<i64>, Vec<String>, Vec<String>, Vec<String>, Vec<bool>);

/// Walls, entities, numbers and names.
type AliasColumns = (Vec<i64>, Vec<String>, Vec<i32>, Vec<String>);

/// Walls and names, side by side.
type Keys2 = (Vec<i64>, Vec<String>);

fn params2(keys: &Keys2) -> Vec<Param<'_>> {
    vec![(&keys.0, Type::INT8_ARRAY), (&keys.1, Type::TEXT_ARRAY)]
}

impl Writing<'_> {
    /// Writes everything and commits, in one round trip after what has to be looked up: takes the locks
    /// that are lacking first, and has the server number the batch last, because until then others may
    /// write to other spaces. The number of the last change, and whether an erasure is due.
    pub(super) fn finish(mut self, locks: &[i64]) -> Result<(u64, bool)> {
        let mut rewrite = std::mem::take(&mut self.rewrite);
        let changed = self.changed();
        self.documents(&mut rewrite, &changed)?;
        let side = self.side(&changed);
        let logged = self.log_columns();
        let scrubbed = self.scrubbed_columns();
        let (puts, gone) = self.by_table(&changed);
        let (sizes, reordered) = (rewrite.sizes(), rewrite.reordered());
        let (walls, own) = (self.claims(), self.tables.wall(SpaceId::GLOBAL));
        let bare = self.bare_columns();
        let opened = OpenedColumns::of(&self);
        let buried: Keys2 = self.buried.iter().cloned().unzip();

        let mut statements: Vec<Statement<'_>> = locks
            .iter()
            .map(|lock| Statement {
                sql: "SELECT pg_advisory_xact_lock($1)".to_owned(),
                params: vec![(lock, Type::INT8)],
            })
            .collect();
        if !walls.is_empty() {
            statements.push(claim(&walls, &own));
        }
        statements.extend(gone.iter().map(|(table, keys)| {
            keys.statement(format!(
                "DELETE FROM {table} AS t USING unnest($1::bigint[], $2::text[]) AS g (space, key)
                 WHERE t.space = g.space AND t.key = g.key"
            ))
        }));
        statements.extend(puts.iter().map(Columns::put));
        statements.extend(side.statements());
        statements.extend(rewrite.statements(&sizes, &reordered));
        statements.push(opened.day_of_work());
        statements.extend(scrubbed.rewrite());
        statements.extend(bare.statement());
        if !buried.0.is_empty() {
            statements.push(Statement {
                sql: "INSERT INTO erasure_due (space, key) SELECT t.space, t.key FROM tombstone AS t
                      JOIN unnest($1::bigint[], $2::text[]) AS b (space, memory) USING (space, memory)
                      ON CONFLICT DO NOTHING"
                    .to_owned(),
                params: params2(&buried),
            });
        }
        let numbered = statements.len();
        statements.push(append(&opened, &logged));
        // After a statement that failed this takes everything back, and the failure is told.
        statements.push(Statement { sql: "COMMIT".to_owned(), params: Vec::new() });
        let answers = self.tables.link.all(&statements)?;
        let told = answers.get(numbered).and_then(|rows| rows.first());
        let last = told.map_or(0_i64, |row| row.get(0));
        Ok((last.unsigned_abs(), told.is_none_or(|row| row.get(1))))
    }

    /// The rows that are not what they were: what they were, and what they are.
    fn changed(&self) -> BTreeMap<&RowKey, (Option<Row>, Option<&Row>)> {
        let known = self.known.borrow();
        let all = self.now.iter().map(|(key, new)| {
            let old = known.get(key).cloned().flatten();
            (key, (old, new.as_ref()))
        });
        all.filter(|(_, (old, new))| old.as_ref() != *new).collect()
    }

    fn by_table(
        &self,
        changed: &BTreeMap<&RowKey, (Option<Row>, Option<&Row>)>,
    ) -> (Vec<Columns>, Vec<(Table, Keys)>) {
        let mut puts: BTreeMap<Table, Vec<(i64, &Row)>> = BTreeMap::new();
        let mut gone: BTreeMap<Table, Vec<(i64, &RowKey)>> = BTreeMap::new();
        for (key, (_, new)) in changed {
            let wall = self.tables.wall(key.space);
            match new {
                Some(row) => puts.entry(key.table).or_default().push((wall, row)),
                None => gone.entry(key.table).or_default().push((wall, key)),
            }
        }
        let puts = puts.iter().map(|(table, rows)| Columns::of(*table, rows)).collect();
        let gone = gone.into_iter().map(|(table, keys)| (table, Keys::of(keys.into_iter())));
        (puts, gone.collect())
    }

    /// Works out what becomes of the documents of rows that changed.
    fn documents(
        &self,
        rewrite: &mut Rewrite,
        changed: &BTreeMap<&RowKey, (Option<Row>, Option<&Row>)>,
    ) -> Result<()> {
        let searched = changed.keys().filter_map(|key| Some((*key, searched_in(key.table)?)));
        let mut searched: Vec<_> = searched.collect();
        // New documents are numbered in the order in which they were told, as in a file.
        let mut told: BTreeMap<RowKey, usize> = BTreeMap::new();
        for (key, _) in self.logged.iter().flat_map(touched_rows) {
            let next = told.len();
            told.entry(key).or_insert(next);
        }
        searched.sort_by_key(|(key, _)| told.get(*key).copied().unwrap_or(usize::MAX));
        let places: BTreeSet<_> = searched.iter().filter_map(|(key, _)| self.place(key)).collect();
        rewrite.look_up(&self.tables, &places)?;
        for (key, of) in searched {
            let (old, new) = &changed[key];
            rewrite.follow(self.tables.wall(key.space), of, key, old.as_ref(), *new)?;
        }
        Ok(())
    }

    fn side(&self, changed: &BTreeMap<&RowKey, (Option<Row>, Option<&Row>)>) -> SideColumns {
        let mut side = SideColumns::default();
        for (key, (old, new)) in changed {
            let wall = self.tables.wall(key.space);
            if old.is_some() && text_of(old.as_ref()) != text_of(*new) {
                let nodes = nodes_of_key(key);
                side.vectors_gone.0.extend(nodes.iter().map(|_| wall));
                side.vectors_gone.1.extend(nodes.iter().map(ToString::to_string));
            }
            if key.table == Table::Memory {
                let slot = |row: Option<&Row>| row.and_then(Row::as_memory)?.slot.clone();
                let (before, after) = (slot(old.as_ref()), slot(*new));
                if before != after && before.is_some() {
                    side.slot_gone.0.push(wall);
                    side.slot_gone.1.push(key.key.clone());
                }
                if let Some(slot) = after.filter(|slot| before.as_ref() != Some(slot)) {
                    let (name, value, single) = slot_cells(&slot);
                    side.slots.0.push(wall);
                    side.slots.1.push(key.key.clone());
                    side.slots.2.push(name);
                    side.slots.3.push(value);
                    side.slots.4.push(single);
                }
            }
            if key.table == Table::Entity {
                side.alias_gone.0.push(wall);
                side.alias_gone.1.push(key.key.clone());
                let names = new.and_then(Row::as_entity).map(|one| one.names()).unwrap_or_default();
                for (number, name) in (0..).zip(names) {
                    side.aliases.0.push(wall);
                    side.aliases.1.push(key.key.clone());
                    side.aliases.2.push(number);
                    side.aliases.3.push(name);
                }
            }
        }
        side
    }

    /// The wall that a change is filed behind: that of its batch, or the person's own where it touches
    /// what is theirs alone.
    fn wall_of(&self, logged: &Logged, batch: SpaceId) -> i64 {
        let own = logged.before.iter().any(|image| image.key.space == SpaceId::GLOBAL);
        self.tables.wall(if own { SpaceId::GLOBAL } else { batch })
    }

    fn log_columns(&self) -> (LogColumns, TouchColumns) {
        let (mut log, mut touches) = (LogColumns::default(), TouchColumns::default());
        let Some(opened) = &self.opened else { return (log, touches) };
        for logged in &self.logged {
            log.push(self.wall_of(logged, opened.batch.space), logged);
            for (key, nodes) in touched_rows(logged) {
                for node in node_names(&nodes) {
                    touches.walls.push(self.tables.wall(key.space));
                    touches.nodes.push(node);
                    touches.rows.push(row_name(&key));
                    touches.seqs.push(logged.seq.cast_signed());
                }
            }
        }
        (log, touches)
    }

    fn scrubbed_columns(&self) -> LogColumns {
        let mut columns = LogColumns::default();
        for logged in self.scrubbed.values() {
            columns.push(0, logged);
        }
        columns
    }

    fn bare_columns(&self) -> BareColumns {
        let mut columns = BareColumns::default();
        for stored in &self.bare {
            let body = header(&stored.batch);
            columns.keys.push(stored.batch.id.to_string());
            columns.hashes.push(checksum(&body));
            columns.bodies.push(body);
        }
        columns
    }
}

impl SideColumns {
    fn statements(&self) -> Vec<Statement<'_>> {
        let mut statements = Vec::new();
        for (gone, table, column) in [
            (&self.slot_gone, "slot", "memory"),
            (&self.alias_gone, "alias", "entity"),
            (&self.vectors_gone, "embedding", "node"),
        ] {
            if !gone.0.is_empty() {
                let sql = format!(
                    "DELETE FROM {table} AS t USING unnest($1::bigint[], $2::text[]) AS g (space, key)
                     WHERE t.space = g.space AND t.{column} = g.key"
                );
                statements.push(Statement { sql, params: params2(gone) });
            }
        }
        if !self.slots.0.is_empty() {
            statements.push(Statement {
                sql: "INSERT INTO slot (space, memory, slot, value, single)
                      SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[],
                        $5::boolean[])"
                    .to_owned(),
                params: vec![
                    (&self.slots.0, Type::INT8_ARRAY),
                    (&self.slots.1, Type::TEXT_ARRAY),
                    (&self.slots.2, Type::TEXT_ARRAY),
                    (&self.slots.3, Type::TEXT_ARRAY),
                    (&self.slots.4, Type::BOOL_ARRAY),
                ],
            });
        }
        if !self.aliases.0.is_empty() {
            statements.push(Statement {
                sql: "INSERT INTO alias (space, entity, number, name)
                      SELECT * FROM unnest($1::bigint[], $2::text[], $3::integer[], $4::text[])"
                    .to_owned(),
                params: vec![
                    (&self.aliases.0, Type::INT8_ARRAY),
                    (&self.aliases.1, Type::TEXT_ARRAY),
                    (&self.aliases.2, Type::INT4_ARRAY),
                    (&self.aliases.3, Type::TEXT_ARRAY),
                ],
            });
        }
        statements
    }
}

impl LogColumns {
    fn rewrite(&self) -> Option<Statement<'_>> {
        let params = vec![
            (&self.seqs as _, Type::INT8_ARRAY),
            (&self.bodies as _, Type::TEXT_ARRAY),
            (&self.befores as _, Type::TEXT_ARRAY),
            (&self.hashes as _, Type::TEXT_ARRAY),
        ];
        let sql = "UPDATE change AS c SET body = s.body, before = s.before, hash = s.hash
                   FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[])
                     AS s (seq, body, before, hash) WHERE c.seq = s.seq";
        (!self.seqs.is_empty()).then(|| Statement { sql: sql.to_owned(), params })
    }
}

/// The statement that numbers a batch and puts it into the log with its changes. Whoever runs it is the
/// only one until the commit, so that numbers follow each other as batches do.
fn append<'s>(
    opened: &'s OpenedColumns,
    (log, touches): &'s (LogColumns, TouchColumns),
) -> Statement<'s> {
    let sql = "WITH numbered AS
          (UPDATE head SET seq = seq + $1 RETURNING seq AS last, seq - $1 AS before),
        opened AS
          (INSERT INTO batch (space, key, body, hash, first_seq, last_seq, at)
           SELECT $2, $3, $4, $5, n.before + 1, n.last, $6 FROM numbered AS n),
        changed AS
          (INSERT INTO change (space, seq, batch, body, before, hash, turn)
           SELECT c.space, n.before + c.seq, c.batch, c.body, c.images, c.hash, c.turn
           FROM numbered AS n, unnest($7::bigint[], $8::bigint[], $9::text[], $10::text[],
             $11::text[], $12::text[], $13::boolean[])
             AS c (space, seq, batch, body, images, hash, turn)),
        touched AS
          (INSERT INTO touch (space, node, touched, seq)
           SELECT t.space, t.node, t.touched, n.before + t.seq
           FROM numbered AS n, unnest($14::bigint[], $15::text[], $16::text[], $17::bigint[])
             AS t (space, node, touched, seq)
           ON CONFLICT DO NOTHING)
        SELECT last, EXISTS (SELECT 1 FROM erasure_due) FROM numbered";
    Statement {
        sql: sql.to_owned(),
        params: vec![
            (&opened.numbers, Type::INT8),
            (&opened.wall, Type::INT8),
            (&opened.key, Type::TEXT),
            (&opened.body, Type::TEXT),
            (&opened.hash, Type::TEXT),
            (&opened.at, Type::INT8),
            (&log.walls, Type::INT8_ARRAY),
            (&log.seqs, Type::INT8_ARRAY),
            (&log.batches, Type::TEXT_ARRAY),
            (&log.bodies, Type::TEXT_ARRAY),
            (&log.befores, Type::TEXT_ARRAY),
            (&log.hashes, Type::TEXT_ARRAY),
            (&log.turns, Type::BOOL_ARRAY),
            (&touches.walls, Type::INT8_ARRAY),
            (&touches.nodes, Type::TEXT_ARRAY),
            (&touches.rows, Type::TEXT_ARRAY),
            (&touches.seqs, Type::INT8_ARRAY),
        ],
    }
}

/// Batches that lose the words about them, as parameters.
#[derive(Default)]
struct BareColumns {
    keys: Vec<String>,
    bodies: Vec<String>,
    hashes: Vec<String>,
}

impl BareColumns {
    fn statement(&self) -> Option<Statement<'_>> {
        let params = vec![
            (&self.keys as _, Type::TEXT_ARRAY),
            (&self.bodies as _, Type::TEXT_ARRAY),
            (&self.hashes as _, Type::TEXT_ARRAY),
        ];
        let sql = "UPDATE batch AS b SET body = s.body, hash = s.hash
                   FROM unnest($1::text[], $2::text[], $3::text[]) AS s (key, body, hash)
                   WHERE b.key = s.key";
        (!self.keys.is_empty()).then(|| Statement { sql: sql.to_owned(), params })
    }
}

/// The batch itself, as parameters.
struct OpenedColumns {
    wall: i64,
    key: String,
    body: String,
    hash: String,
    /// How many numbers it takes.
    numbers: i64,
    at: i64,
    day: i64,
}

impl OpenedColumns {
    fn of(writing: &Writing<'_>) -> Self {
        let opened = writing.opened.as_ref().expect("a batch is opened before it is finished");
        let body = header(&opened.batch);
        Self {
            wall: writing.tables.wall(opened.batch.space),
            key: opened.batch.id.to_string(),
            hash: checksum(&body),
            body,
            numbers: writing.numbers.cast_signed(),
            at: opened.batch.at.as_millis(),
            day: opened.batch.at.day(),
        }
    }

    /// The statement that notes that there was work in the space on that day.
    fn day_of_work(&self) -> Statement<'_> {
        Statement {
            sql: "INSERT INTO activity (space, day) VALUES ($1, $2) ON CONFLICT DO NOTHING"
                .to_owned(),
            params: vec![(&self.wall, Type::INT8), (&self.day, Type::INT8)],
        }
    }
}
