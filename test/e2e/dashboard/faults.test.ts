/** A page whose data make it throw, from a service that is made up. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../../engines/chromium.ts';
import { logIn, openBrowser, openPage } from './browser.ts';
import { type FakeApi, openFakeApi } from './fake-api.ts';

const act = {
  kind: 'exec',
  execId: 'exec_1',
  taskId: 'build',
  sandboxId: null,
  backend: null,
  owner: 'operator',
  command: ['true'],
  startedAt: new Date().toISOString(),
  outcome: 'done',
  reason: 'exited',
  exitCode: 0,
  signal: null,
  rule: null,
  durationMs: 1,
  bytes: 1,
};

describe.skipIf(!hasChromium())('a page of the dashboard that throws', () => {
  let api: FakeApi;
  let browser: Browser;
  /** The client does not check this field, so that a number, as a service of another version could send it, reaches the page. */
  let token: number | string = 5;
  beforeAll(async () => {
    const answers = (path: string): object | null =>
      path === '/v1/history' ? { items: [{ ...act, token }], nextCursor: null } : null;
    api = await openFakeApi({ rows: 1, eventsPerMinute: 0, answers });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await api?.[Symbol.asyncDispose]();
  });

  it('says why in its place, leads to the others, and is shown again when it can be', async () => {
    const { page, errors } = await openPage(browser, `${api.url}/#/history`);
    await logIn(page, 'caisson_fake');
    const failed = page.getByRole('alert').filter({ hasText: 'This page cannot be shown' });
    await failed.getByText('replaceAll').waitFor();
    await failed.getByRole('button', { name: 'Try again' }).click();
    await failed.waitFor();
    await page.getByRole('link', { name: 'Sandboxes' }).click();
    await page.locator('tr.line').waitFor();
    expect(await failed.count()).toBe(0);
    await page.getByRole('link', { name: 'History' }).click();
    await failed.waitFor();
    token = 'ci';
    await failed.getByRole('button', { name: 'Try again' }).click();
    await page.locator('table.acts').getByText('ci', { exact: true }).waitFor();
    expect(errors).toEqual([]);
  });
});
