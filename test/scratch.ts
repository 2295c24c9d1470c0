/**
 * vitest's global setup of every run. `CAISSON_TEST_SCRATCH` is a directory of the whole run, for what is made once: see
 * `e2e/packed.ts`. `NODE_COMPILE_CACHE` is kept from one run to the next, and serves test processes and the programs that they
 * start, each in a fresh home: there a command line costs 1.5 s of processor, and 0.4 with the cache. With `CAISSON_TEST_PACKED` they
 * start the command line of the package (`program.ts`).
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackPackage } from './e2e/packed.ts';

const caches = fileURLToPath(new URL('../node_modules/.cache/caisson/', import.meta.url));
const compiled = join(caches, 'compiled');

export async function setup(): Promise<() => void> {
  const scratch = mkdtempSync(join(tmpdir(), 'caisson-run-'));
  mkdirSync(compiled, { recursive: true });
  process.env['CAISSON_TEST_SCRATCH'] = scratch;
  process.env['NODE_COMPILE_CACHE'] = compiled;
  const made = [scratch, ...(process.env['CAISSON_TEST_PACKED'] === '1' ? [await unpack(scratch)] : [])];
  return () => made.forEach((each) => rmSync(each, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
}

/** Below the modules of the checkout, so that it finds those which a user may install beside it. */
async function unpack(scratch: string): Promise<string> {
  const directory = mkdtempSync(join(caches, 'package-'));
  await unpackPackage(directory);
  process.env['CAISSON_TEST_PROGRAM'] = directory;
  process.env['CAISSON_TEST_CACHE'] = join(scratch, 'cache');
  mkdirSync(join(scratch, 'cache'), { mode: 0o700 });
  return directory;
}
