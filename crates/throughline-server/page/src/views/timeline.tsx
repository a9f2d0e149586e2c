// Timeline: sessions by day with what was said, changed and told in them, and what you changed by hand.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useGet } from '../api';
import { useKeys } from '../keys';
import { go } from '../router';
import type { Place } from '../router';
import type { Batch, Episode, Focus, Memory, Paged, Session, Telling } from '../types';
import { Empty, Failure, Icon, Loading, PageHead } from '../ui';
import * as words from '../words';
import { Quote } from './evidence';
import { aboutLink } from './known';
import { rowKeys } from './today';
import { TellingRow, usePages } from './told';

const QUIET_CAUSES = new Set(['recall', 'sleep', 'shelve']);

interface Said {
  id: string;
  text: string;
  how: string;
}

/** The memories that a batch wrote or ended, in its own words. */
export function written(batch: Batch): Said[] {
  const all: Said[] = [];
  for (const change of batch.changes) {
    const inserted = change.insert as { id: string; content: string } | undefined;
    const revised = change.revise as { id: string; content: string } | undefined;
    const replaced = change.supersede as { old: string } | undefined;
    const moved = change.move as { id: string; to: string } | undefined;
    const linked = change.link as { from: string; relation: string } | undefined;
    if (inserted) all.push({ id: inserted.id, text: inserted.content || 'erased', how: 'kept' });
    if (revised) all.push({ id: revised.id, text: revised.content || 'erased', how: 'changed' });
    if (replaced) all.push({ id: replaced.old, text: '', how: 'replaced' });
    if (linked && linked.relation === 'contradicts') all.push({ id: linked.from.slice(2), text: '', how: words.relation(linked.relation) });
    if (moved) all.push({ id: moved.id, text: '', how: words.state(moved.to) });
  }
  return all;
}

export function TimelineView({ place }: { place: Place }): JSX.Element {
  // As a parameter: the id is whatever a host made, and may hold slashes and dots.
  const session = place.query.get('session');
  return session ? <SessionPage id={session} /> : <Days />;
}

type Entry = { at: string; session: Session } | { at: string; batch: Batch };

function Days(): JSX.Element {
  const sessions = usePages<Session>('/sessions', {});
  const log = useGet<{ batches: Batch[] }>('/log', { limit: 300 });
  useKeys(rowKeys());
  const byHand = (log.data?.batches ?? []).filter((one) => !one.session && !QUIET_CAUSES.has(one.cause));
  const oldest = sessions.more ? (sessions.items.at(-1)?.started_at ?? '') : '';
  const entries: Entry[] = [
    ...sessions.items.map((session) => ({ at: session.started_at, session })),
    ...byHand.filter((one) => oldest <= one.at).map((batch) => ({ at: batch.at, batch })),
  ].sort((a, b) => b.at.localeCompare(a.at));
  const days = new Map<string, Entry[]>();
  for (const entry of entries) {
    const day = words.dayName(entry.at);
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return (
    <div class="page">
      <PageHead title="Timeline" sub={sessions.total === null ? ' ' : `${words.plural(sessions.total, 'session')}, and what you changed by hand`} />
      {sessions.error && <Failure problem={sessions.error} />}
      {sessions.total === null && !sessions.error && <Loading />}
      {sessions.total !== null && entries.length === 0 && (
        <div class="card"><Empty title="No session yet">
          <p>Connect your agents; each session then appears here with its turns and what came of them.</p>
          <pre class="command">throughline init</pre>
        </Empty></div>
      )}
      {[...days].map(([day, list]) => (
        <section class="section day" key={day}>
          <header><h2>{day}</h2></header>
          <div class="card"><ul class="rows">
            {list.map((entry) => ('session' in entry
              ? <li key={entry.session.id}><SessionRow session={entry.session} /></li>
              : <li key={entry.batch.id}><BatchRow batch={entry.batch} /></li>))}
          </ul></div>
        </section>
      ))}
      {sessions.more && <p class="more-row"><button class="button" type="button" onClick={sessions.more}>Show more</button></p>}
    </div>
  );
}

function SessionRow({ session }: { session: Session }): JSX.Element {
  return (
    <a class="row timed" href={`/timeline?session=${encodeURIComponent(session.id)}`}>
      <time class="num quiet" dateTime={session.started_at}>{words.clockTime(session.started_at)}</time>
      <span>
        <span class="claim">Session with {session.agent}</span>
        <span class="meta">
          <span>{words.plural(session.turns, 'turn')}</span>
          {0 < session.noticed && <span>{session.noticed} noticed</span>}
          <code class="quiet">{session.id.slice(0, 12)}</code>
        </span>
      </span>
    </a>
  );
}

function BatchRow({ batch }: { batch: Batch }): JSX.Element {
  const said = written(batch);
  const first = said.find((one) => one.text) ?? said[0];
  const body = (
    <>
      <time class="num quiet" dateTime={batch.at}>{words.clockTime(batch.at)}</time>
      <span>
        <span class="claim">{words.cause(batch.cause)}</span>
        {first && <BatchWords said={first} />}
        {batch.reason && <span class="small quiet stored">{batch.reason}</span>}
      </span>
    </>
  );
  return first ? <a class="row timed" href={`/memories/${first.id}`}>{body}</a> : <div class="row timed">{body}</div>;
}

function BatchWords({ said }: { said: Said }): JSX.Element {
  const memory = useGet<Memory>(said.text ? null : `/memories/${said.id}`, {}, false);
  return <span class="small soft stored clamp">{said.text || memory.data?.content || ''}</span>;
}

/** A memory by its words; asked for where the log only has its id. */
function Named({ said }: { said: Said }): JSX.Element {
  const memory = useGet<Memory>(said.text ? null : `/memories/${said.id}`, {}, false);
  return <a class="stored" href={`/memories/${said.id}`}>{said.text || memory.data?.content || words.short(said.id)}</a>;
}

type Moment = { at: string; order: number; turn?: Episode; telling?: Telling; batch?: Batch };

function SessionPage({ id }: { id: string }): JSX.Element {
  const path = `/sessions/${encodeURIComponent(id)}/turns`;
  const turns = useGet<Paged<Episode>>(path, { limit: 500 });
  const told = useGet<Paged<Telling>>('/told', { session: id, limit: 200 });
  const start = turns.data?.items[0]?.at ?? null;
  const log = useGet<{ batches: Batch[] }>(start ? '/log' : null, { since: start, limit: 500 });
  const [open, setOpen] = useState<string | null>(null);
  useKeys({ ...rowKeys(), Escape: () => go('/timeline') });
  const moments: Moment[] = [
    ...(turns.data?.items ?? []).map((turn) => ({ at: turn.at, order: 1, turn })),
    ...(told.data?.items ?? []).filter((one) => one.session === id).map((telling) => ({ at: telling.at, order: 2, telling })),
    ...(log.data?.batches ?? []).filter((one) => one.session === id && !QUIET_CAUSES.has(one.cause) && 0 < written(one).length)
      .map((batch) => ({ at: batch.at, order: 3, batch })),
  ].sort((a, b) => a.at.localeCompare(b.at) || a.order - b.order);
  return (
    <div class="page">
      <a class="back-link" href="/timeline"><Icon name="back" />Timeline</a>
      <PageHead title="Session" sub={<><code class="stored">{id}</code>{turns.data && `, ${words.plural(turns.data.total, 'turn')}`}</>} />
      {turns.error && <Failure problem={turns.error} />}
      {!turns.data && !turns.error && <Loading />}
      {turns.data && moments.length === 0 && <div class="card"><Empty title="Nothing was recorded in this session" /></div>}
      <ol class="stream">
        {moments.map((one, at) => (
          <li key={at}>
            <time class="num small quiet" dateTime={one.at} title={words.exactly(one.at)}>{words.clockTime(one.at)}</time>
            {one.turn && <Quote speaker={one.turn.speaker} text={one.turn.text} />}
            {one.telling && <div class="card told-in"><TellingRow telling={one.telling} open={open === one.telling.id} toggle={() => setOpen(open === one.telling?.id ? null : (one.telling?.id ?? null))} /></div>}
            {one.batch && (
              <ul class="came">
                {written(one.batch).map((said, index) => (
                  <li key={index}><span class="pill good">{said.how}</span> <Named said={said} /></li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
      <InMind id={id} />
    </div>
  );
}

/** What the session had in mind last. */
function InMind({ id }: { id: string }): JSX.Element | null {
  const mind = useGet<Focus>('/focus', { session: id });
  const nodes = mind.data?.focus ?? [];
  if (nodes.length === 0) return null;
  return (
    <section class="section">
      <header><h2>In mind at the end</h2></header>
      <div class="chips">
        {nodes.map((one) => (one.type === 'turn'
          ? <span key={one.id} class="pill stored chip">{one.label}</span>
          : <a key={one.id} class="pill stored chip" href={one.type === 'memory' ? `/memories/${one.id}` : aboutLink(one.label)}>{one.label}</a>))}
      </div>
    </section>
  );
}
