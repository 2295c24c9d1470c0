/** Finds what a client runs on beside Node: Bun and Deno from npm, and Debian's Chromium. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installedAt } from './installed.ts';
import { enginesRequired } from './places.ts';

/** Programs of the fixture `runtimes`, which other packages bring for each platform. */
export function runtimePrograms(): { readonly bun: string; readonly deno: string } {
  const [bun, deno] = process.arch === 'arm64' ? ['aarch64', 'arm64'] : ['x64', 'x64'];
  const modules = join(installedAt('runtimes'), 'node_modules');
  return {
    bun: join(modules, `@oven/bun-linux-${bun}/bin/bun`),
    deno: join(modules, `@deno/linux-${deno}-glibc/deno`),
  };
}

const chromiumPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser'];

/** `null`: it is absent, and not required. */
export function chromium(): string | null {
  const found = chromiumPaths.find((path) => existsSync(path)) ?? null;
  if (found === null && enginesRequired()) throw new Error('no chromium: run `npm run engines`');
  return found;
}
