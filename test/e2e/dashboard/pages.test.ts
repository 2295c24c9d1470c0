/** Every page of the dashboard: for screen readers, by keyboard, in light and dark, with hostile texts, and for another owner. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dockerHost } from '../../engines/docker.ts';
import { hasChromium } from '../../engines/chromium.ts';
import { logIn, openBrowser, openPage, type Seen } from './browser.ts';
import { type DashboardWorld, openDashboardWorld } from './world.ts';

/** Directory for pictures of the pages, by `npm run screenshots`. */
const pictures = process.env['CAISSON_SCREENSHOTS'];

const views: readonly (readonly [name: string, hash: string, ready: string])[] = [
  ['questions', '#/questions', '.question'],
  ['sandboxes', '#/sandboxes', 'tr.line'],
  ['overview', '#/sandboxes/pages', 'table.plain tbody tr'],
  ['terminal', '#/sandboxes/pages/terminal', '.xterm-helper-textarea'],
  ['files', '#/sandboxes/pages/files', '.entries a'],
  ['commands', '#/sandboxes/pages/execs', '.execs tr'],
  ['network', '#/sandboxes/pages/network', '.empty'],
  ['processes', '#/sandboxes/pages/processes', 'h2'],
  ['history', '#/history', 'table.acts td'],
  ['audit', '#/audit', 'table.audit tr'],
];

const hostile = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  '&lt;b&gt;&amp;',
  "'-alert(1)-'",
  '{{7*7}}${7*7}',
  'javascript:alert(1)',
  'a\u202egnp.exe',
  '\u0007\u001b]0;title\u0007\u001b[31mred',
  '<svg/onload=alert(1)>',
  'data:text/html,<script>alert(1)</script>',
];

describe.skipIf(dockerHost() === null || !hasChromium())('pages of the dashboard', () => {
  let world: DashboardWorld;
  let browser: Browser;
  let seen: Seen;
  let axe: string;
  beforeAll(async () => {
    world = await openDashboardWorld();
    browser = await openBrowser();
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    await world.ask('/v1/sandboxes', { body: { taskId: 'pages', labels: { purpose: 'test' } } });
    await fill();
    seen = await openPage(browser, world.url);
    await logIn(seen.page, (await world.token(['run', 'read', 'approve', 'admin'])).token);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  /** Hostile texts as commands, their output, names of files, and a question with a diff. */
  async function fill(): Promise<void> {
    const run = async (command: readonly string[]): Promise<unknown> =>
      await world.ask('/v1/sandboxes/pages/execs', { body: { command }, accept: 'application/json' });
    for (const text of hostile) await run(['echo', text]);
    for (const [at, text] of hostile.entries()) {
      const name = `${text.replaceAll('/', '|')}${at}`;
      await run(['sh', '-c', 'printf "%s" "$1" > "./$1"', 'sh', name]);
    }
    await run(['sh', '-c', 'echo "<b>old</b>" > asked.txt']);
    void world.write('pages', 'asked.txt', hostile.join('\n')).catch(() => undefined);
  }

  const show = async (page: Page, hash: string, ready: string): Promise<void> => {
    await page.goto(`${world.url}/${hash}`);
    await page.locator(ready).first().waitFor({ state: 'attached' });
  };

  it.each(views)(
    'axe finds nothing serious on %s, light and dark, and nothing overflows or overlaps',
    async (name, hash, ready) => {
      const { page, errors } = seen;
      for (const colorScheme of ['light', 'dark'] as const)
        for (const width of [1280, 1920]) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 900 });
          await show(page, hash, ready);
          await expect.poll(() => layoutFaults(page), { message: `${name} ${width}` }).toEqual([]);
          if (width === 1280) expect(await axeFaults(page, axe), `${name} ${colorScheme}`).toEqual([]);
        }
      expect(errors).toEqual([]);
    },
  );

  it('the page of one question has the style of the dashboard, light and dark, and axe finds nothing serious on it', async () => {
    const { items } = Object(await world.ask('/v1/approvals'));
    const { page, errors, context } = await openPage(browser, `${world.url}/approvals/${items[0].id}`, [404]);
    const backs: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      backs.push(String(await page.evaluate('getComputedStyle(document.body).backgroundColor')));
      expect(await axeFaults(page, axe)).toEqual([]);
    }
    expect(backs).toEqual(['rgb(255, 255, 255)', 'rgb(22, 24, 27)']);
    await page.locator('#token').fill((await world.token(['approve'])).token);
    await page.getByRole('button', { name: 'Show the question' }).click();
    await page.getByRole('button', { name: 'Deny' }).waitFor();
    expect(await axeFaults(page, axe)).toEqual([]);
    expect(errors).toEqual([]);
    await context.close();
  });

  it('axe is really asked: it finds a button without a name', async () => {
    const { page } = seen;
    await show(page, '#/questions', '.question');
    await page.evaluate("document.querySelector('main').append(document.createElement('button'))");
    expect(await axeFaults(page, axe)).toEqual([expect.stringMatching(/^button-name/)]);
    await page.reload();
  });

  /** Ordinary tasks that do something, for pictures. */
  async function work(): Promise<void> {
    const tasks = [
      [
        'build',
        'a',
        'i=0; while [ $i -lt 90 ]; do i=$((i+1)); head -c 3000000 /dev/urandom | sha256sum; sleep 1; done',
      ],
      ['tests', 'a', 'echo 412 tests passed'],
      ['web', 'b', 'echo listening on 8080; sleep 120'],
      ['docs', 'b', 'echo 31 pages written'],
    ] as const;
    for (const [taskId, team, text] of tasks) {
      await world.ask('/v1/sandboxes', { body: { taskId, labels: { team } } });
      void world.ask(`/v1/sandboxes/${taskId}/execs`, { body: { command: ['sh', '-c', text] } }).catch(() => undefined);
    }
  }

  it.each(pictures === undefined ? [] : [pictures])(
    'has its pictures taken, into %s',
    async (directory) => {
      const { page } = seen;
      await work();
      await page.waitForTimeout(75_000);
      const taken = [
        ['questions', '#/questions', '.question', 1280, 'light'],
        ['sandboxes', '#/sandboxes?text=team', '.spark', 1920, 'dark'],
        ['overview', '#/sandboxes/build', '.plot path[d^="M"]', 1280, 'light'],
        ['commands', '#/sandboxes/build/execs', '.execs tr', 1920, 'dark'],
      ] as const;
      for (const [name, hash, ready, width, colorScheme] of taken) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 560 });
        await show(page, hash, ready);
        await page.waitForTimeout(1500);
        await page.screenshot({ path: `${directory}/dashboard-${name}.png` });
      }
    },
    240_000,
  );

  it('hostile texts are text: no element is made of them, and nothing of them runs', async () => {
    const { page, errors } = seen;
    let dialogs = 0;
    page.on('dialog', (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    for (const [, hash, ready] of views) {
      await show(page, hash, ready);
      expect(await page.locator('main img, main script, main svg[onload], main b, main iframe').count()).toBe(0);
      expect(await page.locator('main').innerText()).not.toMatch(/[\u202e\u0007]/);
      expect(await page.title()).not.toContain('title');
    }
    await show(page, '#/sandboxes/pages/execs', '.execs tr');
    const text = await page.locator('.execs').innerText();
    for (const each of hostile.filter((one) => !/[\u0000-\u001f\u202e]/.test(one))) expect(text).toContain(each);
    expect(text).toContain(String.raw`a\u{202e}gnp.exe`);
    expect([dialogs, errors]).toEqual([0, []]);
  });

  it('every page is reached and used by keyboard alone', async () => {
    const { page } = seen;
    for (const [name, hash, ready] of views) {
      await show(page, hash, ready);
      await page.reload();
      await page.locator(ready).first().waitFor({ state: 'attached' });
      const reached = new Set<string>();
      // The terminal has the focus, and Tab is of its shell.
      if (name === 'terminal') await page.keyboard.press('Control+Shift+E');
      for (let count = 0; count < 30; count++) {
        await page.keyboard.press(name === 'terminal' ? 'Shift+Tab' : 'Tab');
        reached.add(String(await page.evaluate('document.activeElement?.textContent?.trim().slice(0, 20) ?? ""')));
      }
      for (const label of ['Questions', 'Sandboxes', 'Log out'])
        expect(
          [...reached].some((text) => text.startsWith(label)),
          `${name}: ${label}`,
        ).toBe(true);
    }
  });

  it('a token of another owner sees nothing of the first on any page', async () => {
    const { token } = await world.token(['run', 'read', 'approve'], 'alice');
    const { page, context, errors } = await openPage(browser, world.url, [404]);
    await logIn(page, token);
    for (const [, hash] of views) {
      await page.goto(`${world.url}/${hash}`);
      await page.waitForTimeout(500);
      const text = await page.locator('main').innerText();
      expect(text).not.toContain('purpose');
      expect(text).not.toContain('asked.txt');
      expect(text).not.toContain('onerror');
    }
    expect(errors).toEqual([]);
    await context.close();
  });
});

/** Ids of rules that axe holds for serious or critical, each with what it found. */
async function axeFaults(page: Page, axe: string): Promise<readonly string[]> {
  // Not as an element of the page, which its policy forbids.
  await page.evaluate(axe);
  const found: unknown =
    await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html, any }) => html.slice(0, 200) + ' ' + (any[0]?.message ?? '')).join(' | ')))`);
  return Array.isArray(found) ? found.map(String) : ['axe gave no list'];
}

/** Elements wider than the window, and buttons, fields and links that cover each other. */
async function layoutFaults(page: Page): Promise<readonly string[]> {
  const found: unknown = await page.evaluate(`(() => {
    const faults = [];
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) faults.push('the page is wider than the window: ' + root.scrollWidth);
    const isSeen = (box) => box.width > 0 && box.height > 0;
    const inList = (element) => element.closest('.list, .entries, .xterm, pre, details:not([open]) > :not(summary)') !== null;
    const all = [...document.querySelectorAll('button, input, select, textarea, a, h1, h2, dt, dd')]
      .filter((element) => !inList(element) && isSeen(element.getBoundingClientRect()) && !element.matches('.skip'));
    for (const [at, one] of all.entries()) {
      const box = one.getBoundingClientRect();
      if (box.right > root.clientWidth + 1) faults.push('beyond the edge: ' + one.outerHTML.slice(0, 120));
      for (const other of all.slice(at + 1)) {
        if (one.contains(other) || other.contains(one)) continue;
        const next = other.getBoundingClientRect();
        const x = Math.min(box.right, next.right) - Math.max(box.left, next.left);
        const y = Math.min(box.bottom, next.bottom) - Math.max(box.top, next.top);
        if (x > 1 && y > 1) faults.push(one.outerHTML.slice(0, 80) + ' covers ' + other.outerHTML.slice(0, 80));
      }
    }
    return faults.slice(0, 5);
  })()`);
  return Array.isArray(found) ? found.map(String) : ['the page gave no list'];
}
