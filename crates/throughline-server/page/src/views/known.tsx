// Known: what memory holds in one page: the project, you, or anything that memories speak of; topics and stretches of work.

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { get, send, useGet } from '../api';
import { useKeys } from '../keys';
import { go } from '../router';
import type { Place } from '../router';
import { act } from '../toast';
import type { About, Boxes, Memory, Things, ThingShown, Topics } from '../types';
import { Empty, Failure, Icon, Loading, PageHead, When, Write } from '../ui';
import * as words from '../words';
import { rowKeys } from './today';

const PROJECT = 'my project';
const USER = 'me';
const SUBJECTS = 60;
const OPENED = 12;

export const aboutLink = (name: string) => `/known?about=${encodeURIComponent(name)}`;

interface Section {
  title: string;
  lines: { text: string; date: string; id: string | null }[];
}

/** The sections of a page about something. Its lines tell `memories` in their order, but for what held before. */
export function sections(about: About): Section[] {
  const all: Section[] = [];
  let next = 0;
  for (const line of about.text.split('\n')) {
    if (line.startsWith('## ')) all.push({ title: line.slice(3), lines: [] });
    const section = all.at(-1);
    if (!section || !line.startsWith('- ') || section.title === 'Spoken of together with') continue;
    const tells = section.title !== 'Before' && !/^- … and \d+ more$/.test(line);
    const [, text = line.slice(2), date = ''] = /^- (.*) \(((?:until )?\d{4}-\d\d-\d\d[^()]*)\)$/.exec(line) ?? [];
    section.lines.push({ text, date: date.replace(/\d{4}-\d\d-\d\d/, (day) => words.onDay(`${day}T12:00`)), id: tells ? (about.memories[next++] ?? null) : null });
  }
  return all.filter((section) => 0 < section.lines.length);
}

export function KnownView({ place }: { place: Place }): JSX.Element {
  const name = place.query.get('about') ?? PROJECT;
  const about = useGet<About>(`/about/${encodeURIComponent(name)}`);
  const [wanted, setWanted] = useState('');
  const own = name === PROJECT || name === USER;
  useKeys({ ...rowKeys(), Escape: () => (name === PROJECT ? undefined : go('/known')) });
  const title = name === PROJECT ? 'Known' : name === USER ? 'About you' : (about.data?.name ?? name);
  const told = about.data ? sections(about.data) : [];
  return (
    <div class="page wide">
      {name !== PROJECT && <a class="back-link" href="/known"><Icon name="back" />Known</a>}
      <PageHead title={title} sub={about.data ? <Sub about={about.data} name={name} /> : ' '}>
        <form class="known-search" role="search" onSubmit={(event) => { event.preventDefault(); if (wanted.trim()) { go(aboutLink(wanted.trim())); setWanted(''); } }}>
          <div class="search">
            <Icon name="search" />
            <input class="field" type="search" data-search placeholder="About what or whom?" aria-label="About what or whom?" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
          </div>
        </form>
      </PageHead>
      {about.error && <Failure problem={about.error} />}
      {!about.data && !about.error && <Loading />}
      {about.data && (
        <div class="known">
          <div>
            {told.length === 0 && (
              <div class="card"><Empty title="Nothing is known yet">
                <p>What your agents learn while you work is told here on one page: how things are, what was decided and why, rules, what failed.</p>
                <pre class="command">throughline remember Staging runs Postgres 16</pre>
              </Empty></div>
            )}
            {told.map((section) => <Told key={section.title} section={section} />)}
          </div>
          {/* What is only a word in some memories has no names and no company. */}
          <aside>
            {own ? <Overview name={name} /> : about.data.kind && <Beside name={about.data.name} />}
          </aside>
        </div>
      )}
    </div>
  );
}

function Sub({ about, name }: { about: About; name: string }): JSX.Element {
  const count = words.plural(about.memories.length, 'memory', 'memories');
  if (name === PROJECT) return <span class="num">{count} about <strong class="stored">{about.name}</strong>, the liveliest of each sort</span>;
  return <span class="num">{about.kind && <>{words.thing(about.kind)}, </>}{count}</span>;
}

function Told({ section }: { section: Section }): JSX.Element {
  return (
    <section class="section">
      <header><h2>{section.title}</h2></header>
      <div class="card"><ul class="rows">
        {section.lines.map((line, at) => {
          const body = (
            <>
              <span class={`claim stored ${section.title === 'Before' ? 'gone-text' : ''}`}>{line.text}</span>
              {line.date && <span class="small quiet num known-date">{line.date}</span>}
            </>
          );
          return <li key={at}>{line.id ? <a class="row known-row" href={`/memories/${line.id}`}>{body}</a> : <div class="row known-row">{body}</div>}</li>;
        })}
      </ul></div>
    </section>
  );
}

/** Beside the page of the project: you, topics, subjects, and what was worked on. */
function Overview({ name }: { name: string }): JSX.Element {
  const topics = useGet<Topics>('/topics');
  const boxes = useGet<Boxes>('/boxes', { limit: 8 });
  const things = useGet<Things>('/entities', { limit: SUBJECTS });
  return (
    <>
      {name === PROJECT && <p class="section small"><a href={aboutLink(USER)}>What is known about you</a></p>}
      {things.data && 0 < things.data.items.length && (
        <section class="section">
          <header><h2>Subjects</h2><span class="sub num">{things.data.total}</span></header>
          <div class="chips">
            {things.data.items.map((one) => (
              <a key={`${one.kind} ${one.name}`} class="pill stored chip" href={aboutLink(one.name)} title={words.thing(one.kind)}>{one.name} <span class="quiet num">{one.memories}</span></a>
            ))}
          </div>
          {things.data.items.length < things.data.total && <p class="small quiet">and {(things.data.total - things.data.items.length).toLocaleString('en')} more: ask for one above</p>}
        </section>
      )}
      {topics.data && 0 < topics.data.items.length && (
        <Opening title="Topics" sub="what lies together" items={topics.data.items.map((one) => ({ key: one.name, name: one.name, ids: one.memories, note: words.plural(one.memories.length, 'memory', 'memories') }))} />
      )}
      {boxes.data && 0 < boxes.data.items.length && (
        <Opening title="Worked on" sub="latest first" items={boxes.data.items.map((one) => ({ key: one.id, name: one.title, ids: one.memories, note: <When at={one.to} /> }))} />
      )}
    </>
  );
}

interface OpeningItem {
  key: string;
  name: string;
  ids: string[];
  note: ComponentChildren;
}

function Opening({ title, sub, items }: { title: string; sub: string; items: OpeningItem[] }): JSX.Element {
  const [open, setOpen] = useState<string | null>(null);
  return (
    <section class="section">
      <header><h2>{title}</h2><span class="sub">{sub}</span></header>
      <div class="card"><ul class="rows">
        {items.map((one) => (
          <li key={one.key}>
            <button class="row" type="button" aria-expanded={open === one.key} onClick={() => setOpen(open === one.key ? null : one.key)}>
              <span class="claim stored clamp">{one.name}</span>
              <span class="small quiet num">{one.note}</span>
            </button>
            {open === one.key && <div class="row-open"><MemoriesOf ids={one.ids} /></div>}
          </li>
        ))}
      </ul></div>
    </section>
  );
}

function MemoriesOf({ ids }: { ids: string[] }): JSX.Element {
  const [found, set] = useState<Memory[] | null>(null);
  const key = ids.join(' ');
  useEffect(() => {
    let gone = false;
    // One that was erased since is left out.
    const each = ids.slice(0, OPENED).map((id) => get<Memory>(`/memories/${id}`).catch(() => null));
    void Promise.all(each).then((all) => !gone && set(all.filter((one) => one !== null)));
    return () => {
      gone = true;
    };
  }, [key]);
  if (!found) return <div class="shimmer" />;
  return (
    <>
      <ul class="reasons">
        {found.map((one) => <li key={one.id}><a class={`stored ${one.state === 'superseded' ? 'gone-text' : ''}`} href={`/memories/${one.id}`}>{one.content}</a></li>)}
      </ul>
      {OPENED < ids.length && <p class="small quiet">and {ids.length - OPENED} more</p>}
    </>
  );
}

/** Beside the page of a subject: its other names, what is spoken of together with it, and what can be set right. */
function Beside({ name }: { name: string }): JSX.Element | null {
  const shown = useGet<ThingShown>(`/entities/${encodeURIComponent(name)}`);
  const [asking, ask] = useState<'alias' | 'merge' | null>(null);
  const thing = shown.data;
  if (!thing) return null;
  const save = (text: string) => void (asking === 'alias'
    ? act(`Also called ${text}`, () => send<{ batch: string }>('/entities/alias', { name: thing.name, alias: text }))
    : act(`${text} is the same now`, () => send<{ batch: string }>('/entities/merge', { keep: thing.name, other: text })));
  return (
    <>
      <section class="section">
        <header><h2>Names</h2></header>
        <div class="chips">{[thing.name, ...thing.aliases].map((one) => <span key={one} class="pill stored chip">{one}</span>)}</div>
        <p class="chips known-acts">
          <button class="button" type="button" onClick={() => ask('alias')}>Another name…</button>
          <button class="button" type="button" onClick={() => ask('merge')}>The same as…</button>
        </p>
      </section>
      {0 < thing.beside.length && (
        <section class="section">
          <header><h2>Spoken of together with</h2></header>
          <div class="chips">
            {thing.beside.map((one) => <a key={one.name} class="pill stored chip" href={aboutLink(one.name)}>{one.name} <span class="quiet num">{one.memories}</span></a>)}
          </div>
        </section>
      )}
      <section class="section">
        <header><h2>Elsewhere</h2></header>
        <p class="small"><a href={`/memories?q=${encodeURIComponent(thing.name)}`}>Search memories for it</a>{thing.last_mentioned && <span class="quiet"> · last spoken of <When at={thing.last_mentioned} /></span>}</p>
      </section>
      {asking && <Write title={asking === 'alias' ? 'Another name for it' : 'Which subject is the same?'} start="" save={save} close={() => ask(null)} />}
    </>
  );
}

/** The subjects that are spoken of most, for Today. */
export function KnownShort(): JSX.Element | null {
  const things = useGet<Things>('/entities', { limit: 14 });
  const memories = useGet<{ total: number }>('/memories', { limit: 1 });
  if (!things.data || !memories.data || memories.data.total === 0) return null;
  return (
    <section class="section">
      <header><h2>Known</h2><span class="sub num">{words.plural(memories.data.total, 'memory', 'memories')}{0 < things.data.total && `, about ${words.plural(things.data.total, 'subject')}`}</span><div class="actions"><a href="/known">On one page</a></div></header>
      <div class="chips">
        {things.data.items.map((one) => <a key={`${one.kind} ${one.name}`} class="pill stored chip" href={aboutLink(one.name)}>{one.name} <span class="quiet num">{one.memories}</span></a>)}
      </div>
    </section>
  );
}
