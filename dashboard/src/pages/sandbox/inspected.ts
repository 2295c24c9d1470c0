import type { CaissonClient } from 'caisson/client';

/** One sandbox as its record and its place have it. */
export type Inspected = Awaited<ReturnType<CaissonClient['sandboxes']['get']>>;
