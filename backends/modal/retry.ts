/** Tries again what may be done twice, a few times and after pauses of random length. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Code } from '../../src/errors.ts';
import { codeOf } from './fault.ts';

const tries = 6;
const firstPauseMs = 200;

/** The SDK has its own retries for a second; these cover a restart of the service. */
export async function patiently<T>(
  work: () => Promise<T>,
  signal?: AbortSignal,
  codes: readonly Code[] = ['unavailable', 'resource_exhausted'],
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === tries || !codes.includes(codeOf(error))) throw error;
    }
    const maxMs = firstPauseMs * 2 ** attempt;
    await sleep(maxMs * (0.5 + Math.random() / 2), null, signal === undefined ? {} : { signal });
  }
}
