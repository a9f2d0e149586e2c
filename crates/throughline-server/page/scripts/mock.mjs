// For work on the page only: serves dist/ and answers the routes by asking the command line of a built throughline.
// THROUGHLINE=path THROUGHLINE_HOME=folder PROJECT=folder node scripts/mock.mjs [port]

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';

const program = process.env.THROUGHLINE ?? 'throughline';
const project = process.env.PROJECT ?? process.cwd();
const dist = join(import.meta.dirname, '../dist');
const types = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.html': 'text/html; charset=utf-8' };
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

function run(...args) {
  return new Promise((resolve) => {
    execFile(program, ['--json', ...args], { cwd: project, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      try {
        if (!error) return resolve({ status: 200, body: JSON.parse(stdout) });
        const problem = JSON.parse(stderr).error;
        resolve({ status: problem.code === 'not_found' ? 404 : 400, body: { ...problem, detail: problem.message } });
      } catch {
        resolve({ status: 500, body: { detail: String(stderr || error) } });
      }
    });
  });
}

const option = (name, value) => (value ? [`--${name}`, value] : []);

async function paged(query, key, ...args) {
  const answer = await run(...args);
  if (answer.status !== 200) return answer;
  const all = answer.body[key];
  const from = Number(query.get('offset') ?? query.get('cursor') ?? 0);
  const until = from + Number(query.get('limit') ?? 50);
  return { status: 200, body: { ...answer.body, [key]: all.slice(from, until), total: all.length, next: until < all.length ? String(until) : null } };
}

async function episodes() {
  const log = (await run('log', '--limit', '100000')).body;
  return log.batches.flatMap((batch) => batch.changes.map((one) => one.record).filter(Boolean));
}

async function api(method, path, query, body) {
  const [one, id, verb] = path.split('/').map(decodeURIComponent);
  if (one === 'memories' && !id && method === 'GET') {
    const kind = option('kind', query.get('kind'));
    const state = query.get('state') ? ['--state', query.get('state')] : query.get('all') ? ['--all'] : [];
    const text = query.get('q');
    return paged(query, 'items', ...(text ? ['search', ...kind, ...state, '--', text] : ['list', ...kind, ...state]));
  }
  if (one === 'memories' && !id) return run('remember', ...option('kind', body.kind), ...(body.because ?? []).flatMap((why) => ['--because', why]), '--', body.content);
  if (one === 'memories' && !verb && method === 'GET') return run('show', id);
  if (one === 'memories' && method === 'PATCH') return run('edit', id, ...option('kind', body.kind), ...(body.content ? ['--', body.content] : []));
  if (one === 'memories' && method === 'GET') {
    if (verb === 'related') return run('expand', id);
    if (verb === 'purge') return { status: 200, body: { memories: [{ id, content: (await run('show', id)).body.content }], turns: [] } };
    return run(verb, id);
  }
  if (one === 'memories') {
    if (verb === 'correct') return run('correct', id, '--', body.content);
    if (verb === 'pin') return run('pin', id, ...(body.on ? [] : ['--off']));
    if (verb === 'verify') return run('verify', id, `--${body.outcome}`);
    if (verb === 'purge') return run('purge', id, '--yes');
    return run(verb, id);
  }
  if (one === 'recall') return run('recall', '--explain', '--', body.query);
  if (one === 'read') return run('read', '--', body.text);
  if (one === 'told' && id) return { status: 200, body: (await run('told')).body.items.find((item) => item.id === id) };
  if (one === 'told') {
    const answer = await paged(query, 'items', 'told', '--limit', '1000', ...option('since', query.get('since')), ...option('session', query.get('session')));
    const memory = query.get('memory');
    if (memory) answer.body.items = answer.body.items.filter((item) => item.memories.includes(memory));
    if (memory) answer.body.total = answer.body.items.length;
    return answer;
  }
  if (one === 'sessions' && !id) {
    const log = (await run('log', '--limit', '100000')).body;
    const sessions = new Map();
    for (const batch of log.batches.reverse()) for (const { attend } of batch.changes) if (attend) sessions.set(attend.id, { ...attend, noticed: attend.fired });
    const items = [...sessions.values()].reverse();
    return { status: 200, body: { items, total: items.length, next: null } };
  }
  if (one === 'sessions') {
    const items = (await episodes()).filter((turn) => turn.session === id).reverse();
    return { status: 200, body: { items, total: items.length, next: null } };
  }
  if (one === 'turns') {
    const found = (await episodes()).find((turn) => turn.id === id);
    if (verb) return { status: 200, body: { turns: (await episodes()).filter((turn) => turn.session === found?.session).reverse() } };
    return found ? { status: 200, body: found } : { status: 404, body: { detail: 'no such turn' } };
  }
  if (one === 'review' && method === 'POST') return run('review', `--${body.decision.replace('_', '-')}`, body.id.split('/')[0]);
  if (one === 'undo') return run('undo', ...(body.batch ? [body.batch] : []));
  if (one === 'projects') {
    const answer = await run('project', 'list');
    return { ...answer, body: { ...answer.body, current: answer.body.items[0]?.key } };
  }
  if (one === 'graph') {
    const answer = await run('graph', '--format', 'json', ...option('focus', query.get('focus')));
    for (const node of answer.body.nodes ?? []) node.at = new Date(Number.parseInt(node.id.replaceAll('-', '').slice(0, 12), 16)).toISOString();
    return answer;
  }
  if (one === 'log') return run('log', '--limit', query.get('limit') ?? '50', ...option('since', query.get('since')));
  if (one === 'verify') return run('verify', '--list');
  if (['review', 'status', 'stats', 'doctor', 'sleep'].includes(one)) return run(one);
  return { status: 404, body: { detail: 'not in the mock' } };
}

createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost');
  response.setHeader('Content-Security-Policy', policy);
  if (url.pathname === '/api/v1/events') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    return response.write('event: hello\ndata: {"seq":1}\n\n');
  }
  if (url.pathname.startsWith('/api/v1/')) {
    let text = '';
    for await (const chunk of request) text += chunk;
    const answer = await api(request.method, url.pathname.slice(8), url.searchParams, text ? JSON.parse(text) : {});
    response.writeHead(answer.status, { 'Content-Type': 'application/json' });
    return response.end(JSON.stringify(answer.body));
  }
  if (url.pathname === '/login') return response.writeHead(303, { Location: '/' }).end();
  if (url.pathname === '/openapi.json') return response.end('{"paths":{}}');
  if (url.pathname === '/metrics') return response.end('throughline_request_seconds_bucket{le="0.01"} 3\nthroughline_request_seconds_bucket{le="+Inf"} 4\n');
  const name = extname(url.pathname) ? url.pathname : '/index.html';
  try {
    const bytes = await readFile(join(dist, name));
    response.writeHead(200, { 'Content-Type': types[extname(name)] ?? 'application/octet-stream' });
    response.end(bytes);
  } catch {
    response.writeHead(404).end();
  }
}).listen(Number(process.argv[2] ?? 7879), '127.0.0.1');
