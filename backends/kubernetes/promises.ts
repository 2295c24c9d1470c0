/** What this backend promises, for the page of guarantees. */
import type { Guarantees } from '../../src/backend.ts';
import { guaranteesOf } from './guarantees.ts';
import { settingsOf } from './settings.ts';
import { untried } from './verdict.ts';

const current = { version: [1, 36], runtimeClasses: null, policies: untried.yet } as const;

export const promises: Readonly<Record<string, Guarantees>> = {
  'a cluster': guaranteesOf(settingsOf({}), current),
  'a cluster whose policies were shown to hold, with kubernetes_init_image': guaranteesOf(
    settingsOf({ init_image: 'busybox@sha256' }),
    { ...current, policies: { is: 'proved', ways: ['inbound', 'outbound'] } },
  ),
};
