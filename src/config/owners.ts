/** What the configuration says of one owner. Pure. */
import { operator } from '../values/caller.ts';
import type { Config } from './types.ts';

/** Nothing, when the configuration names neither the owner nor `default`. */
export type Allowed = Config['owners'][string];

/** Of an owner that is not named, what is said of `default`. The operator has no limits but those said of `operator`. */
export function allowedTo(owner: string, { owners }: Pick<Config, 'owners'>): Allowed {
  const name = owner === operator || Object.hasOwn(owners, owner) ? owner : 'default';
  return Object.hasOwn(owners, name) ? (owners[name] ?? {}) : {};
}
