/**
 * vitest's global setup of every run. `CAISSON_TEST_SCRATCH` is a directory of the whole run, for what is made once: see
 * `e2e/packed.ts`. `NODE_COMPILE_CACHE` is kept from one run to the next, and serves test processes and the programs that they
 * start, each in a fresh home: there a command line costs 1.5 s of processor, and 0.4 with the cache.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const compiled = fileURLToPath(new URL('../node_modules/.cache/caisson/compiled', import.meta.url));

export function setup(): () => void {
  const scratch = mkdtempSync(join(tmpdir(), 'caisson-run-'));
  mkdirSync(compiled, { recursive: true });
  process.env['CAISSON_TEST_SCRATCH'] = scratch;
  process.env['NODE_COMPILE_CACHE'] = compiled;
  return () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}
