// Told: every block that was put before an agent, with the reason for each line.

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, Problem, useGet } from '../api';
import { useKeys } from '../keys';
import { onChange } from '../live';
import type { Place } from '../router';
import type { Paged, Telling } from '../types';
import { Block, Empty, Failure, Icon, Loading, PageHead, Trust, When } from '../ui';
import * as words from '../words';
import { rowKeys } from './today';

const PAGE = 50;

/** Pages of a listing, one after the other. */
export function usePages<T extends { id: string }>(path: string, parameters: Record<string, unknown>): { items: T[]; total: number | null; error: Problem | null; more: (() => void) | null } {
  const key = JSON.stringify(parameters);
  const [state, set] = useState<{ items: T[]; total: number | null; next: string | null; error: Problem | null }>({ items: [], total: null, next: null, error: null });
  const generation = useRef(0);
  const load = (cursor: string | null) => {
    const mine = generation.current;
    get<Paged<T>>(path, { ...JSON.parse(key), limit: PAGE, cursor }).then(
      (page) => {
        if (mine !== generation.current) return;
        set((old) => {
          const before = cursor === null ? [] : old.items;
          return { items: [...before, ...page.items], total: page.total, next: page.next, error: null };
        });
      },
      (error: unknown) => mine === generation.current && set((old) => ({ ...old, error: error as Problem })),
    );
  };
  useEffect(() => {
    generation.current += 1;
    load(null);
    return onChange(() => load(null));
  }, [path, key]);
  const next = state.next;
  return { items: state.items, total: state.total, error: state.error, more: next === null ? null : () => load(next) };
}

export function ToldView({ place }: { place: Place }): JSX.Element {
  const wanted = place.parts[1] ?? null;
  if (wanted) return <OneTelling id={wanted} />;
  return <ToldList />;
}

function OneTelling({ id }: { id: string }): JSX.Element {
  const telling = useGet<Telling>(`/told/${encodeURIComponent(id)}`);
  return (
    <div class="page">
      <a class="back-link" href="/told"><Icon name="back" />Told</a>
      {telling.error && <Failure problem={telling.error} />}
      {telling.data && (
        <>
          <PageHead title={`${telling.data.agent}, ${words.event(telling.data.event)}`} sub={`${words.exactly(telling.data.at)}, ${telling.data.tokens} tokens`} />
          <TellingBody telling={telling.data} />
        </>
      )}
    </div>
  );
}

function ToldList(): JSX.Element {
  const told = usePages<Telling>('/told', {});
  const [open, setOpen] = useState<string | null>(null);
  useKeys({ ...rowKeys(), Escape: () => setOpen(null) });
  return (
    <div class="page">
      <PageHead title="Told" sub={told.total === null ? ' ' : `${words.plural(told.total, 'block')} put before agents, latest first`} />
      {told.error && <Failure problem={told.error} />}
      {told.total === null && !told.error && <Loading />}
      {told.total === 0 && (
        <div class="card"><Empty title="No agent has been told anything yet">
          <p>When a prompt fits something that is known, a few lines are added to it. Each of these blocks is kept here, with the reason for every line.</p>
          <p><a href="/try">Try a prompt</a> to see what would be told.</p>
        </Empty></div>
      )}
      {0 < told.items.length && (
        <div class="card"><ul class="rows">
          {told.items.map((one) => (
            <li key={one.id}><TellingRow telling={one} open={open === one.id} toggle={() => setOpen(open === one.id ? null : one.id)} /></li>
          ))}
        </ul></div>
      )}
      {told.more && <p class="more-row"><button class="button" type="button" onClick={told.more}>Show more</button></p>}
    </div>
  );
}

/** The claims of a block, without its fences and dates. */
function claims(text: string): string[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('<') && !line.startsWith('# '));
  return lines.map((line) => line.replace(/^- (\[[0-9a-f]+\] )?(\w+ (as of )?\d{4}-\d\d-\d\d, [\w ,]+: )?/, ''));
}

export function TellingRow({ telling, open, toggle }: { telling: Telling; open: boolean; toggle: () => void }): JSX.Element {
  const lines = claims(telling.text);
  return (
    <>
      <button class="row" type="button" aria-expanded={open} onClick={toggle}>
        <span class="claim stored clamp">{telling.erased ? 'Its text was erased' : lines.slice(0, 3).join(' · ')}</span>
        <span class="meta">
          <When at={telling.at} />
          <span class="soft">told {telling.agent} {words.event(telling.event)}</span>
          <span>{words.plural(telling.memories.length + telling.turns.length, 'line')}</span>
          <span>{telling.tokens} tokens</span>
        </span>
      </button>
      {open && <div class="row-open"><TellingBody telling={telling} /></div>}
    </>
  );
}

function TellingBody({ telling }: { telling: Telling }): JSX.Element {
  const scored = telling.why.some((one) => one.score !== undefined);
  return (
    <div class="in-place">
      <Block text={telling.text} />
      {0 < telling.why.length && (
        <div class="card scroll-x">
          <table>
            <caption class="hidden-text">Why each line was told</caption>
            <thead><tr><th>Line</th><th>Why</th>{scored && <><th class="n">Score</th><th class="n">Fits</th><th class="n">Salience</th></>}{scored && <th>Trust</th>}</tr></thead>
            <tbody>
              {telling.why.map((one) => (
                <tr key={one.id}>
                  <td><a href={telling.turns.includes(one.id) ? '/timeline' : `/memories/${one.id}`}><code>{words.short(one.id)}</code></a></td>
                  <td class="stored">{one.reason}{one.detail === 'full' ? ', in full' : ''}</td>
                  {scored && <><td class="n">{one.score?.toFixed(2) ?? '·'}</td><td class="n">{one.relevance?.toFixed(2) ?? '·'}</td><td class="n">{one.salience?.toFixed(2) ?? '·'}</td></>}
                  {scored && <td>{one.trust === undefined ? '·' : <Trust value={one.trust} />}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {telling.session && <p class="small"><a class="stored" href={`/timeline?session=${encodeURIComponent(telling.session)}`}>Open the session</a></p>}
    </div>
  );
}
