// Runs the real program and a real browser, and keeps an eye on everything the page does.

import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--headless', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
];

/** Starts `throughline serve` on a free port. Answers its origin, a link that lets a browser in, and how to stop it. */
export async function serve(home) {
  const child = spawn(home.program, ['--json', 'serve', '--port', '0'], { cwd: home.project, env: home.environment, stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.on('exit', (code) => reject(new Error(`serve ended with ${code} before it listened`)));
  });
  const { url, token_file } = JSON.parse(line);
  const token = readFileSync(token_file, 'utf8').trim();
  const origin = new URL(url).origin;
  const stop = () => new Promise((resolve) => {
    child.removeAllListeners('exit');
    child.on('exit', (code, signal) => resolve(code ?? signal));
    child.kill('SIGTERM');
  });
  return { origin, token, link: `${origin}/login?token=${encodeURIComponent(token)}`, stop };
}

/** A call of the API as a program makes it. */
export async function call(server, method, path, body) {
  const ask = () => fetch(`${server.origin}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${server.token}`, ...(body && { 'Content-Type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  // A connection that the server closed while this process waited for a hook is only noticed now.
  const answer = await ask().catch((error) => (method === 'GET' ? ask() : Promise.reject(error)));
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : null;
}

export function launch() {
  const found = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => {
    try {
      return execFileSync('which', [name], { encoding: 'utf8' }).trim();
    } catch {
      return null;
    }
  });
  const path = process.env.CHROMIUM ?? found.find(Boolean);
  if (!path) throw new Error('no chromium here; test.sh installs it');
  return chromium.launch({ executablePath: path, args: FLAGS });
}

/** A browser window that is let in. Notes errors of the console and requests to anywhere else. */
export async function open(browser, server, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', locale: 'en-GB', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const trouble = [];
  const expected = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      const text = `${message.text()} ${message.location().url}`;
      // The renderer in software says that reading pixels is slow; it has nothing to do with the page.
      if (/GPU stall|GL Driver|software|swiftshader/i.test(text)) return;
      if (!expected.some((pattern) => pattern.test(text))) trouble.push(`console: ${text}`);
    }
  });
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.origin !== server.origin) trouble.push(`request to ${url.origin}`);
  });
  await page.goto(server.link);
  await page.waitForURL(`${server.origin}/`);
  return { page, context, trouble, expected };
}
