/** What runs in the accounts of services, for `ls --account` and `doctor`. */
import type { AccountItem, AccountView } from '../service/api.ts';
import { formatAge, formatBytes, plural } from './format.ts';
import type { CommandApi } from './world.ts';

/** The backends that the configuration names: the default one, and those of single tasks. */
export async function configuredBackends(service: CommandApi): Promise<string[]> {
  return (await service.config.show()).flatMap(({ key, value }) => {
    if (key === 'terminal.backend' || /^tasks\..*\.backend$/.test(key)) return typeof value === 'string' ? [value] : [];
    return key === 'tasks' || key.startsWith('tasks.') ? backendsIn(value) : [];
  });
}

function backendsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'backend' in value && typeof value.backend === 'string' ? [value.backend] : [];
  const tasks = Object.values(value).flatMap((task: unknown) =>
    typeof task === 'object' && task !== null && 'backend' in task && typeof task.backend === 'string'
      ? [task.backend]
      : [],
  );
  return [...own, ...tasks];
}

export const accountHeader = ['BACKEND', 'NAME', 'STATE', 'CREATED', 'CPU', 'MEMORY', 'OWNER', 'TASK'];

const owners: Readonly<Record<AccountItem['owner'], string>> = {
  this: 'this home',
  other: 'another home',
  none: 'not Caisson',
};

export function accountRows({ backend, items }: AccountView, nowMs: number): string[][] {
  return items.map(({ name, state, since, cpuCores, memoryBytes, owner, taskId }) => [
    backend,
    name,
    state,
    since === null ? '-' : `${formatAge(since, nowMs)} ago`,
    cpuCores === null ? '-' : String(cpuCores),
    memoryBytes === null ? '-' : formatBytes(memoryBytes),
    owners[owner],
    taskId ?? '-',
  ]);
}

/** One line: how many run, and whose they are. */
export function accountSummary({ items, error }: AccountView): string {
  if (error !== null) return `the account does not answer: ${error}`;
  const running = items.filter(({ state }) => state === 'running');
  const of = (owner: AccountItem['owner']): number => running.filter((item) => item.owner === owner).length;
  const whose = `${of('this')} of this home, ${of('other')} of another home, ${of('none')} not Caisson's`;
  const rest = items.length - running.length;
  return `${plural(running.length, 'sandbox', 'sandboxes')} run in the account: ${whose}${rest === 0 ? '' : `; ${rest} more are kept`}`;
}
