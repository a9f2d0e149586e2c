// Short messages at the bottom, with undo where something was changed.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Problem, send } from './api';
import { useKeys } from './keys';
import { tell } from './live';
import { go } from './router';

interface Toast {
  id: number;
  text: string;
  hint?: string | null;
  batch?: string | null;
  /** Where to go when it is undone, if what is shown then no longer exists. */
  back?: string;
  failed?: boolean;
}

let toasts: Toast[] = [];
let next = 1;
let update: (() => void) | null = null;
const STAY_MS = 9000;

function show(toast: Omit<Toast, 'id'>): void {
  const id = next++;
  toasts = [...toasts.slice(-2), { ...toast, id }];
  update?.();
  window.setTimeout(() => dismiss(id), toast.failed ? STAY_MS * 2 : STAY_MS);
}

function dismiss(id: number): void {
  toasts = toasts.filter((toast) => toast.id !== id);
  update?.();
}

/** Says that something was done; with a batch it can be undone. */
export function done(text: string, batch?: string | null, back?: string): void {
  show({ text, batch: batch ?? null, ...(back && { back }) });
  tell(null);
}

/** Says what went wrong. */
export function failed(error: unknown): void {
  const problem = error instanceof Problem ? error : null;
  show({ text: problem?.message ?? String(error), hint: problem?.hint ?? null, failed: true });
}

/** Runs a change and says how it went. Returns its answer, or null. */
export async function act<T extends { batch?: string | null }>(text: string, change: () => Promise<T>): Promise<T | null> {
  try {
    const answer = await change();
    if (answer.batch === null) done('Nothing had to be changed');
    else done(text, answer.batch ?? null);
    return answer;
  } catch (error) {
    failed(error);
    return null;
  }
}

async function undo(toast: Toast): Promise<void> {
  dismiss(toast.id);
  if (toast.back) go(toast.back);
  try {
    await send('/undo', { batch: toast.batch });
    done('Undone');
  } catch (error) {
    failed(error);
  }
}

export function Toasts(): JSX.Element {
  const [, force] = useState(0);
  useEffect(() => {
    update = () => force((count) => count + 1);
    return () => {
      update = null;
    };
  }, []);
  useKeys({
    u: () => {
      const latest = toasts.findLast((toast) => toast.batch);
      if (latest) void undo(latest);
    },
  });
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map((toast) => (
        <div key={toast.id} class={`toast ${toast.failed ? 'failed' : ''}`}>
          <p>
            {toast.text}
            {toast.hint && <span class="small"> {toast.hint}</span>}
          </p>
          {toast.batch && <button type="button" onClick={() => void undo(toast)}>Undo</button>}
          <button type="button" aria-label="Dismiss" onClick={() => dismiss(toast.id)}>✕</button>
        </div>
      ))}
    </div>
  );
}
