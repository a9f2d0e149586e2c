-- What lets the server find the documents that a prompt may mean, so that all others stay where they are. Everything here is
-- derived from documents, and rebuilt by `doctor --reindex`. A file needs none of it: it is scanned whole.

-- Owners are walled off like everybody else; what follows fills rows of every space.
ALTER TABLE document NO FORCE ROW LEVEL SECURITY;
ALTER TABLE shelf NO FORCE ROW LEVEL SECURITY;

-- Telling terms of a document, the model of its vector (0: none; NULL: not to be searched), and for a turn the number of its
-- session (the least of its turns) and the turns beside it, each with its length.
ALTER TABLE document ADD COLUMN length integer, ADD COLUMN model smallint, ADD COLUMN first integer,
  ADD COLUMN before integer, ADD COLUMN before_length integer, ADD COLUMN next integer, ADD COLUMN next_length integer;
UPDATE document SET length = get_byte(record, 36) + 256 * get_byte(record, 37),
  model = CASE WHEN get_byte(record, 38) & 32 = 0 THEN get_byte(record, 41) END
WHERE octet_length(record) = 448;
WITH now AS (
  SELECT space, number, min(number) OVER (PARTITION BY space, session) AS first, lag(number) OVER turns AS before,
    lag(length) OVER turns AS before_length, lead(number) OVER turns AS next, lead(length) OVER turns AS next_length
  FROM document WHERE what = 2 AND session IS NOT NULL
  WINDOW turns AS (PARTITION BY space, session ORDER BY position, key))
UPDATE document AS d SET first = n.first, before = n.before, before_length = n.before_length, next = n.next,
  next_length = n.next_length
FROM now AS n WHERE d.space = n.space AND d.what = 2 AND d.number = n.number;
CREATE INDEX document_model ON document (space, what, model, number) WHERE model IS NOT NULL;

-- Telling terms of all turns of a session; a turn without any counts as one.
CREATE TABLE session_size (
  space   bigint  NOT NULL,
  session text COLLATE "C" NOT NULL,
  number  integer NOT NULL,
  length  bigint  NOT NULL,
  PRIMARY KEY (space, session)
);
CREATE INDEX session_size_number ON session_size (space, number);
INSERT INTO session_size SELECT space, session, min(number), sum(greatest(length, 1)) FROM document
  WHERE what = 2 AND session IS NOT NULL GROUP BY space, session;

-- Telling terms of all documents of a shelf, and how many sessions they were said in.
ALTER TABLE shelf ADD COLUMN telling bigint NOT NULL DEFAULT 0, ADD COLUMN sessions bigint NOT NULL DEFAULT 0;
UPDATE shelf AS s SET
  telling = (SELECT coalesce(sum(d.length), 0) FROM document AS d WHERE d.space = s.space AND d.what = s.what),
  sessions = CASE WHEN s.what = 2 THEN (SELECT count(*) FROM session_size AS t WHERE t.space = s.space) ELSE 0 END;

-- Packed vectors as the search for the nearest reads them: the codes of the record, which are whole numbers that a half holds
-- exactly, with what one step is worth and how far it lies from the vector itself. State 0 is that of a turn.
CREATE TABLE near (
  space    bigint   NOT NULL,
  what     smallint NOT NULL,
  number   integer  NOT NULL,
  model    smallint NOT NULL,
  state    smallint NOT NULL,
  cold     boolean  NOT NULL,
  scale    real     NOT NULL,
  residual real     NOT NULL,
  codes    halfvec(384) NOT NULL,
  PRIMARY KEY (space, what, number)
);
ALTER TABLE near ALTER COLUMN codes SET STORAGE PLAIN;

-- The four bytes of a number as they lie in a record.
CREATE FUNCTION real_at(record bytea, at integer) RETURNS real LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE (bits >> 23) & 255 WHEN 0 THEN 0::real WHEN 255 THEN 'Infinity'::real ELSE ((CASE WHEN bits >> 31 = 1 THEN -1 ELSE 1 END)
    * (1 + (bits & 8388607) / 8388608.0::float8) * power(2::float8, ((bits >> 23) & 255) - 127))::real END
  FROM (SELECT get_byte(record, at)::bigint + (get_byte(record, at + 1)::bigint << 8)
    + (get_byte(record, at + 2)::bigint << 16) + (get_byte(record, at + 3)::bigint << 24) AS bits) AS b $$;
INSERT INTO near SELECT space, what, number, get_byte(record, 41), get_byte(record, 39), get_byte(record, 38) & 32 <> 0,
  real_at(record, 56), real_at(record, 60),
  (SELECT array_agg((get_byte(record, 63 + n) + 128) % 256 - 128 ORDER BY n) FROM generate_series(1, 384) AS n)::real[]::halfvec(384)
FROM document WHERE octet_length(record) = 448 AND get_byte(record, 41) > 0;
DROP FUNCTION real_at(bytea, integer);
CREATE INDEX near_memories ON near USING hnsw (codes halfvec_cosine_ops) WHERE what = 1;
CREATE INDEX near_turns    ON near USING hnsw (codes halfvec_cosine_ops) WHERE what = 2;

ALTER TABLE document FORCE ROW LEVEL SECURITY;
ALTER TABLE shelf FORCE ROW LEVEL SECURITY;
SELECT wall_in(walled::regclass) FROM unnest(ARRAY['session_size', 'near']) AS walled;
