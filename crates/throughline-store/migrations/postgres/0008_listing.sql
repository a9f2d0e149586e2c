-- A page far down a listing is found by skipping what comes before it. All that a listing asks for stands in its index, so that
-- the memories that are skipped need not be read.
DROP INDEX IF EXISTS memory_recorded;
CREATE INDEX memory_listed ON memory (space, recorded_at, key) INCLUDE (state, kind, session, domain);
