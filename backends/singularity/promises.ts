/** What this backend promises, by kind of place, for the page of guarantees. */
import type { Guarantees } from '../../src/backend.ts';
import { guaranteesOf } from './guarantees.ts';

const hierarchy = { version: 2, at: { cpu: '', memory: '', pids: '' } } as const;
const noLimits = 'setting limits needs root, or a scheduler that sets them around Caisson';

export const promises: Readonly<Record<string, Guarantees>> = {
  'Caisson as root': guaranteesOf({ hierarchy, hasNsenter: true, host: { account: { handedOver: true } } }),
  'Caisson as another user': guaranteesOf({
    hierarchy: noLimits,
    hasNsenter: true,
    host: { account: { handedOver: false } },
  }),
};
