// The graph view: canvas, search, legend, time, and what is known of the chosen node.

import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useGet } from '../api';
import { useKeys } from '../keys';
import { go } from '../router';
import type { Place } from '../router';
import type { GraphData, GraphNode } from '../types';
import { Empty, Failure, Icon, Kind, Loading, PageHead } from '../ui';
import * as words from '../words';
import { build } from './build';
import { Panel } from './panel';
import { show } from './scene';
import type { Scene, Wishes } from './scene';

const LIMIT = 10_000;
const STEPS = 240;
const kindOf = (node: GraphNode) => (node.type === 'memory' ? node.kind : 'entity');

/** Goes to the graph with one parameter changed. */
function goWith(place: Place, name: string, value: string | null): void {
  const query = new URLSearchParams(place.query);
  if (value) query.set(name, value);
  else query.delete(name);
  const text = query.toString();
  go(`/graph${text ? `?${text}` : ''}`, name === 'as_of');
}

export function GraphCanvas({ place }: { place: Place }): JSX.Element {
  const focus = place.query.get('focus');
  const asOf = place.query.get('as_of');
  const answer = useGet<GraphData>('/graph', { focus, depth: focus ? 2 : null, as_of: asOf, limit: LIMIT });
  const [latest, setLatest] = useState<GraphData | null>(null);
  useEffect(() => {
    if (answer.data) setLatest(answer.data);
  }, [answer.data]);
  const data = answer.data ?? latest;
  if (answer.error) return <div class="page"><Failure problem={answer.error} again={answer.reload} /></div>;
  if (!data) return <div class="page"><Loading /></div>;
  if (data.nodes.length === 0 && !asOf) {
    return (
      <div class="page"><PageHead title="Graph" /><div class="card"><Empty title="There is nothing to draw yet">
        <p>Memories become points, and what connects them becomes lines: a decision with its reason, a fact with what it replaced, everything with what it is about.</p>
        <pre class="command">throughline remember Staging runs Postgres 16</pre>
      </Empty></div></div>
    );
  }
  return <Drawn data={data} place={place} focus={focus} asOf={asOf} />;
}

/** The times in which the graph grew, for the slider. */
function useSpan(data: GraphData): [number, number] {
  const [span, set] = useState<[number, number]>([Infinity, 0]);
  useEffect(() => {
    const times = data.nodes.map((one) => (one.at ? Date.parse(one.at) : Number.NaN)).filter((one) => !Number.isNaN(one));
    set((old) => [Math.min(old[0], ...times.slice(0, LIMIT)), Math.max(old[1], Date.now())]);
  }, [data]);
  return span;
}

function Drawn({ data, place, focus, asOf }: { data: GraphData; place: Place; focus: string | null; asOf: string | null }): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const scene = useRef<Scene | null>(null);
  const places = useRef(new Map<string, [number, number]>());
  const [wishes, setWishes] = useState<Wishes>({ colour: 'kind', hiddenKinds: new Set(), found: null, chosen: focus, until: null });
  const [search, setSearch] = useState('');
  const [broken, setBroken] = useState(false);
  const [arranged, setArranged] = useState(0);
  const [legend, setLegend] = useState(matchMedia('(min-width: 900px)').matches);
  const graph = useMemo(() => build(data, places.current), [data]);
  const span = useSpan(data);
  const wish = (change: Partial<Wishes>) => setWishes((old) => ({ ...old, ...change }));
  const choose = (id: string | null) => {
    wish({ chosen: id });
    if (id) scene.current?.fly(id);
  };

  useEffect(() => {
    if (!element.current) return;
    try {
      scene.current = show(element.current, graph, wishes, (id) => wish({ chosen: id }), setArranged);
    } catch {
      setBroken(true);
      return;
    }
    const recolour = () => scene.current?.recolour();
    const system = matchMedia('(prefers-color-scheme: dark)');
    addEventListener('themechange', recolour);
    system.addEventListener('change', recolour);
    return () => {
      removeEventListener('themechange', recolour);
      system.removeEventListener('change', recolour);
      places.current = scene.current?.places() ?? places.current;
      scene.current?.end();
      scene.current = null;
    };
  }, [graph]);
  useEffect(() => scene.current?.wish(wishes), [wishes]);
  const found = useMemo(() => {
    const text = search.trim().toLowerCase();
    return text === '' ? null : data.nodes.filter((one) => one.label.toLowerCase().includes(text));
  }, [search, data]);
  useEffect(() => wish({ found: found ? new Set(found.map((one) => one.id)) : null }), [found]);
  useKeys({
    '+': () => scene.current?.zoom(1),
    '=': () => scene.current?.zoom(1),
    '-': () => scene.current?.zoom(-1),
    '0': () => scene.current?.fit(),
    Escape: () => (wishes.chosen ? choose(null) : focus ? goWith(place, 'focus', null) : setSearch('')),
  });
  const chosen = wishes.chosen && graph.hasNode(wishes.chosen) ? graph.getNodeAttributes(wishes.chosen).node : null;
  return (
    <div class="graph" data-arranged={arranged === 1}>
      <h1 class="hidden-text">Graph</h1>
      {broken ? (
        <Empty title="This browser cannot draw the graph"><p>It needs WebGL. The connections of a memory are also on its own page.</p></Empty>
      ) : (
        <div class="graph-canvas" ref={element} role="img" aria-label={`${data.nodes.length} points and ${data.edges.length} connections. Search below to reach them by keyboard.`} />
      )}
      <div class="graph-tools">
        <div class="search">
          <Icon name="search" />
          <input class="field" type="search" data-search placeholder="Search" aria-label="Search the graph" value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
            onKeyDown={(event) => { if (event.key === 'Enter' && found?.[0]) choose(found[0].id); }} />
        </div>
        <div class="switch" role="group" aria-label="Colour by">
          {(['kind', 'cluster'] as const).map((name) => (
            <button key={name} type="button" aria-pressed={wishes.colour === name} onClick={() => wish({ colour: name })}>{name === 'kind' ? 'Kind' : 'Topic'}</button>
          ))}
        </div>
        <div class="switch" role="group" aria-label="Zoom">
          <button type="button" aria-label="Closer" onClick={() => scene.current?.zoom(1)}>+</button>
          <button type="button" aria-label="Farther" onClick={() => scene.current?.zoom(-1)}>−</button>
          <button type="button" onClick={() => scene.current?.fit()}>Fit</button>
        </div>
        <button class="button" type="button" aria-pressed={legend} onClick={() => setLegend(!legend)}>Legend</button>
        {focus && <button class="button" type="button" onClick={() => goWith(place, 'focus', null)}>Show everything ✕</button>}
      </div>
      {found && !chosen && <Results found={found} choose={choose} />}
      {legend && !found && !chosen && <Legend data={data} wishes={wishes} wish={wish} />}
      {chosen && <Panel graph={graph} node={chosen} choose={choose} focus={() => goWith(place, 'focus', chosen.id)} />}
      <TimeSlider span={span} asOf={asOf} until={wishes.until} move={(until) => wish({ until })}
        settle={(until) => { wish({ until: null }); goWith(place, 'as_of', until === null ? null : new Date(until).toISOString()); }} />
      <p class="graph-count small quiet num">
        {words.plural(data.nodes.length, 'point')}, {words.plural(data.edges.length, 'connection')}
        {0 < data.left_out && `, ${data.left_out.toLocaleString('en')} left out`}
      </p>
    </div>
  );
}

function Results({ found, choose }: { found: GraphNode[]; choose: (id: string) => void }): JSX.Element {
  return (
    <section class="card graph-panel" aria-label="Found">
      <p class="small quiet num">{words.plural(found.length, 'point')}</p>
      <ul class="plain-rows">
        {found.slice(0, 40).map((one) => (
          <li key={one.id}><button type="button" class="queue-row" onClick={() => choose(one.id)}><span class="stored clamp">{one.label}</span><Kind name={kindOf(one)} /></button></li>
        ))}
      </ul>
    </section>
  );
}

function Legend({ data, wishes, wish }: { data: GraphData; wishes: Wishes; wish: (change: Partial<Wishes>) => void }): JSX.Element {
  const counts = new Map<string, number>();
  for (const node of data.nodes) counts.set(kindOf(node), (counts.get(kindOf(node)) ?? 0) + 1);
  const toggle = (name: string) => {
    const hidden = new Set(wishes.hiddenKinds);
    if (!hidden.delete(name)) hidden.add(name);
    wish({ hiddenKinds: hidden });
  };
  return (
    <section class="card graph-panel legend" aria-label="Kinds">
      <ul>
        {[...counts].sort((a, b) => b[1] - a[1]).map(([name, count]) => (
          <li key={name}>
            <button type="button" class="legend-row" aria-pressed={!wishes.hiddenKinds.has(name)} onClick={() => toggle(name)}>
              <Kind name={name} /><span class="num quiet">{count.toLocaleString('en')}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface SliderProps {
  span: [number, number];
  asOf: string | null;
  until: number | null;
  move: (until: number | null) => void;
  settle: (until: number | null) => void;
}

function TimeSlider({ span, asOf, until, move, settle }: SliderProps): JSX.Element | null {
  const [from, end] = span;
  if (!(from < end)) return null;
  const now = until ?? (asOf ? Date.parse(asOf) : end);
  const step = Math.round(((now - from) / (end - from)) * STEPS);
  const at = (value: string) => (Number(value) === STEPS ? null : from + (Number(value) / STEPS) * (end - from));
  return (
    <label class="card time-slider">
      <span class="small num">{step === STEPS ? 'now' : words.onDay(new Date(now).toISOString())}</span>
      <input type="range" min="0" max={STEPS} value={step} aria-label="As it was known at this time" aria-valuetext={step === STEPS ? 'now' : words.onDay(new Date(now).toISOString())}
        onInput={(event) => move(at(event.currentTarget.value))} onChange={(event) => settle(at(event.currentTarget.value))} />
    </label>
  );
}
