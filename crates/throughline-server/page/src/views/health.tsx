// Health: whether all is well, how large it is, how fast it answers, and what a model cost.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { address, send, useGet } from '../api';
import { done, failed } from '../toast';
import type { Doctor, Status } from '../types';
import { Failure, Loading, PageHead, When } from '../ui';
import * as words from '../words';

const OUTCOMES: Record<string, [string, string]> = { fine: ['fine', 'good'], note: ['note', 'warn'], wrong: ['wrong', 'bad'] };

export function HealthView(): JSX.Element {
  const status = useGet<Status>('/status');
  const doctor = useGet<Doctor>('/doctor', {}, false);
  const [busy, setBusy] = useState(false);
  const sleep = () => {
    setBusy(true);
    send<{ batch: string | null }>('/sleep', { dry_run: false })
      .then((answer) => done(answer.batch ? 'Consolidated' : 'There was nothing to consolidate', answer.batch), failed)
      .finally(() => setBusy(false));
  };
  return (
    <div class="page wide">
      <PageHead title="Health" sub={status.data ? <>Throughline {status.data.version}, <code class="stored">{status.data.home}</code></> : ' '}>
        <button class="button" type="button" disabled={busy} onClick={sleep}>{busy ? 'Consolidating…' : 'Consolidate now'}</button>
        <a class="button" href={address('/export', { format: 'markdown' })} download>Export</a>
      </PageHead>
      {status.error && <Failure problem={status.error} again={status.reload} />}
      {!status.data && !status.error && <Loading />}
      {status.data && <Numbers status={status.data} />}
      <section class="section">
        <header><h2>Checks</h2>{doctor.data && <span class="sub">{doctor.data.ok ? 'all is well' : 'something needs you'}</span>}
          <div class="actions"><button class="button plain" type="button" onClick={doctor.reload}>Check again</button></div></header>
        {doctor.error && <Failure problem={doctor.error} again={doctor.reload} />}
        {!doctor.data && !doctor.error && <Loading />}
        {doctor.data && <Checks doctor={doctor.data} />}
      </section>
      {status.data && (
        <div class="two">
          <Agents status={status.data} />
          <Space status={status.data} />
          <Speed />
          <Spend status={status.data} />
        </div>
      )}
    </div>
  );
}

function Numbers({ status }: { status: Status }): JSX.Element {
  const tiles: [string, string, string][] = [
    ['Memories', status.active.toLocaleString('en'), `of ${status.memories.toLocaleString('en')} ever kept`],
    ['Turns', status.turns.toLocaleString('en'), status.lost_turns ? `${status.lost_turns} lost` : 'none lost'],
    ['Told', status.injections.toLocaleString('en'), 'blocks put before agents'],
    ['On disk', words.bytes(status.database_bytes + status.wal_bytes), `${words.bytes(status.free_bytes)} free`],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([name, value, note]) => (
        <div class="card tile" key={name}><dt class="small quiet">{name}</dt><dd><span class="tile-number num">{value}</span><span class="small quiet num">{note}</span></dd></div>
      ))}
    </dl>
  );
}

function Checks({ doctor }: { doctor: Doctor }): JSX.Element {
  const order = ['wrong', 'note', 'fine'];
  const checks = [...doctor.checks].sort((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome));
  return (
    <div class="card scroll-x">
      <table>
        <thead><tr><th>Outcome</th><th>Check</th><th>What was found</th></tr></thead>
        <tbody>
          {checks.map((one, at) => (
            <tr key={at}>
              <td><span class={`pill ${OUTCOMES[one.outcome]?.[1] ?? ''}`}>{OUTCOMES[one.outcome]?.[0] ?? one.outcome}</span></td>
              <td class="nowrap">{one.name}</td>
              <td class="stored">{one.detail}{one.hint && <div class="small quiet">{one.hint}</div>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Agents({ status }: { status: Status }): JSX.Element {
  const states: Record<string, string> = { connected: 'connected', not_connected: 'not connected', not_installed: 'not installed' };
  return (
    <section class="section">
      <header><h2>Agents</h2></header>
      <div class="card"><table>
        <thead><tr><th>Agent</th><th>State</th><th>Last heard</th></tr></thead>
        <tbody>
          {status.agents.map((one) => (
            <tr key={one.agent}>
              <td>{one.agent}</td>
              <td><span class={one.state === 'connected' ? 'good' : 'quiet'}>{states[one.state] ?? one.state.replaceAll('_', ' ')}</span></td>
              <td>{one.last_hook ? <When at={one.last_hook} /> : <span class="quiet">never</span>}</td>
            </tr>
          ))}
        </tbody>
      </table></div>
    </section>
  );
}

function Space({ status }: { status: Status }): JSX.Element {
  const parts = Object.entries(status.space).sort((a, b) => b[1] - a[1]);
  const largest = Math.max(1, ...parts.map(([, size]) => size));
  return (
    <section class="section">
      <header><h2>Size</h2><span class="sub">{status.last_backup ? <>last copy <When at={status.last_backup} /></> : 'no copy yet: throughline backup'}</span></header>
      <div class="card"><table>
        <thead><tr><th>Part</th><th class="wide-cell">Share</th><th class="n">Size</th></tr></thead>
        <tbody>
          {parts.map(([name, size]) => (
            <tr key={name}>
              <td>{name}</td>
              <td class="wide-cell"><svg class="size-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="bar-back" width="100" height="6" /><rect class="bar-fill" width={(size / largest) * 100} height="6" /></svg></td>
              <td class="n nowrap">{words.bytes(size)}</td>
            </tr>
          ))}
        </tbody>
      </table></div>
    </section>
  );
}

interface Timing {
  route: string;
  count: number;
  p50: number;
  p95: number;
}

/** Reads p50 and p95 of each route from a Prometheus histogram. */
export function timings(text: string): Timing[] {
  const buckets = new Map<string, [number, number][]>();
  for (const line of text.split('\n')) {
    const found = /^throughline_request_seconds_bucket\{(.*)\} (\S+)/.exec(line);
    if (!found) continue;
    const labels = Object.fromEntries([...(found[1] ?? '').matchAll(/(\w+)="([^"]*)"/g)].map((one) => [one[1], one[2]]));
    const route = `${labels.method ?? ''} ${(labels.route ?? '').replace('/api/v1', '')}`.trim();
    const edge = labels.le === '+Inf' ? Infinity : Number(labels.le);
    buckets.set(route, [...(buckets.get(route) ?? []), [edge, Number(found[2])]]);
  }
  const at = (list: [number, number][], share: number) => {
    const total = list.at(-1)?.[1] ?? 0;
    const hit = list.find(([, count]) => share * total <= count)?.[0] ?? 0;
    return hit === Infinity ? (list.at(-2)?.[0] ?? 0) : hit;
  };
  return [...buckets]
    .map(([route, list]) => {
      list.sort((a, b) => a[0] - b[0]);
      return { route, count: list.at(-1)?.[1] ?? 0, p50: at(list, 0.5), p95: at(list, 0.95) };
    })
    .filter((one) => 0 < one.count)
    .sort((a, b) => b.count - a.count);
}

function Speed(): JSX.Element {
  const [all, set] = useState<Timing[] | null>(null);
  useEffect(() => {
    fetch('/metrics', { credentials: 'same-origin' })
      .then((answer) => (answer.ok ? answer.text() : ''))
      .then((text) => set(timings(text)), () => set([]));
  }, []);
  const ms = (seconds: number) => `≤ ${(seconds * 1000).toLocaleString('en', { maximumFractionDigits: 1 })} ms`;
  return (
    <section class="section">
      <header><h2>Speed</h2><span class="sub">of this server since it started</span></header>
      <div class="card">
        {all && 0 < all.length ? (
          <table>
            <thead><tr><th>Route</th><th class="n">Calls</th><th class="n">Half</th><th class="n">95 %</th></tr></thead>
            <tbody>{all.slice(0, 10).map((one) => <tr key={one.route}><td class="stored">{one.route}</td><td class="n">{one.count.toLocaleString('en')}</td><td class="n nowrap">{ms(one.p50)}</td><td class="n nowrap">{ms(one.p95)}</td></tr>)}</tbody>
          </table>
        ) : <p class="pad quiet">{all ? 'Nothing measured yet.' : 'Reading…'}</p>}
      </div>
    </section>
  );
}

function Spend({ status }: { status: Status }): JSX.Element {
  const model = status.llm ?? (status as unknown as { model?: Record<string, unknown> }).model ?? null;
  const rows = Object.entries(model ?? {}).filter(([, value]) => value !== null && typeof value !== 'object');
  return (
    <section class="section">
      <header><h2>Model</h2></header>
      <div class="card">
        {rows.length === 0 ? (
          <p class="pad quiet">No language model is used, so nothing is spent. Turns are read on this machine.</p>
        ) : (
          <table><tbody>{rows.map(([name, value]) => <tr key={name}><td class="quiet">{name.replaceAll('_', ' ')}</td><td class="n stored">{typeof value === 'number' ? value.toLocaleString('en') : String(value)}</td></tr>)}</tbody></table>
        )}
      </div>
    </section>
  );
}
