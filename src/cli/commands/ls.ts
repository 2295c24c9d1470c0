import { defineCommand } from '../command.ts';
import { everyItem, type SandboxView } from '../../service/api.ts';
import { accountHeader, accountRows, configuredBackends } from '../account.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { formatBytes, plural, shortAge } from '../format.ts';
import { stateColour } from '../states.ts';
import type { Column } from '../table.ts';
import { screenWidth } from '../screen.ts';
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
    sort: { type: 'text', value: 'COLUMN', about: 'task, state, backend, image, age or idle (default: age)' },
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
    const ordered = orderOf(given.text('sort'))(sandboxes);
    if (context.json) await context.printJson(ordered);
    else if (context.quiet) await context.print(ordered.map(({ taskId }) => `${taskId}\n`).join(''));
    else await listed(ordered, context);
    return 0;
  },
});

async function listed(sandboxes: readonly SandboxView[], context: Context): Promise<void> {
  // What is piped on is a table also without rows.
  if (sandboxes.length === 0 && screenWidth(context.world) !== null) {
    context.notice(
      'there is no sandbox of the kind; make one with caisson create TASK, or caisson run --task TASK -- COMMAND',
    );
    return;
  }
  const nowMs = context.world.nowMs();
  const hasLabels = sandboxes.some(({ labels }) => Object.keys(labels).length > 0);
  const shown = columns.filter(({ title }) => hasLabels || title !== 'LABELS');
  await context.printTable(
    shown,
    sandboxes.map((sandbox) => shown.map(({ cell }) => cell(sandbox, nowMs))),
  );
  // What is piped on holds the rows alone.
  if (screenWidth(context.world) !== null) await context.print(`${summaryOf(sandboxes)}\n`);
}

interface CellColumn extends Column {
  readonly cell: (sandbox: SandboxView, nowMs: number) => string;
}

const columns: readonly CellColumn[] = [
  { title: 'TASK', cell: ({ taskId }) => taskId },
  { title: 'BACKEND', drop: 4, cell: ({ backend }) => backend },
  { title: 'STATE', colour: stateColour, cell: ({ state }) => state },
  { title: 'IMAGE', drop: 3, cell: ({ spec }) => spec.image ?? '-' },
  { title: 'CPU', drop: 6, cell: (sandbox) => heldLimit(sandbox, 'cpuCores', String) },
  { title: 'MEMORY', drop: 5, cell: (sandbox) => heldLimit(sandbox, 'memoryBytes', formatBytes) },
  { title: 'LABELS', drop: 7, cell: ({ labels }) => labelText(labels) },
  { title: 'AGE', drop: 2, cell: ({ createdAt }, nowMs) => shortAge(createdAt, nowMs) },
  { title: 'IDLE', cell: ({ usedAt }, nowMs) => shortAge(usedAt, nowMs) },
];

function labelText(labels: SandboxView['labels']): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '-' : pairs.join(',');
}

/** `61 sandboxes: 55 ready, 6 stopped`. */
function summaryOf(sandboxes: readonly SandboxView[]): string {
  const byState = Map.groupBy(sandboxes, ({ state }) => state);
  const counts = [...byState].map(([state, { length }]) => `${length} ${state}`);
  return `${plural(sandboxes.length, 'sandbox', 'sandboxes')}: ${counts.join(', ')}`;
}

type Order = (sandboxes: readonly SandboxView[]) => readonly SandboxView[];
const by =
  (key: (sandbox: SandboxView) => string): Order =>
  (sandboxes) =>
    sandboxes.toSorted((a, b) => key(a).localeCompare(key(b)));

const orders: Readonly<Record<string, Order>> = {
  task: by(({ taskId }) => taskId),
  state: by(({ state }) => state),
  backend: by(({ backend }) => backend),
  image: by(({ spec }) => spec.image ?? ''),
  age: by(({ createdAt }) => createdAt),
  idle: by(({ usedAt }) => usedAt),
};

/** Without a name, oldest first: the service lists them so. */
function orderOf(name: string | undefined): Order {
  if (name === undefined) return (sandboxes) => sandboxes;
  return orders[readChoice('--sort', name, Object.keys(orders))] ?? ((sandboxes) => sandboxes);
}

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
