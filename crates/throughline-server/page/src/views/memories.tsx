// Memories: search as you type, filters, a list of any length, and one memory beside it.

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Remember } from '../actions';
import { useKeys } from '../keys';
import { go, here } from '../router';
import type { Place } from '../router';
import type { Memory } from '../types';
import { Empty, Failure, Flags, Icon, Kind, Trust, When } from '../ui';
import { useRows, VirtualList } from '../virtual';
import * as words from '../words';
import { MemoryPage } from './memory';

const ROW_PX = 62;

const STATES: [string, string][] = [
  ['', 'Current'],
  ['all', 'Everything'],
  ['staged', 'Not confirmed'],
  ['superseded', 'Replaced'],
  ['archived', 'Archived'],
  ['retracted', 'Forgotten'],
];

function link(id: string | null, query: URLSearchParams): string {
  const text = query.toString();
  return `/memories${id ? `/${id}` : ''}${text ? `?${text}` : ''}`;
}

/** Changes one filter of the address as it is now: what was typed arrives a little later than what was chosen. */
function set(name: string, value: string): void {
  const { parts, query } = here();
  if (parts[0] !== 'memories') return;
  if (value) query.set(name, value);
  else query.delete(name);
  go(link(parts[1] ?? null, query), true);
}

export function MemoriesView({ place }: { place: Place }): JSX.Element {
  const id = place.parts[1] ?? null;
  const query = place.query;
  const state = query.get('state') ?? '';
  const rows = useRows<Memory>('/memories', {
    q: query.get('q') ?? '',
    kind: query.get('kind') ?? '',
    tag: query.get('tag') ?? '',
    as_of: query.get('as_of') ?? '',
    state: state === 'all' ? '' : state,
    all: state === 'all',
  });
  const [cursor, setCursor] = useState(-1);
  const [asking, setAsking] = useState(false);
  useEffect(() => setCursor(-1), [query.toString()]);
  const total = rows.total ?? 0;
  const move = (by: number) => {
    const to = Math.max(0, Math.min(total - 1, cursor + by));
    setCursor(to);
    const memory = rows.at(to);
    if (memory && (id || matchMedia('(min-width: 1100px)').matches)) go(link(memory.id, query), true);
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => {
      const memory = rows.at(cursor);
      if (memory) go(link(memory.id, query));
    },
    n: () => setAsking(true),
    Escape: () => id && go(link(null, query)),
  });

  return (
    <div class={`split ${id ? 'with-detail' : ''}`}>
      <section class="split-list" aria-label="List of memories">
        <Filters place={place} total={rows.total} remember={() => setAsking(true)} />
        {rows.error ? (
          <div class="pad"><Failure problem={rows.error} again={rows.reload} /></div>
        ) : rows.total === 0 ? (
          <Nothing searching={0 < [...query.keys()].length} clear={() => go('/memories')} />
        ) : (
          <VirtualList
            total={total}
            rowHeight={ROW_PX}
            label="Memories"
            cursor={cursor}
            want={rows.want}
            row={(index) => <Row memory={rows.at(index)} current={rows.at(index)?.id === id} marked={index === cursor} query={query} />}
          />
        )}
      </section>
      <section class="split-detail" aria-label="Memory" tabIndex={-1}>
        {id ? (
          <MemoryPage id={id} key={id} back={link(null, query)} />
        ) : (
          <Empty title="Choose a memory">
            <p>You see why it is believed, how it changed, what it depends on, and which agents were told.</p>
            <p class="quiet"><kbd>j</kbd> <kbd>k</kbd> move, <kbd>/</kbd> searches, <kbd>n</kbd> remembers something new.</p>
          </Empty>
        )}
      </section>
      {asking && <Remember close={() => setAsking(false)} />}
    </div>
  );
}

interface FiltersProps {
  place: Place;
  total: number | null;
  remember: () => void;
}

function Filters({ place, total, remember }: FiltersProps): JSX.Element {
  const query = place.query;
  const [text, setText] = useState(query.get('q') ?? '');
  const waiting = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (waiting.current === undefined) setText(query.get('q') ?? '');
  }, [query]);
  const tag = query.get('tag');
  return (
    <div class="filters" role="search">
      <div class="filter-head">
        <h1>Memories</h1>
        <span class="quiet num small" role="status">{total === null ? '' : total.toLocaleString('en')}</span>
        <button class="button main" type="button" onClick={remember}>Remember…</button>
      </div>
      <div class="search">
        <Icon name="search" />
        <input
          class="field"
          type="search"
          data-search
          placeholder="Search"
          aria-label="Search memories"
          value={text}
          onInput={(event) => {
            const value = event.currentTarget.value;
            setText(value);
            clearTimeout(waiting.current);
            waiting.current = window.setTimeout(() => {
              waiting.current = undefined;
              set('q', value.trim());
            }, 140);
          }}
        />
      </div>
      <div class="filter-row">
        <select class="field" aria-label="State" value={query.get('state') ?? ''} onChange={(event) => set('state', event.currentTarget.value)}>
          {STATES.map(([value, name]) => <option key={value} value={value}>{name}</option>)}
        </select>
        <select class="field" aria-label="Kind" value={query.get('kind') ?? ''} onChange={(event) => set('kind', event.currentTarget.value)}>
          <option value="">All kinds</option>
          {words.KINDS.map((name) => <option key={name} value={name}>{words.kind(name)}</option>)}
        </select>
        <label class="as-of">
          <span>as of</span>
          <input class="field" type="date" aria-label="As it was known on this day" value={query.get('as_of') ?? ''} onChange={(event) => set('as_of', event.currentTarget.value)} />
        </label>
      </div>
      {tag && (
        <div class="chips">
          <button class="button" type="button" onClick={() => set('tag', '')}>tag: {tag} ✕</button>
        </div>
      )}
    </div>
  );
}

function Row({ memory, current, marked, query }: { memory: Memory | undefined; current: boolean; marked: boolean; query: URLSearchParams }): JSX.Element {
  if (!memory) return <div class="m-row"><div class="shimmer" /></div>;
  return (
    <a class={`m-row ${marked ? 'marked' : ''} ${memory.state === 'superseded' ? 'gone' : ''}`} href={link(memory.id, query)} aria-current={current ? 'true' : undefined}>
      <span class="one-line claim">{memory.content}</span>
      <span class="meta one-row">
        <Kind name={memory.kind} />
        <Trust value={memory.trust} />
        <When at={memory.recorded_at} />
        <Flags memory={memory} />
      </span>
    </a>
  );
}

function Nothing({ searching, clear }: { searching: boolean; clear: () => void }): JSX.Element {
  if (searching) {
    return (
      <Empty title="No memory fits">
        <p>Replaced, archived and forgotten ones are shown with “Everything”.</p>
        <p><button class="button" type="button" onClick={clear}>Clear search and filters</button></p>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing is known yet">
      <p>Memories come by themselves while you work with an agent that is connected:</p>
      <pre class="command">throughline init</pre>
      <p>or take in the sessions you had before:</p>
      <pre class="command">throughline ingest --past</pre>
    </Empty>
  );
}
