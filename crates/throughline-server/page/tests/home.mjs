// Fills a home with the real program, as three weeks of work would: hooks of sessions, memories by hand, files that move.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DAY_MS = 86_400_000;

/** A home, a project, and the program run against them at a moment of the past. */
export class Home {
  constructor(program, folder, now = Date.now()) {
    this.program = program;
    this.path = join(folder, 'home');
    this.project = join(folder, 'webshop');
    this.now = now;
    this.at = new Date(now).toISOString();
    mkdirSync(join(this.project, 'config'), { recursive: true });
    execFileSync('git', ['init', '--quiet', '-b', 'main'], { cwd: this.project });
  }

  get environment() {
    const { THROUGHLINE_DISABLE, THROUGHLINE_NOW, ...rest } = process.env;
    return { ...rest, THROUGHLINE_HOME: this.path, HOME: this.path, XDG_CONFIG_HOME: join(this.path, 'xdg') };
  }

  /** Everything that follows happens this many days ago, at this time of day. */
  travel(daysAgo, clock = '09:00') {
    const day = new Date(this.now - daysAgo * DAY_MS).toISOString().slice(0, 10);
    this.at = `${day}T${clock}:00Z`;
    this.tick = 0;
  }

  run(args, input = '') {
    const at = new Date(Math.min(this.now, Date.parse(this.at) + this.tick++ * 60_000)).toISOString();
    return execFileSync(this.program, args, {
      cwd: this.project,
      input,
      // On a busy machine a hook would leave for later what the stories look at.
      env: { ...this.environment, THROUGHLINE_NOW: at, THROUGHLINE_DEADLINE_MS: '20000' },
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'inherit'],
    });
  }

  json(...args) {
    return JSON.parse(this.run(['--json', ...args]));
  }

  remember(text, ...options) {
    return this.json('remember', ...options, '--', text).memory;
  }

  hook(event, session, payload = {}) {
    const body = { session_id: session, cwd: this.project, hook_event_name: event, ...payload };
    return this.run(['hook', event, '--agent', 'claude-code'], JSON.stringify(body));
  }

  session(id, prompts) {
    this.hook('SessionStart', id, { source: 'startup' });
    for (const prompt of prompts) this.hook('UserPromptSubmit', id, { prompt });
    this.hook('SessionEnd', id, { reason: 'exit' });
  }

  file(name, text) {
    writeFileSync(join(this.project, name), text);
  }
}

/** Three weeks of a web shop. Returns what the tests look for. */
export function fill(home) {
  home.file('config/database.toml', '[database]\nhost = "staging-db"\npool = 20\ntimeout = 30\n');
  home.file('config/cache.toml', '[cache]\nttl_seconds = 300\n');
  home.travel(21);
  home.session('c1f0aa52-kickoff', [
    'The staging database runs on Postgres 14.',
    'We decided to keep sessions in Postgres instead of Redis because Redis lost them twice when the node restarted.',
    'Always run cargo fmt before you commit.',
  ]);
  home.travel(18);
  const pool = home.remember('The connection pool has 20 connections', '--watch', 'file:config/database.toml#L2-L3', '--slot', 'pool|size|20|one', '--tag', 'database');
  home.remember('The cache keeps entries for 300 seconds', '--watch', 'file:config/cache.toml', '--tag', 'cache');
  home.remember('Deploys happen on Tuesdays and Thursdays, never on a Friday', '--kind', 'procedure', '--tag', 'deploy', '--pin');
  home.remember('We use Stripe for payments', '--kind', 'decision', '--because', 'The finance team already reconciles with it');
  home.remember('The search index is rebuilt every night at three', '--kind', 'fact', '--tag', 'search');
  home.remember('Prices are stored in cents as integers', '--kind', 'principle', '--because', 'Floats lost a cent in every thousandth order');
  home.travel(14);
  home.session('77b2e0d9-checkout', [
    'Which database does staging run?',
    'The checkout page must answer within 200 milliseconds.',
    'I prefer small pull requests, at most 300 lines.',
  ]);
  home.hook('PostToolUse', '77b2e0d9-checkout', { tool_name: 'Bash', tool_input: { command: 'cargo test --all-features' }, tool_response: { stdout: '', stderr: 'error: the feature `simd` requires the nightly compiler', exit_code: 101 } });
  home.remember('cargo test --all-features fails because the simd feature needs the nightly compiler', '--kind', 'negative', '--tag', 'ci');
  home.travel(9);
  home.remember('The staging server has 8 GB of memory', '--slot', 'staging server|memory|8 GB|one');
  home.remember('Support answers within one working day', '--kind', 'commitment');
  home.remember('Images are served by the CDN in Frankfurt', '--tag', 'cdn');
  home.remember('Refunds above 500 euros need a second approval', '--kind', 'principle', '--tag', 'payments');
  home.remember('The mobile app talks to version 3 of the API', '--tag', 'api');
  home.remember('The warehouse sends stock levels every ten minutes', '--tag', 'stock');
  home.travel(4);
  home.session('e93ac410-postgres', [
    'Actually, the staging database runs on Postgres 16 now, not 14.',
    'How do we store prices?',
    'Are there rules for deploys?',
  ]);
  home.travel(2);
  home.file('config/database.toml', '[database]\nhost = "staging-db"\npool = 40\ntimeout = 30\n');
  const first = home.remember('Invoices are archived on the shared drive of the office');
  const second = home.remember('Finance keeps every invoice in the cloud bucket only');
  home.json('contradict', first.id, second.id);
  home.travel(1);
  home.session('5d0e7b16-search', [
    'Why do we keep sessions in Postgres?',
    'How many connections does the pool have?',
    'The product search uses Meilisearch since this week.',
  ]);
  home.travel(0, '00:05');
  home.json('verify');
  return { pool, first, second };
}
