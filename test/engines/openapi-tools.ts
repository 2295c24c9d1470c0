/**
 * A validator of OpenAPI documents and a generator of clients, as they are published, for one test. The generator needs a
 * TypeScript that the project itself is beyond, so both have a lock file of their own and lie outside of the checkout.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { engineCache, enginesRequired } from './places.ts';

const run = promisify(execFile);

export const openApiFixture = fileURLToPath(new URL('../fixtures/openapi-client', import.meta.url));

/** Named by the lock file, so that a changed one is installed anew. */
export function openApiTools(): string {
  const lock = readFileSync(join(openApiFixture, 'package-lock.json'));
  return join(engineCache(), `openapi-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`);
}

/** For tests that only skip where they are absent, and fail where engines are required. */
export function hasOpenApiTools(): boolean {
  const there = existsSync(openApiTools());
  if (!there && enginesRequired()) throw new Error('no tools for OpenAPI: run `npm run engines`');
  return there;
}

/** Made aside and renamed, so that a half-made installation is never used. */
export async function installOpenApiTools(): Promise<void> {
  const making = `${openApiTools()}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  try {
    for (const file of ['package.json', 'package-lock.json'])
      copyFileSync(join(openApiFixture, file), join(making, file));
    await run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: making });
    renameSync(making, openApiTools());
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}
