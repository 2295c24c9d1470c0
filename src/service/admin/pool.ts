/** The verbs of the pool. */
import type { Pool } from '../../pool/pool.ts';
import type { PoolApi } from '../api.ts';

export function poolOf(pool: Pool): PoolApi {
  return {
    list: () => pool.list(),
    fill: () => pool.fill(),
    drain: () => pool.drain(),
    keep: () => pool.keep(),
  };
}
