/** The pool of every double: two entries, one of which cannot be filled. */
import type { PoolApi, PoolView } from '../../src/service/api.ts';

const usual = { backend: 'docker', image: null, size: 2, making: 0, error: null };
const entries: readonly PoolView[] = [
  { ...usual, entry: 'python', image: 'python:3.13', ready: 2 },
  { ...usual, entry: 'web', ready: 0, making: 1, error: 'the engine is down' },
];

export const pool: PoolApi = {
  list: () => Promise.resolve(entries),
  fill: () => Promise.resolve(entries),
  drain: () => Promise.resolve({ removed: 2 }),
  keep: () => undefined,
};
