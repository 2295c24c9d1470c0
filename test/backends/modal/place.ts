/** What tests of the modal backend share. */
import type { CreateOptions } from '../../../src/backend.ts';

export function optionsFor(instance: string, id: string, patch: Partial<CreateOptions> = {}): CreateOptions {
  return {
    name: `caisson-${instance}-${id}`,
    labels: {
      instance,
      sandbox: `sbx_${id}`,
      task: `task-${id}`,
      fingerprint: 'f1',
      created: new Date().toISOString(),
      schema: '1',
    },
    directory: null,
    credentials: null,
    init: ['sh'],
    ...patch,
  };
}

/** Gives numbers from 0 to 1, equal for equal seeds (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
