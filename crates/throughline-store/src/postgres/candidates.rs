//! Candidates on a server: what scoring needs of the documents that hold the words or lie near in
//! meaning, found where they are.

use std::collections::BTreeMap;

use throughline_core::{NodeId, SpaceId};
use tokio_postgres::Row as PgRow;
use tokio_postgres::types::Type;

use super::blocks::set_place;
use super::documents::what;
use super::foresee::ForeseenColumns;
use super::lease::Wire;
use super::link::Statement;
use super::near::{DIMENSIONS, in_brackets};
use super::records::RecordColumns;
use super::rows::PgTables;
use crate::candidates::{
    BesideTurn, CandidateQuery, CandidateRecord, Candidates, Foreseen, NearDocument, PromptCodes,
    RecordQuery, TermDocuments,
};
use crate::document::{Postings, state_number};
use crate::query::TextOf;
use crate::{Error, Result};

/// The most documents that are looked for along the index, which takes longer for each: as many as are
/// compared with each other to say what is usual.
const BY_INDEX: i64 = 512;

/// How much longer it takes to follow the index to one document than to compare one with the question, times the
/// documents that are looked for. The index holds all spaces: of `total` documents it passes `total / docs` for each
/// that belongs to a space of `docs`, so that comparing every document of the space takes less while
/// `docs * docs < SPREAD * total`.
const SPREAD: i64 = 400;

/// What is read of a document: its number, length, session and the turns beside it.
pub(super) const PLACE: &str =
    "d.number, d.length, d.first, d.before, d.before_length, d.next, d.next_length";

/// Sizes, terms, the documents that hold them, and the lengths of sessions, of one index in some spaces.
/// All that is read of a document here stands in the index that finds it. A term that too many
/// documents hold is only counted, unless all are so frequent.
fn words_sql(of: TextOf) -> String {
    let what = what(of);
    // Read once for all, because most sessions hold one of the words.
    let sessions = match of {
        TextOf::Memories => "",
        TextOf::Episodes => {
            "UNION ALL SELECT 4::smallint, s.space, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
               (SELECT array_agg(t.number ORDER BY t.number)
                  || array_agg(t.length::integer ORDER BY t.number)
                FROM session_size AS t WHERE t.space = s.space), NULL
             FROM size AS s WHERE NOT s.small"
        }
    };
    format!(
        "WITH size AS MATERIALIZED
           (SELECT space, docs, telling, sessions, docs <= $6 AS small,
              least(greatest(docs / $3, $4), $5) AS most
            FROM shelf WHERE what = {what} AND space = ANY($1) AND docs > 0),
         word AS MATERIALIZED
           (SELECT s.space, s.most, s.small, w.at, ARRAY
              (SELECT p.number FROM posting AS p
               WHERE p.space = s.space AND p.what = {what} AND p.term = w.term
               ORDER BY p.number DESC LIMIT s.most + 1) AS numbers
            FROM size AS s, unnest($2::text[]) WITH ORDINALITY AS w (term, at)),
         term AS MATERIALIZED
           (SELECT at, bool_or(cardinality(numbers) > most) AS cut,
              bool_and(cardinality(numbers) = 0) AS nowhere FROM word GROUP BY at),
         followed AS MATERIALIZED
           (SELECT at FROM term WHERE NOT cut OR (SELECT bool_and(cut OR nowhere) FROM term)),
         hit AS MATERIALIZED
           (SELECT DISTINCT w.space, n.number FROM word AS w JOIN followed USING (at),
              unnest(w.numbers[1:w.most]) AS n (number) WHERE NOT w.small)
         SELECT 0::smallint, space, sessions::integer, docs::integer, NULL::integer, NULL::integer,
           NULL::integer, NULL::integer, NULL::integer, telling, NULL::integer[], NULL::bytea
         FROM size
         UNION ALL SELECT 1::smallint, w.space, w.at::integer, cardinality(w.numbers),
           w.most::integer, NULL, NULL, NULL, NULL, NULL,
           CASE WHEN f.at IS NOT NULL THEN w.numbers END, NULL
         FROM word AS w LEFT JOIN followed AS f USING (at)
         UNION ALL SELECT 2::smallint, d.space, {PLACE}, NULL, NULL, d.head
         FROM size AS s, LATERAL
           (SELECT * FROM document AS d
            WHERE d.space = s.space AND d.what = {what} AND d.number = ANY
              (ARRAY(SELECT h.number FROM hit AS h WHERE h.space = s.space))) AS d
         UNION ALL SELECT 3::smallint, d.space, {PLACE}, NULL, NULL, d.record
         FROM size AS s JOIN document AS d ON d.space = s.space AND d.what = {what}
         WHERE s.small AND d.key IS NOT NULL
         {sessions}"
    )
}

/// The nearest documents of one index of one space: along the index where the space has many of all documents, and
/// one by one where it has few. How many there are in all, the server has counted itself.
fn nearest_sql(of: TextOf) -> String {
    let what = what(of);
    let asked = format!("$3::text::halfvec({DIMENSIONS})");
    let columns = format!("number, codes <#> {asked} AS away, scale, residual");
    let fits = format!(
        "space = $1 AND what = {what} AND NOT cold AND state = ANY($4)
           AND model = (SELECT m.number FROM model AS m WHERE m.name = $2)"
    );
    let docs = format!("(SELECT docs FROM shelf WHERE space = $1 AND what = {what})");
    let index = match of {
        TextOf::Memories => "near_memories",
        TextOf::Episodes => "near_turns",
    };
    let total = format!("(SELECT reltuples FROM pg_class WHERE oid = to_regclass('{index}'))");
    format!(
        "WITH size AS MATERIALIZED
           (SELECT {docs} > $5 AS wanted, {docs} <= CASE WHEN $6 > 0
              THEN greatest($6, sqrt({SPREAD} * greatest({total}, 0))) ELSE 0 END AS small),
         near_by AS MATERIALIZED
           ((SELECT {columns} FROM near WHERE {fits} AND (SELECT wanted AND NOT small FROM size)
             ORDER BY codes <=> {asked} LIMIT least($7, {BY_INDEX}))
            UNION ALL
            (SELECT {columns} FROM near WHERE {fits} AND (SELECT wanted AND small FROM size)
             ORDER BY (codes <#> {asked}) * scale, number LIMIT $7))
         SELECT 2::smallint, $1, {PLACE}, NULL::bigint, NULL::integer[], d.head, n.away, n.scale,
           n.residual
         FROM near_by AS n JOIN document AS d
           ON d.space = $1 AND d.what = {what} AND d.number = n.number"
    )
}

impl<L: Wire> PgTables<L> {
    /// The candidates of every index that is asked for, in one round trip.
    pub(super) fn find_candidates(
        &self,
        queries: &[CandidateQuery<'_>],
        codes: PromptCodes<'_>,
        next: &[Foreseen],
    ) -> Result<Vec<Candidates>> {
        let next = self.foreseen(next);
        let asked: Vec<Asked<'_>> = queries.iter().map(|query| Asked::of(self, query)).collect();
        let model = queries.first().map_or("", |query| query.model);
        let mut statements: Vec<Statement<'_>> = asked.iter().map(Asked::words).collect();
        statements.push(Statement {
            sql: "SELECT number FROM model WHERE name = $1".to_owned(),
            params: vec![(&model, Type::TEXT)],
        });
        statements.extend(next.iter().flat_map(ForeseenColumns::statements));
        statements.push(Statement { sql: self.spaces_sql(), params: Vec::new() });
        let answers = self.sent_with_meaning(&asked, &statements, codes)?;
        let is_meant = answers.len() > statements.len();
        let mut answers = answers.into_iter();
        let mut found: Vec<BTreeMap<i64, Candidates>> = Vec::new();
        for (one, rows) in asked.iter().zip(&mut answers) {
            found.push(one.candidates_by_wall(self, &rows));
        }
        let model = answers.next().unwrap_or_default();
        let model = model.first().and_then(|row| u8::try_from(row.get::<_, i32>(0)).ok());
        self.keep_foreseen(next, &mut answers)?;
        self.keep_spaces(&answers.next().unwrap_or_default())?;
        for (one, found) in asked.iter().zip(&mut found) {
            for candidates in found.values_mut() {
                candidates.model = model;
            }
            if is_meant {
                for (wall, rows) in one.walls.iter().zip(&mut answers) {
                    if let Some(candidates) = found.get_mut(wall) {
                        candidates.take_nearest(&rows);
                    }
                }
            }
        }
        let in_order = asked.iter().zip(found).flat_map(|(one, mut found)| {
            let walls = one.query.spaces.iter().map(|space| self.wall(*space));
            walls.filter_map(|wall| found.remove(&wall)).collect::<Vec<_>>()
        });
        Ok(in_order.collect())
    }

    /// Sends what is asked by words, and what is asked by meaning as soon as that is known: it is worked out
    /// while the server looks up the words. Where the connection was lost before it answered, one is sent after
    /// the other.
    fn sent_with_meaning(
        &self,
        asked: &[Asked<'_>],
        statements: &[Statement<'_>],
        codes: PromptCodes<'_>,
    ) -> Result<Vec<Vec<PgRow>>> {
        let mut bracketed = || {
            let codes = codes().filter(|codes| codes.len() == DIMENSIONS);
            codes.map(|codes| in_brackets(codes.into_iter()))
        };
        let (exact, mut meant) = (*self.link.exact_max(), None);
        let answers = self.link.all_meanwhile(statements, &mut meant, |meant| {
            *meant = bracketed();
            nearest_of_all(asked, meant.as_ref(), &exact)
        });
        match answers {
            Err(Error::Unreachable { .. }) if self.link.has_begun_anew() => {}
            answers => {
                self.link.note_answer();
                return answers;
            }
        }
        let mut answers = self.link.all(statements)?;
        let meant = bracketed();
        answers.extend(self.link.all(&nearest_of_all(asked, meant.as_ref(), &exact))?);
        Ok(answers)
    }

    /// Records of more documents, and vectors that are asked for next, in one round trip.
    pub(super) fn find_records(
        &self,
        queries: &[RecordQuery],
        model: &str,
    ) -> Result<Vec<Vec<CandidateRecord>>> {
        let asked: Vec<RecordColumns> =
            queries.iter().map(|query| RecordColumns::of(self, query)).collect();
        let statements: Vec<Statement<'_>> = asked
            .iter()
            .zip(queries)
            .flat_map(|(one, query)| one.statements(query.of, &model))
            .collect();
        let mut answers = self.link.all(&statements)?.into_iter();
        let mut records = Vec::new();
        let vectors = &mut self.kept.borrow_mut().vectors;
        for (query, one) in queries.iter().zip(&asked) {
            let rows = one.has_documents().then(|| answers.next()).flatten().unwrap_or_default();
            records.push(rows.iter().map(|row| record(query.of, row)).collect());
            for row in answers.next().unwrap_or_default() {
                if let Ok(node) = row.get::<_, &str>(0).parse() {
                    vectors.insert((model.to_owned(), query.space, node), row.get(1));
                }
            }
        }
        Ok(records)
    }

    /// Vectors that are at hand.
    pub(super) fn kept_vectors(
        &self,
        space: SpaceId,
        model: &str,
        nodes: &[NodeId],
    ) -> Vec<Option<Vec<f32>>> {
        let kept = &self.kept.borrow().vectors;
        let vector = |node: &NodeId| kept.get(&(model.to_owned(), space, *node)).cloned();
        nodes.iter().map(vector).collect()
    }

    /// Nodes of an index without a vector of a model, newest first.
    pub(super) fn bare_nodes(
        &self,
        space: SpaceId,
        of: TextOf,
        model: &str,
        most: usize,
    ) -> Result<Vec<NodeId>> {
        let rows = self.link.query(
            "WITH ours AS MATERIALIZED
               (SELECT coalesce((SELECT number FROM model WHERE name = $3), -1)::smallint AS number)
             SELECT key FROM document WHERE space = $1 AND what = $2 AND key IS NOT NULL
               AND (model < (SELECT number FROM ours) OR model > (SELECT number FROM ours))
             ORDER BY number DESC LIMIT $4",
            &[
                (&self.wall(space), Type::INT8),
                (&what(of), Type::INT2),
                (&model, Type::TEXT),
                (&i64::try_from(most).unwrap_or(i64::MAX), Type::INT8),
            ],
        )?;
        rows.iter().map(|row| super::text::node(of, row.get(0))).collect()
    }
}

/// The statements that find the nearest in every space of every query; none where meaning is not asked for.
fn nearest_of_all<'s>(
    asked: &'s [Asked<'_>],
    meant: Option<&'s String>,
    exact: &'s i64,
) -> Vec<Statement<'s>> {
    let Some(codes) = meant else { return Vec::new() };
    asked.iter().flat_map(|one| one.nearest(codes, exact)).collect()
}

/// A query as parameters.
struct Asked<'q> {
    query: &'q CandidateQuery<'q>,
    walls: Vec<i64>,
    states: Vec<i16>,
    /// One document in so many, at least, at most.
    frequent: [i64; 3],
    whole: i64,
    nearest: i64,
}

impl<'q> Asked<'q> {
    fn of<L: Wire>(tables: &PgTables<L>, query: &'q CandidateQuery<'q>) -> Self {
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let states = match query.of {
            TextOf::Memories => {
                query.states.iter().map(|state| i16::from(state_number(Some(*state)))).collect()
            }
            TextOf::Episodes => vec![i16::from(state_number(None))],
        };
        let frequent = [query.frequent.share.max(1), query.frequent.least, query.frequent.most];
        Self {
            query,
            walls: tables.walls(query.spaces),
            states,
            frequent: frequent.map(number),
            whole: number(query.whole),
            nearest: number(query.nearest),
        }
    }

    fn words(&self) -> Statement<'_> {
        let [share, least, most] = &self.frequent;
        Statement {
            sql: words_sql(self.query.of),
            params: vec![
                (&self.walls, Type::INT8_ARRAY),
                (&self.query.terms, Type::TEXT_ARRAY),
                (share, Type::INT8),
                (least, Type::INT8),
                (most, Type::INT8),
                (&self.whole, Type::INT8),
            ],
        }
    }

    fn nearest<'s>(
        &'s self,
        codes: &'s String,
        exact: &'s i64,
    ) -> impl Iterator<Item = Statement<'s>> {
        self.walls.iter().map(move |wall| Statement {
            sql: nearest_sql(self.query.of),
            params: vec![
                (wall, Type::INT8),
                (&self.query.model, Type::TEXT),
                (codes, Type::TEXT),
                (&self.states, Type::INT2_ARRAY),
                (&self.whole, Type::INT8),
                (exact, Type::INT8),
                (&self.nearest, Type::INT8),
            ],
        })
    }

    /// What the words found, by wall.
    fn candidates_by_wall<L: Wire>(
        &self,
        tables: &PgTables<L>,
        rows: &[PgRow],
    ) -> BTreeMap<i64, Candidates> {
        let kind = |row: &PgRow| row.get::<_, i16>(0);
        let sizes = rows.iter().filter(|row| kind(row) == 0);
        let mut found: BTreeMap<i64, Candidates> =
            sizes.map(|row| (row.get(1), self.sized(tables.space(row.get(1)), row))).collect();
        let sessions = rows.iter().filter(|row| kind(row) == 4);
        let sessions: BTreeMap<i64, SessionLengths> =
            sessions.map(|row| (row.get(1), SessionLengths::of(row.get(10)))).collect();
        for row in rows.iter().filter(|row| (1..4).contains(&kind(row))) {
            let Some(candidates) = found.get_mut(&row.get::<_, i64>(1)) else { continue };
            if kind(row) > 1 {
                let mut record = record(self.query.of, row);
                if let Some(sessions) = sessions.get(&row.get::<_, i64>(1)) {
                    record.session_length = sessions.length(row.get(4));
                }
                candidates.records.push(record);
                continue;
            }
            let at = row.get::<_, i32>(2).unsigned_abs() as usize;
            if let Some(term) = candidates.terms.get_mut(at.wrapping_sub(1)) {
                *term = term_documents(row);
            }
        }
        found
    }

    /// What the sizes of an index say, without any document.
    fn sized(&self, space: SpaceId, row: &PgRow) -> Candidates {
        let documents = row.get::<_, i32>(3).unsigned_abs() as usize;
        let sessions = match self.query.of {
            TextOf::Memories => documents,
            TextOf::Episodes => row.get::<_, i32>(2).unsigned_abs() as usize,
        };
        Candidates {
            space,
            of: self.query.of,
            documents,
            telling: row.get::<_, i64>(9).unsigned_abs(),
            sessions,
            model: None,
            is_whole: documents <= self.query.whole,
            terms: vec![TermDocuments::default(); self.query.terms.len()],
            nearest: Vec::new(),
            records: Vec::new(),
        }
    }
}

/// Lengths of the sessions of a space, by the numbers of their first turns, which are sorted.
struct SessionLengths(Vec<i32>);

impl SessionLengths {
    /// Of the numbers, followed by as many lengths.
    fn of(both: Option<Vec<i32>>) -> Self {
        Self(both.unwrap_or_default())
    }

    fn length(&self, first: Option<i32>) -> Option<u32> {
        let (numbers, lengths) = self.0.split_at(self.0.len() / 2);
        let at = numbers.binary_search(&first?).ok()?;
        Some(lengths.get(at)?.unsigned_abs())
    }
}

fn term_documents(row: &PgRow) -> TermDocuments {
    let (holding, most): (i32, i32) = (row.get(3), row.get(4));
    let numbers: Option<Vec<i32>> = row.get(10);
    let most = most.unsigned_abs() as usize;
    let mut documents: Vec<u32> =
        numbers.unwrap_or_default().into_iter().map(i32::unsigned_abs).collect();
    documents.truncate(most);
    documents.reverse();
    let holding = holding.unsigned_abs() as usize;
    TermDocuments {
        holding: holding.min(most),
        postings: Postings { documents, cut: holding > most },
    }
}

/// A record from the columns that every statement here has.
fn record(of: TextOf, row: &PgRow) -> CandidateRecord {
    let number = |at: usize| row.get::<_, Option<i32>>(at);
    let length = |at: usize| number(at).and_then(|length| u16::try_from(length).ok()).unwrap_or(0);
    let beside = |at: usize| {
        number(at).map(|one| BesideTurn { number: one.unsigned_abs(), length: length(at + 1) })
    };
    let mut record = row.get::<_, Option<&[u8]>>(11).map(<[u8]>::to_vec).unwrap_or_default();
    if !record.is_empty() {
        set_place(of, &mut record, number(4), number(5));
    }
    CandidateRecord {
        number: number(2).map_or(0, i32::unsigned_abs),
        length: length(3),
        record,
        before: beside(5),
        next: beside(7),
        session_length: row
            .get::<_, Option<i64>>(9)
            .map(|length| u32::try_from(length).unwrap_or(u32::MAX)),
    }
}

impl Candidates {
    fn take_nearest(&mut self, rows: &[PgRow]) {
        for row in rows {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a sum of whole numbers below 2^23"
            )]
            let dot = -row.get::<_, f64>(12) as i32;
            let one = record(self.of, row);
            let (scale, residual) = (row.get(13), row.get(14));
            self.nearest.push(NearDocument { number: one.number, dot, scale, residual });
            self.records.push(one);
        }
    }
}
