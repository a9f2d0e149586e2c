-- Every table of memory has one shape: the space, the key, the row as JSON, and a hash of that JSON.
-- Columns that queries need are computed from the JSON by SQLite itself, so they cannot disagree.

CREATE TABLE migration (
  number     INTEGER NOT NULL PRIMARY KEY,
  name       TEXT    NOT NULL,
  checksum   TEXT    NOT NULL
) STRICT;

-- The walls. `no` is a small local number that groups the text index by space.
CREATE TABLE space (
  space INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
  no    INTEGER NOT NULL,
  PRIMARY KEY (space, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE memory (
  space INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
  doc           INTEGER,
  session       TEXT          AS (body ->> '$.session') STORED,
  kind          TEXT NOT NULL AS (body ->> '$.kind') STORED,
  state         TEXT NOT NULL AS (body ->> '$.state') STORED,
  fingerprint   TEXT NOT NULL AS (body ->> '$.fingerprint') STORED,
  domain        TEXT          AS (body ->> '$.domain') STORED,
  authority     TEXT NOT NULL AS (body ->> '$.authority') STORED,
  recorded_at   TEXT NOT NULL AS (body ->> '$.recorded_at') STORED,
  superseded_by TEXT          AS (body ->> '$.superseded_by') STORED,
  tail          TEXT NOT NULL AS (substr(key, -8)) STORED,
  PRIMARY KEY (space, key)
) STRICT;
CREATE INDEX memory_doc         ON memory (space, doc);
CREATE INDEX memory_fingerprint ON memory (space, fingerprint);
CREATE INDEX memory_recorded    ON memory (space, recorded_at, key);
CREATE INDEX memory_shape       ON memory (space, state, kind, authority, domain, session, key);
CREATE INDEX memory_successor   ON memory (space, superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memory_tail        ON memory (space, tail);

-- Which memories give which value to which subject and predicate, in comparable form.
CREATE TABLE slot (
  space INTEGER NOT NULL, slot TEXT NOT NULL, memory TEXT NOT NULL,
  value TEXT NOT NULL, single INTEGER NOT NULL,
  PRIMARY KEY (space, slot, memory),
  FOREIGN KEY (space, memory) REFERENCES memory (space, key) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;
CREATE INDEX slot_memory ON slot (space, memory);

CREATE TABLE evidence (
  space INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
  memory TEXT NOT NULL AS (body ->> '$.memory') STORED,
  PRIMARY KEY (space, key),
  FOREIGN KEY (space, memory) REFERENCES memory (space, key) DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE INDEX evidence_memory ON evidence (space, memory);

CREATE TABLE watermark (
  space INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
  memory TEXT NOT NULL AS (body ->> '$.memory') STORED,
  PRIMARY KEY (space, key),
  FOREIGN KEY (space, memory) REFERENCES memory (space, key) DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE INDEX watermark_memory ON watermark (space, memory);

CREATE TABLE usage (
  space INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
  PRIMARY KEY (space, key),
  FOREIGN KEY (space, key) REFERENCES memory (space, key) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;

CREATE TABLE entity (
  space INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
  kind  TEXT NOT NULL AS (body ->> '$.kind') STORED,
  PRIMARY KEY (space, key)
) STRICT;

-- Every name an entity answers to, in comparable form.
CREATE TABLE alias (
  space INTEGER NOT NULL, name TEXT NOT NULL, entity TEXT NOT NULL,
  PRIMARY KEY (space, name, entity),
  FOREIGN KEY (space, entity) REFERENCES entity (space, key) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;
CREATE INDEX alias_entity ON alias (space, entity);

CREATE TABLE edge (
  space INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
  src      TEXT NOT NULL AS (body ->> '$.from') STORED,
  relation TEXT NOT NULL AS (body ->> '$.relation') STORED,
  dst      TEXT NOT NULL AS (body ->> '$.to') STORED,
  PRIMARY KEY (space, key)
) STRICT;
CREATE INDEX edge_src ON edge (space, src, relation);
CREATE INDEX edge_dst ON edge (space, dst, relation);

CREATE TABLE episode (
  space INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
  doc      INTEGER,
  session  TEXT    NOT NULL AS (body ->> '$.session') STORED,
  position INTEGER NOT NULL AS (body ->> '$.position') STORED,
  PRIMARY KEY (space, key)
) STRICT;
CREATE INDEX episode_doc     ON episode (space, doc);
CREATE INDEX episode_session ON episode (space, session, position);

CREATE TABLE session (
  space INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
  PRIMARY KEY (space, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE injection (
  space INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
  at TEXT NOT NULL AS (body ->> '$.at') STORED,
  PRIMARY KEY (space, key)
) STRICT;
CREATE INDEX injection_at ON injection (space, at);

-- What was erased, recognisable and unreadable.
CREATE TABLE tombstone (
  space INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
  fingerprint TEXT NOT NULL AS (body ->> '$.fingerprint') STORED,
  slot        TEXT          AS (body ->> '$.slot') STORED,
  PRIMARY KEY (space, key)
) STRICT;
CREATE INDEX tombstone_fingerprint ON tombstone (space, fingerprint);
CREATE INDEX tombstone_slot ON tombstone (space, slot) WHERE slot IS NOT NULL;

-- Erasures that are not finished: something may still be in the write-ahead log or in a copy.
CREATE TABLE erasure_due (
  space INTEGER NOT NULL, key TEXT NOT NULL,
  rewritten INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (space, key)
) STRICT, WITHOUT ROWID;

-- The change log. A batch is one transaction; its changes carry the rows as they were before.
CREATE TABLE batch (
  space INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq  INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  PRIMARY KEY (space, key)
) STRICT;
CREATE INDEX batch_seq ON batch (last_seq);
CREATE INDEX batch_key ON batch (key);

CREATE TABLE change (
  space INTEGER NOT NULL, seq INTEGER NOT NULL, batch TEXT NOT NULL,
  body  TEXT NOT NULL, before TEXT NOT NULL, hash TEXT NOT NULL,
  PRIMARY KEY (space, seq),
  FOREIGN KEY (space, batch) REFERENCES batch (space, key) DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE INDEX change_seq   ON change (seq);
CREATE INDEX change_batch ON change (space, batch, seq);

-- Which change touched which row of which node.
CREATE TABLE touch (
  space INTEGER NOT NULL, node TEXT NOT NULL, row TEXT NOT NULL, seq INTEGER NOT NULL,
  PRIMARY KEY (space, node, row, seq)
) STRICT, WITHOUT ROWID;

-- The days on which there was work in a space: the clock of salience.
CREATE TABLE activity (
  space INTEGER NOT NULL, day INTEGER NOT NULL,
  PRIMARY KEY (space, day)
) STRICT, WITHOUT ROWID;

-- Derived and rebuildable: vectors, one for each model.
CREATE TABLE embedding (
  space INTEGER NOT NULL, node TEXT NOT NULL, model TEXT NOT NULL,
  seq   INTEGER NOT NULL, vector BLOB NOT NULL,
  PRIMARY KEY (space, node, model)
) STRICT;
CREATE INDEX embedding_seq ON embedding (space, model, seq);

-- Derived and rebuildable: words. Terms are made in throughline-core, so the tokenizer only splits
-- at spaces. Secure-delete removes the words of a deleted row from the index itself.
CREATE VIRTUAL TABLE memory_text  USING fts5 (terms, tokenize = 'ascii');
CREATE VIRTUAL TABLE episode_text USING fts5 (terms, tokenize = 'ascii');
INSERT INTO memory_text  (memory_text,  rank) VALUES ('secure-delete', 1);
INSERT INTO episode_text (episode_text, rank) VALUES ('secure-delete', 1);

-- How many documents and terms each text index holds, for scoring.
CREATE TABLE text_size (
  space INTEGER NOT NULL, what TEXT NOT NULL, docs INTEGER NOT NULL, terms INTEGER NOT NULL,
  PRIMARY KEY (space, what)
) STRICT, WITHOUT ROWID;
