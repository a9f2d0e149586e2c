// What the page shares: the chosen project, and the stream of changes from the server.

import type { ChangeEvent } from './types';

type Listener = (event: ChangeEvent | null) => void;

const listeners = new Set<Listener>();
const stateListeners = new Set<(on: boolean) => void>();
let project: string | null = read('project');
let source: EventSource | null = null;
let connected = false;
let waiting: number | undefined;
let latest: ChangeEvent | null = null;

/** A setting of this browser. Storage may be switched off; then nothing is kept. */
export function read(name: string): string | null {
  try {
    return localStorage.getItem(`throughline.${name}`);
  } catch {
    return null;
  }
}

/** Keeps a setting in this browser, or removes it. */
export function write(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`throughline.${name}`);
    else localStorage.setItem(`throughline.${name}`, value);
  } catch {
    // Private windows may refuse; the page works without.
  }
}

/** The key of the chosen project; null is the one that the server was started in. */
export function currentProject(): string | null {
  return project;
}

/** Chooses a project: everything is asked for again. */
export function chooseProject(key: string | null): void {
  project = key;
  write('project', key);
  listen();
  tell(null);
}

/** Calls back after a change, at most four times a second. Returns how to stop it. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls back when the stream comes up or goes down. */
export function onConnection(listener: (on: boolean) => void): () => void {
  stateListeners.add(listener);
  listener(connected);
  return () => stateListeners.delete(listener);
}

/** Says that something was changed by this page itself, without waiting for the stream. */
export function tell(event: ChangeEvent | null): void {
  latest = event;
  if (waiting !== undefined) return;
  waiting = window.setTimeout(() => {
    waiting = undefined;
    for (const listener of [...listeners]) listener(latest);
  }, 120);
}

/** Opens the stream of changes. The browser reconnects by itself. */
export function listen(): void {
  source?.close();
  const query = project ? `?project=${encodeURIComponent(project)}` : '';
  source = new EventSource(`/api/v1/events${query}`);
  const up = (on: boolean) => {
    if (connected === on) return;
    connected = on;
    for (const listener of stateListeners) listener(on);
  };
  source.addEventListener('open', () => up(true));
  source.addEventListener('error', () => up(false));
  source.addEventListener('bye', () => up(false));
  source.addEventListener('change', (event) => tell(JSON.parse((event as MessageEvent<string>).data)));
  source.addEventListener('reset', () => tell(null));
}
