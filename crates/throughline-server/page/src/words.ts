// The words that people read for the server's names.

const STATES: Record<string, string> = {
  staged: 'not confirmed',
  confirmed: 'confirmed',
  superseded: 'replaced',
  retracted: 'forgotten',
  expired: 'expired',
  archived: 'archived',
};

const AUTHORITIES: Record<string, string> = {
  user_corrected: 'you corrected it',
  user_stated: 'you said it',
  measured: 'measured',
  file: 'from a file',
  observed: 'observed',
  extracted: 'extracted from a turn',
  inferred: 'inferred',
  external: 'from outside',
};

const FLAGS: Record<string, [string, string]> = {
  contested: ['contradicted', 'Another memory of at least equal rank says otherwise.'],
  stale: ['to check', 'What it is tied to has changed since.'],
  dormant: ['rarely used', 'Too little used to come up by itself.'],
  established: ['established', 'Used in several sessions.'],
  speculative: ['unsure', 'It was not clear whether this was meant.'],
  reconfirm_due: ['confirm again', 'It is tied to nothing that can be checked, and has not been confirmed for long.'],
  incomplete: ['incomplete', 'A decision without its reason, or a failure without its cause.'],
  reopen: ['reasons changed', 'A reason of this decision no longer holds as it did.'],
  questioned: ['questioned', 'Something was said later that may bear on it.'],
  pinned: ['pinned', 'It never expires, and only you can change it.'],
};

const RELATIONS: Record<string, [string, string]> = {
  supersedes: ['replaces', 'replaced by'],
  contradicts: ['contradicts', 'contradicted by'],
  because: ['because', 'reason for'],
  evidenced_by: ['shown by', 'shows'],
  derived_from: ['derived from', 'source of'],
  depends_on: ['depends on', 'needed by'],
  blocks: ['blocks', 'blocked by'],
  informs: ['informs', 'informed by'],
  extends: ['extends', 'extended by'],
  about: ['about', 'mentioned in'],
  tagged: ['tagged', 'tag of'],
  in_cluster: ['in topic', 'topic of'],
  in_box: ['in box', 'box of'],
  relates_to: ['related to', 'related to'],
  both_hold: ['holds beside', 'holds beside'],
  later_said: ['said later', 'said before'],
  co_used: ['used together with', 'used together with'],
};

const CAUSES: Record<string, string> = {
  remember: 'Remembered',
  edit: 'Edited',
  confirm: 'Confirmed',
  correct: 'Corrected',
  supersede: 'Replaced',
  unsupersede: 'Made current again',
  contradict: 'Marked as contradicting',
  link: 'Connected',
  unlink: 'Disconnected',
  tag: 'Tagged',
  pin: 'Pinned or unpinned',
  archive: 'Archived',
  unarchive: 'Brought back',
  forget: 'Forgotten',
  purge: 'Erased',
  undo: 'Undone',
  import: 'Imported',
  capture: 'Captured from a turn',
  recall: 'Told an agent',
  verify: 'Checked against files',
  sleep: 'Consolidated',
  review: 'Reviewed',
  model: 'Read by the model',
  shelve: 'Settled',
};

const EVENTS: Record<string, string> = {
  SessionStart: 'at the start of a session',
  UserPromptSubmit: 'with a prompt',
  PreToolUse: 'before a tool ran',
  PostToolUse: 'after a tool ran',
  SubagentStart: 'to a helper',
  recall: 'when it asked',
};

const spaced = (name: string) => name.replaceAll('_', ' ');

export const state = (name: string | null) => (name ? (STATES[name] ?? spaced(name)) : '');
export const authority = (name: string) => AUTHORITIES[name] ?? spaced(name);
export const flag = (name: string) => FLAGS[name]?.[0] ?? spaced(name);
export const flagMeaning = (name: string) => FLAGS[name]?.[1] ?? '';
export const relation = (name: string, outward = true) => RELATIONS[name]?.[outward ? 0 : 1] ?? spaced(name);
export const cause = (name: string) => CAUSES[name] ?? spaced(name);
export const event = (name: string) => EVENTS[name] ?? spaced(name);
export const short = (id: string) => id.slice(-8);

export const KINDS = [
  'fact', 'preference', 'principle', 'decision', 'commitment', 'procedure',
  'negative', 'correction', 'event', 'lesson', 'gap',
];
const KIND_WORDS: Record<string, string> = { negative: 'dead end', gap: 'open question', entity: 'subject' };
const THINGS: Record<string, string> = { concept: 'subject', cluster: 'topic', box: 'stretch of work' };
export const thing = (name: string) => THINGS[name] ?? spaced(name);
export const kind = (name: string) => KIND_WORDS[name] ?? spaced(name);

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let at = 0;
  let value = count;
  while (1024 <= value && at < units.length - 1) {
    value /= 1024;
    at += 1;
  }
  return `${value < 10 && 0 < at ? value.toFixed(1) : Math.round(value).toLocaleString('en')} ${units[at]}`;
}

const DAY = 86_400_000;
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'medium' });

const midnight = (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

/** A moment as people say it: 14:05 today, otherwise the day, with the year if it is another one. */
export function when(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const now = new Date();
  const days = Math.round((midnight(now) - midnight(date)) / DAY);
  if (days === 0) return clock.format(date);
  if (days === 1) return `yesterday ${clock.format(date)}`;
  return (date.getFullYear() === now.getFullYear() ? day : dayYear).format(date);
}

export const exactly = (at: string) => (Number.isNaN(Date.parse(at)) ? at : full.format(new Date(at)));
export const clockTime = (at: string) => clock.format(new Date(at));
export const onDay = (at: string) => dayYear.format(new Date(at));

/** The heading of a day. */
export function dayName(at: string): string {
  const days = Math.round((midnight(new Date()) - midnight(new Date(at))) / DAY);
  const name = weekday.format(new Date(at));
  if (days === 0) return `Today, ${name}`;
  if (days === 1) return `Yesterday, ${name}`;
  return new Date(at).getFullYear() === new Date().getFullYear() ? name : `${name} ${new Date(at).getFullYear()}`;
}
