-- What names something that is not there, to be checked before it is believed.
CREATE INDEX memory_unresolved ON memory (space, recorded_at, key) WHERE unresolved;
