-- Texts that are kept word for word for a tool, each hanging on the memory that it became.
CREATE TABLE leaf (
  space INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
  memory TEXT NOT NULL AS (body ->> '$.memory') STORED,
  shelf  TEXT NOT NULL AS (body ->> '$.shelf') STORED,
  place  INTEGER NOT NULL AS (body ->> '$.order') STORED,
  PRIMARY KEY (space, key),
  FOREIGN KEY (space, memory) REFERENCES memory (space, key) DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE INDEX leaf_memory ON leaf (space, memory);
CREATE INDEX leaf_place  ON leaf (space, shelf, place, key);
