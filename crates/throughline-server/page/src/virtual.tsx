// A list that only draws what is in view, and asks the server for the pages it needs.

import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get, Problem } from './api';
import { onChange } from './live';
import type { Paged } from './types';

const PAGE_ROWS = 100;
const KEPT_PAGES = 40;
const MARGIN_ROWS = 8;

/** The rows of a listing, page by page. */
export interface Rows<T> {
  total: number | null;
  at: (index: number) => T | undefined;
  want: (from: number, until: number) => void;
  error: Problem | null;
  reload: () => void;
}

/** Rows of `path`; only pages that were wanted are asked for, the longest unused are dropped. */
export function useRows<T>(path: string, parameters: Record<string, unknown>): Rows<T> {
  const key = JSON.stringify(parameters);
  const pages = useRef(new Map<number, T[]>());
  const asked = useRef(new Map<number, AbortController>());
  const range = useRef<[number, number]>([0, 0]);
  const [state, set] = useState<{ total: number | null; error: Problem | null; tick: number }>({ total: null, error: null, tick: 0 });

  const load = useCallback(
    (page: number) => {
      if (asked.current.has(page)) return;
      const control = new AbortController();
      asked.current.set(page, control);
      get<Paged<T>>(path, { ...JSON.parse(key), limit: PAGE_ROWS, offset: page * PAGE_ROWS }, control.signal).then(
        (answer) => {
          asked.current.delete(page);
          pages.current.delete(page);
          pages.current.set(page, answer.items);
          if (KEPT_PAGES < pages.current.size) pages.current.delete(pages.current.keys().next().value as number);
          set((old) => ({ total: answer.total, error: null, tick: old.tick + 1 }));
        },
        (error: unknown) => {
          asked.current.delete(page);
          if (error instanceof Problem) set((old) => ({ ...old, error, total: old.total ?? 0 }));
        },
      );
    },
    [path, key],
  );
  const reload = useCallback(() => {
    for (const control of asked.current.values()) control.abort();
    asked.current.clear();
    const [from, until] = range.current;
    for (const page of [...pages.current.keys()]) {
      if (page < from || until < page) pages.current.delete(page);
    }
    for (let page = from; page <= until; page += 1) load(page);
  }, [load]);
  useEffect(() => {
    pages.current.clear();
    range.current = [0, 0];
    set((old) => ({ total: null, error: null, tick: old.tick + 1 }));
    reload();
    const stop = onChange(reload);
    return () => {
      stop();
      for (const control of asked.current.values()) control.abort();
      asked.current.clear();
    };
  }, [reload]);
  const want = useCallback(
    (from: number, until: number) => {
      range.current = [Math.floor(from / PAGE_ROWS), Math.floor(Math.max(from, until - 1) / PAGE_ROWS)];
      for (let page = range.current[0]; page <= range.current[1]; page += 1) {
        if (!pages.current.has(page)) load(page);
      }
    },
    [load],
  );
  const at = (index: number) => pages.current.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];
  return { total: state.total, at, want, error: state.error, reload };
}

interface VirtualProps {
  total: number;
  rowHeight: number;
  label: string;
  cursor: number;
  want: (from: number, until: number) => void;
  row: (index: number) => JSX.Element;
}

/** A scrolling list of rows of one height. The row at `cursor` is kept in view. */
export function VirtualList({ total, rowHeight, label, cursor, want, row }: VirtualProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [range, set] = useState<[number, number]>([0, 30]);
  const measure = useCallback(() => {
    const element = box.current;
    if (!element) return;
    const from = Math.max(0, Math.floor(element.scrollTop / rowHeight) - MARGIN_ROWS);
    const until = Math.min(total, Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + MARGIN_ROWS);
    set((old) => (old[0] === from && old[1] === until ? old : [from, until]));
    want(from, until);
  }, [total, rowHeight, want]);
  useEffect(() => {
    measure();
    const watch = new ResizeObserver(measure);
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, [measure]);
  useEffect(() => {
    const element = box.current;
    if (!element || cursor < 0) return;
    const top = cursor * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (element.scrollTop + element.clientHeight < top + rowHeight) element.scrollTop = top + rowHeight - element.clientHeight;
  }, [cursor, rowHeight]);
  const shown: JSX.Element[] = [];
  for (let index = range[0]; index < Math.min(range[1], total); index += 1) {
    shown.push(
      <li key={index} class="v-row" aria-setsize={total} aria-posinset={index + 1} style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}>
        {row(index)}
      </li>,
    );
  }
  return (
    <div class="v-box" ref={box} onScroll={measure} tabIndex={-1}>
      <ul class="v-all" aria-label={label} style={{ height: `${total * rowHeight}px` }}>{shown}</ul>
    </div>
  );
}
