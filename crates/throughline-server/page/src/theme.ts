// Light, dark, or as the system says.

import { read, write } from './live';

export type Theme = 'auto' | 'light' | 'dark';
const THEMES: Theme[] = ['auto', 'light', 'dark'];

export function theme(): Theme {
  const kept = read('theme') as Theme;
  return THEMES.includes(kept) ? kept : 'auto';
}

/** Shows a theme and keeps it for the next visit. */
export function setTheme(name: Theme): void {
  write('theme', name === 'auto' ? null : name);
  applyTheme();
  dispatchEvent(new Event('themechange'));
}

export function applyTheme(): void {
  const name = theme();
  if (name === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}

export function nextTheme(): Theme {
  return THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length] as Theme;
}
