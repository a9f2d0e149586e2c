// The life of a fact as a line in time: each wording as long as it held, and what changed between them.

import { Fragment } from 'preact';
import type { JSX } from 'preact';
import { changedNumber, compare, difference, stretches } from '../life';
import type { Stretch } from '../life';
import type { Memory, Version } from '../types';
import { When } from '../ui';
import * as words from '../words';

const QUIET = new Set(['link', 'unlink', 'use', 'reinforce', 'watch', 'rate', 'shelve', 'inject']);

export function LifeLine({ memory, versions }: { memory: Memory; versions: Version[] | null }): JSX.Element | null {
  if (!versions || versions.length === 0) return null;
  const all = stretches(versions);
  const first = all[0];
  const last = all.at(-1);
  const sub = first && last && 1 < all.length ? (difference(first.content, last.content) ?? changedNumber(first.content, last.content)) : null;
  return (
    <section class="section">
      <header><h2>Life</h2>{sub && <span class="sub num change-sub">{sub}</span>}</header>
      <div class="card pad">
        <Line all={all} current={memory.id} />
        <Events versions={versions} />
      </div>
    </section>
  );
}

function share(one: Stretch, start: number, end: number): number {
  const from = Date.parse(one.from);
  const until = one.until ? Date.parse(one.until) : end;
  // The root keeps short stretches visible beside long ones.
  return Math.sqrt(Math.max(0.004, (until - from) / Math.max(1, end - start)));
}

function Line({ all, current }: { all: Stretch[]; current: string }): JSX.Element | null {
  if (all.length === 0) return null;
  const start = Date.parse((all[0] as Stretch).from);
  const end = Math.max(Date.now(), ...all.map((one) => Date.parse(one.until ?? one.from)));
  return (
    <ol class="life">
      {all.map((one, at) => {
        const before = all[at - 1];
        const holds = one.until === null;
        return (
          <li key={`${one.memory} ${one.from}`} class={`stretch ${holds ? 'holds' : ''} ${one.memory === current ? 'this' : ''}`} style={{ flexGrow: share(one, start, end) }}>
            <div class="stretch-line" />
            <p class="small num quiet">
              {words.onDay(one.from)}{holds ? ' – now' : one.until ? ` – ${words.onDay(one.until)}` : ''}
            </p>
            <p class="stored stretch-text">
              {before
                ? compare(one.content, before.content).map((piece, index) => (piece.same ? <Fragment key={index}>{piece.text}</Fragment> : <strong key={index}>{piece.text}</strong>))
                : one.content}
            </p>
            {one.memory !== current && <a class="small" href={`/memories/${one.memory}`}>open</a>}
          </li>
        );
      })}
    </ol>
  );
}

function Events({ versions }: { versions: Version[] }): JSX.Element {
  // One line for each batch: what people did, not each row it touched.
  const seen = new Map<string, Version>();
  for (const version of versions) {
    const known = seen.get(version.batch);
    if (!known || (QUIET.has(known.change) && !QUIET.has(version.change))) seen.set(version.batch, version);
  }
  const all = [...seen.values()].reverse();
  const actors: Record<string, string> = { user: 'you', agent: 'an agent', system: 'Throughline' };
  return (
    <details class="life-events">
      <summary>{words.plural(all.length, 'change')}</summary>
      <ol>
        {all.slice(0, 50).map((one) => (
          <li key={one.batch}>
            <When at={one.at} />
            <span>{words.cause(one.cause)} <span class="quiet">by {actors[one.actor] ?? one.actor}</span>{one.reason && <span class="stored quiet">: {one.reason}</span>}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
