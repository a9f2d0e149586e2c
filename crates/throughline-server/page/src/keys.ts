// One key for most things. A view adds its keys while it is shown; the latest view is asked first.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { read, write } from './live';

export type Keys = Record<string, (event: KeyboardEvent) => void>;

const layers: { current: Keys }[] = [];
let enabled = read('keys') !== 'off';
let prefix: string | null = null;
let forget: number | undefined;

/** Whether single keys act. People who use speech input may want them off. */
export function keysEnabled(): boolean {
  return enabled;
}

export function enableKeys(on: boolean): void {
  enabled = on;
  write('keys', on ? null : 'off');
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Adds keys for as long as the component is shown. `g t` is two keys, one after the other. */
export function useKeys(keys: Keys): void {
  const layer = useRef(keys);
  layer.current = keys;
  // Before the screen is drawn: who sees a view can use its keys.
  useLayoutEffect(() => {
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}

function act(name: string, event: KeyboardEvent): boolean {
  for (let at = layers.length - 1; 0 <= at; at -= 1) {
    const found = layers[at]?.current[name];
    if (found) {
      event.preventDefault();
      found(event);
      return true;
    }
  }
  return false;
}

/** Starts to listen. */
export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === 'Escape') {
      if (isTyping(event.target)) (event.target as HTMLElement).blur();
      else if (!document.querySelector('dialog[open]')) act('Escape', event);
      return;
    }
    if (!enabled || isTyping(event.target) || document.querySelector('dialog[open]')) return;
    const name = prefix ? `${prefix} ${event.key}` : event.key;
    prefix = null;
    clearTimeout(forget);
    if (act(name, event)) return;
    if (event.key === 'g') {
      prefix = 'g';
      forget = window.setTimeout(() => (prefix = null), 1200);
    }
  });
}
