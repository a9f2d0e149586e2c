// One memory: the claim, why it is believed, how it changed, what it depends on, where it was told.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Actions } from '../actions';
import { getTagged, Problem, useGet } from '../api';
import { onChange } from '../live';
import type { Later, Memory, Paged, Reason, Related, Telling, Version, Why } from '../types';
import { Bar, Failure, Flags, Icon, Kind, Loading, When } from '../ui';
import * as words from '../words';
import { EvidenceList } from './evidence';
import { LifeLine } from './lifeline';
import { Bindings } from './bindings';

function useMemory(id: string): { memory: Memory | null; etag: string | null; error: Problem | null } {
  const [state, set] = useState<{ memory: Memory | null; etag: string | null; error: Problem | null }>({ memory: null, etag: null, error: null });
  useEffect(() => {
    const leaving = new AbortController();
    const load = () =>
      getTagged<Memory>(`/memories/${encodeURIComponent(id)}`, leaving.signal).then(
        ({ body, etag }) => set({ memory: body, etag, error: null }),
        (error: unknown) => error instanceof Problem && set({ memory: null, etag: null, error }),
      );
    void load();
    const stop = onChange(() => void load());
    return () => {
      leaving.abort();
      stop();
    };
  }, [id]);
  return state;
}

export function MemoryPage({ id, back }: { id: string; back: string }): JSX.Element {
  const { memory, etag, error } = useMemory(id);
  const at = `/memories/${encodeURIComponent(id)}`;
  const why = useGet<Why>(memory ? `${at}/why` : null);
  const history = useGet<{ versions: Version[] }>(memory ? `${at}/history` : null);
  const related = useGet<Related>(memory ? `${at}/related` : null);
  const told = useGet<Paged<Telling>>(memory ? '/told' : null, { memory: memory?.id ?? '', limit: 20 });
  if (error) return <div class="page"><BackLink to={back} /><Failure problem={error} /></div>;
  if (!memory) return <div class="page"><Loading /></div>;
  return (
    <article class="page memory">
      <BackLink to={back} />
      <div class="meta">
        <Kind name={memory.kind} />
        <span>{words.authority(memory.authority)}</span>
        <When at={memory.recorded_at} />
        <Flags memory={memory} />
        <code class="quiet" title={memory.id}>{words.short(memory.id)}</code>
      </div>
      <h1 class="claim-text stored">{memory.content}</h1>
      <Notices memory={memory} />
      <Actions memory={memory} etag={etag} />
      <TrustPanel memory={memory} why={why.data} />
      <LifeLine memory={memory} versions={history.data?.versions ?? null} />
      <Bindings memory={memory} />
      <EvidenceList evidence={memory.evidence} />
      <Reasons why={why.data} />
      <Neighbours memory={memory} related={related.data} />
      <ToldWhere told={told.data} />
      <Details memory={memory} />
    </article>
  );
}

function BackLink({ to }: { to: string }): JSX.Element {
  return <a class="back-link" href={to}><Icon name="back" />Memories</a>;
}

export const laterWords = (memory: Memory): { at: string; text: string }[] => {
  const all: Later[] = memory.later === undefined ? [] : Array.isArray(memory.later) ? memory.later : [memory.later];
  return all.map((one) => ({ at: one.at, text: one.words ?? one.text ?? '' }));
};

function Notices({ memory }: { memory: Memory }): JSX.Element | null {
  const later = laterWords(memory);
  const reopened = memory.reopened_by ?? [];
  const contested = memory.contested_by ?? [];
  if (!memory.superseded_by && later.length + reopened.length + contested.length === 0) return null;
  return (
    <div class="notices">
      {memory.superseded_by && (
        <p class="notice">
          <span>No longer holds{memory.valid_until ? <> since {words.onDay(memory.valid_until)}</> : null}. <a href={`/memories/${memory.superseded_by}`}>See what replaced it</a></span>
        </p>
      )}
      {later.map((one) => (
        <p class="notice" key={one.at}><span>Said later, {words.onDay(one.at)}: <span class="stored">“{one.text}”</span></span></p>
      ))}
      {contested.map((one) => (
        <p class="notice bad" key={one}><span>Another memory says otherwise. <a href={`/memories/${one}`}>See it</a>, or settle it in <a href="/review">Review</a></span></p>
      ))}
      {reopened.map((one) => (
        <p class="notice" key={one.id}><span>A reason changed: <a class="stored" href={`/memories/${one.id}`}>{one.reason}</a> ({one.how})</span></p>
      ))}
    </div>
  );
}

function TrustPanel({ memory, why }: { memory: Memory; why: Why | null }): JSX.Element {
  const trust = why?.trust ?? { support: memory.trust, watermark: 1, contest: 1, value: memory.trust };
  const moved = memory.watermarks.filter((one) => one.status !== 'unchanged').length;
  const contested = memory.contested_by?.length ?? 0;
  const parts: [string, number, string][] = [
    ['Evidence', trust.support, `${words.authority(memory.authority)}${1 < memory.evidence.length ? `, ${memory.evidence.length} times` : ''}`],
    ['Freshness', trust.watermark, memory.watermarks.length === 0 ? 'tied to nothing that moves' : moved ? 'what it is tied to changed' : 'what it is tied to is unchanged'],
    ['Agreement', trust.contest, contested ? `${words.plural(contested, 'memory says', 'memories say')} otherwise` : 'nothing says otherwise'],
  ];
  return (
    <section class="section" aria-label="Trust">
      <header><h2>Trust</h2><span class="sub">evidence × freshness × agreement</span></header>
      <div class="card trust-panel">
        {parts.map(([name, value, note]) => (
          <div class="trust-part" key={name}>
            <div class="trust-line"><span>{name}</span><span class="num">{value.toFixed(2)}</span></div>
            <Bar value={value} label={name} />
            <p class="small quiet">{note}</p>
          </div>
        ))}
        <div class="trust-part total">
          <div class="trust-line"><span>Trust</span><span class="num">{trust.value.toFixed(2)}</span></div>
          <Bar value={trust.value} label="Trust" />
          <p class="small quiet">never fades with time alone</p>
        </div>
      </div>
    </section>
  );
}

function ReasonTree({ reasons }: { reasons: Reason[] }): JSX.Element {
  return (
    <ul class="reasons">
      {reasons.map((one) => (
        <li key={`${one.relation} ${one.id}`}>
          <span class="quiet small">{words.relation(one.relation)}</span>{' '}
          <a class="stored" href={`/memories/${one.id}`}>{one.content}</a>
          {one.state !== 'confirmed' && <span class="pill">{words.state(one.state)}</span>}
          {0 < one.because.length && <ReasonTree reasons={one.because} />}
        </li>
      ))}
    </ul>
  );
}

function Reasons({ why }: { why: Why | null }): JSX.Element | null {
  if (!why || why.because.length + why.supports.length === 0) return null;
  return (
    <section class="section">
      <header><h2>Reasons</h2></header>
      <div class="card pad">
        {0 < why.because.length && <ReasonTree reasons={why.because} />}
        {0 < why.supports.length && (
          <ul class="reasons">
            {why.supports.map((one) => (
              <li key={one.id}><span class="quiet small">reason for</span> <a class="stored" href={`/memories/${one.id}`}>{one.content}</a></li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

function Neighbours({ memory, related }: { memory: Memory; related: Related | null }): JSX.Element | null {
  const all = related?.related ?? [];
  if (all.length === 0) return null;
  return (
    <section class="section">
      <header>
        <h2>Connected</h2>
        <div class="actions"><a href={`/graph?focus=${memory.id}`}>Show in the graph</a></div>
      </header>
      <div class="card">
        <ul class="rows">
          {all.slice(0, 30).map((one) => (
            <li key={`${one.relation} ${one.outward} ${one.id}`}>
              <a class="row two-columns" href={`/memories/${one.id}`}>
                <span class="quiet small">{words.relation(one.relation, one.outward)}</span>
                <span class="claim stored">{one.label}</span>
              </a>
            </li>
          ))}
        </ul>
      </div>
      {30 < all.length && <p class="small quiet">and {all.length - 30} more</p>}
    </section>
  );
}

function ToldWhere({ told }: { told: Paged<Telling> | null }): JSX.Element | null {
  if (!told) return null;
  return (
    <section class="section">
      <header><h2>Told</h2><span class="sub num">{told.total === 0 ? 'never yet' : words.plural(told.total, 'time')}</span></header>
      {0 < told.total && (
        <div class="card">
          <ul class="rows">
            {told.items.map((one) => (
              <li key={one.id}>
                <a class="row two-columns" href={`/told/${one.id}`}>
                  <When at={one.at} />
                  <span>{one.agent}, {words.event(one.event)} <span class="quiet num small">{one.tokens} tokens</span></span>
                </a>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function Details({ memory }: { memory: Memory }): JSX.Element {
  const slot = memory.slot;
  const rows: [string, JSX.Element | string][] = [
    ['In parts', slot ? `${slot.subject} · ${slot.predicate} · ${slot.object}` : ''],
    ['Where it applies', memory.scope === 'project' ? `project ${memory.project ?? ''}` : memory.scope],
    ['Area', memory.domain ?? ''],
    ['Tags', memory.tags.length === 0 ? '' : <span class="chips">{memory.tags.map((tag) => <a key={tag} class="pill stored" href={`/memories?tag=${encodeURIComponent(tag)}`}>{tag}</a>)}</span>],
    ['Said before', memory.triggers.length === 0 ? '' : memory.triggers.join(', ')],
    ['Importance', memory.importance.toFixed(2)],
    ['How readily it comes up', memory.salience.toFixed(2)],
    ['Used', `${words.plural(memory.uses, 'time')} in ${words.plural(memory.sessions, 'session')}`],
    ['Feedback', memory.helpful + memory.unhelpful === 0 ? '' : `helped ${memory.helpful}, did not help ${memory.unhelpful}`],
    ['Last verified', memory.last_verified_at ? words.exactly(memory.last_verified_at) : ''],
    ['Recorded', words.exactly(memory.recorded_at)],
    ['Id', memory.id],
  ];
  return (
    <section class="section">
      <header><h2>Details</h2></header>
      <dl class="facts">
        {rows.filter(([, value]) => value !== '').map(([name, value]) => (
          <div key={name}><dt>{name}</dt><dd class="stored">{value}</dd></div>
        ))}
      </dl>
    </section>
  );
}
