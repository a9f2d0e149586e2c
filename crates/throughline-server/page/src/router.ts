// Addresses of the page: /memories/ID?q=… and so on, with the browser's own history.

import { useEffect, useState } from 'preact/hooks';

/** Where the page is. */
export interface Place {
  /** The parts of the path, decoded. */
  parts: string[];
  query: URLSearchParams;
}

const listeners = new Set<() => void>();

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Reads the address. */
export function here(): Place {
  const parts = location.pathname.split('/').filter(Boolean).map(decoded);
  return { parts, query: new URLSearchParams(location.search) };
}

/** Goes to an address of the page. */
export function go(path: string, replace = false): void {
  if (path === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', path);
  for (const listener of listeners) listener();
}

/** The address, as state. */
export function usePlace(): Place {
  const [place, set] = useState(here);
  useEffect(() => {
    const update = () => set(here());
    listeners.add(update);
    addEventListener('popstate', update);
    return () => {
      listeners.delete(update);
      removeEventListener('popstate', update);
    };
  }, []);
  return place;
}

/** Follows links within the page without loading it again. */
export function followLinks(): void {
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.('a[href]');
    const href = link?.getAttribute('href');
    if (!href?.startsWith('/') || href.startsWith('//') || href.startsWith('/api/') || link?.hasAttribute('download')) return;
    event.preventDefault();
    go(href);
  });
}
