/** What this backend promises, by kind of place, for the page of guarantees. */
import type { Guarantees } from '../../src/backend.ts';
import { guaranteesOf } from './guarantees.ts';

export const promises: Readonly<Record<string, Guarantees>> = {
  'a host with systemd scopes': guaranteesOf({ scope: 'system', holds: ['cpuCores', 'memoryBytes', 'pids'] }),
  'any other host': guaranteesOf(null),
};
