// The JSON of the server, as far as the page reads it.

export interface Watermark {
  type: string;
  target: string;
  span?: string | null;
  status: 'unchanged' | 'moved' | 'missing' | 'unknown';
  then?: string;
  now?: string;
  stamped_at?: string;
}

export interface Evidence {
  authority: string;
  session: string | null;
  turn: string | null;
  at: string;
  snippet: string | null;
  why: string | null;
}

export interface Slot {
  subject: string;
  predicate: string;
  object: string;
  cardinality: string;
}

export interface Later {
  id?: string;
  turn?: string;
  at: string;
  words?: string;
  text?: string;
}

export interface Memory {
  id: string;
  kind: string;
  layer: string;
  form: string;
  content: string;
  label: string;
  state: string;
  flags: string[];
  trust: number;
  salience: number;
  authority: string;
  confidence: number;
  importance: number;
  scope: string;
  project: string | null;
  domain: string | null;
  tags: string[];
  slot: Slot | null;
  valid_from: string | null;
  valid_until: string | null;
  recorded_at: string;
  last_verified_at: string | null;
  superseded_by: string | null;
  supersedes: string[];
  contested_by?: string[];
  later?: Later | Later[];
  reopened_by?: { id: string; reason: string; how: string }[];
  watermarks: Watermark[];
  evidence: Evidence[];
  triggers: string[];
  pinned: boolean;
  uses: number;
  sessions: number;
  helpful: number;
  unhelpful: number;
}

export interface Paged<T> {
  items: T[];
  total: number;
  next: string | null;
}

export interface Changed {
  memory: Memory;
  batch: string | null;
  superseded?: string[];
  waits?: boolean;
}

export interface Reason {
  relation: string;
  id: string;
  kind: string;
  state: string;
  content: string;
  repeated: boolean;
  because: Reason[];
}

export interface Why {
  memory: Memory;
  because: Reason[];
  evidence: Evidence[];
  supports: { id: string; kind: string; state: string; content: string }[];
  trust: { support: number; watermark: number; contest: number; value: number };
  noticed: null | { words: string; role?: string };
  injected: { session: string | null; at: string; tokens: number }[];
}

export interface Version {
  change: string;
  at: string;
  actor: string;
  cause: string;
  batch: string;
  memory: string;
  before: { content?: string; state?: string } | null;
  after: { content?: string; state?: string } | null;
  reason: string | null;
}

export interface Related {
  related: { relation: string; outward: boolean; id: string; label: string; state: string | null }[];
}

export interface Episode {
  id: string;
  session: string;
  turn: string | null;
  at: string;
  speaker: string;
  text: string;
}

export interface Step {
  from: string;
  relation: string;
  to: string;
}

export interface Candidate {
  id: string;
  title?: string;
  score: number;
  relevance: number;
  salience: number | null;
  trust: number | null;
  words: number;
  vector: number;
  session: number;
  voice: number;
  answer: number;
  time: number;
  named: number;
  path: Step[];
  fate: string;
  reason: string | null;
}

export interface Recalled {
  query: string;
  tokens: number;
  budget: number;
  items: { rank: number; detail: string; score: number; memory: Memory | null; episode: Episode | null }[];
  text: string;
  candidates?: Candidate[];
}

export interface Telling {
  id: string;
  at: string;
  session: string | null;
  agent: string;
  event: string;
  tokens: number;
  text: string;
  memories: string[];
  turns: string[];
  why: {
    id: string;
    reason: string;
    detail: string;
    score?: number;
    relevance?: number;
    salience?: number;
    trust?: number;
  }[];
  erased?: boolean;
}

export interface Session {
  id: string;
  agent: string;
  started_at: string;
  ended_at: string | null;
  turns: number;
  noticed: number;
  probes: number;
}

export interface GraphNode {
  id: string;
  type: 'memory' | 'entity';
  kind: string;
  label: string;
  state: string | null;
  at?: string | null;
  trust?: number | null;
  domain?: string | null;
}

export interface GraphEdge {
  from: string;
  relation: string;
  to: string;
  weight: number;
  confidence: number;
}

export interface GraphData {
  nodes: GraphNode[];
  edges: GraphEdge[];
  left_out: number;
}

export interface ToVerify {
  memory: Memory;
  then: string;
  now: string;
  message: string;
}

export interface Graduation {
  id: string;
  memory: Memory | string;
  file: string;
  diff: string;
}

export interface Pending {
  id: string;
  at: string;
  session: string | null;
  why: string;
  says: string;
  stuck: string | null;
  authority: string;
}

export interface Review {
  verify: ToVerify[];
  contested: { a: Memory; b: Memory }[];
  graduation: Graduation[];
  pending: Pending[];
  gaps: Memory[];
  batch?: string | null;
}

export interface Batch {
  id: string;
  at: string;
  actor: string;
  cause: string;
  session: string | null;
  reason: string | null;
  changes: Record<string, unknown>[];
}

export interface Status {
  version: string;
  home: string;
  project: string;
  project_key: string;
  memories: number;
  active: number;
  last_change: string | null;
  database_bytes: number;
  wal_bytes: number;
  schema: number;
  sqlite: string;
  extraction: string;
  turns: number;
  injections: number;
  waiting: number;
  sleep_waits: number;
  agents: { agent: string; state: string; hooks: boolean; tools: boolean; last_hook?: string | null }[];
  space: Record<string, number>;
  free_bytes: number;
  backups: number;
  last_backup: string | null;
  lost_turns: number;
  unfinished_erasures: number;
  llm?: Record<string, unknown> | null;
}

export interface Doctor {
  ok: boolean;
  checks: { name: string; outcome: 'fine' | 'note' | 'wrong'; detail: string; hint: string | null }[];
}

export interface Projects {
  items: { key: string; roots: string[]; memories: number }[];
  current: string;
}

export interface Today {
  since: string;
  learned: Memory[];
  replaced: Memory[];
  questioned: Memory[];
  away: Memory[];
  verify: ToVerify[];
  told: number;
  gaps: Memory[];
}

export interface ChangeEvent {
  seq: number;
  batch?: string;
  cause?: string;
  memories?: string[];
}

export interface About {
  name: string;
  kind: string | null;
  text: string;
  memories: string[];
}

export interface Thing {
  name: string;
  kind: string;
  aliases: string[];
  memories: number;
}

export interface Things {
  items: Thing[];
  total: number;
}

export interface ThingShown {
  name: string;
  kind: string;
  aliases: string[];
  last_mentioned: string | null;
  beside: { name: string; kind: string; memories: number }[];
}

export interface Topics {
  items: { name: string; kind: string; memories: string[] }[];
}

export interface Boxes {
  items: { id: string; title: string; from: string; to: string; open: boolean; memories: string[] }[];
}

export interface Focus {
  session: string;
  focus: { id: string; type: 'memory' | 'entity' | 'turn'; label: string; activation: number }[];
}
