// Starts the page: the frame, the view for the address, keys and the stream of changes.

import { render } from 'preact';
import type { FunctionComponent, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useGet } from './api';
import { Help } from './help';
import { listenToKeys, useKeys } from './keys';
import { chooseProject, currentProject, listen, onConnection } from './live';
import { followLinks, go, usePlace } from './router';
import { applyTheme, nextTheme, setTheme, theme } from './theme';
import { Toasts } from './toast';
import type { Projects, Review } from './types';
import { Empty, Icon, NeedsLink } from './ui';
import { GraphView } from './views/graph';
import { HealthView } from './views/health';
import { KnownView } from './views/known';
import { MemoriesView } from './views/memories';
import { ReviewView } from './views/review';
import { TimelineView } from './views/timeline';
import { TodayView } from './views/today';
import { ToldView } from './views/told';
import { TryView } from './views/try';
import type { Place } from './router';

interface View {
  path: string;
  name: string;
  icon: string;
  key: string;
  show: FunctionComponent<{ place: Place }>;
}

const VIEWS: View[] = [
  { path: '', name: 'Today', icon: 'today', key: 't', show: TodayView },
  { path: 'known', name: 'Known', icon: 'known', key: 'k', show: KnownView },
  { path: 'memories', name: 'Memories', icon: 'memories', key: 'm', show: MemoriesView },
  { path: 'review', name: 'Review', icon: 'review', key: 'r', show: ReviewView },
  { path: 'told', name: 'Told', icon: 'told', key: 'o', show: ToldView },
  { path: 'try', name: 'Try', icon: 'try', key: 'y', show: TryView },
  { path: 'timeline', name: 'Timeline', icon: 'timeline', key: 'l', show: TimelineView },
  { path: 'graph', name: 'Graph', icon: 'graph', key: 'g', show: GraphView },
  // Not /health: that is where programs ask whether the server is up.
  { path: 'doctor', name: 'Health', icon: 'health', key: 'h', show: HealthView },
];
/** What a narrow window shows at its lower edge; the rest is under More. */
const IN_TABS = ['', 'known', 'memories', 'review'];

function waitingCount(review: Review | null): number {
  if (!review) return 0;
  return review.verify.length + review.contested.length + review.pending.length + review.graduation.length + review.gaps.length;
}

function NavLink({ view, current, waiting, tab }: { view: View; current: boolean; waiting: number; tab?: boolean }): JSX.Element {
  return (
    <a class={tab ? 'tab' : 'nav-link'} href={`/${view.path}`} aria-current={current ? 'page' : undefined}>
      <Icon name={view.icon} />
      {view.name}
      {view.path === 'review' && 0 < waiting && (
        <span class="count" title={`${waiting} wait for you`}>{waiting < 100 ? waiting : '99+'}</span>
      )}
    </a>
  );
}

function ProjectPick({ projects }: { projects: Projects | null }): JSX.Element | null {
  if (!projects || projects.items.length === 0) return null;
  const chosen = currentProject() ?? projects.current;
  const name = (key: string) => key.split(/[/\\]/).filter(Boolean).pop()?.replace(/\.git$/, '') ?? key;
  const items = projects.items.some((one) => one.key === chosen)
    ? projects.items
    : [{ key: chosen, roots: [], memories: 0 }, ...projects.items];
  return (
    <select
      class="field project-pick"
      aria-label="Project"
      value={chosen}
      onChange={(event) => {
        const key = event.currentTarget.value;
        chooseProject(key === projects.current ? null : key);
        go('/');
      }}
    >
      {items.map((one) => (
        <option key={one.key} value={one.key}>{name(one.key)}</option>
      ))}
    </select>
  );
}

const THEME_WORDS = { auto: 'as the system', light: 'light', dark: 'dark' };
const THEME_ICONS = { auto: 'auto', light: 'sun', dark: 'moon' };

function ThemeButton(): JSX.Element {
  const [name, set] = useState(theme());
  useEffect(() => {
    const update = () => set(theme());
    addEventListener('themechange', update);
    return () => removeEventListener('themechange', update);
  }, []);
  const label = `Colours: ${THEME_WORDS[name]}`;
  return (
    <button class="button plain icon-only" type="button" aria-label={label} title={label} onClick={() => setTheme(nextTheme())}>
      <Icon name={THEME_ICONS[name]} />
    </button>
  );
}

function Live(): JSX.Element {
  const [on, set] = useState(false);
  useEffect(() => onConnection(set), []);
  return <span class={`live ${on ? 'on' : ''}`} role="status">{on ? 'live' : 'not connected'}</span>;
}

function Page(): JSX.Element {
  const place = usePlace();
  const projects = useGet<Projects>('/projects', {}, false);
  const review = useGet<Review>(projects.error ? null : '/review');
  const [help, setHelp] = useState(false);
  const [more, setMore] = useState(false);
  const main = useRef<HTMLElement>(null);
  const view = VIEWS.find((one) => one.path === (place.parts[0] ?? ''));
  const waiting = waitingCount(review.data);

  useEffect(() => {
    document.title = view ? `${view.name} · Throughline` : 'Throughline';
    setMore(false);
    main.current?.scrollTo(0, 0);
  }, [view]);
  useEffect(() => {
    // A project that was chosen once and is gone: fall back to the server's own.
    if (projects.error?.status === 404 && currentProject()) chooseProject(null);
  }, [projects.error]);
  const jumps = Object.fromEntries(VIEWS.map((one) => [`g ${one.key}`, () => go(`/${one.path}`)]));
  useKeys({
    ...jumps,
    '?': () => setHelp(true),
    d: () => setTheme(nextTheme()),
    '/': () => {
      const field = document.querySelector<HTMLElement>('[data-search]');
      if (field) field.focus();
      else go('/memories');
    },
  });

  const Show = view?.show;
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>Skip to content</a>
      <header class="side">
        <a class="brand" href="/"><img src="/icon.svg" alt="" /><span class="brand-name">Throughline</span></a>
        <ProjectPick projects={projects.data} />
        <nav aria-label="Views">
          {VIEWS.map((one) => <NavLink key={one.path} view={one} current={one === view} waiting={waiting} />)}
        </nav>
        <div class="side-end">
          <div class="side-row">
            <Live />
            <ThemeButton />
            <button class="button plain icon-only" type="button" aria-label="Help and keys" title="Help and keys (?)" onClick={() => setHelp(true)}>
              <Icon name="help" />
            </button>
          </div>
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        {projects.error?.status === 401 ? <NeedsLink /> : Show ? (
          <Show place={place} key={currentProject() ?? ''} />
        ) : (
          <Empty title="There is nothing at this address"><p><a href="/">Go to Today</a></p></Empty>
        )}
      </main>
      <nav class="tabs" aria-label="Views, short">
        {VIEWS.filter((one) => IN_TABS.includes(one.path)).map((one) => <NavLink key={one.path} view={one} current={one === view} waiting={waiting} tab />)}
        <button class="tab" type="button" aria-expanded={more} onClick={() => setMore(!more)}><Icon name="more" />More</button>
      </nav>
      {more && (
        <div class="more-sheet">
          {VIEWS.filter((one) => !IN_TABS.includes(one.path)).map((one) => <NavLink key={one.path} view={one} current={one === view} waiting={0} />)}
        </div>
      )}
      <Toasts />
      {help && <Help close={() => setHelp(false)} />}
    </div>
  );
}

applyTheme();
followLinks();
listenToKeys();
listen();
render(<Page />, document.getElementById('page') as HTMLElement);
