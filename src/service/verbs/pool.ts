/** `caisson.pool`: sandboxes that are made ahead of demand. */
import type { Drained, PoolView } from '../../pool/types.ts';
import type { Options } from '../types.ts';
import { admin, read, type Rows } from './row.ts';

export interface PoolApi {
  /** Lists the entries of the configuration and what stands ready of each. */
  list(options?: Options): Promise<readonly PoolView[]>;
  /** Makes what is missing, and removes what no entry wants. An entry that cannot be filled says why. */
  fill(options?: Options): Promise<readonly PoolView[]>;
  /** Removes all that no task has taken. A service makes others. */
  drain(options?: Options): Promise<Drained>;
  /** Keeps the pool filled from now on, until this process closes. */
  keep(): void;
}

const views = [{ entry: 'text', backend: 'text', size: 'number', ready: 'number', making: 'number' }] as const;

export const pool = {
  list: {
    ...read(
      'GET',
      '/v1/pool',
      'Lists sandboxes that are made ahead of demand, by entries of the configuration. For tokens of the operator.',
    ),
    owner: 'operator',
    brief: true,
    gives: views,
  },
  fill: {
    ...admin('POST', '/v1/pool/fill', 'Makes the sandboxes of the pool that are missing.'),
    takes: [],
    owner: 'refused',
    repeatable: true,
    gives: views,
  },
  drain: {
    ...admin('POST', '/v1/pool/drain', 'Removes the sandboxes of the pool that no task has taken.'),
    takes: [],
    owner: 'refused',
    repeatable: true,
    gives: { removed: 'number' },
  },
  keep: { none: 'the service does it by itself', takes: [], owner: 'refused', now: true },
} as const satisfies Rows<PoolApi>;
