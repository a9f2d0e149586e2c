-- What names something that is not there, to be checked before it is believed.
CREATE INDEX memory_unresolved ON memory (space, recorded_at, key)
  WHERE body ->> '$.unresolved' IS NOT NULL;

-- Whether a memory is active, for the bindings of a whole project at once.
CREATE INDEX memory_active ON memory (space, key, state)
  WHERE state IN ('staged', 'confirmed');
