// Calls to the server: one origin, JSON, problems as errors that say what to do.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { currentProject, onChange } from './live';

/** An answer that is not a success, in the server's own words. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string | null,
    readonly body: Record<string, unknown>,
  ) {
    super(message);
  }
}

/** Adds the chosen project and parameters that have a value to a path below /api/v1. */
export function address(path: string, parameters: Record<string, unknown> = {}): string {
  const query = new URLSearchParams();
  const project = currentProject();
  if (project) query.set('project', project);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== '' && value !== false) query.set(name, String(value));
  }
  const text = query.toString();
  return `/api/v1${path}${text ? `?${text}` : ''}`;
}

async function answer<T>(url: string, init: RequestInit): Promise<{ body: T; etag: string | null }> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: 'same-origin', ...init });
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw new Problem(0, 'unreachable', 'The server cannot be reached', 'Is `throughline serve` still running?', {});
  }
  const text = await response.text();
  let body: unknown = null;
  try {
    body = text ? JSON.parse(text) : null;
  } catch {
    if (response.ok) throw new Problem(response.status, 'malformed', 'The answer is not JSON', null, {});
  }
  if (!response.ok) {
    const problem = (body ?? {}) as Record<string, unknown>;
    const detail = String(problem.detail || problem.title || `The server answered ${response.status}`);
    throw new Problem(response.status, String(problem.code ?? ''), detail, (problem.hint as string) ?? null, problem);
  }
  return { body: body as T, etag: response.headers.get('etag') };
}

/** Reads a path. */
export async function get<T>(path: string, parameters = {}, signal?: AbortSignal): Promise<T> {
  return (await answer<T>(address(path, parameters), { signal: signal ?? null })).body;
}

/** Reads a path with the ETag that a later write sends along. */
export function getTagged<T>(path: string, signal: AbortSignal): Promise<{ body: T; etag: string | null }> {
  return answer<T>(address(path), { signal });
}

/** Sends a body. */
export async function send<T>(path: string, body: unknown = {}): Promise<T> {
  return (await sendTagged<T>(path, body, 'POST', null)).body;
}

/** The same, with the ETag of what was read, and that of what is there now. */
export function sendTagged<T>(path: string, body: unknown, method: string, etag: string | null): Promise<{ body: T; etag: string | null }> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (etag) headers['If-Match'] = etag;
  return answer<T>(address(path), { method, headers, body: JSON.stringify(body) });
}

/** What a view knows of something it asked for. */
export interface Asked<T> {
  data: T | null;
  error: Problem | null;
  loading: boolean;
  reload: () => void;
}

const kept = new Map<string, unknown>();
const KEPT_ANSWERS = 40;

/** Asks for a path now and again after each change; shows the kept answer until the new one is there. */
export function useGet<T>(path: string | null, parameters: Record<string, unknown> = {}, live = true): Asked<T> {
  const url = path === null ? null : address(path, parameters);
  const [state, set] = useState<{ url: string | null; data: T | null; error: Problem | null; loading: boolean }>({
    url: null,
    data: null,
    error: null,
    loading: true,
  });
  const running = useRef<AbortController | null>(null);
  const load = useCallback(() => {
    if (url === null) return;
    running.current?.abort();
    const control = new AbortController();
    running.current = control;
    answer<T>(url, { signal: control.signal }).then(
      ({ body }) => {
        kept.delete(url);
        kept.set(url, body);
        if (kept.size > KEPT_ANSWERS) kept.delete(kept.keys().next().value as string);
        set({ url, data: body, error: null, loading: false });
      },
      (error: unknown) => {
        if ((error as Error).name === 'AbortError') return;
        const problem = error instanceof Problem ? error : new Problem(0, 'failed', String(error), null, {});
        set((old) => ({ url, data: old.url === url ? old.data : null, error: problem, loading: false }));
      },
    );
  }, [url]);
  useEffect(() => {
    load();
    const stop = live ? onChange(load) : () => {};
    return () => {
      stop();
      running.current?.abort();
    };
  }, [load, live]);
  if (state.url !== url && url !== null) {
    const before = (kept.get(url) as T) ?? null;
    return { data: before, error: null, loading: before === null, reload: load };
  }
  return { data: state.data, error: state.error, loading: state.loading, reload: load };
}
