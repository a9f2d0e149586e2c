-- Writers of different spaces write at the same time, so that how often documents were written is counted by each shelf for
-- itself. The row of all spaces only numbers the log, in the last statement of a batch.

-- Owners are walled off like everybody else; what follows fills rows of every space.
ALTER TABLE shelf NO FORCE ROW LEVEL SECURITY;
ALTER TABLE shelf ADD COLUMN stamp bigint NOT NULL DEFAULT 0;
UPDATE shelf SET stamp = (SELECT h.stamp FROM head AS h);
ALTER TABLE shelf FORCE ROW LEVEL SECURITY;

-- What a prompt's words are scored with stands in the index that finds a document, so that the document itself, which is ten
-- times as large, is read only where it leads: the first 56 bytes of its record and where it stands.
ALTER TABLE document ADD COLUMN head bytea GENERATED ALWAYS AS (substring(record FROM 1 FOR 56)) STORED;
ALTER TABLE document DROP CONSTRAINT document_pkey,
  ADD PRIMARY KEY (space, what, number) INCLUDE (length, first, before, before_length, next, next_length, head);
