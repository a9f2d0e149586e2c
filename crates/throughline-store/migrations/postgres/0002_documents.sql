-- Documents: what search knows of a text without reading it. Derived from memories, episodes and vectors; rebuilt by
-- `doctor --reindex`. A document keeps its number; where its text is gone, an empty one stays.
CREATE TABLE document (
  space    bigint   NOT NULL,
  what     smallint NOT NULL CHECK (what IN (1, 2)),
  number   integer  NOT NULL,
  stamp    bigint   NOT NULL,
  key      text COLLATE "C",
  session  text COLLATE "C",
  position bigint,
  record   bytea,
  terms    text,
  PRIMARY KEY (space, what, number)
);
CREATE UNIQUE INDEX document_key ON document (space, what, key) WHERE key IS NOT NULL;
CREATE INDEX document_stamp   ON document (space, what, stamp);
CREATE INDEX document_session ON document (space, session, position, key) WHERE session IS NOT NULL;

-- Which documents hold which term, and how often.
CREATE TABLE posting (
  space  bigint   NOT NULL,
  what   smallint NOT NULL,
  term   text COLLATE "C" NOT NULL,
  number integer  NOT NULL,
  count  integer  NOT NULL,
  PRIMARY KEY (space, what, term, number)
);

-- How many documents and terms each text index holds, for scoring, and the next number.
CREATE TABLE shelf (
  space bigint   NOT NULL,
  what  smallint NOT NULL,
  docs  bigint   NOT NULL,
  terms bigint   NOT NULL,
  next  integer  NOT NULL,
  PRIMARY KEY (space, what)
);

-- Models by the small numbers that records name them by.
CREATE TABLE model (
  number integer NOT NULL PRIMARY KEY,
  name   text COLLATE "C" NOT NULL UNIQUE
);

SELECT wall_in(walled::regclass) FROM unnest(ARRAY['document', 'posting', 'shelf']) AS walled;
GRANT SELECT, INSERT ON model TO PUBLIC;
