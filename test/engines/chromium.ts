/** Debian's Chromium, driven by playwright. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { enginesRequired } from './places.ts';

const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser'];
const withoutNetlink = fileURLToPath(new URL('chromium-without-netlink.pl', import.meta.url));

/** False: it is absent, and not required. */
export const hasChromium = (): boolean => found() !== null;

export async function launchChromium(args: readonly string[]): Promise<Browser> {
  const env = { ...process.env, CHROMIUM: found() ?? '' };
  return await chromium.launch({ executablePath: withoutNetlink, env, args: [...args] });
}

function found(): string | null {
  const path = paths.find((each) => existsSync(each)) ?? null;
  if (path === null && enginesRequired()) throw new Error('no chromium: run `npm run engines`');
  return path;
}
