/**
 * Published tools that a test uses as they are, from a fixture with a lock file of its own: they lie outside of the checkout, since
 * what they need does not go with what the project needs.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { engineCache, enginesRequired } from './places.ts';

const run = promisify(execFile);

/** A folder of test/fixtures. */
export type Fixture = 'adapters' | 'openapi-client' | 'mcp-inspector' | 'runtimes';

export const fixtureOf = (name: Fixture): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

/** Named by the lock file, so that a changed one is installed anew. */
export function installedAt(name: Fixture): string {
  const lock = readFileSync(join(fixtureOf(name), 'package-lock.json'));
  return join(engineCache(), `${name}-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`);
}

/** For tests that only skip where they are absent, and fail where engines are required. */
export function isInstalled(name: Fixture): boolean {
  const there = existsSync(installedAt(name));
  if (!there && enginesRequired()) throw new Error(`no tools of ${name}: run \`npm run engines\``);
  return there;
}

/** Made aside and renamed, so that a half-made installation is never used. */
export async function installFixture(name: Fixture): Promise<void> {
  const making = `${installedAt(name)}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  try {
    for (const file of ['package.json', 'package-lock.json'])
      copyFileSync(join(fixtureOf(name), file), join(making, file));
    await run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: making });
    renameSync(making, installedAt(name));
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}
