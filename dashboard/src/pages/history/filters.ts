/** Filters of the history as they stand in the address, and an act in words. Pure. */
import type { CaissonClient } from 'caisson/client';
import { filled, momentOf, textsOf } from '../../text/filters.ts';

type Filter = NonNullable<Parameters<CaissonClient['history']['list']>[0]>;
export type Act = Awaited<ReturnType<CaissonClient['history']['list']>>['items'][number];

export const faults = ['failed', 'denied', 'lost'] as const;
const isFault = (text: string): text is (typeof faults)[number] => faults.some((each) => each === text);

const names = ['task', 'owner', 'outcome', 'since', 'until'] as const;
export type Filters = Readonly<Record<(typeof names)[number], string>>;

export const filtersOf = (given: Readonly<Record<string, string>>): Filters => textsOf(given, names);

/** What the service takes: what is empty, or not a time yet, is left out. */
export function askOf({ task, owner, outcome, since, until }: Filters): Filter {
  return {
    ...filled({ task, owner }),
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
