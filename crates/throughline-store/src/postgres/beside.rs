//! Which turn stands beside which, and how long sessions are: worked out anew by the server for the
//! sessions whose turns changed.

use std::collections::BTreeSet;

use tokio_postgres::types::Type;

use super::link::{Param, Statement};

/// Sessions whose turns follow each other otherwise now, or have other lengths, as parameters.
#[derive(Default)]
pub(super) struct SessionColumns {
    walls: Vec<i64>,
    sessions: Vec<String>,
}

impl SessionColumns {
    pub(super) fn of(sessions: &BTreeSet<(i64, String)>) -> Self {
        let (walls, sessions) = sessions.iter().cloned().unzip();
        Self { walls, sessions }
    }

    fn params(&self) -> Vec<Param<'_>> {
        vec![(&self.walls, Type::INT8_ARRAY), (&self.sessions, Type::TEXT_ARRAY)]
    }

    /// The statements that bring documents and sizes up to date, after documents and their shelf were
    /// written.
    pub(super) fn statements(&self) -> Vec<Statement<'_>> {
        if self.walls.is_empty() {
            return Vec::new();
        }
        vec![
            Statement {
                sql: "WITH now AS
                        (SELECT d.space, d.number, min(d.number) OVER whole AS first,
                           lag(d.number) OVER turns AS before, lag(d.length) OVER turns AS before_length,
                           lead(d.number) OVER turns AS next, lead(d.length) OVER turns AS next_length
                         FROM unnest($1::bigint[], $2::text[]) AS s (space, session)
                         JOIN document AS d ON d.space = s.space AND d.session = s.session AND d.what = 2
                         WINDOW whole AS (PARTITION BY d.space, d.session),
                           turns AS (PARTITION BY d.space, d.session ORDER BY d.position, d.key))
                      UPDATE document AS d SET first = n.first, before = n.before,
                        before_length = n.before_length, next = n.next, next_length = n.next_length,
                        stamp = (SELECT h.stamp FROM shelf AS h WHERE h.space = d.space AND h.what = 2)
                      FROM now AS n WHERE d.space = n.space AND d.what = 2 AND d.number = n.number
                        AND (d.first, d.before, d.before_length, d.next, d.next_length) IS DISTINCT FROM
                            (n.first, n.before, n.before_length, n.next, n.next_length)"
                    .to_owned(),
                params: self.params(),
            },
            Statement {
                sql: "WITH changed AS
                        (SELECT * FROM unnest($1::bigint[], $2::text[]) AS s (space, session)),
                      now AS
                        (SELECT d.space, d.session, min(d.number) AS number,
                           sum(greatest(d.length, 1)) AS length
                         FROM changed AS s
                         JOIN document AS d ON d.space = s.space AND d.session = s.session AND d.what = 2
                         GROUP BY d.space, d.session),
                      put AS
                        (INSERT INTO session_size (space, session, number, length) SELECT * FROM now
                         ON CONFLICT (space, session) DO UPDATE
                         SET number = excluded.number, length = excluded.length
                         RETURNING space, CASE WHEN xmax = 0 THEN 1 ELSE 0 END AS more),
                      gone AS
                        (DELETE FROM session_size AS t USING changed AS s
                         WHERE t.space = s.space AND t.session = s.session AND NOT EXISTS
                           (SELECT 1 FROM now AS n WHERE n.space = s.space AND n.session = s.session)
                         RETURNING t.space, -1 AS more)
                      UPDATE shelf AS h SET sessions = h.sessions + c.more
                      FROM (SELECT space, sum(more) AS more
                            FROM (SELECT * FROM put UNION ALL SELECT * FROM gone) AS both_ways
                            GROUP BY space) AS c
                      WHERE h.space = c.space AND h.what = 2 AND c.more <> 0"
                    .to_owned(),
                params: self.params(),
            },
        ]
    }
}
