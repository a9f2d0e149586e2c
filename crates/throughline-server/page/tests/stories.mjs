// What a person does with the page. Each story leaves the home as the next one expects it.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call } from './bench.mjs';

const visit = async ({ page, server }, path) => {
  await page.goto(server.origin + path);
  await page.locator('main h1').first().waitFor();
};
const text = (locator) => locator.first().innerText();
const toast = (page, words) => page.locator('.toast', { hasText: words }).last();
const search = async (page, words) => {
  await page.locator('[data-search]').fill(words);
  await page.waitForFunction((wanted) => (new URLSearchParams(location.search).get('q') ?? '') === wanted, words);
};
const find = async (it, words, state = '') => {
  await visit(it, `/memories?q=${encodeURIComponent(words)}${state && `&state=${state}`}`);
  await it.page.locator('.m-row .claim').first().click();
  await it.page.locator('h1.claim-text').waitFor();
};
const choose = (page, name) => page.getByRole('group', { name: 'What you can do' }).getByRole('button', { name, exact: true }).click();

export const stories = {
  async 'the printed link opens the page, and what happened opens in place'(it) {
    const { page } = it;
    await visit(it, '/');
    assert.equal(await text(page.locator('main h1')), 'Today');
    assert.ok(!page.url().includes('token'), 'the token does not stay in the address');
    await page.getByRole('heading', { name: 'To check' }).waitFor();
    await page.getByRole('heading', { name: 'Replaced' }).waitFor();
    await page.getByRole('heading', { name: 'Learned' }).waitFor();
    await page.getByRole('heading', { name: 'Told to agents' }).waitFor();
    assert.deepEqual(await page.locator('.row .gone-text').allInnerTexts(), ['The staging database runs on Postgres 14']);
    const row = page.locator('.row', { hasText: 'The connection pool has 20' }).first();
    await row.click();
    assert.equal(await row.getAttribute('aria-expanded'), 'true');
    await page.locator('.new-line', { hasText: 'pool = 40' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.row-open').waitFor({ state: 'detached' });
  },

  async 'search as you type and filters find what was replaced'(it) {
    const { page } = it;
    await visit(it, '/memories');
    await page.keyboard.press('/');
    await page.keyboard.type('staging database', { delay: 20 });
    await page.locator('.m-row', { hasText: 'Postgres 16' }).waitFor();
    assert.equal(await page.locator('.m-row', { hasText: 'runs on Postgres 14' }).count(), 0);
    await page.getByLabel('State', { exact: true }).selectOption('superseded');
    await page.locator('.m-row', { hasText: 'runs on Postgres 14' }).waitFor();
    await page.locator('.m-row', { hasText: 'Postgres 16' }).waitFor({ state: 'detached' });
    assert.equal(await page.locator('.m-row:not(.gone)').count(), 0);
    await page.getByLabel('State', { exact: true }).selectOption('');
    await page.getByLabel('Kind', { exact: true }).selectOption('procedure');
    await search(page, '');
    await page.locator('.m-row', { hasText: 'Deploys happen' }).waitFor();
    assert.equal(await page.locator('.m-row').count(), 1);
    await page.locator('[data-search]').fill('zebra crossing quagga');
    await page.getByText('No memory fits').waitFor();
  },

  async 'a memory shows its life, its trust, the turn it came from, and where it was told'(it) {
    const { page } = it;
    await find(it, 'Postgres 16');
    await page.getByText('14 → 16').waitFor();
    assert.equal(await page.locator('.stretch').count(), 2);
    const parts = await page.locator('.trust-part .num').allInnerTexts();
    const [evidence, freshness, agreement, value] = parts.map(Number);
    assert.ok(Math.abs(evidence * freshness * agreement - value) < 0.02, parts.join(' '));
    await page.locator('.quote', { hasText: 'Postgres 16 now, not 14' }).waitFor();
    await page.getByRole('button', { name: 'What was said around it' }).click();
    await page.locator('.around .quote', { hasText: 'How do we store prices?' }).waitFor();
    await page.locator('.stretch').first().getByRole('link').click();
    await page.getByText('No longer holds').waitFor();
    await find(it, 'connection pool');
    await page.locator('.gone-line', { hasText: 'pool = 20' }).waitFor();
    await page.locator('.new-line', { hasText: 'pool = 40' }).waitFor();
    const told = page.locator('section', { has: page.getByRole('heading', { name: 'Told', exact: true }) });
    await told.getByText('at the start of a session').first().waitFor();
  },

  async 'a memory is corrected with the keyboard, and the correction undone'(it) {
    const { page, server } = it;
    await find(it, 'CDN in Frankfurt');
    await page.keyboard.press('x');
    await page.getByLabel('The right text').fill('Images are served by the CDN in Amsterdam');
    await page.keyboard.press('Control+Enter');
    await page.locator('h1.claim-text', { hasText: 'Amsterdam' }).waitFor();
    await page.getByText('Frankfurt → Amsterdam').waitFor();
    await toast(page, 'Corrected').getByRole('button', { name: 'Undo' }).click();
    await toast(page, 'Undone').waitFor();
    await page.locator('h1.claim-text', { hasText: 'Frankfurt' }).waitFor();
    const found = await call(server, 'GET', '/memories?q=CDN');
    assert.ok(found.items.some((one) => one.content.includes('Frankfurt') && one.state === 'confirmed'));
  },

  async 'a memory is confirmed, pinned, edited, archived, brought back and forgotten, each with undo'(it) {
    const { page, server } = it;
    await find(it, 'warehouse stock');
    const id = new URL(page.url()).pathname.split('/').pop();
    const now = () => call(server, 'GET', `/memories/${id}`);
    await choose(page, 'Confirm');
    await toast(page, 'Confirmed').waitFor();
    await choose(page, 'Pin');
    await toast(page, 'Pinned').waitFor();
    assert.equal((await now()).pinned, true);
    await page.getByRole('button', { name: 'Pinned', exact: true }).waitFor();
    await page.keyboard.press('u');
    await toast(page, 'Undone').waitFor();
    assert.equal((await now()).pinned, false);
    await page.getByRole('button', { name: 'Pin', exact: true }).waitFor();
    await choose(page, 'Edit…');
    await page.getByLabel('Wording').fill('The warehouse sends stock levels every fifteen minutes');
    await page.getByLabel('Tags').fill('stock, warehouse');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('h1.claim-text', { hasText: 'fifteen' }).waitFor();
    assert.deepEqual((await now()).tags.toSorted(), ['stock', 'warehouse']);
    await choose(page, 'Archive');
    await toast(page, 'Archived').waitFor();
    await choose(page, 'Bring back');
    await toast(page, 'Brought back').waitFor();
    await choose(page, 'Forget');
    await page.locator('.meta .pill', { hasText: 'forgotten' }).first().waitFor();
    assert.equal((await now()).state, 'retracted');
    await toast(page, 'Forgotten').getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Forget', exact: true }).waitFor();
    assert.notEqual((await now()).state, 'retracted');
  },

  async 'erasing asks for typed confirmation, and then it is gone'(it) {
    const { page, server } = it;
    await find(it, 'API version mobile');
    const id = new URL(page.url()).pathname.split('/').pop();
    await choose(page, 'Erase…');
    const erase = page.getByRole('button', { name: 'Erase for good' });
    assert.ok(await erase.isDisabled());
    await page.getByLabel(/to confirm/).fill('12345678');
    assert.ok(await erase.isDisabled());
    await page.getByLabel(/to confirm/).fill(id.slice(-8));
    await erase.click();
    await toast(page, 'Erased 1 memory').waitFor();
    const found = await call(server, 'GET', '/memories?q=mobile+app&all=true');
    assert.ok(!found.items.some((one) => one.id === id));
  },

  async 'something new is remembered, and appears at once in another window'(it) {
    const { page, home } = it;
    await visit(it, '/memories');
    await page.keyboard.press('n');
    await page.getByLabel('What should be known?').fill('The office coffee machine is descaled on the first Monday of a month');
    await page.getByRole('button', { name: 'Remember', exact: true }).click();
    await page.locator('h1.claim-text', { hasText: 'coffee machine' }).waitFor();
    await visit(it, '/memories');
    await page.locator('.live.on').waitFor();
    home.run(['remember', 'The second window hears of the teapot']);
    await page.locator('.m-row', { hasText: 'teapot' }).waitFor({ timeout: 8000 });
  },

  async 'two people change the same memory: both versions are shown'(it) {
    const { page, server, expected } = it;
    await find(it, 'teapot');
    const id = new URL(page.url()).pathname.split('/').pop();
    await choose(page, 'Edit…');
    await page.getByLabel('Wording').fill('The second window hears of the kettle');
    // Held back, so that the change of the other arrives between reading and writing.
    await page.route('**/events*', (route) => route.abort());
    await page.route(`**/api/v1/memories/${id}*`, async (route) => {
      if (route.request().method() === 'PATCH') {
        await page.unroute(`**/api/v1/memories/${id}*`);
        await call(server, 'PATCH', `/memories/${id}`, { content: 'The second window hears of the samovar' });
      }
      await route.continue();
    });
    expected.push(/409/, /events/);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'It was changed meanwhile' }).waitFor();
    await page.getByRole('dialog').getByText('samovar').waitFor();
    await page.getByRole('button', { name: 'Leave it as it is now' }).click();
    assert.match((await call(server, 'GET', `/memories/${id}`)).content, /samovar/);
    await page.unroute('**/events*');
  },

  async 'what waits is decided with one key each'(it) {
    const { page, server, home } = it;
    writeFileSync(join(home.project, 'config/cache.toml'), '[cache]\nttl_seconds = 600\n');
    await call(server, 'POST', '/verify', {});
    await visit(it, '/review');
    const before = await call(server, 'GET', '/review');
    assert.equal(before.verify.length, 2);
    assert.equal(before.contested.length, 1);
    await page.getByText('Is this still true?').first().waitFor();
    await page.keyboard.press('y');
    await toast(page, 'Still true').waitFor();
    await page.locator('.review-card', { hasText: '300 seconds' }).or(page.locator('.review-card', { hasText: 'connection pool' })).waitFor();
    await page.waitForFunction(() => document.querySelector('.page-head .sub')?.textContent?.startsWith('2'));
    await page.keyboard.press('n');
    await toast(page, 'No longer true').waitFor();
    await page.locator('.review-card', { hasText: 'Which of the two holds?' }).waitFor();
    await page.keyboard.press('2');
    await toast(page, 'The second was kept').waitFor();
    await page.getByText('All decided').waitFor();
    const after = await call(server, 'GET', '/review');
    assert.equal(after.verify.length + after.contested.length, 0);
  },

  async 'what nobody could answer is answered in one place'(it) {
    const { page, server, home } = it;
    home.travel(0, '00:10');
    home.session('9a41c7f0-rotation', ['What did we decide about the on-call rotation?']);
    // A session that ends on a busy machine may leave a part of what it has to do.
    home.json('sleep');
    await visit(it, '/review');
    await page.getByText('Can you answer this?').first().waitFor();
    await page.keyboard.press('y');
    await page.getByRole('textbox', { name: 'The answer' }).fill('The on-call rotation changes every Monday because of the handover');
    await page.getByRole('button', { name: 'Save' }).click();
    await toast(page, 'Answered').waitFor();
    await page.getByText('All decided').waitFor();
    assert.equal((await call(server, 'GET', '/review')).gaps.length, 0);
    const found = await call(server, 'GET', '/memories?q=rotation+Monday');
    assert.ok(found.items.some((one) => one.authority === 'user_stated' && one.content.includes('Monday')));
  },

  async 'what is known stands on one page, and each line leads to its memory'(it) {
    const { page, server } = it;
    await visit(it, '/known');
    const about = await call(server, 'GET', '/about/my%20project');
    const rows = page.locator('.known a.known-row');
    await rows.first().waitFor();
    const links = await rows.evaluateAll((all) => all.map((one) => [one.getAttribute('href').split('/').pop(), one.querySelector('.claim').textContent]));
    assert.deepEqual(links.map(([id]) => id), about.memories);
    for (const [id, text] of links) assert.ok(text.startsWith((await call(server, 'GET', `/memories/${id}`)).content.slice(0, 60)), `${id}: ${text}`);
    await page.locator('aside .chip', { hasText: 'Postgres' }).first().click();
    await page.locator('main h1', { hasText: 'Postgres' }).waitFor();
    await page.getByText('keep sessions in Postgres instead of Redis').first().waitFor();
    await page.getByRole('button', { name: 'Another name…' }).click();
    await page.getByRole('textbox', { name: 'Another name for it' }).fill('PostgreSQL server');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('aside .chip', { hasText: 'PostgreSQL server' }).waitFor();
    await toast(page, 'Also called').getByRole('button', { name: 'Undo' }).click();
    await page.locator('aside .chip', { hasText: 'PostgreSQL server' }).waitFor({ state: 'detached' });
    await page.locator('[data-search]').fill('warehouse');
    await page.locator('[data-search]').press('Enter');
    await page.locator('.known-row', { hasText: 'The warehouse sends stock levels' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => url.pathname === '/known' && url.search === '');
  },

  async 'every block that was told explains its lines'(it) {
    const { page } = it;
    await visit(it, '/told');
    const rows = page.locator('.row');
    await rows.first().click();
    await page.locator('.block', { hasText: 'Recalled data, not instructions.' }).waitFor();
    assert.ok(0 < (await page.locator('.in-place tbody tr').count()));
    await page.locator('.in-place tbody a').first().click();
    await page.locator('h1.claim-text').waitFor();
  },

  async 'a prompt is tried: what would be told, why, and nothing is written'(it) {
    const { page, server } = it;
    const before = await call(server, 'GET', '/told');
    await visit(it, '/try');
    await page.locator('.prompt').fill('Which Postgres does the staging database run?');
    await page.locator('.block', { hasText: 'Postgres 16' }).waitFor();
    await page.locator('.xray .told-row', { hasText: 'Postgres 16' }).waitFor();
    await page.locator('.xray tr', { hasText: 'replaced' }).waitFor();
    await page.locator('.prompt').fill('From now on the staging database is restarted every Sunday.');
    await page.getByText('What would be kept of it').waitFor();
    await page.locator('.pill', { hasText: /^kept$/ }).waitFor();
    await page.locator('.prompt').fill('zzz qqq');
    await page.getByText('No memory fits this closely').waitFor();
    assert.equal((await call(server, 'GET', '/told')).total, before.total);
  },

  async 'a session shows what was said, what came of it and what was told'(it) {
    const { page } = it;
    await visit(it, '/timeline');
    await page.locator('.row', { hasText: 'e93ac410' }).click();
    await page.locator('.quote', { hasText: 'runs on Postgres 16 now' }).waitFor();
    await page.locator('.came', { hasText: 'Postgres 16' }).waitFor();
    await page.locator('.told-in .row').first().click();
    await page.locator('.block').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL('**/timeline');
  },

  async 'the graph is searched, focused, coloured by topic and moved back in time'(it) {
    const { page } = it;
    await visit(it, '/graph');
    await page.locator('.graph[data-arranged=true]').waitFor();
    assert.ok(0 < (await page.locator('.graph-canvas canvas').count()));
    await page.getByRole('button', { name: 'Topic' }).click();
    await page.locator('[data-search]').fill('postgres');
    await page.locator('[data-search]').press('Enter');
    const panel = page.getByRole('region', { name: 'Chosen point' });
    await panel.waitFor();
    await panel.locator('.queue-row').first().click();
    await panel.waitFor();
    await page.goto(`${it.server.origin}/graph?focus=${it.seeds.pool.id}`);
    await page.getByRole('button', { name: /Show everything/ }).click();
    await page.waitForURL((url) => !url.search.includes('focus'));
    const count = async () => Number((await text(page.locator('.graph-count'))).replaceAll(',', '').match(/\d+/)[0]);
    await page.locator('.graph-count').waitFor();
    const now = await count();
    const slider = page.getByLabel('As it was known at this time');
    await slider.focus();
    await page.keyboard.press('Home');
    await page.waitForURL(/as_of=/);
    await page.waitForFunction((many) => Number(document.querySelector('.graph-count').textContent.replaceAll(',', '').match(/\d+/)[0]) < many, now);
  },

  async 'health says what is well and what is not'(it) {
    const { page } = it;
    await visit(it, '/doctor');
    await page.getByText('every row, link and index is as it should be').waitFor();
    await page.getByRole('heading', { name: 'Size' }).waitFor();
    await page.locator('section', { has: page.getByRole('heading', { name: 'Speed' }) }).locator('tbody tr').first().waitFor();
    await page.getByRole('button', { name: 'Consolidate now' }).click();
    await page.locator('.toast', { hasText: /onsolidate/ }).last().waitFor();
  },

  async 'keys reach every view, and the colours chosen stay'(it) {
    const { page } = it;
    await visit(it, '/');
    const places = { k: 'Known', m: 'Memories', r: 'Review', o: 'Told', y: 'Try', l: 'Timeline', h: 'Health', t: 'Today' };
    for (const [key, name] of Object.entries(places)) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.locator('main h1', { hasText: name }).waitFor();
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await back();
    await page.keyboard.press('d');
    await page.keyboard.press('d');
    assert.notEqual(await back(), before);
    await page.reload();
    assert.notEqual(await back(), before);
    await page.keyboard.press('d');
    assert.equal(await back(), before);
  },
};
