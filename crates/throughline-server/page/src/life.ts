// The life of a fact, from its history: which wording held from when until when, and what differs.

import type { Version } from './types';

/** One wording and the time in which it held. */
export interface Stretch {
  memory: string;
  content: string;
  from: string;
  /** Null while it still holds. */
  until: string | null;
  /** How it ended: replaced, forgotten, archived, … */
  ending: string | null;
}

const ACTIVE = new Set(['confirmed', 'staged']);

/** Puts the versions of a memory, and of what it replaced and was replaced by, in order of time. */
export function stretches(versions: Version[]): Stretch[] {
  const open = new Map<string, Stretch>();
  const all: Stretch[] = [];
  for (const version of versions) {
    const after = version.after;
    const current = open.get(version.memory);
    if (!after?.content) continue;
    const active = ACTIVE.has(after.state ?? 'confirmed');
    if (current && (!active || current.content !== after.content)) {
      current.until = version.at;
      current.ending = active ? 'edited' : (after.state ?? null);
      open.delete(version.memory);
    }
    if (active && open.get(version.memory) === undefined) {
      const stretch = { memory: version.memory, content: after.content, from: version.at, until: null, ending: null };
      open.set(version.memory, stretch);
      all.push(stretch);
    }
  }
  // What was written and edited in the same moment never held by itself.
  const held = all.filter((one) => one.until === null || one.from < one.until);
  return (held.length === 0 ? all.slice(-1) : held).sort((a, b) => a.from.localeCompare(b.from));
}

/** A piece of a text that is the same as in another one, or not. */
export interface Piece {
  text: string;
  same: boolean;
}

/** Marks the words of `text` that are not in `other`, in order. */
export function compare(text: string, other: string): Piece[] {
  const a = text.split(/(\s+)/).slice(0, 400);
  const b = other.split(/(\s+)/).slice(0, 400);
  const longest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; 0 <= i; i -= 1) {
    for (let j = b.length - 1; 0 <= j; j -= 1) {
      const row = longest[i] as Uint16Array;
      const below = longest[i + 1] as Uint16Array;
      row[j] = a[i] === b[j] ? (below[j + 1] as number) + 1 : Math.max(below[j] as number, row[j + 1] as number);
    }
  }
  const pieces: Piece[] = [];
  const put = (word: string, same: boolean) => {
    const last = pieces.at(-1);
    if (last && last.same === same) last.text += word;
    else pieces.push({ text: word, same });
  };
  let j = 0;
  for (let i = 0; i < a.length; i += 1) {
    const word = a[i] as string;
    while (j < b.length && word !== b[j] && (longest[i]?.[j + 1] as number) >= (longest[i + 1]?.[j] as number)) j += 1;
    if (j < b.length && word === b[j]) {
      put(word, true);
      j += 1;
    } else put(word, false);
  }
  return pieces;
}

/** What changed between two wordings, in a few words: “14 → 16”. Null when it is too much to say. */
export function difference(before: string, after: string): string | null {
  const pick = (pieces: Piece[]) => pieces.filter((one) => !one.same && one.text.trim()).map((one) => one.text.trim());
  const gone = pick(compare(before, after)).join(' … ');
  const come = pick(compare(after, before)).join(' … ');
  const tidy = (text: string) => text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
  const [old, fresh] = [tidy(gone), tidy(come)];
  if (!old || !fresh || 28 < old.length || 28 < fresh.length) return null;
  return `${old} → ${fresh}`;
}

/** The first number in which two wordings differ, when the rest is said differently: “14 → 16”. */
export function changedNumber(before: string, after: string): string | null {
  const numbers = (text: string): string[] => text.match(/\d+(?:[.,]\d+)*/g) ?? [];
  const old = numbers(before);
  const fresh = numbers(after).filter((one) => !old.includes(one));
  const gone = old[0];
  return gone && fresh[0] ? `${gone} → ${fresh[0]}` : null;
}
