/** A browser with the dashboard, which fails a test by every error of its console: a violation of the policy of the page is one. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../../engines/chromium.ts';

const args = [
  ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

export async function openBrowser(): Promise<Browser> {
  return await launchChromium(args);
}

export interface Seen {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the console said beside answers that a test provokes. */
  readonly errors: readonly string[];
}

/** `expected`: statuses of answers that the test provokes; the browser reports each in its console. */
export async function openPage(browser: Browser, url: string, expected: readonly number[] = []): Promise<Seen> {
  const context = await browser.newContext({ acceptDownloads: true, viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    const text = message.text();
    const isExpected = expected.some((status) => text.includes(`status of ${status} `));
    if (message.type() === 'error' && !isExpected) errors.push(text);
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (/^(?:https?|wss?):$/.test(protocol) && origin.replace('ws', 'http') !== new URL(url).origin)
      errors.push(`a request left the origin: ${request.url()}`);
  });
  await page.goto(url);
  return { page, context, errors };
}

export async function logIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Log out' }).waitFor();
}
