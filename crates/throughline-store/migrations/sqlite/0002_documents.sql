-- Documents: what search knows of a text without reading it, packed for scanning. Derived from
-- memories, episodes and vectors; rebuilt by `doctor --reindex`.

-- One block of documents. `stamp` grows with every write, so that a reader knows what to read again.
CREATE TABLE block (
  id     INTEGER PRIMARY KEY,
  space  INTEGER NOT NULL,
  what   TEXT    NOT NULL,
  number INTEGER NOT NULL,
  stamp  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX block_number ON block (space, what, number);
CREATE INDEX block_stamp ON block (stamp);

-- Its records, side by side. Beside and not in the table above: they are written in place.
CREATE TABLE block_body (
  id   INTEGER PRIMARY KEY REFERENCES block (id),
  body BLOB NOT NULL
) STRICT;

-- Models by the small numbers that records name them by.
CREATE TABLE model (
  number INTEGER NOT NULL PRIMARY KEY,
  name   TEXT    NOT NULL UNIQUE
) STRICT;
