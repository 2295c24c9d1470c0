/** Filters of the history as they stand in the address, and an act in words. Pure. */
import type { CaissonClient } from 'caisson/client';
import { momentOf } from '../../text/moment.ts';

type Filter = NonNullable<Parameters<CaissonClient['history']['list']>[0]>;
export type Act = Awaited<ReturnType<CaissonClient['history']['list']>>['items'][number];

export const faults = ['failed', 'denied', 'lost'] as const;
const isFault = (text: string): text is (typeof faults)[number] => faults.some((each) => each === text);

export interface Filters {
  readonly task: string;
  readonly owner: string;
  readonly outcome: string;
  readonly since: string;
  readonly until: string;
}

export const filtersOf = (given: Readonly<Record<string, string>>): Filters => ({
  task: given['task'] ?? '',
  owner: given['owner'] ?? '',
  outcome: given['outcome'] ?? '',
  since: given['since'] ?? '',
  until: given['until'] ?? '',
});

/** What the service takes: what is empty, or not a time yet, is left out. */
export function askOf({ task, owner, outcome, since, until }: Filters): Filter {
  return {
    ...(task === '' ? {} : { task }),
    ...(owner === '' ? {} : { owner }),
    ...(isFault(outcome) ? { outcomes: [outcome] } : {}),
    ...momentOf('since', since),
    ...momentOf('until', until),
  };
}

/** `exit 3`, `denied by rule x`, `lost`. */
export function endOf({ outcome, reason, exitCode, signal, rule }: Act): string {
  if (outcome === 'denied') return rule === null ? 'denied' : `denied: ${rule}`;
  if (outcome === 'running' || outcome === 'lost') return outcome;
  if (exitCode !== null && (reason === null || reason === 'exited')) return `exit ${exitCode}`;
  return [reason ?? outcome, signal].filter((part) => part !== null).join(' ');
}
