// Small parts that every view uses. Stored text is always a text node.

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from './api';
import type { Memory } from './types';
import * as words from './words';

const PATHS: Record<string, string> = {
  today: 'M8 2.5v2M8 11.5v2M2.5 8h2M11.5 8h2M4.1 4.1l1.4 1.4M10.5 10.5l1.4 1.4M4.1 11.9l1.4-1.4M10.5 5.5l1.4-1.4M8 6.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6',
  memories: 'M3 4h10M3 8h10M3 12h6',
  graph: 'M4.5 5.5l3 5M11.5 5.5l-3 5M5.5 4h5M4 2.7a1.3 1.3 0 1 1 0 2.6 1.3 1.3 0 0 1 0-2.6M12 2.7a1.3 1.3 0 1 1 0 2.6 1.3 1.3 0 0 1 0-2.6M8 10.7a1.3 1.3 0 1 1 0 2.6 1.3 1.3 0 0 1 0-2.6',
  timeline: 'M4 2.5v11M4 5h5.5M4 8h8.5M4 11h4',
  review: 'M3 8.5l3 3 7-7.5',
  known: 'M3.5 2.5h9v11h-9zM6 5.5h4M6 8h4M6 10.5h2.5',
  told: 'M3 3.5h10v7H8l-3 2.5v-2.5H3z',
  try: 'M3 4.5l4 3.5-4 3.5M8.5 12H13',
  health: 'M2 8.5h3l1.5-4 3 7.5 1.5-3.5h3',
  more: 'M4 8h.01M8 8h.01M12 8h.01',
  sun: 'M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
  moon: 'M13 9.3A5.5 5.5 0 0 1 6.7 3a5.5 5.5 0 1 0 6.3 6.3z',
  auto: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  help: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M6.4 6.4a1.7 1.7 0 1 1 2.4 1.5c-.5.2-.8.5-.8 1.1M8 11.2h.01',
  search: 'M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4M10.2 10.2l3.3 3.3',
  pin: 'M6 2.5h4l-.6 4L11.5 9h-7l2.1-2.5zM8 9v4.5',
  back: 'M9.5 3.5L5 8l4.5 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  arrow: 'M3 8h10M9.5 4.5L13 8l-3.5 3.5',
};

export function Icon({ name }: { name: string }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name] ?? ''} />
    </svg>
  );
}

export function Kind({ name }: { name: string }): JSX.Element {
  return <span class={`kind k-${name}`}>{words.kind(name)}</span>;
}

export function When({ at }: { at: string }): JSX.Element {
  return (
    <time dateTime={at} title={words.exactly(at)}>
      {words.when(at)}
    </time>
  );
}

/** A share of one as a bar. */
export function Bar({ value, label }: { value: number; label: string }): JSX.Element {
  const share = Math.max(0, Math.min(1, value));
  const grade = share < 0.4 ? 'low' : share < 0.7 ? 'mid' : '';
  return (
    <svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={`${label} ${share.toFixed(2)} of 1`}>
      <rect class="bar-back" width="100" height="10" />
      <rect class={`bar-fill ${grade}`} width={share * 100} height="10" />
    </svg>
  );
}

export function Trust({ value }: { value: number }): JSX.Element {
  return (
    <span class="trust" title="Trust: evidence × freshness × agreement">
      <Bar value={value} label="trust" />
      <span aria-hidden="true">{value.toFixed(2)}</span>
    </span>
  );
}

const TONES: Record<string, string> = { contested: 'bad', stale: 'warn', reopen: 'warn', questioned: 'warn', reconfirm_due: 'warn' };
const QUIET_FLAGS = new Set(['pinned', 'dormant', 'established']);

export const isQuestioned = (memory: Memory) => memory.later !== undefined || memory.flags.includes('questioned');

/** What is unusual about a memory, as small labels. */
export function Flags({ memory }: { memory: Memory }): JSX.Element {
  const flags = memory.flags.filter((name) => !QUIET_FLAGS.has(name));
  if (isQuestioned(memory) && !flags.includes('questioned')) flags.push('questioned');
  return (
    <>
      {memory.pinned && <span class="pill good" title={words.flagMeaning('pinned')}>pinned</span>}
      {memory.state !== 'confirmed' && <span class={`pill ${memory.state === 'retracted' ? 'bad' : ''}`}>{words.state(memory.state)}</span>}
      {flags.map((name) => (
        <span key={name} class={`pill ${TONES[name] ?? ''}`} title={words.flagMeaning(name)}>
          {words.flag(name)}
        </span>
      ))}
    </>
  );
}

export function Meta({ memory, trust = true }: { memory: Memory; trust?: boolean }): JSX.Element {
  return (
    <div class="meta">
      <Kind name={memory.kind} />
      {trust && <Trust value={memory.trust} />}
      <When at={memory.recorded_at} />
      <Flags memory={memory} />
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Says what went wrong and what to do. */
export function Failure({ problem, again }: { problem: Problem; again?: () => void }): JSX.Element {
  if (problem.status === 401) return <NeedsLink />;
  return (
    <div class="notice bad" role="alert">
      <div>
        <p class="stored">{problem.message}</p>
        {problem.hint && <p class="stored small">{problem.hint}</p>}
      </div>
      {again && <button class="button" type="button" onClick={again}>Try again</button>}
    </div>
  );
}

export function NeedsLink(): JSX.Element {
  return (
    <Empty title="This browser has not been let in">
      <p>Open the link that <code>throughline serve</code> printed. It holds the key; this page keeps it in a cookie.</p>
      <pre class="command">throughline serve --open</pre>
    </Empty>
  );
}

export function Loading(): JSX.Element {
  return (
    <div class="loading" role="status">
      <span class="hidden-text">Loading</span>
      <div class="shimmer" />
      <div class="shimmer" />
      <div class="shimmer" />
    </div>
  );
}

/** A dialog that holds the focus; Escape and a click beside it close it. */
export function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement as HTMLElement | null;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>('[autofocus], textarea, input')?.focus();
    return () => {
      dialog?.close();
      before?.focus?.();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        if (event.target === element.current) close();
      }}
    >
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}

/** Asks for words. */
export function Write({ title, start, save, close }: { title: string; start: string; save: (text: string) => void; close: () => void }): JSX.Element {
  const [text, set] = useState(start);
  return (
    <Dialog title={title} close={close}>
      <form onSubmit={(event) => { event.preventDefault(); if (text.trim()) { save(text.trim()); close(); } }}>
        <textarea class="field" rows={4} aria-label={title} value={text} onInput={(event) => set(event.currentTarget.value)} />
        <div class="dialog-end">
          <button class="button" type="button" onClick={close}>Cancel</button>
          <button class="button main" type="submit" disabled={!text.trim()}>Save</button>
        </div>
      </form>
    </Dialog>
  );
}

export function PageHead({ title, sub, children }: { title: string; sub?: ComponentChildren; children?: ComponentChildren }): JSX.Element {
  return (
    <header class="page-head">
      <div>
        <h1>{title}</h1>
        {sub && <p class="sub">{sub}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </header>
  );
}

/** The block an agent was given: fences quiet, headings strong, ids as links. */
export function Block({ text }: { text: string }): JSX.Element {
  const lines = text.split('\n');
  return (
    <div class="block">
      {lines.map((line, at) => (
        <div key={at} class={line.startsWith('<') ? 'fence' : line.startsWith('# ') ? 'heading' : ''}>
          {linked(line) || '\u00a0'}
        </div>
      ))}
    </div>
  );
}

function linked(line: string): ComponentChildren {
  const found = /^(- \[)([0-9a-f]{8})(\].*)$/.exec(line);
  if (!found) return line;
  return (
    <>
      {found[1]}
      <a href={`/memories/${found[2]}`}>{found[2]}</a>
      {found[3]}
    </>
  );
}
