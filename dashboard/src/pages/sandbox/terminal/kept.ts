/** Terminals of this tab of the browser, by task: their execs go on while the page is loaded again, and are found by their ids. */
import { membersOf } from '../../../login/members.ts';
import type { Store as Whole } from '../../../login/stored.ts';

export interface Kept {
  readonly execId: string;
  readonly label: string;
}

type Store = Pick<Whole, 'getItem' | 'setItem'>;

const most = 16;
const nameOf = (task: string): string => `caisson.terminals.${task}`;
const form = /^exec_[A-Za-z0-9_-]{1,59}$/;

export function readKept(store: Store, task: string): readonly Kept[] {
  try {
    const found: unknown = JSON.parse(store.getItem(nameOf(task)) ?? '[]');
    return Array.isArray(found) ? found.flatMap(keptIn).slice(0, most) : [];
  } catch {
    return [];
  }
}

function keptIn(value: unknown): readonly Kept[] {
  const { execId, label } = membersOf(value);
  return typeof execId === 'string' && form.test(execId) && typeof label === 'string' ? [{ execId, label }] : [];
}

export const keep = (store: Store, task: string, all: readonly Kept[]): void =>
  store.setItem(nameOf(task), JSON.stringify(all.slice(-most)));

export function added(all: readonly Kept[], execId: string): readonly Kept[] {
  const taken = new Set(all.map(({ label }) => label));
  let number = 1;
  while (taken.has(String(number))) number++;
  return [...all, { execId, label: String(number) }].slice(-most);
}

export const without = (all: readonly Kept[], execId: string): readonly Kept[] =>
  all.filter((each) => each.execId !== execId);
