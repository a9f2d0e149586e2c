-- The tables of SQLite, for PostgreSQL. Every table of memory has one shape: the space, the key, the row as JSON in the
-- bytes it was written in, a hash of that, and the columns that queries need, which the program computes from the row.
--
-- Every key starts with the space, ids are made by the program, and nothing refers to another space, so that each table
-- with a space can be distributed by it. Texts are compared byte by byte.

CREATE TABLE migration (
  number   integer NOT NULL PRIMARY KEY,
  name     text    NOT NULL,
  checksum text    NOT NULL
);

-- How far the log has come, and how often documents were written. One row; whoever writes holds it.
CREATE TABLE head (
  one   integer NOT NULL PRIMARY KEY CHECK (one = 1),
  seq   bigint  NOT NULL,
  stamp bigint  NOT NULL
);
INSERT INTO head (one, seq, stamp) VALUES (1, 0, 0);

-- Who may see a space, by database role. 'self' is the one person whose own space it is.
CREATE TABLE member (
  space    bigint NOT NULL,
  role     text   COLLATE "C" NOT NULL,
  standing text   COLLATE "C" NOT NULL CHECK (standing IN ('reader', 'member', 'owner', 'self')),
  PRIMARY KEY (space, role)
);
CREATE INDEX member_role ON member (role, space);

CREATE TABLE space (
  space bigint NOT NULL, key text COLLATE "C" NOT NULL, body text NOT NULL, hash text NOT NULL,
  PRIMARY KEY (space, key)
);

CREATE TABLE memory (
  space bigint NOT NULL, key text COLLATE "C" NOT NULL, body text NOT NULL, hash text NOT NULL,
  session       text COLLATE "C",
  kind          text COLLATE "C" NOT NULL,
  state         text COLLATE "C" NOT NULL,
  fingerprint   text COLLATE "C" NOT NULL,
  domain        text COLLATE "C",
  authority     text COLLATE "C" NOT NULL,
  recorded_at   bigint NOT NULL,
  superseded_by text COLLATE "C",
  triggers      boolean NOT NULL,
  unresolved    boolean NOT NULL,
  PRIMARY KEY (space, key)
);
CREATE INDEX memory_fingerprint ON memory (space, fingerprint);
CREATE INDEX memory_recorded    ON memory (space, recorded_at, key);
CREATE INDEX memory_successor   ON memory (space, superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memory_tail        ON memory (space, right(key, 8));

-- Which memories give which value to which subject and predicate, in comparable form.
CREATE TABLE slot (
  space bigint NOT NULL, slot text COLLATE "C" NOT NULL, memory text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL, single boolean NOT NULL,
  PRIMARY KEY (space, memory)
);
CREATE INDEX slot_slot ON slot (space, md5(slot));

CREATE TABLE evidence (
  space bigint NOT NULL, key text COLLATE "C" NOT NULL, body text NOT NULL, hash text NOT NULL,
  memory text COLLATE "C" NOT NULL,
  PRIMARY KEY (space, key)
);
CREATE INDEX evidence_memory ON evidence (space, memory);

CREATE TABLE watermark (
  space bigint NOT NULL, key text COLLATE "C" NOT NULL, body text NOT NULL, hash text NOT NULL,
  memory text COLLATE "C" NOT NULL,
  PRIMARY KEY (space, key)
);
CREATE INDEX watermark_memory ON watermark (space, memory);

CREATE TABLE usage (
  space bigint NOT NULL, key text COLLATE "C" NOT NULL, body text NOT NULL, hash text NOT NULL,
  PRIMARY KEY (space, key)
);

CREATE TABLE entity (
  space bigint NOT NULL, key text COLLATE "C" NOT NULL, body text NOT NULL, hash text NOT NULL,
  kind  text COLLATE "C" NOT NULL,
  PRIMARY KEY (space, key)
);

-- Every name an entity answers to, in comparable form.
CREATE TABLE alias (
  space bigint NOT NULL, entity text COLLATE "C" NOT NULL, number integer NOT NULL, name text COLLATE "C" NOT NULL,
  PRIMARY KEY (space, entity, number)
);
CREATE INDEX alias_name ON alias (space, md5(name));

CREATE TABLE edge (
  space bigint NOT NULL, key text COLLATE "C" NOT NULL, body text NOT NULL, hash text NOT NULL,
  src      text COLLATE "C" NOT NULL,
  relation text COLLATE "C" NOT NULL,
  dst      text COLLATE "C" NOT NULL,
  PRIMARY KEY (space, key)
);
CREATE INDEX edge_src ON edge (space, src, relation);
CREATE INDEX edge_dst ON edge (space, dst, relation);

CREATE TABLE episode (
  space bigint NOT NULL, key text COLLATE "C" NOT NULL, body text NOT NULL, hash text NOT NULL,
  session  text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (space, key)
);
CREATE INDEX episode_session ON episode (space, session, position);

CREATE TABLE session (
  space bigint NOT NULL, key text COLLATE "C" NOT NULL, body text NOT NULL, hash text NOT NULL,
  turns bigint NOT NULL, fired bigint NOT NULL, probes bigint NOT NULL,
  PRIMARY KEY (space, key)
);

CREATE TABLE injection (
  space bigint NOT NULL, key text COLLATE "C" NOT NULL, body text NOT NULL, hash text NOT NULL,
  at       bigint NOT NULL,
  memories text NOT NULL,
  PRIMARY KEY (space, key)
);
CREATE INDEX injection_at ON injection (space, at);

-- What was erased, recognisable and unreadable.
CREATE TABLE tombstone (
  space bigint NOT NULL, key text COLLATE "C" NOT NULL, body text NOT NULL, hash text NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  slot        text COLLATE "C",
  memory      text COLLATE "C" NOT NULL,
  PRIMARY KEY (space, key)
);
CREATE INDEX tombstone_fingerprint ON tombstone (space, fingerprint);
CREATE INDEX tombstone_slot ON tombstone (space, slot) WHERE slot IS NOT NULL;

-- Erasures whose dead rows were not vacuumed yet.
CREATE TABLE erasure_due (
  space bigint NOT NULL, key text COLLATE "C" NOT NULL,
  PRIMARY KEY (space, key)
);

-- The change log. A batch is one transaction; its changes carry the rows as they were before. The server itself notes who
-- wrote it.
CREATE TABLE batch (
  space bigint NOT NULL, key text COLLATE "C" NOT NULL, body text NOT NULL, hash text NOT NULL,
  first_seq bigint NOT NULL,
  last_seq  bigint NOT NULL,
  at        bigint NOT NULL,
  author    text COLLATE "C" NOT NULL DEFAULT current_user,
  PRIMARY KEY (space, key)
);
CREATE INDEX batch_seq ON batch (last_seq);
CREATE INDEX batch_key ON batch (key);

CREATE TABLE change (
  space bigint NOT NULL, seq bigint NOT NULL, batch text COLLATE "C" NOT NULL,
  body  text NOT NULL, before text NOT NULL, hash text NOT NULL,
  turn  boolean NOT NULL,
  PRIMARY KEY (space, seq)
);
CREATE INDEX change_batch ON change (batch, seq);
CREATE INDEX change_seq   ON change (seq);
CREATE INDEX change_turn  ON change (space, seq) WHERE turn;

-- Which change touched which row of which node.
CREATE TABLE touch (
  space bigint NOT NULL, node text COLLATE "C" NOT NULL, touched text COLLATE "C" NOT NULL, seq bigint NOT NULL,
  PRIMARY KEY (space, node, touched, seq)
);

-- The days on which there was work in a space: the clock of salience.
CREATE TABLE activity (
  space bigint NOT NULL, day bigint NOT NULL,
  PRIMARY KEY (space, day)
);

-- Derived and rebuildable: vectors, one for each model.
CREATE TABLE embedding (
  space bigint NOT NULL, node text COLLATE "C" NOT NULL, model text COLLATE "C" NOT NULL,
  seq   bigint NOT NULL, meaning vector NOT NULL,
  PRIMARY KEY (space, node, model)
);
CREATE INDEX embedding_seq ON embedding (space, model, seq);

-- Walls. Who is no member of a space sees and writes no row of it, whatever statement is sent.
CREATE FUNCTION is_claimed(wanted bigint) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path FROM CURRENT
  AS $$ SELECT EXISTS (SELECT 1 FROM member WHERE space = wanted) $$;
CREATE FUNCTION owns(wanted bigint, who text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path FROM CURRENT
  AS $$ SELECT EXISTS (SELECT 1 FROM member WHERE space = wanted AND role = who AND standing = 'owner') $$;

ALTER TABLE member ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_or_owned ON member FOR SELECT USING (role = current_user OR owns(space, current_user));
CREATE POLICY first_come   ON member FOR INSERT WITH CHECK
  ((role = current_user AND standing IN ('owner', 'self') AND NOT is_claimed(space))
   OR (owns(space, current_user) AND standing <> 'self'));
CREATE POLICY owner_lifts  ON member FOR UPDATE USING (owns(space, current_user))
  WITH CHECK (owns(space, current_user) AND standing <> 'self');
CREATE POLICY owner_takes  ON member FOR DELETE USING (owns(space, current_user));

-- Puts a wall around a table: members read, and those who are more than readers write.
CREATE FUNCTION wall_in(walled regclass) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', walled);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', walled);
  EXECUTE format('CREATE POLICY members_read ON %s FOR SELECT USING (space IN
    (SELECT m.space FROM member AS m WHERE m.role = current_user))', walled);
  EXECUTE format('CREATE POLICY members_add ON %s FOR INSERT WITH CHECK (space IN
    (SELECT m.space FROM member AS m WHERE m.role = current_user AND m.standing <> ''reader''))', walled);
  EXECUTE format('CREATE POLICY members_change ON %s FOR UPDATE USING (space IN
    (SELECT m.space FROM member AS m WHERE m.role = current_user AND m.standing <> ''reader''))', walled);
  EXECUTE format('CREATE POLICY members_remove ON %s FOR DELETE USING (space IN
    (SELECT m.space FROM member AS m WHERE m.role = current_user AND m.standing <> ''reader''))', walled);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO PUBLIC', walled);
END $$;
REVOKE ALL ON FUNCTION wall_in(regclass) FROM PUBLIC;

SELECT wall_in(walled::regclass) FROM unnest(ARRAY['space', 'memory', 'slot', 'evidence', 'watermark', 'usage', 'entity',
  'alias', 'edge', 'episode', 'session', 'injection', 'tombstone', 'erasure_due', 'batch', 'change', 'touch', 'activity',
  'embedding']) AS walled;
-- Nobody writes in another's name.
CREATE POLICY own_name ON batch AS RESTRICTIVE FOR INSERT WITH CHECK (author = current_user);
REVOKE UPDATE ON batch FROM PUBLIC;
GRANT UPDATE (body, hash) ON batch TO PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON member TO PUBLIC;
GRANT SELECT, UPDATE ON head TO PUBLIC;
GRANT SELECT ON migration TO PUBLIC;
