// Today: what was learned, replaced and questioned, what to check, and how much was told.

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Actions } from '../actions';
import { get, useGet } from '../api';
import type { Problem } from '../api';
import { useKeys } from '../keys';
import { onChange } from '../live';
import { go } from '../router';
import type { Memory, Paged, Telling, Today, ToVerify } from '../types';
import { Empty, Failure, Icon, Kind, Loading, Meta, PageHead, When } from '../ui';
import * as words from '../words';
import { Bindings } from './bindings';
import { EvidenceList } from './evidence';
import { KnownShort } from './known';
import { laterWords } from './memory';
import { TellingRow } from './told';

const SPANS: [number, string][] = [[1, 'Day'], [7, 'Week'], [30, 'Month'], [366, 'Year']];

function useToday(days: number): { data: Today | null; error: Problem | null } {
  const [state, set] = useState<{ days: number; data: Today | null; error: Problem | null }>({ days, data: null, error: null });
  useEffect(() => {
    let gone = false;
    const load = () =>
      get<Today>('/today', { days }).then(
        (data) => !gone && set({ days, data, error: null }),
        (error: unknown) => !gone && set({ days, data: null, error: error as Problem }),
      );
    void load();
    const stop = onChange(() => void load());
    return () => {
      gone = true;
      stop();
    };
  }, [days]);
  return state;
}

export function TodayView(): JSX.Element {
  const [days, setDays] = useState(7);
  const { data, error } = useToday(days);
  const [open, setOpen] = useState<string | null>(null);
  const toggle = (id: string) => setOpen(open === id ? null : id);
  useKeys({ ...rowKeys(), Escape: () => setOpen(null) });
  const span = SPANS.find(([count]) => count === days)?.[1] ?? '';
  const when = days === 1 ? 'today' : days === 366 ? 'in the last year' : `in the last ${days} days`;
  return (
    <div class="page">
      <PageHead title="Today" sub={data ? <Summary data={data} when={when} /> : ' '}>
        <div class="switch" role="group" aria-label="How far back">
          {SPANS.map(([count, name]) => (
            <button key={count} type="button" aria-pressed={name === span} onClick={() => setDays(count)}>{name}</button>
          ))}
        </div>
      </PageHead>
      {error && <Failure problem={error} />}
      {!data && !error && <Loading />}
      {data && <Sections data={data} open={open} toggle={toggle} days={days} />}
    </div>
  );
}

/** j and k move between rows that open. */
export function rowKeys(): Record<string, () => void> {
  const step = (by: number) => () => {
    const rows = [...document.querySelectorAll<HTMLElement>('main .row')];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    rows[Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
  };
  return { j: step(1), k: step(-1) };
}

function Summary({ data, when }: { data: Today; when: string }): JSX.Element {
  const parts = [
    [data.learned.length, 'learned'],
    [data.replaced.length, 'replaced'],
    [data.questioned.length, 'questioned'],
    [data.verify.length, 'to check'],
    [data.away.length, 'put away'],
  ].filter(([count]) => 0 < Number(count));
  const text = parts.length === 0 ? 'Nothing new' : parts.map(([count, name]) => `${count} ${name}`).join(', ');
  return <span class="num">{text}, {data.told === 0 ? 'nothing told' : `${words.plural(data.told, 'block')} told`} {when}</span>;
}

interface ListProps {
  open: string | null;
  toggle: (id: string) => void;
}

function Sections({ data, open, toggle, days }: ListProps & { data: Today; days: number }): JSX.Element {
  // From the server's clock: that of a demonstration stands still.
  const told = useGet<Paged<Telling>>('/told', { since: data.since, limit: 5 });
  const nothing = data.learned.length + data.replaced.length + data.questioned.length + data.verify.length + data.away.length + data.told === 0;
  if (nothing) {
    return (
      <>
        <div class="card">
          <Empty title="Nothing happened in this time">
            <p>Work with a connected agent, and what it learns appears here while you work. Connect the agents that are found on this machine:</p>
            <pre class="command">throughline init</pre>
            <p>See how it goes with a prepared week:</p>
            <pre class="command">throughline demo --serve</pre>
            {days !== 366 && <p>Or look further back with the switch above.</p>}
          </Empty>
        </div>
        <KnownShort />
      </>
    );
  }
  const list = { open, toggle };
  return (
    <>
      <Group title="To check" sub="what they depend on has changed" items={data.verify} id={(one) => one.memory.id} {...list}
        row={(one) => <VerifyRow item={one} />} detail={(one) => <MemoryInPlace memory={one.memory} />} />
      <Group title="Questioned" sub="something was said later that may bear on them" items={data.questioned} id={(one) => one.id} {...list}
        row={(one) => <MemoryRow memory={one} />} detail={(one) => <MemoryInPlace memory={one} />} />
      <Group title="Replaced" sub="no longer told as true" items={data.replaced} id={(one) => one.id} {...list}
        row={(one) => <ReplacedRow memory={one} />} detail={(one) => <ReplacedInPlace memory={one} />} />
      <Group title="Learned" sub="" items={data.learned} id={(one) => one.id} {...list}
        row={(one) => <MemoryRow memory={one} />} detail={(one) => <MemoryInPlace memory={one} />} />
      <Group title="Put away" sub="archived, forgotten or expired" items={data.away} id={(one) => one.id} {...list}
        row={(one) => <MemoryRow memory={one} />} detail={(one) => <MemoryInPlace memory={one} />} />
      <Group title="Open questions" sub="nobody could answer them yet" items={data.gaps} id={(one) => one.id} {...list}
        row={(one) => <MemoryRow memory={one} />} detail={(one) => <MemoryInPlace memory={one} />} />
      {told.data && 0 < told.data.total && (
        <section class="section">
          <header><h2>Told to agents</h2><span class="sub num">{told.data.total}</span><div class="actions"><a href="/told">All</a></div></header>
          <div class="card"><ul class="rows">
            {told.data.items.map((one) => <li key={one.id}><TellingRow telling={one} open={open === one.id} toggle={() => toggle(one.id)} /></li>)}
          </ul></div>
        </section>
      )}
      <KnownShort />
    </>
  );
}

interface GroupProps<T> extends ListProps {
  title: string;
  sub: string;
  items: T[];
  id: (item: T) => string;
  row: (item: T) => ComponentChildren;
  detail: (item: T) => ComponentChildren;
}

const SHOWN = 8;

function Group<T>({ title, sub, items, id, open, toggle, row, detail }: GroupProps<T>): JSX.Element | null {
  const [all, setAll] = useState(false);
  if (items.length === 0) return null;
  return (
    <section class="section">
      <header><h2>{title}</h2><span class="sub"><span class="num">{items.length}</span>{sub && ` · ${sub}`}</span></header>
      <div class="card">
        <ul class="rows">
          {(all ? items : items.slice(0, SHOWN)).map((item) => {
            const key = `${title} ${id(item)}`;
            return (
              <li key={key}>
                <button class="row" type="button" aria-expanded={open === key} onClick={() => toggle(key)}>{row(item)}</button>
                {open === key && <div class="row-open">{detail(item)}</div>}
              </li>
            );
          })}
        </ul>
      </div>
      {!all && SHOWN < items.length && <button class="button plain" type="button" onClick={() => setAll(true)}>Show all {items.length}</button>}
    </section>
  );
}

function MemoryRow({ memory }: { memory: Memory }): JSX.Element {
  return (
    <>
      <span class={`claim stored clamp ${memory.state === 'superseded' ? 'gone-text' : ''}`}>{memory.content}</span>
      <Meta memory={memory} />
    </>
  );
}

function ReplacedRow({ memory }: { memory: Memory }): JSX.Element {
  const fresh = useGet<Memory>(memory.superseded_by ? `/memories/${memory.superseded_by}` : null, {}, false);
  return (
    <>
      <span class="claim stored clamp gone-text">{memory.content}</span>
      {fresh.data && <span class="replaced-by"><Icon name="arrow" /><span class="claim stored clamp">{fresh.data.content}</span></span>}
      <span class="meta"><Kind name={memory.kind} /><When at={memory.valid_until ?? memory.recorded_at} /></span>
    </>
  );
}

function VerifyRow({ item }: { item: ToVerify }): JSX.Element {
  return (
    <>
      <span class="claim stored clamp">{item.memory.content}</span>
      <span class="small soft stored">was {item.then}, is now {item.now}</span>
    </>
  );
}

function MemoryInPlace({ memory }: { memory: Memory }): JSX.Element {
  return (
    <div class="in-place">
      {laterWords(memory).map((one) => <p class="notice" key={one.at}><span>Said later, {words.onDay(one.at)}: <span class="stored">“{one.text}”</span></span></p>)}
      {memory.flags.includes('stale') && <Bindings memory={memory} />}
      <EvidenceList evidence={memory.evidence.slice(-2)} />
      <Actions memory={memory} etag={null} />
      <p><a href={`/memories/${memory.id}`}>Open the memory</a></p>
    </div>
  );
}

function ReplacedInPlace({ memory }: { memory: Memory }): JSX.Element {
  const fresh = useGet<Memory>(memory.superseded_by ? `/memories/${memory.superseded_by}` : null);
  return (
    <div class="in-place">
      {fresh.data && (
        <div class="then-now">
          <figure><figcaption class="small quiet">until {words.onDay(memory.valid_until ?? fresh.data.recorded_at)}</figcaption><p class="block stored">{memory.content}</p></figure>
          <figure><figcaption class="small quiet">now</figcaption><p class="block stored">{fresh.data.content}</p></figure>
        </div>
      )}
      <p>
        <a href={`/memories/${memory.superseded_by ?? memory.id}`} onClick={(event) => { event.preventDefault(); go(`/memories/${memory.superseded_by ?? memory.id}`); }}>Open what holds now</a>
      </p>
    </div>
  );
}
