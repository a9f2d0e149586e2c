// Pictures for the documentation: few and small.

import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { call, open } from './bench.mjs';

const PICTURE_BYTES = 100_000;
const docs = join(import.meta.dirname, '../../../../docs');

/** Takes the pictures of docs/page.md. */
export async function shoot(browser, server, seeds) {
  mkdirSync(docs, { recursive: true });
  const staging = (await call(server, 'GET', '/memories?q=staging+database+postgres')).items.find((one) => one.content.includes('16'));
  const pictures = [
    ['today-light', '/', 1440, 900, 'light'],
    ['known-light', '/known', 1440, 900, 'light'],
    ['memory-light', `/memories/${staging.id}`, 1440, 900, 'light'],
    ['memory-dark', `/memories/${seeds.pool.id}`, 1440, 900, 'dark'],
    ['try-dark', '/try?q=which+postgres+does+staging+run', 1440, 900, 'dark'],
    ['review-light', '/review', 1440, 900, 'light'],
    ['graph-dark', `/graph`, 1440, 900, 'dark'],
    ['phone-today', '/', 390, 844, 'dark'],
    ['phone-memory', `/memories/${seeds.pool.id}`, 390, 844, 'light'],
  ];
  for (const [name, path, width, height, colorScheme] of pictures) {
    const window = await open(browser, server, { viewport: { width, height }, colorScheme });
    await window.page.goto(server.origin + path);
    await window.page.locator('main h1:visible').first().waitFor();
    if (path === '/graph') await window.page.locator('.graph[data-arranged=true]').waitFor();
    await window.page.waitForTimeout(800);
    const file = join(docs, `page-${name}.png`);
    await window.page.screenshot({ path: file });
    // Where pngquant is not installed the pictures are larger than they may be, which is said.
    spawnSync('pngquant', ['--force', '--ext', '.png', '--quality', '50-90', '--strip', '128', file]);
    if (PICTURE_BYTES < statSync(file).size) console.log(`note  ${file} is larger than ${PICTURE_BYTES} bytes; install pngquant`);
    await window.context.close();
  }
}
