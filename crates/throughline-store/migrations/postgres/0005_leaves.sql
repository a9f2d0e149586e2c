-- Texts that are kept word for word for a tool, each hanging on the memory that it became.
CREATE TABLE leaf (
  space bigint NOT NULL, key text COLLATE "C" NOT NULL, body text NOT NULL, hash text NOT NULL,
  memory text COLLATE "C" NOT NULL,
  shelf  text COLLATE "C" NOT NULL,
  place  bigint NOT NULL,
  PRIMARY KEY (space, key)
);
CREATE INDEX leaf_memory ON leaf (space, memory);
CREATE INDEX leaf_place  ON leaf (space, shelf, place, key);
SELECT wall_in('leaf');
