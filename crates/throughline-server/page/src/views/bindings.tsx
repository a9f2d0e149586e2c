// What a memory is tied to: files, commits and values, with the lines then and now.

import type { JSX } from 'preact';
import { send } from '../api';
import { act } from '../toast';
import type { Changed, Memory, Watermark } from '../types';
import { When } from '../ui';

const TONES: Record<string, string> = { unchanged: 'good', moved: 'warn', missing: 'bad', unknown: '' };
const WORDS: Record<string, string> = { unchanged: 'unchanged', moved: 'changed', missing: 'missing', unknown: 'could not be checked' };

export function Bindings({ memory }: { memory: Memory }): JSX.Element | null {
  if (memory.watermarks.length === 0) return null;
  const toCheck = memory.watermarks.some((one) => one.status === 'moved' || one.status === 'missing');
  const verify = (outcome: string) => () =>
    void act(outcome === 'confirmed' ? 'Still true: recorded as it is now' : 'No longer true: taken back, and a lesson is kept', () =>
      send<Changed>(`/memories/${memory.id}/verify`, { outcome, evidence: null }),
    );
  return (
    <section class="section">
      <header><h2>Tied to</h2></header>
      <div class="card">
        <ul class="rows">
          {memory.watermarks.map((mark) => <li key={`${mark.type} ${mark.target} ${mark.span ?? ''}`}><Binding mark={mark} /></li>)}
        </ul>
        {toCheck && (memory.state === 'confirmed' || memory.state === 'staged') && (
          <div class="binding-ask">
            <span>Does it still hold?</span>
            <button class="button" type="button" onClick={verify('confirmed')}>Still true</button>
            <button class="button danger" type="button" onClick={verify('refuted')}>No longer true</button>
          </div>
        )}
      </div>
    </section>
  );
}

function Binding({ mark }: { mark: Watermark }): JSX.Element {
  return (
    <div class="evidence">
      <div class="meta">
        <code class="stored">{mark.target}{mark.span ? `#${mark.span}` : ''}</code>
        <span class={`pill ${TONES[mark.status] ?? ''}`}>{WORDS[mark.status] ?? mark.status}</span>
        {mark.stamped_at && <span>noted <When at={mark.stamped_at} /></span>}
      </div>
      {mark.then && <Lines then={mark.then} now={mark.status === 'moved' ? (mark.now ?? '') : mark.then} />}
    </div>
  );
}

/** Lines then and now; what went and what came are marked. */
export function Lines({ then, now }: { then: string; now: string }): JSX.Element {
  const before = then.split('\n');
  const after = now.split('\n');
  if (then === now) return <pre class="block">{then}</pre>;
  return (
    <div class="then-now">
      <figure>
        <figcaption class="small quiet">then</figcaption>
        <pre class="block">{before.map((line, at) => <span key={at} class={after.includes(line) ? '' : 'gone-line'}>{line || ' '}{'\n'}</span>)}</pre>
      </figure>
      <figure>
        <figcaption class="small quiet">now</figcaption>
        <pre class="block">{after.map((line, at) => <span key={at} class={before.includes(line) ? '' : 'new-line'}>{line || ' '}{'\n'}</span>)}</pre>
      </figure>
    </div>
  );
}
