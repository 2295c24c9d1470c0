import { defineCommand } from '../command.ts';
import { everyItem, type SandboxView } from '../../service/api.ts';
import { accountHeader, accountRows, configuredBackends } from '../account.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { formatAge, formatBytes } from '../format.ts';
import { UsageError } from '../usage.ts';
import { readChoice, readLabels } from '../values.ts';
import type { CommandApi } from '../world.ts';

export const ls = defineCommand({
  name: 'ls',
  summary: 'List sandboxes',
  about: `Shows what Caisson has on record, without a call to a backend; inspect makes one. -q prints
task ids only. Limits that the place does not hold are not shown.

With --account, the services of the backends are asked instead: what runs there, or is kept, and costs
money, also what other homes of Caisson and other programs have started. Of the backends that the
configuration names or that have sandboxes; --filter backend=NAME asks one.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {
    account: { type: 'flag', about: 'what runs in the accounts of cloud services' },
    pool: { type: 'flag', about: 'those that were made ahead of demand, and that no task has taken' },
    label: { type: 'list', value: 'KEY=VALUE', about: 'only those with this label; all must hold' },
    filter: {
      type: 'list',
      value: 'KEY=VALUE',
      about: 'state, backend, image, or task (its beginning); all must hold',
    },
  },
  examples: [
    ['what is there', 'ls'],
    ['what a team has', 'ls --label team=search'],
    ['what runs in the account of a service, of all programs', 'ls --account'],
    [
      'what runs in Docker, of the tasks whose names begin with ci-',
      'ls --filter state=ready --filter backend=docker --filter task=ci-',
    ],
  ],
  run: async (given, context) => {
    const wanted = filterOf(given.list('filter'));
    const labels = readLabels('--label', given.list('label'));
    const service = await context.service();
    if (given.flag('account')) return await listAccounts(given.list('filter'), service, context);
    const all = await Array.fromAsync(
      everyItem((page) => service.sandboxes.list({ ...page, labels, pool: given.flag('pool') }, context.options)),
    );
    const sandboxes = all.filter(wanted);
    if (context.json) await context.printJson(sandboxes);
    else if (context.quiet) await context.print(sandboxes.map(({ taskId }) => `${taskId}\n`).join(''));
    else {
      const nowMs = context.world.nowMs();
      const rows = sandboxes.map((sandbox) => [
        sandbox.taskId,
        sandbox.backend,
        sandbox.state,
        sandbox.spec.image ?? '-',
        heldLimit(sandbox, 'cpuCores', String),
        heldLimit(sandbox, 'memoryBytes', formatBytes),
        `${formatAge(sandbox.createdAt, nowMs)} ago`,
        formatAge(sandbox.usedAt, nowMs),
      ]);
      await context.printTable(['TASK', 'BACKEND', 'STATE', 'IMAGE', 'CPU', 'MEMORY', 'CREATED', 'IDLE'], rows);
    }
    return 0;
  },
});

/** The exit code is 1 when a service did not answer: what runs there is not known. */
async function listAccounts(filters: readonly string[], service: CommandApi, context: Context): Promise<number> {
  const named = filters.map((text) => /^backend=(.+)$/.exec(text)?.[1]);
  if (named.includes(undefined))
    throw new UsageError('--account goes with --filter backend=NAME only', { remedy: 'leave the other filters out' });
  const known = await Array.fromAsync(everyItem((page) => service.sandboxes.list(page, context.options)));
  const usual = [...(await configuredBackends(service)), ...known.map(({ backend }) => backend)];
  const asked = named.length > 0 ? named.flatMap((name) => name ?? []) : usual;
  const accounts = await service.backends.account([...new Set(asked)], context.options);
  if (context.json) await context.printJson(accounts);
  else if (context.quiet)
    await context.print(accounts.flatMap(({ items }) => items.map(({ name }) => `${escapeLine(name)}\n`)).join(''));
  else
    await context.printTable(
      accountHeader,
      accounts.flatMap((view) => accountRows(view, context.world.nowMs())),
    );
  for (const { backend, error } of accounts) if (error !== null) context.say(`${backend} did not answer: ${error}`);
  return accounts.every(({ error }) => error === null) ? 0 : 1;
}

type Test = (sandbox: SandboxView, value: string) => boolean;

const tests: Readonly<Record<string, Test>> = {
  state: ({ state }, value) => state === value,
  backend: ({ backend }, value) => backend === value,
  image: ({ spec }, value) => spec.image === value,
  task: ({ taskId }, value) => taskId.startsWith(value),
};
const states: readonly string[] = ['creating', 'pooled', 'ready', 'stopping', 'stopped', 'destroying'];

function filterOf(texts: readonly string[]): (sandbox: SandboxView) => boolean {
  const held = texts.map(testOf);
  return (sandbox) => held.every((test) => test(sandbox));
}

function testOf(text: string): (sandbox: SandboxView) => boolean {
  const [, key = '', value = ''] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
  const test = Object.hasOwn(tests, key) ? tests[key] : undefined;
  if (test === undefined)
    throw new UsageError(`--filter ${text}: expected KEY=VALUE`, { remedy: `keys: ${Object.keys(tests).join(', ')}` });
  if (key === 'state') readChoice('--filter state', value, states);
  return (sandbox) => test(sandbox, value);
}

function heldLimit(
  { spec, degraded }: SandboxView,
  name: 'cpuCores' | 'memoryBytes',
  format: (value: number) => string,
): string {
  const limit = spec.limits[name];
  return limit === null || degraded.some(({ control }) => control === name) ? '-' : format(limit);
}
