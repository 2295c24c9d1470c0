/** What an operator does with the dashboard, on a real service with docker, in Debian's Chromium. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dockerHost } from '../../engines/docker.ts';
import { askFor } from '../origins.ts';
import { hasChromium } from '../../engines/chromium.ts';
import { logIn, openBrowser, openPage, type Seen } from './browser.ts';
import { type DashboardWorld, openDashboardWorld } from './world.ts';

const everyScope = ['run', 'read', 'approve', 'admin'];

describe.skipIf(dockerHost() === null || !hasChromium())('the dashboard', () => {
  let world: DashboardWorld;
  let browser: Browser;
  let operator: Seen;
  let all: string;
  beforeAll(async () => {
    world = await openDashboardWorld();
    browser = await openBrowser();
    all = (await world.token(everyScope)).token;
    operator = await openPage(browser, world.url);
    await logIn(operator.page, all);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  const open = async (tab: string): Promise<void> =>
    await operator.page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: tab }).click();

  it('makes a sandbox, and shows what was wanted beside what holds', async () => {
    const { page, errors } = operator;
    await page.getByRole('link', { name: 'Sandboxes' }).click();
    await page.getByLabel('New task').fill('journey');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name: 'journey' }).click();
    await page.getByRole('heading', { name: 'Wanted beside effective' }).waitFor();
    await page.getByRole('cell', { name: 'measured' }).first().waitFor();
    expect(errors).toEqual([]);
  });

  it('has a terminal that is there again after the page was loaded again', async () => {
    const { page, errors } = operator;
    await open('Terminal');
    const rows = page.locator('.xterm-rows');
    await page.locator('.xterm-helper-textarea').waitFor({ state: 'attached' });
    await page.keyboard.type('kept=still-here; echo one-$((1+1))\n');
    await rows.getByText('one-2').waitFor();
    const size = async (): Promise<string> => {
      await page.keyboard.type('clear; echo size $(stty size)\n');
      await rows.getByText(/size \d+ \d+/).waitFor();
      return /size (\d+ \d+)/.exec(await rows.innerText())?.[1] ?? '';
    };
    const before = await size();
    await page.setViewportSize({ width: 900, height: 600 });
    await expect.poll(size, { timeout: 10_000, interval: 500 }).not.toBe(before);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.reload();
    await page.locator('.xterm-helper-textarea').waitFor({ state: 'attached' });
    await page.keyboard.type('echo $kept-again\n');
    await rows.getByText('still-here-again').waitFor();
    expect(errors).toEqual([]);
  });

  it('uploads a file, shows it as text, and saves it', async () => {
    const { page, errors } = operator;
    await open('Files');
    const html = '<script>alert(1)</script><b>bold</b>';
    const file = { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from(html) };
    await page.getByLabel('Upload').setInputFiles(file);
    await page.getByRole('link', { name: 'page.html' }).click();
    await page.locator('.preview pre').getByText(html).waitFor();
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const saved = await coming;
    expect(saved.suggestedFilename()).toBe('page.html');
    expect(await readFile(await saved.path(), 'utf8')).toBe(html);
    expect(errors).toEqual([]);
  });

  it('takes files that are dropped, and gives a directory as an archive', async () => {
    const { page, errors } = operator;
    const dropped = await page.evaluateHandle(`(() => {
      const given = new DataTransfer();
      for (const name of ['one.txt', 'two.txt']) given.items.add(new File(['dropped ' + name], name));
      return given;
    })()`);
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: dropped });
    await page.getByText('2 written').waitFor();
    await page.getByRole('link', { name: 'two.txt' }).click();
    await page.locator('.preview pre').getByText('dropped two.txt').waitFor();
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Archive' }).click();
    const saved = await coming;
    expect(saved.suggestedFilename()).toMatch(/\.tar$/);
    const names = execFileSync('tar', ['-tf', await saved.path()], { encoding: 'utf8' }).split('\n');
    expect(names.filter((name) => /(?:one|two)\.txt$/.test(name))).toHaveLength(2);
    expect(errors).toEqual([]);
  });

  it('allows a host that was denied, for this task, and says so', async () => {
    const { page, errors } = operator;
    await world.ask('/v1/sandboxes', { body: { taskId: 'filtered', network: 'filtered' } });
    const command = ['sh', '-c', askFor('denied.example')];
    await world.ask('/v1/sandboxes/filtered/execs', { body: { command }, accept: 'application/json' });
    await page.goto(`${world.url}/#/sandboxes/filtered/network`);
    const line = page.getByRole('row').filter({ hasText: 'denied.example' });
    await line.getByText('denied', { exact: true }).waitFor();
    await line.getByRole('button', { name: 'Allow for this task' }).click();
    await page.getByText('denied.example is allowed until the sandbox is removed.').waitFor();
    expect(JSON.stringify(await world.ask('/v1/sandboxes/filtered/network'))).toContain('denied.example');
    await world.ask('/v1/sandboxes/filtered', { method: 'DELETE' });
    await page.goto(`${world.url}/#/sandboxes/journey/files`);
    expect(errors).toEqual([]);
  });

  it('a write that a rule asks about waits for a second person, who sees what it changes', async () => {
    const { page, errors } = operator;
    const body = { command: ['sh', '-c', 'echo old > asked.txt'] };
    await world.ask('/v1/sandboxes/journey/execs', { body, accept: 'application/json' });
    const second = await openPage(browser, world.url);
    await logIn(second.page, (await world.token(['approve'])).token);
    await page.reload();
    await page.getByRole('link', { name: 'asked.txt' }).click();
    const edit = async (text: string): Promise<void> => {
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Content').fill(text);
      await page.getByLabel('What changes').getByText(`+${text.trim()}`).waitFor();
      await page.getByRole('button', { name: 'Write' }).click();
    };
    await edit('new\n');
    const card = second.page.locator('.question');
    await card.getByLabel('What it changes').getByText('+new').waitFor();
    await expect.poll(() => second.page.title()).toBe('(1) Caisson');
    await card.focus();
    await second.page.keyboard.press('y');
    await second.page.waitForTimeout(700);
    expect(await card.count()).toBe(1);
    await second.page.keyboard.press('y');
    await second.page.getByText('Allowed: once.').waitFor();
    await page.getByText('written').waitFor();
    await edit('newer\n');
    await card.getByRole('button', { name: 'Deny' }).click();
    await second.page.getByText('Refused.').waitFor();
    await page
      .locator('.preview')
      .getByRole('status')
      .getByText(/denied|refused/)
      .waitFor();
    expect([errors.filter((text) => !text.includes('status of 403 ')), second.errors]).toEqual([[], []]);
    await second.context.close();
  });

  it('runs a command, shows what it writes, and keeps its escapes off the page', async () => {
    const { page, errors } = operator;
    const known = errors.length;
    await open('Commands');
    const text = String.raw`printf '\033[31m<img src=x onerror=alert(1)>\033[0m\033]0;title\007 end'; exit 3`;
    await page.getByLabel('Run').fill(text);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.replay').getByText('<img src=x onerror=alert(1)> end').waitFor();
    await page.locator('.replay').getByText('exit 3').waitFor();
    expect(errors.slice(known)).toEqual([]);
  });

  it('shows what the sandbox has used, and a mark leads to the output of its command', async () => {
    const { page, errors } = operator;
    const known = errors.length;
    await page.goto(`${world.url}/#/sandboxes/journey`);
    for (const title of ['Processor', 'Memory', 'Processes'])
      await page.getByRole('img', { name: title }).locator('path[d^="M"]').waitFor({ state: 'attached' });
    await page.getByText(/^Memory: .*[1-9].* [KM]iB/).waitFor();
    await page.locator('.axis a').last().focus();
    await page.keyboard.press('Enter');
    await page.locator('.replay').getByText('exit 3').waitFor();
    expect(errors.slice(known)).toEqual([]);
  });

  it('a mark of a change of state leads to its moment', async () => {
    const { page, errors } = operator;
    const known = errors.length;
    await page.goto(`${world.url}/#/sandboxes/journey`);
    await page.getByRole('link', { name: /: created by tok_/ }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toMatch(/journey\?at=2/);
    await page
      .locator('.moment')
      .getByRole('link', { name: /: started by tok_/ })
      .waitFor();
    await page.getByRole('link', { name: 'Leave this moment' }).click();
    await expect.poll(() => page.locator('.moment').count()).toBe(0);
    expect(errors.slice(known)).toEqual([]);
  });

  it('removes many after ten seconds, unless it is cancelled', async () => {
    const { page, errors } = operator;
    const known = errors.length;
    for (const taskId of ['bulk-a', 'bulk-b']) await world.ask('/v1/sandboxes', { body: { taskId } });
    await page.getByRole('link', { name: 'Sandboxes' }).click();
    await page.getByLabel('Filter').fill('bulk-');
    await expect.poll(() => page.url()).toContain('text=bulk-');
    await page.getByRole('status').getByText('2 of 3').waitFor();
    await page.getByRole('button', { name: 'Memory' }).click();
    await expect.poll(() => page.url()).toContain('sort=memory');
    await page.reload();
    await page.locator('th[aria-sort=ascending]').getByText('Memory').waitFor();
    await page.getByLabel('All that are shown').check();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText(/Removes 2 sandboxes in \d+ s\. Closing this page cancels it\./).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForTimeout(500);
    expect(await world.tasks()).toHaveLength(3);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('2 removed.').waitFor({ timeout: 30_000 });
    expect(await world.tasks()).toEqual(['journey']);
    expect(errors.slice(known)).toEqual([]);
  });

  it('shows the audit, and verifies it', async () => {
    const { page, errors } = operator;
    const known = errors.length;
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText(/^Verified: \d+ records/).waitFor();
    await page.getByLabel('Kind').selectOption('run');
    await page.locator('table.audit tr').first().waitFor();
    expect(errors.slice(known)).toEqual([]);
  });

  it('asks for a token again when its own ends, and when the service was killed, and returns to the same view', async () => {
    const { id, token } = await world.token(['read', 'run']);
    // A request that goes on when the token ends is cut off.
    const expected = [401, 499];
    const { page, errors, context } = await openPage(browser, `${world.url}/#/sandboxes/journey/execs`, expected);
    const isThere = async (): Promise<void> => {
      await page.getByRole('heading', { name: 'journey' }).waitFor();
      expect(page.url()).toContain('#/sandboxes/journey/execs');
    };
    await logIn(page, token);
    await isThere();
    expect(await page.getByRole('link', { name: 'Questions' }).count()).toBe(0);
    await world.ask(`/v1/tokens/${id}`, { method: 'DELETE' });
    await page.getByText('The login has ended').waitFor({ timeout: 20_000 });
    await logIn(page, all);
    await isThere();
    const samples = async () => Object(await world.ask('/v1/sandboxes/journey/samples'));
    // A minute is kept with the first reading after it.
    const isKept = async (): Promise<boolean> => {
      const { recent, minutes } = await samples();
      return minutes.length > 0 && Date.parse(recent.at(-1).at) >= Date.parse(minutes[0].at) + 60_000;
    };
    await expect.poll(isKept, { timeout: 80_000 }).toBe(true);
    await page.waitForTimeout(1000);
    const { minutes } = await samples();
    await world.again();
    expect((await samples()).minutes[0]).toEqual(minutes[0]);
    await page.getByText('The login has ended').waitFor({ timeout: 40_000 });
    await logIn(page, all);
    await isThere();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Token').waitFor();
    expect(errors.filter((text) => !/ERR_(?:CONNECTION|INCOMPLETE|EMPTY)/.test(text))).toEqual([]);
    await context.close();
  }, 150_000);

  it('a page on another port of the same name gets the cookie, and opens nothing with it', async () => {
    const { page, context } = await openPage(browser, world.url);
    await logIn(page, all);
    const got: string[] = [];
    await using server = createServer(({ headers }, response) => {
      got.push(headers.cookie ?? '');
      response.end('<!doctype html><link rel="icon" href="data:,"><title>hostile</title>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const other = await context.newPage();
    await other.goto(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`);
    await context.close();
    server.closeAllConnections();
    expect(got[0]).toMatch(/^caisson_page_[0-9a-f]{8}=[\w-]{43}$/);
    const statuses = await Promise.all(
      ['/v1/sandboxes', '/v1/events', '/v1/approvals', '/mcp', '/login'].map(
        async (path) => (await fetch(world.url + path, { headers: { cookie: got[0] ?? '' } })).status,
      ),
    );
    expect(statuses).toEqual([401, 401, 401, 401, 401]);
  });
});
