//! Search on a server: postings find candidates, `throughline_core::words` scores them.

use std::ops::Deref;

use throughline_core::policy::WordPolicy;
use throughline_core::words::{self, CollectionSize};
use throughline_core::{EpisodeId, MemoryId, NodeId, SpaceId};
use tokio_postgres::types::Type;

use super::documents::what;
use super::link::{Link, Statement};
use super::rows::PgTables;
use crate::document::Postings;
use crate::query::{TextHit, TextOf, TextQuery};
use crate::{Error, Result};

/// The documents that hold a wanted word, the most promising first: by the same formula as the scores,
/// or the newest where even the rarest word is nearly everywhere.
const CANDIDATES: &str = "
    WITH hit AS (
      SELECT p.space, p.number, sum(w.rarity * p.count * ($5::float8 + 1)
               / (p.count + $5 * (1 - $6::float8 + $6 *
                  cardinality(string_to_array(d.terms, ' ')) / $7::float8))) AS score
      FROM unnest($2::text[], $3::float8[]) AS w (term, rarity)
      JOIN posting AS p ON p.space = ANY($1) AND p.what = $4 AND p.term = w.term
      JOIN document AS d ON d.space = p.space AND d.what = $4 AND d.number = p.number
      GROUP BY p.space, p.number)
    SELECT h.space, d.key, d.terms FROM hit AS h
    JOIN document AS d ON d.space = h.space AND d.what = $4 AND d.number = h.number
    LEFT JOIN memory AS m ON $4 = 1 AND m.space = h.space AND m.key = d.key
    WHERE $4 = 2 OR ((m.session IS NULL OR m.session = $8)
                 AND (cardinality($9::text[]) = 0 OR m.state = ANY($9))
                 AND (cardinality($10::text[]) = 0 OR m.kind = ANY($10)))
    ORDER BY CASE WHEN $12 THEN h.number END DESC, h.score DESC, h.number DESC LIMIT $11";

impl<L: Deref<Target = Link>> PgTables<L> {
    /// The documents of a space that hold each of the terms.
    pub(super) fn holding(
        &self,
        space: SpaceId,
        of: TextOf,
        terms: &[String],
        most: usize,
    ) -> Result<Vec<Postings>> {
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
        let list = |row: &tokio_postgres::Row| {
            let numbers: Vec<i32> = row.get(1);
            let mut documents: Vec<u32> = numbers.into_iter().map(i32::unsigned_abs).collect();
            let cut = documents.len() > most;
            documents.truncate(most);
            documents.reverse();
            Postings { documents, cut }
        };
        Ok(rows.iter().map(list).collect())
    }

    /// Finds and scores. How rare a word is, is judged over the spaces within reach and no others.
    pub(super) fn search(&self, query: &TextQuery) -> Result<Vec<TextHit>> {
        let policy = WordPolicy::default();
        let walls = self.walls(&query.spaces);
        let (frequencies, collection) = self.frequencies(query, &walls, &policy)?;
        let kept = words::affordable(&frequencies, &policy);
        if kept.is_empty() {
            return Ok(Vec::new());
        }
        let holding: u64 = kept.iter().map(|(_, docs)| docs).sum();
        let newest = holding > policy.postings_max;
        let most = if newest { policy.newest_max } else { policy.candidates_max };
        let most = i64::try_from(query.limit.max(most)).unwrap_or(i64::MAX);
        let terms: Vec<&str> = kept.iter().map(|(term, _)| term.as_str()).collect();
        let rarity: Vec<f64> = kept.iter().map(|(_, docs)| rarity(*docs, collection)).collect();
        let texts = |names: Vec<&'static str>| names;
        let states = texts(query.states.iter().map(|state| state.as_str()).collect());
        let kinds = texts(query.kinds.iter().map(|kind| kind.as_str()).collect());
        let session = query.session.as_ref().map(ToString::to_string);
        let rows = self.link.query(
            CANDIDATES,
            &[
                (&walls, Type::INT8_ARRAY),
                (&terms, Type::TEXT_ARRAY),
                (&rarity, Type::FLOAT8_ARRAY),
                (&what(query.of), Type::INT2),
                (&policy.k1, Type::FLOAT8),
                (&policy.b, Type::FLOAT8),
                (&mean_length(collection), Type::FLOAT8),
                (&session, Type::TEXT),
                (&states, Type::TEXT_ARRAY),
                (&kinds, Type::TEXT_ARRAY),
                (&most, Type::INT8),
                (&newest, Type::BOOL),
            ],
        )?;
        let mut hits = Vec::with_capacity(rows.len());
        for row in &rows {
            let terms: Vec<&str> = row.get::<_, &str>(2).split_ascii_whitespace().collect();
            let score = words::bm25(&kept, &terms, collection, &policy);
            let node = node(query.of, row.get(1))?;
            hits.push(TextHit { space: self.space(row.get(0)), node, score });
        }
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.node.cmp(&b.node)));
        hits.truncate(query.limit);
        Ok(hits)
    }

    /// In how many documents each term occurs, counted no further than matters, and how many there
    /// are.
    fn frequencies(
        &self,
        query: &TextQuery,
        walls: &[i64],
        policy: &WordPolicy,
    ) -> Result<(Vec<(String, u64)>, CollectionSize)> {
        let enough = i64::try_from(policy.postings_max + 1).unwrap_or(i64::MAX);
        let of = what(query.of);
        let mut found = self.link.all(&[
            Statement {
                sql: "SELECT (SELECT count(*)
                              FROM unnest($1::bigint[]) AS s (space), LATERAL
                                (SELECT 1 FROM posting AS p WHERE p.space = s.space AND p.what = $2
                                   AND p.term = w.term LIMIT $4) AS held)
                      FROM unnest($3::text[]) WITH ORDINALITY AS w (term, at) ORDER BY w.at"
                    .to_owned(),
                params: vec![
                    (&walls, Type::INT8_ARRAY),
                    (&of, Type::INT2),
                    (&query.terms, Type::TEXT_ARRAY),
                    (&enough, Type::INT8),
                ],
            },
            Statement {
                sql: "SELECT coalesce(sum(docs), 0)::bigint, coalesce(sum(terms), 0)::bigint
                      FROM shelf WHERE what = $2 AND space = ANY($1)"
                    .to_owned(),
                params: vec![(&walls, Type::INT8_ARRAY), (&of, Type::INT2)],
            },
        ])?;
        let docs = found.remove(0);
        let docs = docs.iter().map(|row| row.get::<_, i64>(0).unsigned_abs());
        let frequencies = query.terms.iter().cloned().zip(docs).collect();
        let size = &found[0][0];
        let (docs, terms): (i64, i64) = (size.get(0), size.get(1));
        let collection = CollectionSize { docs: docs.unsigned_abs(), terms: terms.unsigned_abs() };
        Ok((frequencies, collection))
    }
}

/// What a word tells that so many documents hold.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn rarity(holding: u64, collection: CollectionSize) -> f64 {
    let (docs, holding) = (collection.docs.max(1) as f64, holding as f64);
    (1.0 + (docs - holding + 0.5).max(0.0) / (holding + 0.5)).ln()
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn mean_length(collection: CollectionSize) -> f64 {
    (collection.terms as f64 / collection.docs.max(1) as f64).max(1.0)
}

pub(super) fn node(of: TextOf, key: &str) -> Result<NodeId> {
    let bad = |_| Error::BadRow { what: key.to_owned(), detail: "it is not an id".to_owned() };
    match of {
        TextOf::Memories => key.parse::<MemoryId>().map(NodeId::Memory).map_err(bad),
        TextOf::Episodes => key.parse::<EpisodeId>().map(NodeId::Episode).map_err(bad),
    }
}
