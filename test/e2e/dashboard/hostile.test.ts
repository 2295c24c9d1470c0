/** Every text of every page is hostile, from a service that is made up: no text becomes an element, an address or code. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shown, shownLines } from '../../../dashboard/src/text/hostile.ts';
import { hasChromium } from '../../engines/chromium.ts';
import { logIn, openBrowser, openPage, type Seen } from './browser.ts';
import { type FakeApi, openFakeApi } from './fake-api.ts';
import { hostileAnswer } from './hostile-api.ts';
import { hostileTexts } from './hostile-texts.ts';

const task = encodeURIComponent(hostileTexts[0] ?? '');

const views: readonly (readonly [name: string, hash: string, ready: string, atLeast: number])[] = [
  ['questions', '#/questions', '.question', 50],
  ['overview', `#/sandboxes/${task}`, 'table.plain tbody tr', 50],
  ['one moment', `#/sandboxes/${task}?at=${new Date().toISOString()}`, '.axis a', 30],
  ['files', `#/sandboxes/${task}/files`, '.entries a', 500],
  ['commands', `#/sandboxes/${task}/execs`, '.execs tr', 500],
  ['network', `#/sandboxes/${task}/network`, 'table.plain td', 200],
  ['processes', `#/sandboxes/${task}/processes`, 'table.plain td', 500],
  ['history', '#/history', 'table.acts td', 500],
  ['audit', '#/audit', 'table.audit td', 200],
];

describe.skipIf(!hasChromium())('hostile texts in the dashboard', () => {
  let api: FakeApi;
  let browser: Browser;
  let seen: Seen;
  let dialogs = 0;
  beforeAll(async () => {
    api = await openFakeApi({ rows: 0, eventsPerMinute: 0, answers: hostileAnswer });
    browser = await openBrowser();
    seen = await openPage(browser, api.url);
    seen.page.on('dialog', (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    await logIn(seen.page, 'caisson_fake');
  });
  afterAll(async () => {
    await browser?.close();
    await api?.[Symbol.asyncDispose]();
  });

  it('there are five hundred, all different', () => expect(new Set(hostileTexts).size).toBe(500));

  it.each(views)('on %s they are text', async (name, hash, ready, atLeast) => {
    const { page, errors } = seen;
    await page.goto(`${api.url}/${hash}`);
    await page.locator(ready).first().waitFor({ state: 'attached' });
    await page.waitForTimeout(300);
    const text = await textOf(page);
    const found = hostileTexts.filter((each) => text.includes(shown(each)) || text.includes(shownLines(each)));
    const absent = hostileTexts.filter((each) => !found.includes(each));
    expect(found.length, `${name}: ${JSON.stringify(absent.slice(0, 5))}`).toBeGreaterThanOrEqual(atLeast);
    expect(text).not.toMatch(/[\u202e\u2066\u200b\u001b\u0007\u0008]/);
    expect(await faultsOf(page)).toEqual([]);
    expect([dialogs, errors.slice(0, 5)]).toEqual([0, []]);
  });

  it('heads of the list look alike, whatever their column is called', async () => {
    const { page } = seen;
    await page.goto(`${api.url}/#/sandboxes`);
    await page.locator('tr.line').first().waitFor();
    const shapes: unknown = await page.evaluate(
      "[...document.querySelectorAll('.list th:not(.pick)')].map((head) => getComputedStyle(head).display + head.offsetHeight)",
    );
    expect(new Set(Array.isArray(shapes) ? shapes : []).size).toBe(1);
  });

  it('in the list of sandboxes they are text, however far it is scrolled', async () => {
    const { page, errors } = seen;
    await page.goto(`${api.url}/#/sandboxes`);
    await page.locator('tr.line').first().waitFor();
    const found = new Set<string>();
    for (let top = 0; top < 500 * 32; top += 600) {
      await page.locator('.list').evaluate((list, to) => list.scrollTo(0, to), top);
      await page.waitForTimeout(50);
      const text = await textOf(page);
      for (const each of hostileTexts) if (text.includes(shown(each))) found.add(each);
      expect(await faultsOf(page)).toEqual([]);
    }
    expect(hostileTexts.filter((each) => !found.has(each))).toEqual([]);
    expect([dialogs, errors.slice(0, 5)]).toEqual([0, []]);
  });

  it('an output of all of them is text, without what a terminal would obey', async () => {
    const { page, errors } = seen;
    await page.goto(`${api.url}/#/sandboxes/${task}/execs?exec=exec_1`);
    await page.locator('.replay pre').getByText('#499').waitFor();
    const text = await page.locator('.replay pre').innerText();
    for (let at = 0; at < 500; at++) expect(text).toContain(` #${at}`);
    expect(text).toContain('<img src=x onerror=alert(1)>');
    expect(text).not.toMatch(/[\u202e\u001b\u0007]/);
    expect(await faultsOf(page)).toEqual([]);
    expect([dialogs, errors.slice(0, 5)]).toEqual([0, []]);
  });

  it('the look at the page is a real one: it finds an element that was made of a text', async () => {
    const { page } = seen;
    await page.goto(`${api.url}/#/history`);
    await page.evaluate("document.querySelector('main').append(document.createElement('iframe'))");
    expect(await faultsOf(page)).toEqual(['IFRAME']);
  });
});

const textOf = async (page: Page): Promise<string> => String(await page.evaluate('document.body.textContent'));

/** Elements, attributes and addresses that only a text could have brought; the title is of the page. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  const found: unknown = await page.evaluate(`(() => {
    const root = document.getElementById('root');
    const named = [...root.querySelectorAll('img, script, iframe, b, style, object, embed, base, meta, link, math, template, video, noscript, animate')];
    const acting = [...root.querySelectorAll('*')].filter((element) =>
      [...element.attributes].some(({ name, value }) => /^on/.test(name) || (/^(?:href|src|action|data)$/.test(name) && !value.startsWith('#'))));
    const title = /^(?:\\(\\d+\\) )?Caisson$/.test(document.title) ? [] : [document.title];
    return [...named, ...acting].map((element) => element.tagName).concat(title).slice(0, 5);
  })()`);
  return Array.isArray(found) ? found.map(String) : ['the page gave no list'];
}
