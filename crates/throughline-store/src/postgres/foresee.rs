//! Foreseeing: everything that hangs on some nodes, and on what they are connected with, is read in one
//! round trip before it is asked for. What a reader sees does not change, so that it can be kept.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::row::Tombstone;
use throughline_core::scope::Space;
use throughline_core::{
    Edge, Entity, EntityId, Fingerprint, Memory, NodeId, Relation, Row, RowKey, SpaceId, Table,
};
use tokio_postgres::types::Type;
use tokio_postgres::{Row as PgRow, SimpleQueryRow};

use super::blocks::{IndexColumns, KeptIndex};
use super::claim::{ClaimColumns, RowsAhead};
use super::lease::Wire;
use super::link::Statement;
use super::log::NOT_ANOTHERS;
use super::read::names;
use super::rows::PgTables;
use super::text::SearchColumns;
use crate::Result;
use crate::body::parse;
use crate::candidates::Foreseen;
use crate::damage::unless_rotten;
use crate::query::{EntityName, TextHit, TextQuery};

/// Edges that are read at one node in one direction. A node with more is asked about again.
const EDGES: usize = 200;

/// The edges at some nodes, in both directions, one more than are kept of each.
const EDGES_AT: &str = "LEFT JOIN LATERAL
      ((SELECT true AS away, key, body, hash, relation, dst AS other FROM edge
        WHERE space = $1 AND src = s.node ORDER BY key LIMIT 201)
       UNION ALL
       (SELECT false AS away, key, body, hash, relation, src AS other FROM edge
        WHERE space = $1 AND dst = s.node ORDER BY key LIMIT 201)) AS e ON true";

/// Nodes and what replaced them, what they are connected with, and what hangs on all of these.
fn nodes_sql() -> String {
    format!(
        "WITH RECURSIVE given AS MATERIALIZED (SELECT unnest($2::text[]) AS node),
         newer AS
           (SELECT m.key, m.superseded_by FROM memory AS m WHERE m.space = $1 AND m.key IN
              (SELECT substr(node, 3) FROM given WHERE node LIKE 'm:%')
            UNION SELECT m.key, m.superseded_by FROM newer AS n
            JOIN memory AS m ON m.space = $1 AND m.key = n.superseded_by),
         seed AS MATERIALIZED (SELECT node FROM given UNION SELECT 'm:' || key FROM newer),
         at_seed AS MATERIALIZED (SELECT s.node, e.* FROM seed AS s {EDGES_AT}),
         far AS MATERIALIZED
           (SELECT DISTINCT other AS node FROM at_seed
            WHERE other NOT LIKE 'e:%' AND relation <> 'in_box' AND other NOT IN (SELECT node FROM seed)
            LIMIT 200),
         held AS MATERIALIZED
           (SELECT node, substr(node, 3) AS key FROM seed UNION SELECT node, substr(node, 3) FROM far
            UNION SELECT other, substr(other, 3) FROM at_seed
            WHERE relation = 'later_said' AND other LIKE 'e:%')
         SELECT 1::smallint, node, away, key, body, hash FROM at_seed
         UNION ALL SELECT 1::smallint, s.node, e.away, e.key, e.body, e.hash FROM far AS s {EDGES_AT}
         UNION ALL SELECT 2::smallint, h.node, NULL, m.key, m.body, m.hash
         FROM held AS h LEFT JOIN memory AS m ON m.space = $1 AND m.key = h.key
         WHERE h.node LIKE 'm:%'
         UNION ALL SELECT 3::smallint, h.node, NULL, m.key, m.body, m.hash
         FROM held AS h LEFT JOIN entity AS m ON m.space = $1 AND m.key = h.key
         WHERE h.node LIKE 'n:%'
         UNION ALL SELECT 4::smallint, h.node, NULL, m.key, m.body, m.hash
         FROM held AS h LEFT JOIN episode AS m ON m.space = $1 AND m.key = h.key
         WHERE h.node LIKE 'e:%'
         UNION ALL SELECT 5::smallint, h.node, NULL, m.key, m.body, m.hash
         FROM held AS h JOIN evidence AS m ON m.space = $1 AND m.memory = h.key
         WHERE h.node LIKE 'm:%'
         UNION ALL SELECT 6::smallint, h.node, NULL, m.key, m.body, m.hash
         FROM held AS h JOIN watermark AS m ON m.space = $1 AND m.memory = h.key
         WHERE h.node LIKE 'm:%'
         UNION ALL SELECT 7::smallint, h.node, NULL, m.key, m.body, m.hash
         FROM held AS h JOIN usage AS m ON m.space = $1 AND m.key = h.key WHERE h.node LIKE 'm:%'
         UNION ALL SELECT 8::smallint, h.node, NULL, m.key, m.body, m.hash
         FROM held AS h JOIN leaf AS m ON m.space = $1 AND m.memory = h.key
         WHERE h.node LIKE 'm:%'"
    )
}

/// Entities by their names, with the edges at them.
fn names_sql() -> String {
    format!(
        "WITH found AS MATERIALIZED
           (SELECT DISTINCT e.key, e.body, e.hash
            FROM unnest($2::text[], $3::text[]) AS w (name, kind)
            JOIN alias AS a ON a.space = $1 AND md5(a.name) = md5(w.name) AND a.name = w.name
            JOIN entity AS e ON e.space = $1 AND e.key = a.entity
            WHERE w.kind IS NULL OR e.kind = w.kind)
         SELECT 3::smallint, 'n:' || key, NULL::boolean, key, body, hash FROM found
         UNION ALL SELECT 1::smallint, s.node, e.away, e.key, e.body, e.hash
         FROM (SELECT 'n:' || key AS node FROM found) AS s {EDGES_AT}"
    )
}

/// Answers that are at hand.
#[derive(Debug, Default)]
pub(super) struct ForeseenRows {
    /// Vectors of nodes, by model.
    pub(super) vectors: BTreeMap<(String, SpaceId, NodeId), Vec<f32>>,
    rows: BTreeMap<RowKey, Option<Row>>,
    /// All edges at a node.
    pub(super) edges: BTreeMap<(SpaceId, NodeId), BTreeMap<RowKey, Edge>>,
    /// All other rows that hang on a memory.
    pub(super) hanging: BTreeMap<(SpaceId, NodeId), Vec<Row>>,
    /// The entities that have a name.
    pub(super) by_name: BTreeMap<(SpaceId, String), Vec<Entity>>,
    /// The memories with some words.
    pub(super) said: BTreeMap<(SpaceId, Fingerprint), Vec<Memory>>,
    pub(super) stones: Vec<(SpaceId, Vec<Fingerprint>, Vec<Tombstone>)>,
    named: Vec<(SpaceId, Vec<EntityName>, Vec<Entity>)>,
    days: BTreeMap<SpaceId, Vec<i64>>,
    spaces: Option<Vec<Space>>,
    /// What was read of indexes that are held elsewhere.
    pub(super) indexes: Vec<KeptIndex>,
    /// Searches, and what they found.
    pub(super) texts: Vec<(TextQuery, Vec<TextHit>)>,
}

/// What is foreseen, as parameters.
pub(super) struct ForeseenColumns<'f> {
    of: &'f Foreseen,
    wall: i64,
    texts: Vec<String>,
    kinds: Vec<Option<String>>,
    index: Option<IndexColumns<'f>>,
    claim: Option<ClaimColumns<'f>>,
    rows: Option<RowsAhead>,
}

impl ForeseenColumns<'_> {
    pub(super) fn statements(&self) -> Vec<Statement<'_>> {
        match self.of {
            Foreseen::Texts(_) => Vec::new(),
            Foreseen::Claim(_) => self.claim.iter().flat_map(ClaimColumns::statements).collect(),
            Foreseen::Rows(_) => self.rows.iter().flat_map(RowsAhead::statements).collect(),
            Foreseen::Index(_) => {
                let index = self.index.iter().flat_map(IndexColumns::statements);
                index.collect()
            }
            Foreseen::Nodes { .. } => vec![Statement {
                sql: nodes_sql(),
                params: vec![(&self.wall, Type::INT8), (&self.texts, Type::TEXT_ARRAY)],
            }],
            Foreseen::Names { .. } => vec![
                Statement {
                    sql: names_sql(),
                    params: vec![
                        (&self.wall, Type::INT8),
                        (&self.texts, Type::TEXT_ARRAY),
                        (&self.kinds, Type::TEXT_ARRAY),
                    ],
                },
                Statement {
                    sql: "SELECT day FROM activity WHERE space = $1 ORDER BY day".to_owned(),
                    params: vec![(&self.wall, Type::INT8)],
                },
            ],
        }
    }
}

impl<L: Wire> PgTables<L> {
    pub(super) fn foreseen<'f>(&self, wanted: &'f [Foreseen]) -> Vec<ForeseenColumns<'f>> {
        let none = |of: &'f Foreseen, wall: i64| ForeseenColumns {
            of,
            wall,
            texts: Vec::new(),
            kinds: Vec::new(),
            index: None,
            claim: None,
            rows: None,
        };
        let columns = |of: &'f Foreseen| match of {
            Foreseen::Texts(_) => none(of, 0),
            Foreseen::Claim(claim) => {
                let wall = self.wall(claim.space);
                ForeseenColumns { claim: Some(ClaimColumns::of(claim, wall)), ..none(of, wall) }
            }
            Foreseen::Rows(keys) => {
                ForeseenColumns { rows: Some(RowsAhead::of(self, keys)), ..none(of, 0) }
            }
            Foreseen::Index(index) => {
                let wall = self.wall(index.space);
                ForeseenColumns { index: Some(IndexColumns::of(index, wall)), ..none(of, wall) }
            }
            Foreseen::Nodes { space, nodes } => {
                ForeseenColumns { texts: names(nodes), ..none(of, self.wall(*space)) }
            }
            Foreseen::Names { space, names } => ForeseenColumns {
                texts: names.iter().map(|one| one.name.clone()).collect(),
                kinds: names.iter().map(|one| one.kind.map(|kind| kind.to_string())).collect(),
                ..none(of, self.wall(*space))
            },
        };
        wanted.iter().map(columns).collect()
    }

    /// Reads what is foreseen, in one round trip.
    pub(super) fn look_ahead(&self, wanted: &[Foreseen]) -> Result<()> {
        let columns = self.foreseen(wanted);
        let searches = self.searches(wanted.iter().flat_map(Foreseen::texts));
        let mut statements: Vec<Statement<'_>> =
            columns.iter().flat_map(ForeseenColumns::statements).collect();
        statements.extend(searches.iter().map(SearchColumns::statement));
        if statements.is_empty() {
            return Ok(());
        }
        let with_spaces =
            |one: &Foreseen| matches!(one, Foreseen::Index(_) | Foreseen::Names { .. });
        let with_spaces = wanted.iter().any(with_spaces);
        if with_spaces {
            statements.push(Statement { sql: self.spaces_sql(), params: Vec::new() });
        }
        let mut answers = self.link.all(&statements)?.into_iter();
        drop(statements);
        self.keep_foreseen(columns, &mut answers)?;
        self.keep_searches(&searches, &mut answers)?;
        if with_spaces {
            self.keep_spaces(&answers.next().unwrap_or_default())?;
        }
        Ok(())
    }

    /// Keeps the answers to the statements of what was foreseen.
    pub(super) fn keep_foreseen(
        &self,
        columns: Vec<ForeseenColumns<'_>>,
        answers: &mut dyn Iterator<Item = Vec<PgRow>>,
    ) -> Result<()> {
        let mut kept = self.kept.borrow_mut();
        for one in columns {
            match one.of {
                Foreseen::Texts(_) => {}
                Foreseen::Claim(_) => {
                    if let Some(claim) = &one.claim {
                        claim.keep(&mut kept, answers)?;
                    }
                }
                Foreseen::Rows(_) => {
                    if let Some(rows) = one.rows {
                        rows.keep(&mut kept, answers)?;
                    }
                }
                Foreseen::Index(_) => {
                    kept.indexes.extend(one.index.iter().map(|index| index.kept(answers)));
                }
                Foreseen::Nodes { space, .. } => {
                    kept.add_rows(*space, &answers.next().unwrap_or_default())?;
                }
                Foreseen::Names { space, names } => {
                    let rows = answers.next().unwrap_or_default();
                    kept.add_rows(*space, &rows)?;
                    let named = rows.iter().filter(|row| row.get::<_, i16>(0) == 3);
                    let found: BTreeMap<EntityId, Entity> = named
                        .filter_map(|row| read(Table::Entity, row).transpose())
                        .collect::<Result<Vec<Row>>>()?
                        .into_iter()
                        .filter_map(Row::into_entity)
                        .map(|entity| (entity.id, entity))
                        .collect();
                    kept.named.push((*space, names.clone(), found.into_values().collect()));
                    let days = answers.next().unwrap_or_default();
                    kept.days.insert(*space, days.iter().map(|row| row.get(0)).collect());
                }
            }
        }
        Ok(())
    }
}

impl<L: Wire> PgTables<L> {
    /// The statement that finds every space that may be seen.
    #[expect(clippy::unused_self, reason = "it belongs to the tables")]
    pub(super) fn spaces_sql(&self) -> String {
        format!("SELECT key, body, hash FROM space WHERE {NOT_ANOTHERS}")
    }

    /// Keeps the spaces that the statement found, and returns them by key.
    pub(super) fn keep_spaces(&self, rows: &[PgRow]) -> Result<Vec<Space>> {
        self.keep_read_spaces(rows.iter().map(|row| super::rows::read(Table::Space, row)))
    }

    /// The same where it was sent with others that return one column at most.
    pub(super) fn keep_told_spaces(&self, rows: &[SimpleQueryRow]) -> Result<Vec<Space>> {
        let told = rows.iter().filter(|row| row.len() == 3);
        self.keep_read_spaces(told.map(|row| {
            let text = |at| row.get(at).unwrap_or_default();
            parse(Table::Space, text(0), text(1), text(2))
        }))
    }

    fn keep_read_spaces(&self, rows: impl Iterator<Item = Result<Row>>) -> Result<Vec<Space>> {
        let mut found: BTreeMap<RowKey, Space> = BTreeMap::new();
        for row in rows {
            let row = unless_rotten(row)?;
            found.extend(row.and_then(|row| Some((row.key(), row.into_space()?))));
        }
        let spaces: Vec<Space> = found.into_values().collect();
        self.kept.borrow_mut().spaces = Some(spaces.clone());
        Ok(spaces)
    }
}

/// A row that begins with what it is and whose; `None` where there is none, or it is rotten.
fn read(table: Table, row: &PgRow) -> Result<Option<Row>> {
    let Some(key) = row.get::<_, Option<&str>>(3) else { return Ok(None) };
    unless_rotten(parse(table, key, row.get(4), row.get(5)))
}

impl ForeseenRows {
    /// Adds rows that say of which node they are.
    fn add_rows(&mut self, space: SpaceId, rows: &[PgRow]) -> Result<()> {
        let mut counts: BTreeMap<(NodeId, bool), usize> = BTreeMap::new();
        let mut at: BTreeMap<NodeId, BTreeMap<RowKey, Edge>> = BTreeMap::new();
        let mut memories: BTreeSet<NodeId> = BTreeSet::new();
        let mut hanging: BTreeMap<NodeId, Vec<Row>> = BTreeMap::new();
        for row in rows {
            let Ok(node) = row.get::<_, &str>(1).parse::<NodeId>() else { continue };
            let table = match row.get::<_, i16>(0) {
                1 => {
                    let edges = at.entry(node).or_default();
                    let away = row.get::<_, Option<bool>>(2).unwrap_or_default();
                    *counts.entry((node, away)).or_default() += 1;
                    if let Some(Row::Edge(edge)) = read(Table::Edge, row)? {
                        edges.insert(Row::Edge(edge.clone()).key(), edge);
                    }
                    continue;
                }
                2..=4 => {
                    let key = RowKey::node(space, node);
                    if key.table == Table::Memory {
                        memories.insert(node);
                    }
                    let row = read(key.table, row)?;
                    self.rows.insert(key, row);
                    continue;
                }
                5 => Table::Evidence,
                6 => Table::Watermark,
                7 => Table::Usage,
                _ => Table::Leaf,
            };
            hanging.entry(node).or_default().extend(read(table, row)?);
        }
        for (node, edges) in at {
            let all = [true, false]
                .iter()
                .all(|away| counts.get(&(node, *away)).is_none_or(|count| *count <= EDGES));
            if all {
                self.edges.insert((space, node), edges);
            }
        }
        for node in memories {
            let rows = hanging.remove(&node).unwrap_or_default();
            self.hanging.insert((space, node), rows);
        }
        Ok(())
    }

    /// Keeps a row that came with something else.
    pub(super) fn keep_row(&mut self, key: RowKey, row: Option<Row>) {
        self.rows.insert(key, row);
    }

    /// Keeps rows that were looked up, and which were not there.
    pub(super) fn keep_rows(&mut self, asked: Vec<RowKey>, found: &BTreeMap<RowKey, Row>) {
        for key in asked {
            let row = found.get(&key).cloned();
            self.rows.insert(key, row);
        }
    }

    pub(super) fn hits(&self, query: &TextQuery) -> Option<Vec<TextHit>> {
        self.texts.iter().find(|(asked, _)| asked == query).map(|(_, hits)| hits.clone())
    }

    pub(super) fn spaces(&self) -> Option<Vec<Space>> {
        self.spaces.clone()
    }

    /// What is known of a row; `None` where it was not read.
    pub(super) fn row(&self, key: &RowKey) -> Option<Option<Row>> {
        self.rows.get(key).cloned()
    }

    pub(super) fn days(&self, space: SpaceId) -> Option<Vec<i64>> {
        self.days.get(&space).cloned()
    }

    pub(super) fn entities(&self, space: SpaceId, names: &[EntityName]) -> Option<Vec<Entity>> {
        let same =
            |one: &&(SpaceId, Vec<EntityName>, Vec<Entity>)| one.0 == space && one.1 == names;
        self.named.iter().find(same).map(|one| one.2.clone()).or_else(|| self.named(space, names))
    }

    /// Everything that hangs on some nodes, by key.
    pub(super) fn attached(
        &self,
        space: SpaceId,
        nodes: &[NodeId],
    ) -> Option<BTreeMap<RowKey, Row>> {
        let mut found = BTreeMap::new();
        for node in nodes {
            for (key, edge) in self.edges.get(&(space, *node))? {
                found.insert(key.clone(), Row::Edge(edge.clone()));
            }
            if node.memory().is_some() {
                let hanging = self.hanging.get(&(space, *node))?;
                found.extend(hanging.iter().map(|row| (row.key(), row.clone())));
            }
        }
        Some(found)
    }

    /// Edges at some nodes, as [`Reader::neighbours`](crate::Reader::neighbours) gives them.
    pub(super) fn neighbours(
        &self,
        space: SpaceId,
        nodes: &[NodeId],
        relations: &[Relation],
        limit: usize,
    ) -> Option<Vec<Edge>> {
        let mut found: BTreeMap<&RowKey, &Edge> = BTreeMap::new();
        for node in nodes {
            let edges = self.edges.get(&(space, *node))?;
            let fits = |edge: &Edge| relations.is_empty() || relations.contains(&edge.relation);
            for end in [|edge: &Edge| edge.from, |edge: &Edge| edge.to] {
                let these = edges.iter().filter(|(_, edge)| end(edge) == *node && fits(edge));
                found.extend(these.take(limit));
            }
        }
        Some(found.into_values().cloned().collect())
    }
}
