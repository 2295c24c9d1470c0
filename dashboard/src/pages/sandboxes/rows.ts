/** Rows of the list: which are shown, in which order, and which of them the window holds. Pure. */
import type { CaissonClient } from 'caisson/client';

export type Sandbox = Awaited<ReturnType<CaissonClient['sandboxes']['list']>>['items'][number];
export type Exec = Awaited<ReturnType<CaissonClient['execs']['list']>>['items'][number];
export type Use = Pick<
  Awaited<ReturnType<CaissonClient['sandboxes']['top']>>[number],
  'sandboxId' | 'cpuCores' | 'stats'
>;

export interface Row {
  readonly sandbox: Sandbox;
  /** The newest on record. `null`: none is. */
  readonly last: Exec | null;
  readonly denials: number;
  /** `null`: the list is not sorted by it, or its place does not tell. */
  readonly use: Use | null;
}

export const columns = [
  'state',
  'backend',
  'task',
  'owner',
  'labels',
  'image',
  'age',
  'used',
  'ends',
  'last',
  'denials',
  'cpu',
  'memory',
] as const;
export type Column = (typeof columns)[number];
export const isColumn = (name: string | undefined): name is Column => columns.some((each) => each === name);

/** Whether a sort needs what every sandbox uses now, which the rows that are seen do not. */
export const isByUse = ({ sort }: Pick<Shown, 'sort'>): boolean => sort === 'cpu' || sort === 'memory';

interface Parts {
  readonly sandboxes: readonly Sandbox[];
  readonly execs: readonly Exec[];
  readonly uses: readonly Use[];
}

export function rowsOf({ sandboxes, execs, uses }: Parts, denialsOf: (task: string) => number): readonly Row[] {
  const used = new Map(uses.map((use) => [use.sandboxId, use]));
  const newest = new Map<string, Exec>();
  // Newest first, so that the first of a sandbox stays.
  for (const exec of execs) if (!newest.has(exec.where.sandboxId)) newest.set(exec.where.sandboxId, exec);
  return sandboxes.map((sandbox) => ({
    sandbox,
    last: newest.get(sandbox.id) ?? null,
    denials: denialsOf(sandbox.taskId),
    use: used.get(sandbox.id) ?? null,
  }));
}

/** The last line that has something to see. */
export const lastLineOf = (text: string): string =>
  text
    .split('\n')
    .findLast((line) => line.trim() !== '')
    ?.trim() ?? '';

export interface Shown {
  readonly text: string;
  readonly state: string;
  readonly sort: Column;
  readonly isDown: boolean;
}

/** `filters`: those of the address. */
export function shownOf({ text = '', state = '', sort, order }: Readonly<Record<string, string>>): Shown {
  return { text, state, sort: isColumn(sort) ? sort : 'age', isDown: order === 'down' };
}

export function arranged(rows: readonly Row[], shown: Shown): readonly Row[] {
  const words = shown.text.toLowerCase().split(/\s+/).filter(Boolean);
  const kept = rows.filter((row) => {
    if (shown.state !== '' && row.sandbox.state !== shown.state) return false;
    const all = searched(row);
    return words.every((word) => all.includes(word));
  });
  const sign = shown.isDown ? -1 : 1;
  return kept.toSorted((one, other) => {
    const order = compared(keyOf(one, shown.sort), keyOf(other, shown.sort));
    return order === 0 ? compared(one.sandbox.id, other.sandbox.id) : sign * order;
  });
}

const searched = ({ sandbox, last }: Row): string =>
  [sandbox.taskId, sandbox.id, sandbox.backend, sandbox.state, sandbox.spec.image ?? '', labelsText(sandbox)]
    .concat(last?.command ?? [])
    .join('\n')
    .toLowerCase();

/** The operator sees tasks of others as `OWNER.TASK`. `null`: it is of the owner of the token. */
export const ownerIn = (task: string): string | null => /^([a-z][a-z0-9-]*)\./.exec(task)?.[1] ?? null;

export const labelsText = ({ labels }: Pick<Sandbox, 'labels'>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

/** What is youngest, was used last, ends first, has run last or uses most stands first. */
function keyOf({ sandbox, last, denials, use }: Row, column: Column): string | number {
  const keys: Readonly<Record<Column, string | number>> = {
    state: sandbox.state,
    backend: sandbox.backend,
    task: sandbox.taskId,
    owner: ownerIn(sandbox.taskId) ?? '',
    labels: labelsText(sandbox),
    image: sandbox.spec.image ?? '',
    age: -Date.parse(sandbox.createdAt),
    used: -Date.parse(sandbox.usedAt),
    ends: sandbox.expiresAt === null ? Infinity : Date.parse(sandbox.expiresAt),
    last: last === null ? 0 : -Date.parse(last.startedAt),
    denials: -denials,
    cpu: -(use?.cpuCores ?? -Infinity),
    memory: -(use?.stats?.memoryBytes ?? -Infinity),
  };
  return keys[column];
}

function compared(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one === other ? 0 : one - other;
  return String(one).localeCompare(String(other));
}

export const mostRows = 40;

/** Rows from `first` up to `end`, as tall as all the same, of a list that is scrolled to `top`. */
export function windowOf(
  count: number,
  { top, height, rowHeight }: { readonly top: number; readonly height: number; readonly rowHeight: number },
): { readonly first: number; readonly end: number } {
  const seen = Math.ceil(height / rowHeight) + 1;
  const spare = Math.max(0, Math.floor((mostRows - seen) / 2));
  const first = Math.max(0, Math.min(Math.floor(top / rowHeight) - spare, count - mostRows));
  return { first, end: Math.min(count, first + mostRows) };
}
