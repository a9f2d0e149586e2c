//! Search on a server: postings find candidates, `throughline_core::words` scores them.

use throughline_core::policy::WordPolicy;
use throughline_core::words::{self, CollectionSize};
use throughline_core::{EpisodeId, MemoryId, NodeId, RowKey, SpaceId, Table};
use tokio_postgres::types::Type;

use super::blocks::{KeptIndex, holding};
use super::documents::what;
use super::lease::Wire;
use super::link::Statement;
use super::log::Rotten;
use super::rows::PgTables;
use crate::body::parse;
use crate::damage::unless_rotten;
use crate::document::Postings;
use crate::query::{TextHit, TextOf, TextQuery};
use crate::{Error, Result};

/// How many documents hold each word and how many there are; then those that hold a wanted word, the
/// most promising first: by the same formula as the scores, or the newest where even the rarest word is
/// nearly everywhere. Which words are wanted is decided as `words::affordable` does.
const CANDIDATES: &str = "
    WITH term AS MATERIALIZED
      (SELECT w.term, w.at, (SELECT count(*) FROM unnest($1::bigint[]) AS s (space), LATERAL
          (SELECT 1 FROM posting AS p WHERE p.space = s.space AND p.what = $3 AND p.term = w.term
           LIMIT $4) AS held) AS docs
       FROM unnest($2::text[]) WITH ORDINALITY AS w (term, at)),
    size AS MATERIALIZED
      (SELECT coalesce(sum(docs), 0)::bigint AS docs, coalesce(sum(terms), 0)::bigint AS terms
       FROM shelf WHERE what = $3 AND space = ANY($1)),
    ranked AS
      (SELECT term, docs, sum(docs) OVER rarest AS total, row_number() OVER rarest AS nth
       FROM term WHERE docs > 0 WINDOW rarest AS (ORDER BY docs, term COLLATE \"C\")),
    kept AS MATERIALIZED
      (SELECT r.term, r.docs, ln(1 + greatest(greatest(z.docs, 1) - r.docs + 0.5, 0)::float8
         / (r.docs + 0.5)::float8) AS rarity
       FROM ranked AS r, size AS z WHERE r.nth = 1 OR r.total <= $4 - 1),
    spread AS MATERIALIZED (SELECT coalesce(sum(docs), 0) > $4 - 1 AS wide FROM kept),
    hit AS MATERIALIZED
      (SELECT p.space, p.number, max(d.key) AS key, max(d.terms) AS terms, sum(w.rarity * p.count * ($5::float8 + 1)
                / (p.count + $5 * (1 - $6::float8 + $6 * cardinality(string_to_array(d.terms, ' '))
                   / greatest(z.terms::float8 / greatest(z.docs, 1), 1)))) AS score
       FROM kept AS w
       JOIN posting AS p ON p.space = ANY($1) AND p.what = $3 AND p.term = w.term
       JOIN document AS d ON d.space = p.space AND d.what = $3 AND d.number = p.number, size AS z
       GROUP BY p.space, p.number)
    SELECT t.at::integer, t.docs, NULL::bigint, NULL::text, NULL::text, NULL::text, NULL::text
    FROM term AS t
    UNION ALL SELECT 0, z.docs, z.terms, NULL, NULL, NULL, NULL FROM size AS z
    UNION ALL SELECT -1, NULL, b.space, b.key, b.terms, CASE WHEN row_number() OVER best <= $12 THEN b.body END,
      CASE WHEN row_number() OVER best <= $12 THEN b.hash END
    FROM (SELECT h.space, h.number, h.score, h.key, h.terms, m.body, m.hash FROM hit AS h
    LEFT JOIN memory AS m ON $3 = 1 AND m.space = h.space AND m.key = h.key
    WHERE $3 = 2 OR ((m.session IS NULL OR m.session = $7)
                 AND (cardinality($8::text[]) = 0 OR m.state = ANY($8))
                 AND (cardinality($9::text[]) = 0 OR m.kind = ANY($9)))
    ORDER BY CASE WHEN (SELECT wide FROM spread) THEN h.number END DESC, h.score DESC, h.number DESC
    LIMIT CASE WHEN (SELECT wide FROM spread) THEN $11 ELSE $10 END) AS b
    WINDOW best AS (ORDER BY b.score DESC, b.number DESC)";

/// A search as parameters.
pub(super) struct SearchColumns<'q> {
    query: &'q TextQuery,
    walls: Vec<i64>,
    enough: i64,
    policy: WordPolicy,
    states: Vec<&'static str>,
    kinds: Vec<&'static str>,
    session: Option<String>,
    most: (i64, i64),
    /// The rows of how many of the best come with them.
    rows: i64,
}

/// Rows that come with a search beyond those that are asked for, because the best are told from each other
/// only when they are scored here.
const SPARE_ROWS: usize = 8;

impl<'q> SearchColumns<'q> {
    pub(super) fn of<L: Wire>(tables: &PgTables<L>, query: &'q TextQuery) -> Self {
        let policy = WordPolicy::default();
        let number = |count: usize| i64::try_from(query.limit.max(count)).unwrap_or(i64::MAX);
        Self {
            query,
            walls: tables.walls(&query.spaces),
            enough: i64::try_from(policy.postings_max + 1).unwrap_or(i64::MAX),
            states: query.states.iter().map(|state| state.as_str()).collect(),
            kinds: query.kinds.iter().map(|kind| kind.as_str()).collect(),
            session: query.session.as_ref().map(ToString::to_string),
            most: (number(policy.candidates_max), number(policy.newest_max)),
            policy,
            rows: 0,
        }
    }

    /// The same with the rows of what is found.
    fn with_rows(self) -> Self {
        let rows = self.query.limit.saturating_add(SPARE_ROWS);
        Self { rows: i64::try_from(rows).unwrap_or(i64::MAX), ..self }
    }

    pub(super) fn statement(&self) -> Statement<'_> {
        let of: &'static i16 = if self.query.of == TextOf::Memories { &1 } else { &2 };
        Statement {
            sql: CANDIDATES.to_owned(),
            params: vec![
                (&self.walls, Type::INT8_ARRAY),
                (&self.query.terms, Type::TEXT_ARRAY),
                (of, Type::INT2),
                (&self.enough, Type::INT8),
                (&self.policy.k1, Type::FLOAT8),
                (&self.policy.b, Type::FLOAT8),
                (&self.session, Type::TEXT),
                (&self.states, Type::TEXT_ARRAY),
                (&self.kinds, Type::TEXT_ARRAY),
                (&self.most.0, Type::INT8),
                (&self.most.1, Type::INT8),
                (&self.rows, Type::INT8),
            ],
        }
    }

    /// Scores what was found. How rare a word is, is judged over the spaces within reach and no others.
    pub(super) fn hits<L: Wire>(
        &self,
        tables: &PgTables<L>,
        rows: &[tokio_postgres::Row],
    ) -> Result<Vec<TextHit>> {
        let at = |row: &tokio_postgres::Row| row.get::<_, i32>(0);
        let docs = |row: &tokio_postgres::Row| row.get::<_, i64>(1).unsigned_abs();
        let mut collection = CollectionSize { docs: 0, terms: 0 };
        let mut frequencies: Vec<(i32, (String, u64))> = Vec::new();
        for row in rows.iter().filter(|row| at(row) >= 0) {
            let place = usize::try_from(at(row)).unwrap_or(0);
            match place.checked_sub(1).and_then(|place| self.query.terms.get(place)) {
                Some(term) => frequencies.push((at(row), (term.clone(), docs(row)))),
                None => {
                    let terms = row.get::<_, i64>(2).unsigned_abs();
                    collection = CollectionSize { docs: docs(row), terms };
                }
            }
        }
        frequencies.sort_by_key(|(at, _)| *at);
        let frequencies: Vec<_> = frequencies.into_iter().map(|(_, one)| one).collect();
        let kept = words::affordable(&frequencies, &self.policy);
        let mut hits = Vec::new();
        for row in rows.iter().filter(|row| at(row) < 0) {
            let terms: Vec<&str> = row.get::<_, &str>(4).split_ascii_whitespace().collect();
            let score = words::bm25(&kept, &terms, collection, &self.policy);
            let node = node(self.query.of, row.get(3))?;
            hits.push(TextHit { space: tables.space(row.get(2)), node, score });
        }
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.node.cmp(&b.node)));
        hits.truncate(self.query.limit);
        Ok(hits)
    }
}

impl<L: Wire> PgTables<L> {
    /// The documents of a space that hold each of the terms.
    pub(super) fn holding(
        &self,
        space: SpaceId,
        of: TextOf,
        terms: &[String],
        most: usize,
    ) -> Result<Vec<Postings>> {
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        let ahead = |one: &KeptIndex| one.holding((space, of), terms, most);
        if let Some(kept) = self.kept.borrow().indexes.iter().find_map(ahead) {
            return Ok(kept);
        }
        let limit = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1);
        let rows = self.link.query(
            "SELECT w.at, ARRAY(SELECT p.number FROM posting AS p
                                WHERE p.space = $1 AND p.what = $2 AND p.term = w.term
                                ORDER BY p.number DESC LIMIT $4)
             FROM unnest($3::text[]) WITH ORDINALITY AS w (term, at) ORDER BY w.at",
            &[
                (&self.wall(space), Type::INT8),
                (&what(of), Type::INT2),
                (&terms, Type::TEXT_ARRAY),
                (&limit, Type::INT8),
            ],
        )?;
        Ok(rows.iter().map(|row| holding(row.get(1), most)).collect())
    }

    /// Finds and scores, in one round trip.
    pub(super) fn search(&self, query: &TextQuery) -> Result<Vec<TextHit>> {
        if query.terms.is_empty() {
            return Ok(Vec::new());
        }
        let columns = SearchColumns::of(self, query);
        let statement = columns.statement();
        columns.hits(self, &self.link.query(&statement.sql, &statement.params)?)
    }

    /// Several that will be asked for, with the rows that they find.
    pub(super) fn searches<'q>(
        &self,
        queries: impl Iterator<Item = &'q TextQuery>,
    ) -> Vec<SearchColumns<'q>> {
        let queries = queries.filter(|query| !query.terms.is_empty());
        queries.map(|query| SearchColumns::of(self, query).with_rows()).collect()
    }

    /// Keeps what they found until it is asked for.
    pub(super) fn keep_searches(
        &self,
        searches: &[SearchColumns<'_>],
        answers: &mut dyn Iterator<Item = Vec<tokio_postgres::Row>>,
    ) -> Result<()> {
        let mut found = Vec::with_capacity(searches.len());
        for (one, rows) in searches.iter().zip(answers) {
            found.push(one.hits(self, &rows)?);
            let mut kept = self.kept.borrow_mut();
            for row in rows.iter().filter(|row| row.get::<_, Option<&str>>(5).is_some()) {
                let read = parse(Table::Memory, row.get(3), row.get(5), row.get(6));
                let key = RowKey::node(self.space(row.get(2)), node(one.query.of, row.get(3))?);
                kept.keep_row(key, unless_rotten(read)?);
            }
        }
        let keys: Vec<RowKey> = found
            .iter()
            .flatten()
            .map(|hit| RowKey::node(hit.space, hit.node))
            .filter(|key| self.kept.borrow().row(key).is_none())
            .collect();
        let rows = self.rows_by_key(&keys, Rotten::LeftOut)?;
        let mut kept = self.kept.borrow_mut();
        kept.keep_rows(keys, &rows);
        kept.texts.extend(searches.iter().map(|one| one.query.clone()).zip(found));
        Ok(())
    }
}

pub(super) fn node(of: TextOf, key: &str) -> Result<NodeId> {
    let bad = |_| Error::BadRow { what: key.to_owned(), detail: "it is not an id".to_owned() };
    match of {
        TextOf::Memories => key.parse::<MemoryId>().map(NodeId::Memory).map_err(bad),
        TextOf::Episodes => key.parse::<EpisodeId>().map(NodeId::Episode).map_err(bad),
    }
}
