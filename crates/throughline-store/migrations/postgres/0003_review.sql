-- What could not be applied and waits for a person's word, in the shape of every table of memory.
CREATE TABLE pending (
  space bigint NOT NULL, key text COLLATE "C" NOT NULL, body text NOT NULL, hash text NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (space, key)
);
CREATE INDEX pending_at ON pending (space, at, key);
SELECT wall_in('pending');

-- Contradictions wait for a person too, and are few among the edges.
CREATE INDEX edge_contradicts ON edge (space, key) WHERE relation = 'contradicts';

-- What a session is told when it begins, and before a tool runs, without reading everything else.
CREATE INDEX memory_current ON memory (space, kind, recorded_at, key) WHERE state IN ('staged', 'confirmed');
CREATE INDEX memory_triggered ON memory (space, recorded_at, key) WHERE triggers;
