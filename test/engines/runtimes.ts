/** Bun and Deno as npm has them, for one test: with a lock file of their own, outside of the checkout. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { engineCache, enginesRequired } from './places.ts';

const run = promisify(execFile);

export const runtimesFixture = fileURLToPath(new URL('../fixtures/runtimes', import.meta.url));

/** Named by the lock file, so that a changed one is installed anew. */
export function runtimes(): string {
  const lock = readFileSync(join(runtimesFixture, 'package-lock.json'));
  return join(engineCache(), `runtimes-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`);
}

/** Their programs, which other packages bring for each platform. */
export function runtimePrograms(): { readonly bun: string; readonly deno: string } {
  const [bun, deno] = process.arch === 'arm64' ? ['aarch64', 'arm64'] : ['x64', 'x64'];
  const modules = join(runtimes(), 'node_modules');
  return {
    bun: join(modules, `@oven/bun-linux-${bun}/bin/bun`),
    deno: join(modules, `@deno/linux-${deno}-glibc/deno`),
  };
}

/** For tests that only skip where they are absent, and fail where engines are required. */
export function hasRuntimes(): boolean {
  const there = existsSync(runtimes());
  if (!there && enginesRequired()) throw new Error('neither Bun nor Deno: run `npm run engines`');
  return there;
}

/** Made aside and renamed, so that a half-made installation is never used. */
export async function installRuntimes(): Promise<void> {
  const making = `${runtimes()}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  try {
    for (const file of ['package.json', 'package-lock.json'])
      copyFileSync(join(runtimesFixture, file), join(making, file));
    await run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: making });
    renameSync(making, runtimes());
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

const chromiumPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser'];

/** `null`: there is none, and none is required. */
export function chromium(): string | null {
  const found = chromiumPaths.find((path) => existsSync(path)) ?? null;
  if (found === null && enginesRequired()) throw new Error('no chromium: run `npm run engines`');
  return found;
}
