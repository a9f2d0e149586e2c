// Colours for the canvas, read from the style sheet so that light and dark stay in one place.

import { KINDS } from '../words';

export interface Colours {
  kinds: Record<string, string>;
  ink: string;
  quiet: string;
  edge: string;
  back: string;
  line: string;
  accent: string;
  dark: boolean;
}

function hex(css: string): string {
  const parts = css.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0];
  return `#${parts.slice(0, 3).map((one) => Math.round(one).toString(16).padStart(2, '0')).join('')}`;
}

export function readColours(): Colours {
  const probe = document.createElement('div');
  probe.className = 'colour-probe';
  document.body.append(probe);
  const read = (name: string, property = 'backgroundColor') => {
    probe.className = `colour-probe ${name}`;
    return hex(getComputedStyle(probe)[property as 'backgroundColor']);
  };
  const kinds = Object.fromEntries([...KINDS, 'entity'].map((name) => [name, read(`k-${name}`)]));
  const colours = {
    kinds,
    ink: read('c-ink'),
    quiet: read('c-quiet'),
    edge: read('c-edge'),
    back: read('c-back'),
    line: read('c-line'),
    accent: read('c-accent'),
    dark: false,
  };
  probe.remove();
  colours.dark = Number.parseInt(colours.back.slice(1, 3), 16) < 128;
  return colours;
}

/** A colour for each cluster; neighbours in rank differ clearly. */
export function clusterColour(rank: number, dark: boolean): string {
  const hue = (rank * 67.7 + 170) % 360;
  const [saturation, light] = dark ? [0.45, 0.66] : [0.42, 0.44];
  const channel = (shift: number) => {
    const k = (shift + hue / 30) % 12;
    const value = light - saturation * Math.min(light, 1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(value * 255).toString(16).padStart(2, '0');
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}
