/** What the configuration says of one owner. Pure. */
import { operator } from '../values/caller.ts';
import type { Config } from './types.ts';

/** Nothing, when the configuration names neither the owner nor `default`. */
export type Allowed = Config['owners'][string];

/** Limits of an owner; one that is not named has those of `default`. The operator has only those of `operator`. */
export function allowedTo(owner: string, { owners }: Pick<Config, 'owners'>): Allowed {
  const name = owner === operator || Object.hasOwn(owners, owner) ? owner : 'default';
  return Object.hasOwn(owners, name) ? (owners[name] ?? {}) : {};
}
